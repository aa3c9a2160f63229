"""Every public callable that takes a user's numbers, as one call on X, y and options."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fuzz import tables
from fuzz.inputs import recipes
from fuzz.worker import NoModel
from losaw.study.registry import get

Call = Callable[[Any, Any, dict[str, Any], np.random.Generator], Any]


@dataclass(frozen=True)
class Target:
    """One callable.

    ``options`` are parameters with values worth trying next to strange ones, ``arguments`` what a
    refusal may name, ``may_be_missing`` a pattern of documented NaN or infinities in results,
    ``recipes`` the strategy of its inputs, ``n_cases`` how many of them are tried.
    """

    call: Call
    options: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("X", "y")
    may_be_missing: str = r"(?!)"
    is_slow: bool = False
    recipes: Callable[[], Any] = recipes
    n_cases: int = 120


def _estimator(make: Callable[..., Any], **fixed: Any) -> Call:
    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        model = make(**{**fixed, **options}).fit(X, y)
        found = [model.predict(X), getattr(model, "feature_importances_", 0.0)]
        if hasattr(model, "predict_proba"):
            found.append(model.predict_proba(X))
        return found

    return call


def _classes(call: Call) -> Call:
    """The same call with numbers cut into classes, so that a classifier gets somewhere."""

    def wrapped(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        if isinstance(y, np.ndarray) and y.dtype == np.float64 and len(np.unique(y)) > 10:
            y = np.where(np.isfinite(y), np.digitize(y, [-0.5, 0.5]), y)
        return call(X, y, options, rng)

    return wrapped


def _clean(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows and response of the same shape that any model can be fitted to."""
    rows = np.random.default_rng(1).standard_normal(np.shape(X))
    labels = np.asarray(y)
    if labels.dtype.kind != "f" or not np.isfinite(labels).all() or np.ptp(labels) == 0:
        labels = (rows[:, 0] > 0).astype(float)
    return rows, labels


def _fitted(make: Callable[[], Any], X: Any, y: Any) -> Any:
    """A model of X and y; of other numbers of their shape if it refuses them."""
    try:
        return make().fit(X, y)
    except Exception:
        try:
            return make().fit(*_clean(X, y))
        except Exception as error:
            raise NoModel from error


def _small(name: str, task: str) -> Any:
    small = {
        "random-forest": {"n_estimators": 6},
        "xgboost": {"num_boost_round": 5},
        "losaw-forest": {"n_estimators": 3},
    }
    if name == "random-forest" and task == "classification":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(6, random_state=0)
    return get("learner", name).create(**small.get(name, {}), random_state=0)


def _forest_function(function: str, **fixed: Any) -> Call:
    """A function of a fitted forest; of a classifier where the response is of labels."""

    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        import losaw.importance

        kind = np.asarray(y).dtype.kind if y is not None else "f"
        task = "classification" if kind in "bOUi" else "regression"
        model = _fitted(lambda: _small("random-forest", task), X, y)
        return getattr(losaw.importance, function)(model, X, y, **{**fixed, **options})

    return call


def _own_fits(function: str, **fixed: Any) -> Call:
    """A function that grows forests of its own, or clones one."""

    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        from sklearn.ensemble import RandomForestRegressor

        import losaw.importance

        model = None
        if function != "boruta" and rng.random() < 0.5:
            model = RandomForestRegressor(6, random_state=0)
        return getattr(losaw.importance, function)(model, X, y, **{**fixed, **options})

    return call


def _booster_function(function: str) -> Call:
    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        import losaw.importance

        model = _fitted(lambda: _small("xgboost", "regression"), X, y)
        arguments = (model, X, y) if function == "treeinner" else (model, X)
        return getattr(losaw.importance, function)(*arguments, **options)

    return call


def _plain(module: str, function: str, *which: str) -> Call:
    """A function of X and y, or of what ``which`` names."""

    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        import importlib

        given = {"X": X, "y": y, "rng": rng}
        chosen = [given[name] for name in which or ("X", "y")]
        return getattr(importlib.import_module(module), function)(*chosen, **options)

    return call


def _knockoffs(name: str, **fixed: Any) -> Call:
    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        from losaw.knockoffs import make_sampler

        options = dict(options)
        kinds = options.pop("kinds", None)
        if isinstance(kinds, str):
            kinds = (kinds,) * (np.shape(X)[1] if np.ndim(X) == 2 else 1)
        sampler = make_sampler(name, **{**fixed, **options})
        drawn = sampler.fit(X, kinds, rng).sample(rng)
        # A missing value is a value that copies take, in columns that have any.
        return drawn[:, ~np.isnan(np.asarray(X, dtype=float)).any(axis=0)]

    return call


def _shapley_correlation(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
    from losaw.trends import shapley_correlation

    return shapley_correlation(
        _fitted(lambda: _small("random-forest", "regression"), X, y), X, random_state=0, **options
    )


FOREST = {
    "n_estimators": (3,),
    "max_depth": (1, 3),
    "min_samples_leaf": (1, 2),
    "max_features": (0.5, "sqrt", 1),
    "eta": (0.5, 1.0, 1e-6),
    "n_adjustment": (0, 2),
    "correlation_threshold": (0.0, 1.0),
    "discrete_features": ("auto", [0], [True, False], ["column 0"]),
    "propensity": ("kernel", "gaussian", "logit"),
    "stabilization": ("kernel", "normal"),
    "bootstrap": (False,),
    "n_jobs": (2,),
}
NETWORK = {
    "n_steps": (2,),
    "batch_size": (4,),
    "learning_rate": (0.1,),
    "kernel_sizes": ((2, 1), (9, 9)),
    "filters": ((2, 2),),
}
SMALL_NETWORK = {
    "n_steps": 2,
    "batch_size": 4,
    "kernel_sizes": (1, 1),
    "filters": (2, 2),
    "units": (3, 2),
}
# A column by its name says more than X, in which it stands; "the model" is the first argument.
EXPLAINED = (
    "X",
    "y",
    "column",
    "model",
    "sample",
    "feature",
    "features",
    "forest",
    "row",
    "rows",
    "columns",
    "loss",
)

OF_TABLES: dict[str, tuple[Any, ...]] = {
    "groups": ({"pair": [0, 1]}, {"pair": ["column 0", "column 1"]}, {"none": []}, ["a", "b"]),
    "features": (["X1"], ["column 1"], []),
    "kinds": ({"X1": "nominal"}, {"column 0": "continuous"}, "nominal"),
    "feature_names": (["a", "b"],),
}
OF_MODELS: dict[str, dict[str, Any]] = {
    "loco": {"cv": 2},
    "sage": {"n_background": 4, "max_permutations": 16},
}


def _all_targets() -> dict[str, Target]:
    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor
    from losaw.network import LosawNetworkRegressor, NetworkRegressor

    forest = {"n_estimators": 3, "random_state": 0, "n_initial_estimators": 2}
    found = {
        "LosawRandomForestRegressor": Target(
            _estimator(LosawRandomForestRegressor, **forest), FOREST, ("X", "y", "n_samples")
        ),
        "LosawRandomForestClassifier": Target(
            _classes(_estimator(LosawRandomForestClassifier, **forest)),
            FOREST,
            ("X", "y", "n_samples"),
        ),
        "NetworkRegressor": Target(
            _estimator(NetworkRegressor, random_state=0, **SMALL_NETWORK),
            NETWORK,
            ("X", "y", "batch_size", "kernel_sizes", "n_features"),
            is_slow=True,
        ),
        "LosawNetworkRegressor": Target(
            _estimator(LosawNetworkRegressor, random_state=0, **SMALL_NETWORK),
            NETWORK | {"eta": (0.5,), "correlation_threshold": (0.0,)},
            ("X", "y", "batch_size", "kernel_sizes", "n_features"),
            is_slow=True,
        ),
        "losaw_weights": Target(
            lambda X, y, options, rng: _plain("losaw.weighting", "losaw_weights", "y", "X")(
                X, y, options, rng
            ),
            {
                "eta": (0.5, 1.0, 1e-9),
                "propensity": ("logit", "kernel", "gaussian"),
                "stabilization": ("kernel", "frequency", "normal"),
                "counts": ([1.0], np.arange(1, 41), np.full(40, 1e14)),
                "reference": (np.ones(30), np.arange(30.0)),
            },
            ("target", "adjustment", "density", "reference"),
        ),
        "knockoffs gaussian": Target(
            _knockoffs("gaussian"),
            {
                "s_method": ("mvr",),
                "kinds": ("nominal", "discrete"),
            },
            ("X", "column", "kinds"),
        ),
        "knockoffs sequential": Target(
            _knockoffs("sequential"),
            {
                "kinds": ("nominal", "discrete"),
                "n_folds": (2, 1000),
                "n_penalties": (2, 9),
                "patience": (1,),
            },
            ("X", "column", "kinds"),
        ),
        "knockoffs deep": Target(
            _knockoffs("deep", n_epochs=1, width=4, n_layers=1),
            {"n_epochs": (2,)},
            ("X", "column", "kinds"),
            is_slow=True,
        ),
        "residual_importance": Target(
            _own_fits("residual_importance", n_permutations=2, n_estimators=5),
            {
                "algorithm": ("gram-schmidt-printed", "random-forest"),
                "n_permutations": (1,),
                "task": ("regression", "classification"),
                **OF_TABLES,
            },
            EXPLAINED,
        ),
        "boruta": Target(
            _own_fits("boruta", n_estimators=6, max_runs=3),
            {
                "alpha": (0.5,),
                "task": ("regression", "classification"),
                **OF_TABLES,
            },
            (*EXPLAINED, "n_estimators", "max_runs"),
        ),
        "linear_coefficient": Target(
            _plain("losaw.trends", "linear_coefficient"),
            {"standardized": (True,)},
            may_be_missing="std_error|p_values",
        ),
        "target_correlation": Target(
            _plain("losaw.trends", "target_correlation"), {"method": ("spearman",)}
        ),
        "shapley_correlation": Target(
            _shapley_correlation, {"method": ("spearman",), "n_rows": (3, None)}
        ),
    }
    for function, options, n_cases in (
        (tables.explain, tables.DESIGN, 1000),
        (tables.audit, tables.AUDIT, 500),
        (tables.hierarchy, tables.HIERARCHY, 800),
    ):
        found[f"{function.__name__} a table"] = Target(
            function,
            options,
            (*EXPLAINED, *tables.NAMED),
            recipes=tables.table_recipes,
            n_cases=n_cases,
        )
    for name in ("air", "mdi", "mdi_oob", "split_improvement", "tree_permutation", "ufi"):
        options = dict(OF_TABLES)
        if name in ("air", "tree_permutation"):
            options |= {"n_jobs": (2,), "random_state": (0,)}
        if name == "tree_permutation":
            options |= {"rows": ("in-bag",), "loss": ("absolute-error", "log-loss")}
        found[name] = Target(_forest_function(name), options, EXPLAINED)
    for name in ("cpi", "hierarchy", "loco", "pfi", "sage", "subgroups"):
        found[name] = Target(
            _forest_function(name, **OF_MODELS.get(name, {})),
            {
                **OF_TABLES,
                "loss": ("absolute-error", "pinball", "zero-one"),
                "sample_weight": (np.ones(40), np.arange(40.0)),
                "n_jobs": (2,),
                "cv": (2,),
            },
            (*EXPLAINED, "train", "sampler"),
            may_be_missing="own_share|lower|rows|p_values",  # rows that were never held out
        )
    for name in ("treeinner", "predecomp", "saabas"):
        options = OF_TABLES if name == "treeinner" else {}
        found[name] = Target(_booster_function(name), options, EXPLAINED)
    return found


TARGETS = _all_targets()

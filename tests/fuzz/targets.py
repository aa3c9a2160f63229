"""Forests, importances, explain, audit and hierarchy, each as one call on X, y and options."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import losaw.importance
from fuzz import tables
from fuzz.inputs import recipes
from fuzz.worker import NoModel
from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor

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


def _forest_function(function: str, **fixed: Any) -> Call:
    """A function of a fitted forest; of a classifier where the response is of labels."""

    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        kind = np.asarray(y).dtype.kind if y is not None else "f"
        make = RandomForestClassifier if kind in "bOUi" else RandomForestRegressor
        model = _fitted(lambda: make(6, random_state=0), X, y)
        return getattr(losaw.importance, function)(model, X, y, **{**fixed, **options})

    return call


def _own_fits(function: str, **fixed: Any) -> Call:
    """A function that grows forests of its own."""

    def call(X: Any, y: Any, options: dict[str, Any], rng: np.random.Generator) -> Any:
        return getattr(losaw.importance, function)(X, y, **{**fixed, **options})

    return call


FOREST = {
    "n_estimators": (3,),
    "max_depth": (1, 3),
    "min_samples_leaf": (1, 2),
    "max_features": (0.5, "sqrt", 1),
    "eta": (0.5, 1.0, 1e-6),
    "n_adjustment": (0, 2),
    "correlation_threshold": (0.0, 1.0),
    "discrete_features": ("auto", [0], [True, False], ["column 0"]),
    "bootstrap": (False,),
    "n_jobs": (2,),
}
# A column by its name says more than X, in which it stands; "the model" is the first argument.
EXPLAINED = (
    *("X", "y", "column", "model", "sample", "feature", "features", "forest", "row", "rows"),
    *("columns", "loss"),
)

OF_TABLES: dict[str, tuple[Any, ...]] = {
    "groups": ({"pair": [0, 1]}, {"pair": ["column 0", "column 1"]}, {"none": []}, ["a", "b"]),
    "kinds": ({"X1": "nominal"}, {"column 0": "continuous"}, "nominal"),
    "feature_names": (["a", "b"],),
}
OF_MODELS: dict[str, dict[str, Any]] = {
    "loco": {"cv": 2},
    "sage": {"n_background": 4, "max_permutations": 16},
}


def _all_targets() -> dict[str, Target]:
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
            options |= {"random_state": (0,)}
        found[name] = Target(_forest_function(name), options, EXPLAINED)
    for name in ("cpi", "hierarchy", "loco", "pfi", "sage", "subgroups"):
        found[name] = Target(
            _forest_function(name, **OF_MODELS.get(name, {})),
            {
                **OF_TABLES,
                "features": (["X1"], ["column 1"], []),
                "loss": ("absolute-error", "pinball", "zero-one"),
                "sample_weight": (np.ones(40), np.arange(40.0)),
                "n_jobs": (2,),
                "cv": (2,),
            },
            (*EXPLAINED, "train", "sampler"),
            may_be_missing="own_share|rows|p_values",  # rows that were never held out
        )
    del found["hierarchy"].options["features"]  # it tests all of them
    return found


TARGETS = _all_targets()

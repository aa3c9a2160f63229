"""Fitted models and the rows that they score: the given model on all rows, or one for each fold.

The rows of a given model may be those that it was fitted to. Trees remember how many rows each leaf
had; nothing is guessed: a model without trees, or trees with too few splits to be certain, were
fitted to other rows as far as this file can tell.
"""

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.rng import seed_integer
from losaw.scoring.model import Model, read_model, rebuild_for, with_missing_rows
from losaw.scoring.rows import Options, Rows
from losaw.support.outcomes import is_classifier
from losaw.trees.forests import GrownTree, counts_of, grown_trees, random_forests, unwrapped

Numbers = NDArray[np.intp]
SEEN = "not tested: the model was fitted to these rows"
WARNING = (
    "the model was fitted to these rows: losses of rows that a model remembers are no measure of "
    "what it needs, and are not tested. Give rows that it has not seen, or cv=5 to fit it in folds"
)
# So many splits must hold the same numbers of rows as in the fit, and leaves the same means.
_SPLITS = 20
_TOLERANCE = 1e-5


class Fit(NamedTuple):
    """A fitted model on the rows that it is scored on."""

    model: Model
    train: Numbers | None  # the rows that it was fitted to; None: it was given
    held: Numbers  # the rows that it is scored on
    seen: bool = False  # whether the given model was, for certain, fitted to them


def fits(
    model: Any, rows: Rows, options: Options, cv: Any, rng: np.random.Generator, test: str = "t"
) -> list[Fit]:
    """Return the given model on all rows, or with ``cv`` a model fitted for each fold.

    With pairs of row numbers as ``cv`` the model may be a list, of the fitted model of each fold.
    """
    if cv is None:
        if isinstance(model, list):
            raise ValueError(
                f"model is a list of {len(model)} models; give the folds that they were fitted in, "
                "cv=[(rows of the fit, rows to score), …], or one model"
            )
        subject = read_model(model, rows, options)
        seen = are_of_the_fit(model, rows, subject.y)
        if seen:
            warnings.warn(WARNING, stacklevel=3)
        return [Fit(subject, None, np.arange(len(rows)), seen)]
    if test != "t":
        raise ValueError(
            f"test={test!r} takes the rows for independent, which rows of models with "
            "common training rows are not; with cv= use test='t'"
        )
    parts = folds(cv, model, rows, rng)
    models = fitted_models(model, rows, parts)
    return [
        Fit(read_model(fitted, rows.take(held), options), train, held)
        for fitted, (train, held) in zip(models, parts, strict=True)
    ]


def folds(
    cv: Any, model: Any, rows: Rows, rng: np.random.Generator
) -> list[tuple[Numbers, Numbers]]:
    """Rows to fit to, and rows held out, of every fold.

    ``cv`` is a splitter of scikit-learn, pairs of row numbers, or a number of shuffled folds,
    stratified by class, in which clusters stay together.
    """
    from sklearn.model_selection import check_cv

    clusters = rows.clusters
    is_list = isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")
    if isinstance(model, list) and not is_list:
        raise ValueError(
            f"model is a list of {len(model)} models, and cv={cv!r} may draw other folds than "
            "those that they were fitted in; give these, cv=[(rows of the fit, rows to score), …]"
        )
    if isinstance(cv, int | np.integer):
        unit = "rows" if clusters is None else "clusters"
        most = len(rows) if clusters is None else len(np.unique(clusters))
        if not 2 <= cv <= most:
            raise ValueError(
                f"cv must be from 2 to the number of {unit} ({most}), or None for rows that "
                f"the model has not seen, got {cv!r}"
            )
        cv = shuffled_folds(int(cv), is_classifier(model), clusters is not None, seed_integer(rng))
    try:
        parts = list(cv if is_list else check_cv(cv).split(rows.table.codes, rows.y, clusters))
    except ValueError as error:
        if "groups" not in str(error):
            raise ValueError(f"cv={cv!r}: {error}") from error
        raise ValueError(
            f"cv={cv!r} needs the group of every row: give clusters=, one label for each row"
        ) from error
    for number, part in enumerate(parts):
        if not _is_fold(part, len(rows)):
            raise ValueError(
                f"fold {number} of cv must be a pair of arrays of row numbers from 0 to "
                f"{len(rows) - 1}, the rows to fit to and the rows to score, got {part!r}; or give "
                "a number of folds, as in cv=5"
            )
    for fitted, held in parts:
        if clusters is not None and np.intersect1d(clusters[fitted], clusters[held]).size:
            raise ValueError(
                f"cv={cv!r} separates rows of one cluster; give a number of folds, or a splitter "
                "that keeps clusters together, like GroupKFold"
            )
    if len(parts) < 2:
        raise ValueError("cv makes fewer than two folds")
    for number, (fitted, held) in enumerate(parts):
        is_fitted_here = not isinstance(model, list)
        _check_fold(number, rows, fitted, held, is_fitted_here and is_classifier(model))
    return parts


def _check_fold(number: int, rows: Rows, fitted: Numbers, held: Numbers, of_classes: bool) -> None:
    """Refuse a fold that scores what it fits to, or without weight, or with an unknown class."""
    if (both := np.intersect1d(fitted, held)).size:
        raise ValueError(
            f"fold {number} of cv scores {len(both)} rows that it fits to (first: row {both[0]}): "
            "give rows that the model has not seen"
        )
    for what, part in (("fits to", fitted), ("scores", held)):
        if rows.weights is not None and not rows.weights[part].any():
            raise ValueError(
                f"fold {number} of cv {what} rows whose sample_weight is 0 for all; leave rows "
                "without weight out, or take fewer folds"
            )
    if of_classes and (unseen := np.setdiff1d(rows.y[held], rows.y[fitted])).size:
        label = unseen.tolist()[0]
        raise ValueError(
            f"fold {number} of cv scores rows of the class {label!r} of y and fits to none "
            f"({int((rows.y == label).sum())} of {len(rows)} rows are of it): merge rare classes, "
            "leave their rows out, or give folds with rows of every class"
        )


def shuffled_folds(n_folds: int, stratified: bool, clustered: bool, seed: int) -> Any:
    """Return scikit-learn's splitter into random folds, by classes and by clusters if needed."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    kinds = {
        (False, False): KFold,
        (True, False): StratifiedKFold,
        (False, True): GroupKFold,
        (True, True): StratifiedGroupKFold,
    }
    return kinds[stratified, clustered](n_folds, shuffle=True, random_state=seed)


def _is_fold(part: Any, n_rows: int) -> bool:
    """Return whether this is a pair of arrays of row numbers."""
    if isinstance(part, str) or not hasattr(part, "__len__") or len(part) != 2:
        return False
    arrays = [np.asarray(rows) for rows in part]
    return all(
        rows.ndim == 1
        and len(rows) > 0
        and rows.dtype.kind in "iu"
        and bool(((rows >= 0) & (rows < n_rows)).all())
        for rows in arrays
    )


def fitted_models(model: Any, rows: Rows, parts: Sequence[tuple[Numbers, Numbers]]) -> list[Any]:
    """Return copies of a model fitted to the rows of each fold, or the list that is given."""
    from sklearn.base import clone

    if not isinstance(model, list):
        try:
            return [fit_copy(clone(model), rows.take(train)) for train, _ in parts]
        except (TypeError, ValueError) as error:
            raise with_missing_rows(error, model, rows.table) from error
    if len(model) != len(parts):
        raise ValueError(
            f"model is a list of {len(model)} models for {len(parts)} folds; give the fitted model "
            "of each fold"
        )
    return list(model)


def fit_copy(copy: Any, rows: Rows) -> Any:
    """Fit an unfitted model to ``rows``, with their weights where they have some."""
    from sklearn.utils.validation import has_fit_parameter

    X = rows.table.rows()
    if rows.weights is None:
        return copy.fit(X, rows.y)
    steps, last = [], copy
    while hasattr(last, "steps"):  # of a Pipeline, that of its last step
        step, last = last.steps[-1]
        steps.append(step)
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(
            f"{type(copy).__name__} takes no sample_weight, so that it cannot be fitted again as "
            "the rows weigh; leave sample_weight or cv out"
        )
    return copy.fit(X, rows.y, **{"__".join([*steps, "sample_weight"]): rows.weights})


def are_of_the_fit(model: Any, rows: Rows, y: FloatArray) -> bool:
    """Return whether a fitted model was, for certain, fitted to exactly these rows.

    Random forests, trees and gradient boosting of scikit-learn, losaw's forests, ranger's and
    xgboost's boosters can tell, also at the end of a Pipeline or inside a search. ``y`` has
    numbers, or positions in the model's classes.
    """
    last: Any = model
    if rows.table.is_plain and hasattr(model, "predict_encoded"):
        last, given = getattr(model, "model_", None), model.encode(rows.table.codes)
    else:
        given = rebuild_for(model, rows.table)(rows.table.codes)
    last = unwrapped(last)
    while hasattr(last, "steps"):
        given, last = last[:-1].transform(given), unwrapped(last[-1])
    if hasattr(last, "feature_of_column_"):  # encodes the columns for its forest
        given, last = last.encode(given), last.forest_
    confirmed = 0
    for splits in _confirmed_splits(last, given, y):
        if splits is None:
            return False
        confirmed += splits
        if confirmed >= _SPLITS:
            return True
    return False


def _confirmed_splits(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    """Yield for one tree after the other its splits, or None if it was grown on other rows."""
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if hasattr(model, "in_bag_counts"):
        inner = getattr(model, "forest_", model)
        rows = model.numeric_rows(given) if hasattr(model, "numeric_rows") else np.asarray(given)
        same = rows.shape == (inner.n_samples, inner.n_features)
        yield from _of_bags(model, rows, y, model.in_bag_counts() if same else None)
    elif hasattr(model, "get_booster"):
        yield from _of_xgboost(model, given, y)
    elif type(model).__module__.startswith("sklearn.") and getattr(model, "n_outputs_", 1) == 1:
        rows = np.asarray(given.toarray() if hasattr(given, "toarray") else given)
        if isinstance(model, GradientBoostingClassifier | GradientBoostingRegressor):
            yield from _of_boosting(model, rows, y)
        elif isinstance(model, (*random_forests(), DecisionTreeClassifier, DecisionTreeRegressor)):
            yield from _of_bags(model, rows, y, _in_bag(model, len(y)))


def _in_bag(model: Any, n_rows: int) -> NDArray[np.int64] | None:
    """How often rows are in the sample of each tree of scikit-learn; None for other rows."""
    if not getattr(model, "bootstrap", False):
        return np.ones((len(getattr(model, "estimators_", [model])), n_rows), dtype=np.int64)
    if model.estimators_[0].tree_.n_node_samples[0] > n_rows:  # one tree alone had more rows
        return None
    samples = model.estimators_samples_
    if model.max_samples is None and len(samples[0]) != n_rows:
        return None
    return None if max(sample.max() for sample in samples) >= n_rows else counts_of(samples, n_rows)


def _of_bags(
    model: Any, rows: NDArray[Any], y: FloatArray, in_bag: NDArray[np.int64] | None
) -> Iterator[int | None]:
    """Compare the leaves of trees that were grown on bags of rows, or on all of them."""
    if in_bag is None:
        yield None
        return
    for tree in grown_trees(model, rows, in_bag):
        # Monotone trees hold the means of their rows in the root alone.
        is_monotone = getattr(model, "monotonic_cst", None) is not None
        # Weights of classes decide the draw of bags, or weigh their rows (scikit-learn 1.7).
        weights = (1.0, _class_weights(model, y, tree.in_bag))
        same = any(_holds(tree, y, weight, is_monotone) for weight in weights)
        yield int(tree.is_leaf.sum()) - 1 if same else None


def _class_weights(model: Any, y: FloatArray, in_bag: NDArray[Any]) -> Any:
    """Return what the rows (n_rows,) weigh by ``class_weight``, up to a factor; 1 without it."""
    given = getattr(model, "class_weight", None)
    if given is None:
        return 1.0
    classes = y.astype(np.intp)
    if isinstance(given, str):
        counted = in_bag if given == "balanced_subsample" else None
        return 1 / np.maximum(np.bincount(classes, counted), 1)[classes]
    return np.array([given.get(label, 1.0) for label in model.classes_])[classes]


def _holds(tree: GrownTree, y: FloatArray, weights: Any = 1.0, by_root: bool = False) -> bool:
    """Return whether the leaves have as many rows as in the fit, and the same means of y.

    With ``by_root`` the mean of the root alone is compared.
    """
    is_leaf = tree.is_leaf
    if not np.array_equal(tree.sizes_of_rows()[is_leaf], tree.size[is_leaf]):
        return False
    node = np.zeros_like(tree.leaf) if by_root else tree.leaf
    counts = tree.in_bag * weights
    found = np.bincount(node, counts, minlength=len(tree.size))
    n_outcomes = tree.mean.shape[1]
    outcomes = y[:, None] if n_outcomes == 1 else y[:, None] == np.arange(n_outcomes)
    reached, tolerance = found > 0, _TOLERANCE * (np.ptp(outcomes) if n_outcomes == 1 else 1.0)
    for values, mean in zip(outcomes.T, tree.mean.T, strict=True):
        total = np.bincount(node, counts * values, minlength=len(found))
        means = total[reached] / found[reached]
        if not np.allclose(means, mean[reached], rtol=_TOLERANCE, atol=tolerance or _TOLERANCE):
            return False
    return True


def _of_boosting(model: Any, rows: NDArray[Any], y: FloatArray) -> Iterator[int | None]:
    """Compare the first tree's leaves, which hold what a constant leaves of y, then sizes alone."""
    if model.estimators_.shape[1] != 1 or model.subsample < 1:
        return
    hessian = y.mean() * (1 - y.mean()) if hasattr(model, "classes_") else 1.0
    if hessian == 0 or model.loss not in ("squared_error", "log_loss"):
        return
    scaled = (y - y.mean()) / hessian
    known: set[Any] = set()
    for number, estimator in enumerate(model.estimators_[:, 0]):
        (tree,) = grown_trees(estimator, rows, np.ones((1, len(y))))
        is_leaf = tree.is_leaf
        if number == 0:
            same = _holds(tree, scaled)
        else:
            same = np.array_equal(tree.sizes_of_rows()[is_leaf], tree.size[is_leaf])
        if not same:
            yield None
            return
        # A split that another tree has as well says nothing new.
        inner = tree.tree
        splits = set(zip(inner.feature[~is_leaf], inner.threshold[~is_leaf], strict=True))
        yield len(splits - known)
        known |= splits


def _of_xgboost(model: Any, given: Any, y: FloatArray) -> Iterator[int | None]:
    """Compare the first tree's leaves with their sums of y, then the sizes of squared error's.

    Before the first tree every row has one Hessian h, so that the cover H of a leaf of N rows is
    h N; its value v = -eta G / (H + lambda), with G = N b - sum of y, is linear in N, v H and v.
    """
    import xgboost

    booster = model.get_booster()
    kind = json.loads(booster.save_config())["learner"]["gradient_booster"]["name"]
    is_of_trees = kind != "gblinear" and booster.num_boosted_rounds() > 0
    if len(getattr(model, "classes_", ())) > 2 or not is_of_trees:
        return
    trees = booster[: min(_SPLITS, booster.num_boosted_rounds())]
    table = trees.trees_to_dataframe()
    missing = getattr(model, "missing", None)
    missing = np.nan if missing is None else missing
    data = xgboost.DMatrix(given, missing=missing, enable_categorical=True)
    # An array has no names, also where the model was fitted to a frame.
    leaves_of_trees = trees.predict(data, pred_leaf=True, validate_features=False)
    nodes = np.asarray(leaves_of_trees).reshape(len(y), -1).astype(int)
    known: set[Any] = set()
    for number, node in enumerate(nodes.T):
        of_tree = table[table["Tree"] == number]
        is_leaf = of_tree["Feature"] == "Leaf"
        leaves, inner = of_tree[is_leaf], of_tree[~is_leaf]
        places = leaves["Node"].to_numpy()
        count = np.bincount(node, minlength=places.max() + 1)[places].astype(float)
        cover, value = leaves["Cover"].to_numpy(), leaves["Gain"].to_numpy()
        if (count == 0).any() or np.ptp(cover / count) > _TOLERANCE * (cover / count).max():
            # Other objectives have other Hessians from the second tree on.
            yield None if number == 0 else 0
            return
        if number == 0:
            total = np.bincount(node, y, minlength=places.max() + 1)[places]
            design = np.column_stack([count, value * cover, value])
            fitted = design @ np.linalg.lstsq(design, total, rcond=None)[0]
            if np.abs(total - fitted).max() > 1e-3 * max(np.abs(total).max(), 1e-300):
                yield None
                return
        splits = set(zip(inner["Feature"], inner["Split"], strict=True))
        yield len(splits - known)
        known |= splits

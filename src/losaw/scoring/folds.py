"""Fitted models and the rows that they score: the given model on all rows, or one for each fold."""

import warnings
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.rng import seed_integer
from losaw.scoring.losses import asked_loss
from losaw.scoring.model import Model, read_model, with_missing_rows
from losaw.scoring.rows import Rows, ScoringOptions
from losaw.support.arguments import ArgumentTypeError
from losaw.support.models import inside, task_of
from losaw.tables.groups import Units
from losaw.trees.view import is_sample

Numbers = NDArray[np.intp]
SEEN = "not tested: the model was fitted to these rows"
WARNING = (
    "the model was fitted to these rows: losses of rows that a model remembers are no measure of "
    "what it needs, and are not tested. Give rows that it has not seen, or cv=5 to fit it in folds"
)
ALIKE = (
    "not tested: {} has one value within every fold, so that to exchange it there changes nothing"
)


class Fit(NamedTuple):
    """A fitted model on the rows that it is scored on."""

    model: Model
    train: Numbers | None  # the rows that it was fitted to; None: it was given
    held: Numbers  # the rows that it is scored on
    seen: bool = False  # whether in-bag counts of a given forest prove that it was fitted to them


def fits(
    model: Any,
    rows: Rows,
    options: ScoringOptions,
    cv: Any,
    rng: np.random.Generator,
    test: str = "t",
    seed: int | None = None,
) -> list[Fit]:
    """Return the given model on all rows, or with ``cv`` a model fitted for each fold.

    With pairs of row numbers as ``cv`` the model may be a list, of the fitted model of each fold.
    Models without a seed have ``seed``, None: one of ``rng``.
    """
    task = task_of(model)
    predicts = ("predict", "predict_proba", "predict_encoded")
    if not isinstance(model, list) and not any(hasattr(model, name) for name in predicts):
        raise ArgumentTypeError(
            f"model must have predict or predict_proba, got {model!r:.60}; of a function make the "
            "predict of a class"
        )
    name, loss = asked_loss(options.loss, options.scoring, model, task)
    options = options._replace(loss=name)
    if cv is None:
        if isinstance(model, list):
            raise ValueError(
                f"model is a list of {len(model)} models; give the folds that they were fitted in, "
                "cv=[(rows of the fit, rows to score), …], or one model"
            )
        subject = read_model(model, rows, options, loss)
        seen = is_sample(model, rows.table, rows.y)
        if seen:
            warnings.warn(WARNING, stacklevel=3)
        return [Fit(subject, None, np.arange(len(rows)), seen)]
    if test != "t":
        raise ValueError(
            f"test={test!r} takes the rows for independent, which rows of models with "
            "common training rows are not; with cv= use test='t'"
        )
    pairs = folds(cv, model, rows, rng, task)
    models = fitted_models(model, rows, pairs, seed_for_copies(rng) if seed is None else seed)
    return [
        Fit(read_model(fitted, rows.take(held), options, loss), train, held)
        for fitted, (train, held) in zip(models, pairs, strict=True)
    ]


def with_units(models: Sequence[Fit], units: Units) -> list[Fit]:
    """Return the models with these features and groups, all of them scored."""
    scored = np.arange(len(units.names))
    return [fit._replace(model=replace(fit.model, units=units, scored=scored)) for fit in models]


def alike_features(models: Sequence[Fit], rows: Rows) -> NDArray[np.bool_]:
    """Return which features vary, but have one value within every fold, (n_features,)."""
    codes = rows.table.codes
    within = np.all([_is_constant(codes[fit.held]) for fit in models], axis=0)
    return np.asarray(within & ~_is_constant(codes))


def alike_notes(models: Sequence[Fit], rows: Rows, *, groups_only: bool = False) -> dict[str, str]:
    """Return notes on scored units that exchanges within a fold leave as they are, or in part."""
    subject, alike = models[0].model, alike_features(models, rows)
    notes = {}
    for name, unit in zip(subject.names, subject.members, strict=True):
        if alike[unit].any() and not (groups_only and len(unit) == 1):
            what = "it" if len(unit) == 1 else rows.table.names[unit[alike[unit]][0]]
            notes[name] = ALIKE.format(what)
    return notes


def _is_constant(codes: FloatArray) -> NDArray[np.bool_]:
    is_first = (codes == codes[:1]) | (np.isnan(codes) & np.isnan(codes[:1]))
    return np.asarray(is_first.all(axis=0))


def folds(
    cv: Any, model: Any, rows: Rows, rng: np.random.Generator, task: str
) -> list[tuple[Numbers, Numbers]]:
    """Rows to fit to, and rows held out, of every fold.

    ``cv`` is a splitter of scikit-learn, pairs of row numbers, or a number of shuffled folds,
    stratified by class, in which clusters stay together.
    """
    from sklearn.model_selection import check_cv

    if isinstance(cv, type):
        raise ArgumentTypeError(f"cv must be a splitter, got the class; make one: {cv.__name__}()")
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
        stratified, clustered = task == "classification", clusters is not None
        cv = shuffled_folds(int(cv), stratified, clustered, seed_integer(rng))
    try:
        pairs = list(cv if is_list else check_cv(cv).split(rows.table.codes, rows.y, clusters))
    except ValueError as error:
        if "groups" not in str(error):
            raise ValueError(f"cv={cv!r} cannot divide these rows and y: {error}") from error
        raise ValueError(
            f"cv={cv!r} needs the group of every row: give clusters=, one label for each row"
        ) from error
    for number, fold in enumerate(pairs):
        if not _is_fold(fold, len(rows)):
            raise ValueError(
                f"fold {number} of cv must be a pair of arrays of row numbers from 0 to "
                f"{len(rows) - 1}, the rows to fit to and the rows to score, got {fold!r}; or give "
                "a number of folds, as in cv=5"
            )
    pairs = [(np.asarray(a, dtype=np.intp), np.asarray(b, dtype=np.intp)) for a, b in pairs]
    for fitted, held in pairs:
        if clusters is not None and np.intersect1d(clusters[fitted], clusters[held]).size:
            raise ValueError(
                f"cv={cv!r} separates rows of one cluster; give a number of folds, or a splitter "
                "that keeps clusters together, like GroupKFold"
            )
    if len(pairs) < 2:
        raise ValueError("cv makes fewer than two folds")
    for number, (fitted, held) in enumerate(pairs):
        fits_classes = task == "classification" and not isinstance(model, list)
        _check_fold(number, rows, fitted, held, fits_classes)
    return pairs


def _check_fold(number: int, rows: Rows, fitted: Numbers, held: Numbers, of_classes: bool) -> None:
    """Refuse a fold that scores what it fits to, or without weight, or of too few classes."""
    if (both := np.intersect1d(fitted, held)).size:
        raise ValueError(
            f"fold {number} of cv scores {len(both)} rows that it fits to (first: row {both[0]}): "
            "give rows that the model has not seen"
        )
    once, times = np.unique(held, return_counts=True)
    if (times > 1).any():
        raise ValueError(
            f"fold {number} of cv scores row {once[times > 1][0]} more than once; name every row "
            "once, or weigh rows by sample_weight"
        )
    for what, rows_of_fold in (("fits to", fitted), ("scores", held)):
        if rows.weights is not None and not rows.weights[rows_of_fold].any():
            raise ValueError(
                f"fold {number} of cv {what} rows whose sample_weight is 0 for all; leave rows "
                "without weight out, or take fewer folds"
            )
    if of_classes and len(known := np.unique(rows.y[fitted])) < 2:
        raise ValueError(
            f"fold {number} of cv fits to rows of the class {known.tolist()[0]!r} of y alone; give "
            "folds with rows of every class"
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


def _is_fold(fold: Any, n_rows: int) -> bool:
    """Return whether this is a pair of arrays of row numbers."""
    if isinstance(fold, str) or not hasattr(fold, "__len__") or len(fold) != 2:
        return False
    arrays = [np.asarray(rows) for rows in fold]
    return all(
        rows.ndim == 1
        and len(rows) > 0
        and rows.dtype.kind in "iu"
        and bool(((rows >= 0) & (rows < n_rows)).all())
        for rows in arrays
    )


def seed_for_copies(rng: np.random.Generator) -> int:
    """A seed for models without one, which leaves ``rng`` as it is.

    A spawned generator would not do: it depends on what was spawned before, not on the state.
    """
    drawn = int(deepcopy(rng).integers(2**63))
    return int(np.random.default_rng([drawn, 1]).integers(2**31))


def unfitted(model: Any, seed: int | None) -> Any:
    """An unfitted copy of a model, in which every part without a seed has this one.

    A generator gives way to a number that it would draw next: copies of the copy are then equal.
    Raises a ValueError for a model with a part that is fitted and stays so, and for one that
    scikit-learn cannot clone.
    """
    from sklearn.base import clone

    _require_unfrozen(model)
    try:
        copy = clone(model)
    except RuntimeError as error:
        raise ValueError(
            f"{type(model).__name__} cannot be copied to be fitted again "
            f"({' '.join(str(error).split())[:150]}); fit it in each fold yourself and give "
            "model=[the fitted model of each fold] and cv=[(rows of the fit, rows to score), …] "
            "to cpi or pfi, or one fitted model and rows that it has not seen"
        ) from error
    parameters = copy.get_params()
    states = {n: v for n, v in parameters.items() if n.endswith("random_state")}
    seeds = {n: _seed_of(v, seed) for n, v in states.items() if v is None or hasattr(v, "bytes")}
    copy.set_params(**seeds)
    for inner in parameters.values():  # splitters that shuffle, which have no parameters
        if hasattr(inner, "split") and getattr(inner, "random_state", 0) is None:
            inner.random_state = seed
    return copy


def _seed_of(random_state: Any, seed: int | None) -> int | None:
    """Return the seed in place of None, or of a generator, which stays as it is."""
    if random_state is None:
        return seed
    return int.from_bytes(deepcopy(random_state).bytes(4), "little") % 2**31


def _require_unfrozen(model: Any) -> None:
    """Raise a ValueError for a model of which a part would not be fitted again."""
    from sklearn.base import clone

    if not hasattr(model, "get_params") or isinstance(model, type):
        return
    parameters = model.get_params()
    for inner in (model, *parameters.values()):
        is_own = hasattr(inner, "__sklearn_clone__") and not isinstance(inner, type)
        if is_own and clone(inner) is inner:
            raise _frozen(f"{type(inner).__name__} is frozen", model)
    for name, value in parameters.items():
        last = name.rpartition("__")[2]
        if (last == "cv" and isinstance(value, str) and value == "prefit") or (
            last == "prefit" and value is True
        ):
            raise _frozen(f"{name}={value!r} takes a model that is fitted already", model)


def _frozen(reason: str, model: Any) -> ValueError:
    return ValueError(
        f"{type(model).__name__} cannot be fitted again: {reason}, to rows that may be those that "
        "are scored. Give the estimator inside, or leave cv out and give rows that it has not seen"
    )


def fitted_models(
    model: Any,
    rows: Rows,
    pairs: Sequence[tuple[Numbers, Numbers]],
    seed: int,
) -> list[Any]:
    """Return copies of a model fitted to the rows of each fold, or the list that is given."""
    if not isinstance(model, list):
        copies = [unfitted(model, seed) for _ in pairs]
        try:
            return [
                fit_copy(copy, rows.take(train))
                for copy, (train, _) in zip(copies, pairs, strict=True)
            ]
        except (TypeError, ValueError) as error:
            raise with_missing_rows(error, model, rows.table) from error
    if len(model) != len(pairs):
        raise ValueError(
            f"model is a list of {len(model)} models for {len(pairs)} folds; give the fitted model "
            "of each fold"
        )
    return list(model)


def fit_copy(copy: Any, rows: Rows) -> Any:
    """Fit an unfitted model to ``rows``, with their weights where they have some."""
    from sklearn import get_config
    from sklearn.utils.validation import has_fit_parameter

    X = rows.table.rows()
    if rows.weights is None:
        return copy.fit(X, rows.y)
    last = inside(copy)
    if not has_fit_parameter(last.model, "sample_weight"):
        raise ValueError(
            f"{type(copy).__name__} takes no sample_weight, so that it cannot be fitted again as "
            "the rows weigh; leave sample_weight or cv out"
        )
    # With routing the Pipeline gives them to the steps that request them.
    path = () if get_config()["enable_metadata_routing"] else last.path
    return copy.fit(X, rows.y, **{"__".join([*path, "sample_weight"]): rows.weights})

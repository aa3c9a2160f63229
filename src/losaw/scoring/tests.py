"""From differences in loss of single rows to scores with tests: of one model, or over folds.

A method gives a function ``differences(model, train, held)``; :func:`tested` calls it once for each
fold, in order, or once for a model that was fitted before.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.rng import seed_integer
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.model_on_table import ModelOnTable, model_on_table
from losaw.scoring.one_sided_tests import BOUND_OF, Tested, adjust, one_sided_test, t_test
from losaw.scoring.predictor import with_missing_rows
from losaw.scoring.rows import Options, Rows
from losaw.scoring.seen_rows import SEEN, WARNING, are_of_the_fit
from losaw.support.outcomes import is_classifier

CROSS_FITTED = (
    "over folds, corrected for the training rows that they share (Nadeau and Bengio 2003)"
)
_FEW = 20  # effective rows

Numbers = NDArray[np.intp]


class Differences(NamedTuple):
    """The losses and scores of one fitted model.

    Attributes
    ----------
    rows : array of shape (n_rows, n_units) or None
        Increase in loss of every row; None: the score is not a mean over rows.
    scores : array of shape (n_units,) or None
        None: the mean over rows.
    details : dict
        Arrays that are averaged over folds. "repeats" (n_repeats, n_units) are the scores whose
        spread is the error of a model that is not fitted in folds; such scores have no test.
    """

    rows: FloatArray | None
    scores: FloatArray | None = None
    details: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Testing:
    """The test of the differences, with the parameters of :func:`losaw.importance.cpi`."""

    test: str = "t"
    adjustment: str = "none"
    level: float = 0.95
    error_kind: str = "over rows, the fitted model held fixed"
    method: str = ""
    is_mean: bool = True  # of a score that is a mean over rows; a ratio is none


class Fit(NamedTuple):
    """A fitted model on the rows that it is scored on.

    Attributes
    ----------
    model : ModelOnTable
    train : int array or None
        Numbers of the rows that it was fitted to; None: it was given.
    held : int array
        Numbers of the rows that it is scored on.
    seen : bool
        Whether the given model was, for certain, fitted to them.
    """

    model: ModelOnTable
    train: Numbers | None
    held: Numbers
    seen: bool = False


def fits(
    model: Any, rows: Rows, options: Options, cv: Any, rng: np.random.Generator, test: str = "t"
) -> list[Fit]:
    """Return the given model on all rows, or with ``cv`` a model fitted for each fold.

    Parameters
    ----------
    model : predictor, or with ``cv`` a list of the fitted model of each fold
    cv : None, or as :func:`folds` takes it

    Raises
    ------
    ValueError
        With ``cv`` for another test than Student's, fewer than two folds, or a list with another
        number of models.
    """
    if cv is None:
        subject = model_on_table(model, rows, options)
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
        Fit(model_on_table(fitted, rows.take(held), options), train, held)
        for fitted, (train, held) in zip(models, parts, strict=True)
    ]


def fitted_models(model: Any, rows: Rows, parts: Sequence[tuple[Numbers, Numbers]]) -> list[Any]:
    """Return copies of a model fitted to the rows of each fold, or the list that is given."""
    if not isinstance(model, list):
        try:
            return [refit(model, rows.take(train)) for train, _ in parts]
        except (TypeError, ValueError) as error:
            raise with_missing_rows(error, model, rows.table) from error
    if len(model) != len(parts):
        raise ValueError(
            f"model is a list of {len(model)} models for {len(parts)} folds; give the fitted model "
            "of each fold"
        )
    return list(model)


def tested(
    differences: Callable[[ModelOnTable, Numbers | None, Numbers], Differences],
    fits: Sequence[Fit],
    rows: Rows,
    testing: Testing,
    rng: np.random.Generator,
) -> ImportanceResult:
    """Score the models one after the other, and test the mean of their scores.

    One model is tested over its rows. Over J folds (of all repetitions), with the scores' sample
    variance s^2 over them, and n_2 and n_1 rows held out and trained on, the squared standard
    error is

        (1 / J + n_2 / n_1) s^2,   with J - 1 degrees of freedom

    (Nadeau & Bengio 2003): folds share training rows, and the plain s^2 / J is too small.

    Parameters
    ----------
    differences : callable
        ``differences(model, train, held)`` of a :class:`Fit`.
    rows : Rows
        All rows.
    """
    if len(fits) == 1:
        found = differences(fits[0].model, None, fits[0].held)
        if "repeats" in found.details:
            return _repeated(found, fits[0], testing)
    if rows.weights is not None:
        _check_effective_number(rows.weights, rows.clusters)
    if len(fits) == 1:
        if fits[0].seen:
            untested = dict.fromkeys(fits[0].model.names, SEEN)
            found = found._replace(details={**found.details, "notes": untested})
        return _held_out(found, fits[0].model, testing, rng)
    parts: list[Differences] = []
    scores = []
    total, count = np.zeros((len(rows), len(fits[0].model.scored))), np.zeros(len(rows))
    for model, train, held, _ in fits:
        found = differences(model, train, held)
        parts.append(found._replace(rows=None))
        scores.append(
            found.scores if found.scores is not None else model.mean(np.asarray(found.rows))
        )
        if found.rows is not None:
            total[held] += found.rows
            count[held] += 1
    ratio = float(
        np.mean([len(held) / len(train) for _, train, held, _ in fits if train is not None])
    )
    mean, error, freedom = nadeau_bengio(np.array(scores, dtype=float), ratio)
    tests = [
        t_test(average, spread, freedom, testing.level)
        for average, spread in zip(mean, error, strict=True)
    ]
    details = _joined_details(parts)
    details["fold_scores"] = np.array(scores)
    with np.errstate(invalid="ignore"):
        of_rows = total / count[:, None] if count.any() else None
    factor = np.sqrt((1 / len(fits) + ratio) / freedom)
    deviations = factor * (np.array(scores) - mean)
    return _result(
        fits[0].model, replace(testing, error_kind=CROSS_FITTED), mean, error, tests, details,
        of_rows, freedom, deviations,
    )  # fmt: skip


def _held_out(
    differences: Differences, subject: ModelOnTable, testing: Testing, rng: np.random.Generator
) -> ImportanceResult:
    """Scores and tests of one model on rows that it has not seen."""
    rows = np.asarray(differences.rows, dtype=float)  # a model may predict in long doubles
    clusters, freedom = subject.rows.clusters, float(len(rows) - 1)
    for name, given in (("sample_weight", subject.weights), ("clusters", clusters)):
        if given is not None and testing.test != "t":
            raise ValueError(f"{name} is not defined for test={testing.test!r}; use test='t'")
    if subject.weights is None and clusters is None:
        scores = rows.mean(axis=0)
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        deviations = (rows - scores) / np.sqrt(len(rows) * freedom)
        tests = [one_sided_test(column, testing.test, testing.level, rng) for column in rows.T]
    else:
        scores = subject.mean(rows)
        deviations, freedom = _deviations(rows - scores, subject.weights, clusters)
        error = np.sqrt((deviations**2).sum(axis=0))
        if clusters is not None:
            kind = testing.error_kind.replace("rows", "clusters of rows")
            testing = replace(testing, error_kind=kind)
        tests = [
            t_test(mean, spread, freedom, testing.level)
            for mean, spread in zip(scores, error, strict=True)
        ]
    details = dict(differences.details)
    return _result(subject, testing, scores, error, tests, details, rows, freedom, deviations)


def _deviations(
    deviations: FloatArray, weights: FloatArray | None, clusters: NDArray[np.intp] | None
) -> tuple[FloatArray, float]:
    """Return what rows, or clusters, add to the linearised error of a mean; degrees of freedom.

    The squares of a column sum to the squared error. Deviations from the mean are summed over
    clusters; without clusters every row is one. With weights the degrees of freedom are those of
    the effective number of rows, or clusters.
    """
    n_rows = n = float(len(deviations))
    sums = deviations if weights is None else weights[:, None] * deviations
    if clusters is not None:
        # Rows of a test need not have all clusters.
        _, numbers = np.unique(clusters, return_inverse=True)
        of_rows, n = sums, numbers.max() + 1.0
        sums = np.zeros((numbers.max() + 1, deviations.shape[1]))
        np.add.at(sums, numbers, of_rows)
    if weights is not None:
        n = effective_number(weights, clusters)
    return np.asarray(np.sqrt(n / (n - 1)) / n_rows * sums), n - 1


def effective_number(weights: FloatArray, clusters: NDArray[np.intp] | None = None) -> float:
    """Return Kish's effective number of rows, or of clusters: (sum w)^2 / sum w^2."""
    if clusters is not None:
        of_clusters = np.bincount(np.unique(clusters, return_inverse=True)[1], weights)
        weights = of_clusters.astype(float)
    return float(weights.sum() ** 2 / (weights**2).sum())


def _check_effective_number(weights: FloatArray, clusters: NDArray[np.intp] | None) -> None:
    """Refuse a test with weights that rests on a single row, or cluster, and warn of few."""
    what = "rows" if clusters is None else "clusters"
    effective = effective_number(weights, clusters)
    said = f"sample_weight leaves {effective:.1f} effective {what} of {len(weights)} rows"
    if effective < 2:
        raise ValueError(f"{said}; at least 2 are needed: cap the largest weights")
    if effective < _FEW:
        warnings.warn(
            f"{said}: tests on fewer than {_FEW} find little, and keep their level only roughly; "
            "cap the largest weights, or give more rows",
            stacklevel=4,
        )


def _repeated(found: Differences, fit: Fit, testing: Testing) -> ImportanceResult:
    """Scores of one model with their error over repeats, ``details["repeats"]``; no test.

    Repeats share rows and model, and say nothing of another sample.
    """
    subject, repeats = fit.model, found.details["repeats"]
    several = len(repeats) > 1
    deviations = None
    if found.rows is not None and testing.is_mean and not fit.seen:
        centred = found.rows - subject.mean(found.rows)
        deviations, _ = _deviations(centred, subject.weights, subject.rows.clusters)
    return ImportanceResult(
        np.asarray(found.scores),
        subject.names,
        std_error=repeats.std(axis=0, ddof=1) / np.sqrt(len(repeats)) if several else None,
        std_error_kind=testing.error_kind if several else None,
        details=dict(found.details),
        method=testing.method,
        kinds=subject.kinds,
        degrees_of_freedom=len(repeats) - 1 if several else None,
        rows=found.rows,
        deviations=deviations,
    )


def _joined_details(parts: Sequence[Differences]) -> dict[str, Any]:
    """Arrays as their means over folds; notes that hold in every fold."""
    details: dict[str, Any] = {}
    for name, first in parts[0].details.items():
        values = [part.details[name] for part in parts]
        if name == "notes":
            details[name] = {k: v for k, v in first.items() if all(k in note for note in values)}
        else:
            details[name] = np.mean(values, axis=0)
    return details


def nadeau_bengio(scores: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray, int]:
    """Mean, standard error and degrees of freedom of scores (n_folds, n_units).

    Parameters
    ----------
    ratio : float
        Rows held out over rows trained on.
    """
    n_folds = len(scores)
    error = scores.std(axis=0, ddof=1) * np.sqrt(1 / n_folds + ratio)
    return scores.mean(axis=0), error, n_folds - 1


def folds(
    cv: Any, model: Any, rows: Rows, rng: np.random.Generator
) -> list[tuple[Numbers, Numbers]]:
    """Rows to fit to, and rows held out, of every fold.

    Parameters
    ----------
    cv : int, splitter of scikit-learn, or iterable of pairs of row numbers
        An int makes shuffled folds, stratified by class, in which clusters stay together.
    """
    from sklearn.model_selection import check_cv

    clusters = rows.clusters
    if isinstance(cv, int):
        unit = "rows" if clusters is None else "clusters"
        most = len(rows) if clusters is None else len(np.unique(clusters))
        if not 2 <= cv <= most:
            raise ValueError(
                f"cv must be from 2 to the number of {unit} ({most}), or None for rows that "
                f"the model has not seen, got {cv!r}"
            )
        one = model[0] if isinstance(model, list) and model else model
        cv = shuffled_folds(cv, is_classifier(one), clusters is not None, seed_integer(rng))
    try:
        is_list = isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")
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
    """Refuse a fold without weight, and one with a class that its model never saw."""
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


def refit(model: Any, rows: Rows) -> Any:
    """A copy of ``model`` fitted to ``rows``, with their weights where it takes them."""
    from sklearn.base import clone

    return fit_copy(clone(model), rows)


def fit_copy(copy: Any, rows: Rows) -> Any:
    """Fit an unfitted model to ``rows``, with their weights; see :func:`refit`."""
    X = rows.table.rows()
    if rows.weights is None:
        return copy.fit(X, rows.y)
    name = weight_parameter(copy)
    if name is None:
        raise ValueError(
            f"{type(copy).__name__} takes no sample_weight, so that it cannot be fitted again as "
            "the rows weigh; leave sample_weight or cv out"
        )
    return copy.fit(X, rows.y, **{name: rows.weights})


def weight_parameter(model: Any) -> str | None:
    """Return the name of ``sample_weight`` in the fit of a model or Pipeline; None without it."""
    from sklearn.utils.validation import has_fit_parameter

    name, last = "sample_weight", model
    while hasattr(last, "steps"):
        step, last = last.steps[-1]
        name = f"{step}__{name}"
    return name if has_fit_parameter(last, "sample_weight") else None


def _result(
    subject: ModelOnTable,
    testing: Testing,
    scores: FloatArray,
    error: FloatArray,
    tests: list[Tested],
    details: dict[str, Any],
    rows: FloatArray | None,
    freedom: float,
    deviations: FloatArray,
) -> ImportanceResult:
    notes = details.pop("notes", {})
    tests = [
        Tested(np.nan, np.nan) if name in notes else tested
        for name, tested in zip(subject.names, tests, strict=True)
    ]
    raw = np.array([tested.p_value for tested in tests])
    adjusted = adjust(raw, testing.adjustment)
    return ImportanceResult(
        np.asarray(scores),
        subject.names,
        std_error=np.asarray(error),
        std_error_kind=testing.error_kind,
        p_values=adjusted,
        details={
            "lower": np.array([tested.lower for tested in tests]),
            "lower_of": BOUND_OF[testing.test],
            "raw_p_values": raw,
            **details,
        },
        method=testing.method,
        kinds=subject.kinds,
        degrees_of_freedom=freedom,
        rows=rows,
        deviations=deviations,
        notes=notes,
    )

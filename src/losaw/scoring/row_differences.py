"""From differences of single rows, of one model or of cross-fitted ones, to scores with tests."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from losaw.scoring.rows import Options, Rows
from losaw.support.outcomes import is_classifier

CROSS_FITTED = (
    "over folds, corrected for the training rows that they share (Nadeau and Bengio 2003)"
)


class Differences(NamedTuple):
    """The losses and scores of one fitted model.

    Attributes
    ----------
    rows : array of shape (n_rows, n_units)
        Increase in loss of every row.
    scores : array of shape (n_units,) or None
        None: the mean over rows.
    details : dict
        Arrays that are averaged over folds.
    """

    rows: FloatArray
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
    null: float = 0.0


_FEW = 20  # effective rows
Of = Callable[[ModelOnTable, Rows | None], Differences]


def hold_out(
    differences: Differences, subject: ModelOnTable, testing: Testing, rng: np.random.Generator
) -> ImportanceResult:
    """Scores and tests of one model on rows that it has not seen."""
    rows = differences.rows
    clusters, freedom = subject.rows.clusters, float(len(rows) - 1)
    for name, given in (("sample_weight", subject.weights), ("clusters", clusters)):
        if given is not None and testing.test != "t":
            raise ValueError(f"{name} is not defined for test={testing.test!r}; use test='t'")
    if subject.weights is not None:
        _check_effective_number(subject.weights, clusters)
    if subject.weights is None and clusters is None:
        scores = rows.mean(axis=0)
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        tests = [one_sided_test(column, testing.test, testing.level, rng) for column in rows.T]
    else:
        scores = subject.mean(rows)
        error, freedom = _error_of_mean(rows - scores, subject.weights, clusters)
        if clusters is not None:
            kind = testing.error_kind.replace("rows", "clusters of rows")
            testing = replace(testing, error_kind=kind)
        tests = [
            t_test(mean, spread, freedom, testing.level)
            for mean, spread in zip(scores, error, strict=True)
        ]
    return _result(
        subject, testing, scores, error, testing.error_kind, tests, dict(differences.details), rows,
        freedom,
    )  # fmt: skip


def _error_of_mean(
    deviations: FloatArray, weights: FloatArray | None, clusters: NDArray[np.intp] | None
) -> tuple[FloatArray, float]:
    """Return the linearised error of a weighted mean, and its degrees of freedom.

    Deviations from the mean are summed over clusters; without clusters every row is one. With
    weights the degrees of freedom are those of the effective number of rows, or clusters.
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
    return np.asarray(np.sqrt(n / (n - 1) * (sums**2).sum(axis=0)) / n_rows), n - 1


def effective_number(weights: FloatArray, clusters: NDArray[np.intp] | None = None) -> float:
    """Return Kish's effective number of rows, or of clusters: (sum w)^2 / sum w^2."""
    if clusters is not None:
        weights = np.bincount(np.unique(clusters, return_inverse=True)[1], weights)
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


def repeated(differences: Differences, subject: ModelOnTable, testing: Testing) -> ImportanceResult:
    """Scores of one model with their error over repeats, ``details["repeats"]``; no test.

    Repeats share rows and model, and say nothing of another sample.
    """
    repeats = differences.details["repeats"]
    several = len(repeats) > 1
    return ImportanceResult(
        np.asarray(differences.scores),
        subject.names,
        std_error=repeats.std(axis=0, ddof=1) / np.sqrt(len(repeats)) if several else None,
        std_error_kind=testing.error_kind if several else None,
        details=dict(differences.details),
        method=testing.method,
        kinds=subject.kinds,
        degrees_of_freedom=len(repeats) - 1 if several else None,
        rows=differences.rows,
    )


def cross_fitted(
    of: Of,
    model: Any,
    rows: Rows,
    options: Options,
    cv: Any,
    testing: Testing,
    rng: np.random.Generator,
    fit: Callable[[Rows], Any] | None = None,
) -> ImportanceResult:
    """The mean over folds, each with the model fitted to the others, and a test of it.

    With J folds (of all repetitions), the scores' sample variance s^2 over them, and n_2 and n_1
    rows held out and trained on, the squared standard error is

        (1 / J + n_2 / n_1) s^2,   with J - 1 degrees of freedom

    (Nadeau & Bengio 2003): folds share training rows, and the plain s^2 / J is too small.

    Parameters
    ----------
    model : estimator, or list of fitted models
        A list has the model of every fold, in their order; otherwise copies of it are fitted.
    fit : callable or None
        From the training rows of each fold, in order, to a fitted model.

    Raises
    ------
    ValueError
        For another test than Student's.
    """
    if testing.test != "t":
        raise ValueError(
            f"test={testing.test!r} takes the rows for independent, which rows of models with "
            "common training rows are not; with cv= use test='t'"
        )
    given = iter(model) if isinstance(model, list) else None
    parts: list[Differences] = []
    scores, sizes = [], []
    total, count = None, np.zeros(len(rows))
    for fitted, held in folds(cv, model, rows, rng):
        train = rows.take(fitted)
        if given is not None:
            of_train = next(given)
        else:
            of_train = refit(model, train) if fit is None else fit(train)
        fold = model_on_table(of_train, rows.take(held), options)
        of_fold = of(fold, train)
        parts.append(of_fold)
        scores.append(fold.mean(of_fold.rows) if of_fold.scores is None else of_fold.scores)
        total = np.zeros((len(rows), len(fold.scored))) if total is None else total
        total[held] += of_fold.rows
        count[held] += 1
        sizes.append(len(held) / len(fitted))
    if total is None or len(parts) < 2:
        raise ValueError("cv makes fewer than two folds")
    mean, error, freedom = nadeau_bengio(np.array(scores), float(np.mean(sizes)))
    tests = [
        t_test(average, spread, freedom, testing.level)
        for average, spread in zip(mean, error, strict=True)
    ]
    details = joined_details(parts)
    details["fold_scores"] = np.array(scores)
    shown = replace(fold, rows=rows)
    with np.errstate(invalid="ignore"):
        differences = total / count[:, None]
    return _result(shown, testing, mean, error, CROSS_FITTED, tests, details, differences, freedom)


def joined_details(parts: Sequence[Differences]) -> dict[str, Any]:
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
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
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
        cv = shuffled_folds(cv, is_classifier(model), clusters is not None, seed_integer(rng))
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
    return iter(parts)


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
    """A copy of ``model`` fitted to ``rows``, with their weights where it takes them.

    Raises
    ------
    ValueError
        If the rows have weights and the model takes none.
    """
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
    error_kind: str,
    tests: list[Tested],
    details: dict[str, Any],
    rows: FloatArray,
    freedom: float,
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
        std_error_kind=error_kind,
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
        notes=notes,
    )

"""From differences in loss of single rows to scores with tests: of one model, or over folds.

A method has a function ``differences(fit)``; :func:`infer` calls it once for each fold, in
order, or once for a model that was fitted before.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.scoring.folds import SEEN, Fit
from losaw.scoring.many_tests import ADJUSTMENTS, adjust
from losaw.scoring.model import Model
from losaw.scoring.result import ImportanceResult
from losaw.scoring.rows import Rows
from losaw.support.arguments import one_of

CROSS_FITTED = (
    "over folds, corrected for the training rows that they share (Nadeau and Bengio 2003)"
)
ROWS_AND_FITS = (
    "over rows, as they take and give values, and over fits to other rows (the spread of folds)"
)
TAKEN_AND_GIVEN = "over test rows, as they take and give values, the fitted model held fixed"
NO_SPREAD = "not tested: every {} scores it alike, so that there is no error to test against"
_FEW = 20  # effective rows
TestName = Literal["t", "wilcoxon", "binomial", "fisher"]
TEST_NAMES: tuple[str, ...] = get_args(TestName)
_N_FLIPS = 1999
_MOST_SIGNS = 1_000_000  # at once, which take 24 MB


class Differences(NamedTuple):
    """The losses and scores of one fitted model."""

    # Increase in loss of every row (n_rows, n_units); None: the score is not a mean over rows.
    rows: FloatArray | None
    scores: FloatArray | None = None  # (n_units,); None: the mean over rows
    # Arrays that are averaged over folds. "repeats" (n_repeats, n_units) are the scores of single
    # permutations; without folds such scores have no test.
    details: Mapping[str, Any] = MappingProxyType({})
    # What values add to the score in rows that took them, by the row that gave them, among all
    # rows (n_rows, n_units): see :func:`added_by_donors`. None: values come from no other rows.
    donated: FloatArray | None = None


@dataclass(frozen=True)
class Inference:
    """How scores are tested and compared, with parameters of :func:`losaw.importance.cpi`."""

    test: str = "t"
    adjustment: str = "none"
    error_kind: str = "over rows, the fitted model held fixed"
    method: str = ""
    # Whether rows tell how scores compare: not those of a ratio, nor of knockoffs fitted to them.
    compares: bool = True
    notes: Mapping[str, str] = field(default_factory=dict)  # units that folds cannot test


def infer(
    differences: Callable[[Fit], Differences],
    fits: Sequence[Fit],
    rows: Rows,
    inference: Inference,
    rng: np.random.Generator,
) -> ImportanceResult:
    """Score the models one after the other, and test the mean of their scores.

    One model is tested over its rows. Over J folds (of all repetitions), with the scores' sample
    variance s^2 over them, and n_2 and n_1 rows held out and trained on, the squared standard
    error is

        (1 / J + n_2 / n_1) s^2,   with J - 1 degrees of freedom

    (Nadeau & Bengio 2003): folds share training rows, and the plain s^2 / J is too small.

    This error is of the p-values, which ask whether a score is 0. ``std_error``, and with it
    intervals and ranks, ask how large it is, and counts the rows that gave values
    (:func:`added_by_donors`). Over folds its square is that of the rows plus n_2 / n_1 s^2, where
    scores are means over rows.
    """
    check_effective_number(rows)
    if len(fits) > 1:
        return _cross_fitted(differences, fits, rows, inference)
    measured = differences(fits[0])
    if "repeats" in measured.details:
        return _repeated(measured, fits[0], inference)
    if fits[0].seen:
        untested = dict.fromkeys(fits[0].model.names, SEEN)
        measured = measured._replace(details={**measured.details, "notes": untested})
    return _held_out(measured, fits[0].model, inference, rng)


def _cross_fitted(
    differences: Callable[[Fit], Differences], fits: Sequence[Fit], rows: Rows, inference: Inference
) -> ImportanceResult:
    """Scores of the models of all folds, and tests of their mean."""
    details_of_folds: list[Differences] = []
    scores = []
    total, count = np.zeros((len(rows), len(fits[0].model.scored))), np.zeros(len(rows))
    influence, share = np.zeros_like(total), np.zeros((len(rows), 1))
    for fit in fits:
        measured = differences(fit)
        details_of_folds.append(measured._replace(rows=None, donated=None))
        means = measured.scores
        scores.append(fit.model.mean(np.asarray(measured.rows)) if means is None else means)
        if measured.rows is not None:
            total[fit.held] += measured.rows
            count[fit.held] += 1
            # Folds count alike; in each, rows as they weigh.
            weights = 1.0 if fit.model.weights is None else fit.model.weights[:, None]
            row_weights = weights / (len(fits) * len(fit.held)) * np.ones((len(fit.held), 1))
            share[fit.held] += row_weights
            influence[fit.held] += row_weights * measured.rows
            if measured.donated is not None:
                influence += measured.donated / (len(fits) * len(fit.held))
    ratio = float(
        np.mean([len(fit.held) / len(fit.train) for fit in fits if fit.train is not None])
    )
    mean, error, freedom = nadeau_bengio(np.array(scores, dtype=float), ratio)
    tests = t_tests(mean, error, freedom)
    details = _joined_details(details_of_folds)
    alike = _without_spread(mean, error, fits[0].model.names, "fold")
    details["notes"] = details.get("notes", {}) | alike | {**inference.notes}
    details |= {"fold_scores": np.array(scores), "test_error": error}
    with np.errstate(invalid="ignore"):
        of_rows = total / count[:, None] if count.any() else None
    deviations = np.sqrt((1 / len(fits) + ratio) / freedom) * (np.array(scores) - mean)
    spread, kind = error, CROSS_FITTED
    if inference.compares and count.any():
        sums = len(rows) * (influence - share * mean)
        # Without the factor of exchange_deviations: what rows give is centred within a fold, and
        # the spread of folds is one of clusters too (intervals over 2 to 10 covered in .99).
        within, _ = mean_deviations(sums, None, rows.clusters)
        of_fits = np.sqrt(ratio / (1 / len(fits) + ratio)) * deviations
        deviations = np.vstack([within, of_fits])
        spread, kind = np.sqrt((deviations**2).sum(axis=0)), ROWS_AND_FITS
    return _result(
        fits[0].model, replace(inference, error_kind=kind), mean, spread, tests, details, of_rows,
        freedom, deviations,
    )  # fmt: skip


def _held_out(
    differences: Differences, subject: Model, inference: Inference, rng: np.random.Generator
) -> ImportanceResult:
    """Scores and tests of one model on rows that it has not seen."""
    rows = np.asarray(differences.rows, dtype=float)  # a model may predict in long doubles
    clusters = subject.rows.clusters
    for name, values in (("sample_weight", subject.weights), ("clusters", clusters)):
        if values is not None and inference.test != "t":
            raise ValueError(f"{name} is not defined for test={inference.test!r}; use test='t'")
    scores = subject.mean(rows)
    deviations, freedom = mean_deviations(rows - scores, subject.weights, clusters)
    if subject.weights is None and clusters is None:
        error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        tests = np.array([one_sided_test(column, inference.test, rng) for column in rows.T])
    else:
        error = np.sqrt((deviations**2).sum(axis=0))
        inference = replace(inference, error_kind=_of_clusters(inference.error_kind, clusters))
        tests = t_tests(scores, error, freedom)
    details = dict(differences.details)
    if inference.test == "t":
        unit = "row" if clusters is None else "cluster"
        alike = _without_spread(scores, error, subject.names, unit)
        details["notes"] = alike | details.get("notes", {})
    compared = None
    if inference.compares:
        compared, _ = exchange_deviations(
            rows - scores, subject.weights, clusters, differences.donated
        )
    if compared is not None and differences.donated is not None:
        error = np.sqrt((compared**2).sum(axis=0))
        inference = replace(inference, error_kind=_of_clusters(TAKEN_AND_GIVEN, clusters))
    return _result(subject, inference, scores, error, tests, details, rows, freedom, compared)


def _of_clusters(kind: str, clusters: NDArray[np.intp] | None) -> str:
    return kind if clusters is None else kind.replace("rows", "clusters of rows")


def _without_spread(
    scores: FloatArray, error: FloatArray, names: Sequence[str], unit: str
) -> dict[str, str]:
    """Return a note for every score above 0 without an error; t would be infinite, and p be 0."""
    alike = np.flatnonzero((scores > 0) & (error <= 1e-12 * scores))
    return {names[j]: NO_SPREAD.format(unit) for j in alike.tolist()}


def added_by_donors(
    changes: FloatArray, donors: NDArray[np.intp], weights: FloatArray | None, n_rows: int
) -> FloatArray:
    """Return what the values of each row change in the rows that take them, (n_rows, n_units),

        g_k = sum over i with donors_i = k of w_i (D_i - mean of D),

    of changes D in loss and ``donors`` (n_taking, n_units). A score is as uncertain for the values
    that were put in as for the rows that took them: its error is that of d_k + g_k, where d_k is
    row k's own deviation.
    """
    centred = changes - np.average(changes, axis=0, weights=weights)
    sums = centred if weights is None else weights[:, None] * centred
    columns = zip(donors.T, sums.T, strict=True)
    return np.column_stack(
        [np.bincount(rows, changes_of_unit, n_rows) for rows, changes_of_unit in columns]
    )


def mean_deviations(
    deviations: FloatArray,
    weights: FloatArray | None,
    clusters: NDArray[np.intp] | None,
    donated: FloatArray | None = None,
) -> tuple[FloatArray, float]:
    """Return what rows, or clusters, add to the linearised error of a mean; degrees of freedom.

    The squares of a column sum to the squared error. Deviations from the mean are summed over
    clusters; without clusters every row is one. With weights the degrees of freedom are those of
    the effective number of rows, or clusters. ``donated`` is of :func:`added_by_donors`.
    """
    n_rows = n = float(len(deviations))
    sums = deviations if weights is None else weights[:, None] * deviations
    if donated is not None:
        sums = sums + donated
    if clusters is not None:
        # Rows of a test need not have all clusters.
        _, numbers = np.unique(clusters, return_inverse=True)
        of_rows, n = sums, numbers.max() + 1.0
        sums = np.zeros((numbers.max() + 1, deviations.shape[1]))
        np.add.at(sums, numbers, of_rows)
    if weights is not None:
        n = effective_number(weights, clusters)
    return np.asarray(np.sqrt(n / (n - 1)) / n_rows * sums), n - 1


def exchange_deviations(
    deviations: FloatArray,
    weights: FloatArray | None,
    clusters: NDArray[np.intp] | None,
    donated: FloatArray | None,
) -> tuple[FloatArray, float]:
    """Return :func:`mean_deviations` of rows that take values from other rows, or clusters.

    None takes from itself, so that of n parts d_k and g_k cancel to (n - 2) / (n - 1) of their sum;
    the jackknife's error is without this factor. Of two parts each gives what the other takes:
    nothing is left, and the error is not known (NaN). Parts of unequal weight or size are as few as
    their effective number. By a permutation a cluster also takes from itself: the error is then on
    the safe side, and right of a feature with one value in each cluster.
    """
    summed, freedom = mean_deviations(deviations, weights, clusters, donated)
    if donated is None:
        return summed, freedom
    n = effective_number(np.ones(len(deviations)) if weights is None else weights, clusters)
    if n < 2 + 1e-9:
        return np.where(deviations.any(axis=0), np.nan, summed), freedom
    if n > len(deviations) - 1e-6:  # single rows of equal weight are many
        return summed, freedom
    return summed * (n - 1) / (n - 2), freedom


def effective_number(weights: FloatArray, clusters: NDArray[np.intp] | None = None) -> float:
    """Return Kish's effective number of rows, or of clusters: (sum w)^2 / sum w^2."""
    if clusters is not None:
        of_clusters = np.bincount(np.unique(clusters, return_inverse=True)[1], weights)
        weights = of_clusters.astype(float)
    return float(weights.sum() ** 2 / (weights**2).sum())


def check_effective_number(rows: Rows) -> None:
    """Refuse a test with weights that rests on a single row, or cluster, and warn of few."""
    if rows.weights is None:
        return
    what = "rows" if rows.clusters is None else "clusters"
    effective = effective_number(rows.weights, rows.clusters)
    few = f"sample_weight leaves {effective:.1f} effective {what} of {len(rows)} rows"
    if effective < 2:
        raise ValueError(f"{few}; at least 2 are needed: cap the largest weights")
    if effective < _FEW:
        warnings.warn(
            f"{few}: tests on fewer than {_FEW} find little, and keep their level only roughly; "
            "cap the largest weights, or give more rows",
            stacklevel=4,
        )


def _repeated(measured: Differences, fit: Fit, inference: Inference) -> ImportanceResult:
    """Scores of one model with their error over rows, ``details["repeats"]`` apart; no test."""
    subject, repeats = fit.model, measured.details["repeats"]
    error, deviations, freedom = None, None, None
    if measured.rows is not None and inference.compares and not fit.seen:
        centred = measured.rows - subject.mean(measured.rows)
        clusters = subject.rows.clusters
        deviations, freedom = exchange_deviations(
            centred, subject.weights, clusters, measured.donated
        )
        error = np.sqrt((deviations**2).sum(axis=0))
    details = dict(measured.details)
    if len(repeats) > 1:
        details["permutation_error"] = repeats.std(axis=0, ddof=1) / np.sqrt(len(repeats))
    inference = replace(inference, error_kind=_of_clusters(TAKEN_AND_GIVEN, subject.rows.clusters))
    return _result(
        subject, inference, np.asarray(measured.scores), error, None, details,
        measured.rows, freedom, deviations,
    )  # fmt: skip


def _joined_details(folds: Sequence[Differences]) -> dict[str, Any]:
    """Arrays as their means over folds; notes that hold in every fold."""
    details: dict[str, Any] = {}
    for name, first in folds[0].details.items():
        values = [fold.details[name] for fold in folds]
        if name == "notes":
            details[name] = {k: v for k, v in first.items() if all(k in note for note in values)}
        else:
            details[name] = np.mean(values, axis=0)
    return details


def nadeau_bengio(scores: FloatArray, ratio: float) -> tuple[FloatArray, FloatArray, int]:
    """Mean, standard error and degrees of freedom of scores (n_folds, n_units).

    ``ratio`` is that of the rows held out to the rows trained on.
    """
    n_folds = len(scores)
    error = scores.std(axis=0, ddof=1) * np.sqrt(1 / n_folds + ratio)
    return scores.mean(axis=0), error, n_folds - 1


def _result(
    subject: Model,
    inference: Inference,
    scores: FloatArray,
    error: FloatArray | None,
    raw: FloatArray | None,
    details: dict[str, Any],
    rows: FloatArray | None,
    freedom: float | None,
    deviations: FloatArray | None,
) -> ImportanceResult:
    notes = details.pop("notes", {})
    if raw is not None:
        raw = np.where([name in notes for name in subject.names], np.nan, raw)
        details = {"raw_p_values": raw, **details}
    return ImportanceResult(
        scores,
        subject.names,
        std_error=error,
        std_error_kind=None if error is None else inference.error_kind,
        p_values=None if raw is None else adjust(raw, inference.adjustment),
        details=details,
        method=inference.method,
        kinds=subject.kinds,
        degrees_of_freedom=freedom,
        rows=rows,
        deviations=deviations,
        deviations_freedom=freedom,
        notes=notes,
    )


def check_test(test: str, adjustment: str) -> None:
    """Raise a ValueError for the name of a test or an adjustment that does not exist."""
    one_of("test", test, TEST_NAMES)
    one_of("adjustment", adjustment, ADJUSTMENTS)


def one_sided_test(differences: FloatArray, test: str, rng: np.random.Generator) -> float:
    """p-value of the test whether differences (n_samples,) are larger than 0.

    - ``t``: mean > 0, Student's t;
    - ``wilcoxon``: signed ranks, zeros dropped; normal approximation above 50 rows;
    - ``binomial``: more positive than negative differences, zeros dropped;
    - ``fisher``: mean against 1,999 random flips of the signs, counted with the observed one.

    1 if all differences are 0, whatever the test: nothing speaks for the feature.
    """
    return _RUNNERS[test](differences, rng) if differences.any() else 1.0


def t_tests(mean: FloatArray, error: FloatArray, freedom: float) -> FloatArray:
    """p-values of one-sided t-tests of means > 0 with their standard errors."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = stdtr(freedom, -mean / error)
    return np.where(error == 0, mean <= 0, p_values)


def _t(differences: FloatArray, rng: np.random.Generator) -> float:
    n = len(differences)
    error = differences.std(ddof=1) / np.sqrt(n)
    return float(t_tests(differences.mean(), error, n - 1))


def _wilcoxon(differences: FloatArray, rng: np.random.Generator) -> float:
    from scipy.stats import rankdata, wilcoxon

    kept = differences[differences != 0]
    if len(kept) > 50:
        return float(wilcoxon(kept, alternative="greater", method="approx").pvalue)
    # Exact with ties too: the law of the sum of twice the ranks, signs at random.
    ranks, law = np.rint(2 * rankdata(np.abs(kept))).astype(int), np.ones(1)
    for rank in ranks:
        law = (np.pad(law, (0, rank)) + np.pad(law, (rank, 0))) / 2
    return float(law[ranks[kept > 0].sum() :].sum())


def _binomial(differences: FloatArray, rng: np.random.Generator) -> float:
    from scipy.stats import binomtest

    n_positive, n = int((differences > 0).sum()), int((differences != 0).sum())
    return float(binomtest(n_positive, n, alternative="greater").pvalue)


def _fisher(differences: FloatArray, rng: np.random.Generator) -> float:
    n_rows, mean = len(differences), float(differences.mean())
    # Flips that leave the mean as it is count, though their sum is rounded in another order.
    least = mean - 1e-12 * float(np.abs(differences).mean())
    at_least, together = 0, max(1, _MOST_SIGNS // n_rows)
    for first in range(0, _N_FLIPS, together):
        signs = rng.integers(0, 2, (min(together, _N_FLIPS - first), n_rows)) * 2.0 - 1.0
        at_least += int((signs @ differences / n_rows >= least).sum())
    return (1 + at_least) / (1 + _N_FLIPS)


_RUNNERS = {"t": _t, "wilcoxon": _wilcoxon, "binomial": _binomial, "fisher": _fisher}

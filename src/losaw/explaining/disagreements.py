"""Associations of features, and the features about which methods disagree.

For a squared loss and the best model f of independent features,

    PFI_j = CPI_j = 2 LOCO_j,    of any features  CPI_j = 2 E Var(f(X) | X_-j) = 2 LOCO_j,

so that a departure from these equations has a reason. Each kind of disagreement is one contrast of
two methods, fold by fold; a feature is named if the contrast is above 0, and so is the score that
the sentence starts from, at a false discovery rate over all contrasts of all features.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.design import METHODS
from losaw.explaining.scores import LEVEL, Unit, jackknife_error
from losaw.importance.group_tree import association_strengths, average_linkage, group_name
from losaw.rng import as_generator
from losaw.scoring.many_tests import adjust
from losaw.scoring.result import ImportanceResult
from losaw.scoring.tests import nadeau_bengio, t_tests
from losaw.support.words import decimal
from losaw.tables import read_table

MEASURE = (
    "numbers: Spearman's rank correlation; a number and a factor: correlation ratio of the ranks, "
    "corrected for the number of levels; two factors: Cramér's V, bias-corrected; all from 0 to 1"
)
# Features with a larger association on average are one group.
GROUPED_ABOVE = 0.5
# A partner is named if its association is at least this.
_NAMED_FROM = 0.3


@dataclass(frozen=True)
class Associations:
    """Associations of all pairs of features."""

    names: tuple[str, ...]
    strength: FloatArray  # (n_features, n_features), from 0 to 1, see ``MEASURE``
    # By name: clusters of two or more features at a mean association above ``GROUPED_ABOVE``.
    groups: dict[str, list[str]]

    def nearest(self, name: str) -> str:
        """Return the end of a sentence: the features that are most associated with a given one.

        No test shows that these contain what all others together contain.
        """
        row = self.strength[self.names.index(name)].copy()
        row[self.names.index(name)] = 0.0
        # A second one is named only where it is nearly as close as the first.
        least = max(_NAMED_FROM, 0.9 * row.max())
        nearest = [j for j in np.argsort(-row, kind="stable")[:2] if row[j] >= least]
        named = " and ".join(f"{self.names[j]} ({decimal(row[j])})" for j in nearest)
        return f"; it is most associated with {named}" if named else ""


def associations(
    X: object, kinds: Sequence[str], random_state: int | np.random.Generator | None = None
) -> Associations:
    """Associations and groups of the columns of a frame, from at most 10,000 rows.

    Missing numbers are set to the median.
    """
    from scipy.cluster.hierarchy import fcluster

    table = read_table(X, kinds=kinds)  # type: ignore[arg-type]
    strength = association_strengths(table, as_generator(random_state))
    if len(strength) < 2:
        return Associations(table.names, strength, {})
    linkage = average_linkage(strength)
    cluster: NDArray[np.int32] = fcluster(linkage, 1.0 - GROUPED_ABOVE, criterion="distance")
    groups = {}
    for number in dict.fromkeys(cluster.tolist()):
        members = [table.names[j] for j in np.flatnonzero(cluster == number)]
        if len(members) > 1:
            groups[group_name(members)] = members
    return Associations(table.names, strength, groups)


class Contrast(NamedTuple):
    """A contrast of two methods, first - factor * second - margin, and its sentence.

    ``text`` is filled with both scores in words, of the feature, and the names of its partners.
    """

    kind: str
    first: str
    second: str
    factor: float
    margin: float
    text: str


# Shares of the loss, and of what all splits gained, that are worth a word.
CONTRASTS = (
    Contrast(
        "shared", "pfi", "cpi", 2.0, 0.0, "{first}, {second}: the model uses it, but {rest}{near}."
    ),
    Contrast(
        "seen rows", "mdi", "ufi", 2.0, 0.02,
        "{first}, {second}: most of what its splits gained on the training rows is not found again "
        "on unseen rows.",
    ),
    Contrast(
        "recovered", "cpi", "loco", 4.0, 0.0,
        "{first}, {second}: the fitted model relies on it, but a model refitted without it "
        "recovers most of that from the other features.",
    ),
    Contrast(
        "needed", "loco", "cpi", 1.0, 0.01,
        "{first}, {second}: a model that is refitted without it loses more than the fitted model "
        "does when only the part of it is shuffled that the others cannot supply.",
    ),
)  # fmt: skip
_SHARED = "all other features together contain most of the same information"
_NOTHING = "it is not shown to add anything to all other features together"


class Disagreement(NamedTuple):
    """A feature on which two methods disagree, and the contrast that shows it."""

    kind: str  # that of the contrast
    feature: str
    text: str
    contrast: float  # what is tested to be above 0
    p_value: float  # adjusted over all contrasts (Benjamini and Hochberg)


def disagreements(
    results: Mapping[str, ImportanceResult],
    related: Associations,
    fdr: float,
    untrusted: Collection[Unit] = (),
    selected: Collection[str] = (),
) -> list[Disagreement]:
    """The disagreements between methods, at a false discovery rate over contrasts and features.

    No sentence rests on the CPI of ``untrusted`` features, whose draws fail their test, and
    none says that nothing of a ``selected`` one is shown.
    """
    compared = [c for c in CONTRASTS if c.first in results and c.second in results]
    tested = [(c, *_tested(c, results)) for c in compared]
    if not tested:
        return []
    p_values = np.array([p for _, _, p in tested])
    adjusted = adjust(p_values.ravel(), "benjamini-hochberg").reshape(p_values.shape)
    found = []
    for (contrast, value, _), own in zip(tested, adjusted, strict=True):
        first, second = results[contrast.first], results[contrast.second]
        needs_cpi = "cpi" in (contrast.first, contrast.second)
        raw = second.details.get("raw_p_values", np.ones(len(own)))
        shown = [second, results["loco"]] if "loco" in results else [second]
        tested_ones = [result for result in shown if "raw_p_values" in result.details]
        named = {*selected, *(name for result in tested_ones for name in result.select(fdr=fdr))}
        for j in np.argsort(-value, kind="stable"):
            name = first.feature_names[j]
            if own[j] <= fdr and not (needs_cpi and (name,) in untrusted):
                text = f"{name}: " + contrast.text.format(
                    first=_said(first, j, contrast.first),
                    second=_said(second, j, contrast.second),
                    rest=_SHARED if raw[j] <= LEVEL or name in named else _NOTHING,
                    near=related.nearest(name),
                )
                found.append(
                    Disagreement(contrast.kind, name, text, float(value[j]), float(own[j]))
                )
    return found


def _tested(
    contrast: Contrast, results: Mapping[str, ImportanceResult]
) -> tuple[FloatArray, FloatArray]:
    """Return the values of a contrast, and one-sided p-values of both conditions."""
    first, second = results[contrast.first], results[contrast.second]
    folds = np.asarray(first.details["fold_scores"]) - contrast.margin
    folds = folds - contrast.factor * np.asarray(second.details["fold_scores"])
    n_folds = len(folds)
    if METHODS[contrast.first].is_tested:
        value, error, freedom = nadeau_bengio(folds, 1.0 / (n_folds - 1))
    else:  # shares of overlapping samples, which have no test of their own
        value, error, freedom = folds.mean(axis=0), jackknife_error(folds), n_folds - 1
    p_values = t_tests(value, error, freedom)
    return value, np.maximum(p_values, first.details.get("raw_p_values", 0.0))


def _said(result: ImportanceResult, j: int, method: str) -> str:
    error = "" if result.std_error is None else f" (± {decimal(float(result.std_error[j]))})"
    return f"{METHODS[method].label} {decimal(float(result.scores[j]))}{error}"

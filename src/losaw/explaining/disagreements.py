"""Sentences on features about which methods disagree, where the difference is significant.

For a squared loss and the best model f of independent features,

    PFI_j = CPI_j = 2 LOCO_j,    of any features  CPI_j = 2 E Var(f(X) | X_-j) = 2 LOCO_j,

so that a departure from these equations has a reason. Each kind of disagreement is one contrast of
two methods, fold by fold; a feature is named if the contrast is above 0, and so is the score that
the sentence starts from, at a false discovery rate over all contrasts of all features.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from losaw.data import FloatArray
from losaw.explaining.association import Associations
from losaw.explaining.computing import jackknife_error
from losaw.explaining.curves import Curve
from losaw.explaining.methods import METHODS
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.one_sided_tests import adjust, t_test
from losaw.scoring.row_differences import nadeau_bengio

# Shares of the loss, and of what all splits gained, that are worth a word; a rate that is no trend.
_LOSS_WORTH_A_WORD = 0.01
_WORTH_A_WORD, _NO_DIRECTION = 0.02, 1 / 3
# The only axis without CPI, where CPI was computed.
_SEEN = "seen or unseen rows"


class Disagreement(NamedTuple):
    """A feature on which two methods disagree, and the contrast that shows it.

    Attributes
    ----------
    axis : str
        ``"marginal or conditional"``, ``"seen or unseen rows"``, ``"refitted or fixed"``,
        ``"importance or direction"``.
    feature : str
    text : str
    contrast : float
        What is tested to be above 0.
    p_value : float
        Adjusted over all contrasts (Benjamini and Hochberg).
    """

    axis: str
    feature: str
    text: str
    contrast: float
    p_value: float


@dataclass(frozen=True)
class _Contrast:
    """A contrast of two methods: values and one-sided p-values by feature, and its sentence."""

    axis: str
    names: tuple[str, ...]
    value: FloatArray
    p_values: FloatArray
    text: Callable[[int], str]


def disagreements(
    results: dict[str, ImportanceResult],
    related: Associations,
    fdr: float,
    n_folds: int,
    curves: Mapping[str, Curve],
    recognised: frozenset[str] = frozenset(),
) -> list[Disagreement]:
    """The disagreements between methods, feature by feature.

    Parameters
    ----------
    results : dict of method to ImportanceResult
        With ``details["fold_scores"]``.
    related : Associations
        With the names of the sentences.
    fdr : float
        False discovery rate over all contrasts and features.
    n_folds : int
    curves : dict of feature to Curve
    recognised : frozenset of str
        Features whose draws of CPI are not trusted: no sentence rests on their CPI.
    """
    contrasts = _contrasts(results, related, n_folds, curves)
    if not contrasts:
        return []
    adjusted = adjust(np.concatenate([c.p_values for c in contrasts]), "benjamini-hochberg")
    significant, start = [], 0
    for contrast in contrasts:
        own = adjusted[start : start + len(contrast.names)]
        start += len(contrast.names)
        order = np.argsort(-contrast.value, kind="stable")
        significant += [
            Disagreement(
                contrast.axis, contrast.names[j], contrast.text(j), float(contrast.value[j]),
                float(own[j]),
            )
            for j in order
            if own[j] <= fdr and (contrast.names[j] not in recognised or contrast.axis == _SEEN)
        ]  # fmt: skip
    return significant


def are_compared(
    results: dict[str, ImportanceResult],
    related: Associations,
    n_folds: int,
    curves: Mapping[str, Curve],
) -> bool:
    """Return True if any two of the methods are compared at all."""
    return bool(_contrasts(results, related, n_folds, curves))


def _contrasts(
    results: dict[str, ImportanceResult],
    related: Associations,
    n_folds: int,
    curves: Mapping[str, Curve],
) -> list[_Contrast]:
    kinds = (_conditional, _seen, _refitted, _needed, partial(_direction, curves))
    made = (make(results, related, n_folds) for make in kinds)
    return [contrast for contrast in made if contrast is not None]


def _conditional(
    results: dict[str, ImportanceResult], related: Associations, n_folds: int
) -> _Contrast | None:
    """Test PFI - 2 CPI > 0: the other features account for more than half of PFI."""
    conditional = next((name for name in ("cpi", "subgroups") if name in results), None)
    if conditional is None or "pfi" not in results:
        return None
    marginal, given = results["pfi"], results[conditional]
    tested = _over_folds(_folds(marginal) - 2.0 * _folds(given), n_folds)

    def text(j: int) -> str:
        name = marginal.feature_names[j]
        rest = (
            "all other features together contain most of the same information"
            if _is_clear(given, j)
            else "it is not shown to add anything to all other features together"
        )
        return (
            f"{name}: {_said(marginal, j, 'PFI')}, {_said(given, j, METHODS[conditional].label)}: "
            f"the model uses it, but {rest}{_nearest(related, name)}."
        )

    p_values = np.maximum(tested[1], _raw(marginal))
    return _Contrast("marginal or conditional", marginal.feature_names, tested[0], p_values, text)


def _seen(
    results: dict[str, ImportanceResult], related: Associations, n_folds: int
) -> _Contrast | None:
    """Test MDI - 2 UFI > .02: more than half of MDI is not found again on unseen rows."""
    unseen = next((name for name in ("ufi", "mdi_oob") if name in results), None)
    if unseen is None or "mdi" not in results:
        return None
    seen, out = results["mdi"], results[unseen]
    folds = _folds(seen) - 2.0 * _folds(out) - _WORTH_A_WORD
    value = folds.mean(axis=0)
    p_values = _above_zero(value, jackknife_error(folds), n_folds - 1)

    def text(j: int) -> str:
        label = METHODS[unseen].label
        return (
            f"{seen.feature_names[j]}: {_said(seen, j, 'MDI')}, {_said(out, j, label)}: most of "
            "what its splits gained on the training rows is not found again on unseen rows."
        )

    return _Contrast(_SEEN, seen.feature_names, value, p_values, text)


def _refitted(
    results: dict[str, ImportanceResult], related: Associations, n_folds: int
) -> _Contrast | None:
    """Test CPI - 4 LOCO > 0: a model without the feature recovers more than half of CPI."""
    fixed = next((name for name in ("cpi", "subgroups", "pfi") if name in results), None)
    if fixed is None or "loco" not in results:
        return None
    held, again = results[fixed], results["loco"]
    value, p_values = _over_folds(_folds(held) - 4.0 * _folds(again), n_folds)
    label = METHODS[fixed].label

    def text(j: int) -> str:
        name = held.feature_names[j]
        return (
            f"{name}: {_said(held, j, label)}, {_said(again, j, 'LOCO')}: the fitted model relies "
            "on it, but a model refitted without it recovers most of that from the other features."
        )

    p_values = np.maximum(p_values, _raw(held))
    return _Contrast("refitted or fixed", held.feature_names, value, p_values, text)


def _needed(
    results: dict[str, ImportanceResult], related: Associations, n_folds: int
) -> _Contrast | None:
    """Test LOCO - CPI > .01: a refit without the feature costs more than CPI shows."""
    if "cpi" not in results or "loco" not in results:
        return None
    held, again = results["cpi"], results["loco"]
    value, p_values = _over_folds(_folds(again) - _folds(held) - _LOSS_WORTH_A_WORD, n_folds)

    def text(j: int) -> str:
        name = held.feature_names[j]
        return (
            f"{name}: {_said(again, j, 'LOCO')}, {_said(held, j, 'CPI')}: a model that is refitted "
            "without it loses more than the fitted model does when only the part of it is shuffled "
            "that the others cannot supply."
        )

    p_values = np.maximum(p_values, _raw(again))
    return _Contrast("refitted or fixed", held.feature_names, value, p_values, text)


def _direction(
    curves: Mapping[str, Curve],
    results: dict[str, ImportanceResult],
    related: Associations,
    n_folds: int,
) -> _Contrast | None:
    """Test 1/3 - |ATR| > 0, of features whose curve does not have one direction only.

    Splits below a step or along a line follow noise, and make ATR small without a turn.
    """
    tested = next((name for name in ("cpi", "loco", "pfi") if name in results), None)
    if tested is None or "atr" not in results:
        return None
    used, rate = results[tested], results["atr"]
    names = rate.feature_names
    shown = {name: curve.directions for name, curve in curves.items()}
    ordered = [
        j
        for j, name in enumerate(names)
        if np.isfinite(rate.scores[j]) and len(shown.get(name, ())) != 1
    ]
    if not ordered:
        return None
    error = np.asarray(rate.std_error)[ordered]
    value = _NO_DIRECTION - np.abs(rate.scores[ordered])
    label = METHODS[tested].label

    def text(place: int) -> str:
        j = ordered[place]
        why = (
            "its curve falls in one part of its range and rises in another"
            if shown.get(names[j])
            else "the effect may turn, or depend on other features, or many splits follow noise"
        )
        return (
            f"{names[j]}: {_said(used, j, label)}, {_said(rate, j, 'ATR')}: it matters, but its "
            f"splits show no clear direction: {why}."
        )

    p_values = np.maximum(_above_zero(value, error, n_folds - 1), _raw(used)[ordered])
    said = tuple(names[j] for j in ordered)
    return _Contrast("importance or direction", said, value, p_values, text)


def _nearest(related: Associations, name: str) -> str:
    """Return the end of a sentence: the features that are most associated with a given one.

    No test shows that these contain what all others together contain.
    """
    named = " and ".join(f"{other} ({decimal(r)})" for other, r in related.partners(name))
    return f"; it is most associated with {named}" if named else ""


def decimal(value: float) -> str:
    """Return a number with two digits behind the point, or three where two would be zero.

    No zero stands before the point, and no minus before a zero.
    """
    text = f"{value:.2f}"
    if float(text) == 0 and value != 0:
        text = f"{value:.3f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    text = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
    return text.replace("-", "−")


def _said(result: ImportanceResult, j: int, label: str) -> str:
    error = "" if result.std_error is None else f" (± {decimal(float(result.std_error[j]))})"
    return f"{label} {decimal(float(result.scores[j]))}{error}"


def _folds(result: ImportanceResult) -> FloatArray:
    return np.asarray(result.details["fold_scores"], dtype=float)


def _raw(result: ImportanceResult) -> FloatArray:
    return np.asarray(result.details["raw_p_values"], dtype=float)


def _is_clear(result: ImportanceResult, j: int) -> bool:
    """Return True if a score is above 0 at the level .05, without an adjustment."""
    p_values = result.details.get("raw_p_values")
    return p_values is not None and bool(p_values[j] <= 0.05)


def _over_folds(folds: FloatArray, n_folds: int) -> tuple[FloatArray, FloatArray]:
    """Return means of contrasts over folds and their one-sided p-values (Nadeau and Bengio)."""
    value, error, freedom = nadeau_bengio(folds, 1.0 / (n_folds - 1))
    return value, _above_zero(value, error, freedom)


def _above_zero(value: FloatArray, error: FloatArray, freedom: int) -> FloatArray:
    """Return one-sided p-values of contrasts with these errors."""
    tests = [t_test(v, e, freedom, 0.95) for v, e in zip(value, error, strict=True)]
    return np.array([test.p_value for test in tests])

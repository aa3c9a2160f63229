"""The answer of an explanation: the first sentences that a reader sees.

A test that does not reject shows nothing. So "nothing matters" is never said: where no feature is
selected, the answer is what is known of the features together, and how strong the test was.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from losaw.explaining.design import FAMILY_WISE, FOLDS, errors_needed
from losaw.explaining.methods import METHODS

# A model with a larger p-value is not shown to predict better than a constant.
LEVEL = 0.05
# A test that needs more standard errors than this for a single feature is called weak.
_WEAK = 6.0
# So many features of a group are named.
_NAMED = 8


class Answer(NamedTuple):
    """A headline, and the sentences below it."""

    head: str
    sentences: tuple[str, ...]


def answer(explanation: Any) -> Answer | None:
    """Return what the deciding method and the model say together; None without a test."""
    if explanation.deciding is None:
        return None
    method = METHODS[explanation.deciding]
    selected, n = explanation.selected, len(explanation.names)
    quality = explanation.quality.get("model")
    explains = quality is not None and quality.p_value <= LEVEL
    rate = f"a false discovery rate of {explanation.fdr:g} over {n} feature{'s' * (n > 1)}"
    asks = f"{method.label}: {method.question}"
    doubtful = (
        (
            f"The data do not decide about {', '.join(explanation.doubtful)}: the score of CPI is "
            "above 0, but its draws of such a feature can be distinguished from real values, so "
            f"that the score may be wrong. {compare_loco(explanation.results)}",
        )
        if explanation.doubtful
        else ()
    )
    if selected:
        rest = n - len(selected) - len(explanation.doubtful)
        said = [f"Each has a score above 0 at {rate}."]
        if rest:
            said.append(
                f"{rest} feature{'s are' if rest > 1 else ' is'} not selected, which does not show "
                f"that {'they do' if rest > 1 else 'it does'} not matter."
            )
        hidden = [g for g in explanation.finest if 1 < len(g) < n and not set(g) & set(selected)]
        others = [statement(group, n, explanation.doubted) for group in hidden[:2]]
        head = f"Selected by {method.label}: {', '.join(selected)}"
        head += "".join(f"; {other[0].lower()}{other[1:]}" for other in others)
        return Answer(head, (*said, *_only_in_the_tree(explanation), *doubtful, asks))
    weak = weak_test(explanation)
    nothing = f"{method.label} selects no single feature at {rate}."
    if explains and quality is not None:
        digits = ".0f" if quality.share >= 0.01 else ".1g"  # found, and therefore not 0
        share = f"{100 * quality.share:{digits}} % of the variation of unseen rows"
        found = f"{explanation.model} explains {share} (p {p_text(quality.p_value)})"
        if n == 1:
            together = head = f"{explanation.names[0]} predicts {explanation.target}"
        else:
            together = "The features together matter"
            head = f"{together}, but no single one is selected"
        if explanation.statements:
            head = explanation.statements[0]
        said = [f"{together}: {found}.", nothing, *_only_in_the_tree(explanation)]
        if n > 1 and explanation.deciding != "pfi":
            said.append(
                "Features that contain the same information hide each other from this test."
            )
        # A statement on a group is a finding, whatever the test of single features can do.
        first = head if explanation.statements else weak or head
        said += [weak] if weak and first is not weak else []
        return Answer(first, (*said, *doubtful, asks))
    stated = explanation.statements
    head = stated[0] if stated else weak or "These data do not decide which features matter"
    said = [nothing, *_only_in_the_tree(explanation)]
    said += [weak] if stated and weak else []
    if quality is not None:
        said.append(
            f"{explanation.model[0].upper()}{explanation.model[1:]} is not shown to predict unseen "
            "rows better than a constant"
            + ("." if stated else ", so that its importances say little.")
        )
    return Answer(head, (*said, *doubtful, asks))


def _only_in_the_tree(explanation: Any) -> list[str]:
    """Reconcile the tests of groups, which name single features, with the one that selects none."""
    alone = {group[0] for group in explanation.finest if len(group) == 1}
    named = sorted(alone - set(explanation.selected) - explanation.recognised)
    if not named:
        return []
    it = "them" if len(named) > 1 else "it"
    return [
        f"Two tests differ about {', '.join(named)}: those of groups, from all features together "
        f"down to single ones, find that {'each' if len(named) > 1 else 'it'} matters (family-wise "
        f"error {FAMILY_WISE:g}); the one of all single features at once does not select {it}."
    ]


def compare_loco(results: Mapping[str, object]) -> str:
    """Return the advice on a feature whose draws cannot be trusted."""
    return "Compare LOCO." if "loco" in results else "Compare LOCO, which this run left out."


def in_words(explanation: Any, name: str) -> str:
    """Return what is known of one feature, in a sentence that a layman can quote."""
    target = explanation.target
    # A group with a selected feature says less of the others than their own sentence.
    selected = set(explanation.selected)
    groups = (g for g in explanation.finest if name in g and len(g) > 1)
    group = next((g for g in groups if not selected & set(g)), ())
    pfi = explanation.results.get("pfi")
    if name in explanation.recognised:
        return (
            f"Whether {name} helps to predict {target} beyond the other features is open: what it "
            "was compared with is not realistic enough."
        )
    if name in explanation.selected and explanation.deciding == "pfi":
        return f"{name} helps the model to predict {target}."
    if name in explanation.selected or (name,) in explanation.finest:
        given = ", even when all other features are known" if len(explanation.names) > 1 else ""
        return f"{name} helps to predict {target}{given}."
    doubted = explanation.doubted
    if len(group) < len(explanation.names) and doubted & {group, *group}:
        return (
            f"{name} is in a group of {len(group)} features. Whether one of them helps to predict "
            f"{target} beyond all others is open: what they were compared with is not realistic "
            "enough."
        )
    if group and len(group) < len(explanation.names):
        return (
            f"{name} is in a group of {len(group)} features, at least one of which helps to "
            f"predict {target}; the data do not tell which."
        )
    if pfi is not None and len(explanation.names) > 1 and name in explanation.selected_by("pfi"):
        return (
            f"The model uses {name} to predict {target}; it is not shown to help once the other "
            "features are known."
        )
    return f"These data do not show that {name} helps to predict {target}."


def statement(
    group: tuple[str, ...],
    n_features: int,
    doubted: frozenset[Any] = frozenset(),
    selected: tuple[str, ...] = (),
) -> str:
    """Return the sentence on a group that is found to matter while none within it is.

    ``doubted`` are features and groups whose draws are distinguished from real values;
    ``selected`` features that are named with less certainty, at the false discovery rate.
    """
    bad = [name for name in group if name in doubted]
    if bad or group in doubted:
        said = statement(group, n_features, selected=selected)
        whose = "this group" if group in doubted else ", ".join(bad)
        return f"{said} (if the draws of {whose} are right)"
    if len(group) > 1 and (likely := [name for name in selected if name in group]):
        said = statement(group, n_features)
        return f"{said} with this certainty (at the false discovery rate: {', '.join(likely)})"
    if len(group) == 1:
        return f"{group[0]} matters by itself"
    if len(group) == n_features:
        return "The features together matter, but the data do not tell which"
    return f"One of {in_braces(group)} matters, but the data do not tell which"


def in_braces(group: tuple[str, ...]) -> str:
    """Return the first features of a group in braces, as a set."""
    more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
    return f"{{{', '.join(group[:_NAMED])}{more}}}"


def weak_test(explanation: Any) -> str:
    """Return the sentence on a test that can hardly select a feature; empty if it can."""
    n, folds = len(explanation.names), explanation.design.folds
    needed = errors_needed(folds, n, explanation.fdr)
    if needed <= _WEAK:
        return ""
    usual = errors_needed(FOLDS, n, explanation.fdr)
    more = f" (with {FOLDS} folds {usual:.1f})" if folds < FOLDS else ""
    return (
        f"With {folds} folds hardly any of {n} features can be selected: a single one needs a "
        f"score of {needed:.1f} standard errors{more}"
    )


def p_text(p_value: float) -> str:
    """A p-value with its sign, as ``= .03`` or ``< .001``."""
    return "< .001" if p_value < 0.001 else f"= {p_value:.3f}".replace("= 0.", "= .")

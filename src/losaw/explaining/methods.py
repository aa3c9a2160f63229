"""The methods that ``explain`` runs: the question of each, and the meaning of its score."""

from typing import NamedTuple

from losaw.support.errors import LosawError
from losaw.support.words import unknown


class MethodOfExplain(NamedTuple):
    """One method.

    Attributes
    ----------
    label : str
        Its name in tables.
    family : {"trees", "loss", "direction"}
        Read off fitted trees (shares), a difference in loss, or a trend.
    question, unit : str
        Its question, and the unit of its score, in words.
    page : str
        Its page in docs/methods.
    """

    label: str
    family: str
    question: str
    unit: str
    page: str

    @property
    def is_tested(self) -> bool:
        return self.family == "loss"


_SHARE = "share of the sum over features"
_LOSS = "share of the loss of the best constant"

METHODS: dict[str, MethodOfExplain] = {
    "mdi": MethodOfExplain(
        "MDI",
        "trees",
        "How much did the splits of a random forest gain on the rows that they were grown on?",
        _SHARE,
        "mdi",
    ),
    "ufi": MethodOfExplain(
        "UFI",
        "trees",
        "How much did the same splits gain on rows that the tree has not seen?",
        f"{_SHARE}; negative where unseen rows contradict the splits",
        "ufi",
    ),
    "mdi_oob": MethodOfExplain(
        "MDI-oob",
        "trees",
        "How much did the same splits gain, with means taken from unseen rows?",
        f"{_SHARE}; negative where unseen rows contradict the splits",
        "mdi_oob",
    ),
    "losaw": MethodOfExplain(
        "losawRF",
        "trees",
        "How much do splits gain when weights make the feature uncorrelated with the others?",
        _SHARE,
        "losaw_forest",
    ),
    "pfi": MethodOfExplain(
        "PFI",
        "loss",
        "How much worse does the fitted model predict when the feature is shuffled?",
        _LOSS,
        "pfi",
    ),
    "cpi": MethodOfExplain(
        "CPI",
        "loss",
        "How much worse does the fitted model predict when only the part of the feature that the "
        "others cannot supply is shuffled?",
        _LOSS,
        "cpi",
    ),
    "subgroups": MethodOfExplain(
        "subgroups",
        "loss",
        "How much worse does the fitted model predict when the feature is shuffled among rows that "
        "are alike in the others?",
        _LOSS,
        "subgroups",
    ),
    "loco": MethodOfExplain(
        "LOCO",
        "loss",
        "How much worse does a model predict that is fitted without the feature?",
        _LOSS,
        "loco",
    ),
    "atr": MethodOfExplain(
        "ATR",
        "direction",
        "Does the prediction rise (1) or fall (−1) with the feature?",
        "share of rising splits minus falling ones, by their rows",
        "trends",
    ),
}
DEFAULT = ("mdi", "ufi", "losaw", "pfi", "cpi", "loco", "atr")
# Their rows, or some of them, have no weights.
UNWEIGHTED = ("ufi", "mdi_oob", "losaw", "subgroups")
# The first of these that was run decides what is selected.
DECIDING = ("cpi", "loco", "subgroups", "pfi")


def chosen_methods(methods: object) -> tuple[str, ...]:
    """Return the methods that are requested, in the order of ``METHODS``; None: the default ones.

    Raises
    ------
    LosawError
        For an unknown method, or none.
    """
    if methods is None:
        return DEFAULT
    asked = methods.split(",") if isinstance(methods, str) else list(methods)  # type: ignore[call-overload]
    names = {str(name).strip().lower().replace("-", "_") for name in asked if str(name).strip()}
    names = {"losaw" if name == "losawrf" else name for name in names}
    for name in sorted(names):
        if name not in METHODS:
            raise LosawError(unknown("method", name, METHODS))
    if not names:
        raise LosawError(f"methods names none (known: {', '.join(METHODS)})")
    return tuple(name for name in METHODS if name in names)

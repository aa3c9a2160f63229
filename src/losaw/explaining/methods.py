"""The methods that a table is explained by: what each asks, and what its score is."""

from typing import NamedTuple

from losaw.support.errors import LosawError
from losaw.support.words import unknown


class Method(NamedTuple):
    """One method.

    Attributes
    ----------
    label : str
        As tables call it.
    family : {"trees", "loss", "direction"}
        Read off fitted trees (shares), a difference in loss, or a trend.
    question, unit : str
        What it asks, and what the score is, in words.
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

METHODS: dict[str, Method] = {
    "mdi": Method(
        "MDI",
        "trees",
        "What did the splits of a random forest gain on the rows that they were grown on?",
        _SHARE,
        "mdi",
    ),
    "ufi": Method(
        "UFI",
        "trees",
        "What did the same splits gain on rows that the tree has not seen?",
        f"{_SHARE}; negative where unseen rows speak against",
        "ufi",
    ),
    "mdi_oob": Method(
        "MDI-oob",
        "trees",
        "What did the same splits gain, their means taken from unseen rows?",
        f"{_SHARE}; negative where unseen rows speak against",
        "mdi_oob",
    ),
    "losaw": Method(
        "losawRF",
        "trees",
        "What do splits gain once weights have made the feature uncorrelated with the others?",
        _SHARE,
        "losaw_forest",
    ),
    "pfi": Method(
        "PFI",
        "loss",
        "What does the fitted model lose when the feature is shuffled?",
        _LOSS,
        "pfi",
    ),
    "cpi": Method(
        "CPI",
        "loss",
        "What does it lose when only that is shuffled which the other features do not know?",
        _LOSS,
        "cpi",
    ),
    "subgroups": Method(
        "subgroups",
        "loss",
        "What does it lose when the feature is shuffled among rows that are alike otherwise?",
        _LOSS,
        "subgroups",
    ),
    "loco": Method(
        "LOCO",
        "loss",
        "What does a model lose that is fitted without the feature?",
        _LOSS,
        "loco",
    ),
    "atr": Method(
        "ATR",
        "direction",
        "Does the response rise (1) or fall (−1) with the feature?",
        "share of rising splits minus falling ones, by their rows",
        "trends",
    ),
}
DEFAULT = ("mdi", "ufi", "losaw", "pfi", "cpi", "loco", "atr")
# Whose selection is the answer, if it was run.
DECIDING = ("cpi", "loco", "subgroups", "pfi")


def chosen_methods(methods: object) -> tuple[str, ...]:
    """The methods that are asked for, in the order of ``METHODS``; None: the default ones.

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

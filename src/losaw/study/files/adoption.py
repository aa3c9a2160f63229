"""The record of an adoption: the reason why blocks of one version count as those of another."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

ADOPTED = "adopted"


@dataclass(frozen=True)
class Adoption:
    """A random sample of blocks was recomputed by another version, and the others were taken over.

    Attributes
    ----------
    scope : str
        The blocks that the sample stands for: ``all that was selected``, or a study and method.
    losaw, commit : str
        The version that recomputed the sample, and under which the others are stored.
    date : str
        ISO 8601, UTC.
    n_recomputed, n_blocks, n_strata : int
        Size of the sample, number of blocks that it was drawn from, and of strata: each has at
        least one block in the sample.
    sample_seed : int
        Seed that drew the sample.
    missed : tuple of (float, int, float)
        A share of the blocks, the number that this is, and the largest probability that a sample
        like this contains none of that many blocks, wherever they are.
    within : float or None
        The stated bound in standard deviations of a run; None: all rows are equal.
    largest, largest_error : float
        The largest mean difference of a setting, importance and metric in these units, paired by
        seed, and its standard error.
    """

    scope: str
    losaw: str
    commit: str
    date: str
    n_recomputed: int
    n_blocks: int
    n_strata: int
    sample_seed: int
    missed: tuple[tuple[float, int, float], ...]
    within: float | None = None
    largest: float = 0.0
    largest_error: float = 0.0

    def of_block(self, results_version: str) -> dict[str, Any]:
        """The entry in the footer of a block that ``results_version`` computed."""
        return {"results_version": results_version, **self.as_dict()}

    def as_dict(self) -> dict[str, Any]:
        """The record as plain values, as JSON gives them back."""
        return {**asdict(self), "missed": [list(line) for line in self.missed]}

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> "Adoption":
        """The record from a footer's or a manifest's entry, which may contain more."""
        known = {key: written[key] for key in (field.name for field in fields(cls))}
        return cls(**{**known, "missed": tuple(tuple(line) for line in known["missed"])})

    def __str__(self) -> str:
        found = "all equal to the last bit"
        if self.within is not None:
            found = (
                f"none differs by more than the stated {self.within:g} standard deviations of a "
                f"run (the largest difference is {self.largest:.2g} ± {self.largest_error:.2g})"
            )
        chances = " and ".join(
            f"an error in {100 * share:g} % of the blocks ({number}) would have been missed with "
            f"a probability of at most {percent(chance)}"
            for share, number, chance in self.missed
        )
        return (
            f"{self.n_recomputed} of {self.n_blocks} blocks ({self.scope}) were recomputed by "
            f"losaw {self.losaw}{self.commit and ', commit ' + self.commit[:12]} on "
            f"{self.date[:10]} (sample {self.sample_seed}, {self.n_strata} strata): {found}; "
            + chances
        )


def percent(chance: float) -> str:
    """Return a share in percent with two digits; one that is above 0 is never shown as 0."""
    return "0" if chance == 0 else f"{100 * chance:.2g} %" if chance > 0.0005 else "below 0.05 %"


def count_adoptions(histories: Iterable[Iterable[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The adoptions in the histories of blocks, each with its number of ``blocks``."""
    counted = Counter(Adoption.read(entry) for history in histories for entry in history)
    by_date = sorted(counted, key=lambda adoption: adoption.date)
    return [{"blocks": counted[adoption], **adoption.as_dict()} for adoption in by_date]


def describe_adoptions(counted: Iterable[Mapping[str, Any]]) -> list[str]:
    """One sentence per adoption that :func:`count_adoptions` has found."""
    return [
        f"{entry['blocks']} blocks were computed by another version and adopted: "
        f"{Adoption.read(entry)}"
        for entry in counted
    ]

"""The options of ``explain`` and ``audit``: names, defaults, checks and help in one place.

The signatures of :func:`losaw.explain` and :func:`losaw.audit` spell them for readers and editors;
a test compares both with this record. The command line is built from it.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from losaw.explaining.methods import chosen_methods
from losaw.support.errors import LosawError


def _option(default: Any, help: str, **more: Any) -> Any:
    """A field with help, ``type``, ``metavar``, ``flag`` and ``least`` for the command line."""
    return field(default=default, metadata={"help": help, **more})


def _fixed(least: int, help: str) -> Any:
    words = f"{help}: fixed, not cut by the budget"
    return _option(None, words, type=int, least=least)


@dataclass(frozen=True)
class Options:
    """The options of explaining a table; :func:`losaw.explain` documents every one.

    Raises
    ------
    LosawError, ValueError, TypeError
        For a value that is not allowed.
    """

    kinds: Mapping[str, str] | None = _option(
        None,
        "kinds of columns (continuous, discrete, nominal) that are inferred wrongly",
        metavar="NAME:KIND,…",
    )
    task: str | None = _option(None, "regression or classification, if inferred wrongly")
    methods: Sequence[str] | str | None = _option(
        None, "mdi, ufi, losaw, pfi, cpi, loco, atr, …, with commas"
    )
    model: object = _option(
        "forest",
        "model that PFI, CPI and LOCO explain: forest (default), gradient-boosting, or the "
        "estimator that a function of yours returns",
        metavar="NAME|FILE.py:FUNCTION",
    )
    drop: Sequence[str] = _option((), "columns to leave out", metavar="NAME,…")
    cluster: str | None = _option(
        None, "column of persons or things with several rows, which stay together", metavar="NAME"
    )
    weights: str | None = _option(
        None, "column of sampling weights: what each row stands for", metavar="NAME"
    )
    fdr: float = _option(0.1, "false discovery rate (default .1)", type=float)
    budget: str | float | None = _option("5m", "time, like 90s or 2m; none cuts nothing")
    rows: int | None = _fixed(50, "rows in use")
    losaw_rows: int | None = _fixed(50, "rows that losawRF is fitted to")
    folds: int | None = _fixed(3, "folds of the cross-fitting")
    permutations: int | None = _fixed(1, "permutations of PFI")
    draws: int | None = _fixed(1, "draws of CPI")
    n_jobs: int | None = _option(None, "threads (default 1; -1: all cores)", type=int, flag="jobs")
    verbose: bool = _option(False, "")
    random_state: object = _option(0, "seed (default 0)", type=int)

    def __post_init__(self) -> None:
        # These need numpy, which the parser does not.
        from losaw.support.arguments import whole_number
        from losaw.support.signatures import check_arguments

        for each in fields(self):
            least, value = each.metadata.get("least"), getattr(self, each.name)
            if least is not None and value is not None:
                whole_number(each.name, value, least)
        check_arguments(type(self), vars(self))
        chosen_methods(self.methods)
        if not 0 < self.fdr < 1:
            raise LosawError(f"fdr must be between 0 and 1, got {self.fdr!r}")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Take the options among the arguments of a function (its ``locals()``)."""
        return cls(**{each.name: given[each.name] for each in fields(cls)})

    @property
    def fixed(self) -> dict[str, int | None]:
        """The parts of the design that the user may fix; None where the budget decides."""
        return {e.name: getattr(self, e.name) for e in fields(self) if "least" in e.metadata}

    def given(self, seed: int, groups: Mapping[str, Sequence[str]] | None = None) -> str:
        """The options, besides those of the design, on which the numbers depend.

        As a command line has them, without those that are as by default.
        """
        drop = [self.drop] if isinstance(self.drop, str) else self.drop
        model = self.model if isinstance(self.model, str) else "FILE.py:FUNCTION"
        words = {
            "kinds": ",".join(f"{name}:{kind}" for name, kind in (self.kinds or {}).items()),
            "task": self.task,
            "model": "" if self.is_forest else model,
            "drop": ",".join(drop),
            "cluster": self.cluster,
            "weights": self.weights,
            "groups": ";".join(f"{name}:{','.join(ms)}" for name, ms in (groups or {}).items()),
            "fdr": "" if self.fdr == type(self).fdr else self.fdr,
            "random-state": seed or "",
        }
        return " ".join(f"--{name} {shlex.quote(str(v))}" for name, v in words.items() if v)

    @property
    def is_forest(self) -> bool:
        """True for the plain forest, whose fits then serve all methods."""
        return isinstance(self.model, str) and self.model == "forest"

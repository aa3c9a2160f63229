"""How much is computed: rows, folds, permutations, draws — and what a budget of time cuts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from losaw.errors import LosawError

DEFAULT_BUDGET = "5m"
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
# The full design.
FOLDS, PERMUTATIONS, DRAWS, TREES = 10, 5, 3, 100
# What a budget cuts them to.
FEWEST_FOLDS, FEWEST_PERMUTATIONS, FEWEST_DRAWS = 5, 2, 1
_FEWEST_ROWS = 2_000
_SMALLEST_ROWS = 500
_STEP = 0.8
# The part of the budget that may be planned with: estimates are no promises.
_SHARE = 0.6


@dataclass(frozen=True)
class Design:
    """What is computed with.

    Attributes
    ----------
    rows : int
        Rows in use, drawn at random if there are more.
    folds : int
        Of the cross-fitting.
    permutations, draws : int
        Of PFI, and knockoffs of CPI.
    trees : int
        Of every forest.
    methods : tuple of str
    """

    rows: int
    folds: int
    permutations: int
    draws: int
    trees: int
    methods: tuple[str, ...]

    def words(self) -> str:
        """The design in one line."""
        return (
            f"{self.rows:,} rows, {self.folds} folds, {self.permutations} permutations, "
            f"{self.draws} knockoff draw{'s' * (self.draws > 1)}, {self.trees} trees"
        )

    def options(self) -> str:
        """The options of the command line that ask for this design, whatever it costs."""
        return (
            f"--methods {','.join(self.methods)} --rows {self.rows} --folds {self.folds} "
            f"--permutations {self.permutations} --draws {self.draws} --budget none"
        )


@dataclass(frozen=True)
class Costs:
    """Seconds of the parts, measured by small probes.

    Attributes
    ----------
    rows : int
        Rows of the probes.
    fit, losaw_fit, scoring : float
        Of one tree of the model, of losawRF, and of reading scores off a tree.
    prediction : float
        Of one row.
    knockoffs : float
        Of one draw for the probe's rows.
    growth, losaw_growth : float
        Exponents by which a fit's seconds grow with the rows.
    n_features, n_groups : int
    """

    rows: int
    fit: float
    losaw_fit: float
    scoring: float
    prediction: float
    knockoffs: float
    growth: float
    losaw_growth: float
    n_features: int
    n_groups: int

    def seconds(self, design: Design) -> dict[str, float]:
        """Estimated seconds by part of the work."""
        trained = design.rows * (1 - 1 / design.folds) / self.rows
        fit = self.fit * design.trees * trained**self.growth
        losaw_fit = self.losaw_fit * design.trees * trained**self.losaw_growth
        scoring = self.scoring * design.trees * trained
        units = self.n_features + self.n_groups
        prediction = self.prediction * design.rows
        has = set(design.methods).__contains__
        return {
            "fits": design.folds * fit,
            "losaw": design.folds * (losaw_fit + scoring) * has("losaw"),
            "scores": design.folds * scoring * (has("mdi") + has("ufi") + has("atr")),
            "pfi": prediction * units * design.permutations * has("pfi"),
            "cpi": (
                prediction * self.n_features * (design.draws + 1)
                + self.knockoffs * design.draws * design.rows / self.rows
            )
            * has("cpi"),
            "loco": (design.folds * fit + prediction) * units * has("loco"),
        }


def full_design(n_rows: int, methods: tuple[str, ...], asked: dict[str, int | None]) -> Design:
    """The design without a cut; ``asked`` has what the user fixes (rows, folds, …)."""
    full = Design(n_rows, FOLDS, PERMUTATIONS, DRAWS, TREES, methods)
    given: dict[str, Any] = {k: v for k, v in asked.items() if v is not None}
    if "rows" in given:
        given["rows"] = min(given["rows"], n_rows)
    return replace(full, **given)


def cut(
    full: Design, asked: dict[str, int | None], costs: Costs, seconds: float
) -> tuple[Design, list[str]]:
    """The largest design that fits into the seconds, and what was cut, in words.

    Cut in this order, as far as the user has not fixed it: folds, permutations and draws, then
    rows; LOCO is left out where 2,000 rows are too many.
    """
    for design in _ladder(full, asked):
        if sum(costs.seconds(design).values()) <= seconds * _SHARE:
            break
    return design, _cuts(full, design, sum(costs.seconds(full).values()))


def _ladder(full: Design, asked: dict[str, int | None]) -> Iterator[Design]:
    yield full

    def fewer(design: Design, **values: int) -> Design:
        free: dict[str, Any] = {
            n: min(v, getattr(design, n)) for n, v in values.items() if asked.get(n) is None
        }
        return replace(design, **free)

    design = fewer(full, folds=FEWEST_FOLDS)
    yield design
    design = fewer(design, permutations=FEWEST_PERMUTATIONS, draws=FEWEST_DRAWS)
    yield design
    without = replace(design, methods=tuple(m for m in design.methods if m != "loco"))
    rungs = [(design, _FEWEST_ROWS)]
    if 0 < len(without.methods) < len(design.methods):
        rungs.append((without, _SMALLEST_ROWS))
    for rung, fewest in rungs:
        if asked.get("rows") is not None:
            yield rung
            continue
        rows = float(full.rows)
        while rows > fewest:
            yield replace(rung, rows=_round(rows))
            rows *= _STEP
        yield replace(rung, rows=min(fewest, full.rows))


def _round(rows: float) -> int:
    """Two digits, so that the number can be said again."""
    unit = 10 ** max(0, len(str(int(rows))) - 2)
    return int(rows // unit * unit)


def _cuts(full: Design, design: Design, seconds: float) -> list[str]:
    words = {
        "rows": "rows",
        "folds": "folds",
        "permutations": "permutations of PFI",
        "draws": "knockoff draws of CPI",
    }
    cuts = [
        f"{getattr(design, name):,} {word} in place of {getattr(full, name):,}"
        for name, word in words.items()
        if getattr(design, name) != getattr(full, name)
    ]
    cuts += [f"{name.upper()} is left out" for name in full.methods if name not in design.methods]
    if cuts:
        cuts[0] += f" (everything would take about {_duration(seconds)})"
    return cuts


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def read_budget(budget: Any) -> float | None:
    """Seconds from ``"90s"``, ``"2m"``, ``"1h"`` or a number; None and ``"none"``: no limit.

    Raises
    ------
    LosawError
        For anything else, or less than ten seconds.
    """
    if budget is None or budget == "none":
        return None
    seconds: float | None = None
    if isinstance(budget, int | float) and not isinstance(budget, bool):
        seconds = float(budget)
    elif isinstance(budget, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\w*\s*", budget)
        if found:
            seconds = float(found[1]) * _UNITS[found[2] or "s"]
    if seconds is None:
        raise LosawError(f"budget must be a time like 90s, 2m or 1h, or none, got {budget!r}")
    if not seconds >= 10:
        raise LosawError(f"budget must be at least 10 s, got {budget!r}")
    return seconds

"""The size of the computation: rows, folds, permutations, draws, and what a budget of time cuts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from losaw.explaining.methods import METHODS
from losaw.support.errors import LosawError

SHORTEST_BUDGET = 10.0
# Bound of the probability that any statement on a group of features is false.
FAMILY_WISE = 0.05
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_TIME = re.compile(r"\d+(\.\d+)?|(\d+(\.\d+)?\s*(s(ec(ond)?s?)?|m(in(ute)?s?)?|h((ou)?rs?)?)\s*)+")
# The full design.
FOLDS, PERMUTATIONS, DRAWS, TREES = 10, 5, 3, 100
# What a budget cuts them to.
FEWEST_FOLDS, FEWEST_PERMUTATIONS, FEWEST_DRAWS = 5, 2, 1
_FEWEST_ROWS = 5_000
_SMALLEST_ROWS = 500
# The part of the planned time that losawRF may take where time is short.
_LOSAW_SHARE = 0.4
_STEP = 0.8
# The part of the budget that may be planned with: estimates are no promises.
_SHARE = 0.7
_STEPS_BEFORE_ROWS = 2
# Folds suffice if a feature with a score of so many standard errors is selected among all others.
_STANDARD_ERRORS = 5.0
# A fit's seconds grow as n log n; from a few thousand rows on about as this power of n.
_GROWTH = 1.1


@dataclass(frozen=True)
class Design:
    """The size of a computation.

    Attributes
    ----------
    rows : int
        Rows in use, drawn at random if the table has more.
    losaw_rows : int
        Of them those that losawRF is fitted to: its weights cost far more than its splits.
    folds : int
        Of the cross-fitting.
    permutations, draws : int
        Of PFI, and draws of CPI.
    trees : int
        Of every forest.
    methods : tuple of str
    given : str
        Other options of the command line on which the numbers depend.
    """

    rows: int
    losaw_rows: int
    folds: int
    permutations: int
    draws: int
    trees: int
    methods: tuple[str, ...]
    given: str = ""

    def words(self) -> str:
        """The design in one line, as far as the methods use it."""
        has = set(self.methods).__contains__
        losaw = f" ({self.losaw_rows:,} for losawRF)" * has("losaw")
        parts = [f"{self.rows:,} rows{losaw}", f"{self.folds} folds"]
        if has("pfi") or has("subgroups"):
            parts.append(f"{self.permutations} permutation{'s' * (self.permutations > 1)}")
        if has("cpi"):
            parts.append(f"{self.draws} draw{'s' * (self.draws > 1)} of CPI")
        if any(METHODS[name].family != "loss" for name in self.methods):
            parts.append(f"{self.trees} trees")
        return ", ".join(parts)

    def options(self) -> str:
        """The options of the command line that give this design, whatever it costs."""
        return (
            f"--methods {','.join(self.methods)} --rows {self.rows} "
            f"--losaw-rows {self.losaw_rows} --folds {self.folds} "
            f"--permutations {self.permutations} --draws {self.draws} --budget none"
            + f" {self.given}"
            * bool(self.given)
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
    draws : float
        Of fitting the sampler of CPI to the probe's rows, with a draw.
    n_features, n_groups : int
    """

    rows: int
    fit: float
    losaw_fit: float
    scoring: float
    prediction: float
    draws: float
    n_features: int
    n_groups: int

    def seconds(self, design: Design) -> dict[str, float]:
        """Estimated seconds by part of the work."""
        trained = design.rows * (1 - 1 / design.folds) / self.rows
        fit = self.fit * design.trees * trained**_GROWTH
        decorrelated = trained * design.losaw_rows / design.rows
        losaw_fit = self.losaw_fit * design.trees * decorrelated**_GROWTH
        scoring = self.scoring * design.trees * trained
        units = self.n_features + self.n_groups
        prediction = self.prediction * design.rows
        has = set(design.methods).__contains__
        return {
            "fits": design.folds * fit,
            "losaw": design.folds * losaw_fit * has("losaw"),
            "scores": design.folds * scoring * (has("ufi") + has("mdi_oob")),
            "pfi": prediction * units * design.permutations * has("pfi"),
            "cpi": (
                prediction * units * (design.draws + 1)
                # For single features, groups, the test of the draws, and the tree of groups.
                + 5.0 * self.draws * design.rows / self.rows
            )
            * has("cpi"),
            "loco": (design.folds * fit + prediction) * units * has("loco"),
        }


def full_design(
    n_rows: int, methods: tuple[str, ...], asked: dict[str, int | None], n_units: int | None = None
) -> Design:
    """The design without a cut; ``asked`` has what the user fixes (rows, folds, …).

    ``n_units`` is the number of clusters: no more folds than these can be made.
    """
    full = Design(n_rows, n_rows, FOLDS, PERMUTATIONS, DRAWS, TREES, methods)
    given: dict[str, Any] = {k: v for k, v in asked.items() if v is not None}
    rows = given["rows"] = min(given.get("rows", n_rows), n_rows)
    given["losaw_rows"] = min(given.get("losaw_rows", rows), rows)
    given.setdefault("folds", FOLDS if n_units is None else min(FOLDS, n_units))
    return replace(full, **given)


def errors_needed(folds: int, n_features: int, fdr: float) -> float:
    """Return the standard errors that a score must have if it is the only one to be selected.

    The quantile 1 - fdr / n_features of Student's t with folds - 1 degrees of freedom: the first
    step of Benjamini and Hochberg.
    """
    from scipy.special import stdtrit

    return float(stdtrit(folds - 1, 1.0 - fdr / n_features))


def folds_needed(n_features: int, fdr: float) -> int:
    """Return the fewest folds, from 5 to 10, at which a score of 5 standard errors is selected."""
    enough = (
        folds
        for folds in range(FEWEST_FOLDS, FOLDS)
        if errors_needed(folds, n_features, fdr) <= _STANDARD_ERRORS
    )
    return next(enough, FOLDS)


def cut(
    full: Design,
    asked: dict[str, int | None],
    costs: Costs,
    seconds: float,
    times: int = 1,
    fewest_folds: int = FEWEST_FOLDS,
) -> tuple[Design, list[str]]:
    """Return the largest design that fits ``times`` times into the seconds, and the cuts in words.

    Cut in this order, as far as the user has not fixed them: permutations and draws, rows of
    losawRF, rows of all down to 5,000, folds down to ``fewest_folds``, LOCO, and rows down to 500.
    The power of a test comes from its folds, which therefore are cut late.
    """
    planned = seconds * _SHARE / times
    for step, design in enumerate(_ladder(full, asked, fewest_folds)):
        if step >= _STEPS_BEFORE_ROWS and asked.get("losaw_rows") is None:
            design = _with_fewer_for_losaw(design, costs, planned)
        if sum(costs.seconds(design).values()) <= planned:
            break
    return design, _cuts(full, design, times * sum(costs.seconds(full).values()))


def _with_fewer_for_losaw(design: Design, costs: Costs, planned: float) -> Design:
    """Reduce losawRF's rows until it fits into its part of the time."""
    rows = float(design.rows)
    while costs.seconds(design)["losaw"] > _LOSAW_SHARE * planned and rows * _STEP > _SMALLEST_ROWS:
        rows *= _STEP
        design = replace(design, losaw_rows=_round(rows))
    return design


def _ladder(full: Design, asked: dict[str, int | None], fewest_folds: int) -> Iterator[Design]:
    """Yield designs of the computation, each cheaper than the one before."""

    def fewer(design: Design, **values: int) -> Design:
        free: dict[str, Any] = {
            n: min(v, getattr(design, n)) for n, v in values.items() if asked.get(n) is None
        }
        return replace(design, **free)

    yield full
    design = fewer(full, permutations=FEWEST_PERMUTATIONS, draws=FEWEST_DRAWS)
    yield design
    few_folds = fewer(design, folds=fewest_folds)
    without = replace(few_folds, methods=tuple(m for m in design.methods if m != "loco"))
    most = full.rows
    for rung, fewest in ((design, _FEWEST_ROWS), (few_folds, _FEWEST_ROWS), (without, 0)):
        if not rung.methods:
            return
        least = fewest or _SMALLEST_ROWS
        if asked.get("rows") is not None:
            yield rung
            continue
        rows = float(most)
        while rows > least:
            yield _with_rows(rung, _round(rows))
            rows *= _STEP
        most = min(least, full.rows)
        yield _with_rows(rung, most)


def _with_rows(design: Design, rows: int) -> Design:
    return replace(design, rows=rows, losaw_rows=min(design.losaw_rows, rows))


def _round(rows: float) -> int:
    """Round to two digits, so that the number is easy to type."""
    unit = 10 ** max(0, len(str(int(rows))) - 2)
    return int(rows // unit * unit)


def _cuts(full: Design, design: Design, seconds: float) -> list[str]:
    words = {
        "rows": "rows",
        "losaw_rows": "rows of losawRF",
        "folds": "folds",
        "permutations": "permutations of PFI",
        "draws": "draws of CPI",
    }
    cuts = [
        f"{word}: {getattr(design, name):,} in place of {getattr(full, name):,}"
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
    """Seconds from ``"90s"``, ``"1m30s"``, ``"2 min"`` or a number; None and ``"none"``: no limit.

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
    elif isinstance(budget, str) and _TIME.fullmatch(budget.strip()):
        parts = re.findall(r"([\d.]+)\s*([smh]?)", budget)
        seconds = sum(float(number) * _UNITS[unit or "s"] for number, unit in parts)
    if seconds is None:
        raise LosawError(f"budget must be a time like 90s, 2m or 1h, or none, got {budget!r}")
    if not seconds >= SHORTEST_BUDGET:
        raise LosawError(f"budget must be at least {SHORTEST_BUDGET:g} s, got {budget!r}")
    return seconds

"""The size of the computation: rows, folds, permutations, draws, and what a budget of time cuts."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.explaining.preparing import FEWEST_ROWS_OF_A_CLASS, Prepared
from losaw.support.errors import LosawError
from losaw.support.words import counted, listed, percent

# The full design.
FOLDS, PERMUTATIONS, DRAWS, TREES = 10, 5, 3, 100
# losawRF is fitted to no more rows: its weights cost far more than its splits.
MOST_LOSAW_ROWS = 5_000
# Draws of a feature are tested on no more rows.
MOST_TESTED_ROWS = 2_000
FEWEST_FOLDS = 3
# Rows of the pilot; of so many features it has scores, and of so many LOCO and tests of draws.
PILOT_ROWS, PILOT_FEATURES, PILOT_FITS = 500, 8, 2
# What a budget cuts the design to, in this order.
_FEWEST_PERMUTATIONS, _FEWEST_DRAWS = 2, 1
_FEW_ROWS, _FEWEST_ROUNDS, _FEWEST_ROWS = 5_000, 15, 500
_LEFT_OUT = ("loco", "losaw", "cpi")
_STEP = 0.98
# The part of the budget after which a trial of the pilot tries no other method.
PILOT_SHARE = 0.1
# The part of the budget that is planned with: an estimate is not a promise.
_SHARE = 0.95
# One more trial has this part of the rows that are planned, and so many times those before.
_NEARER, _FURTHER = 0.5, 1.6
# Seconds of a fit grow as n log n; from a few thousand rows on about as this power of n.
_GROWTH = 1.05
# Parts whose size is that of the rows that a fold's model is fitted to.
_OF_FITS = ("fits", "mdi", "ufi", "losaw", "loco")
# With groups, CPI takes so many times the draws of all features; draws of so many are tested.
_GROUPS, _TESTED = 4.0, 0.3
# Where draws fail, LOCO decides on so many features or groups.
_DECIDED = 2


class ScoringMethod(NamedTuple):
    """One method: its name in tables, its question, and whether it tests a difference in loss."""

    label: str
    question: str
    is_tested: bool = False

    @property
    def unit(self) -> str:
        """The unit of its score, in words."""
        if self.is_tested:
            return "share of the loss of the best constant"
        negative = "; negative where unseen rows contradict the splits" * (self.label == "UFI")
        return f"share of the sum over features{negative}"


METHODS: dict[str, ScoringMethod] = {
    "mdi": ScoringMethod(
        "MDI",
        "How much did the splits of a random forest gain on the rows that they were grown on?",
    ),
    "ufi": ScoringMethod(
        "UFI", "How much did the same splits gain on rows that the tree has not seen?"
    ),
    "losaw": ScoringMethod(
        "losawRF",
        "How much do splits gain when weights make the feature uncorrelated with the others?",
    ),
    "pfi": ScoringMethod(
        "PFI", "How much worse does the fitted model predict when the feature is shuffled?", True
    ),
    "cpi": ScoringMethod(
        "CPI",
        "How much worse does the fitted model predict when only the part of the feature that the "
        "others cannot supply is shuffled?",
        True,
    ),
    "loco": ScoringMethod(
        "LOCO", "How much worse does a model predict that is fitted without the feature?", True
    ),
}


@dataclass(frozen=True)
class Design:
    """The size of a computation."""

    rows: int  # rows in use, drawn at random if the table has more
    folds: int  # of the cross-fitting
    permutations: int  # of PFI
    draws: int  # of CPI
    trees: int  # of every forest
    methods: tuple[str, ...]
    n_rows: int  # rows with a response
    cuts: tuple[str, ...] = ()  # what a budget left out, in words
    # The columns that each other one is asked what it adds to; none: all others.
    given: tuple[str, ...] = ()
    rounds: int = 0  # of an audit, which computes the design once more for the table's own target

    def question(self, method: ScoringMethod) -> str:
        """The question of a method, about the given columns where there are any."""
        if not self.given:
            return method.question
        if method is METHODS["loco"]:
            return (
                f"How much worse does a model of {listed(self.given)} predict than one of these "
                "and of the feature?"
            )
        return (
            f"How much worse does a model of {listed(self.given)} and of the feature predict "
            "when only the part of the feature is shuffled that these cannot supply?"
        )

    @property
    def losaw_rows(self) -> int:
        """The rows that losawRF is fitted to."""
        return min(self.rows, MOST_LOSAW_ROWS)

    def said(self, *more: str, options: str = "") -> list[str]:
        """How it was computed, in sentences: the size, cuts, ``more``, and how to repeat it."""
        is_less = "losaw" in self.methods and self.losaw_rows < self.rows
        losaw = f" ({self.losaw_rows:,} for losawRF)" * is_less
        parts = [f"{self.rows:,} rows{losaw}", f"{self.folds} folds"]
        if "pfi" in self.methods:
            parts.append(f"{self.permutations} permutation{'s' * (self.permutations > 1)}")
        if "cpi" in self.methods:
            parts.append(f"{self.draws} draw{'s' * (self.draws > 1)} of CPI")
        return [
            f"{', '.join(parts)}.",
            *(f"Cut by the budget: {each}." for each in self.cuts),
            *more,
            "The same numbers on any machine, with your other options as they are: "
            f"{self.options()}{options}",
        ]

    def options(self) -> str:
        """The options of the command line that give this design, whatever it costs."""
        permutations = f" --permutations {self.permutations}" * ("pfi" in self.methods)
        draws = f" --draws {self.draws}" * ("cpi" in self.methods)
        size = f"--rows {self.rows} --folds {self.folds}{permutations}{draws}"
        return f"--methods {','.join(self.methods)} {size} --budget none"


class Pilot(NamedTuple):
    """Trials of the computation on few rows and features, with three folds."""

    design: Design  # of the trials, but for their rows
    features: tuple[str, ...]  # that are scored
    # Rows of each, and seconds by part, the fewest rows first. ``fits`` are those of the model and
    # of the forest, ``draws`` those of tests of draws; other parts are called as their methods.
    trials: tuple[tuple[int, Mapping[str, float]], ...] = ()

    def after(self, trial: tuple[int, Mapping[str, float]]) -> "Pilot":
        """The pilot with one more trial."""
        return self._replace(trials=(*self.trials, trial))

    def of(self, design: Design, n_features: int) -> float:
        """Estimated seconds of a design."""
        folds, units = design.folds / self.design.folds, n_features / len(self.features)
        fitted = n_features / min(len(self.features), PILOT_FITS)
        # Draws of features, and of groups; predictions are a small part. Given some columns there
        # are no groups, and each feature has models of its own.
        drawn = units * (0.8 + 0.2 * design.draws)
        times = {
            **dict.fromkeys(("fits", "mdi", "ufi", "losaw"), folds),
            "pfi": units * design.permutations / self.design.permutations,
            "cpi": drawn * (folds if design.given else _GROUPS),
            "draws": fitted * min(_TESTED, 1.0 / (1 + design.rounds)),  # an audit tests each once
            "loco": fitted * folds,
        }
        if "loco" not in design.methods and "draws" in _parts(design):
            times["fits"] *= 1 + _DECIDED
        once = sum(times[part] * self._seconds(part, design) for part in _parts(design))
        return once * (1 + design.rounds)

    def nearer(self, design: Design, seconds: float) -> int:
        """The rows of one more trial that takes so long at most; 0: none is worth it."""
        least = _FURTHER * self.trials[-1][0]
        rows = int(max(design.rows * _NEARER, min(least, design.rows)))
        while rows >= least:
            trial = replace(self.design, rows=rows, methods=design.methods)
            if sum(self._seconds(part, trial) for part in _parts(trial)) <= seconds:
                return rows
            rows //= 2
        return 0

    def _seconds(self, part: str, design: Design) -> float:
        """The seconds of a part on the rows of a design: a constant, and what grows with rows.

        By the last two trials that had time for it; what only one had time for takes too long.
        """

        def size(rows: int, folds: int) -> float:
            rows = min(rows, {"losaw": MOST_LOSAW_ROWS, "draws": MOST_TESTED_ROWS}.get(part, rows))
            return float(rows * (1.0 - _OF_FITS.count(part) / folds)) ** _GROWTH

        known = [(size(n, self.design.folds), s[part]) for n, s in self.trials if part in s]
        if len(known) < min(2, len(self.trials)):
            return math.inf
        (fewer, before), (more, after) = known[-2:] if len(known) > 1 else known * 2
        slope = (after - before) / (more - fewer) if more > fewer else 0.0
        slope = min(max(slope, 0.0), after / more)
        return after + slope * (size(design.rows, design.folds) - more)


def _parts(design: Design) -> tuple[str, ...]:
    """The parts of a computation; given some columns, tests of draws are within CPI."""
    has_tests = "cpi" in design.methods and not design.given
    return ("fits", *design.methods, *(("draws",) if has_tests else ()))


def full_design(
    data: Prepared, methods: tuple[str, ...], fixed: Mapping[str, int | None]
) -> Design:
    """The design without a cut; ``fixed`` has what the user fixes (rows, folds, …)."""
    n_rows, what = len(data.y), "[row|rows] in use"
    most = n_rows
    if data.clusters is not None:
        most, what = len(np.unique(data.clusters)), data.unit
    elif data.labels:
        most, what = int(np.bincount(data.y).min()), "[row|rows] of the rarest class"
    given: dict[str, Any] = {name: value for name, value in fixed.items() if value is not None}
    full = Design(n_rows, min(FOLDS, most), PERMUTATIONS, DRAWS, TREES, methods, n_rows)
    given["rows"] = min(given.get("rows", n_rows), n_rows)
    full = replace(full, **given)
    if most < FEWEST_FOLDS:
        there = f"there {'is' if most == 1 else 'are'} {counted(most, what)}".rstrip(",")
        raise LosawError(f"{there}; {FEWEST_FOLDS} at least are needed")
    if not FEWEST_FOLDS <= full.folds <= most:
        raise LosawError(
            f"{counted(most, what)} cannot be put into {full.folds} folds: folds must be "
            + (f"from {FEWEST_FOLDS} to {most}" if most > FEWEST_FOLDS else f"{most}")
        )
    return full


def sample(data: Prepared, n_rows: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw ``n_rows`` rows, all if there are no more; a rare class is kept as far as it goes.

    Each of K classes has a fifth of its equal part, n_rows / 5K, if it has so many rows, and
    ten rows at least; the others have the shares of the data.
    """
    if n_rows >= len(data.y):
        return np.arange(len(data.y))
    order = rng.permutation(len(data.y))
    if data.labels:
        least = kept_rows(n_rows, len(data.labels))
        of_class = [order[data.y[order] == code] for code in range(len(data.labels))]
        first = np.concatenate([rows[:least] for rows in of_class])
        order = np.concatenate([first, order[~np.isin(order, first)]])
        n_rows = max(n_rows, len(first))
    return np.sort(order[:n_rows])


def kept_rows(n_rows: int, n_classes: int) -> int:
    """Return how many rows of a class are kept at least, if it has so many."""
    return max(FEWEST_ROWS_OF_A_CLASS, n_rows // (5 * n_classes))


def take(data: Prepared, rows: NDArray[np.intp], keep_constant: bool = False) -> Prepared:
    """Return the data of some rows, without levels and columns that do not vary there."""
    if len(rows) == len(data.y):
        return data
    X = data.X.iloc[rows].reset_index(drop=True)
    for name in X.columns[X.dtypes == "category"]:
        X[name] = X[name].cat.remove_unused_categories()
    constant = [n for n in X.columns if X[n].nunique(dropna=False) < 2 and not keep_constant]
    columns = tuple(
        c._replace(values=None, kind="", treatment="left out: constant in the rows in use")
        if c.name in constant
        else c
        for c in data.columns
    )
    kinds = {name: kind for name, kind in data.kinds.items() if name not in constant}
    clusters = None if data.clusters is None else data.clusters[rows]
    X = X.drop(columns=constant)
    return replace(data, X=X, y=data.y[rows], columns=columns, kinds=kinds, clusters=clusters)


def small_part(
    data: Prepared, full: Design, rng: np.random.Generator, rows: int = PILOT_ROWS
) -> tuple[Prepared, Design]:
    """The data and the design of a trial: few rows and three folds, of the same methods."""
    rows = min(rows, full.rows)
    part = take(data, sample(data, rows, rng), keep_constant=True)
    # In few rows a class may be in few clusters, which is no reason to refuse the table.
    small = replace(full, rows=rows, folds=FEWEST_FOLDS, permutations=1, draws=1)
    return replace(part, clusters=None), small


def cut(
    full: Design,
    fixed: Mapping[str, int | None],
    pilot: Pilot,
    n_features: int,
    seconds: float,
) -> tuple[Design, list[str]]:
    """Return the best design that fits into the seconds, and the cuts in words.

    Cut in this order, as far as the user has not fixed them: permutations and draws; rows down to
    5,000; rounds of an audit down to 15; LOCO; then losawRF and CPI, each after permutations,
    draws, rows down to 500 and rounds again. Folds are not cut: the power of the tests comes from
    them. Where even the last design takes longer, the words say so.
    """
    design = full
    for design in _designs(full, fixed):
        if pilot.of(design, n_features) <= seconds * _SHARE:
            break
    cuts = _cuts(full, design, pilot.of(full, n_features))
    needed = pilot.of(design, n_features)
    if needed > seconds:
        cuts.append(
            "the budget cannot be kept: trials have used a part of it, what is left takes "
            f"{_duration(needed)}, and no smaller design is worth its time"
        )
    return design, cuts


def _designs(full: Design, fixed: Mapping[str, int | None]) -> Iterator[Design]:
    """Yield designs of the computation, the better one first."""
    few = {
        name: min(least, getattr(full, name))
        for name, least in (("permutations", _FEWEST_PERMUTATIONS), ("draws", _FEWEST_DRAWS))
        if fixed.get(name) is None
    }
    is_free, design = fixed.get("rows") is None, full
    for fewest, name in ((_FEW_ROWS, ""), *((_FEWEST_ROWS, name) for name in _LEFT_OUT)):
        methods = tuple(method for method in design.methods if method != name)
        if not methods:
            return
        design = replace(full, methods=methods)  # a method less leaves time for draws and rows
        yield design
        design = replace(design, **few)
        yield design
        while is_free and design.rows > fewest:
            design = replace(design, rows=max(fewest, int(design.rows * _STEP)))
            yield design
        while fixed.get("rounds") is None and design.rounds > _FEWEST_ROUNDS:
            design = replace(design, rounds=design.rounds - 1)
            yield design


def _cuts(full: Design, design: Design, seconds: float) -> list[str]:
    sizes = {"rows": "rows", "rounds": "rounds"}
    sizes |= {"permutations": "permutations of PFI"} if "pfi" in design.methods else {}
    sizes |= {"draws": "draws of CPI"} if "cpi" in design.methods else {}
    cuts = [
        f"{word}: {getattr(design, name):,} in place of {getattr(full, name):,}"
        for name, word in sizes.items()
        if getattr(design, name) != getattr(full, name)
    ]
    without = [name for name in full.methods if name not in design.methods]
    where = " where draws of CPI do not fail their test" * ("cpi" in design.methods)
    cuts += [f"{METHODS[name].label} is left out{where * (name == 'loco')}" for name in without]
    if cuts:
        takes = f"everything would take {_duration(seconds)}, and {percent(_SHARE)} of what trials "
        cuts[0] += f" ({takes}leave of a budget is planned with; a larger one keeps more)"
    return cuts


def _duration(seconds: float) -> str:
    if math.isinf(seconds):
        return "longer than could be tried in this budget"
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"about {seconds / size:.1f} {unit}"
    return f"about {seconds:.0f} s"

"""The function :func:`explain`: every importance of a table in one call."""

import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from losaw.explaining.clock import Clock
from losaw.explaining.curves import Curve, curves
from losaw.explaining.design import (
    FEWEST_FOLDS,
    METHODS,
    PILOT_FEATURES,
    PILOT_FITS,
    PILOT_ROWS,
    PILOT_SHARE,
    Design,
    Pilot,
    cut,
    full_design,
    sample,
    small_part,
    take,
)
from losaw.explaining.disagreements import Associations, associations, disagreements
from losaw.explaining.draws import decide, score_given, score_with_draws
from losaw.explaining.models import MODELS, fit_each, make_forest, make_model, splits_of
from losaw.explaining.preparing import Prepared, prepare
from losaw.explaining.result import Explanation
from losaw.explaining.scores import Unit, Work, quality, score, score_by_fits
from losaw.explaining.sentences import Sentence, answer, cautions, notes, said_of, statements
from losaw.explaining.table_file import read_file
from losaw.importance.group_tree import tree_of_groups
from losaw.knockoffs.diagnostics import DrawTest
from losaw.rng import as_generator, seed_integer, stream
from losaw.support.arguments import between_0_and_1, one_of, whole_number
from losaw.support.errors import LosawError
from losaw.support.threads import checked_jobs
from losaw.support.words import counted
from losaw.tables.groups import units_outside

SHORTEST_BUDGET = 10.0
_UNITS = {"h": 3600.0, "min": 60.0, "m": 60.0, "s": 1.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(h|min|m|s)\s*")


def explain(
    frame: Any,
    target: Any,
    *,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    methods: Sequence[str] | str | None = None,
    model: Any = "forest",
    drop: Sequence[Any] = (),
    cluster: Any = None,
    given: Sequence[str] | str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    fdr: float = 0.1,
    budget: str | float | None = "5m",
    rows: int | None = None,
    folds: int | None = None,
    permutations: int | None = None,
    draws: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Explanation:
    """Score the features of a table by several methods at once, and say what they disagree about.

    Models are fitted in every fold of a cross-fitting, and shared by all methods: a plain random
    forest (MDI, UFI), losawRF, and ``model`` (PFI, CPI with conditional draws, LOCO). Then follow
    groups of associated features, disagreements between the methods, and warnings.
    ``docs/explain.md`` explains every number.

    Parameters
    ----------
    frame : pandas or polars frame, or path of a CSV or Parquet file
        One row per observation; text, numbers, dates, missing values as they are.
    target : str
        The column to explain. Rows without a value of it are left out.
    kinds : dict of column name to {"continuous", "discrete", "nominal"}, or None
        Overrides what is inferred, and keeps columns that look like identifiers.
    task : {"regression", "classification"} or None
        None: numbers with more than two values are a regression, all else a classification.
    methods : sequence of str, str with commas, or None
        Of mdi, ufi, losaw, pfi, cpi, loco; None: all.
    model : {"forest", "gradient-boosting"} or estimator, default "forest"
        What PFI, CPI and LOCO explain. An estimator is given a frame of floats (NaN where missing)
        and unordered categories, and classes as the numbers 0, 1, …; where its ``random_state`` is
        None, it is that of this call.
    drop : sequence of str
        Columns to leave out.
    cluster : str or None
        A column whose equal values mark rows that belong together, as those of a patient: they stay
        in one fold. It is not used as a feature.
    given : sequence of str, or None
        Columns, as ``["age", "stage"]``: what does each other one add to these? By CPI alone, of
        models of these and of the other one; columns that tell the same are not hidden.
    groups : dict of group name to sequence of features, or None
        The groups that cpi tests as parts of all features, in place of associated ones.
    fdr : float, default 0.1
        False discovery rate of the selection, and of the disagreements.
    budget : str, float or None, default "5m"
        Time, as ``"90s"``, ``"2m"`` or seconds, ten at least, without compiling. Draws,
        permutations and rows are cut to fit, then methods; ``cuts`` lists it. None cuts nothing.
        Only a cut makes a result depend on the machine.
    rows, folds, permutations, draws : int or None
        Fixed, so that no budget cuts them; None: all rows, 10 folds, 5 permutations of PFI, 3 draws
        of CPI.
    n_jobs : int or None
        Threads of the forests; the result does not depend on it.
    verbose : bool, default False
        Name each part of the work on stderr as it begins.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Explanation
        ``to_frame()``, ``selected``, ``answer``, ``sentences``, ``to_html()``, ``save("prefix")``;
        ``results`` has an ImportanceResult of every method.

    Raises
    ------
    ValueError, TypeError
        For a table, a file or an argument that cannot be used; the message says what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import losaw
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=["size", "age", "noise"])
    >>> frame["price"] = 2 * frame["size"] - frame["age"] + 0.5 * rng.standard_normal(200)
    >>> losaw.explain(frame, "price", methods=["pfi", "cpi"], folds=5).selected
    ('size', 'age')
    """
    fixed = {"rows": rows, "folds": folds, "permutations": permutations, "draws": draws}
    if given is not None:
        methods = "cpi" if methods is None else methods
        given = (given,) if isinstance(given, str) else tuple(given)
    options = SharedOptions(
        model, methods, fixed, budget, fdr, n_jobs, verbose, random_state, given
    )
    if groups is not None and "cpi" not in options.methods:
        raise LosawError("groups are tested by cpi, which methods leaves out: add it")
    if groups is not None and given is not None:
        raise LosawError("groups are tested given all other features: leave out groups or given")
    data, part, design = begin(frame, target, options, kinds, task, cluster, drop)
    if groups is not None:  # refused before models are fitted
        tree_of_groups(list(part.X.columns), groups)
    with warnings.catch_warnings(action="ignore"):  # the page says what is worth a warning
        work = compute(part, design, options.seed, options, groups)
        drawn, directions = curves(work)
        related = associations(part.X, list(part.kinds.values()), options.seed)
        return conclude(data, work, related, drawn, directions, fdr)


def conclude(
    data: Prepared,
    work: Work,
    related: Associations,
    drawn: dict[str, Curve],
    directions: dict[str, str],
    fdr: float,
) -> Explanation:
    """Decide, and write all that is said of these decisions."""
    decision = decide(work, fdr)
    on_methods = disagreements(work.results, related, fdr, decision.by_loco, decision.selected)
    sections = {
        "": answer(work, decision, fdr),
        "What the data tell": statements(work, decision),
        "Directions": tuple(
            Sentence("direction of", (name,), directions[name])
            for name in decision.selected
            if name in directions
        ),
        "Beware": cautions(data, work, decision, related),
        "Disagreements between the methods": said_of(on_methods, work, decision.by_loco),
        "Notes": notes(work, bool(drawn)),
    }
    return Explanation(work, decision, related, drawn, tuple(on_methods), sections, fdr)


@dataclass
class SharedOptions:
    """The options that explaining and auditing share, checked; :func:`explain` documents each.

    ``fixed`` has rows, folds, permutations, draws and rounds, None where the budget decides.
    Methods become a tuple of names, the budget seconds or None, and the random state a seed.
    """

    model: Any
    methods: Any
    fixed: Mapping[str, int | None]
    budget: Any
    fdr: Any
    n_jobs: int | None
    verbose: bool
    seed: Any
    given: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        least = {"rows": 50, "folds": 3, "permutations": 1, "draws": 1, "rounds": 5}
        for name, value in self.fixed.items():
            if value is not None:
                whole_number(name, value, least[name])
        checked_jobs(self.n_jobs)
        if not isinstance(self.seed, int | np.integer):
            self.seed = seed_integer(as_generator(self.seed))
        self.methods = chosen_methods(self.methods)
        self.budget = read_budget(self.budget)
        self.fdr = between_0_and_1("fdr", self.fdr)
        self.seed = whole_number("random_state", self.seed, 0)
        if self.given == ():
            raise LosawError("given names no column")
        if self.given is not None and self.methods != ("cpi",):
            raise LosawError("what a feature adds to given ones is asked of cpi alone: methods=cpi")


def chosen_methods(methods: object) -> tuple[str, ...]:
    """Return the methods that are requested, in the order of ``METHODS``; None: all."""
    if methods is None:
        return tuple(METHODS)
    if not isinstance(methods, str | list | tuple):
        raise TypeError(f"methods must be names, as 'pfi,cpi', got {methods!r}")
    asked = methods.split(",") if isinstance(methods, str) else methods
    names = {str(name).strip().lower() for name in asked if str(name).strip()}
    names = {"losaw" if name == "losawrf" else name for name in names}
    for name in sorted(names):
        one_of("method", name, METHODS)
    if not names:
        raise LosawError(f"methods names none (known: {', '.join(METHODS)})")
    return tuple(name for name in METHODS if name in names)


def read_budget(budget: Any) -> float | None:
    """Seconds from ``"90s"``, ``"2m"``, ``"1.5 h"`` or a number; None and ``"none"``: no limit."""
    if budget is None or budget == "none":
        return None
    text = str(budget).strip()
    text += "s" * (text[-1:].isdigit() and text.count(" ") == 0 and _TIME.match(text) is None)
    if not re.fullmatch(f"(?:{_TIME.pattern})+", text):
        raise LosawError(
            f"budget must be a time like 90s, 2m, 1m30s, 5 min or 1h, or none, got {budget!r}"
        )
    seconds = sum(float(size) * _UNITS[unit] for size, unit in _TIME.findall(text))
    if seconds < SHORTEST_BUDGET:
        raise LosawError(f"budget must be at least {SHORTEST_BUDGET:g} s, got {budget!r}")
    return seconds


def begin(
    frame: Any,
    target: Any,
    options: SharedOptions,
    kinds: Any,
    task: str | None,
    cluster: Any,
    drop: Any,
    rounds: int = 0,
) -> tuple[Prepared, Prepared, Design]:
    """Return all rows with a response, those in use, and the design, of an audit with rounds."""
    clock, cuts = Clock(False), list[str]()
    rng = partial(stream, experiment="explain", setting="", replicate=options.seed)
    with clock.part("begin"):
        if isinstance(frame, str | Path):
            frame = read_file(frame, target, kinds=kinds, task=task, cluster=cluster, drop=drop)
        data = prepare(frame, target, kinds=kinds, task=task, cluster=cluster, drop=drop)
        full = full_design(data, options.methods, {**options.fixed, "rounds": rounds})
        if options.given is not None:
            places, _ = units_outside(options.given, list(data.X.columns), None, None)
            full = replace(full, given=tuple(data.X.columns[places]))
        if options.budget is not None:
            pilot = try_out(data, full, options, rng(component="pilot"))

    def plan(pilot: Pilot) -> tuple[Design, list[str]]:
        left = max((options.budget or np.inf) - clock.seconds["begin"], 1.0)
        return cut(full, options.fixed, pilot, data.X.shape[1] - len(full.given), left)

    design = full
    if options.budget is not None:
        design, cuts = plan(pilot)
        if cuts and (n_rows := pilot.nearer(design, PILOT_SHARE * options.budget)):
            with clock.part("begin"):
                nearer = small_part(data, design, rng(component="nearer"), n_rows)
                pilot = pilot.after(try_rows(*nearer, options, pilot.features, PILOT_SHARE))
            design, cuts = plan(pilot)
        if options.verbose:
            for each in cuts:
                with suppress(OSError):  # a full disk
                    print(f"budget: {each}", file=sys.stderr, flush=True)
    part = take(data, sample(data, design.rows, rng(component="rows")))
    if constant := [name for name in design.given if name not in part.X]:
        raise LosawError(f"given: {constant[0]} is constant in the rows in use: use more rows")
    if part.clusters is not None and (n := len(np.unique(part.clusters))) < design.folds:
        fewer = f", or --folds {n}" * (n >= FEWEST_FOLDS)
        raise LosawError(
            f"the {len(part.y):,} rows in use are of {counted(n, part.unit).rstrip(',')}, too few "
            f"for {design.folds} folds: use more rows (--rows {len(data.y)} for all){fewer}"
        )
    return data, part, replace(design, rows=len(part.y), cuts=tuple(cuts))


def try_out(
    data: Prepared, full: Design, options: SharedOptions, rng: np.random.Generator
) -> Pilot:
    """Run the computation itself on few rows, which takes a fifth of the budget at most.

    Before that with two trees: what a first call loads takes as long for any table, and must not
    be scaled; and on half of the rows, to see what grows with them.
    """
    part, design = small_part(data, full, rng)
    names = rng.permutation(part.X.columns.drop(list(full.given))).tolist()
    pilot = Pilot(design, tuple(names[: max(PILOT_FEATURES - len(full.given), PILOT_FITS)]))
    some = [*full.given, *pilot.features]
    few = replace(part, X=part.X[some], kinds={name: part.kinds[name] for name in some})
    ours = replace(options, model=options.model if isinstance(options.model, str) else "forest")
    try_rows(few, replace(design, trees=2), ours, pilot.features)
    # Fewer rows than those of a pilot are never cut.
    sizes = [PILOT_ROWS // 2, PILOT_ROWS] if len(part.y) >= PILOT_ROWS else [len(part.y)]
    for n_rows in sizes:
        trial = take(part, sample(part, n_rows, rng), keep_constant=True)
        share = 2 * PILOT_SHARE / len(sizes)
        pilot = pilot.after(try_rows(trial, design, options, pilot.features, share))
    return pilot


def try_rows(
    part: Prepared,
    design: Design,
    options: SharedOptions,
    features: Sequence[str],
    share: float = np.inf,
) -> tuple[int, dict[str, float]]:
    """Return the rows, and the seconds of each part; after a share of the budget none begins."""
    limit = share * (options.budget or np.inf)
    with warnings.catch_warnings(action="ignore"):
        work = compute(part, design, options.seed, options, features=list(features), limit=limit)
    return len(part.y), work.clock.seconds


def compute(
    data: Prepared,
    design: Design,
    seed: int,
    options: SharedOptions,
    groups: Any = None,
    features: list[str] | None = None,
    limit: float = np.inf,
    draw_tests: dict[Unit, DrawTest] | None = None,
) -> Work:
    """Fit every model in every fold, and run the methods on them.

    A pilot scores only some ``features``, and no groups; after ``limit`` seconds it begins no other
    method. What is in ``draw_tests`` is not tested again, and what is tested is put there.
    """
    clock = Clock(options.verbose and features is None, limit)
    with clock.part("fits"):
        splits = splits_of(data, design.folds, seed)
        model = make_model(options.model, data, design.trees, seed, options.n_jobs)
        models = forests = fit_each(model, data, splits)
        if options.model != "forest" and {"mdi", "ufi"} & set(design.methods):
            plain = make_forest(data, design.trees, seed, options.n_jobs)
            forests = fit_each(plain, data, splits)
        given = options.model
        called = MODELS[given] if isinstance(given, str) else type(given).__name__
        work = Work(data, design, splits, models, seed, options.n_jobs, called, clock, features)
        work.draw_tests = {} if draw_tests is None else draw_tests
        work.quality["model"] = quality(work, models)
    # First what a budget keeps longest: a pilot that is out of time has tried it.
    score(work, forests)
    if design.given:
        size = (design.trees, seed, options.n_jobs)
        score_given(work, lambda part: make_model(options.model, part, *size), options.fdr)
    elif work.runs("cpi"):
        score_with_draws(work, groups, options.fdr)
    score_by_fits(work)
    if not work.results and features is None:
        raise LosawError("methods: none is left. LOCO needs two features at least")
    return work

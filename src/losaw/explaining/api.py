"""The function :func:`explain`: every importance of a table in one call."""

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from losaw.explaining import design as sizes
from losaw.explaining.curves import curves
from losaw.explaining.design import DECIDING, Design, Pilot, chosen_methods, read_budget
from losaw.explaining.disagreements import associations, disagreements
from losaw.explaining.draws import DrawnOnce
from losaw.explaining.models import fit_each, make_forest, make_model, name_of, splits_of
from losaw.explaining.preparing import Prepared, prepare
from losaw.explaining.result import Explanation
from losaw.explaining.scores import (
    Work,
    decide,
    decorrelated,
    quality,
    shares,
    tested_groups,
)
from losaw.explaining.sentences import Section, answer, cautions, notes, said_of, statements
from losaw.explaining.table_file import read_file
from losaw.importance import cpi, loco, pfi
from losaw.kernels.compiled import COMPILING
from losaw.rng import as_generator, seed_integer, stream
from losaw.support.arguments import whole_number
from losaw.support.errors import LosawError
from losaw.tables import read_table


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
        and unordered categories, and classes as the numbers 0, 1, ….
    drop : sequence of str
        Columns to leave out.
    cluster : str or None
        A column whose equal values mark rows that belong together, as those of a patient: they stay
        in one fold. It is not used as a feature.
    groups : dict of group name to sequence of features, or None
        The groups that are tested as parts of all features, in place of associated ones.
    fdr : float, default 0.1
        False discovery rate of the selection, and of the disagreements.
    budget : str, float or None, default "5m"
        Time, as ``"90s"``, ``"2m"`` or seconds, without compiling. Draws, permutations and rows are
        cut to fit, then methods; ``cuts`` lists it. None cuts nothing. Only a cut makes a result
        depend on the machine.
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
    LosawError (a ValueError)
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
    options = Options(model, n_jobs, verbose, random_state, budget, fixed, fdr)
    begun = begin(
        frame, target, options, chosen_methods(methods), kinds=kinds, task=task, cluster=cluster,
        drop=drop,
    )  # fmt: skip
    with warnings.catch_warnings(action="ignore"):  # the page says what is worth a warning
        work = compute(begun.part, begun.design, begun.seed, options, groups)
        decision = decide(work, DECIDING, fdr)
        related = associations(work.data.X, list(work.data.kinds.values()), begun.seed)
        drawn = curves(work)
        failed = frozenset(unit[0] for unit in decision.by_loco if len(unit) == 1)
        found = disagreements(work.results, related, fdr, failed)
        sections = (
            Section("", answer(begun.data, work, decision, name_of(model), fdr)),
            Section("What the data tell", statements(decision, work.data.X.shape[1])),
            Section("Beware", cautions(begun.data, work, decision, related)),
            Section("Disagreements between the methods", said_of(found)),
            Section("Notes", notes(work)),
        )
    return Explanation(
        work, decision, related, drawn, tuple(found), sections, tuple(begun.cuts),
        len(begun.data), fdr, name_of(model),
    )  # fmt: skip


@dataclass(frozen=True)
class Options:
    """The options that explaining and auditing share; :func:`explain` documents each.

    ``fixed`` has the parts of the design that the user fixes, None where the budget decides.
    """

    model: Any
    n_jobs: int | None
    verbose: bool
    random_state: Any
    budget: Any
    fixed: Mapping[str, int | None]
    fdr: float

    def __post_init__(self) -> None:
        least = {"rows": 50, "folds": 3, "permutations": 1, "draws": 1}
        for name, value in self.fixed.items():
            if value is not None:
                whole_number(name, value, least[name])
        if isinstance(self.fdr, bool) or not isinstance(self.fdr, int | float):
            raise TypeError(f"fdr must be a number, got {self.fdr!r}")
        if not 0 < self.fdr < 1:
            raise LosawError(f"fdr must be between 0 and 1, got {self.fdr!r}")


@dataclass(frozen=True)
class Begun:
    """A table that is read, with the size of what will be computed of it.

    Attributes
    ----------
    data, part : Prepared
        All rows with a response, and those in use.
    design : Design
    cuts : list of str
        What the budget left out.
    seed : int
    """

    data: Prepared
    part: Prepared
    design: Design
    cuts: list[str]
    seed: int


def begin(
    frame: Any,
    target: Any,
    options: Options,
    methods: tuple[str, ...],
    *,
    times: int = 1,
    **of_columns: Any,
) -> Begun:
    """Read a table and choose the design, which is to be computed ``times`` times in the budget."""
    start, compiled = time.perf_counter(), COMPILING.seconds
    seconds = read_budget(options.budget)
    seed = seed_of(options.random_state)
    if isinstance(frame, str | Path):
        names = [str(n) for n in (of_columns.get("cluster"),) if n is not None]
        names += [str(target)] * (of_columns.get("task") == "classification")
        frame = read_file(frame, str(target), as_text=tuple(names), kinds=of_columns.get("kinds"))
    data = prepare(frame, target, **of_columns)
    most, what = data.n_units, "rows in use" if data.clusters is None else "clusters"
    if data.labels and data.clusters is None:
        most, what = int(np.bincount(data.y).min()), "rows of the rarest class"
    full = sizes.full_design(len(data), methods, options.fixed, most, what)
    design, cuts = full, list[str]()
    if seconds is not None:
        # The computation itself on few rows; what it compiles does not count.
        small = sizes.pilot_design(full)
        rng = stream(experiment="explain", setting="", replicate=seed, component="pilot")
        names = list(data.X.columns)
        some = rng.permutation(names)[: sizes.PILOT_FEATURES].tolist()
        # In few rows a class may be in few clusters, which is no reason to refuse the table.
        part = replace(data.take(data.sample(small.rows, rng), keep_constant=True), clusters=None)
        with warnings.catch_warnings(action="ignore"):
            limit = sizes.PILOT_SHARE * seconds
            tried = compute(part, small, seed, options, features=some, limit=limit)
        used = time.perf_counter() - start - (COMPILING.seconds - compiled)
        pilot = Pilot(small, len(some), tried.seconds)
        left = max(seconds - used, 1.0)
        design, cuts = sizes.cut(full, options.fixed, pilot, len(names), left, times)
        if options.verbose:
            for each in cuts:
                print(f"budget: {each}", file=sys.stderr, flush=True)
    rng = stream(experiment="explain", setting="", replicate=seed, component="rows")
    part = data.take(data.sample(design.rows, rng))
    design = sizes.with_rows(design, len(part))
    return Begun(data, part, design, cuts, seed)


def seed_of(random_state: Any) -> int:
    """Return the seed that is given, or one that a generator draws."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return whole_number("random_state", random_state, 0)
    return seed_integer(as_generator(random_state))


def compute(
    data: Prepared,
    design: Design,
    seed: int,
    options: Options,
    groups: Any = None,
    features: list[str] | None = None,
    limit: float = np.inf,
) -> Work:
    """Fit every model in every fold, and run the methods on them.

    Parameters
    ----------
    groups : dict or None
        The tree of groups that is tested; None: clusters of associated features.
    features : list of str or None
        Only these are scored, and no groups: the pilot of a budget. None: all.
    limit : float
        After so many seconds no other method begins.
    """

    def has(name: str) -> bool:
        return name in design.methods and sum(work.seconds.values()) < limit

    is_pilot = features is not None
    splits, shown = splits_of(data, design.folds, seed), options.verbose and not is_pilot
    work = Work(data, design, splits, seed, options.n_jobs, shown)
    n_features, names = data.X.shape[1], features or list(data.X.columns)
    model = make_model(options.model, data, design.trees, seed, options.n_jobs)
    is_forest = isinstance(options.model, str) and options.model == "forest"
    with work.part("fits"):
        work.models = fit_each(model, data, work.splits)
        work.quality["model"] = quality(work, work.models)
        forests = work.models
        if not is_forest and (has("mdi") or has("ufi")):
            plain = make_forest(data, design.trees, seed, options.n_jobs)
            forests = fit_each(plain, data, work.splits)
    for name in ("mdi", "ufi"):
        if has(name):
            with work.part(name):
                work.results[name] = shares(name, work, forests, work.splits)
    if has("losaw"):
        with work.part("losaw"):
            decorrelated(work)
    given = {"features": names, "model": work.models, "X": data.X, "y": data.y, **work.common}
    if has("pfi"):
        with work.part("pfi"):
            work.results["pfi"] = pfi(
                n_repeats=design.permutations, random_state=work.stream("pfi"), **given
            )
    if has("cpi"):
        with work.part("cpi"):
            table = read_table(data.X, kinds=data.kinds)
            columns = [table.names.index(name) for name in names] if is_pilot else None
            rng = work.stream("draws")
            drawn = DrawnOnce(table, design.draws, rng, data.clusters, columns)
            work.results["cpi"] = cpi(
                sampler=drawn, n_draws=design.draws, random_state=work.stream("cpi"), **given
            )
            if not is_pilot:
                tested_groups(work, groups)
                work.draw_tests, work.group_draws = drawn.test(
                    work.results["cpi"], work.finest, data, work.stream("test of the draws")
                )
    if has("loco") and n_features > 1:
        with work.part("loco"):
            some = names[:2] if is_pilot else names
            work.results["loco"] = loco(
                random_state=work.stream("loco"), **{**given, "features": some}
            )
        work.seconds["loco"] *= len(names) / len(some)
    if not work.results and not is_pilot:
        raise LosawError("methods: none is left. LOCO needs two features at least")
    return work

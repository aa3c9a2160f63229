"""The function :func:`explain`: every importance of a table in one call."""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from losaw.explaining.association import Associations, associations
from losaw.explaining.cautions import cautions, over_represented
from losaw.explaining.computing import compute, make_work, n_steps
from losaw.explaining.curves import curves
from losaw.explaining.design import Design, cut, folds_needed, full_design, read_budget
from losaw.explaining.disagreements import disagreements
from losaw.explaining.explanation import Explanation
from losaw.explaining.methods import METHODS, UNWEIGHTED, chosen_methods
from losaw.explaining.models import make_model
from losaw.explaining.options import Options
from losaw.explaining.preparing import Prepared, prepare, sample_rows
from losaw.explaining.probing import probe
from losaw.explaining.table_file import read_file
from losaw.kernels.compiling import COMPILING
from losaw.rng import as_generator, seed_integer, stream
from losaw.scoring.row_differences import weight_parameter
from losaw.support.arguments import whole_number
from losaw.support.errors import LosawError

_FEWEST_FOLDS = 3
_NAMES = {"forest": "a random forest", "gradient-boosting": "gradient boosting"}


def explain(
    frame: Any,
    target: str,
    *,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    methods: Sequence[str] | str | None = None,
    model: Any = "forest",
    drop: Sequence[str] = (),
    cluster: str | None = None,
    weights: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    fdr: float = 0.1,
    budget: str | float | None = "5m",
    rows: int | None = None,
    losaw_rows: int | None = None,
    folds: int | None = None,
    permutations: int | None = None,
    draws: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Explanation:
    """Score the features of a table by several methods at once, and say what they disagree about.

    Models are fitted in every fold of a cross-fitting, and shared by all methods: a plain random
    forest (MDI, UFI, ATR), losawRF, and ``model`` (PFI, CPI with conditional draws, LOCO). Then
    follow groups of associated features, disagreements between the methods, and warnings.
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
        Of mdi, ufi, mdi_oob, losaw, pfi, cpi, subgroups, loco, atr; None: all but mdi_oob and
        subgroups.
    model : {"forest", "gradient-boosting"} or estimator, default "forest"
        What PFI, CPI, subgroups and LOCO explain. An estimator is given a frame of floats (NaN
        where missing) and unordered categories.
    drop : sequence of str
        Columns to leave out.
    cluster : str or None
        A column whose equal values mark rows that belong together, as those of a patient: they stay
        in one fold. It is no feature.
    weights : str or None
        A column of sampling weights: what each row stands for. Fits, losses, tests, groups and
        curves are weighted; a method that takes no weights is left out. It is no feature.
    groups : dict of group name to sequence of features, or None
        Groups that are scored, and tested as parts of all features, in place of those of
        associated features. No feature is in two of them.
    fdr : float, default 0.1
        False discovery rate of the selection, and of the disagreements.
    budget : str, float or None, default "5m"
        Time, as ``"90s"``, ``"2m"`` or seconds, without compiling. Draws, permutations and rows are
        cut to fit, folds only as far as the test can do without them; ``cuts`` lists it. None cuts
        nothing. Only a cut makes a result depend on the machine.
    rows, losaw_rows, folds, permutations, draws : int or None
        Fixed, so that no budget cuts them; None: all rows (also for losawRF), 10 folds, 5
        permutations of PFI and subgroups, 3 draws of CPI.
    n_jobs : int or None
        Threads of the forests; the result does not depend on it.
    verbose : bool, default False
        Show progress on stderr.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Explanation
        ``to_frame()``, ``selected``, ``disagreements``, ``cautions``, ``to_html()``, ``plot()``,
        ``save("prefix")``; ``results`` holds an ImportanceResult of every method.

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
    options = Options.of(locals())
    begun = begin(frame, target, options)
    related, seed = begun.related.with_groups(groups), begun.seed
    design = replace(begun.design, given=options.given(seed, groups))
    with Progress("explain", verbose) as progress:
        work = make_work(begun.part, design, related, seed, n_jobs, progress.tick)
        progress.begin(n_steps(work, options.is_forest))
        computed = compute(work, begun.model(seed), options.is_forest)
        if not computed.results:
            raise LosawError(f"methods: none is left. {' '.join(computed.notes)}")
        warned = over_represented(begun.data, begun.part, design.folds)
        warned += cautions(work, computed, related, fdr)
        drawn = curves(work, computed)
    return Explanation(
        target=target,
        task=begun.part.task,
        columns=begun.part.columns,
        notes=(*begun.part.notes, *computed.notes),
        cautions=tuple(warned),
        cuts=tuple(begun.cuts),
        n_rows=len(begun.data),
        design=design,
        results=computed.results,
        group_results=computed.groups,
        associations=related,
        quality=computed.quality,
        disagreements=tuple(
            disagreements(computed.results, related, fdr, design.folds, drawn, computed.recognised)
        ),
        fdr=fdr,
        random_state=seed,
        model=name_of(model),
        draw_tests=computed.draw_tests,
        group_draws=computed.group_draws,
        finest=computed.finest,
        curves=drawn,
    )


@dataclass(frozen=True)
class Begun:
    """A table that is read, with a plan of what will be computed of it.

    Attributes
    ----------
    options : Options
    data, part : Prepared
        All rows with a response, and those in use.
    related : Associations
        Of the rows in use.
    design : Design
    cuts : list of str
        What the budget left out.
    seed : int
    model : callable
        ``model(seed) -> unfitted estimator``.
    """

    options: Options
    data: Prepared
    part: Prepared
    related: Associations
    design: Design
    cuts: list[str]
    seed: int
    model: Callable[[int], Any]


def begin(
    frame: Any, target: str, options: Options, *, times: int = 1, groups: bool = True
) -> Begun:
    """Read a table and choose the design.

    Parameters
    ----------
    frame, target
        As in :func:`explain`.
    options : Options
    times : int
        How often the design is to be computed within the budget.
    groups : bool
        Whether groups are scored in addition to features.
    """
    start, compiled = time.perf_counter(), COMPILING.seconds
    seconds = read_budget(options.budget)
    seed = _seed(options.random_state)
    if isinstance(frame, str | Path):
        frame = read_file(frame, target)
    data = prepare(
        frame, target, kinds=options.kinds, task=options.task, cluster=options.cluster,
        weights=options.weights, drop=options.drop,
    )  # fmt: skip
    data, wanted = _weighing(data, options)
    full = full_design(len(data), wanted, options.fixed, data.n_units)

    def model(seed: int) -> Any:
        n_features, n_jobs = data.X.shape[1], options.n_jobs
        return make_model(
            options.model, data.task, n_features, n_trees=full.trees, seed=seed % 2**31,
            n_jobs=n_jobs, weighted=data.weights is not None,
        )  # fmt: skip

    trained = model(seed)
    design, cuts = full, list[str]()
    part = _rows_in_use(data, full, seed)
    _check_folds(full.folds, part)
    related = associations(part.X, list(part.kinds.values()), seed)
    if seconds is not None:
        n_groups = len(related.groups) * groups
        costs = probe(data, trained, full.trees, wanted, n_groups, seed)
        # Compiling happens once on a machine: it is announced, and no part of the budget.
        used = time.perf_counter() - start - (COMPILING.seconds - compiled)
        fewest = folds_needed(data.X.shape[1], options.fdr)
        design, cuts = cut(full, options.fixed, costs, max(seconds - used, 1.0), times, fewest)
    if design.rows != full.rows:
        part = _rows_in_use(data, design, seed)
        related = associations(part.X, list(part.kinds.values()), seed)
    # Many classes may need more rows than the user named.
    losaw_rows = len(sample_rows(part, design.losaw_rows, as_generator(seed)))
    given = options.given(seed)
    design = replace(design, rows=len(part), losaw_rows=losaw_rows, given=given)
    return Begun(options, data, part, related, design, cuts, seed, model)


def name_of(model: Any) -> str:
    """Return the name by which sentences call a model."""
    return _NAMES[model] if isinstance(model, str) else type(model).__name__


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return whole_number("random_state", random_state, 0)
    return seed_integer(as_generator(random_state))


def _weighing(data: Prepared, options: Options) -> tuple[Prepared, tuple[str, ...]]:
    """Return the methods that can weigh the rows, and the data with a note on all others."""
    wanted = chosen_methods(options.methods)
    if data.weights is None:
        return data, wanted
    able = tuple(name for name in wanted if name not in UNWEIGHTED)
    unable = ", ".join(METHODS[name].label for name in wanted if name not in able)
    if not able:
        raise LosawError(f"weights: {unable} cannot weigh the rows; ask for other methods")
    notes = ["Scores are weighted; folds, associations, and fits and tests of the draws are not."]
    if unable:
        notes.append(f"Left out, because they cannot weigh the rows: {unable}.")
    if not isinstance(options.model, str) and weight_parameter(options.model) is None:
        notes.append(f"{name_of(options.model)} takes no weights and is fitted without them.")
    return replace(data, notes=(*data.notes, *notes)), able


def _check_folds(folds: int, data: Prepared) -> None:
    """Refuse more folds than there are clusters, rows, or rows of the rarest class."""
    most, what = data.n_units, "rows in use" if data.clusters is None else "clusters"
    if data.task == "classification" and data.clusters is None:
        most, what = int(np.unique(data.y, return_counts=True)[1].min()), "rows of the rarest class"
    if not _FEWEST_FOLDS <= folds <= most:
        raise LosawError(
            f"{most} {what} cannot be put into {folds} folds: folds must be from "
            f"{_FEWEST_FOLDS} to {most}, if there are so many"
        )


def _rows_in_use(data: Prepared, design: Design, seed: int) -> Prepared:
    """The rows of the design, at random."""
    rng = stream(experiment="explain", setting="", replicate=seed, component="rows")
    return data.take(sample_rows(data, design.rows, rng, of_each_class=design.folds))


class Progress:
    """A progress bar of fits and scores; in a log a line for every tenth of them."""

    def __init__(self, name: str, shown: bool) -> None:
        self.name = name
        self.shown = shown
        self.bar: Any = None
        self.steps = self.done = 0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *problem: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def begin(self, n_steps: int) -> None:
        """Start to show the progress of so many steps."""
        from tqdm import tqdm

        self.steps, self.start = n_steps, time.perf_counter()
        hidden = not (self.shown and sys.stderr.isatty())
        self.bar = tqdm(total=n_steps, disable=hidden, desc=self.name, unit="step")

    def tick(self, what: str) -> None:
        """Count a step as done."""
        self.bar.set_description(f"{self.name}: {what}", refresh=False)
        self.bar.update()
        self.done += 1
        if self.shown and self.bar.disable and self._is_worth_a_line():
            seconds = time.perf_counter() - self.start
            print(
                f"{self.name}: {self.done} of {self.steps} steps, {seconds:.0f} s ({what})",
                file=sys.stderr,
                flush=True,
            )

    def _is_worth_a_line(self) -> bool:
        return self.done * 10 // self.steps > (self.done - 1) * 10 // self.steps

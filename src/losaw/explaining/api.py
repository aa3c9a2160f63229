"""A table explained: every importance in one call."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from losaw.explaining.association import Associations, associations
from losaw.explaining.cautions import cautions
from losaw.explaining.computing import compute, make_work, n_steps
from losaw.explaining.design import DEFAULT_BUDGET, Design, cut, full_design, read_budget
from losaw.explaining.disagreements import disagreements
from losaw.explaining.explanation import Explanation
from losaw.explaining.methods import chosen_methods
from losaw.explaining.models import make_model
from losaw.explaining.preparing import Prepared, prepare, sample_rows
from losaw.explaining.probing import probe
from losaw.explaining.reading import read_file
from losaw.rng import as_generator, seed_integer, stream
from losaw.support.arguments import whole_number
from losaw.support.errors import LosawError
from losaw.support.words import unknown

_LEAST = {"rows": 50, "losaw_rows": 50, "folds": 3, "permutations": 1, "draws": 1}
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
    fdr: float = 0.1,
    budget: str | float | None = DEFAULT_BUDGET,
    rows: int | None = None,
    losaw_rows: int | None = None,
    folds: int | None = None,
    permutations: int | None = None,
    draws: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Explanation:
    """Which features a column of a table depends on, by several methods at once.

    Models are fitted in every fold of a cross-fitting, and shared by all methods: a plain random
    forest (MDI, UFI, ATR), losawRF, and ``model`` (PFI, CPI with sequential knockoffs, LOCO). Then
    come groups of features that hang together, what the methods disagree about, and warnings.
    ``docs/explain.md`` says what each number means.

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
    fdr : float, default 0.1
        False discovery rate of the selection, and of the disagreements.
    budget : str, float or None, default "5m"
        Time, as ``"90s"``, ``"2m"`` or seconds. Folds, permutations, draws and rows are cut to fit,
        and ``cuts`` says so; None cuts nothing. Only a cut makes a result depend on the machine.
    rows, losaw_rows, folds, permutations, draws : int or None
        Fixed, so that no budget cuts them; None: all rows (also for losawRF), 10 folds, 5
        permutations of PFI and subgroups, 3 knockoff draws of CPI.
    n_jobs : int or None
        Threads of the forests; the result does not depend on it.
    verbose : bool, default False
        Show a progress bar.
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
    asked = {
        "rows": rows,
        "losaw_rows": losaw_rows,
        "folds": folds,
        "permutations": permutations,
        "draws": draws,
    }
    begun = begin(
        frame,
        target,
        kinds=kinds,
        task=task,
        methods=methods,
        model=model,
        drop=drop,
        fdr=fdr,
        budget=budget,
        asked=asked,
        n_jobs=n_jobs,
        random_state=random_state,
    )
    design, related, seed = begun.design, begun.related, begun.seed
    is_forest = isinstance(model, str) and model == "forest"
    with Bar("explain", verbose) as bar:
        work = make_work(begun.part, design, related, seed, n_jobs, bar.tick)
        bar.begin(n_steps(work, is_forest))
        computed = compute(work, begun.model(seed), is_forest)
        warned = cautions(work, computed)
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
        disagreements=tuple(disagreements(computed.results, related, fdr, design.folds)),
        fdr=fdr,
        random_state=seed,
        model=name_of(model),
    )


@dataclass(frozen=True)
class Begun:
    """A table that is read, with what will be computed of it.

    Attributes
    ----------
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

    data: Prepared
    part: Prepared
    related: Associations
    design: Design
    cuts: list[str]
    seed: int
    model: Callable[[int], Any]


def begin(
    frame: Any,
    target: str,
    *,
    kinds: Mapping[str, str] | None,
    task: str | None,
    methods: Sequence[str] | str | None,
    model: Any,
    drop: Sequence[str],
    fdr: float,
    budget: str | float | None,
    asked: Mapping[str, int | None],
    n_jobs: int | None,
    random_state: int | np.random.Generator | None,
    times: int = 1,
    groups: bool = True,
) -> Begun:
    """Read a table and choose the design; arguments as :func:`explain` has them.

    Parameters
    ----------
    asked : mapping
        rows, losaw_rows, folds, permutations and draws, as far as they are fixed.
    times : int
        How often the design is to be computed within the budget.
    groups : bool
        Whether groups are scored beside features.
    """
    start = time.perf_counter()
    seconds = read_budget(budget)
    wanted = chosen_methods(methods)
    if not 0 < fdr < 1:
        raise LosawError(f"fdr must be between 0 and 1, got {fdr!r}")
    for name, value in asked.items():
        if value is not None:
            whole_number(name, value, _LEAST[name])
    seed = _seed(random_state)
    if isinstance(frame, str | Path):
        frame = read_file(frame, target)
    data = prepare(_without(frame, drop, target), target, kinds=kinds, task=task)
    full = full_design(len(data), wanted, dict(asked))

    def made(seed: int) -> Any:
        n_features = data.X.shape[1]
        return make_model(
            model, data.task, n_features, n_trees=full.trees, seed=seed % 2**31, n_jobs=n_jobs
        )

    trained = made(seed)
    design, cuts = full, list[str]()
    part = _rows_in_use(data, full, seed)
    related = associations(part.X, list(part.kinds.values()), seed)
    if seconds is not None:
        n_groups = len(related.groups) * groups
        costs = probe(data, trained, full.trees, wanted, n_groups, seed)
        left = max(seconds - (time.perf_counter() - start), 1.0)
        design, cuts = cut(full, dict(asked), costs, left, times)
    if design.rows != full.rows:
        part = _rows_in_use(data, design, seed)
        related = associations(part.X, list(part.kinds.values()), seed)
    return Begun(data, part, related, design, cuts, seed, made)


def name_of(model: Any) -> str:
    """What a model is called in sentences."""
    return _NAMES[model] if isinstance(model, str) else type(model).__name__


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return whole_number("random_state", random_state, 0)
    return seed_integer(as_generator(random_state))


def _without(frame: Any, drop: Sequence[str], target: str) -> Any:
    """The frame without the columns that the user leaves out."""
    dropped = [drop] if isinstance(drop, str) else list(drop)
    if not dropped or not hasattr(frame, "columns"):
        return frame
    names = [str(name) for name in frame.columns]
    for name in dropped:
        if name not in names:
            raise LosawError(f"drop: {unknown('column', name, names)}")
        if name == target:
            raise LosawError(f"drop: {name!r} is the target")
    return frame[[key for key in frame.columns if str(key) not in dropped]]


def _rows_in_use(data: Prepared, design: Design, seed: int) -> Prepared:
    """The rows of the design, at random."""
    rng = stream(experiment="explain", setting="", replicate=seed, component="rows")
    return data.take(sample_rows(data, design.rows, rng))


class Bar:
    """A progress bar of fits and scores."""

    def __init__(self, name: str, shown: bool) -> None:
        self.name = name
        self.shown = shown
        self.bar: Any = None

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *problem: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def begin(self, n_steps: int) -> None:
        """Show the bar."""
        from tqdm import tqdm

        self.bar = tqdm(total=n_steps, disable=not self.shown, desc=self.name, unit="step")

    def tick(self, what: str) -> None:
        """One step is done."""
        self.bar.set_description(f"{self.name}: {what}", refresh=False)
        self.bar.update()

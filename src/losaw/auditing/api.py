"""The function :func:`audit`: all methods on responses simulated from a table's own features."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from losaw.auditing.responses import LARGEST_SHARE, LEAST_SHARE
from losaw.auditing.result import Audit
from losaw.auditing.rounds import run_round
from losaw.explaining.api import SharedOptions, begin, compute
from losaw.explaining.scores import Unit
from losaw.explaining.sentences import rare_classes
from losaw.knockoffs.diagnostics import DrawTest
from losaw.support.arguments import real_number, whole_number
from losaw.support.errors import LosawError

_ROUNDS = 30
_MOST_SIGNALS = 5


def audit(
    frame: Any,
    target: Any,
    *,
    rounds: int | None = None,
    share: float | None = None,
    signals: int | None = None,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    methods: Sequence[str] | str | None = None,
    model: Any = "forest",
    drop: Sequence[Any] = (),
    cluster: Any = None,
    fdr: float = 0.1,
    budget: str | float | None = "10m",
    rows: int | None = None,
    folds: int | None = None,
    permutations: int | None = None,
    draws: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Audit:
    """Measure which methods find known causes among the features of a table.

    The features stay as they are, with their dependence. In every round some of them are drawn at
    random, a response is simulated from these and from noise
    (:func:`losaw.auditing.responses.make_response`), and the methods of :func:`losaw.explain` are
    run on it. The best prediction of a simulated response explains as much of it as ``model``
    explains of the table's own target.

    Parameters
    ----------
    frame, target, kinds, task, model, drop, cluster, rows, folds, permutations, draws
        As in :func:`losaw.explain`.
    rounds : int or None
        Simulated responses, 5 at least; None: 30, of which a budget keeps 15 at least.
    share : float or None
        From .05 to .95: the part of a simulated response that its best prediction explains; of
        classes, of the numbers that they are cut from. None: what ``model`` explains of ``target``
        on unseen rows.
    signals : int or None
        Features that cause a response; None: a third of all, from 1 to 5.
    methods : sequence of str, str with commas, or None
        Of mdi, ufi, losaw, pfi, cpi, loco; None: all.
    fdr : float, default 0.1
        False discovery rate at which methods that test select.
    budget : str, float or None, default "10m"
        Time of all rounds; the design of a round is cut to fit, as in :func:`losaw.explain`.
    n_jobs : int or None
        Threads of the forests; the result does not depend on it.
    verbose : bool, default False
        Show progress on stderr.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Audit
        ``to_frame()``, ``trusted``, ``verdicts``, ``rounds``, ``to_html()``, ``save("prefix")``.

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
    >>> frame = pd.DataFrame(rng.standard_normal((120, 4)), columns=["a", "b", "c", "d"])
    >>> frame["price"] = frame["a"] + 0.5 * rng.standard_normal(120)
    >>> found = losaw.audit(frame, "price", methods="mdi,pfi", rounds=5, folds=3, budget=None)
    >>> sorted(found.to_frame()["method"])
    ['MDI', 'PFI']
    """
    import pandas as pd
    from tqdm import tqdm

    if share is not None:
        real_number("share", share, LEAST_SHARE, LARGEST_SHARE)
    fixed = {"rows": rows, "folds": folds, "permutations": permutations, "draws": draws}
    fixed["rounds"] = rounds
    options = SharedOptions(model, methods, fixed, budget, fdr, n_jobs, verbose, random_state)
    rounds = rounds or _ROUNDS
    data, prepared, design = begin(frame, target, options, kinds, task, cluster, drop, rounds)
    n_features = prepared.X.shape[1]
    if n_features < 2:
        raise LosawError("an audit needs two features at least: one that matters and one that not")
    if signals is None:
        signals = max(1, min(_MOST_SIGNALS, n_features // 3))
    why = f"less than the number of features ({n_features})"
    n_signals = whole_number("signals", signals, 1, why, maximum=n_features - 1)
    options.verbose, lines = False, []  # rounds have a bar in place of lines
    tests: dict[Unit, DrawTest] = {}
    with warnings.catch_warnings(action="ignore"):  # the page says what is worth a warning
        on_the_target = compute(prepared, replace(design, methods=("mdi",)), options.seed, options)
        quality = on_the_target.quality["model"]
        made_share = min(max(quality.share if share is None else share, LEAST_SHARE), LARGEST_SHARE)
        for number in tqdm(range(design.rounds), disable=not verbose, desc="audit", unit="round"):
            drawn = (number, made_share, n_signals)
            lines.append(run_round(prepared, design, options, *drawn, tests))
    rare = [sentence.text for sentence in rare_classes(data, prepared)]
    return Audit(
        target=prepared.target,
        task=prepared.task,
        features=tuple(prepared.X.columns),
        design=design,
        rounds=pd.concat(lines, ignore_index=True),
        share=made_share,
        quality=quality,
        n_signals=n_signals,
        fdr=fdr,
        random_state=options.seed,
        model=on_the_target.model,
        notes=(*rare, *prepared.notes),
    )

"""The function :func:`audit`: all methods on responses simulated from a table's own features."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from losaw.auditing.audit_result import Audit
from losaw.auditing.responses import LARGEST_SHARE, LEAST_SHARE, Response
from losaw.auditing.rounds import run_round, share_explained
from losaw.explaining.api import Begun, Progress, begin, name_of
from losaw.explaining.cautions import over_represented
from losaw.explaining.methods import DEFAULT, METHODS, chosen_methods
from losaw.explaining.options import Options
from losaw.support.arguments import whole_number
from losaw.support.errors import LosawError

DEFAULT_ROUNDS, FEWEST_ROUNDS = 30, 5
_MOST_SIGNALS = 5


def audit(
    frame: Any,
    target: str,
    *,
    rounds: int = DEFAULT_ROUNDS,
    share: float | None = None,
    signals: int | None = None,
    response: Response | None = None,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    methods: Sequence[str] | str | None = None,
    model: Any = "forest",
    drop: Sequence[str] = (),
    cluster: str | None = None,
    weights: str | None = None,
    fdr: float = 0.1,
    budget: str | float | None = "10m",
    rows: int | None = None,
    losaw_rows: int | None = None,
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
    frame, target, kinds, task, model, drop, cluster, weights, rows, losaw_rows, folds, \
permutations, draws
        As in :func:`losaw.explain`.
    rounds : int, default 30
        Simulated responses, 5 at least.
    share : float or None
        From .05 to .95: the part of a simulated response that its best prediction explains (R^2, or
        the Brier skill of classes). None: what ``model`` explains of ``target`` on unseen rows.
    signals : int or None
        Features that cause a response; None: a third of all, from 1 to 5.
    response : callable or None
        A kind of response of your own, ``response(X, rng) -> (f, causes)``: its value for each row
        of X, without noise, and the names of the columns that it depends on. Noise is added.
    methods : sequence of str, str with commas, or None
        Of mdi, ufi, mdi_oob, losaw, pfi, cpi, subgroups, loco; None: all but mdi_oob and subgroups.
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
    LosawError (a ValueError)
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

    whole_number("rounds", rounds, FEWEST_ROUNDS)
    if share is not None:
        _check_share(share)
    options = Options.of(locals())
    options = replace(options, methods=_with_a_truth(methods))
    begun = begin(frame, target, options, times=rounds + 1, groups=False)
    n_signals = _signals(signals, begun)
    with Progress("audit", verbose) as progress:
        progress.begin(rounds + 1)
        quality = share_explained(begun)
        progress.tick("the table's own response")
        wanted = quality.share if share is None else share
        made_share = min(max(wanted, LEAST_SHARE), LARGEST_SHARE)
        lines = []
        for number in range(rounds):
            lines.append(run_round(begun, number, made_share, n_signals, response))
            progress.tick(f"round {number + 1}")
    return Audit(
        target=target,
        task=begun.part.task,
        features=tuple(begun.part.X.columns),
        n_rows=len(begun.data),
        design=begun.design,
        cuts=tuple(begun.cuts),
        rounds=pd.concat(lines, ignore_index=True),
        share=made_share,
        quality=quality,
        n_signals=n_signals,
        response="" if response is None else getattr(response, "__name__", "response"),
        fdr=fdr,
        random_state=begun.seed,
        model=name_of(model),
        notes=(
            *over_represented(begun.data, begun.part, begun.design.folds),
            *begun.part.notes,
        ),
    )


def _check_share(share: Any) -> None:
    is_number = isinstance(share, int | float) and not isinstance(share, bool)
    if not (is_number and LEAST_SHARE <= share <= LARGEST_SHARE):
        raise LosawError(f"share must be from {LEAST_SHARE} to {LARGEST_SHARE}, got {share!r}")


def _with_a_truth(methods: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the methods whose scores say which features matter; a direction does not."""
    if methods is None:
        return tuple(name for name in DEFAULT if METHODS[name].family != "direction")
    wanted = chosen_methods(methods)
    for name in wanted:
        if METHODS[name].family == "direction":
            raise LosawError(
                f"{METHODS[name].label} says a direction, not which features matter. Leave it out "
                "of an audit"
            )
    return wanted


def _signals(asked: int | None, begun: Begun) -> int:
    n_features = begun.part.X.shape[1]
    if n_features < 2:
        raise LosawError("an audit needs two features at least: one that matters and one that not")
    if asked is None:
        return max(1, min(_MOST_SIGNALS, n_features // 3))
    whole_number("signals", asked, 1)
    if asked >= n_features:
        raise LosawError(
            f"signals must be less than the number of features ({n_features}), got {asked}"
        )
    return asked

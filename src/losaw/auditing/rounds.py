"""Rounds of an audit: a simulated response with all methods on it, and the methods compared."""

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from losaw.auditing.responses import make_response
from losaw.data import FloatArray
from losaw.explaining.api import SharedOptions, compute
from losaw.explaining.design import Design
from losaw.explaining.draws import Decision, decide
from losaw.explaining.models import ClassInOneFold
from losaw.explaining.preparing import Prepared
from losaw.explaining.scores import Unit, Work
from losaw.knockoffs.diagnostics import DrawTest
from losaw.rng import seed_integer, stream
from losaw.scoring.many_tests import adjust
from losaw.scoring.precision_recall import precision_recall_area
from losaw.scoring.tests import t_tests
from losaw.support.errors import LosawError
from losaw.support.words import listed

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
_ORDERS = 200


def run_round(
    prepared: Prepared,
    design: Design,
    options: SharedOptions,
    number: int,
    share: float,
    n_signals: int,
    draw_tests: dict[Unit, DrawTest],
) -> "pd.DataFrame":
    """Simulate one response, and return a line for every method.

    Draws depend on the features alone: each is tested once, see ``draw_tests`` of
    :func:`losaw.explaining.api.compute`.

    ``pr_auc``: of the scores, signals against the rest (:func:`area`). ``first``: share of signals
    among as many features with the highest scores. Of methods that test, at the false discovery
    rate: ``found``, the share of signals that are selected, and ``false``, the share of others
    among what is selected (0 where nothing is). CPI selects as explain does: where its draws fail,
    LOCO decides. ``statements``, ``false_statements``, ``named``: groups that explain finds to
    matter, those of them without a cause, and the share of causes that are in one; NaN without CPI.
    """
    import pandas as pd

    rng = partial(stream, experiment="audit", setting=str(options.seed), replicate=number)
    drawing = rng(component="response")
    y, signal = make_response(
        prepared.X, prepared.y, bool(prepared.labels), share, n_signals, drawing
    )
    if not prepared.labels:  # parameters of the model may be in the unit of the target
        y = prepared.y.mean() + prepared.y.std() * np.sqrt(share) * y
    data, seed = replace(prepared, y=y), seed_integer(rng(component="fits"))
    try:
        work = compute(data, design, seed, options, draw_tests=draw_tests)
    except LosawError as error:
        raise LosawError(_refusal(error, number + 1, data)) from error
    decision = decide(work, options.fdr, heads=False)
    causes = list(prepared.X.columns[list(signal)])
    is_signal, lines = prepared.X.columns.isin(causes), []
    for name, result in work.results.items():
        scores, share_found, share_false = result.ranking_scores(), np.nan, np.nan
        if result.p_values is not None:
            selected = decision.selected if name == "cpi" else result.select(fdr=options.fdr)
            chosen = np.isin(result.feature_names, selected)
            share_found = float(chosen[is_signal].mean())
            share_false = float((chosen & ~is_signal).sum() / max(1, chosen.sum()))
        lines.append(
            {
                "round": number,
                "method": name,
                "pr_auc": area(scores, is_signal, rng(component="ties")),
                "first": signals_first(scores, is_signal),
                "found": share_found,
                "false": share_false,
            }
        )
    return pd.DataFrame(lines).assign(
        explained=work.quality["model"].share,
        signals=listed(causes),
        **_judged(work, decision, causes),
    )


def _refusal(error: LosawError, number: int, data: Prepared) -> str:
    """Why a round cannot be computed: its response is the reason, for the table's own could be."""
    if isinstance(error, ClassInOneFold):
        where = "clusters" if data.is_clustered else "copies, which stay in one fold"
        return (
            f"round {number}: a class of the simulated response has all of its rows in one fold, "
            f"since the features hardly vary within {where}: use a smaller --share, or merge rare "
            "classes"
        )
    own = " ".join(str(error.__cause__ or error).split())[:300]
    of = "" if data.labels else ", which may be any number: audit a model for such, as the forest"
    return (
        f"model: it was fitted to {data.target!r}, but cannot be to the simulated response of "
        f"round {number}{of} ({own})"
    )


def _judged(work: Work, decision: Decision, causes: list[str]) -> dict[str, float]:
    """Count the statements on groups, the false ones, and the share of causes that they name."""
    if "cpi" not in work.results:
        return dict.fromkeys(("statements", "false_statements", "named"), np.nan)
    named = {name for group in decision.stated for name in group}
    return {
        "statements": len(decision.stated),
        "false_statements": sum(not set(group) & set(causes) for group in decision.stated),
        "named": sum(cause in named for cause in causes) / len(causes),
    }


def area(scores: FloatArray, is_signal: NDArray[np.bool_], rng: np.random.Generator) -> float:
    """The area under the precision-recall curve; equal scores count as a random order.

    By :func:`losaw.scoring.precision_recall.precision_recall_area` itself, scores that are all
    equal would have far more than a random order of them: a method that says nothing could win.
    """
    if len(np.unique(scores)) == len(scores):
        return precision_recall_area(scores, is_signal)
    orders = (np.lexsort((rng.random(len(scores)), scores)) for _ in range(_ORDERS))
    places = (order.argsort().astype(float) for order in orders)
    return float(np.mean([precision_recall_area(place, is_signal) for place in places]))


def signals_first(scores: FloatArray, is_signal: NDArray[np.bool_]) -> float:
    """The share of signals among the k highest scores, for k signals; ties count by their mean."""
    n_signals = int(is_signal.sum())
    last = np.sort(scores)[-n_signals]
    above, level = scores > last, scores == last
    places = n_signals - int(above.sum())
    return float((is_signal[above].sum() + places * is_signal[level].mean()) / n_signals)


def by_chance(firsts: FloatArray, n_features: int, n_signals: int) -> float:
    """The chance that random orders have so many signals in first places, over all rounds.

    ``firsts`` has a share of :func:`signals_first` for each round. The number of signals of a round
    is hypergeometric, since its signals are drawn at random.
    """
    k, others = n_signals, n_features - n_signals
    ways = [math.comb(k, found) * math.comb(others, k - found) for found in range(k + 1)]
    of_round, law = np.array([way / math.comb(n_features, k) for way in ways]), np.ones(1)
    for _ in firsts:
        law = np.convolve(law, of_round)
    least = math.ceil(firsts.sum() * k - 1e-9)  # of shares that sum to it but for rounding
    return float(law[least:].sum())


def bounds(shares: FloatArray) -> tuple[float, float]:
    """Return one-sided 95 % bounds of the mean share of false selections, from one share a round.

    Below by Student's t. Above as well, after one more round that is as bad as the worst: shares
    are mostly 0 with a few large ones, and Student's t alone claims too often that such a mean is
    small. Where all rounds agree there is no error to go by: then a round counts as one yes-or-no
    decision.
    """
    from scipy.special import stdtrit

    if np.isnan(shares).any():
        return np.nan, np.nan
    n_rounds = len(shares)
    if np.ptp(shares) == 0:
        slack = 1.0 - LEVEL ** (1.0 / n_rounds)
        return float(shares[0] - slack), float(shares[0] + slack)
    worse = np.append(shares, shares.max())
    low = shares.mean() - stdtrit(n_rounds - 1, 1 - LEVEL) * _errors(shares)
    return float(low), float(worse.mean() + stdtrit(n_rounds, 1 - LEVEL) * _errors(worse))


def standings(rounds: "pd.DataFrame", fdr: float) -> "pd.DataFrame":
    """Return a line for every method, from the best mean pr-AUC down.

    ``pr_auc``, ``first``, ``found`` and ``false`` are means over rounds, with the errors of the
    first and the last. ``behind`` is the mean difference of pr-AUC to the best method over the same
    rounds, ``p_value`` one-sided, of a method that is as good as the best, adjusted over methods
    (Holm): by t-tests, and by a sign test where all rounds have the same difference. ``trusted``
    are those that are not significantly worse. The best is chosen by the rounds that it is compared
    on, which favours it slightly. ``keeps`` says whether the share of false selections is at most
    ``fdr``, "yes", "no" or "open", by its :func:`bounds`; empty for a method that does not test.
    """
    measured = rounds.groupby("method")[["pr_auc", "first", "found", "false"]]
    frame = measured.mean().sort_values("pr_auc", ascending=False, kind="stable")
    by_round = rounds.pivot(index="round", columns="method", values=["pr_auc", "false"])
    pr_auc, false = (by_round[name][frame.index].to_numpy() for name in ("pr_auc", "false"))
    behind = pr_auc[:, :1] - pr_auc
    errors, spread = _errors(behind), measured.sem()
    p_values = t_tests(behind.mean(axis=0), errors, len(behind) - 1)
    agree = (errors <= 1e-12) & (behind.mean(axis=0) > 0)  # no error to go by, as in bounds
    p_values = np.where(agree, 0.5 ** len(behind), p_values)
    adjusted = np.array([1.0, *adjust(p_values[1:], "holm")])
    low, high = np.array([bounds(shares) for shares in false.T]).T
    answers = [frame["false"].isna(), low > fdr, high <= fdr]
    return frame.assign(
        pr_auc_error=spread["pr_auc"],
        behind=behind.mean(axis=0),
        behind_error=errors,
        p_value=adjusted,
        false_error=spread["false"],
        false_low=low,
        false_high=high,
        trusted=~(adjusted <= LEVEL),
        keeps=np.select(answers, ["", "no", "yes"], "open"),
    ).reset_index()


def _errors(values: FloatArray) -> FloatArray:
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))

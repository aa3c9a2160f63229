"""Rounds of an audit: a simulated response, and all methods on it."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from losaw.auditing.responses import Response, make_response
from losaw.data import FloatArray, Truth
from losaw.explaining.api import Begun
from losaw.explaining.computing import Computed, Quality, compute, make_work
from losaw.explaining.preparing import Prepared
from losaw.metrics.ranking import PrecisionRecallAuc
from losaw.rng import seed_integer, stream
from losaw.scoring.importance_result import ImportanceResult

if TYPE_CHECKING:
    import pandas as pd


def share_explained(begun: Begun) -> Quality:
    """Return how much the model explains of the table's own response, on unseen rows."""
    nothing = replace(begun, design=replace(begun.design, methods=()))
    quality: Quality = _computed(nothing, begun.part, begun.seed, True).quality["model"]
    return quality


def run_round(
    begun: Begun, number: int, share: float, n_signals: int, response: Response | None = None
) -> "pd.DataFrame":
    """Simulate one response, and return a line for every method.

    ``pr_auc``: of the scores, signals against the rest. ``first``: share of signals among as many
    features with the highest scores. Of methods that test, at the false discovery rate ``fdr``:
    ``found``, the share of signals that are selected, and ``false``, the share of others among what
    is selected (0 where nothing is). CPI selects no feature whose draws are recognised, as explain.
    ``best``: the part of the response that its best prediction explains.
    ``statements``, ``false_statements``, ``named``: groups that explain finds to matter, those of
    them without a cause, and the share of causes that are in one; NaN without CPI.
    """
    import pandas as pd

    def rng(component: str) -> np.random.Generator:
        return stream(
            experiment="audit", setting=str(begun.seed), replicate=number, component=component
        )

    part = begun.part
    made = make_response(part.X, part.y, part.task, share, n_signals, rng("response"), response)
    seed = seed_integer(rng("fits"))
    is_forest = begun.options.is_forest
    computed = _computed(begun, replace(part, y=made.y), seed, is_forest)
    truth = Truth(made.signal, part.X.shape[1])
    rows = [
        {"round": number, "method": name}
        | _measured(
            result, truth, begun.options.fdr, computed.recognised if name == "cpi" else frozenset()
        )
        for name, result in computed.results.items()
    ]
    causes = list(part.X.columns[list(made.signal)])
    explained = computed.quality["model"].share if "model" in computed.quality else np.nan
    return pd.DataFrame(rows).assign(
        best=made.share, explained=explained, signals=", ".join(causes), **_judged(computed, causes)
    )


def _judged(computed: Computed, causes: list[str]) -> dict[str, float]:
    """Count the statements on groups, the false ones, and the share of causes that they name."""
    if "cpi" not in computed.results:
        return dict.fromkeys(("statements", "false_statements", "named"), np.nan)
    groups = [g for g in computed.finest if len(g) > 1 or g[0] not in computed.recognised]
    said = {name for group in groups for name in group}
    return {
        "statements": len(groups),
        "false_statements": sum(not set(group) & set(causes) for group in groups),
        "named": sum(cause in said for cause in causes) / len(causes),
    }


def _computed(begun: Begun, data: Prepared, seed: int, forest_is_model: bool) -> Computed:
    # Groups are no features: what is scored has its own truth.
    related = replace(begun.related, groups={})
    # A progress bar shows whole rounds, not their parts.
    jobs, tick = begun.options.n_jobs, lambda what: None
    work = make_work(data, begun.design, related, seed, jobs, tick)
    return compute(work, begun.model(seed), forest_is_model)


def _measured(
    result: ImportanceResult, truth: Truth, fdr: float, recognised: frozenset[str]
) -> dict[str, float]:
    is_signal = truth.is_signal
    measured = {
        "pr_auc": PrecisionRecallAuc()(result, truth),
        "first": signals_first(result.ranking_scores(), is_signal),
        "found": np.nan,
        "false": np.nan,
    }
    if result.p_values is not None:
        selected = [name for name in result.select(fdr=fdr) if name not in recognised]
        chosen = np.isin(result.feature_names, selected)
        measured["found"] = float(chosen[is_signal].mean())
        measured["false"] = float((chosen & ~is_signal).sum() / max(1, chosen.sum()))
    return measured


def signals_first(scores: FloatArray, is_signal: NDArray[np.bool_]) -> float:
    """The share of signals among the k highest scores, for k signals; ties count by their mean."""
    n_signals = int(is_signal.sum())
    last = np.sort(scores)[-n_signals]
    above, level = scores > last, scores == last
    places = n_signals - int(above.sum())
    return float((is_signal[above].sum() + places * is_signal[level].mean()) / n_signals)

"""How much the weights of each feature cost, beside how often it is drawn (losaw, Section 5)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.report.drawings.one_replicate import chosen_setting, empty_figure, scores_of, signal_mask
from losaw.report.drawings.options import whole_number
from losaw.report.drawings.scores_by_feature import describe
from losaw.report.results import StudyResults
from losaw.report.style import INK, NOISE, SIGNAL, heading, new_figure
from losaw.study.blocks import Block
from losaw.study.grid import Setting, Study
from losaw.study.runner import build_recipe

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    study: Study,
    results: StudyResults,
    *,
    learner: str,
    importance: str,
    where: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> "Figure":
    """Relative effective sample size of each feature's weights, against the feature's score.

    Features are drawn in proportion to their scores before these were scaled to 0–1, so that what
    lies to the right is what mini-batches are weighted for. The replicate's data are drawn anew,
    and the weights computed with the learner's eta and correlation threshold; nothing is trained.

    Parameters
    ----------
    learner, importance : str
        Labels of the study; the learner has ``eta`` and ``correlation_threshold``.
    where : dict or None
        Axis -> values: the first such setting that was run is shown.
    seed : int, default 0
        The replicate.

    Raises
    ------
    OptionError
        If an axis is unknown.

    Notes
    -----
    Where the replicate was not run, the figure says so.
    """
    setting = chosen_setting(study, results, where or {}, whole_number("seed", seed, 0))
    row = None if setting is None else scores_of(results, setting, learner, importance, seed)
    if setting is None or row is None:
        return empty_figure()
    scores, signal = np.asarray(row["scores"], dtype=float), signal_mask(row)
    sizes, eta = _sizes(study, results, setting, learner, seed)
    figure = new_figure(3.0, 4.5)
    ax = figure.subplots()
    for mask, colour, name in ((~signal, NOISE, "noise feature"), (signal, SIGNAL, "signal")):
        ax.scatter(scores[mask], sizes[mask], s=14, color=colour, label=name, zorder=2)
    ax.axhline(eta, color=INK, linewidth=0.7, linestyle="--")
    ax.annotate(f"η = {eta:g}", (1.0, eta), ha="right", va="bottom", fontsize=7)
    ax.set_ylim(0, 1.05)
    ax.set_xlabel(f"{study.show(importance)}, with which the chance of a draw grows")
    ax.set_ylabel("relative effective sample size")
    ax.grid()
    heading(ax, f"{study.show(learner)}, {describe(study, setting.axes)}, seed {seed}")
    ax.legend(loc="best")
    return figure


def _sizes(
    study: Study, results: StudyResults, setting: Setting, learner: str, seed: int
) -> tuple[np.ndarray, float]:
    from losaw.network import FeatureWeights

    block = Block(study.name, setting.identifier, learner, seed, seed)
    recipe, _ = build_recipe(study, block, results.folder.parent / "laws")
    X = recipe.draw(recipe.rng(seed, "data")).train.X
    parameters = study.learner(learner).parameters_for(setting)
    eta = float(parameters["eta"])
    weights = FeatureWeights(X, eta, float(parameters["correlation_threshold"]))
    sizes = [weights.relative_effective_sample_size(p) for p in range(X.shape[1])]
    return np.array(sizes), eta

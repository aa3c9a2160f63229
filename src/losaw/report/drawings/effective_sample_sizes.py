"""The cost of each feature's weights, and how often it was drawn (losaw, Section 5)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from losaw.report.drawings.one_replicate import chosen_setting, scores_of_fit, signal_mask
from losaw.report.drawings.panels import empty_figure
from losaw.report.drawings.scores_by_feature import describe
from losaw.report.options import whole_number
from losaw.report.results import StudyResults
from losaw.report.style import INK, NOISE, SIGNAL, heading, new_figure
from losaw.study.design.grid import Study
from losaw.study.running.recipe import replicate_model, replicate_recipe

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
    """Relative effective sample size s(w) / N of the weights of each feature that was drawn,
    against the number of mini-batches that were drawn with them.

    A block stores the scores of importances, and this is none: what the training notes is not
    stored. The replicate is computed once more from its streams, which takes one fit.

    Parameters
    ----------
    learner, importance : str
        Labels of the study; the learner notes its draws in ``training_record_``.
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
    Where the replicate was not run, the figure contains a note.
    """
    setting = chosen_setting(study, results, where or {}, whole_number("seed", seed, 0))
    row = None if setting is None else scores_of_fit(results, setting, learner, importance, seed)
    if setting is None or row is None:
        return empty_figure("this replicate was not run")
    signal = signal_mask(row)
    recipe = replicate_recipe(study, setting, learner, results.folder.parent)
    record = replicate_model(recipe, seed).training_record_
    draws, sizes = record["draws"], record["relative_effective_sample_sizes"]
    figure = new_figure(2.6)
    ax = figure.subplots()
    for mask, colour, name in ((~signal, NOISE, "noise feature"), (signal, SIGNAL, "signal")):
        mask = mask & (draws > 0)
        share = draws[mask].sum() / draws.sum()
        label = f"{name}: {share:.0%} of the draws"
        ax.scatter(draws[mask], sizes[mask], s=14, color=colour, label=label, zorder=2)
    eta = float(study.learner(learner).parameters_for(setting)["eta"])
    ax.axhline(eta, color=INK, linewidth=0.7, linestyle="--")
    ax.annotate(f"η = {eta:g}", (ax.get_xlim()[1], eta), ha="right", va="bottom", fontsize=7)
    ax.set_ylim(0, 1.05)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel(f"mini-batches drawn for the feature, of {draws.sum():,}")
    ax.set_ylabel("relative effective sample size")
    ax.grid()
    heading(ax, f"{study.show(learner)}, {describe(study, setting.axes)}, seed {seed}")
    figure.legend(loc="outside lower center", ncols=2)
    return figure

"""Panels of a figure, and the settings and scores that are drawn in them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from losaw.data import FloatArray
from losaw.study.errors import OptionError
from losaw.study.report.results import StudyResults
from losaw.study.report.style import FIRST, INK, SECOND, SIGNAL, TEXT_WIDTH, THIRD, new_figure
from losaw.study.report.tables import in_words
from losaw.study.report.typeset import run_count
from losaw.study.request.grid import Study
from losaw.study.request.settings import Setting, matches
from losaw.study.request.study_file import as_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Without grey, which stands for noise features.
COLOURS = (FIRST, SECOND, THIRD, "#CC79A7", SIGNAL, "#56B4E9", "#B8A200", INK)
MARKERS = "osD^v<>PX*"
MOST_TICKS = 12  # so many numbers have a tick each

Scale = Literal["linear", "log", "symlog"]
Where = Mapping[str, Any]


def selected(study: Study, where: Where | None) -> list[Setting]:
    """The settings of a study that agree with ``where``, in the order of the grid."""
    return [setting for setting in study.settings if matches(where or {}, setting.axes)]


def panels_of(
    study: Study, identifiers: Iterable[str], panels: str | Sequence[str], where: Where | None
) -> dict[str, list[Setting]]:
    """Map the values of the panels' axes to the settings of :func:`selected` with results."""
    with_results = set(identifiers)
    groups: dict[str, list[Setting]] = {}
    for setting in selected(study, where):
        if setting.identifier in with_results:
            values = [in_words(study.show, axis, setting.axes[axis]) for axis in as_values(panels)]
            groups.setdefault(", ".join(values), []).append(setting)
    return groups


def only(settings: Sequence[Setting]) -> Setting:
    """The setting of a panel that shows one."""
    if len(settings) > 1:
        raise OptionError(f"where: {len(settings)} settings are left, a panel shows one")
    return settings[0]


def places_of(
    settings: Sequence[Setting], axis: str, mean: Mapping[str, Any], distinct: bool = True
) -> dict[str, float]:
    """Identifiers of the settings -> their numbers along an axis, or the means of a metric."""
    try:
        at = {s.identifier: float(s.axes.get(axis, mean.get(s.identifier, ""))) for s in settings}
    except (TypeError, ValueError):
        raise OptionError(f"axis: the values of {axis!r} are not numbers") from None
    if distinct and len(set(at.values())) < len(at):
        raise OptionError(f"where: several settings of a panel have the same value of {axis!r}")
    return at


def run_scores(
    results: StudyResults, setting: Setting, learner: str | None, importance: str
) -> tuple[FloatArray, list[str], set[int]]:
    """Scores (n_runs, n_features), names of the features, columns of the signal that all share."""
    scores = results.scores_of(learner, importance)
    rows = scores[scores["setting_id"] == setting.identifier]
    if rows.empty:
        raise OptionError(
            f"there are no {importance!r} scores of learner {learner!r} in {setting.identifier}"
        )
    if len(learners := list(rows["learner"].unique())) > 1:
        raise OptionError(f"learner: {importance!r} is of {', '.join(learners)}; name one")
    signal, *others = {frozenset(each) for each in rows["signal"]}
    features = list(rows["features"].iloc[0])
    return np.stack(rows["scores"].to_list()), features, set() if others else set(signal)


def deviation(values: FloatArray) -> FloatArray:
    """The standard deviation of single runs, (n_features,); 0 for a single run."""
    return np.asarray(values.std(axis=0, ddof=min(1, len(values) - 1)))


def half_interval(values: FloatArray) -> FloatArray:
    """1.96 standard errors of the mean over runs, (n_features,); 0 for a single run."""
    return 1.96 * deviation(values) / np.sqrt(len(values))


def set_scale(ax: "Axes", scale: Scale, values: Iterable[float], ticks: bool = True) -> None:
    """Set the scale of the horizontal axis, with a tick at every value where they are few."""
    numbers = sorted(set(values))
    positive = [x for x in numbers if x > 0]
    if scale != "linear" and len(positive) < (1 if scale == "symlog" else len(numbers)):
        other = "symlog" if positive else "linear"
        raise OptionError(f"scale: {scale!r} has no place for {numbers[0]:g}; take {other!r}")
    ax.set_xscale(scale, **({"linthresh": positive[0]} if scale == "symlog" else {}))
    if ticks and len(numbers) <= MOST_TICKS:
        turned = 60 if len(numbers) > 5 else 0
        ax.set_xticks(numbers, [f"{x:g}" for x in numbers], rotation=turned)
        ax.minorticks_off()


def describe_panel(ax: "Axes", titles: Sequence[str], counts: Iterable[int]) -> None:
    """Write titles and number of runs above a panel, and draw lines across it."""
    title = ", ".join(title for title in titles if title)
    count = run_count(list(counts) or [0])
    texts = ax.set_title(title), ax.set_title(count, loc="right", fontweight="normal", fontsize=7)
    # The layout makes panels wider than they are here: a title that fits now does not meet it.
    if sum(text.get_window_extent().width for text in texts) > ax.bbox.width:
        ax.set_title(f"{title}\n")
    ax.grid(axis="y")


def panels_in_rows(
    n_panels: int, most_columns: int, height: float, label: str, **options: Any
) -> "tuple[Figure, list[Axes], int]":
    """Return a figure, the axes of its panels row by row, and the number of columns.

    ``label`` is that of the first vertical axis of a row, which is ``height`` inches high. What is
    left of the last row stays empty.
    """
    n_columns = min(most_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    width = TEXT_WIDTH if n_columns > 1 or most_columns == 1 else 4.5
    figure = new_figure(0.6 + height * n_rows, width)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options).ravel()
    for ax in axes[n_panels:]:
        ax.set_visible(False)
    for ax in axes[:n_panels:n_columns]:
        ax.set_ylabel(label)
    return figure, list(axes[:n_panels]), n_columns


def legend_below(figure: "Figure", axes: "Sequence[Axes]", n_columns: int) -> None:
    """Put one legend below all panels, if they name more than one thing."""
    named: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    _put_below(figure, named, n_columns)


def colour_legend(figure: "Figure", colours: Mapping[str, str]) -> None:
    """Put what colours mean below all panels, if there are several."""
    from matplotlib.patches import Patch

    _put_below(figure, {name: Patch(color=colour) for name, colour in colours.items()}, 6)


def _put_below(figure: "Figure", named: Mapping[str, Any], n_columns: int) -> None:
    """A legend of as many columns as the figure is wide enough for, and room for its rows."""
    heights = []
    for n in range(min(n_columns, len(named)), 0, -1) if len(named) > 1 else ():
        legend = figure.legend(named.values(), named, loc="outside lower center", ncols=n)
        box = legend.get_window_extent()
        heights.append(box.height / figure.dpi)
        if n == 1 or box.width < figure.bbox.width:
            figure.set_figheight(figure.get_figheight() + heights[-1] - heights[0])
            return
        legend.remove()


def empty_figure(why: str = "none of these settings was run") -> "Figure":
    """A figure with a note, for settings or replicates that were not run."""
    figure = new_figure(1.0, 4.5)
    figure.text(0.5, 0.5, why, ha="center", va="center")
    return figure

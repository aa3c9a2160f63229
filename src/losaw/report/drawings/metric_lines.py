"""A metric of several methods against a numerical axis (TreeInner, Figures 2, 3 and 6 to 29)."""

from typing import TYPE_CHECKING

import pandas as pd

from losaw.report.drawings.panels import (
    COLOURS,
    MARKERS,
    Panel,
    along,
    describe_panel,
    legend_below,
    panel_title,
    panels_in_rows,
    panels_of,
)
from losaw.report.options import OptionError
from losaw.report.results import StudyResults
from losaw.report.style import INK
from losaw.study.design.grid import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCALES = ("linear", "log", "symlog")
STEP = 1.6  # points between neighbouring methods, so that bars do not hide bars


def draw(
    study: Study,
    results: StudyResults,
    *,
    metric: str,
    axis: str,
    panels: str,
    methods: list[str] | None = None,
    scale: str = "linear",
) -> "Figure":
    """One line per method: means with bars of one Monte Carlo standard error.

    Parameters
    ----------
    metric : str
        Metric of the study.
    axis : str
        Numerical axis of the study.
    panels : str or list of str
        Axes of the study; one panel for each combination of values that was run.
    methods : list of str or None
        Names of the comparison's columns, in the order of the legend; those without results are
        left out. None: the first one, for a metric that belongs to the model.
    scale : {"linear", "log", "symlog"}, default "linear"
        Of the axis; "symlog" is logarithmic from the smallest positive value on, with room for 0.

    Raises
    ------
    OptionError
        If the scale is unknown, the settings of a panel are not along the axis, or no value is
        there.
    """
    if scale not in SCALES:
        raise OptionError(f"scale must be one of {', '.join(SCALES)}, got {scale!r}")
    summary = results.summary
    summary = summary[(summary["metric"] == metric) & (summary["n_seeds"] > 0)]
    known = list(dict.fromkeys(summary["method"]))
    # The place in the study's list decides colour and line, so that figures can be compared.
    shown = {n: i for i, n in enumerate(methods or known[:1]) if n in known}
    summary = summary[summary["method"].isin(list(shown))]
    groups = panels_of(study, summary["setting_id"], panels)
    figure, axes, n_columns = panels_in_rows(
        len(groups), 2, height=2.2, margin=0.8, width_of_one=4.5
    )
    for ax, (panel, settings) in zip(axes, groups.items(), strict=True):
        x = dict(zip([s.identifier for s in settings], along(axis, settings), strict=True))
        _draw_panel(ax, study, panel, summary, shown, x)
        set_scale(ax, scale, list(x.values()))
        ax.set_xlabel(study.show(axis))
    for ax in axes[::n_columns]:
        ax.set_ylabel(study.show(metric))
    if methods:
        legend_below(figure, axes[0], 1 + n_columns)
    return figure


def _draw_panel(
    ax: "Axes",
    study: Study,
    panel: Panel,
    summary: pd.DataFrame,
    shown: dict[str, int],
    x: dict[str, float],
) -> None:
    from matplotlib.transforms import ScaledTranslation

    inches = ax.figure.dpi_scale_trans
    for place, (method, index) in enumerate(shown.items()):
        aside = (place - (len(shown) - 1) / 2) * STEP / 72
        line = summary[(summary["method"] == method) & summary["setting_id"].isin(list(x))]
        drawn = ax.errorbar(
            line["setting_id"].map(x),
            line["mean"],
            yerr=line["mc_se"].fillna(0.0),
            label=study.show(method),
            color=COLOURS[(index // 2) % len(COLOURS)],
            linestyle="-" if index % 2 == 0 else "--",
            marker=MARKERS[index % len(MARKERS)],
            markersize=3.5,
            elinewidth=0.8,
        )
        for artist in drawn.get_children():
            artist.set_transform(ax.transData + ScaledTranslation(aside, 0, inches))
    low, high = ax.get_ylim()
    if low < 0 < high:
        ax.axhline(0, color=INK, linewidth=0.6, zorder=1)
    counts = summary[summary["setting_id"].isin(list(x))]["n_seeds"]
    describe_panel(ax, panel_title(study, panel), counts)


def set_scale(ax: "Axes", scale: str, values: list[float]) -> None:
    """Scale of the horizontal axis, with a tick at every value."""
    positive = [value for value in values if value > 0]
    if scale == "symlog" and positive:
        ax.set_xscale("symlog", linthresh=min(positive))
        ax.set_xlim(min(values) - 0.4 * min(positive), 2 * max(values))  # the default: decades
    else:
        ax.set_xscale(scale)
    ax.set_xticks(values, [f"{value:g}" for value in values])
    ax.minorticks_off()

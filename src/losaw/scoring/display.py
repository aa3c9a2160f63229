"""An ImportanceResult as a picture, and as a table of HTML."""

import html
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.support.extras import extra
from losaw.support.words import unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _GREY = "#0072b2", "#999999"
_TENTHS = 10


def plot_scores(result: Any, ax: "Axes | None", top: int, level: float) -> "Axes":
    """Bars of the scores, see :meth:`ImportanceResult.plot`."""
    with extra("plot"):
        import matplotlib.pyplot as plt

    order = np.argsort(-result.ranking_scores(), kind="stable")[:top][::-1]
    if ax is None:
        size = (6, 0.3 * len(order) + 1)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    names = [result.feature_names[j] for j in order]
    colours = [_GREY if name in result.notes else _BLUE for name in names]
    ax.barh(names, result.scores[order], color=colours)
    label = _axis_label(result)
    if result.std_error is not None:
        half = result.interval(level)[order, 1] - result.scores[order]
        ax.errorbar(
            result.scores[order], np.arange(len(order)), xerr=half, fmt="none", ecolor="black"
        )
        label += f"\n{100 * level:g}% interval {result.std_error_kind}"
    ax.axvline(0.0, color="black", linewidth=0.8)
    ax.set_xlabel(label)
    return ax


def plot_row_differences(result: Any, feature: str, ax: "Axes | None") -> "Axes":
    """Differences of rows, see :meth:`ImportanceResult.plot_rows`."""
    with extra("plot"):
        import matplotlib.pyplot as plt

    if feature not in result.feature_names:
        raise ValueError(unknown("feature", feature, result.feature_names))
    if result.rows is None or result.table is None:
        raise ValueError(
            "the score of this method is no mean over rows, so that rows have no part in it; ask "
            "cpi, loco, pfi or subgroups"
        )
    if feature not in result.table.names:
        raise ValueError(f"{feature!r} is a group; its values have no order to be drawn in")
    differences = result.rows[:, result.feature_names.index(feature)]
    column = result.table.names.index(feature)
    codes, levels = result.table.codes[:, column], result.table.levels[column]
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    known = np.isfinite(differences) & ~np.isnan(codes)
    if levels is None and result.table.kinds[column] == "continuous":
        _draw_numbers(ax, codes[known], differences[known])
    else:
        _draw_levels(ax, codes[known], differences[known], levels)
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.set_xlabel(feature)
    ax.set_ylabel("difference in loss of a row")
    return ax


def _draw_numbers(ax: "Axes", values: FloatArray, differences: FloatArray) -> None:
    ax.scatter(values, differences, s=8, alpha=0.3, color=_BLUE, linewidths=0)
    parts = np.array_split(np.argsort(values, kind="stable"), min(_TENTHS, len(values)))
    ax.plot(
        [values[part].mean() for part in parts],
        [differences[part].mean() for part in parts],
        "o-",
        color="black",
        label="mean of a tenth of the rows",
    )
    ax.legend()


def _draw_levels(
    ax: "Axes", codes: FloatArray, differences: FloatArray, levels: tuple[Any, ...] | None
) -> None:
    present: NDArray[Any] = np.unique(codes)
    ax.boxplot([differences[codes == code] for code in present], showmeans=True)
    names = [f"{code:g}" if levels is None else str(levels[int(code)]) for code in present]
    ax.set_xticks(np.arange(1, len(present) + 1), names, rotation=45, ha="right")


def result_html(result: Any) -> str:
    """Return a table, most important first."""
    table = result.to_frame().to_html(index=False, float_format="{:.4g}".format)
    foot = "" if result.std_error_kind is None else f"std_error: {result.std_error_kind}"
    return f"<code>{html.escape(result.method)}</code>{table}<small>{html.escape(foot)}</small>"


def _axis_label(result: Any) -> str:
    return f"importance ({result.method.partition('(')[0]})" if result.method else "importance"

"""Panels of a figure: one for each combination of axes' values that was run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.report.options import OptionError, check_names
from losaw.report.style import NOISE, SIGNAL, TEXT_WIDTH, heading, new_figure
from losaw.report.typeset import run_count
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting, as_values, matches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#999999", "#222222")
MARKERS = "osD^v<>PX*"

Panel = tuple[Any, ...]


def panels_of(
    study: Study, identifiers: Iterable[str], panels: str | Sequence[str]
) -> dict[Panel, list[Setting]]:
    """Values of the panels' axes -> the settings there, in the order of the grid.

    Parameters
    ----------
    identifiers : iterable of str
        Settings that have results.
    panels : str or list of str
        Axes of the study.

    Raises
    ------
    OptionError
        If there are no results.
    """
    there = set(identifiers)
    groups: dict[Panel, list[Setting]] = {}
    for setting in study.settings:
        if setting.identifier in there:
            key = tuple(setting.axes[axis] for axis in as_values(panels))
            groups.setdefault(key, []).append(setting)
    if not groups:
        raise OptionError("there are no results to draw: run the study first")
    return groups


def selected(study: Study, where: Mapping[str, Any] | None) -> list[Setting]:
    """The settings of a study that agree with ``where``, in the order of the grid.

    Raises
    ------
    OptionError
        If an axis of ``where`` is unknown.
    """
    check_names("where", where or {}, study.axes, "axis")
    selection = {axis: as_values(values) for axis, values in (where or {}).items()}
    return [setting for setting in study.settings if setting.matches(selection)]


def rows_where(frame: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a frame with a column per axis that agree with ``where``."""
    agree = [matches(where, row) for row in frame.to_dict("records")]
    return frame[np.array(agree, dtype=bool)]


def titles_of(study: Study, settings: Iterable[Setting], axes: str | list[str]) -> list[str]:
    """The settings' values of one or more axes as titles of panels, which must differ.

    The axes after the first are named.

    Raises
    ------
    OptionError
        If two settings share the values.
    """
    first, *others = as_values(axes)
    titles = [
        ", ".join(
            [
                study.show(setting.axes[first]),
                *(f"{study.show(axis)} {study.show(setting.axes[axis])}" for axis in others),
            ]
        )
        for setting in settings
    ]
    if len(set(titles)) < len(titles):
        names = ", ".join(as_values(axes))
        raise OptionError(f"panels: several settings have the same value of {names!r}")
    return titles


def along(axis: str, settings: Sequence[Setting]) -> list[float]:
    """The settings' values of an axis, which must differ.

    Raises
    ------
    OptionError
        If two settings of a panel share a value, or a value is no number.
    """
    try:
        values = [float(setting.axes[axis]) for setting in settings]
    except (TypeError, ValueError):
        raise OptionError(f"axis: the values of {axis!r} are not numbers") from None
    if len(set(values)) < len(values):
        raise OptionError(f"panels: several settings of one panel have the same value of {axis!r}")
    return values


def panel_title(study: Study, panel: Panel) -> str:
    """The values of a panel's axes, as the study shows them."""
    return ", ".join(study.show(value) for value in panel).capitalize()


def note_runs(ax: "Axes", counts: Iterable[int]) -> None:
    """Write the number of a panel's runs above its right edge."""
    ax.set_title(run_count(list(counts)), loc="right", fontweight="normal", fontsize=7)


def describe_panel(ax: "Axes", title: str, counts: Iterable[int]) -> None:
    """Title and number of runs above a panel, and lines across it."""
    heading(ax, title)
    note_runs(ax, counts)
    ax.grid(axis="y")


def panels_in_rows(
    n_panels: int,
    most_columns: int,
    *,
    height: float,
    margin: float,
    width_of_one: float = TEXT_WIDTH,
    **options: Any,
) -> "tuple[Figure, list[Axes], int]":
    """Return a figure, the axes of its panels row by row, and the number of columns.

    What is left of the last row stays empty. A row is ``height`` inches high, to which ``margin``
    is added once; with a single column the figure is ``width_of_one`` wide.
    """
    n_columns = min(most_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    figure = new_figure(margin + height * n_rows, TEXT_WIDTH if n_columns > 1 else width_of_one)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options).ravel()
    for ax in axes[n_panels:]:
        ax.set_visible(False)
    return figure, list(axes[:n_panels]), n_columns


def legend_below(figure: "Figure", ax: "Axes", n_columns: int) -> None:
    """The legend of one panel, below all of them."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)


def signal_legend(figure: "Figure") -> None:
    """The colours of signal and noise features, below all panels."""
    from matplotlib.patches import Patch

    names = {"signal feature": SIGNAL, "noise feature": NOISE}
    handles = [Patch(color=colour, label=name) for name, colour in names.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def empty_figure(why: str = "none of these settings was run") -> "Figure":
    """A figure with a note, for settings or replicates that were not run."""
    figure = new_figure(1.0, 4.5)
    figure.text(0.5, 0.5, why, ha="center", va="center")
    return figure

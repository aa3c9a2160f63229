"""Panels of a figure, and the settings and scores that are drawn in them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.data import FloatArray
from losaw.study.design.grid import Study
from losaw.study.design.settings import Setting, as_values, matches
from losaw.study.report.options import OptionError, check_names
from losaw.study.report.results import StudyResults
from losaw.study.report.style import (
    FIRST,
    INK,
    NOISE,
    SECOND,
    SIGNAL,
    TEXT_WIDTH,
    THIRD,
    heading,
    new_figure,
)
from losaw.study.report.typeset import run_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (FIRST, SECOND, THIRD, SIGNAL, "#CC79A7", "#56B4E9", "#999999", INK)
# Without grey, which stands for noise features next to them.
FEATURE_COLOURS = (FIRST, SECOND, THIRD, "#CC79A7", SIGNAL, "#56B4E9", "#B8A200", INK)
MARKERS = "osD^v<>PX*"
NOT_RUN = "none of these settings was run"

Panel = tuple[Any, ...]
Where = Mapping[str, Any]


def panels_of(
    study: Study, identifiers: Iterable[str], panels: str | Sequence[str]
) -> dict[Panel, list[Setting]]:
    """Map the values of the panels' axes to the settings that have results, in the grid's order."""
    there = set(identifiers)
    groups: dict[Panel, list[Setting]] = {}
    for setting in study.settings:
        if setting.identifier in there:
            key = tuple(setting.axes[axis] for axis in as_values(panels))
            groups.setdefault(key, []).append(setting)
    if not groups:
        raise OptionError("there are no results to draw: run the study first")
    return groups


def selected(study: Study, where: Where | None) -> list[Setting]:
    """The settings of a study that agree with ``where``, in the order of the grid."""
    check_names("where", where or {}, study.axes, "axis")
    selection = {axis: as_values(values) for axis, values in (where or {}).items()}
    return [setting for setting in study.settings if setting.matches(selection)]


def chosen_settings(study: Study, results: StudyResults, where: Where | None) -> list[Setting]:
    """The settings of :func:`selected` that have scores; an error if none has."""
    run = set(results.scores["setting_id"])
    settings = [setting for setting in selected(study, where) if setting.identifier in run]
    if not settings:
        raise OptionError(f"where: no setting that was run agrees with {dict(where or {})}")
    return settings


def rows_where(frame: pd.DataFrame, where: Where | None) -> pd.DataFrame:
    """The rows of a frame with a column per axis that agree with ``where``."""
    agree = [matches(where or {}, row) for row in frame.to_dict("records")]
    return frame[np.array(agree, dtype=bool)]


def scores_of(
    results: StudyResults, setting: Setting, learner: str, importance: str
) -> tuple[FloatArray, list[str], set[int]]:
    """Scores (n_runs, n_features), names of the features, and columns of the signal features."""
    scores = results.scores_of(learner, importance)
    rows = scores[(scores["setting_id"] == setting.identifier) & scores["scores"].notna()]
    if rows.empty:
        raise OptionError(
            f"there are no {importance!r} scores of learner {learner!r} in {setting.identifier}"
        )
    first = rows.iloc[0]
    return np.stack(rows["scores"].to_list()), list(first["features"]), set(first["signal"])


def feature_colours(features: list[str], signal: set[int]) -> dict[str, str]:
    """A colour for every signal feature (or all, if none is known), grey for noise features."""
    coloured = [i for i in range(len(features)) if i in signal or not signal]
    colours = dict.fromkeys(features, NOISE)
    for rank, i in enumerate(coloured):
        colours[features[i]] = FEATURE_COLOURS[rank % len(FEATURE_COLOURS)]
    return colours


def standard_error(values: FloatArray) -> FloatArray:
    """The standard error of the mean over runs, (n_features,); 0 for a single run."""
    if len(values) < 2:
        return np.zeros(values.shape[1])
    return np.asarray(pd.DataFrame(values).sem().to_numpy())


def deviation(values: FloatArray) -> FloatArray | None:
    """The standard deviation of single runs, (n_features,); None for a single run."""
    return np.asarray(values.std(axis=0, ddof=1)) if len(values) > 1 else None


def titles_of(study: Study, settings: Iterable[Setting], axes: str | list[str]) -> list[str]:
    """The settings' values of one or more axes as titles of panels, which must differ.

    The axes after the first are named.
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


def along(axis: str, settings: Sequence[Setting], option: str = "panels") -> list[float]:
    """The settings' values of an axis: different numbers, or ``option`` is refused."""
    try:
        values = [float(setting.axes[axis]) for setting in settings]
    except (TypeError, ValueError):
        raise OptionError(f"axis: the values of {axis!r} are not numbers") from None
    if len(set(values)) < len(values):
        raise OptionError(
            f"{option}: several settings of one panel have the same value of {axis!r}"
        )
    return values


def panel_title(study: Study, panel: Panel) -> str:
    """The values of a panel's axes, as the study shows them."""
    return ", ".join(study.show(value) for value in panel).capitalize()


def note_runs(ax: "Axes", counts: Iterable[int]) -> None:
    """Write the number of a panel's runs above its right edge."""
    ax.set_title(run_count(list(counts)), loc="right", fontweight="normal", fontsize=7)


def describe_panel(ax: "Axes", title: str, counts: Iterable[int]) -> None:
    """Write title and number of runs above a panel, and draw lines across it."""
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


def panels_in_a_row(
    n_panels: int, *, height: float, margin: float, width: float, **options: Any
) -> "tuple[Figure, list[Axes]]":
    """Return a figure and the axes of its panels, each ``width`` inches wide as far as they fit."""
    figure = new_figure(height, min(TEXT_WIDTH, margin + width * n_panels))
    return figure, list(figure.subplots(1, n_panels, squeeze=False, **options)[0])


def legend_below(figure: "Figure", ax: "Axes", n_columns: int) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)


def signal_legend(figure: "Figure") -> None:
    """Put the colours of signal and noise features below all panels."""
    from matplotlib.patches import Patch

    names = {"signal feature": SIGNAL, "noise feature": NOISE}
    handles = [Patch(color=colour, label=name) for name, colour in names.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def empty_figure(why: str = NOT_RUN) -> "Figure":
    """A figure with a note, for settings or replicates that were not run."""
    figure = new_figure(1.0, 4.5)
    figure.text(0.5, 0.5, why, ha="center", va="center")
    return figure

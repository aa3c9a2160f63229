"""The picture of a replication: every counted value, its distance in margins, and the claims."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from losaw.study.claims.weighing import CLAIM_VERDICTS, CONTRADICTED, MIXED, MOSTLY_OPEN, SUPPORTED
from losaw.study.report.style import (
    FAINT,
    FIRST,
    INK,
    NOISE,
    SECOND,
    SIGNAL,
    TEXT_WIDTH,
    house_style,
    new_figure,
    write_picture,
)
from losaw.study.results.agreement import AGREES, DEVIATES, DIFFERS, NO_ERROR, UNDECIDED
from losaw.study.results.compare import CANNOT_BE_DECIDED
from losaw.support.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

# Outcome -> its marker, colour, whether it is filled, and words; the rare ones are drawn last.
# Also without colour: filled and round agrees, hollow is open, with corners differs.
_LOOKS: dict[str, tuple[str, str, bool, str]] = {
    AGREES: ("o", FIRST, True, "agree within the margin"),
    CANNOT_BE_DECIDED: ("s", NOISE, False, "no number of runs can decide"),
    UNDECIDED: ("o", INK, False, "open: more runs decide"),
    NO_ERROR: ("P", INK, True, "without an error to judge by"),
    DEVIATES: ("^", SIGNAL, True, "deviate (2 < |z| ≤ 3)"),
    DIFFERS: ("X", SECOND, True, "differ (|z| > 3)"),
}
_UNDECIDED = CLAIM_VERDICTS[4:]
# Verdict on a claim -> colour and hatching of its part of the bar.
_BARS = {
    SUPPORTED: (FIRST, ""),
    MOSTLY_OPEN: ("#9CC9E5", ""),
    MIXED: (SIGNAL, "////"),
    CONTRADICTED: (SECOND, "xxxx"),
}
_BARS |= {verdict: ("white", ".." * n) for n, verdict in enumerate(_UNDECIDED)}
_FAR = 5.0  # margins; what is farther away stands on the border
_GOLDEN = 0.618  # of its multiples no two lie close


def draw_replication(
    cells: pd.DataFrame, claims: Mapping[str, Iterable[str]], is_narrow: bool = False
) -> bytes:
    """Return the picture as PNG: published against ours, distances in margins, claims.

    ``cells`` are compared cells with their ``outcome``, the ``family`` of their metric, its
    ``label``, and the ``row`` of the distances in which they are. ``claims`` has the verdicts of
    each row of bars. The narrow layout is for phones, with one thing below the other. Equal rows
    give equal bytes.
    """
    families = sorted(cells.groupby("family", sort=False), key=lambda family: -len(family[1]))
    rows = list(dict.fromkeys(cells["row"]))
    n_columns = min(2 if is_narrow else 5, len(families))
    n_lines = -(-len(families) // n_columns) if families else 0
    width = TEXT_WIDTH / 2 if is_narrow else TEXT_WIDTH
    heights = {
        "key": (1.0 if is_narrow else 0.42) if families else 0,
        "values": n_lines * (1.8 if is_narrow else 1.6),
        "rows": 0.6 + 0.17 * len(rows) if rows else 0,
        "claims": 1.4 + 0.24 * max(len(claims), 2) if claims else 0,
    }
    below = ("rows", "claims")
    with house_style():
        if rows and claims and not is_narrow:
            heights["below"] = max(heights.pop(name) for name in below)
        heights = {name: height for name, height in heights.items() if height}
        figure = new_figure(sum(heights.values()), width)
        parts = _split(figure, heights)
        if "below" in parts:
            two = parts["below"].subfigures(1, 2, width_ratios=[1.25, 1])
            parts |= dict(zip(below, two, strict=True))
        if families:
            axes = parts["values"].subplots(n_lines, n_columns, squeeze=False).ravel()
            for ax, (family, own) in zip(axes, families, strict=False):
                _draw_values(ax, str(family), own)
            for ax in axes[len(families) :]:
                ax.set_visible(False)
            axes[0].set_ylabel("ours")
            axes[0].set_xlabel("published")
            _draw_key(parts["key"], cells, 1 if is_narrow else 3)
            _draw_distances(parts["rows"].subplots(), cells, rows)
        if claims:
            _draw_claims(parts["claims"], claims)
        drawn = BytesIO()
        write_picture(figure, drawn)
    return drawn.getvalue()


def _split(figure: "FigureBase", heights: Mapping[str, float]) -> dict[str, Any]:
    parts = figure.subfigures(len(heights), 1, height_ratios=list(heights.values()), squeeze=False)
    return dict(zip(heights, parts.ravel(), strict=True))


def _scatter(ax: "Axes", outcome: str, x: Any, y: Any) -> None:
    marker, colour, is_filled, _ = _LOOKS[outcome]
    edge = "white" if outcome == AGREES else INK
    ax.scatter(
        x,
        y,
        s=9 if marker == "o" else 15,
        marker=marker,
        facecolor=colour if is_filled else "none",
        edgecolor=edge if is_filled else colour,
        linewidth=0.3 if is_filled else 0.7,
        clip_on=False,
        zorder=3,
    )


def _draw_values(ax: "Axes", family: str, cells: pd.DataFrame) -> None:
    """Published against ours, on equal scales, with the diagonal."""
    labels = cells["label"].unique()
    name = labels[0] if len(labels) == 1 else family.replace("_", " ")
    ax.set_title(f"{name}\n{counted(len(cells), '[value|values]')}", fontsize=7)
    both = cells[["published", "reproduced"]].to_numpy(dtype=float)
    low, high = np.nanmin(both), np.nanmax(both)
    pad = 0.05 * (high - low) or 0.5
    limits = low - pad, high + pad
    ax.plot(limits, limits, color=INK, linewidth=0.6, zorder=1)
    for outcome in _LOOKS:
        own = cells[cells["outcome"] == outcome]
        _scatter(ax, outcome, own["published"], own["reproduced"])
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.locator_params(nbins=3)
    ax.tick_params(labelsize=7)


def _draw_key(figure: "FigureBase", cells: pd.DataFrame, n_columns: int) -> None:
    """What a marker says, with the number of values that have it."""
    from matplotlib.lines import Line2D

    count = cells["outcome"].value_counts()
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, markersize=4,
               markerfacecolor=colour if is_filled else "none",
               label=f"{count[outcome]:,} {words}")
        for outcome, (marker, colour, is_filled, words) in _LOOKS.items()
        if outcome in count
    ]  # fmt: skip
    figure.legend(handles=handles, loc="center", ncols=n_columns, columnspacing=1, handletextpad=0)


def _draw_distances(ax: "Axes", cells: pd.DataFrame, rows: list[str]) -> None:
    """Ours less published in margins, a row for each table; the band is the margin."""
    ax.axvspan(-1, 1, color=FAINT, alpha=0.5, linewidth=0)
    ax.axvline(0, color=INK, linewidth=0.6)
    far = ((cells["reproduced"] - cells["published"]) / cells["margin"]).clip(-_FAR, _FAR)
    places = {row: height for height, row in enumerate(rows[::-1])}
    spread = 0.6 * (_GOLDEN * cells.groupby("row").cumcount() % 1 - 0.5)
    heights = cells["row"].map(places) + spread
    for outcome in _LOOKS:
        own = cells["outcome"] == outcome
        _scatter(ax, outcome, far[own], heights[own])
    agrees = (cells["outcome"] == AGREES).groupby(cells["row"]).agg(["sum", "count"])
    for row, height in places.items():
        words = "{} of {}".format(*agrees.loc[row])
        ax.text(1.05, height, words, transform=ax.get_yaxis_transform(), va="center", fontsize=7)
    ax.text(1.05, 1, "agree", transform=ax.transAxes, fontsize=7)
    ax.set_yticks(range(len(rows)), rows[::-1], fontsize=7)
    ax.set(xlim=(-_FAR, _FAR), ylim=(-0.6, len(rows) - 0.4))
    ax.set_title("differences, table by table", fontsize=7)
    ax.set(xlabel=f"(ours − published) / margin, cut at {_FAR:g}")
    ax.tick_params(axis="y", length=0)


def _draw_claims(figure: "FigureBase", claims: Mapping[str, Iterable[str]]) -> None:
    """A bar for each paper, its parts the verdicts on the claims of the text."""
    from matplotlib.patches import Patch

    ax = figure.subplots()
    counts = pd.DataFrame({name: pd.Series(list(v)).value_counts() for name, v in claims.items()})
    counts = counts.reindex(_BARS).fillna(0).astype(int)
    counts = counts[counts.sum(axis=1) > 0]
    for height, name in enumerate(counts.columns[::-1]):
        left = 0
        for verdict, count in counts[name].items():
            colour, hatch = _BARS[str(verdict)]
            look: dict[str, Any] = {"facecolor": colour, "hatch": hatch, "edgecolor": INK}
            ax.barh(height, count, 0.7, left, linewidth=0.4, **look)
            if count >= 0.05 * counts.sum().max():
                ink = "white" if colour in (FIRST, SECOND) else INK
                box = {"pad": 1.2, "linewidth": 0, "facecolor": colour}
                at = (left + count / 2, height)
                ax.text(*at, count, ha="center", va="center", fontsize=7, color=ink, bbox=box)
            left += count
    ax.set_yticks(range(counts.shape[1]), counts.columns[::-1])
    ax.set_title("claims of the text", fontsize=7)
    ax.margins(x=0.01)
    ax.locator_params(axis="x", integer=True)
    pad = 0.5 if counts.shape[1] == 1 else 0  # one bar is no wall
    ax.set_ylim(-0.5 - pad, counts.shape[1] - 0.5 + pad)
    ax.tick_params(axis="y", length=0)
    handles = [
        Patch(facecolor=_BARS[str(verdict)][0], hatch=_BARS[str(verdict)][1], edgecolor=INK,
              linewidth=0.4, label=f"{verdict}: {total}")
        for verdict, total in counts.sum(axis=1).items()
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=1, fontsize=7)

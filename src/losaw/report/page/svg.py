"""Small drawings that are written straight into the page."""

import numpy as np
import pandas as pd

_WIDTH, _HEIGHT, _MARGIN = 360, 120, 18
_LIMIT, _BIN = 4.0, 0.5


def z_histogram(comparison: pd.DataFrame) -> str:
    """Histogram of the z-scores with the standard normal curve that they should follow.

    Scores beyond ±4 are counted in the outermost bins. Empty if there is no score.
    """
    z = comparison["z"].dropna().to_numpy(dtype=float)
    if not len(z):
        return ""
    edges = np.arange(-_LIMIT, _LIMIT + _BIN / 2, _BIN)
    counts, _ = np.histogram(np.clip(z, -_LIMIT, _LIMIT), bins=edges)
    grid = np.linspace(-_LIMIT, _LIMIT, 81)
    curve = len(z) * _BIN * np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    scale = (_HEIGHT - _MARGIN - 6) / max(counts.max(), curve.max())

    def x(value: float) -> float:
        return (value + _LIMIT) / (2 * _LIMIT) * _WIDTH

    def y(count: float) -> float:
        return _HEIGHT - _MARGIN - scale * count

    bars = [
        f'<rect class="{_kind(left)}" x="{x(left) + 1:.1f}" y="{y(count):.1f}" '
        f'width="{_WIDTH * _BIN / (2 * _LIMIT) - 2:.1f}" height="{scale * count:.1f}">'
        f"<title>{count} cells with z from {left:g} to {left + _BIN:g}</title></rect>"
        for left, count in zip(edges[:-1], counts, strict=True)
    ]
    points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(grid, curve, strict=True))
    ticks = [
        f'<text x="{min(max(x(value), 10), _WIDTH - 10):.1f}" y="{_HEIGHT - 4}">{label}</text>'
        for value, label in ((-4, "≤ −4"), (-2, "−2"), (0, "0"), (2, "2"), (4, "≥ 4"))
    ]
    return (
        f'<svg class="histogram" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Histogram of the z-scores of {len(z)} cells">'
        f'{"".join(bars)}<polyline points="{points}"/>{"".join(ticks)}</svg>'
    )


def _kind(left: float) -> str:
    """The colour of a bin, by its edge that is nearer to zero."""
    nearest = min(abs(left), abs(left + _BIN))
    return "within" if nearest < 2 else "deviates" if nearest < 3 else "differs"

"""How a normal variable becomes a category with effects (CPI, Figure 6)."""

from typing import TYPE_CHECKING

import numpy as np

from losaw.generators.category_effects import WEIGHTS, cut_into_levels
from losaw.report.drawings.panels import COLOURS
from losaw.report.options import OptionError, between, whole_number
from losaw.report.results import StudyResults
from losaw.report.style import INK, new_figure
from losaw.rng import as_generator
from losaw.study.design.grid import Study
from losaw.support.words import unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LEVELS = len(COLOURS)


def draw(
    study: Study,
    results: StudyResults,
    *,
    n_levels: int = 4,
    beta: float = 0.5,
    weights: str = "ordered",
    n_samples: int = 3000,
    seed: int = 0,
) -> "Figure":
    """Left: the continuous values, coloured by level. Right: the effect of every level.

    Parameters
    ----------
    n_levels : int, default 4
        At most 8, one colour each.
    beta : float, default 0.5
        Effects are between -beta and beta.
    weights : {"ordered", "shuffled"}, default "ordered"
        As of :func:`losaw.generators.category_effects.cut_into_levels`.
    n_samples, seed : int, int
        The sample.

    Raises
    ------
    OptionError
        If a number is out of range or ``weights`` unknown.
    """
    n_levels = whole_number("n_levels", n_levels, 2)
    if n_levels > MOST_LEVELS:
        raise OptionError(f"n_levels: at most {MOST_LEVELS} levels can be distinguished by colour")
    if weights not in WEIGHTS:
        raise OptionError(f"weights: {unknown('weights', weights, WEIGHTS)}")
    rng = as_generator(whole_number("seed", seed, 0))
    values = rng.standard_normal(whole_number("n_samples", n_samples, 2 * n_levels))
    size = between("beta", beta, 0, 1e6)
    category = cut_into_levels(values, n_levels, size, weights, rng)
    codes = category.codes.astype(int)
    in_order = sorted(range(n_levels), key=lambda code: values[codes == code].min())

    figure = new_figure(2.3)
    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1])
    edges = np.linspace(values.min(), values.max(), 60)
    left.hist(
        [values[codes == code] for code in in_order],
        bins=list(edges),
        stacked=True,
        color=list(COLOURS[:n_levels]),
    )
    for place, code in enumerate(in_order):
        inside = values[codes == code]
        if place:
            left.axvline(inside.min(), color=INK, linewidth=0.8, linestyle=":")
        left.text(np.median(inside), left.get_ylim()[1], letter(code), ha="center", va="bottom")
        right.bar(place, category.effect_of_code[code], color=COLOURS[place], width=0.6)
    right.axhline(0, color=INK, linewidth=0.6)
    right.set_xticks(range(n_levels), [letter(code) for code in in_order])
    right.set_ylabel("effect of the level")
    left.set_xlabel("continuous version")
    left.set_ylabel("rows")
    return figure


def letter(code: int) -> str:
    """The level's letter: codes are in the order of the alphabet."""
    return chr(ord("A") + code)

"""The schemes of the papers are drawn from what they explain.

Of report.drawings.network_layers, report.drawings.quantile_categories,
report.drawings.traversal_splits.
"""

import numpy as np
import pytest

from losaw.network.architecture import Architecture
from losaw.report.drawings import network_layers, quantile_categories, traversal_splits
from losaw.report.options import OptionError


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("n_features", [7, 50, 1000])
def test_the_parameters_of_the_layers_add_up_to_the_networks(n_features):
    architecture = Architecture(n_features)
    layers = network_layers.layers_of(architecture)
    assert sum(layer.parameters for layer in layers) == architecture.n_parameters


def test_the_printed_number_of_parameters_stands_over_the_layers():
    figure = network_layers.draw(None, None)
    assert figure.axes[0].get_title(loc="right") == "4,080,001 parameters for 1,000 features"
    assert "994 × 64" in texts_of(figure.axes[0])
    with pytest.raises(OptionError, match="n_features"):
        network_layers.draw(None, None, n_features=6)


def test_levels_hold_equal_numbers_of_rows_and_their_effects_rise_from_minus_beta_to_beta():
    left, right = quantile_categories.draw(None, None, n_levels=4, beta=0.5).axes
    counts = [sum(bar.get_height() for bar in container) for container in left.containers]
    np.testing.assert_allclose(np.array(counts) / sum(counts), 0.25, atol=0.001)
    effects = [bar.get_height() for container in right.containers for bar in container]
    np.testing.assert_allclose(effects, np.linspace(-0.5, 0.5, 4))
    assert sorted(texts_of(left)) == ["A", "B", "C", "D"]


def test_shuffled_effects_rise_with_the_letter():
    _, right = quantile_categories.draw(None, None, weights="shuffled", beta=1.0).axes
    effects = [bar.get_height() for container in right.containers for bar in container]
    letters = [label.get_text() for label in right.get_xticklabels()]
    assert [letter for _, letter in sorted(zip(effects, letters, strict=True))] == list("ABCD")


@pytest.mark.parametrize("options", [{"n_levels": 9}, {"n_levels": 1}, {"weights": "order"}])
def test_what_cannot_be_shown_of_levels_is_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        quantile_categories.draw(None, None, **options)


@pytest.mark.parametrize("seed", range(4))
def test_the_counted_signs_are_the_absolute_rate(seed):
    ax = traversal_splits.draw(None, None, seed=seed).axes[0]
    counted, rate = ax.get_title(loc="left").partition(",")[0].split(" = ")[1:]
    signs, number = counted.strip("(").split(") / ")
    total = sum(int(sign.replace("−", "-")) for sign in signs.split())
    assert total / int(number) == pytest.approx(float(rate.replace("−", "-")), abs=0.005)
    assert sum("F ≤" in text for text in texts_of(ax)) == int(number)

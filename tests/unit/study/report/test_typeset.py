"""Numbers and names as papers print them."""

import math

import pytest

from losaw.study.report import typeset


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.53, 3, ".530"),
        (-0.53, 3, "-.530"),
        (1.0, 3, "1.000"),
        (0.9996, 3, "1.000"),
        (-0.0001, 3, ".000"),
        (10.5, 1, "10.5"),
        (math.nan, 3, ""),
        (math.inf, 3, ""),
    ],
)
def test_numbers_lose_the_leading_zero(value, decimals, text):
    assert typeset.number(value, decimals) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.34, "+0.3"), (-2.36, "-2.4"), (-0.01, "+0.0"), (math.nan, "–")]
)
def test_signed_numbers_never_show_a_negative_zero(value, text):
    assert typeset.signed(value) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.996, "> 99 %"), (1.0, "100 %"), (0.004, "< 1 %"), (0.0, "0 %")]
)
def test_only_all_is_a_hundred_percent(share, text):
    assert typeset.percent(share) == text


def test_what_follows_an_underscore_of_a_symbol_is_a_subscript():
    assert typeset.html_label("R²_test") == "R²<sub>test</sub>"
    assert typeset.latex_label("R²_test") == r"R\textsuperscript{2}\textsubscript{test}"
    assert typeset.math_label("R²_test") == r"$\mathrm{R}^2_{\mathrm{test}}$"
    assert typeset.html_label("R²_ind, own noise") == "R²<sub>ind</sub>, own noise"
    assert typeset.math_label("R²_ind, own noise") == r"$\mathrm{R}^2_{\mathrm{ind}}$, own noise"


def test_a_plain_name_keeps_its_underscore():
    assert typeset.html_label("n_samples") == "n_samples"
    assert typeset.latex_label("n_samples") == r"n\_samples"


def test_labels_are_escaped_in_html():
    assert typeset.html_label("<b> & R") == "&lt;b&gt; &amp; R"

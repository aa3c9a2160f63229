"""Conditional importance by normal draws has its closed form in linear normal designs."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from losaw.study.importances.normal_draws import NormalDraws
from losaw.study.registry import get
from reference.in_study import draw


# 2 b_j^2 Var(X_j | the others), with the coefficients b of the response.
@pytest.mark.parametrize(
    ("design", "expected"),
    [
        ("mediated", {"mediator": 4.5 * 0.09, "direct": 0.5 * 0.2, "exposure": 0, "noise": 0}),
        ("confounded", {"x1": 0.5, "confounder": 2 / 9, "independent": 2, "proxy": 0}),
        ("correlated-25", {"x1": 8 * (1 - 0.25**2), "x2": 0, "x3": 2, "x4": 0}),
        ("correlated-75", {"x1": 8 * (1 - 0.75**2), "x2": 0, "x3": 2, "x4": 0}),
    ],
)
def test_normal_draws_give_the_closed_form_in_linear_normal_designs(design, expected):
    data = draw(get("generator", "xplainfi").create(design=design, n_samples=60_000))
    model = LinearRegression().fit(*data.train)
    cfi = get("importance", "cfi-normal").create(n_draws=4)
    found = cfi.explain(model, data, np.random.default_rng(0))
    errors = dict(zip(found.feature_names, found.std_error, strict=True))
    for name, score in zip(found.feature_names, found.scores, strict=True):
        # The error over rows leaves out that of the draws' variance, 2 / n of its square.
        error = np.hypot(errors[name], expected[name] * np.sqrt(2 / 20_000))
        assert score == pytest.approx(expected[name], abs=5 * error + 1e-4)


@pytest.mark.parametrize("last", ["constant", "a copy", "a sum", "other units"])
def test_only_columns_that_the_others_do_not_determine_have_draws(last):
    X = np.random.default_rng(0).standard_normal((200, 3))
    X[:, 2] = {"constant": 1, "a copy": X[:, 0], "a sum": X[:, 0] + X[:, 1]}.get(
        last, 1e-9 * X[:, 2]
    )
    if last == "other units":
        drawn = NormalDraws().fit(X).sample(np.random.default_rng(1))
        assert 0.5e-9 < drawn[:, 2].std() < 2e-9
        return
    with pytest.raises(ValueError, match="that the others determine, or a constant one"):
        NormalDraws().fit(X)

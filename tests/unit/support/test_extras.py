"""losaw.support.extras: what is not installed is named, with the extra that brings it."""

import numpy as np
import pytest

from losaw import ImportanceResult, LosawNetworkRegressor, NetworkRegressor
from losaw.importance import treeinner
from losaw.knockoffs import make_sampler
from losaw.support.extras import MissingExtraError, extra, require
from reference.without_a_library import take_out

X = np.random.default_rng(0).standard_normal((60, 8))
y = X[:, 0]
# What a person does, the library that is absent, and the extra that brings it.
USES = {
    "a network": (lambda: NetworkRegressor(batch_size=20).fit(X, y), "jax", "network"),
    "losawGD": (lambda: LosawNetworkRegressor(batch_size=20).fit(X, y), "jax", "network"),
    "an optimiser": (lambda: NetworkRegressor(batch_size=20).fit(X, y), "optax", "network"),
    "deep knockoffs": (lambda: make_sampler("deep"), "jax", "network"),
    "an importance": (lambda: treeinner(None, X, y), "xgboost", "xgboost"),
    "a plot": (lambda: ImportanceResult(y[:2], ("a", "b")).plot(), "matplotlib", "plot"),
}


@pytest.mark.parametrize("use", USES)
def test_a_method_whose_extra_is_absent_says_which_in_one_line(use, monkeypatch):
    do, library, name = USES[use]
    take_out(library, monkeypatch)
    with pytest.raises(ImportError) as raised:
        do()
    assert str(raised.value) == (
        f"{library!r} is not installed; it comes with the extra {name!r}: "
        f"pip install '.[{name}]' in losaw's folder"
    )


def test_another_mistake_inside_keeps_its_own_words():
    with pytest.raises(ImportError, match="cannot import name"), extra("plot"):
        from math import no_such_function  # noqa: F401
    with pytest.raises(MissingExtraError, match="'inner'"), extra("outer"), extra("inner"):
        import a_library_that_draws  # noqa: F401


def test_what_is_there_is_not_complained_about():
    require("study", ("json",))
    with pytest.raises(MissingExtraError, match=r"'a_library'.*'\.\[study\]'"):
        require("study", ("json", "a_library"))

"""The first numbers of every kind of draw: a change of the order of drawing shows here.

To renew them on purpose, print ``numbers(...)`` of each case; every stored result is stale then.
"""

import numpy as np
import pytest

from losaw.registry import get
from losaw.rng import stream

COMMON = {"n_samples": 20, "n_features": 7, "phi": 0.5, "function": "f7"}
CASES = {
    "losaw continuous": ("losaw", {"data_type": "continuous", **COMMON}),
    "losaw discrete": ("losaw", {"data_type": "discrete", "independent_share": 0, **COMMON}),
    "normal-linear": ("normal-linear", {"correlation": "heterogeneous", "n_samples": 20}),
}
GOLDEN = {
    "losaw continuous": [
        -1.102104571,
        -1.854999462,
        -1.478506268,
        -1.904073831,
        -1.826899744,
        -1.772857669,
        -1.303022757,
        0.786901047,
        1.039048282,
        1.0,
        1.262387921,
        -0.106797014,
        1.773979929,
        0.262834355,
    ],
    "losaw discrete": [
        -1.0,
        -1.0,
        -1.0,
        0.0,
        0.0,
        -1.0,
        0.0,
        -0.159491831,
        2.122501824,
        1.0,
        -1.0,
        -1.0,
        1.0,
        0.233329155,
    ],
    "normal-linear": [
        -1.102104571,
        -1.887305647,
        -1.317994316,
        -2.215968919,
        -1.446875833,
        -5.378608308,
        -3.282962409,
        0.496956363,
        -1.512008452,
        -0.343614646,
        1.102282581,
        1.0,
    ],
}


def numbers(name, parameters):
    rng = stream(experiment="golden", setting="s", replicate=3, component="data")
    data = get("generator", name).create(**parameters).sample(rng)
    samples = (data.train, data.test, data.independent)
    return [
        round(float(value), 9)
        for value in (
            *data.train.X[0],
            *(sample.y[-1] for sample in samples),
            *(sample.X[-1, -1] for sample in samples),
            data.truth.noise_variance,
        )
    ]


@pytest.mark.parametrize("case", CASES)
def test_a_stream_gives_the_same_numbers_as_ever(case):
    assert np.allclose(numbers(*CASES[case]), GOLDEN[case], rtol=0, atol=2e-9)

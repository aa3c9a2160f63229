"""The designs of the benchmark of xplainfi (Burk et al. 2026)."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from losaw.data import Dataset, FloatArray
from losaw.study.generators.simulated import simulated
from losaw.support.arguments import whole_number
from losaw.support.words import unknown

Draws = Callable[..., FloatArray]  # of a standard deviation; the uniform ones of nothing
Design = tuple[dict[str, FloatArray], FloatArray, float]  # features, mean of Y, deviation of noise


def _correlated(correlation: float, normal: Draws) -> Design:
    x1, x3, x4 = normal(), normal(), normal()
    x2 = correlation * x1 + normal(np.sqrt(1 - correlation**2))
    return {"x1": x1, "x2": x2, "x3": x3, "x4": x4}, 2 * x1 + x3, 0.2


def _mediated(normal: Draws) -> Design:
    exposure, direct, noise = normal(), normal(), normal()
    mediator = 0.8 * exposure + 0.6 * direct + normal(0.3)
    X = {"exposure": exposure, "mediator": mediator, "direct": direct, "noise": noise}
    return X, 1.5 * mediator + 0.5 * direct, 0.2


def _confounded(normal: Draws) -> Design:
    hidden, independent = normal(), normal()
    x1, proxy = hidden + normal(0.5), hidden + normal(0.5)
    X = {"x1": x1, "proxy": proxy, "independent": independent, "confounder": hidden}
    return X, hidden + x1 + independent, 0.5


def _ewald(normal: Draws, uniform: Draws) -> Design:
    x1, x3, x5 = uniform(), uniform(), uniform()
    x2, x4 = x1 + normal(0.001), x3 + normal(0.1)
    return {"x1": x1, "x2": x2, "x3": x3, "x4": x4, "x5": x5}, x4 + x5 + x4 * x5, 0.1


def _drawn(design: str, normal: Draws, uniform: Draws) -> Design:
    if design == "independent":
        X = {f"important{j}": normal() for j in (1, 2, 3)}
        X |= {f"unimportant{j}": normal() for j in (1, 2)}
        return X, 2 * X["important1"] + X["important2"] + 0.5 * X["important3"], 0.2
    if design == "interactions":
        X = {name: normal() for name in ("x1", "x2", "x3", "noise1", "noise2")}
        return X, 2 * X["x1"] * X["x2"] + X["x3"], 0.5
    if design == "friedman1":
        X = {f"{kind}{j}": uniform() for kind in ("important", "unimportant") for j in range(1, 6)}
        x1, x2, x3, x4, x5, *_ = X.values()
        return X, 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5, 1.0
    if design == "mediated":
        return _mediated(normal)
    if design == "confounded":
        return _confounded(normal)
    if design == "ewald":
        return _ewald(normal, uniform)
    return _correlated(int(design[-2:]) / 100, normal)


DESIGNS = (
    *("confounded", "correlated-25", "correlated-75", "ewald"),
    *("friedman1", "independent", "interactions", "mediated"),
)


def draw(rng: np.random.Generator, *, design: str, n_samples: int = 5000) -> Dataset:
    """Eight designs of linear, interacting and smooth responses; two thirds are for training,

        correlated-25, correlated-75:  Y = 2 x1 + x3 + .2 e,   corr(x1, x2) = .25 or .75,
        mediated:      Y = 1.5 mediator + .5 direct + .2 e,
                       mediator = .8 exposure + .6 direct + .3 e,
        confounded:    Y = confounder + x1 + independent + .5 e,
                       x1 = confounder + .5 e,   proxy = confounder + .5 e,
        independent:   Y = 2 important1 + important2 + .5 important3 + .2 e,
        interactions:  Y = 2 x1 x2 + x3 + .5 e,
        ewald:         Y = x4 + x5 + x4 x5 + .1 e,   x2 = x1 + .001 e,   x4 = x3 + .1 e,
        friedman1:     Y = 10 sin(pi x1 x2) + 20 (x3 - .5)^2 + 10 x4 + 5 x5 + e,

    with every e N(0, 1). The other features are N(0, 1), of ewald and friedman1 uniform on (0, 1).

    Parameters
    ----------
    design : str
        One of these names.
    n_samples : int, default 5000
        Rows of both samples together.
    """
    if design not in DESIGNS:
        raise ValueError(f"design: {unknown('design', design, DESIGNS)}")
    n_rows = whole_number("n_samples", n_samples, 3)

    def normal(deviation: float = 1.0) -> FloatArray:
        return deviation * rng.standard_normal(n_rows)

    X, mean, noise = _drawn(design, normal, lambda: rng.random(n_rows))
    y = mean + normal(noise)
    return simulated(pd.DataFrame(X), y, n_train=2 * n_rows // 3, noise_variance=noise**2)


draw.examples = tuple({"design": one, "n_samples": 300} for one in DESIGNS)  # type: ignore[attr-defined]

"""Three designs of a paper, each with the features that its equations name."""

import numpy as np
import pandas as pd

from losaw.study.generators.simulated import simulated
from losaw.study.registry import register


@register("generator", "path-designs")
def draw(rng, *, design="mediated", n=5000):
    """Linear responses of correlated features; two thirds of the rows train a model.

    Parameters
    ----------
    design : {"correlated", "mediated", "confounded"}, default "mediated"
    n : int, default 5000
        Rows of both samples together.
    """

    def normal(deviation=1.0):
        return deviation * rng.standard_normal(n)

    if design == "correlated":  # x2 has no effect, and correlates with x1 by .75
        x1 = normal()
        x2 = 0.75 * x1 + normal(np.sqrt(1 - 0.75**2))
        X = {"x1": x1, "x2": x2, "x3": normal(), "x4": normal()}
        y = 2 * x1 + X["x3"] + normal(0.2)
    elif design == "mediated":  # the exposure acts through the mediator alone
        exposure, direct = normal(), normal()
        mediator = 0.8 * exposure + 0.6 * direct + normal(0.3)
        X = {"exposure": exposure, "mediator": mediator, "direct": direct, "noise": normal()}
        y = 1.5 * mediator + 0.5 * direct + normal(0.2)
    elif design == "confounded":  # the proxy is a noisy copy of the confounder
        hidden = normal()
        x1, proxy = hidden + normal(0.5), hidden + normal(0.5)
        X = {"x1": x1, "proxy": proxy, "independent": normal(), "confounder": hidden}
        y = hidden + x1 + X["independent"] + normal(0.5)
    else:
        raise ValueError(f"design must be correlated, mediated or confounded, got {design!r}")
    return simulated(pd.DataFrame(X), y, n_train=2 * n // 3)


draw.examples = ({"n": 300}, {"design": "correlated", "n": 300}, {"design": "confounded", "n": 300})

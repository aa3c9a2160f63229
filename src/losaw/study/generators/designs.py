"""The designs that methods are ranked over, each by its name."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, get_args

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators import xplainfi
from losaw.study.generators.functions import OfForests
from losaw.study.generators.generator import DataGenerator, data_of
from losaw.study.generators.joint_law.law import JointLawSpecification
from losaw.study.generators.losaw import LosawGenerator
from losaw.study.generators.mixed_cardinality import MixedCardinalityGenerator
from losaw.study.generators.mixed_pairs import MixedPairsGenerator
from losaw.study.generators.noisy_copies import NoisyCopiesGenerator
from losaw.support.arguments import one_of

_FUNCTIONS = get_args(OfForests)
_GRID: dict[str, Any] = {"n_samples": 500, "n_features": 10, "phi": 0.1}
# A change of a generator's numbers raises the version of this one too. Of several, one is drawn.
OF_OTHERS: dict[str, tuple[Any, ...]] = {
    **{
        kind: tuple(LosawGenerator(data_type=kind, function=f, **_GRID) for f in _FUNCTIONS)
        for kind in ("continuous", "discrete")
    },
    "cardinality": (MixedCardinalityGenerator(task="regression", rho=0.5, n_samples=500),),
    "mixed-pairs": (MixedPairsGenerator(n_samples=750, rho=0.8, n_levels=4),),
    "copies": (NoisyCopiesGenerator(data_set="syn2", n_samples=300),),
}
# Design -> the places of the causes, the features in the equation of Y.
XPLAINFI = {
    "correlated-75": (0, 2),
    "mediated": (1, 2),
    "confounded": (0, 2, 3),
    "interactions": (0, 1, 2),
}
Draw = tuple[FloatArray, FloatArray]


def blocks(n: int, rng: np.random.Generator, size: int = 3) -> Draw:
    """Return three correlated blocks and an independent one of a size, and the response."""
    X = rng.standard_normal((n, 4 * size))
    for block, r in enumerate((0.5, 0.8, 0.95)):
        own = slice(size * block, size * block + size)
        X[:, own] = np.sqrt(r) * rng.standard_normal((n, 1)) + np.sqrt(1 - r) * X[:, own]
    causes = [0, size, 2 * size, 3 * size, 3 * size + 1]
    return X, _half_noise(X[:, causes].sum(axis=1), rng)


def hub(n: int, rng: np.random.Generator, size: int = 3) -> Draw:
    """Return features that all correlate with the first, which is no cause, and the response."""
    X = rng.standard_normal((n, 4 * size))
    X[:, 1:] = 0.7 * X[:, [0]] + np.sqrt(1 - 0.7**2) * X[:, 1:]
    return X, _half_noise(X[:, 1:6].sum(axis=1), rng)


def _half_noise(signal: FloatArray, rng: np.random.Generator) -> FloatArray:
    return signal + signal.std() * rng.standard_normal(len(signal))


DRAWN: dict[str, tuple[Callable[..., Draw], Sequence[int]]] = {
    "blocks": (blocks, (0, 3, 6, 9, 10)),
    "hub": (hub, (1, 2, 3, 4, 5)),
}


class DesignGenerator(DataGenerator):
    """A design by its name. Of other generators here:

        continuous, discrete   losaw's grid with 500 rows, ten features and phi = .1; f1 to f7
                               are drawn with equal probability,
        cardinality            mixed-cardinality with rho = .5, factors nominal,
        mixed-pairs            pairs of correlation .8, factors of four levels,
        copies                 noisy-copies, SYN2.

    Of xplainfi's benchmark ``correlated-75``, ``mediated``, ``confounded`` and ``interactions``,
    with 500 training rows and 250 others; the features in the equation of Y are the causes.

    And with five causes of equal effects among 12 features, half of the variance noise: ``blocks``,
    three of three features that correlate by .5, .8 and .95, with a cause in each, and two causes
    among three independent features; ``hub``, where X1, no cause, correlates by .7 with all others.

    Parameters
    ----------
    design : str
    """

    examples = ({"design": "continuous"}, {"design": "mediated"}, {"design": "blocks"})

    design: Annotated[str, partial(one_of, allowed=(*OF_OTHERS, *XPLAINFI, *DRAWN))]

    def joint_law(self) -> JointLawSpecification | None:
        """Return the specification of the law of the discrete design."""
        first = OF_OTHERS.get(self.design, (None,))[0]
        return first.joint_law() if isinstance(first, LosawGenerator) else None

    def sample(self, rng: np.random.Generator) -> Dataset:
        if self.design in OF_OTHERS:
            generators = OF_OTHERS[self.design]
            return generators[rng.integers(len(generators))].sample(rng)
        if self.design in XPLAINFI:
            data = xplainfi.draw(rng, design=self.design, n_samples=750)
            truth = replace(data.truth, signal=XPLAINFI[self.design], signal_is_known=True)
            return replace(data, truth=truth)
        draw, causes = DRAWN[self.design]
        train, test = (Sample(*draw(500, rng)) for _ in range(2))
        return data_of(train, test, causes, kinds="continuous")

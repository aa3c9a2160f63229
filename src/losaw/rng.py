"""Random streams as a declared function of the experiment's axes.

A stream depends only on its purpose: not on the number of cores, the
size of a block, the order of execution or any other stream. Adding a learner moves no
other number, and all learners see the same data.
"""

import hashlib
import json
import numbers

import numpy as np
from numpy.typing import NDArray


def stream(*, experiment: str, setting: str, replicate: int, component: str) -> np.random.Generator:
    """Return the generator of a component of a Monte Carlo replicate.

    Parameters
    ----------
    experiment : str
        Name of the experiment; studies that share it share their data.
    setting : str
        Identifier of the data setting.
    replicate : int
        Monte Carlo seed, counted from 0.
    component : str
        Purpose of the draws: ``"data"``, ``"learner:<name>"``, ``"importance:<learner>:<name>"``,
        ``"knockoffs:<sampler>"``.

    Returns
    -------
    numpy.random.Generator
        PCG64DXSM seeded with the SHA-256 digest of the four axes.

    Examples
    --------
    >>> from losaw.rng import stream
    >>> axes = {"experiment": "mine", "setting": "small", "replicate": 3}
    >>> stream(**axes, component="data").random() == stream(**axes, component="data").random()
    True
    >>> stream(**axes, component="data").random() == stream(**axes, component="model").random()
    False
    """
    axes = {
        "experiment": experiment,
        "setting": setting,
        "replicate": int(replicate),
        "component": component,
    }
    digest = hashlib.sha256(json.dumps(axes, sort_keys=True).encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(digest, "little")))


def as_generator(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """Return a generator from an int (fixed), a Generator (used as it is) or None (fresh entropy).

    A legacy ``RandomState`` is accepted for scikit-learn's sake and seeds a new Generator.

    Parameters
    ----------
    random_state : int, Generator or None

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        For a negative number.
    TypeError
        If ``random_state`` is anything else.

    Examples
    --------
    >>> from losaw.rng import as_generator
    >>> int(as_generator(0).integers(100)) == int(as_generator(0).integers(100))
    True
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, got {random_state}")
        return np.random.default_rng(int(random_state))
    raise TypeError(
        f"random_state must be an int, a numpy.random.Generator or None, got {random_state!r}"
    )


def seed_integer(generator: np.random.Generator) -> int:
    """Draw an int in [0, 2**31) from ``generator``, for estimators that take no Generator.

    Examples
    --------
    >>> from losaw.rng import as_generator, seed_integer
    >>> isinstance(seed_integer(as_generator(0)), int)
    True
    """
    return int(generator.integers(2**31))


def rows_by_weight(
    weights: NDArray[np.float64] | None, n_rows: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return as many numbers of rows, each as often as the row weighs; without weights each once.

    What is drawn from these rows has the distribution that the weights stand for. They are a
    systematic sample of the rows in random order, with a random start: a row of weight w (of mean
    1) is there floor(w) or ceil(w) times, and w times in the mean.
    """
    if weights is None or not np.ptp(weights):
        return np.arange(n_rows)
    order = rng.permutation(n_rows)
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, (np.arange(n_rows) + rng.random()) / n_rows)
    return np.sort(order[np.minimum(places, n_rows - 1)])

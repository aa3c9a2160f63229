"""An importance made as a study makes it, and the rows as a study has them."""

import numpy as np

from losaw.data import Dataset, Sample, Truth, default_feature_names
from losaw.study.registry import get


def in_study(name, **parameters):
    """Return the importance of a name, with the parameters in its file."""
    return get("importance", name).create(**parameters)


def data_of(X, y, task="regression"):
    """Return a data set that is trained and tested on the same rows of continuous features."""
    n_features = X.shape[1]
    names, kinds = default_feature_names(n_features), ("continuous",) * n_features
    return Dataset(Sample(X, y), Sample(X, y), Truth((0,), n_features), names, kinds, task=task)


def draw(generator, seed=0):
    """Return the data set that a generator draws from the stream of a seed."""
    return generator.sample(np.random.default_rng(seed))

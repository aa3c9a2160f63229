"""The contract of a generator, and what generators share."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from losaw.data import (
    Dataset,
    FeatureKind,
    FloatArray,
    Sample,
    Truth,
    default_feature_names,
)
from losaw.support.arguments import one_of
from losaw.support.outcomes import Task


def checked_task(name: str, value: object) -> Task:
    """Return a task, or raise an error that names the argument."""
    chosen = one_of(name, value, ("regression", "classification"))
    return "regression" if chosen == "regression" else "classification"


def draw_response(
    task: Task, mean: FloatArray, scale: float, rng: np.random.Generator
) -> FloatArray:
    """Draw numbers with normal noise of a scale, or labels whose probability of 1 is ``mean``."""
    if task == "regression":
        return mean + scale * rng.standard_normal(len(mean))
    return (rng.random(len(mean)) < mean).astype(float)


def data_of(
    train: Sample,
    test: Sample,
    signal: Sequence[int],
    *,
    kinds: FeatureKind | Sequence[FeatureKind],
    names: Sequence[str] = (),
    task: Task = "regression",
    noise_variance: float = math.nan,
    function: Callable[[FloatArray], FloatArray] | None = None,
    details: Mapping[str, float] | None = None,
    independent: Sample | None = None,
) -> Dataset:
    """Make a data set of its samples and their truth.

    ``kinds`` is one for each feature, or one for all. Features without names are X1, X2, …. The
    labels of a classification have no noise variance.
    """
    n_features = train.X.shape[1]
    variance = noise_variance if task == "regression" else math.nan
    return Dataset(
        train,
        test,
        Truth(tuple(signal), n_features, variance, function, dict(details or {})),
        feature_names=tuple(names) or default_feature_names(n_features),
        feature_kinds=(kinds,) * n_features if isinstance(kinds, str) else tuple(kinds),
        independent=independent,
        task=task,
    )

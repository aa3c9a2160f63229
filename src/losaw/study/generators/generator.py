"""The contract of a generator, and what generators share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np

from losaw.data import Dataset, FeatureKind, FloatArray, Sample, Truth, default_feature_names
from losaw.support.arguments import one_of, real_number, whole_number
from losaw.support.models import Task


def at_least(minimum: int, why: str = "") -> Callable[..., int]:
    """Return a check of a whole number."""
    return partial(whole_number, minimum=minimum, why=why)


Rows = Annotated[int, at_least(2)]
NotNegative = Annotated[float, partial(real_number, minimum=0)]
Share = Annotated[float, partial(real_number, minimum=0, maximum=1)]


@dataclass_transform(kw_only_default=True)
class DataGenerator:
    """The base of our generators, whose parameters are fields that say what is allowed.

    A generator has ``sample(rng)``, which draws a Monte Carlo sample.

    ``Literal`` names the words of a field, ``Annotated`` its check, which is called with the name
    and the value, and gives the value or an error. A default of None is not checked.
    """

    def __init_subclass__(cls) -> None:
        dataclass(kw_only=True, eq=False)(cls)

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            value = getattr(self, name)
            if value is None and getattr(type(self), name, ...) is None:
                continue
            for allowed in (hint, *get_args(hint)):  # of "allowed | None" as well
                if get_origin(allowed) is Literal:
                    one_of(name, value, get_args(allowed))
                for check in getattr(allowed, "__metadata__", ()):
                    setattr(self, name, check(name, value))


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
    signal: Sequence[int] | None,
    *,
    kinds: FeatureKind | Sequence[FeatureKind],
    names: Sequence[str] = (),
    task: Task = "regression",
    noise_variance: float = math.nan,
    function: Callable[[FloatArray], FloatArray] | None = None,
    details: Mapping[str, float] | None = None,
    test_mean: FloatArray | None = None,
    independent: Sample | None = None,
) -> Dataset:
    """Make a data set of its samples and their truth.

    ``signal`` is None where nobody knows which features matter, and empty where none does.
    ``kinds`` is one for each feature, or one for all. Features without names are X1, X2, …. The
    labels of a classification have no noise variance.
    """
    n_features = train.X.shape[1]
    variance = noise_variance if task == "regression" else math.nan
    truth = Truth(
        () if signal is None else tuple(signal),
        n_features,
        variance,
        function,
        dict(details or {}),
        test_mean,
        signal_is_known=signal is not None,
    )
    return Dataset(
        train,
        test,
        truth,
        feature_names=tuple(names) or default_feature_names(n_features),
        feature_kinds=(kinds,) * n_features if isinstance(kinds, str) else tuple(kinds),
        independent=independent,
        task=task,
    )

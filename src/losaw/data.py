"""The data set that a generator draws and everything else takes: samples with their truth."""

from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from numbers import Integral
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
FeatureKind = Literal["continuous", "discrete", "nominal"]
_TASKS = ("regression", "classification")


class Sample(NamedTuple):
    """Features and response of a sample.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.data import Sample
    >>> X, y = Sample(np.zeros((4, 2)), np.ones(4))
    >>> X.shape
    (4, 2)
    """

    X: FloatArray
    y: FloatArray


@dataclass(frozen=True, eq=False)
class Truth:
    """The truth of a simulation, which methods do not see.

    Attributes
    ----------
    signal : tuple of int
        0-based columns of the signal features (losaw, Definition 2.3).
    n_features : int
        Number of features P.
    noise_variance : float
        Variance of the response's additive noise; NaN for classification.
    regression_function : callable or None
        ``f(X) -> array (n_samples,)``, the mean (or class-1 probability) of the response.
    test_mean : array of shape (n_test,) or None
        Its values in the test sample, where they are known without the function.
    details : dict
        Anything else worth a row, for example an attained correlation.
    signal_is_known : bool
        False: nobody knows which features matter, and an empty ``signal`` does not say that none
        does.

    Examples
    --------
    >>> from losaw.data import Truth
    >>> Truth(signal=(0, 2), n_features=3).is_signal.tolist()
    [True, False, True]
    """

    signal: tuple[int, ...]
    n_features: int
    noise_variance: float = float("nan")
    regression_function: Callable[[FloatArray], FloatArray] | None = None
    details: dict[str, float] = field(default_factory=dict)
    test_mean: FloatArray | None = None
    signal_is_known: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.n_features, Integral) or self.n_features < 0:
            raise TypeError(f"n_features must be an integer of 0 or more, got {self.n_features!r}")
        try:
            signal = tuple(self.signal)
        except TypeError:
            raise TypeError(f"signal must be a sequence of columns, got {self.signal!r}") from None
        are_whole = all(isinstance(c, Integral) and not isinstance(c, bool) for c in signal)
        is_right = are_whole and len({*signal}) == len(signal)
        if not is_right or not {*signal} <= {*range(self.n_features)}:
            raise ValueError(
                f"signal must be different columns from 0 to {self.n_features - 1}, got {signal}"
            )
        object.__setattr__(self, "signal", tuple(map(int, signal)))

    @property
    def is_signal(self) -> NDArray[np.bool_]:
        """The mask (n_features,) of the signal features."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.signal)] = True
        return mask


@dataclass(frozen=True, eq=False)
class Dataset:
    """A Monte Carlo draw.

    Attributes
    ----------
    train, test : Sample
        Two independent samples of the same distribution.
    independent : Sample or None
        Sample in which every feature is drawn from its own marginal, independently.
    truth : Truth
    feature_names : tuple of str
    feature_kinds : tuple of {"continuous", "discrete", "nominal"}
        Discrete features are ordered numbers; nominal ones are level codes 0, 1, ….
    task : {"regression", "classification"}
        For a classification y has labels of any kind.
    stream : callable or None
        ``stream(purpose) -> Generator`` of random numbers that belong to the data, whichever
        learner is explained, such as the draws of knockoffs; a study sets it.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.data import Dataset, Sample, Truth
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((20, 2))
    >>> data = Dataset(
    ...     train=Sample(X[:10], X[:10, 0]),
    ...     test=Sample(X[10:], X[10:, 0]),
    ...     truth=Truth(signal=(0,), n_features=2),
    ...     feature_names=("age", "rooms"),
    ...     feature_kinds=("continuous", "continuous"),
    ... )
    >>> data.task
    'regression'
    """

    train: Sample
    test: Sample
    truth: Truth
    feature_names: tuple[str, ...]
    feature_kinds: tuple[FeatureKind, ...]
    independent: Sample | None = None
    task: Literal["regression", "classification"] = "regression"
    stream: Callable[[str], np.random.Generator] | None = None

    def __post_init__(self) -> None:
        for name in ("feature_names", "feature_kinds"):
            if not isinstance(getattr(self, name), Sized):
                raise TypeError(
                    f"{name} must be a sequence, one for each feature, got {getattr(self, name)!r}"
                )
        if not isinstance(self.truth, Truth):
            raise TypeError(f"truth must be a Truth, got {type(self.truth).__name__}")
        for name in ("train", "test", "independent"):
            sample = getattr(self, name)
            if sample is None:
                continue
            if not isinstance(sample, Sample):
                raise TypeError(f"{name} must be a Sample(X, y), got {type(sample).__name__}")
            if not (isinstance(sample[0], np.ndarray) and sample[0].dtype.kind in "fiub"):
                got = type(sample[0]).__name__
                if isinstance(sample[0], np.ndarray):
                    got = f"an array of dtype {sample[0].dtype}"
                raise TypeError(
                    f"{name}.X must be an array of numbers, got {got}; for a table of your own "
                    "call losaw.importance.cpi(model, X, y) and its neighbours"
                )
            if sample[0].ndim != 2:
                raise ValueError(
                    f"{name}.X must have shape (n_samples, n_features), got {sample[0].shape}"
                )
            if sample[0].shape[1] != len(self.feature_names):
                raise ValueError(
                    f"feature_names must be {sample[0].shape[1]} different names, one for each "
                    f"column of {name}.X, got {len(self.feature_names)}"
                )
            if np.shape(sample[1]) != sample[0].shape[:1]:
                raise ValueError(
                    f"{name}.y must have shape ({len(sample[0])},), a response for each row of "
                    f"{name}.X, got {np.shape(sample[1])}"
                )
            if not isinstance(sample.y, np.ndarray):
                raise TypeError(f"{name}.y must be an array, got {type(sample.y).__name__}")
        n_features = len(self.feature_names)
        if strange := [name for name in self.feature_names if not isinstance(name, str)]:
            raise TypeError(f"feature_names must be texts, got {strange[0]!r}")
        object.__setattr__(self, "feature_names", tuple(map(str, self.feature_names)))
        if len(set(self.feature_names)) != n_features:
            raise ValueError(
                f"feature_names must be {n_features} different names, got {self.feature_names}"
            )
        if self.truth.n_features != n_features:
            raise ValueError(
                f"truth.n_features must be {n_features}, the number of feature_names, got "
                f"{self.truth.n_features}"
            )
        known = get_args(FeatureKind)
        are_known = all(kind in known for kind in self.feature_kinds)
        if len(self.feature_kinds) != n_features or not are_known:
            raise ValueError(
                f"feature_kinds must name one of {known} for each of {n_features} features, got "
                f"{self.feature_kinds}"
            )
        if self.task not in _TASKS:
            raise ValueError(f"task must be one of {_TASKS}, got {self.task!r}")


def default_feature_names(n_features: int) -> tuple[str, ...]:
    """Return X1, X2, …, numbered as in the papers."""
    return tuple(f"X{index + 1}" for index in range(n_features))

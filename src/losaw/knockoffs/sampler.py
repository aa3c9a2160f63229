"""The contract of a knockoff sampler, its names, and the checks of what it is fitted to."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.support.arguments import IMPUTE, finite_rows
from losaw.support.words import unknown
from losaw.tables.columns import asked_kinds

MIN_ROWS = 5
# Name -> "module:class", which is imported on first use.
SAMPLERS = {
    "gaussian": "losaw.knockoffs.gaussian:GaussianKnockoffs",
    "conditional": "losaw.knockoffs.conditional:ConditionalSampler",
    "sequential": "losaw.knockoffs.sequential:SequentialKnockoffs",
    "deep": "losaw.knockoffs.deep:DeepKnockoffs",
}


class KnockoffSampler(Protocol):
    """Draws knockoffs X~ of the rows it was fitted to,

        (X, X~)_swap(S) =_d (X, X~) for every set S of columns,   X~ independent of Y given X

    (Candès, Fan, Janson & Lv 2018, Definition 2).

    Attributes
    ----------
    handles_nominal : bool
        Whether nominal columns are imitated as levels. A sampler that does not treats every
        column as a real number: it is given the columns as the model sees them.

    Examples
    --------
    >>> from losaw.knockoffs import KnockoffSampler, make_sampler
    >>> sampler: KnockoffSampler = make_sampler("gaussian")
    >>> callable(sampler.fit) and callable(sampler.sample)
    True
    """

    handles_nominal: bool

    def fit(
        self,
        X: ArrayLike,
        kinds: Sequence[FeatureKind] | None = None,
        rng: np.random.Generator | None = None,
    ) -> Self:
        """Learn the distribution of the rows X (n_samples, n_features), and return itself.

        ``kinds`` are "continuous", "discrete" or "nominal" for each column; None: all continuous.
        ``rng`` is for samplers whose learning is random; None gives them fresh entropy.
        """
        ...

    def sample(self, rng: np.random.Generator) -> FloatArray:
        """One draw of knockoffs, shape (n_samples, n_features)."""
        ...


def make_sampler(sampler: Any, **parameters: Any) -> Any:
    """A new sampler from its name, or the given object itself.

    Parameters
    ----------
    sampler : {"conditional", "sequential", "gaussian", "deep"} or KnockoffSampler
        In a study also the name of a plugin's sampler.
    **parameters
        Of a sampler that is given by name.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw.knockoffs import make_sampler
    >>> sampler = make_sampler("gaussian").fit(X, ("continuous",) * 3)
    >>> sampler.sample(np.random.default_rng(1)).shape
    (200, 3)
    """
    if isinstance(sampler, str):
        if sampler not in SAMPLERS:
            raise ValueError(unknown("knockoff sampler", sampler, sorted(SAMPLERS)))
        module, _, name = SAMPLERS[sampler].partition(":")
        return getattr(import_module(module), name)(**parameters)
    if isinstance(sampler, type) or not (hasattr(sampler, "fit") and hasattr(sampler, "sample")):
        raise TypeError(
            f"sampler must be one of {', '.join(sorted(SAMPLERS))} or an object with "
            f"fit(X, kinds) and sample(rng), got {sampler!r}"
        )
    if parameters:
        raise TypeError(
            "pass the parameters to the object: sampler_parameters belong to samplers given by name"
        )
    return sampler


def check_features(
    X: ArrayLike, kinds: Sequence[FeatureKind] | None, allow_missing: bool = False
) -> tuple[FloatArray, tuple[FeatureKind, ...]]:
    """X as finite floats and its kinds, or an error that names what is wrong and the remedy.

    Constant columns, duplicated and collinear columns, levels of a single row and more columns
    than rows are allowed: every sampler says what it does with them.
    """
    remedy = f"{IMPUTE}, or take the sampler 'conditional', which draws missing values"
    rows, columns = finite_rows(X, MIN_ROWS, allow_missing, remedy)
    asked = asked_kinds(kinds, columns)
    found_kinds = tuple(asked.get(name, "continuous") for name in columns)
    for column, name in enumerate(columns):
        if asked.get(name) == "nominal" and (rows[:, column] % 1 > 0).any():
            raise ValueError(
                f"column {name!r} is declared nominal but holds fractions; level codes are whole"
            )
    return rows.copy(), found_kinds


def fitted_rows(sampler: Any) -> FloatArray:
    """A copy of the rows that a sampler was fitted to, or an error that says to fit it."""
    if "_X" not in vars(sampler):
        raise ValueError(
            f"this {type(sampler).__name__} has not been fitted: call fit(X) before sample(rng)"
        )
    rows: FloatArray = sampler._X
    return rows.copy()


def varying_columns(X: FloatArray) -> NDArray[np.intp]:
    """The columns with more than one value; the knockoff of a constant column is the column.

    Missing is a value here: a column of one value that is missing in some rows varies.
    """
    differs = X[0] != X
    missing = np.isnan(X[0])
    if missing.any():
        differs[:, missing] = ~np.isnan(X[:, missing])
    return np.flatnonzero(differs.any(axis=0))

"""Tests of draws: can a classifier distinguish them from real values?"""

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FeatureKind, FloatArray
from losaw.forest import PlainRandomForestRegressor
from losaw.knockoffs.conditional_mean import (
    indicators,
    joined,
    normal_scores,
    regressors_of,
    strongest_columns,
)
from losaw.knockoffs.sampler import check_features, varying_columns
from losaw.rng import as_generator
from losaw.support.arguments import ArgumentTypeError

_TREES = 60
# The regressions and the classifier see so many of the other columns.
_OTHERS = 40


class DrawTest(NamedTuple):
    """A test of the draws of one column: how often they are distinguished from real values.

    ``recognised`` is the share of held-out rows whose draw the better of two tests distinguishes
    from the real value, .5 if they cannot be distinguished; ``p_value`` is one-sided.
    """

    recognised: float
    p_value: float


def draw_tests(
    X: ArrayLike,
    drawn: ArrayLike,
    kinds: Sequence[FeatureKind] | None = None,
    *,
    columns: Sequence[int | tuple[int, ...]] | None = None,
    half: ArrayLike | None = None,
    random_state: int | np.random.Generator | None = None,
) -> dict[int | tuple[int, ...], DrawTest]:
    """Test for each column, or group, whether drawn values are distinguished from real ones.

    If X~_j has the distribution of X_j given X_-j, then (X_j, X_-j) and (X~_j, X_-j) cannot be
    distinguished. The rows are halved; what is fitted to one half is tested on the other:

    - a forest and gradient boosting predict X_j from the other columns. Draws must not be further
      from the prediction than real values. Both find interactions of several columns.
    - a forest classifies real and drawn values. It sees the value, the other columns, the
      prediction, and the distance of the value from it. Draws must not look more drawn.

    Each is a mean of differences within rows, tested by Student's t: over all rows, and over half
    as many for the classifiers, which confirm each other's chance findings. The smaller p-value
    counts twice. A small p-value says that the draws of this column are wrong, and that what is
    computed with them may be; a large one does not prove them right.

    Parameters
    ----------
    X, drawn : arrays of shape (n_samples, n_features)
        Real rows, and for each of them draws of the columns, each given the real others. Missing
        values are compared as well.
    kinds : sequence of {"continuous", "discrete", "nominal"} or None
        Of the columns; None: all continuous.
    columns : sequence of int or tuple of int, or None
        Columns to test; a tuple is a group that was drawn together. None: all that vary.
    half : boolean array of shape (n_samples,), or None
        Rows of the first half, if a sampler that takes values of similar rows has drawn the halves
        apart. Draws that contain values of the other half are hard to recognise, or, of many
        levels, recognised as copies of rows of the fits. None: at random.
    random_state : int, Generator or None

    Returns
    -------
    dict of int or tuple of int to DrawTest
        For each column, or group, that varies. The p-values are of each alone.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.knockoffs import make_sampler
    >>> from losaw.knockoffs.diagnostics import draw_tests
    >>> rng = np.random.default_rng(0)
    >>> X = np.exp(2 * (rng.standard_normal((400, 1)) + rng.standard_normal((400, 2))))
    >>> drawn = make_sampler("gaussian").fit(X).sample(rng)
    >>> draw_tests(X, drawn, random_state=0)[0].p_value < 0.001
    True
    """
    if columns is not None and not isinstance(columns, Iterable):
        raise ArgumentTypeError(
            "columns must be a list of numbers of columns, as in [0], or None for all, got "
            f"{columns!r}"
        )
    rows, kinds = check_features(X, kinds, allow_missing=True)
    seed = int(as_generator(random_state).integers(2**63))
    if half is None:
        half = np.random.default_rng(seed).permutation(len(rows)) % 2
    first = np.asarray(half, dtype=bool)
    if first.shape != (len(rows),) or not 1 < first.sum() < len(rows) - 1:
        raise ValueError("half must say for every row whether it is in the first half")
    drawn, _ = check_features(drawn, None, allow_missing=True)
    if drawn.shape != rows.shape:
        raise ValueError(f"drawn has shape {drawn.shape}, expected {rows.shape} as of X")
    regressors = {int(j): regressors_of(rows[:, j], kinds[j]) for j in varying_columns(rows)}
    tests: dict[int | tuple[int, ...], DrawTest] = {}
    n_columns = rows.shape[1]
    for unit in regressors if columns is None else columns:
        columns_of_unit = unit if isinstance(unit, tuple) else (unit,)
        if strange := [
            j for j in columns_of_unit if not isinstance(j, Integral) or j not in range(n_columns)
        ]:
            raise ValueError(
                f"columns: {strange[0]!r} is no number of a column, from 0 to {n_columns - 1}; a "
                "group is a tuple of them"
            )
        both = [
            _scored(np.concatenate([rows[:, j], drawn[:, j]]), kinds[j])
            for j in columns_of_unit
            if j in regressors
        ]
        if both:
            real, copies = np.split(np.concatenate(both, axis=1), 2)
            others = [regressor for j, regressor in regressors.items() if j not in columns_of_unit]
            linear = joined([other.linear for other in others], len(real))
            known = strongest_columns(real, others, linear, np.arange(len(real)), _OTHERS)
            tests[unit] = _recognised(real, copies, known, first, seed % 2**31)
    return tests


def _scored(values: FloatArray, kind: FeatureKind) -> FloatArray:
    """Return a column as numbers that forests compare: scores and missingness, or indicators."""
    if kind == "nominal":
        return indicators(values)
    missing, scores = np.isnan(values), np.nan_to_num(normal_scores(values))
    return np.column_stack([scores, missing]) if missing.any() else scores[:, None]


def _recognised(
    real: FloatArray, drawn: FloatArray, known: FloatArray, first: NDArray[np.bool_], seed: int
) -> DrawTest:
    """Compare draws with real values by what is fitted to the other half of the rows."""
    predicted = np.empty_like(real)
    for held in (first, ~first):
        predicted[held] = _predicted(known[~held], real[~held], known[held], seed)

    def seen(values: FloatArray) -> FloatArray:
        distance = ((values - predicted) ** 2).sum(axis=1)
        return np.column_stack([distance, values, (values * predicted).sum(axis=1), known])

    before, after = seen(real), seen(drawn)
    looks_drawn = np.empty(len(real))
    for held in (first, ~first):
        fitted = np.concatenate([before[~held], after[~held]])
        forest = PlainRandomForestRegressor(
            _TREES, min_samples_leaf=10, max_features=0.4, random_state=seed
        ).fit(fitted, np.repeat([0.0, 1.0], (~held).sum()))
        looks_drawn[held] = forest.predict(after[held]) - forest.predict(before[held])
    n_rows = len(real)
    # What the classifier of one half finds by chance, that of the other half confirms: together
    # they show no more than one of them.
    tests = [
        _above_zero(after[:, 0] - before[:, 0], n_rows),
        _above_zero(looks_drawn, n_rows // 2),
    ]
    best = min(tests, key=lambda test: test.p_value)
    return best._replace(p_value=min(1.0, 2.0 * best.p_value))


def _predicted(known: FloatArray, real: FloatArray, at: FloatArray, seed: int) -> FloatArray:
    """Return the mean prediction of a forest and, of a single number, of gradient boosting."""
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from threadpoolctl import threadpool_limits

    if not known.shape[1]:
        return real.mean(axis=0) + np.zeros((len(at), real.shape[1]))
    # The same law, several times faster; of several numbers together only scikit-learn grows one.
    kind = PlainRandomForestRegressor if real.shape[1] == 1 else RandomForestRegressor
    forest = kind(_TREES, min_samples_leaf=3, random_state=seed)
    predicted = forest.fit(known, real.squeeze()).predict(at).reshape(len(at), -1)
    if real.shape[1] == 1:
        boosting = HistGradientBoostingRegressor(
            max_iter=_TREES, min_samples_leaf=10, random_state=seed
        )
        with threadpool_limits(1, "openmp"):  # on few rows threads wait for each other
            predicted = (predicted + boosting.fit(known, real[:, 0]).predict(at)[:, None]) / 2
    return np.asarray(predicted)


def _above_zero(differences: FloatArray, n_counted: int) -> DrawTest:
    """Return the share of positive differences, and the p-value of a mean above 0.

    The mean has the error of ``n_counted`` rows.
    """
    from scipy.special import stdtr

    share = float(((differences > 0) + 0.5 * (differences == 0)).mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n_counted)
    if error == 0:
        return DrawTest(share, 1.0)
    return DrawTest(share, float(stdtr(n_counted - 1, -differences.mean() / error)))

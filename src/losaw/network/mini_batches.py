"""Mini-batches, losaw's (Algorithm 5.2) and plain ones: the rows of the next step."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.network.feature_weights import FeatureWeights
from losaw.rng import as_generator
from losaw.support.arguments import whole_number

RowImportances = Callable[[NDArray[np.intp]], ArrayLike]
_ROWS_AT_A_TIME = 24
_ZERO_ROWS = 1000


class LosawMiniBatches:
    """Mini-batches, as row indices, that decorrelate the features a model relies on.

    For every mini-batch a feature p is drawn with probability proportional to its importance,

        P(p) = s_p / sum_q s_q,   s_p = (1 / N) sum_n g_np,

    and rows are drawn with replacement, with the losaw weights of p, which make p (nearly)
    uncorrelated with the features that it is correlated with.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The training features.
    batch_size : int, default 254
        Rows of a mini-batch, at most ``n_samples``.
    eta : float in (0, 1], default 0.2
        Smallest relative effective sample size of the weights; 1 is uniform sampling.
    correlation_threshold : float in [0, 1], default 0.1
        A feature is adjusted for all others whose absolute Pearson correlation is larger.
    discrete_features : "auto" or boolean mask (n_features,), default "auto"
        Features whose propensity is a multinomial logit rather than a normal linear regression.
        "auto": at most 10 distinct values, each seen five times on average.
    random_state : int, numpy.random.Generator or None, default None

    Attributes
    ----------
    n_draws : array of shape (n_features,)
        How often each feature has been drawn.
    n_uniform_draws : int
        Draws with uniform probabilities, because all importances were zero.
    n_inspected_rows : int
        Rows whose importances were computed.

    Notes
    -----
    The importances may be given as a vector, or as a function of single rows. With a function the
    drawn feature has exactly the distribution above, without a pass over the sample: a row is drawn
    uniformly and accepted with probability ``sum_p g_np / P``, then p is drawn with probability
    ``g_np / sum_q g_nq``. That costs ``P / sum_p s_p`` rows on average. If N rows were refused, or
    1,000 rows were all zero, the sum over the sample is computed; the distribution is the same. A
    model whose importances are zero in every row is constant: there is a warning, and the feature
    is drawn uniformly, and from then on 24 zero rows are enough to do so again.

    References
    ----------
    losaw, Section 5, Algorithm 5.2, Remarks 4.9 and 5.1.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.network import LosawMiniBatches
    >>> X = np.random.default_rng(0).integers(-1, 2, (1000, 8)).astype(float)
    >>> batches = LosawMiniBatches(X, batch_size=32, random_state=0)
    >>> batches.draw(np.arange(8.0)).shape
    (32,)
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        batch_size: int = 254,
        eta: float = 0.2,
        correlation_threshold: float = 0.1,
        discrete_features: Any = "auto",
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.feature_weights = FeatureWeights(X, eta, correlation_threshold, discrete_features)
        self.n_samples, self.n_features = self.feature_weights.X.shape
        self.batch_size = whole_number("batch_size", batch_size, 1, maximum=self.n_samples)
        self._rng = as_generator(random_state)
        self.n_draws = np.zeros(self.n_features, dtype=np.int64)
        self.n_uniform_draws = 0
        self.n_inspected_rows = 0
        self._constant = False

    def draw(self, importances: ArrayLike | RowImportances) -> NDArray[np.intp]:
        """Draw the rows (batch_size,) of a mini-batch; see :meth:`draw_feature`."""
        return self.draw_rows(self.draw_feature(importances))

    def draw_feature(self, importances: ArrayLike | RowImportances) -> int:
        """Draw a feature, with probability proportional to its importance; return its column.

        Importances are non-negative scores s (n_features,), or a function ``rows -> g`` of row
        indices (n_rows,) that returns the rows' scores g (n_rows, n_features), in [0, 1].
        """
        if callable(importances):
            feature = self._from_single_rows(importances)
        else:
            feature = self._from_scores(self._checked(importances, (self.n_features,), np.inf))
        self.n_draws[feature] += 1
        return feature

    def draw_rows(self, feature: int) -> NDArray[np.intp]:
        """Draw rows (batch_size,) with replacement, with the weights of ``feature``."""
        feature = whole_number("feature", feature, 0, maximum=self.n_features - 1)
        upper = np.cumsum(self.feature_weights(feature))
        return np.searchsorted(
            upper, self._rng.random(self.batch_size) * upper[-1], side="right"
        ).clip(max=self.n_samples - 1)

    def record(self) -> dict[str, Any]:
        """Return what was drawn, as ``training_record_`` shows it."""
        return {
            "draws": self.n_draws,
            "relative_effective_sample_sizes": self.relative_effective_sample_sizes(),
            "n_uniform_draws": self.n_uniform_draws,
            "n_inspected_rows": self.n_inspected_rows,
        }

    def relative_effective_sample_sizes(self) -> FloatArray:
        """Return ``s(w) / N`` (n_features,) of every feature that has been drawn, else NaN."""
        sizes = np.full(self.n_features, np.nan)
        for feature in np.flatnonzero(self.n_draws):
            sizes[feature] = self.feature_weights.relative_effective_sample_size(int(feature))
        return sizes

    def _from_single_rows(self, row_importances: RowImportances) -> int:
        inspected, all_zero = 0, True
        patience = _ROWS_AT_A_TIME if self._constant else min(_ZERO_ROWS, self.n_samples)
        while inspected < self.n_samples and not (all_zero and inspected >= patience):
            rows = self._rng.integers(self.n_samples, size=_ROWS_AT_A_TIME)
            scores = self._rows(row_importances, rows)
            totals = scores.sum(axis=1)
            accepted = np.flatnonzero(self._rng.random(len(rows)) * self.n_features < totals)
            if len(accepted):
                self._constant = False
                return self._in_proportion(scores[accepted[0]])
            inspected += len(rows)
            all_zero = all_zero and not totals.any()
        if all_zero and self._constant:
            return self._uniformly()
        return self._from_scores(self._over_all_rows(row_importances))

    def _over_all_rows(self, row_importances: RowImportances) -> FloatArray:
        total = np.zeros(self.n_features)
        for start in range(0, self.n_samples, _ROWS_AT_A_TIME):
            rows = np.arange(start, start + _ROWS_AT_A_TIME).clip(max=self.n_samples - 1)
            n_new = min(_ROWS_AT_A_TIME, self.n_samples - start)
            total += self._rows(row_importances, rows)[:n_new].sum(axis=0)
        return total

    def _from_scores(self, scores: FloatArray) -> int:
        self._constant = not scores.any()
        return self._uniformly() if self._constant else self._in_proportion(scores)

    def _uniformly(self) -> int:
        if self.n_uniform_draws == 0:
            warnings.warn(
                "all importances are zero: the model is constant on the sample. Features are drawn "
                "uniformly until that changes; see n_uniform_draws",
                RuntimeWarning,
                stacklevel=5,
            )
        self.n_uniform_draws += 1
        return int(self._rng.integers(self.n_features))

    def _in_proportion(self, scores: FloatArray) -> int:
        upper = np.cumsum(scores)
        if not 1e-290 < upper[-1] < np.inf:  # smaller sums have no share between 0 and 1
            upper = np.cumsum(scores / scores.max())
        return int(np.searchsorted(upper, self._rng.random() * upper[-1], side="right"))

    def _rows(self, row_importances: RowImportances, rows: NDArray[np.intp]) -> FloatArray:
        self.n_inspected_rows += len(rows)
        return self._checked(row_importances(rows), (len(rows), self.n_features), 1.0)

    @staticmethod
    def _checked(scores: ArrayLike, shape: tuple[int, ...], largest: float) -> FloatArray:
        rows = np.asarray(scores, dtype=np.float64)
        if rows.shape != shape:
            raise ValueError(f"importances have shape {rows.shape}, expected {shape}")
        low, high = float(rows.min()), float(rows.max())
        if not (low >= 0.0 and high <= largest and np.isfinite(high)):
            allowed = "[0, 1]" if largest == 1.0 else "[0, inf)"
            raise ValueError(
                f"importances must be finite and in {allowed}, got values from {low} to {high}; "
                "take absolute values, and scale those of single rows to 0-1"
            )
        return rows


class ShuffledMiniBatches:
    """Mini-batches cut off a stream of random orders of the sample.

    All have the same size: if an epoch's last rows do not fill a mini-batch, the next epoch's first
    rows do.
    """

    def __init__(self, n_samples: int, batch_size: int, rng: np.random.Generator) -> None:
        self.n_samples = n_samples
        self.batch_size = batch_size
        self._rng = rng
        self._waiting = np.empty(0, dtype=np.intp)

    def draw(self, importances: Any = None) -> NDArray[np.intp]:
        """Draw the rows (batch_size,) of the next mini-batch, whatever the importances."""
        while len(self._waiting) < self.batch_size:
            self._waiting = np.concatenate([self._waiting, self._rng.permutation(self.n_samples)])
        rows, self._waiting = np.split(self._waiting, [self.batch_size])
        return rows

    def record(self) -> dict[str, Any]:
        """Return nothing: there is nothing to record of rows that are drawn at random."""
        return {}

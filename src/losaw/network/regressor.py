"""The convolutional network of the losawGD study as scikit-learn regressors."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.network.mini_batches import LosawMiniBatches, ShuffledMiniBatches
from losaw.network.training import network_for, network_of, normalized
from losaw.rng import as_generator
from losaw.support.arguments import (
    check_same_order,
    check_unique,
    estimator_rows,
    unmasked,
    whole_number,
)
from losaw.support.outcomes import finite_numbers

# Squared errors are summed in single precision, which ends at 3.4e38.
_LARGEST_RESPONSE = 1e18
# Of the standard deviation, what single precision may take of the largest value.
_LARGEST_LOSS = 0.01


@dataclass(eq=False, repr=False)
class NetworkRegressor(RegressorMixin, BaseEstimator):
    """A convolutional network, trained by Adam on the mean squared error.

    Two "valid" convolutions along the features, two dense layers, all with ReLU, and a linear
    output (losaw, Figure 5; 4,080,001 parameters for 1,000 features). Mini-batches are drawn
    without replacement. ``y`` and ``X`` are used as they are: scale them to unit size before, since
    training learns little far from it, and warns there.

    Parameters
    ----------
    n_steps : int, default 400
        Mini-batches to train on.
    batch_size : int, default 254
        Rows of a mini-batch, at most ``n_samples``.
    learning_rate : float, default 0.001
        Of Adam; its other constants are .9, .999 and 1e-7.
    kernel_sizes : pair of int, default (5, 3)
        Of the convolutions; their sum less 1 must not exceed ``n_features``.
    filters : pair of int, default (32, 64)
        Of the convolutions.
    units : pair of int, default (64, 32)
        Of the hidden dense layers.
    random_state : int, numpy.random.Generator or None, default None
    verbose : int, default 0
        1 shows a progress bar.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Saliency on the training rows, 0–1: absolute input gradients, scaled to 0–1 within every
        row, averaged over rows, scaled to 0–1.
    parameters_ : dict of arrays
        The network's weights.
    training_record_ : dict
        Records of the training; empty for plain mini-batches.

    Raises
    ------
    ValueError, TypeError
        At once on a parameter out of range, missing or infinite values, a constant ``y``, fewer
        features than the convolutions need, a batch larger than the sample, a column so far from
        zero that single precision loses how its values differ.

    Notes
    -----
    Inputs that are all -1, 0 or 1 are looked up in a table of patterns, others are convolved; the
    network is the same. One thread on a CPU (see :mod:`losaw.support.jax_backend`); with the extra
    ``gpu`` installed JAX finds the GPU by itself.

    References
    ----------
    losaw, Section 5.3 and Appendix 9.14.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw import NetworkRegressor
    >>> X = np.random.default_rng(0).standard_normal((100, 10))
    >>> model = NetworkRegressor(n_steps=5, batch_size=50, random_state=0).fit(X, X[:, 0])
    >>> model.feature_importances_.shape
    (10,)
    """

    examples = ({"n_steps": 30, "batch_size": 32, "kernel_sizes": (3, 2), "filters": (4, 4)},)

    n_steps: int = 400
    _: KW_ONLY
    batch_size: int = 254
    learning_rate: float = 0.001
    kernel_sizes: tuple[int, int] = (5, 3)
    filters: tuple[int, int] = (32, 64)
    units: tuple[int, int] = (64, 32)
    random_state: int | np.random.Generator | None = None
    verbose: int = 0

    def __sklearn_is_fitted__(self) -> bool:
        return "parameters_" in vars(self)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train the network on X (n_samples, n_features), numbers, and y (n_samples,)."""
        from tqdm import tqdm

        self.__dict__.pop("parameters_", None)  # a refused fit leaves an unfitted estimator, too
        check_unique(getattr(X, "columns", ()))
        check_same_order(X, "y", y)
        rows, response = estimator_rows(self, X, unmasked(y), y_numeric=True)
        response = finite_numbers(response)
        if np.abs(response).max() > _LARGEST_RESPONSE:
            raise ValueError(
                f"y holds values beyond {_LARGEST_RESPONSE:g}, whose squares are beyond the single "
                "precision of the training; take another unit"
            )
        if np.ptp(response) == 0.0:
            raise ValueError(
                f"y is constant ({response[0]:g}, n_samples = {len(rows)}): there is nothing to "
                "learn"
            )
        _check_precision("y", response[:, None])
        _check_precision("X", rows, getattr(self, "feature_names_in_", None))
        _warn_of_size(rows, response)
        n_steps = whole_number("n_steps", self.n_steps, 1)
        rng = as_generator(self.random_state)
        batches = self._mini_batches(rows, rng)
        network = network_for(self, rows)
        encoded = network.form.encode(rows)
        held, held_y = network.hold(encoded), network.hold(response.astype(np.float32))
        parameters, moments = network.start(network.architecture.initial_parameters(rng))

        def row_saliency(places: NDArray[np.intp]) -> NDArray[np.float32]:
            return _finite(network.row_saliency(parameters, encoded[places]))

        for _ in tqdm(range(n_steps), disable=not self.verbose, unit="step"):
            batch = batches.draw(row_saliency)
            parameters, moments = network.step(parameters, moments, held, held_y, batch)
        saliency = _finite(network.mean_row_saliency(parameters, encoded))
        # Parameters that are set after the fit are of the next one: predictions stay this fit's.
        self._of_fit = (network.architecture, network.learning_rate)
        self.parameters_ = {name: _finite(np.asarray(v)) for name, v in parameters.items()}
        self.feature_importances_ = normalized(saliency)
        self.training_record_ = batches.record()
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the network's output, (n_samples,); refuse rows beyond single precision."""
        check_is_fitted(self)
        rows = estimator_rows(self, X, reset=False)
        predicted = network_of(*self._of_fit, rows).predict(self.parameters_, rows)
        lost = np.flatnonzero(~np.isfinite(predicted))
        if len(lost):
            raise ValueError(
                f"X holds values up to {np.abs(rows[lost[0]]).max():g} in size (row {lost[0]}), "
                "whose prediction is beyond single precision; give X in the unit of the fit"
            )
        return predicted

    def _mini_batches(self, rows: FloatArray, rng: np.random.Generator) -> Any:
        size = whole_number("batch_size", self.batch_size, 1, maximum=len(rows))
        return ShuffledMiniBatches(len(rows), size, rng)


def _check_precision(
    name: str, values: FloatArray, columns: NDArray[np.object_] | None = None
) -> None:
    """Raise at a column so far from zero that single precision loses how its values differ."""
    largest, deviation = np.abs(values).max(axis=0), values.std(axis=0)
    lost = np.finfo(np.float32).eps * largest > _LARGEST_LOSS * deviation
    for j in np.flatnonzero(lost & (np.ptp(values, axis=0) > 0)).tolist():
        label = j if columns is None else repr(str(columns[j]))
        raise ValueError(
            f"{name}{f', column {label},' if name == 'X' else ''} has values up to "
            f"{largest[j]:g} in size with a standard deviation of {deviation[j]:g}: single "
            "precision loses how they differ; subtract the mean and take another unit"
        )


def _warn_of_size(X: FloatArray, y: FloatArray) -> None:
    """Warn of values that 400 steps learned little of; columns may be small beside others."""
    size = float(np.sqrt(np.einsum("ij,ij->j", X, X).max() / len(X)))
    mean, deviation = float(y.mean()), float(y.std())
    is_far = abs(mean) > 15 * deviation or not 0.02 <= deviation <= 5e4
    if is_far or not 0.002 <= size <= 25:
        warnings.warn(
            f"X has columns of root mean square up to {size:.2g}, y has mean {mean:.2g} and "
            f"standard deviation {deviation:.2g}: a network may learn next to nothing far from "
            "unit size; scale X by StandardScaler, and y by TransformedTargetRegressor",
            stacklevel=3,
        )


def _finite(values: Any) -> Any:
    """The values of a training that has not diverged."""
    if not np.isfinite(values).all():
        raise ValueError(
            "the training diverged: its numbers are missing or infinite; scale X and y to about "
            "unit size, or lower learning_rate"
        )
    return values


@dataclass(eq=False, repr=False)
class LosawNetworkRegressor(NetworkRegressor):
    """A convolutional network trained on losaw mini-batches (losawGD).

    Before every step a feature is drawn in proportion to the network's saliency, and the rows of
    the mini-batch with weights that decorrelate it; see :class:`LosawMiniBatches`. Everything
    else is as in :class:`NetworkRegressor`.

    Parameters
    ----------
    n_steps, batch_size, learning_rate, kernel_sizes, filters, units, random_state, verbose
        As in :class:`NetworkRegressor`.
    eta, correlation_threshold, discrete_features
        As in :class:`LosawMiniBatches`.

    Attributes
    ----------
    training_record_ : dict
        ``draws`` (n_features,): how often each feature was drawn;
        ``relative_effective_sample_sizes`` (n_features,): ``s(w) / N`` of its weights, NaN where it
        was not drawn; ``n_uniform_draws``: draws while the network was constant;
        ``n_inspected_rows``: rows whose input gradients were computed.

    References
    ----------
    losaw, Section 5, Algorithm 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw import LosawNetworkRegressor
    >>> X = np.random.default_rng(0).standard_normal((100, 10))
    >>> model = LosawNetworkRegressor(n_steps=5, batch_size=50, random_state=0).fit(X, X[:, 0])
    >>> int(model.training_record_["draws"].sum())
    5
    """

    _: KW_ONLY
    eta: float = 0.2
    correlation_threshold: float = 0.1
    discrete_features: Any = "auto"

    def _mini_batches(self, rows: FloatArray, rng: np.random.Generator) -> Any:
        return LosawMiniBatches(
            rows,
            batch_size=self.batch_size,
            eta=self.eta,
            correlation_threshold=self.correlation_threshold,
            discrete_features=self.discrete_features,
            random_state=rng,
        )

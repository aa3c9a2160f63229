"""The training loop of both regressors, from checked rows to a trained network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.network.architecture import Architecture
from losaw.network.lookup import LookupForm
from losaw.network.saliency import normalized
from losaw.network.training import Network, compiled_network
from losaw.rng import as_generator
from losaw.support.arguments import real_number, whole_number
from losaw.support.outcomes import finite_numbers

# Adam's steps are in single precision, which ends here.
_SLOWEST = 1e-30
# Squared errors are summed in single precision, which ends at 3.4e38.
_LARGEST_RESPONSE = 1e18


def network_for(settings: Any, rows: FloatArray) -> Network:
    """Return the compiled network of a regressor's settings, in the form for ``rows``."""
    architecture = Architecture(
        rows.shape[1],
        _pair("kernel_sizes", settings.kernel_sizes),
        _pair("filters", settings.filters),
        _pair("units", settings.units),
    )
    architecture.check_inputs()
    form = "lookup" if LookupForm.suits(architecture, rows) else "shifts"
    learning_rate = real_number("learning_rate", settings.learning_rate, _SLOWEST)
    return compiled_network(architecture, form, learning_rate)


def fit_network(settings: Any, rows: FloatArray, y: FloatArray) -> None:
    """Train the network of a regressor's settings, and set what it has learned.

    Parameters
    ----------
    settings : NetworkRegressor
    rows : array of shape (n_samples, n_features)
        Finite.
    y : array of shape (n_samples,)
    """
    from tqdm import tqdm

    response = _checked_response(y)
    whole_number("n_steps", settings.n_steps, 1)
    rng = as_generator(settings.random_state)
    n_saliency = len(rows)
    if settings.n_saliency_rows is not None:
        n_saliency = min(whole_number("n_saliency_rows", settings.n_saliency_rows, 1), n_saliency)
    batches = settings._mini_batches(rows, rng)
    network = network_for(settings, rows)
    encoded = network.form.encode(rows)
    held, held_y = network.hold(encoded), network.hold(response.astype(np.float32))
    parameters, moments = network.start(network.architecture.initial_parameters(rng))

    def row_saliency(places: NDArray[np.intp]) -> NDArray[np.float32]:
        return network.row_saliency(parameters, encoded[places])

    for _ in tqdm(range(settings.n_steps), disable=not settings.verbose, unit="step"):
        batch = batches.draw(row_saliency)
        parameters, moments = network.step(parameters, moments, held, held_y, batch)
    inspected = encoded
    if n_saliency < len(rows):
        inspected = inspected[rng.permutation(len(rows))[:n_saliency]]
    settings.parameters_ = {name: np.asarray(v) for name, v in parameters.items()}
    settings.n_parameters_ = network.architecture.n_parameters
    saliency = network.mean_row_saliency(parameters, inspected)
    settings.feature_importances_ = normalized(saliency)
    settings.training_record_ = batches.record()


def _checked_response(y: FloatArray) -> FloatArray:
    """Return ``y`` as a finite float vector that is not constant."""
    response = np.ascontiguousarray(finite_numbers(y))
    if np.abs(response).max() > _LARGEST_RESPONSE:
        raise ValueError(
            f"y holds values beyond {_LARGEST_RESPONSE:g}, whose squares are beyond the single "
            "precision of the training; take another unit"
        )
    if np.ptp(response) == 0.0:
        raise ValueError(f"y is constant ({response[0]:g}): there is nothing to learn")
    return response


def _pair(name: str, value: Any) -> tuple[int, int]:
    """Return a pair of positive integers."""
    if not isinstance(value, list | tuple | np.ndarray) or len(value) != 2:
        raise TypeError(f"{name} must be a pair of integers, got {value!r}")
    return whole_number(name, value[0], 1), whole_number(name, value[1], 1)

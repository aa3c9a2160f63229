"""The training loop of both regressors, from checked rows to a trained network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.network.architecture import Architecture
from losaw.network.lookup import LookupForm
from losaw.network.mini_batches import LosawMiniBatches
from losaw.network.saliency import normalized
from losaw.network.training import Network, compiled_network
from losaw.network.validation import check_response, check_sizes
from losaw.rng import as_generator
from losaw.support.arguments import real_number, whole_number

# Adam's steps are in single precision, which ends here.
_SLOWEST = 1e-30


def network_for(settings: Any, rows: FloatArray) -> Network:
    """Return the compiled network of a regressor's settings, in the form for ``rows``."""
    architecture = Architecture(
        rows.shape[1],
        check_sizes("kernel_sizes", settings.kernel_sizes),
        check_sizes("filters", settings.filters),
        check_sizes("units", settings.units),
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
    response = check_response(y)
    whole_number("n_steps", settings.n_steps, 1)
    rng = as_generator(settings.random_state)
    n_saliency = len(rows)
    if settings.n_saliency_rows is not None:
        n_saliency = min(whole_number("n_saliency_rows", settings.n_saliency_rows, 1), n_saliency)
    batches = settings._mini_batches(rows, rng)
    network = network_for(settings, rows)
    training = _Training(network, rows, response, batches, rng)
    training.run(settings.n_steps, bool(settings.verbose))
    inspected = training.encoded
    if n_saliency < len(rows):
        inspected = inspected[rng.permutation(len(rows))[:n_saliency]]
    settings.parameters_ = {name: np.asarray(v) for name, v in training.parameters.items()}
    settings.n_parameters_ = network.architecture.n_parameters
    saliency = network.mean_row_saliency(training.parameters, inspected)
    settings.feature_importances_ = normalized(saliency)
    settings.training_record_ = _record(batches)


class _Training:
    """A training: parameters, optimiser and mini-batches."""

    def __init__(
        self,
        network: Network,
        rows: FloatArray,
        y: FloatArray,
        batches: Any,
        rng: np.random.Generator,
    ) -> None:
        self.network = network
        self.batches = batches
        self.encoded = network.form.encode(rows)
        self._held = network.hold(self.encoded)
        self._y = network.hold(y.astype(np.float32))
        self.parameters, self.moments = network.start(network.architecture.initial_parameters(rng))

    def run(self, n_steps: int, verbose: bool) -> None:
        """Train on ``n_steps`` mini-batches."""
        from tqdm import tqdm

        for _ in tqdm(range(n_steps), disable=not verbose, unit="step"):
            rows = self._next_rows()
            self.parameters, self.moments = self.network.step(
                self.parameters, self.moments, self._held, self._y, rows
            )

    def _next_rows(self) -> NDArray[np.intp]:
        if isinstance(self.batches, LosawMiniBatches):
            return self.batches.draw(self._row_saliency)
        rows: NDArray[np.intp] = self.batches.draw()
        return rows

    def _row_saliency(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return self.network.row_saliency(self.parameters, self.encoded[rows])


def _record(batches: Any) -> dict[str, Any]:
    if not isinstance(batches, LosawMiniBatches):
        return {}
    return {
        "draws": batches.n_draws,
        "relative_effective_sample_sizes": batches.relative_effective_sample_sizes(),
        "n_uniform_draws": batches.n_uniform_draws,
        "n_inspected_rows": batches.n_inspected_rows,
    }

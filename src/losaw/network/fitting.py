"""The training loop of both regressors, from checked rows to a trained network."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.network import checkpoint
from losaw.network.architecture import Architecture
from losaw.network.lookup import LookupForm
from losaw.network.mini_batches import LosawMiniBatches
from losaw.network.saliency import normalized
from losaw.network.training import Network, compiled_network
from losaw.network.validation import (
    check_checkpoint,
    check_learning_rate,
    check_response,
    check_sizes,
)
from losaw.rng import as_generator
from losaw.support.arguments import whole_number

# A training does not depend on these.
_BESIDE = ("n_steps", "n_saliency_rows", "checkpoint", "checkpoint_every", "verbose")


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
    return compiled_network(architecture, form, check_learning_rate(settings.learning_rate))


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
    file = check_checkpoint(settings.checkpoint)
    whole_number("checkpoint_every", settings.checkpoint_every, 1)
    n_saliency = len(rows)
    if settings.n_saliency_rows is not None:
        n_saliency = min(whole_number("n_saliency_rows", settings.n_saliency_rows, 1), n_saliency)
    batches = settings._mini_batches(rows, rng)
    network = network_for(settings, rows)
    training = _Training(network, rows, response, batches, rng)
    if file is not None:
        training.keep_in(file, settings)
    training.run(settings.n_steps, settings.checkpoint_every, bool(settings.verbose))
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
        self.step = 0
        self._file: Path | None = None
        self._sample = rows, y

    def keep_in(self, file: Path, settings: Any) -> None:
        """Write checkpoints to ``file``; resume from it if it exists."""
        asked = {key: value for key, value in settings.get_params().items() if key not in _BESIDE}
        if isinstance(asked["random_state"], np.random.Generator):
            asked["random_state"] = "a generator"
        asked["class"] = type(settings).__name__
        self._file = file
        self._mark = checkpoint.fingerprint(*self._sample, asked)
        if not file.exists():
            return
        self.step, arrays, state = checkpoint.load(file, self._mark)
        if self.step > settings.n_steps:
            raise checkpoint.CheckpointError(
                f"checkpoint {file} is {self.step} steps old, more than n_steps="
                f"{settings.n_steps}; request more steps, or name another file"
            )
        self._fill(arrays)
        self.batches.restore(state)

    def run(self, n_steps: int, every: int, verbose: bool) -> None:
        """Train until ``n_steps`` mini-batches have been used."""
        from tqdm import tqdm

        kept = self.step
        with tqdm(total=n_steps, initial=self.step, disable=not verbose, unit="step") as bar:
            try:
                while self.step < n_steps:
                    rows = self._next_rows()
                    self.parameters, self.moments = self.network.step(
                        self.parameters, self.moments, self._held, self._y, rows
                    )
                    self.step += 1
                    bar.update()
                    if self._file is not None and (self.step % every == 0 or self.step == n_steps):
                        self._save()
                        kept = self.step
            except KeyboardInterrupt as interruption:
                where = "no checkpoint was requested: a new fit starts from the beginning"
                if self._file is not None:
                    where = f"{self._file} contains step {kept}: a new fit resumes there"
                interruption.add_note(f"training was interrupted at step {self.step}; {where}")
                raise

    def _next_rows(self) -> NDArray[np.intp]:
        if isinstance(self.batches, LosawMiniBatches):
            return self.batches.draw(self._row_saliency)
        rows: NDArray[np.intp] = self.batches.draw()
        return rows

    def _row_saliency(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return self.network.row_saliency(self.parameters, self.encoded[rows])

    def _arrays(self) -> tuple[list[Any], Any]:
        import jax

        leaves, structure = jax.tree_util.tree_flatten((self.parameters, self.moments))
        return leaves, structure

    def _save(self) -> None:
        if self._file is not None:
            state = self.batches.state()
            checkpoint.save(self._file, self._mark, self.step, self._arrays()[0], state)

    def _fill(self, arrays: list[Any]) -> None:
        import jax
        import jax.numpy as jnp

        _, structure = self._arrays()
        on_device = [jnp.asarray(array) for array in arrays]
        self.parameters, self.moments = jax.tree_util.tree_unflatten(structure, on_device)


def _record(batches: Any) -> dict[str, Any]:
    if not isinstance(batches, LosawMiniBatches):
        return {}
    return {
        "draws": batches.n_draws,
        "relative_effective_sample_sizes": batches.relative_effective_sample_sizes(),
        "n_uniform_draws": batches.n_uniform_draws,
        "n_inspected_rows": batches.n_inspected_rows,
    }

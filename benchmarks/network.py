"""Seconds of the network, of losawGD and of Keras on TensorFlow, on one core.

    python benchmarks/network.py [--steps 100] [--keras-python PATH]

The network of Figure 5 (4,080,001 parameters), mini-batches of 254 rows, P = 1,000, N = 50,000;
data of the losawGD study. Everything in one run; the peer is measured before and after ours. Keras
may live in an environment of its own: name its python.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402

N_SAMPLES, N_FEATURES, BATCH = 50_000, 1000, 254


def main() -> None:
    """Measure everything and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--keras-python", default=sys.executable)
    parser.add_argument("--keras", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.keras:
        print(json.dumps(keras_step(20)))
        return
    peer = [keras(options.keras_python)]
    data = sample()
    plain = seconds_per_step(data, options.steps, "plain")
    losaw = seconds_per_step(data, options.steps, "losaw")
    continuous = seconds_per_step(data, max(10, options.steps // 5), "continuous")
    peer.append(keras(options.keras_python))
    known = [one for one in peer if one is not None]
    reference = statistics.mean(known) if known else None
    print(f"{'':52}{'seconds':>9}{'ratio':>7}{'target':>8}")
    if reference is not None:
        line("Keras 3 on TensorFlow, one step", reference, None, None)
    line("plain step, inputs in {-1, 0, 1}, of Keras'", plain, reference, 0.55)
    line("plain step, continuous inputs, of Keras'", continuous, reference, 1.2)
    line("losawGD step, of the plain step", losaw, plain, 1.4)
    line("weights of one feature (target .008 s)", seconds_of_weights(data), None, None)


def sample() -> Any:
    """One draw of the study."""
    from losaw.study.generators.five_feature_blocks import FiveFeatureBlocksGenerator

    generator = FiveFeatureBlocksGenerator(function="f10")
    return generator.sample(np.random.default_rng(0))


def seconds_per_step(data: Any, n_steps: int, kind: str) -> float:
    """Mean seconds of a step, after as many steps that do not count."""
    from losaw.network import LosawMiniBatches, NetworkRegressor
    from losaw.network.mini_batches import ShuffledMiniBatches
    from losaw.network.training import network_for

    X, y = data.train
    rng = np.random.default_rng(1)
    if kind == "continuous":
        X = X[:5000] + 0.1 * rng.standard_normal((5000, X.shape[1]))
        y = y[:5000]
    network = network_for(NetworkRegressor(), X)
    encoded = network.form.encode(X)
    held, response = network.hold(encoded), network.hold(y.astype(np.float32))
    parameters, moments = network.start(network.architecture.initial_parameters(rng))
    if kind == "losaw":
        losaw = LosawMiniBatches(X, random_state=rng)

        def rows() -> Any:
            return losaw.draw(lambda some: network.row_saliency(parameters, encoded[some]))
    else:
        rows = ShuffledMiniBatches(len(X), BATCH, rng).draw
    for step in range(2 * n_steps):
        if step == n_steps:
            parameters["output"].block_until_ready()
            started = time.perf_counter()
        parameters, moments = network.step(parameters, moments, held, response, rows())
    parameters["output"].block_until_ready()
    return (time.perf_counter() - started) / n_steps


def seconds_of_weights(data: Any) -> float:
    """Median seconds of the weights of a feature that was not drawn before."""
    from losaw.network import FeatureWeights

    weights = FeatureWeights(data.train.X, 0.2, 0.1)
    weights(0)
    return statistics.median(timed(lambda p=p: weights(p)) for p in range(1, 100))


def keras(python: str) -> float | None:
    """Seconds of Keras' step, measured by another python; None with a reason if it has no Keras."""
    answer = subprocess.run(
        [python, __file__, "--keras"],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "KERAS_BACKEND": "tensorflow"},
    )
    if answer.returncode:
        reason = (answer.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"no peer: {python} cannot run Keras ({reason})")
        return None
    return float(json.loads(answer.stdout.splitlines()[-1]))


def keras_step(n_steps: int) -> float:
    """Median seconds of one training step of the same network in Keras 3 on TensorFlow."""
    import keras
    import tensorflow

    tensorflow.config.threading.set_intra_op_parallelism_threads(1)
    tensorflow.config.threading.set_inter_op_parallelism_threads(1)
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((N_FEATURES, 1, 1)),
            layers.Conv2D(32, (5, 1), activation="relu"),
            layers.Conv2D(64, (3, 1), activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(32, activation="relu"),
            layers.Dense(1),
        ]
    )
    model.compile(optimizer=keras.optimizers.Adam(0.001), loss="mse")
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (BATCH, N_FEATURES, 1, 1)).astype(np.float32)
    y = rng.standard_normal(BATCH).astype(np.float32)
    for _ in range(4):
        model.train_on_batch(X, y)
    return statistics.median(timed(lambda: model.train_on_batch(X, y)) for _ in range(n_steps))


def timed(run: Callable[[], object]) -> float:
    """Wall seconds of a call."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def line(name: str, seconds: float, reference: float | None, target: float | None) -> None:
    """One measured line."""
    print("".join([f"{name:52}{seconds:9.4f}", *cells(seconds, reference, target)]), flush=True)


def cells(seconds: float, reference: float | None, target: float | None) -> Iterator[str]:
    """Ratio and target, where there is something to compare with."""
    if reference is not None:
        yield f"{seconds / reference:7.2f}"
        yield f"{target:8.2f}" if target is not None else ""


if __name__ == "__main__":
    main()

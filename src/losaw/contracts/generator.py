"""Checks of a generator: consistent samples and truth, decided by the stream alone."""

import numpy as np

from losaw.contracts.outcome import (
    Subject,
    arrays,
    global_generators_untouched,
    require,
    require_methods,
)
from losaw.data import Dataset, Sample
from losaw.generators.generator import draw, joint_law_of

METHODS = {"sample": "sample(self, rng) -> Dataset"}
# Standard errors that a sample moment may be off: 1e-9 of all samples, for a fixed seed.
BOUND = 6.0


def has_the_methods_of_a_generator(subject: Subject) -> None:
    require_methods(subject.create(), METHODS)


def gives_a_data_set_of_consistent_shapes(subject: Subject) -> None:
    data = _draw(subject)
    require(isinstance(data, Dataset), f"sample returns {type(data).__name__}, expected Dataset")
    n_features = data.truth.n_features
    for name, sample in _samples(data).items():
        X, y = sample
        require(
            X.ndim == 2 and X.shape[1] == n_features and y.shape == (len(X),) and len(X) > 1,
            f"{name} has X {X.shape} and y {y.shape}, expected (n, {n_features}) and (n,)",
        )
        require(
            X.dtype == np.float64 and np.isfinite(X).all() and np.isfinite(y).all(),
            f"{name} must hold finite float64 numbers",
        )


def truth_names_the_features_that_matter(subject: Subject) -> None:
    data = _draw(subject)
    truth = data.truth
    require(
        sorted(set(truth.signal)) == list(truth.signal)
        and all(0 <= column < truth.n_features for column in truth.signal),
        f"truth.signal must be ascending columns below {truth.n_features}, got {truth.signal}",
    )
    function = truth.regression_function
    if function is None:
        return
    # Independent rows show the effect of one feature with all others fixed.
    X = np.column_stack([np.random.default_rng(1).permutation(column) for column in data.train.X.T])
    values = np.asarray(function(X))
    require(
        values.shape == (len(X),) and np.isfinite(values).all(),
        f"regression_function gives shape {values.shape} for {len(X)} rows, expected ({len(X)},)",
    )
    for column in range(truth.n_features):
        moved = X.copy()
        moved[:, column] = np.roll(moved[:, column], 1)
        matters = not np.array_equal(function(moved), values)
        require(
            matters == (column in truth.signal),
            f"regression_function {'uses' if matters else 'does not use'} column {column}, but "
            f"truth.signal is {truth.signal}",
        )


def noise_has_the_stated_variance(subject: Subject) -> None:
    data = _draw(subject)
    truth = data.truth
    if truth.regression_function is None or np.isnan(truth.noise_variance):
        return
    for name, sample in (("train", data.train), ("test", data.test)):
        noise = (sample.y - truth.regression_function(sample.X)) ** 2
        allowed = BOUND * noise.std() / np.sqrt(len(noise)) + 1e-12
        require(
            abs(noise.mean() - truth.noise_variance) <= allowed,
            f"{name}: y - regression_function(X) has mean square {noise.mean():.4g}, truth."
            f"noise_variance says {truth.noise_variance:.4g}",
        )


def train_and_test_are_different_rows(subject: Subject) -> None:
    data = _draw(subject)
    n_rows = min(len(data.train.y), len(data.test.y))
    require(
        not np.array_equal(data.train.X[:n_rows], data.test.X[:n_rows]),
        "test repeats the training rows; draw them anew",
    )


def independent_sample_keeps_the_marginals_only(subject: Subject) -> None:
    data = _draw(subject)
    if data.independent is None:
        return
    X, reference = data.independent.X, data.train.X
    spread = np.sqrt(X.var(axis=0) / len(X) + reference.var(axis=0) / len(reference)) + 1e-12
    for moment in (1, 2):
        power = X**moment, reference**moment
        if moment == 2:
            spread = np.sqrt(sum(part.var(axis=0) / len(part) for part in power)) + 1e-12
        distance = np.abs(power[0].mean(axis=0) - power[1].mean(axis=0)) / spread
        require(
            distance.max() <= BOUND,
            f"column {distance.argmax()}: moment {moment} of the independent sample is "
            f"{distance.max():.1f} standard errors from that of the training sample",
        )
    varying = X[:, X.var(axis=0) > 0]
    correlations = np.corrcoef(varying.T) - np.eye(varying.shape[1])
    require(
        np.abs(correlations).max() <= BOUND / np.sqrt(len(X)),
        f"two features of the independent sample correlate by {np.abs(correlations).max():.2f}",
    )


def same_stream_gives_same_data_and_another_stream_other_data(subject: Subject) -> None:
    first, second, other = _draw(subject), _draw(subject), _draw(subject, seed=2)
    require(
        _equal(first, second),
        "two draws from the same stream differ; draw everything from the Generator `rng`",
    )
    require(
        not np.array_equal(first.train.X, other.train.X),
        "two streams give the same features; draw everything from the Generator `rng`",
    )


def earlier_draws_leave_no_trace(subject: Subject) -> None:
    used = subject.create()
    used.sample(np.random.default_rng(2))
    again = used.sample(np.random.default_rng(1))
    require(
        _equal(again, _draw(subject)),
        "a draw depends on earlier draws of the same object; keep no state in it",
    )


def a_fitted_joint_law_is_used_as_it_is(subject: Subject) -> None:
    from losaw.generators.joint_law.fit import fit_joint_law
    from losaw.generators.joint_law.law import JointLawSpecification

    generator = subject.create()
    specification = joint_law_of(generator)
    if specification is None:
        return
    require(
        isinstance(specification, JointLawSpecification),
        f"joint_law returns {type(specification).__name__}, expected JointLawSpecification or None",
    )
    given = draw(generator, np.random.default_rng(1), fit_joint_law(specification))
    require(
        _equal(given, _draw(subject)),
        "a draw with the fitted joint law differs from one that fits it itself",
    )


def does_not_touch_the_global_generators(subject: Subject) -> None:
    with global_generators_untouched():
        _draw(subject)


def _draw(subject: Subject, seed: int = 1) -> Dataset:
    data: Dataset = subject.create().sample(np.random.default_rng(seed))
    return data


def _equal(first: Dataset, second: Dataset) -> bool:
    return all(map(np.array_equal, arrays(first), arrays(second)))


def _samples(data: Dataset) -> dict[str, Sample]:
    samples = {"train": data.train, "test": data.test}
    return samples if data.independent is None else {**samples, "independent": data.independent}


CHECKS = (
    has_the_methods_of_a_generator,
    gives_a_data_set_of_consistent_shapes,
    truth_names_the_features_that_matter,
    noise_has_the_stated_variance,
    train_and_test_are_different_rows,
    independent_sample_keeps_the_marginals_only,
    same_stream_gives_same_data_and_another_stream_other_data,
    earlier_draws_leave_no_trace,
    a_fitted_joint_law_is_used_as_it_is,
    does_not_touch_the_global_generators,
)

"""Every check of knockoff samplers and of drawings finds what it is there for."""

import time

import numpy as np
import pytest

from reference.broken_things import assert_found, failures


class Shuffled:
    handles_nominal = True

    def fit(self, X, kinds=None, rng=None):
        self.X_ = X
        return self

    def sample(self, rng):
        return rng.permuted(self.X_, axis=0)


class WithoutSample(Shuffled):
    sample = None


class TakesNoKinds(Shuffled):
    def fit(self, X, rng=None):
        return super().fit(X)


class Undecided(Shuffled):
    handles_nominal = None


class DropsAColumn(Shuffled):
    def sample(self, rng):
        return super().sample(rng)[:, 1:]


class Divides(Shuffled):
    def sample(self, rng):
        return super().sample(rng) * np.nan


class InventsLevels(Shuffled):
    def sample(self, rng):
        return super().sample(rng) + 0.5


class TakesFreshEntropy(Shuffled):
    def sample(self, rng):
        return super().sample(np.random.default_rng())


class Copies(Shuffled):
    def sample(self, rng):
        return self.X_.copy()


class SharesItsGenerator(Shuffled):
    def sample(self, rng):
        np.random.seed(int(rng.integers(2**31)))  # noqa: NPY002
        return np.random.permutation(self.X_)  # noqa: NPY002


class ShufflesInPlace(Shuffled):
    def sample(self, rng):
        rng.shuffle(self.X_)
        return self.X_.copy()


class KeepsOneBuffer(Shuffled):
    """Every shallow copy draws into the same array."""

    handles_threads = True

    def fit(self, X, kinds=None, rng=None):
        self.buffer_ = X.copy()
        return super().fit(X)

    def sample(self, rng):
        self.buffer_[:] = super().sample(rng)
        time.sleep(0.005)  # the other threads come in between
        return self.buffer_.copy()


def test_the_sampler_that_the_broken_ones_are_made_of_passes():
    assert failures("knockoff", Shuffled) == {}


@pytest.mark.parametrize(
    ("sampler", "check", "message"),
    [
        (WithoutSample, "has fit and sample", "has no method sample"),
        (TakesNoKinds, "has fit and sample", "fit takes no kinds"),
        (Undecided, "says whether nominal columns are levels", "must be a bool, got None"),
        (DropsAColumn, "draws finite rows like those it was fitted to", "(60, 2), expected"),
        (Divides, "draws finite rows like those it was fitted to", "missing or infinite"),
        (InventsLevels, "draws finite rows like those it was fitted to", "not in X: [0.5 1.5"),
        (TakesFreshEntropy, "draws are a function of the generator", "same generator differ"),
        (Copies, "draws are a function of the generator", "different generators are equal"),
        (KeepsOneBuffer, "draws in threads are those of one", "four threads are not those"),
        (SharesItsGenerator, "leaves the global generators alone", "global generator"),
        (ShufflesInPlace, "does not change its input", "work on a copy"),
    ],
)
def test_a_broken_sampler_is_found(sampler, check, message):
    assert_found("knockoff", sampler, check, message)


def good(study, results, *, metric):
    """Means of ``metric``."""


def takes_only_results(results, *, metric):
    """Means of ``metric``."""


def takes_options_by_position(study, results, metric):
    """Means of ``metric``."""


def says_nothing(study, results, *, metric):
    pass


def leaves_an_option_out(study, results, *, metric, panels):
    """Means of ``metric``."""


KEYWORDS = "takes a study and its results and options by keyword"


def test_the_drawing_that_the_broken_ones_are_made_of_passes():
    assert failures("drawing", good) == {}


@pytest.mark.parametrize(
    ("draw", "check", "message"),
    [
        (takes_only_results, KEYWORDS, "first parameters are results, metric"),
        (takes_options_by_position, KEYWORDS, "metric can be given by position"),
        (says_nothing, "documents its options", "no docstring"),
        (leaves_an_option_out, "documents its options", "does not explain panels"),
    ],
)
def test_a_broken_drawing_is_found(draw, check, message):
    assert_found("drawing", draw, check, message)

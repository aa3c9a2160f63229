"""The network of Figure 5 and the two fast ways to compute it."""

import functools

import numpy as np
import pytest

from losaw.network.architecture import Architecture, head
from losaw.network.lookup import LookupForm
from losaw.network.shifts import ShiftsForm
from losaw.support import jax_backend

jax = jax_backend.load()

# 8 positions in one chunk; 71 + 66 positions, of which the last chunk is filled up.
SIZES = [Architecture(14, filters=(4, 6), units=(5, 3)), Architecture(143, filters=(3, 4))]


def inputs(architecture, form, n_rows=6):
    rng = np.random.default_rng(1)
    if form is LookupForm:
        return rng.integers(-1, 2, (n_rows, architecture.n_features)).astype(np.float32)
    return rng.standard_normal((n_rows, architecture.n_features)).astype(np.float32)


def parameters_of(architecture):
    """Initial parameters, with biases that are not zero."""
    rng = np.random.default_rng(0)
    found = architecture.initial_parameters(rng)
    noise = {name: rng.standard_normal(value.shape) for name, value in found.items()}
    return {
        name: value + (0.1 * noise[name]).astype(np.float32) if name.endswith("bias") else value
        for name, value in found.items()
    }


def assert_equal_in_single_precision(found, expected):
    """Sums of some hundred products: a few hundred roundings of 6e-8, which mostly cancel."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * abs(expected).max() + 1e-12)


def convolution_form(architecture, parameters, x):
    """Return the network's output (n_rows,) of inputs (n_rows, P), as Figure 5 draws it."""
    (_, k2), (f1, f2), (u1, _) = architecture.kernel_sizes, architecture.filters, architecture.units

    def layer(values, kernel, bias):
        layout = ("NWC", "WIO", "NWC")
        sums = jax.lax.conv_general_dilated(values, kernel, (1,), "VALID", dimension_numbers=layout)
        return jax.nn.relu(sums + bias)

    hidden = layer(x[:, :, None], parameters["kernel1"][:, None, :], parameters["kernel1_bias"])
    kernel2 = parameters["kernel2"].reshape(k2, f1, f2)
    hidden = layer(hidden, kernel2, parameters["kernel2_bias"])
    weights = parameters["dense1"].swapaxes(0, 1).reshape(u1, architecture.n_filled, f2)
    weights = weights[:, : architecture.n_positions].reshape(u1, -1)
    return head(parameters, hidden.reshape(len(x), -1) @ weights.T)


def compiled(predict, input_gradients):
    """Output and gradients by inputs and by parameters, as one program that shares what it can."""

    def of_all(p, x):
        by_parameters = jax.grad(lambda p: (predict(p, x) ** 2).sum())(p)
        return predict(p, x), input_gradients(p, x), by_parameters

    return jax.jit(of_all)


@functools.cache
def compiled_convolutions(architecture):
    def plain(p, x):
        return convolution_form(architecture, p, x)

    return compiled(plain, jax.grad(lambda p, x: plain(p, x).sum(), argnums=1))


def test_the_papers_network_has_4080001_parameters():
    architecture = Architecture(1000)
    parameters = architecture.initial_parameters(np.random.default_rng(0))
    assert architecture.n_parameters == 4_080_001
    assert sum(value.size for value in parameters.values()) == 4_080_001


def test_initial_weights_are_glorots_uniform_ones():
    parameters = Architecture(400).initial_parameters(np.random.default_rng(0))
    bound = np.sqrt(6 / (394 * 64 + 64))
    weights = parameters["dense1"]
    # A uniform variable on (-a, a) has variance a²/3; that of 1.6 million of them has a relative
    # standard error of sqrt(.8 / 1.6e6) < .001.
    assert abs(weights).max() <= bound
    assert weights.var() == pytest.approx(bound**2 / 3, rel=0.005)
    assert not parameters["dense1_bias"].any()


@pytest.mark.parametrize("form", [LookupForm, ShiftsForm])
@pytest.mark.parametrize("architecture", SIZES, ids=["whole", "filled"])
def test_a_fast_form_has_the_values_and_gradients_of_the_convolutions(form, architecture):
    X, parameters = inputs(architecture, form), parameters_of(architecture)
    fast = form(architecture)
    encoded = fast.encode(X)
    *found, by_parameters = compiled(fast.predict, fast.input_gradients)(parameters, encoded)
    *expected, of_convolutions = compiled_convolutions(architecture)(parameters, X)
    for ours, theirs in zip(found, expected, strict=True):
        assert_equal_in_single_precision(ours, theirs)
    for name in parameters:
        assert_equal_in_single_precision(by_parameters[name], of_convolutions[name])


def test_the_table_is_for_inputs_of_minus_one_zero_and_one_only():
    architecture = SIZES[0]
    X = inputs(architecture, LookupForm).astype(float)
    assert LookupForm.suits(architecture, X)
    X[3, 7] = 2.0
    assert not LookupForm.suits(architecture, X)


def test_a_large_receptive_field_is_not_looked_up():
    architecture = Architecture(14, kernel_sizes=(5, 5))
    assert not LookupForm.suits(architecture, np.zeros((4, 14)))

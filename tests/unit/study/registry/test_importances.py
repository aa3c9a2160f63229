"""Importance functions in studies, and the names that study files and the library share."""

import inspect

import numpy as np
import pytest

import losaw.importance
from losaw.cli import main
from losaw.study.contracts import example_data, fitted
from losaw.study.registry import entries, get, names
from losaw.study.registry.catalogue import USES


@pytest.fixture(scope="module")
def fit():
    data = example_data()
    return fitted(get("learner", "random-forest").create(random_state=0), data), data


NAMES = {"pfi": "pfi-difference", "cpi": "cpi-conditional"}


@pytest.mark.parametrize("function", ["pfi", "cpi", "subgroups", "loco", "sage"])
def test_a_study_file_calls_the_function_on_unseen_rows(function, fit):
    model, data = fit
    name, function = NAMES.get(function, function), getattr(losaw.importance, function)
    train = {"train": data.train} if name in ("subgroups", "loco") else {}
    names_and_kinds = {"feature_names": data.feature_names, "kinds": data.feature_kinds}
    expected = function(
        model, *data.test, **train, **names_and_kinds, random_state=np.random.default_rng(1)
    )
    found = get("importance", name).create().explain(model, data, np.random.default_rng(1))
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.std_error, expected.std_error)
    assert found.method == expected.method


@pytest.mark.parametrize(("function", "name"), NAMES.items())
def test_a_name_has_the_defaults_of_the_library(function, name):
    parameters = inspect.signature(getattr(losaw.importance, function)).parameters
    for option, value in get("importance", name).create().parameters.items():
        assert value == parameters[option].default, option


def test_every_function_has_a_use_and_every_use_a_function():
    ours = [entry for entry in entries("importance") if entry.target.startswith("losaw.importance")]
    assert {entry.target.partition(":")[2] for entry in ours} == set(USES)
    assert all(entry.accepted_parameters() is not None for entry in ours)


def test_all_names_are_sorted():
    assert list(names("importance")) == sorted(names("importance"))


def test_names_and_drawings_are_listed(capsys):
    assert main(["list"]) == 0
    names = capsys.readouterr().out
    assert "importances\n" in names and "weighted-split" in names
    assert main(["list", "--drawings"]) == 0
    drawings = capsys.readouterr().out
    assert "importances\n" not in drawings and "metric-lines: " in drawings
    assert "  metric (needed)" in drawings

"""The adapter of importance functions for studies, and the names that study files share with them.

Of scoring.in_studies, registry.catalogue.
"""

import inspect

import numpy as np
import pytest

import losaw.importance
from losaw.contracts.learner import example_data, fitted
from losaw.registry import RegistryError, add, entries, get, names
from losaw.registry.catalogue import ALIASES, USES


@pytest.fixture(scope="module")
def fit():
    data = example_data()
    return fitted(get("learner", "random-forest").create(random_state=0), data), data


@pytest.mark.parametrize("name", ["pfi", "cpi", "subgroups", "loco", "sage"])
def test_a_study_file_calls_the_function_of_the_same_name_on_unseen_rows(name, fit):
    model, data = fit
    function = getattr(losaw.importance, name)
    train = {"train": data.train} if name in ("subgroups", "loco") else {}
    names_and_kinds = {"feature_names": data.feature_names, "kinds": data.feature_kinds}
    expected = function(
        model, *data.test, **train, **names_and_kinds, random_state=np.random.default_rng(1)
    )
    found = get("importance", name).create().explain(model, data, np.random.default_rng(1))
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.std_error, expected.std_error)
    assert found.method == expected.method


@pytest.mark.parametrize(("kind", "name"), ALIASES)
def test_names_of_the_library_are_names_of_study_files(kind, name):
    assert get(kind, name) is get(kind, ALIASES[kind, name])
    with pytest.raises(RegistryError, match=f"{name!r} is another name of .* another name"):
        add(kind, name, "elsewhere:Mine")


@pytest.mark.parametrize("name", ["pfi", "cpi"])
def test_a_name_of_the_library_has_the_defaults_of_the_library(name):
    parameters = inspect.signature(getattr(losaw.importance, name)).parameters
    for option, value in get("importance", name).create().parameters.items():
        if option != "n_folds":
            assert value == parameters[option].default, option


def test_a_misspelt_name_is_told_the_short_one():
    with pytest.raises(RegistryError, match="did you mean 'pfi'"):
        get("importance", "pif")


def test_every_function_has_a_use_and_every_use_a_function():
    ours = [entry for entry in entries("importance") if entry.target.startswith("losaw.importance")]
    assert {entry.target.partition(":")[2] for entry in ours} == set(USES)
    assert all(entry.accepted_parameters() is not None for entry in ours)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("permutation", {"rows": "tests"}, "did you mean 'test'"),
        ("cpi", {"n_folds": 1}, "n_folds must be an integer of at least 2"),
        ("cpi", {"sampler": "gausian"}, "did you mean 'gaussian'"),
        ("residual-gram-schmidt", {"top_features": 0}, "top_features must be"),
        ("absolute-attribution", {"level": "trees"}, "did you mean 'tree'"),
    ],
)
def test_parameters_out_of_range_are_refused_when_a_study_is_read(name, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        get("importance", name).create(**parameters)


def test_groups_of_a_study_are_scored_alone_and_folds_use_the_training_sample(fit):
    model, data = fit
    first, second, *_ = data.feature_names
    groups = {"both": [first, second]}
    rng = np.random.default_rng
    grouped = get("importance", "cpi-gaussian").create(groups=groups).explain(model, data, rng(0))
    assert grouped.feature_names == ("both",)
    folds = get("importance", "cpi-gaussian").create(n_folds=3).explain(model, data, rng(0))
    assert folds.rows.shape == data.train.X.shape and "over folds" in folds.std_error_kind


def test_all_names_are_sorted_and_an_alias_is_no_method_of_its_own():
    assert list(names("importance")) == sorted(names("importance"))
    assert not set(ALIASES) & {(entry.kind, entry.name) for entry in entries()}

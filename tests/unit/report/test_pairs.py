"""Paired differences inside the page: of any two methods, and what the page's script reads."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from losaw.report.layout import arrange
from losaw.report.page.pairs import embedded, key, paired_methods, table_layout
from losaw.study.results.collect import settings_frame

rng = np.random.default_rng(20261121)


@pytest.fixture
def results(study):
    """Values of two learners in both settings; losawRF has no seed 3 in the second."""
    rows = [
        (setting.identifier, learner, "" if metric == "r2_test" else "mdi", seed, metric)
        for setting in study.settings
        for learner in ("RF", "losawRF")
        for metric in ("r2_test", "pr_auc")
        for seed in range(6)
    ]
    frame = pd.DataFrame(rows, columns=["setting_id", "learner", "importance", "seed", "metric"])
    frame["value"] = rng.normal(0.5, 0.1, len(frame))
    frame["status"] = "ok"
    last = frame["setting_id"] == study.settings[1].identifier
    failed = last & (frame["learner"] == "losawRF") & (frame["seed"] == 3)
    frame.loc[failed, ["value", "status"]] = [math.nan, "failed"]
    return frame


def pairs_of(study, results):
    """As of a study that has left these values."""
    found = SimpleNamespace(results=results, settings=settings_frame(study))
    return paired_methods(study, found)


def difference(place, first=0, second=1):
    """As templates/tables.js reads a pair."""
    low, high = sorted((place["methods"].index(first), place["methods"].index(second)))
    count = len(place["methods"])
    means = [float(word) for word in place["means"].split()]
    errors = [float(word) for word in place["errors"].split()]
    for one, other, gap, error, n in place["odd"]:
        if (one, other) == (low, high):
            return gap, error, n
    index = low * count - low * (low + 1) // 2 + high - low - 1
    return means[high] - means[low], errors[index], place["n"]


@pytest.mark.parametrize("metric", ["r2_test", "pr_auc"])
def test_a_pair_is_the_mean_and_error_of_its_differences(study, results, metric):
    found = pairs_of(study, results)
    assert found["methods"] == ["RF", "losawRF"] and found["axes"] == ["n_samples", "function"]
    for setting in study.settings:
        part = results[(results.setting_id == setting.identifier) & (results.metric == metric)]
        wide = part.pivot(index="seed", columns="learner", values="value")
        gaps = (wide["losawRF"] - wide["RF"]).dropna()
        place = found["places"][f"{key(setting.axes['n_samples'])}|f3|{metric}"]
        gap, error, n = difference(place)
        assert n == len(gaps)
        assert gap == pytest.approx(gaps.mean(), abs=2e-6)
        assert error == pytest.approx(gaps.std(ddof=1) / math.sqrt(n), rel=5e-3)


def test_pairs_without_the_same_data_sets_say_so(study, results):
    places = pairs_of(study, results)["places"]
    assert [place["odd"] == [] for place in places.values()] == [True, True, False, False]
    assert {pair[4] for place in places.values() for pair in place["odd"]} == {5}


def test_students_quantiles_are_there_for_every_number_of_data_sets(study, results):
    t = pairs_of(study, results)["t"]
    assert t == {"5": pytest.approx(2.7764, abs=1e-4), "6": pytest.approx(2.5706, abs=1e-4)}


def test_any_two_of_three_methods_are_a_pair(study, results):
    third = results[results["learner"] == "RF"].assign(learner="other")
    third["value"] = rng.normal(0.5, 0.1, len(third))
    found = pairs_of(study, pd.concat([results, third]))
    place = next(iter(found["places"].values()))
    part = pd.concat([results, third]).query("metric == 'r2_test'")
    wide = part[part.setting_id == study.settings[0].identifier].pivot(
        index="seed", columns="learner", values="value"
    )
    for one, other in (("RF", "losawRF"), ("RF", "other"), ("losawRF", "other")):
        numbers = [found["methods"].index(name) for name in (one, other)]
        gap, error, _ = difference(place, *numbers)
        gaps = wide[other] - wide[one]
        sign = 1 if place["methods"].index(numbers[0]) < place["methods"].index(numbers[1]) else -1
        assert sign * gap == pytest.approx(gaps.mean(), abs=2e-6)
        assert error == pytest.approx(gaps.std(ddof=1) / math.sqrt(6), rel=5e-3)


def test_one_method_has_no_pairs(study, results):
    assert pairs_of(study, results[results["learner"] == "RF"]) == {}


def test_rows_columns_and_axes_of_a_table(study, comparison):
    found = table_layout(study, arrange(study, "table_1", comparison))
    assert (found["rowAxes"], found["columnAxes"]) == (
        ["function", "metric"],
        ["n_samples", "method"],
    )
    assert found["rowKeys"] == [[0, 0], [0, 1]]
    assert found["columnKeys"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert found["axes"]["n_samples"] == {
        "label": "N",
        "values": [["100.0", "100"], ["1000.0", "1000"]],
        "numeric": True,
    }
    assert found["axes"]["metric"]["values"][0] == ["r2_test", "R²<sub>test</sub>"]
    assert found["fixed"] == {}


def test_an_axis_that_lies_nowhere_is_fixed(study, comparison):
    one_function = {**study.file.tables["table_1"].model_dump(), "rows": ["metric"]}
    study.file.tables["table_1"] = type(study.file.tables["table_1"])(**one_function)
    assert table_layout(study, arrange(study, "table_1", comparison))["fixed"] == {"function": "f3"}


def test_embedded_data_cannot_end_its_script():
    text = embedded({"a": "</script><!-- & ü"})
    assert "<" not in text and "&" not in text
    assert json.loads(text) == {"a": "</script><!-- & ü"}

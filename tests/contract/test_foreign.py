"""Importances of other packages: they score as the packages do, or are skipped by name."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from losaw.cli import main
from losaw.rng import seed_integer
from losaw.study.contracts import check_entry, example_data
from losaw.study.registry.plugins import plugin_entries

pytestmark = pytest.mark.usefixtures("plugins_forgotten")
FILE = Path(__file__).parents[2] / "examples" / "foreign" / "importances.py"
LOSS, FEW = {"scoring": "neg_mean_squared_error"}, {"n_estimators": 20, "max_iter": 15}
FOREST = RandomForestRegressor(max_depth=5)
# The module, and a direct call of it on a model, the training and the test sample, and a seed.
DIRECT = {
    "boruta-py": ("boruta", lambda of, model, train, test, seed: (
        of.BorutaPy(FOREST, **FEW, random_state=seed).fit(*train).ranking_
    )),
    "fdfi": ("fdfi.explainers", lambda of, model, train, test, seed: (
        of.OTExplainer(model.predict, train.X, nsamples=5, random_state=seed)(*test)["phi_X"]
    )),
    "hidimstat-cfi": ("hidimstat", lambda of, model, train, test, seed: (
        of.CFI(model, n_permutations=2, random_state=seed).fit(*train).importance(*test)
    )),
    "hidimstat-loco": ("hidimstat", lambda of, model, train, test, seed: (
        of.LOCO(model).fit(*train).importance(*test)
    )),
    "sage-importance": ("sage", lambda of, model, train, test, seed: (
        of.PermutationEstimator(of.MarginalImputer(model, train.X[:8]), "mse", 1, seed)(
            test.X, test.y, batch_size=16, thresh=0.2, bar=False
        ).values
    )),
    "shap": ("shap", lambda of, model, train, test, seed: np.abs(
        of.explainers.Permutation(model.predict, train.X[:10], seed=seed)(test.X[:5]).values
    ).mean(axis=0)),
    "sklearn-permutation": ("sklearn.inspection", lambda of, model, train, test, seed: (
        of.permutation_importance(model, *test, **LOSS, random_state=seed)["importances_mean"]
    )),
}  # fmt: skip
# It compiles its loops anew in every process.
SLOW = pytest.param("shap", marks=pytest.mark.long)


@pytest.mark.parametrize("name", [*sorted({*DIRECT} - {"shap"}), SLOW])
def test_an_arm_keeps_its_contract_and_scores_as_a_direct_call(name):
    entry = next(entry for entry in plugin_entries(FILE) if entry.name == name)
    if reason := entry.load().unavailable():
        pytest.skip(reason)
    assert [outcome for outcome in check_entry(entry) if outcome.message] == []
    data, (library, direct) = example_data(), DIRECT[name]
    model = RandomForestRegressor(10, random_state=0).fit(*data.train)
    few = getattr(entry.load(), "examples", ({},))[0]
    found = entry.create(**few).explain(model, data, np.random.default_rng(1))
    seed = seed_integer(np.random.default_rng(1))
    expected = direct(importlib.import_module(library), model, data.train, data.test, seed)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9)
    assert len({*found.scores}) > 1


def test_an_arm_without_its_package_is_skipped_by_name(monkeypatch, capsys):
    module = importlib.import_module(plugin_entries(FILE)[0].load().__module__)
    monkeypatch.setattr(module, "find_spec", lambda library: None)
    assert main(["check", str(FILE)]) == 0
    shown = capsys.readouterr().out
    assert "skipped importance hidimstat-cfi: 'hidimstat' is not installed" in shown
    assert shown.count("'.[peers]'") == len(shown.splitlines()) == len(DIRECT)

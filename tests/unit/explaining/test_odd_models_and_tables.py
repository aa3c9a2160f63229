"""Tables and models of which explain's page once said something false without a word.

Of explaining.preparing, explaining.computing, explaining.models, explaining.table_file.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import losaw
from losaw.auditing.audit_result import Audit
from losaw.explaining import probing
from losaw.explaining.table_file import read_file
from losaw.support.errors import LosawError


def explain(frame, target="y", methods="pfi", **options):
    given = {"folds": 3, "permutations": 1, "draws": 1, "budget": None} | options
    return losaw.explain(frame, target, methods=methods, **given)


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, 4)), columns=list("abcd"))
    frame["y"] = 2 * frame["a"] + 0.3 * rng.standard_normal(n)
    return frame


class ColumnOfPredictions(RandomForestRegressor):
    def predict(self, X):
        return super().predict(X)[:, None]


def test_loco_of_a_pipeline_draws_as_many_features_at_a_node_as_without_the_pipeline():
    forest = RandomForestRegressor(30, max_features="sqrt", random_state=0)
    model = make_pipeline(StandardScaler(), forest)
    found = explain(table(), methods="loco", model=model, folds=5)
    assert found.selected == ("a",)
    assert (found.results["loco"].scores[1:] < 0).all()


def test_predictions_in_a_column_are_predictions():
    one = explain(table(), model=ColumnOfPredictions(20, random_state=0))
    other = explain(table(), model=RandomForestRegressor(20, random_state=0))
    assert one.quality == other.quality
    assert (one.curves["a"].effect == other.curves["a"].effect).all()


def test_a_value_of_one_row_makes_no_copy_of_the_target():
    frame = table().assign(q=table(seed=1)["a"])
    frame.loc[7, ["q", "y"]] = -9999999
    assert explain(frame).treatments() == []
    left_out = explain(frame.assign(copy=2.54 * frame["y"] + 1)).treatments()
    assert [text.partition(":")[0] for text in left_out] == ["copy"]


def test_the_word_none_is_a_class_of_a_target_and_a_missing_number(tmp_path):
    frame = table()
    classes = np.array(["None", "Mild", "Severe"])[np.digitize(frame["y"], [-1, 1])]
    numbers = frame["b"].astype(str).where(frame.index > 9, "None")
    path = tmp_path / "severity.csv"
    frame.assign(y=classes, b=numbers).to_csv(path, index=False)
    found = explain(str(path))
    assert found.n_rows == 150
    assert any("None is one of the classes of y" in note for note in found.notes)
    assert {c.name: c.n_missing for c in found.columns}["b"] == 10
    without_names = tmp_path / "without_names.csv"
    without_names.write_text(path.read_text().partition("\n")[2])
    target = f"X{frame.shape[1]}"
    assert set(read_file(without_names, target, has_header=False)[target]) == set(classes)


def test_names_of_rows_that_no_name_announces_are_noted(tmp_path):
    path = tmp_path / "towns.csv"
    lines = [f"town{i},{i % 7},{(3 * i) % 11},{i % 7 + i % 3}" for i in range(60)]
    path.write_text("\n".join(["city,size,price", *lines]))
    assert any("The first field (town0" in note for note in explain(str(path), "price").notes)


def test_rows_in_errors_are_those_of_the_whole_table():
    frame = table().assign(who=np.repeat(np.arange(15.0), 10))
    frame.loc[:9, "y"] = np.nan
    with pytest.raises(LosawError, match="first: row 20"):
        explain(frame.assign(b=frame["b"].where(frame.index != 20, np.inf)))
    frame.loc[20, "who"] = np.nan
    with pytest.raises(LosawError, match="cluster: 'who' has no value in row 20"):
        explain(frame, cluster="who")


def test_a_class_within_one_cluster_is_refused_by_name():
    frame = table().assign(who=np.repeat(np.arange(15), 10))
    usual = np.where(frame["a"] > 0, "p", "q")
    frame["y"] = np.where(frame["who"] == 3, "rare", usual)
    with pytest.raises(LosawError, match="the class rare of y is in so few clusters"):
        explain(frame, cluster="who")


def test_without_any_method_left_there_is_no_page():
    with pytest.raises(LosawError, match="LOCO is left out: there is only one feature"):
        explain(table()[["a", "y"]], methods="loco")


@pytest.mark.parametrize("model", [None, RandomForestRegressor])
def test_what_is_no_estimator_is_refused_as_a_mistake(model):
    with pytest.raises(LosawError, match="model must be one of"):
        explain(table(), model=model)


def test_a_model_may_name_a_column_that_is_constant_in_a_sample(monkeypatch):
    monkeypatch.setattr(probing, "_ROWS", 40)
    monkeypatch.setattr(probing, "_MORE_ROWS", 60)
    frame = table().assign(rare=0.0)
    frame.loc[[3, 90], "rare"] = 1.0
    columns = ColumnTransformer([("kept", "passthrough", ["a", "b", "rare"])])
    found = explain(frame, model=make_pipeline(columns, LinearRegression()), budget="20s")
    assert "rare" in found.names


def test_the_scale_of_curves_of_small_numbers_is_not_zero():
    frame = table()
    page = explain(frame.assign(y=1e-6 * frame["y"])).to_html()
    assert "the largest change from the average is .000" not in page


def test_one_feature_has_no_other_features():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.standard_normal(60)})
    frame["y"] = 0.45 * frame["a"] + rng.standard_normal(60)
    said = explain(frame, methods="pfi,cpi", folds=5, random_state=3).in_words["a"]
    assert "other features" not in said


def test_differences_of_methods_are_a_matter_of_two():
    head = "Disagreements between the methods"
    assert head not in explain(table()).to_html()
    assert head in explain(table(), methods="pfi,cpi").to_html()


@pytest.mark.parametrize(
    ("first", "words"), [(0.8, "put causes first"), (0.2, "not shown to be better than chance")]
)
def test_an_audit_praises_only_an_order_that_is_better_than_chance(first, words):
    rounds = [
        {"round": r, "method": "pfi", "pr_auc": 0.7, "first": first,
         "found": 0.0, "false": 0.0, "statements": 0, "false_statements": 0, "named": 0.0}
        for r in range(6)
    ]  # fmt: skip
    empty = dict.fromkeys(
        ("task", "n_rows", "design", "cuts", "share", "quality", "random_state", "model")
    )
    audit = Audit(
        target="y", features=tuple("abcd"), rounds=pd.DataFrame(rounds), n_signals=1, fdr=0.1,
        **empty,
    )  # fmt: skip
    assert any(words in sentence for sentence in audit.verdicts)

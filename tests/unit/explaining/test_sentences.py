"""Every kind of sentence of the page, on a table where it must and one where it must not appear."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import losaw
from losaw.explaining.design import sample, take
from losaw.explaining.disagreements import associations
from losaw.explaining.preparing import prepare
from losaw.explaining.sentences import _clusters, rare_classes
from reference.explaining_tables import copies, mixed


def explain(frame, target="y", methods="pfi,cpi", **options):
    given = {"folds": 5, "draws": 1, "permutations": 2, "budget": None} | options
    return losaw.explain(frame, target, methods=methods, **given)


def kinds(found, kind):
    return [sentence for sentence in found.sentences if sentence.kind == kind]


def noise(n=150, p=4, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, p)), columns=[f"X{j}" for j in range(1, p + 1)])
    return frame.assign(y=rng.standard_normal(n))


@pytest.fixture(scope="module")
def apart():
    """Three causes that are independent, and noise: nothing to warn of."""
    return explain(copies(300, 0.0), methods="mdi,losaw,pfi,cpi")


@pytest.fixture(scope="module")
def nothing():
    return explain(noise())


def test_independent_causes_are_selected_without_a_warning(apart):
    assert apart.selected and set(apart.selected) <= {"X1", "X2", "X3"}
    assert {s.features for s in kinds(apart, "statement")} == {("X1",), ("X2",), ("X3",)}
    assert apart.sections["Beware"] == () and apart.answer.startswith("Selected by CPI: X")
    assert kinds(apart, "audit") == []  # the advice to audit comes with disagreements


def test_where_nothing_is_known_nothing_is_claimed(nothing):
    assert nothing.selected == () and nothing.decision.stated == ()
    assert [s.kind for s in nothing.sections[""]] == [
        "undecided", "none selected", "not explained", "question",
    ]  # fmt: skip
    (warned,) = kinds(nothing, "no model")
    assert warned.text.endswith("Its importances say little until more rows or folds show it.")
    text = nothing.to_text() + nothing.to_html()
    for claim in ("together matter", "othing is found", "mean nothing", "no better than", "−.000"):
        assert claim not in text


def near():
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal(200)
    frame = pd.DataFrame({f"X{j}": hidden + 0.02 * rng.standard_normal(200) for j in range(3)})
    frame["a"], frame["b"] = rng.standard_normal((2, 200))
    return frame.assign(y=hidden + frame["a"] + 0.3 * rng.standard_normal(200))


def test_near_copies_are_one_group_of_which_one_matters():
    found = explain(near())
    said = {frozenset(s.features) for s in kinds(found, "statement")}
    assert said == {frozenset({"X0", "X1", "X2"}), frozenset({"a"})}
    table = found.groups_to_frame().set_index("features")
    assert table.loc[[("X0", "X1", "X2")], "loco"].iloc[0] > 0.1


def test_own_groups_are_tested_in_place_of_associated_ones():
    found = explain(near(), groups={"own": ["X0", "a"]})
    assert ("X0", "a") in set(found.groups_to_frame()["features"])


def leaking():
    frame = noise(300)
    frame["y"] = frame["X1"] + frame["X2"]
    return frame.assign(**{"leak": frame["y"] + 0.02 * frame["X3"], "in, cents": 100 * frame["y"]})


@pytest.fixture(scope="module")
def by_pfi():
    return explain(leaking(), methods="pfi", folds=3)


def test_pfi_alone_selects_what_the_model_uses_and_no_causes(by_pfi, apart):
    text = "10 % on average are not used by the model, if rows are independent."
    assert kinds(by_pfi, "rate")[0].text.endswith(text)
    assert "CPI tells them apart" in kinds(by_pfi, "used")[0].text
    assert "<h1>What the model of y uses</h1>" in by_pfi.to_html()
    flat = by_pfi.curves["leak"]._replace(effect=np.zeros(11))
    assert ">+0 to +0<" in replace(by_pfi, curves={"leak": flat}).to_html()
    assert kinds(apart, "used") == [] and "<h1>What y depends on</h1>" in apart.to_html()


def test_a_feature_that_alone_explains_all_may_be_made_from_the_target(by_pfi):
    assert {s.features for s in kinds(by_pfi, "leak")} == {("leak",), ("in, cents",)}
    said = " ".join(s.text for s in kinds(by_pfi, "leak"))
    assert "(--drop leak)" in said and "(--drop '\"in, cents\"')" in said and "100 %" not in said
    dropped = explain(leaking(), methods="pfi", folds=3, drop=["leak", "in, cents"])
    assert kinds(dropped, "leak") == [] and "leak" not in dropped.names
    alone = explain(leaking()[["leak", "y"]], methods="pfi", folds=3)
    assert kinds(alone, "leak")[0].text.endswith("explain by other features.")
    for method in ("mdi", "ufi", "losaw", "loco"):  # without a test, or PFI
        found = explain(leaking().drop(columns="in, cents"), methods=method, folds=3)
        assert kinds(found, "leak")[0].features == ("leak",)


@pytest.mark.parametrize("outcome", ["relapse", "months", "refunded"])
def test_a_feature_that_is_far_above_all_others_may_be_known_only_after_the_response(outcome):
    rng = np.random.default_rng(0)
    frame, n = noise(400), 400
    if outcome == "months":  # to the response: a number
        y = 0.4 * frame["X1"] + rng.exponential(size=n)
        late = y + 0.5 * rng.standard_normal(n)
    else:
        y = (frame["X1"] + rng.standard_normal(n) > 0.8).astype(int)
        late = np.where(y, rng.exponential(1.5, n), rng.uniform(1.5, 18, n))  # as edrel of nwtco
        late = np.where(y & (rng.random(n) < 0.85), 1, 0) if outcome == "refunded" else late
    found = explain(frame.assign(y=y, late=late), methods="mdi,pfi", folds=3)
    (said,) = kinds(found, "leak")
    assert found.work.quality["model"].share < 0.9 and said.features == ("late",)
    assert "the PFI of every other feature is far below its own" in said.text
    assert "known only after" in said.text
    assert kinds(explain(frame.assign(y=y), methods="mdi,pfi", folds=3), "leak") == []
    both = frame.assign(y=frame["X1"] + frame["X2"] / 2 + 0.2 * frame["X3"])
    assert kinds(explain(both, methods="mdi,pfi", folds=3), "leak") == []


@pytest.mark.parametrize("given", ["X1", ["X1", "X2"]])
def test_given_columns_may_explain_as_much_as_the_feature_with_the_largest_score(given):
    frame = noise(400)
    frame["y"] = frame["X1"] + 0.5 * frame["y"]
    late = frame["y"] + 0.3 * frame["X3"]
    frame = frame.drop(columns="X3").assign(late=late)
    assert kinds(explain(frame, methods="cpi", given=given), "leak") == []
    assert kinds(explain(frame.drop(columns="X1"), methods="cpi"), "leak") != []


def patients(n_patients=40, rows=10, seed=1):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n_patients), rows)
    age, weight, effect = rng.standard_normal((3, n_patients))
    frame = pd.DataFrame({"age": age[who], "weight": weight[who]})
    frame["dose"] = rng.standard_normal(len(who))
    frame["y"] = effect[who] + frame["dose"] + 0.3 * rng.standard_normal(len(who))
    return frame.assign(who=[f"p{number}" for number in who])


def test_rows_of_one_patient_are_noticed_and_kept_together():
    alone = explain(patients().drop(columns="who"), methods="pfi")
    (said,) = kinds(alone, "cluster")
    assert said.features == ("age", "weight") and "(40 combinations in 400 rows)" in said.text
    together = explain(patients(), methods="pfi", cluster="who")
    assert together.selected == ("dose",) and "who" not in together.names
    assert kinds(together, "cluster") == []
    harmless = explain(copies(300, 0.0).round(1), methods="pfi")  # rounded columns
    assert kinds(harmless, "cluster") == []


WHOLE = np.arange(-30, 31)
CURVES = {"square": WHOLE**2, "cube": WHOLE**3 - 300 * WHOLE, "bell": np.exp(-(WHOLE**2) / 99.0),
          "wave": np.sin(WHOLE / 5), "distance": np.abs(WHOLE - 7)}  # fmt: skip
RNG = np.random.default_rng(3)
PERSONS = {"years": RNG.integers(20, 60, 61), "kilograms": RNG.normal(70, 9, 61).round(),
           "near": WHOLE + 3 * RNG.standard_normal(61), "random": RNG.permutation(61)}  # fmt: skip


@pytest.mark.parametrize("name", [*CURVES, *PERSONS])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_function_of_a_column_is_no_second_one_that_repeats_with_it(name, is_first):
    values, who = (CURVES | PERSONS)[name], np.arange(244) % 61
    y = np.random.default_rng(0).standard_normal(244)
    pair = {"z": values[who], "a": WHOLE[who]} if is_first else {"a": WHOLE[who], "z": values[who]}
    data = prepare(pd.DataFrame(pair | {"y": y}), "y")
    found = list(_clusters(data, 244, associations(data.X, list(data.kinds.values()), 0)))
    assert bool(found) == (name in PERSONS)


def test_copies_that_stay_in_one_fold_need_no_name_of_clusters():
    frame = noise(60).iloc[np.arange(240) % 60]
    data = prepare(frame, "y")
    related = associations(data.X, list(data.kinds.values()), 0)
    assert len(np.unique(data.clusters)) == 60 and not list(_clusters(data, 240, related))
    alone = replace(data, clusters=None)
    assert "(60 combinations in 240 rows)" in next(_clusters(alone, 240, related)).text
    persons = noise(60).iloc[np.arange(300) % 60]
    persons["y"] = np.arange(300) % 240 / 7  # four rows of each differ, a fifth is a copy
    data = prepare(persons, "y")
    (said,) = _clusters(data, 300, related)
    assert "(60 combinations in 240 different rows)" in said.text


def test_two_columns_that_are_hardly_known_together_are_no_combination(recwarn):
    a, b = np.full((2, 200), np.nan)
    a[:60], b[58:118] = np.arange(60) // 2, np.r_[0, 0, np.arange(58) // 2]
    data = prepare(pd.DataFrame({"a": a, "b": b, "y": np.arange(200) / 7}), "y")
    related = associations(data.X, list(data.kinds.values()), 0)
    assert not list(_clusters(data, 200, related)) and not list(recwarn)


@pytest.mark.parametrize("known", [{"a": 24}, {"a": 30, "b": 30}, {"b": 200, "a": 40}])
def test_values_that_are_missing_together_are_no_combination(known):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((600, 4)), columns=list("abcy"))
    for name, number in known.items():
        frame.loc[number:, name] = np.nan
    frame["c"] = rng.permutation(np.arange(600) % 260)
    assert kinds(explain(frame, methods="pfi", folds=3), "cluster") == []


def test_a_column_of_names_that_repeat_draws_the_hint_on_clusters():
    frame = noise(240).assign(patient=[f"p{i % 115}" for i in range(240)])
    (said,) = kinds(explain(frame, methods="pfi", folds=3, rows=90), "cluster")
    assert said.features == ("patient",) and "--cluster patient" in said.text
    assert "115 values in 240 rows" in said.text


@pytest.mark.parametrize(
    ("n_persons", "rows", "text", "features"),
    [
        (60, 5, "occupation", [("text",), ("age", "weight")]),
        (200, 5, "occupation", [("text",), ("age", "weight")]),
        (120, 5, "town", [("text",), ("age", "weight")]),
        (60, 5, "none", [("age", "weight")]),
        (60, 5, "person", [("text",)]),
        (200, 5, "person", [("text",)]),  # most are one level
        (21, 3, "person", [("text",)]),
        (60, 5, "number", [("text_id",)]),
    ],
)
def test_a_text_that_repeats_hides_no_numbers_that_repeat_but_with_it(
    n_persons, rows, text, features
):
    frame, rng = patients(n_persons, rows), np.random.default_rng(5)
    who, n = np.repeat(np.arange(n_persons), rows), n_persons * rows
    texts = {
        "occupation": rng.integers(0, 69, n),  # of a row
        "town": who % 55,  # of several persons
        "person": who,
        "number": who,
    }
    if text != "none":
        values = texts[text] if text == "number" else [f"t{number}" for number in texts[text]]
        frame["text_id" if text == "number" else "text"] = values
    data = prepare(frame.drop(columns="who"), "y")
    related = associations(data.X, list(data.kinds.values()), 0)
    assert [s.features for s in _clusters(data, n, related)] == features


def test_a_wide_table_without_persons_is_searched_by_codes_alone(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 40, (400, 12))).add_prefix("c")
    frame = frame.assign(job=[f"t{n}" for n in rng.integers(0, 60, 400)], y=rng.random(400))
    data = prepare(frame, "y")
    related = associations(data.X, list(data.kinds.values()), 0)
    monkeypatch.setattr(pd.DataFrame, "drop_duplicates", None)  # of 66 pairs, as slow as a forest
    assert [s.features for s in _clusters(data, 400, related)] == [("job",)]


def test_a_rare_class_is_kept_and_said():
    frame = noise(2000).drop(columns="y")
    frame["y"] = np.where(np.random.default_rng(1).permutation(2000) < 12, "rare", "usual")
    (said,) = kinds(explain(frame, methods="pfi", rows=200, folds=3), "rare class")
    assert "rare: 12 of 12 rows are used, 6 % of those in use, not 0.6 %" in said.text
    assert kinds(explain(frame, methods="pfi", folds=3), "rare class") == []


def test_merged_levels_are_said_beside_their_factor(apart):
    frame = noise(1500).assign(town=[f"t{i % 150}" if i % 3 else "big" for i in range(1500)])
    found = explain(frame, methods="pfi", folds=3)
    (merged,) = kinds(found, "merged levels")
    assert (
        merged.features == ("town",) and "of 101 levels, the rarest, are one level" in merged.text
    )
    assert merged.text.split(": ")[1].split(".")[0] in found.to_html()
    assert kinds(apart, "merged levels") == []


def test_copies_cannot_be_tested_by_cpi_and_loco_decides(apart):
    frame = noise(200)
    frame["X2"] = frame["X1"] + 1e-6 * frame["X2"]
    frame["y"] += frame["X1"]
    found = explain(frame)
    (said,) = kinds(found, "untestable")
    assert set(said.features) == {"X1", "X2"} and ("X1",) in found.decision.by_loco
    assert kinds(apart, "untestable") == []


def test_weights_that_cannot_decorrelate_are_a_note(apart):
    found = explain(copies(300, 0.999), methods="losaw")
    (said,) = kinds(found, "not decorrelated")
    assert set(said.features) == {"X1", "X2"} and said in found.sections["Notes"]
    assert kinds(apart, "not decorrelated") == []


@pytest.mark.parametrize(
    ("y", "is_hinted"),
    [(np.arange(150) % 10, True), (np.arange(150) % 11, False), (np.arange(150) % 10 / 10, False)],
)
def test_a_target_of_few_whole_numbers_may_be_classes(y, is_hinted):
    found = explain(noise().assign(y=y), methods="pfi", folds=3)
    assert any("--task classification" in s.text for s in kinds(found, "table")) == is_hinted
    asked = explain(noise().assign(y=y), methods="pfi", folds=3, task="regression")
    assert not any("--task" in s.text for s in kinds(asked, "table"))


def test_a_rise_of_two_classes_is_towards_a_named_one(nothing):
    (said,) = kinds(explain(mixed(), "bought", methods="pfi", folds=3), "direction")
    assert said.text == "Curves show the predicted probability of bought = yes."
    assert kinds(nothing, "direction") == []
    without = explain(mixed()[["town", "bought"]], "bought", methods="pfi", folds=3)
    assert without.curves == {} and kinds(without, "direction") == []


def checkerboard(n=800, p=8, seed=1):
    """A column that follows the signs of two others, as the response does, and noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.standard_normal((n, p)), columns=[f"n{j}" for j in range(p)])
    is_even = frame["n0"] * frame["n1"] > 0
    frame["echo"] = is_even + 0.3 * rng.standard_normal(n)
    return frame.assign(y=2.0 * is_even + frame["n2"] + rng.standard_normal(n))


def test_draws_of_every_selected_feature_are_tested_whatever_the_rate():
    frame = noise()
    found = explain(frame.assign(y=frame["y"] + frame["X1"]), methods="cpi", fdr=0.9, folds=3)
    assert (found.results["cpi"].details["raw_p_values"] > 0.1).any() and len(found.selected) == 4
    assert {(name,) for name in found.selected} <= set(found.work.draw_tests)


@pytest.mark.long
def test_where_draws_fail_loco_decides_and_every_output_says_so():
    found = explain(checkerboard())
    assert "n2" in found.selected and ("echo",) in found.decision.by_loco
    assert "the draws of CPI fail their test" in found.to_html() and "?" in found.to_text()
    assert "echo" in kinds(found, "draws")[0].features


def hidden(n=300, seed=0):
    """A cause that is measured with a known error, which says nothing of the response itself."""
    frame, rng = noise(n, 3, seed), np.random.default_rng(seed + 1)
    frame = frame.set_axis(["age", "error", "copy", "y"], axis=1)
    cause, frame["copy"] = rng.standard_normal(n), frame["age"] + 0.3 * frame["copy"]
    frame["measured"] = cause + frame["error"]
    return frame.assign(y=frame["y"] + frame["age"] + 2 * cause)


@pytest.mark.parametrize("model", ["forest", LinearRegression()])
def test_what_adds_to_given_columns_is_said_in_these_words(model):
    options = {"methods": "cpi", "model": model}
    assert "error" in explain(hidden(), **options).selected
    for given, adds in (("age", "measured"), (["age", "measured"], "error")):
        found = explain(hidden(), given=given, **options)
        words = "What adds to age and measured" if adds == "error" else "What adds to age"
        assert found.selected == (adds,) and found.answer == f"{words}, by CPI: {adds}"
        assert f"<h1>{words} about y<" in found.to_html()
        assert "not matter" not in found.to_text() and found.sections["Beware"] == ()
        assert "age" not in set(found.to_frame()["feature"])


@pytest.mark.parametrize(
    ("n_columns", "model"),
    [(2, "forest"), (3, "forest"), (2, LinearRegression()), (2, "gradient-boosting")],
)
def test_of_two_features_the_page_says_that_loco_of_a_forest_finds_too_much(n_columns, model):
    found = explain(noise(p=n_columns), methods=["pfi", "loco"], model=model)
    is_said = "LOCO finds too much" in found.to_text()
    assert is_said == (n_columns == 2 and model == "forest")


def test_a_given_column_with_a_comma_stands_in_quotes():
    frame = noise().rename(columns={"X1": "height, cm"})
    found = explain(frame, given=["height, cm", "X2"], methods=None)
    assert "a model of “height, cm”, X2 and of the feature" in kinds(found, "question")[0].text


def test_of_noise_nothing_is_said_to_add_to_given_columns():
    found = explain(noise(), given="X1", methods=None)
    assert found.selected == () and found.answer == "These data do not decide what adds to X1"
    assert "together" not in found.to_text() + found.to_html()
    assert "importances say little" not in found.to_text()
    for kind in ("not explained", "no model"):  # of no importance on the page
        assert " of all features is not shown to predict" in kinds(found, kind)[0].text


@pytest.mark.parametrize("classes", [False, True])
def test_given_columns_directions_and_curves_are_said_to_be_of_the_model_of_all(classes):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((400, 3)), columns=["a", "b", "z"])
    frame["b"] = 0.82 * frame["a"] + 0.57 * frame["b"]
    y = 2 * frame["a"] - 4 * frame["b"] + frame["z"] + 0.3 * rng.standard_normal(400)
    frame["y"] = y > 0 if classes else y
    for given in ("z", None):
        found = explain(frame, given=given, methods="cpi")
        said = kinds(found, "direction of")
        assert said and "accumulated local" in found.to_html()
        texts = [*(s.text for s in said), found.to_html().split("Curve: ")[1].split(" along")[0]]
        assert [" of all features" in text for text in texts] == [given == "z"] * len(texts)


def test_given_columns_loco_is_explained_by_its_own_question():
    frame = noise(300)
    frame["X2"] = frame["X1"]
    frame["y"] += 2 * frame["X3"] + frame["X1"]
    html = explain(frame, given=["X1", "X4"], methods="cpi").to_html()
    asked = {name: html.split(f"<dt>{name}</dt>")[1].split("</dd>")[0] for name in ("CPI", "LOCO")}
    assert "shuffled" in asked["CPI"] and "shuffled" not in asked["LOCO"]
    assert "a model of X1, X4 predict than one of these and of the feature?" in asked["LOCO"]


@pytest.mark.parametrize("n_shops", [8, 12])
def test_pfi_of_what_is_constant_in_a_shop_is_that_of_shops(n_shops):
    """Each fold has one shop, or two: within it a permutation would change next to nothing."""
    rng, shop = np.random.default_rng(0), np.repeat(np.arange(n_shops), 15)
    size = rng.standard_normal(n_shops)[shop]
    frame = pd.DataFrame({"size": size, "dose": rng.standard_normal(len(shop)), "shop": shop})
    frame["y"] = 2 * size + 0.1 * rng.standard_normal(len(shop))
    found = explain(frame, methods="pfi", model=LinearRegression(), cluster="shop", folds=None)
    assert found.results["pfi"].scores[0] > 0.8  # 2 of the loss, less own values and other shops' y
    assert "size" in found.selected


@pytest.mark.parametrize("n_classes", [2, 5, 20])
def test_classes_that_are_not_rare_are_not_said_to_be(n_classes):
    y = np.arange(1000) % n_classes
    data = prepare(noise(1000).assign(y=y.astype(str)), "y")
    for seed in range(30):
        rows = sample(data, 30 * n_classes, np.random.default_rng(seed))
        assert not list(rare_classes(data, take(data, rows)))


def test_what_is_said_of_shared_values_counts_the_columns_that_it_names():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(48), 8)
    columns = {f"c{j}": rng.standard_normal(48)[person] for j in range(3)}
    columns["c3"] = np.where(np.arange(384) % 8 == 0, rng.standard_normal(384), columns["c0"] + 5)
    frame = pd.DataFrame(columns).assign(y=rng.standard_normal(384))
    (said,) = kinds(explain(frame, methods="pfi", folds=3), "cluster")
    assert "c0, c1, c2 (48 combinations in 384 rows)" in said.text

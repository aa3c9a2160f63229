"""What is selected and stated: CPI where its draws pass their test, and LOCO where they do not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from losaw.explaining import sentences
from losaw.explaining.clock import Clock
from losaw.explaining.design import full_design
from losaw.explaining.draws import LEAST_LOCO, decide
from losaw.explaining.preparing import prepare
from losaw.explaining.scores import Quality, Work, over_folds
from losaw.explaining.sentences import answer, statements
from losaw.importance.group_tree import top_down_tests, tree_of_groups
from losaw.knockoffs.diagnostics import DrawTest
from losaw.scoring.result import ImportanceResult
from losaw.scoring.tests import nadeau_bengio, t_tests

WRONG, RIGHT = DrawTest(0.8, 1e-6), DrawTest(0.5, 0.5)
NAMES = ("income", "rooms", "age", "noise")
WIGGLE = 0.001 * np.sin(np.arange(8.0))[:, None]


def scored(*means, notes=None):
    """A result whose folds differ a little."""
    folds = np.array(means) + WIGGLE
    mean, error, freedom = nadeau_bengio(folds, 1 / 7)
    raw = t_tests(mean, error, freedom)
    return ImportanceResult(
        mean, NAMES, details={"fold_scores": folds, "raw_p_values": raw},
        notes=notes or {},
    )  # fmt: skip


def groups_of(*groups):
    scores = np.linspace(1.0, 0.1, len(groups))
    more = {"score": scores, "std_error": 0.01, "p_value": 0.001, "adjusted_p_value": 0.004}
    return pd.DataFrame({"features": list(groups), "finest": True, **more})


def work(cpi, loco=None, draws=None, groups=(), left_out=None, p_value=0.001):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 4)), columns=list(NAMES)).assign(y=rng.random(60))
    free = dict.fromkeys(("rows", "folds", "permutations", "draws"))
    data = prepare(frame, "y")
    design = full_design(data, ("cpi", "loco"), free)
    made = Work(data, design, [], [], 0, None, "a random forest", Clock(False))
    made.results = {"cpi": cpi} | ({} if loco is None else {"loco": loco})
    made.draw_tests = {u if isinstance(u, tuple) else (u,): t for u, t in (draws or {}).items()}
    made.groups, made.finest = groups_of(*groups), tuple(groups)
    made.left_out = {unit: m + WIGGLE[:, 0] for unit, m in (left_out or {}).items()}
    made.quality = {"model": Quality(0.5, 0.1, p_value)}
    return made


def said(made, fdr=0.1):
    found = decide(made, fdr)
    return found, {s.kind: s for s in answer(made, found, fdr)}


def test_cpi_decides_where_its_draws_pass_their_test():
    found, sentences = said(work(scored(0.2, 0.1, 0, 0), draws={"income": RIGHT, "rooms": RIGHT}))
    assert found.selected == ("income", "rooms") and found.by_loco == frozenset()
    assert sentences["selected"].text == "Selected by CPI: income, rooms"
    assert "by LOCO" not in sentences and "open" not in sentences


def test_loco_decides_where_draws_fail_and_the_answer_says_so():
    made = work(
        scored(0.2, 0.1, 0, 0), scored(0.06, -0.004, 0, 0),
        draws={"income": WRONG, "rooms": WRONG},
    )  # fmt: skip
    found, sentences = said(made)
    assert found.selected == ("income",) and found.open == (("rooms",),)
    assert (
        sentences["selected"].text
        == "Selected by LOCO, where draws fail their test or are copies: income"
    )
    assert sentences["by LOCO"].features == ("income",)
    assert "income (LOCO .06 ± " in sentences["by LOCO"].text
    assert "2 features are not selected, and 1 stays open" in sentences["not selected"].text
    assert sentences["open"].features == ("rooms",)
    made.draw_tests = {("income",): WRONG}
    assert said(made)[1]["selected"].text == (
        "Selected by CPI: rooms; by LOCO, where draws fail their test or are copies: income"
    )


def test_what_is_selected_or_stated_is_not_said_to_be_open():
    """LOCO finds income at the false discovery rate, or at the level of statements, alone."""
    income = {"draws": {"income": WRONG}, "groups": (("income",),)}
    made = work(scored(0.2, 0.2, 0.2, 0.2), scored(0.0105, 0.2, 0.2, 0.2), **income)
    found, sentences = said(made)
    assert 0.05 < over_folds(made.left_out["income",] - LEAST_LOCO).p_value < 0.1
    assert "income" in found.selected and found.stated == found.open == ()
    assert not {"open", "not selected"} & set(sentences)
    made = work(scored(0.2, 0, 0, 0), scored(0.0111, 0, 0, 0), **income)
    found, sentences = said(made, 0.01)
    assert over_folds(made.left_out["income",] - LEAST_LOCO).p_value > 0.01 / 4
    assert found.selected == found.by_groups == ("income",) and found.open == ()
    assert "by groups" in sentences and not {"open", "rate"} & set(sentences)
    stated = statements(made, found)
    assert "matters" in stated[0].text and "draws of their own" not in stated[-1].text


def test_the_false_discovery_rate_is_said_of_those_that_it_selects():
    made = work(scored(0.2, 0, 0, 0), groups=(("income",), ("age",)))
    found, sentences = said(made)
    assert found.selected == ("income", "age") and found.by_groups == ("age",)
    assert sentences["rate"].text.startswith("Of features selected like income, at most 10 %")
    assert "draws of their own" in statements(made, found)[-1].text


K, TIMES = 8, 500
# The correlation c of folds for which the corrected t-test is exact: c = (1 - c) / (K - 1).
SHARED = 1 / K


def null_folds(rng):
    """Values of eight folds of four features, 0 on average."""
    common, own = rng.standard_normal((1, 4)), rng.standard_normal((K, 4))
    return 0.01 * (np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own)


def top_down(p_values):
    """The finest of four features without groups, as hierarchy tests them, and its table."""
    tree = tree_of_groups(NAMES, {name: [name] for name in NAMES})
    _, adjusted = top_down_tests(tree, lambda at: np.array([[0.0, *p_values][n] for n in at]), 0.05)
    units = [tuple(NAMES[j] for j in node.members) for node in tree]
    table = pd.DataFrame({"features": units, "p_value": [0.0, *p_values]})
    return table, tuple(u for u, p in zip(units[1:], adjusted[1:], strict=True) if p <= 0.05)


@pytest.mark.parametrize(("n_failed", "n_causes"), [(4, 0), (3, 0), (2, 0), (2, 1), (0, 1)])
def test_any_statement_is_false_as_seldom_as_is_said(n_failed, n_causes):
    """Draws that fail reject whatever their feature does; LOCO is at its bound, or CPI is 0."""
    rng, false = np.random.default_rng(n_failed), 0
    failed = NAMES[:n_failed]
    made = work(scored(0, 0, 0, 0), scored(0, 0, 0, 0), dict.fromkeys(failed, WRONG))
    for _ in range(TIMES):
        folds = null_folds(rng)
        p_values = t_tests(*nadeau_bengio(folds, 1 / (K - 1)))
        p_values[:n_failed] = 0.0
        p_values[4 - n_causes :] = 0.0
        made.groups, made.finest = top_down(p_values)
        made.results["cpi"].details["raw_p_values"][:] = p_values
        made.results["loco"].details["fold_scores"][:] = LEAST_LOCO + folds
        stated = {name for unit in decide(made, 0.1).stated for name in unit}
        false += bool(stated & set(NAMES[: 4 - n_causes]))
    assert false <= binom.ppf(0.999, TIMES, 0.05)


def test_the_p_value_of_a_statement_is_the_one_that_decides():
    """Draws that fail leave no level to the others, so that it is larger than hierarchy's."""
    made = work(scored(0.2, 0.2, 0.2, 0), scored(0, 0, 0, 0), dict.fromkeys(NAMES[:2], WRONG))
    made.groups, made.finest = top_down([0.0, 0.0, 0.012, 0.5])
    made.groups = made.groups.assign(score=0.2, std_error=0.01)
    found = decide(made, 0.1)
    assert set(found.stated) == {NAMES[2:3]} and len(made.finest) == 3
    assert statements(made, found)[0].text.endswith(": CPI .20 ± .01, p = .048.")


@pytest.mark.parametrize(("loco", "is_selected"), [(0.005, False), (0.03, True)])
def test_loco_decides_by_more_than_a_copy_of_a_cause_is_worth_to_a_forest(loco, is_selected):
    made = work(scored(0.2, 0, 0, 0), scored(loco, 0, 0, 0), draws={"income": WRONG})
    assert (decide(made, 0.1).selected == ("income",)) == is_selected
    assert over_folds(loco + WIGGLE[:, 0] - LEAST_LOCO).p_value > 0.5 or is_selected


def test_both_cpi_and_loco_must_show_a_feature_whose_draws_fail_but_not_of_copies():
    made = work(scored(0, 0, 0, 0), scored(0.06, 0.06, 0, 0), draws={"income": WRONG})
    assert decide(made, 0.1).selected == ()
    made.results["cpi"] = scored(0, 0, 0, 0, notes={"rooms": "untestable: its draws are copies"})
    assert decide(made, 0.1).selected == ("rooms",)


def test_where_loco_decides_alone_it_has_the_same_least_score():
    made = work(None, scored(0.06, 0.008, 0, 0))
    del made.results["cpi"]
    assert decide(made, 0.1).selected == ("income",)


GROUP = ("rooms", "age")


def test_the_headline_is_the_finest_statement():
    made = work(scored(0, 0, 0, 0), groups=(GROUP, ("income",)), left_out={GROUP: 0.05})
    head = answer(made, decide(made, 0.1), 0.1)[0]
    assert head.text == (
        "Selected by the tests of groups: income; one of {rooms, age} matters, but the data do not "
        "tell which"
    )


@pytest.mark.parametrize(
    ("draws", "loco", "is_stated", "is_headline"),
    [
        (RIGHT, 0.05, True, True),
        (RIGHT, -0.01, True, False),
        (WRONG, 0.05, True, True),
        (WRONG, -0.01, False, False),
    ],
)
def test_a_group_is_stated_by_its_draws_or_by_leaving_it_out(draws, loco, is_stated, is_headline):
    made = work(scored(0, 0, 0, 0), groups=(GROUP,), draws={GROUP: draws}, left_out={GROUP: loco})
    found, sentences = said(made)
    assert (GROUP in found.stated) == is_stated and (GROUP in found.head) == is_headline
    assert ("statement" in sentences) == is_headline
    assert (GROUP in found.open) == (not is_stated)
    if is_stated:
        statement, certainty = statements(made, found)
        assert certainty.kind == "certainty" and ".95" in certainty.text
        assert statement.features == GROUP
        assert ("by leaving out" in statement.text) == (draws is WRONG)


@pytest.mark.parametrize(("loco", "is_stated"), [(-0.01, False), (0.05, True)])
def test_a_group_with_a_feature_whose_draws_fail_is_stated_by_leaving_it_out(loco, is_stated):
    made = work(
        scored(0, 0, 0, 0), scored(0, 0, 0, 0), draws={"rooms": WRONG, GROUP: RIGHT},
        groups=(GROUP,), left_out={GROUP: loco},
    )  # fmt: skip
    found = decide(made, 0.1)
    assert (GROUP in found.stated) == is_stated and (GROUP in found.open) != is_stated


def test_a_group_beside_selected_features_is_in_the_headline_unless_one_is_its_own():
    other = ("age", "noise")
    made = work(
        scored(0.2, 0.1, 0, 0), draws={"income": RIGHT, "rooms": RIGHT}, groups=(GROUP, other),
        left_out={GROUP: 0.1, other: 0.1},
    )  # fmt: skip
    found, sentences = said(made)
    assert sentences["selected"].text == (
        "Selected by CPI: income, rooms; one of {age, noise} matters, but the data do not tell "
        "which"
    )
    first = statements(made, found)[0].text
    assert first.endswith(" (at the false discovery rate: rooms): CPI 1.00 ± .01, p = .002.")


HEADS = [
    ((), 0.001, "together", "The features together matter, but no single one is selected"),
    ((), 0.5, "undecided", "These data do not decide which features matter"),
    ((("age",),), 0.5, "selected", "Selected by the tests of groups: age"),
    ((NAMES,), 0.001, "statement", "The features together matter, but the data do not tell which"),
]


@pytest.mark.parametrize(("groups", "p_value", "kind", "text"), HEADS)
def test_without_a_selected_feature_the_headline_is_what_is_known(groups, p_value, kind, text):
    _, sentences = said(work(scored(0, 0, 0, 0), groups=groups, p_value=p_value))
    assert next(iter(sentences)) == kind and sentences[kind].text == text
    assert ("by groups" in sentences) == (groups == (("age",),))
    assert ("hidden" in sentences) == (p_value < 0.05)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((0, 0.001, 0.26, 0), "; age has the largest CPI (.26, the next .001)"),
        ((0, 0.03, -0.01, 0.2), "; rooms has the largest CPI (.03, the next −.01)"),
        ((0, 0.03, 0.02, 0), ""),
        ((0, -0.03, -0.02, 0), ""),
    ],
)
def test_a_member_far_above_the_others_of_its_group_is_named(scores, words):
    result = scored(*scores)
    result.details["raw_p_values"][:] = 0.6
    made = work(result, groups=(GROUP,), left_out={GROUP: 0.05})
    text = statements(made, decide(made, 0.1))[0].text
    assert text.startswith(f"One of {{rooms, age}} matters, but the data do not tell which{words}:")


def test_of_what_stays_open_few_are_named_and_the_rest_is_a_number(monkeypatch):
    draws = dict.fromkeys(NAMES, WRONG)
    left_out = {(name,): 0.001 for name in NAMES}
    for most, more in ((1, " and 3 more: "), (3, " and 1 more: "), (4, "")):
        monkeypatch.setattr(sentences, "_MOST_OPEN", most)
        text = said(work(scored(0.4, 0.3, 0.2, 0.1), draws=draws, left_out=left_out))[1][
            "open"
        ].text
        assert more in text and text.count("(LOCO") == most


@pytest.mark.parametrize("n_features", [1, 2])
def test_draws_of_a_single_feature_fail_by_chance_alone(n_features):
    """They are other rows of it; LOCO, which is said to decide, would leave out all features."""
    made = work(scored(0.2, 0, 0, 0), draws={"income": WRONG})
    made.data = replace(made.data, X=made.data.X[list(NAMES[:n_features])])
    assert bool(list(sentences._recognised(made))) == (n_features > 1)


def test_copies_in_a_stated_group_are_decided_by_its_test():
    """LOCO of an exact copy is above its bound by the forest alone, which draws its features."""
    copied = scored(0.0, 0.0, 0.2, 0, notes={"income": "untestable", "rooms": "untestable"})
    pair = ("income", "rooms")
    loco = scored(0.04, 0.04, 0.06, 0)
    found, sentences = said(work(copied, loco, groups=(pair,), left_out={pair: 0.1}))
    assert found.selected == ("age",) and found.stated == (pair,)
    assert sentences["selected"].text.startswith("Selected by CPI: age; one of {income, rooms}")
    alone, _ = said(work(copied, loco))
    assert set(alone.selected) == {"income", "rooms", "age"}


def test_loco_alone_says_its_bound():
    made = work(scored(0, 0, 0, 0), scored(0.005, 0.2, 0, 0))
    del made.results["cpi"]
    found, sentences = said(made)
    assert found.selected == ("rooms",)
    assert sentences["selected"].text == "Selected by LOCO (above .01): rooms"
    made.results["loco"] = scored(0.005, 0.004, 0, 0)
    assert "LOCO (above .01) selects no single feature" in said(made)[1]["none selected"].text


def test_a_headline_does_not_contradict_a_statement_below_it():
    pair = ("income", "rooms")
    made = work(scored(0, 0, 0, 0), groups=(pair,), left_out={pair: -0.01}, p_value=0.5)
    found, sentences = said(made)
    assert found.stated == (pair,) and "undecided" not in sentences and "together" in sentences


def test_one_error_of_loco_is_shown_of_a_feature():
    made = work(scored(0.2, 0.1, 0, 0), scored(0.06, 0, 0, 0), draws={"income": WRONG})
    made.results["loco"] = replace(
        made.results["loco"], std_error=np.full(4, 0.07), std_error_kind="x"
    )
    assert "income (LOCO .06 ± .07)" in said(made)[1]["by LOCO"].text


@pytest.mark.parametrize(("error", "is_named"), [(0.002, False), (0.0005, True)])
def test_a_member_is_named_where_its_score_is_above_two_errors(error, is_named):
    pair = ("income", "rooms")
    cpi = replace(scored(0.002, -0.0006, 0, 0), std_error=np.full(4, error), std_error_kind="x")
    cpi = replace(cpi, details=cpi.details | {"raw_p_values": np.ones(4)})
    _, sentences = said(work(cpi, groups=(pair,), left_out={pair: 0.1}))
    assert ("income has the largest CPI" in sentences["statement"].text) == is_named

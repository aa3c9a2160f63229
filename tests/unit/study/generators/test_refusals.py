"""What generators and joint laws refuse, before anything is drawn: the call and the words."""

import re

import numpy as np
import pandas as pd
import pytest

from losaw.study.generators import real_rows, xplainfi
from losaw.study.generators.conditional_dag import ConditionalDagGenerator as Dag
from losaw.study.generators.confounder import ConfounderGenerator as Confounder
from losaw.study.generators.correlation import correlation_matrix, five_feature_block
from losaw.study.generators.designs import DesignGenerator
from losaw.study.generators.five_feature_blocks import FiveFeatureBlocksGenerator as Blocks
from losaw.study.generators.joint_law.law import JointLawSpecification as Law
from losaw.study.generators.losaw import LosawGenerator
from losaw.study.generators.mixed_cardinality import MixedCardinalityGenerator as Mixed
from losaw.study.generators.mixed_pairs import MixedPairsGenerator as Pairs
from losaw.study.generators.noisy_copies import NoisyCopiesGenerator as Copies
from losaw.study.generators.noisy_linear import NoisyLinearGenerator as Linear
from losaw.study.generators.normal_linear import NormalLinearGenerator
from losaw.study.generators.real_rows import RealRegressionGenerator as Real
from losaw.study.generators.simulated import simulated
from reference.in_study import draw

PAIR = ((1.0, 0.5), (0.5, 1.0))


def losaw(**changes):
    usual = {"data_type": "continuous", "n_samples": 50, "n_features": 8, "phi": 0.1}
    return LosawGenerator(**{**usual, "function": "f3", **changes})


def normal(**changes):
    return NormalLinearGenerator(**{"correlation": "identity", **changes})


def law(correlation=PAIR, **changes):
    return Law(correlation, **changes)


REFUSED = [
    (lambda: losaw(data_type="discreet"), "data_type 'discreet'; did you mean 'discrete'?"),
    (lambda: losaw(n_features=5), "n_features must be an integer of at least 6, got 5"),
    (lambda: losaw(n_features=10.0), "n_features must be an integer of at least 6, got 10.0"),
    (lambda: losaw(n_samples=1), "n_samples must be an integer of at least 2, got 1"),
    (lambda: losaw(n_samples="500"), "n_samples must be an integer of at least 2, got '500'"),
    (lambda: losaw(n_samples=True), "n_samples must be an integer of at least 2, got True"),
    (lambda: losaw(phi=-0.1), "phi must be a finite number of at least 0, got -0.1"),
    (lambda: losaw(phi=float("nan")), "phi must be a finite number of at least 0, got nan"),
    (lambda: losaw(function="f0"), "unknown function 'f0' (known: f1, f2, "),
    (lambda: losaw(independent_share=2), "independent_share must be"),
    (lambda: normal(correlation="hetero"), "unknown correlation 'hetero'; did you mean"),
    (lambda: normal(correlation="six-features"), "n_features must be an integer of at least 6"),
    *[
        (
            lambda n=n: normal(correlation="heterogeneous", n_features=n),
            f"n_features must be an integer of at least 2 and at most 5, got {n}: correlation "
            "'heterogeneous' is not positive definite",
        )
        for n in (6, 40)
    ],
    (lambda: normal(n_features=1), "n_features must be an integer of at least 4, got 1"),
    (lambda: normal(noise_variance=-1), "noise_variance must be a finite number of at least 0"),
    (lambda: five_feature_block(0.95, 0.1), "alpha=0.95, beta=0.1 is not positive definite"),
    (lambda: correlation_matrix("homogenous", 5), "did you mean 'homogeneous'"),
    (lambda: correlation_matrix("six-features", 5), "at least 6, got 5: "),
    (lambda: normal(function="f33"), "unknown function 'f33'; did you mean 'f3'?"),
    (lambda: losaw(function="f8", n_features=1000), "unknown function 'f8'"),
    (lambda: Blocks(function="f1"), "unknown function 'f1'"),
    (lambda: Blocks(function="f8", n_features=30), "multiple of 25"),
    (lambda: Blocks(function="f8", n_features=5), "multiple of 25"),
    (lambda: Blocks(function="f8", phi=-1.0), "phi must be"),
    (lambda: Blocks(function="f8", n_samples=1), "n_samples must be"),
    (lambda: Blocks(function="f8", independent_share=2), "independent_share"),
    (lambda: Mixed(task="regression", rho=1.5), "rho must be a number in [0, 1], got 1.5"),
    (lambda: Dag(n_samples=100, categorical="X2"), "categorical"),
    (lambda: Dag(n_samples=10, categorical="X1"), "two rows per level"),
    (lambda: Dag(n_samples=5, categorical="none"), "n_samples must be an integer of at least 6"),
    (lambda: Dag(n_samples=5, categorical="X1", n_levels=2), "of at least 6, got 5"),
    (lambda: Pairs(n_samples=100, rho=1, n_levels=2), "between 0 and 1, got 1"),
    (lambda: Pairs(n_samples=100, rho=0.5, n_levels=1), "n_levels"),
    (lambda: Confounder(n_samples=2), "n_samples"),
    (lambda: Copies(data_set="syn1"), "unknown data_set 'syn1'"),
    (lambda: Copies(data_set="syn2", power="sign"), "did you mean 'signed'"),
    *[
        (
            lambda n=n: Copies(data_set="syn3", power="dropped", n_samples=n),
            f"n_samples must be an integer of at least 40, got {n}: half of the rows are dropped",
        )
        for n in (2, 39)
    ],
    (lambda: Linear(noise_share=1.5), "noise_share must be a number in [0, 1]"),
    (lambda: Linear(noise_share=0, target="keep"), "unknown target 'keep'"),
    (lambda: Real(data_set="fishes"), "did you mean 'fish'"),
    (lambda: Real(data_set="fish", fraction=0), "fraction must be a number in (0, 1], got 0"),
    (lambda: law(independent_share=1.1), "independent_share"),
    (lambda: law(tie_break="entropy"), "'entropy'; did you mean 'maximum-entropy'?"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_cannot_be_drawn_is_refused_at_once(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


def test_so_many_features_and_so_few_rows_are_drawn():
    assert (
        draw(normal(correlation="heterogeneous", n_features=5, n_samples=9)).train.X.shape[1] == 5
    )
    for power, n in (("dropped", 40), ("signed", 2)):
        assert len(draw(Copies(data_set="syn2", power=power, n_samples=n)).train.y) > 1


@pytest.mark.parametrize(
    ("n_rows", "fraction", "n_train"),
    [(159, 0.995, None), (159, 0.999999, None), (20, 0.95, None), (3, 0.5, None),
     (159, 1.0, 159), (159, 0.987, 157), (20, 0.9, 18), (4, 0.1, 2)],
)  # fmt: skip
def test_rows_for_the_test_are_left_or_all_are_asked_for(monkeypatch, n_rows, fraction, n_train):
    rows = np.arange(float(n_rows))
    table = (rows[:, None], rows, ("a",), ("continuous",))
    monkeypatch.setattr(real_rows, "read_rows", lambda *of: table)
    if n_train is None:
        words = f"fraction must leave 2 of {n_rows} rows for the test sample .at most {n_rows - 2}/"
        with pytest.raises(ValueError, match=words):
            draw(Real(data_set="fish", fraction=fraction))
        return
    data = draw(Real(data_set="fish", fraction=fraction))
    n_test = n_rows if fraction == 1 else n_rows - n_train
    assert (len(data.train.y), len(data.test.y)) == (n_train, n_test)
    assert not data.truth.signal_is_known


@pytest.mark.parametrize("categorical", ["none", "X1", "X3", "all"])
@pytest.mark.parametrize("outcome", ["regression", "classification"])
def test_without_an_effect_no_feature_is_a_signal(categorical, outcome):
    chosen = {"categorical": categorical, "outcome": outcome, "n_levels": 3}
    for beta, signal in ((0.0, ()), (0.5, (2, 3)), (-0.5, (2, 3))):
        data = Dag(n_samples=60, beta=beta, **chosen).sample(np.random.default_rng(0))
        assert data.truth.signal == signal and data.truth.signal_is_known


def test_rows_for_each_level_are_asked_for_where_there_are_levels():
    assert len(Dag(n_samples=6, categorical="none").sample(np.random.default_rng(0)).train.y) == 4


ROWS = np.random.default_rng(0).standard_normal((40, 2))
FRAME, SIGNS = pd.DataFrame(ROWS, columns=["a", "b"]), np.where(ROWS[:, 0] > 0, "u", "v")
TURNED = pd.Series(ROWS[:, 0]).iloc[::-1]
HOLES = np.where(ROWS[:, 0] > 1, np.nan, ROWS[:, 0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: simulated(FRAME, ROWS[:, 0], mean=TURNED),
            "mean has the labels of X's rows in an",
        ),
        (lambda: simulated(FRAME, TURNED[::-1], mean=TURNED), "mean has the labels of X's rows in"),
        (lambda: simulated(ROWS, TURNED[::-1], mean=TURNED), "mean has the labels of y's rows in"),
        (lambda: simulated(ROWS, SIGNS, task="classificaton"), "task.*did you mean"),
        (lambda: simulated(ROWS, SIGNS, task="regression"), "y holds values that are not numbers"),
        (lambda: simulated(FRAME, TURNED), "order"),
        (lambda: simulated(ROWS, ROWS[:, 0], noise_variance=-1), "noise_variance must be"),
        (lambda: simulated(ROWS, ROWS[:, 0], noise_variance=None), "noise_variance must be"),
        (lambda: simulated(ROWS, ROWS[:, 0], noise_variance="1"), "noise_variance must be"),
        (lambda: simulated(ROWS, ROWS[:, 0], mean=SIGNS), "mean holds values that are not"),
        (lambda: simulated(ROWS, ROWS[:, 0], signal=0), "signal must be a sequence of feature"),
        (lambda: simulated(ROWS, ROWS[:, 0], signal="X1"), "signal must be a sequence of feature"),
        (lambda: simulated(ROWS, HOLES), "y has . missing values"),
        (
            lambda: simulated(ROWS, np.datetime64("2024-01-01") + np.arange(40)),
            "dates or durations",
        ),
        (lambda: simulated(ROWS, ROWS[:30, 0]), "y has 30 entries for 40 rows"),
        (lambda: simulated(ROWS, ROWS[:, 0], signal=["X9"]), "signal: unknown feature 'X9'"),
        (lambda: simulated(ROWS, ROWS[:, 0], n_train=40), "leave test rows"),
        (lambda: simulated(ROWS, ROWS[:, 0], n_train=0), "n_train must be an integer of at least"),
        (lambda: simulated(ROWS, ROWS[:, 0], kinds={"X1": "normal"}), "normal"),
    ],
)
def test_what_a_draw_returns_is_checked(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize("signal", [None, (), ["X2"], np.array(["X2", "X1"])])
def test_a_draw_says_whether_it_is_known_which_features_matter(signal):
    truth = simulated(ROWS, ROWS[:, 0], signal=signal, noise_variance=np.float32("nan")).truth
    assert truth.signal_is_known == (signal is not None)
    assert truth.signal == (() if signal is None else (1, 0)[: len(signal)])


@pytest.mark.parametrize("design", ["correlated-75", "mediated", "blocks"])
def test_of_xplainfi_causes_are_known_where_they_are_declared(design):
    assert draw(DesignGenerator(design=design)).truth.signal_is_known
    if design in xplainfi.DESIGNS:
        found = xplainfi.draw(np.random.default_rng(0), design=design, n_samples=30)
        assert not found.truth.signal_is_known


@pytest.mark.parametrize(
    "matrix",
    [[[1, 0.5], [0.2, 1]], [[2, 0.5], [0.5, 2]], [[1, 3.0], [3.0, 1]], [[1, 0.2]],
     [[1, np.nan], [np.nan, 1]], [1.0]],
)  # fmt: skip
def test_what_is_no_matrix_of_correlations_has_no_joint_law(matrix):
    with pytest.raises(ValueError, match="correlation must be a matrix of correlations"):
        Law(matrix)

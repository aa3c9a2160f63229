"""Specification, storage and sampling of a discrete joint law."""

import numpy as np
import pytest

from losaw.study.generators.correlation import five_feature_block, six_features
from losaw.study.generators.joint_law import fit as joint_law_fit
from losaw.study.generators.joint_law.fit import fit_joint_law
from losaw.study.generators.joint_law.law import (
    BARRIER,
    JointLaw,
    JointLawError,
    JointLawSpecification,
)
from losaw.study.generators.losaw import LosawGenerator

PAIR = ((1.0, 0.5), (0.5, 1.0))


@pytest.fixture(scope="module")
def law():
    return fit_joint_law(JointLawSpecification(PAIR))


def test_an_array_and_a_tuple_give_the_same_specification():
    assert JointLawSpecification(np.array(PAIR)) == JointLawSpecification(PAIR)
    assert hash(JointLawSpecification(np.array(PAIR))) == hash(JointLawSpecification(PAIR))


@pytest.mark.parametrize(
    ("options", "identifier"),
    [
        ({}, "6-features-maximum-entropy-87f27d82"),
        ({"independent_share": 0.03}, "6-features-maximum-entropy-w0.03-394d2480"),
        ({"tie_break": "log-barrier"}, "6-features-log-barrier-1.5e-05-fcb28b7f"),
    ],
)
def test_the_identifiers_of_the_studies_never_change(options, identifier):
    assert JointLawSpecification(six_features(), **options).identifier == identifier


@pytest.mark.parametrize("tie_break", ["maximum-entropy", "log-barrier"])
def test_a_stored_law_is_read_back_exactly(tmp_path, tie_break):
    law = fit_joint_law(JointLawSpecification(five_feature_block(0.74, 0.29), tie_break=tie_break))
    law.save(tmp_path / "laws" / "law.json")
    again = JointLaw.load(tmp_path / "laws" / "law.json")
    assert np.array_equal(again.probabilities, law.probabilities)
    assert again.record() == law.record()
    (tmp_path / "file").touch()
    with pytest.raises(JointLawError, match="cannot be written"):
        law.save(tmp_path / "file" / "law.json")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "does not hold a joint law"),
        (lambda text: "", "it is fitted again"),
        (lambda text: "[]", "does not hold a joint law"),
    ],
)
def test_a_damaged_file_is_refused_with_the_remedy(tmp_path, law, damage, message):
    law.save(tmp_path / "law.json")
    (tmp_path / "law.json").write_text(damage((tmp_path / "law.json").read_text()))
    with pytest.raises(JointLawError, match=message):
        JointLaw.load(tmp_path / "law.json")


def test_a_draw_on_the_boundary_of_two_cells_belongs_to_the_upper_one(law):
    class Boundaries:
        def random(self, shape):
            return np.array([0.0, 0.25])

    probabilities = np.array([0, 0.25, 0, 0, 0.75, 0, 0, 0, 0])
    sparse = JointLaw(law.specification, probabilities, True, "")
    # Half-open intervals: [0, .25) is the second cell, whose lower neighbour is empty.
    assert sparse.sample(2, Boundaries()).tolist() == [[-1.0, 0.0], [0.0, 0.0]]


def test_a_solver_that_fails_is_reported(monkeypatch):
    monkeypatch.setattr(joint_law_fit, "RESIDUAL", -1.0)
    with pytest.raises(JointLawError, match=r"was not fitted: the solution violates"):
        fit_joint_law(JointLawSpecification(PAIR))


def test_a_mixture_keeps_the_marginals_and_shrinks_the_correlations(law):
    mixed = fit_joint_law(JointLawSpecification(PAIR, independent_share=0.1))
    assert mixed.probabilities.sum() == pytest.approx(1, abs=1e-14)
    for column in mixed.specification.cells.T:
        shares = [mixed.probabilities[column == level].sum() for level in (-1, 0, 1)]
        assert shares == pytest.approx([0.25, 0.5, 0.25], abs=1e-12)
    pair = mixed.attained_correlation[0, 1], law.attained_correlation[0, 1]
    assert pair[0] == pytest.approx(0.9 * pair[1], abs=1e-9)
    assert mixed.objective == pytest.approx((0.1 * pair[1]) ** 2, rel=1e-6)


@pytest.mark.parametrize(
    ("asked", "share", "off"),
    [
        ({}, 0.0, 0.0353),
        ({"independent_share": 0}, 0.0, 0.0),
        ({"independent_share": 0.05}, 0.05, 0.65625 * 0.05),
    ],
)
def test_the_generator_says_how_much_mass_its_law_has_off_the_support(asked, share, off):
    generator = LosawGenerator(
        data_type="discrete", n_samples=20, n_features=6, phi=0.1, function="f3", **asked
    )
    assert generator.joint_law().independent_share == share
    details = generator.sample(np.random.default_rng(0)).truth.details
    assert details["off_support"] == pytest.approx(off, abs=1e-4)


def test_the_log_barrier_solution_has_no_direction_of_descent():
    """In every direction that keeps the marginals the objective has a slope of zero."""
    specification = JointLawSpecification(PAIR, tie_break="log-barrier")
    law = fit_joint_law(specification)
    pair = np.prod(specification.cells, axis=1) / 0.5
    slope = 4 * (pair @ law.probabilities - 0.5) * pair - BARRIER / law.probabilities
    columns = [column == level for column in specification.cells.T for level in (-1, 0, 1)]
    margins = np.array(columns, dtype=float).T
    left = slope - margins @ np.linalg.lstsq(margins, slope, rcond=None)[0]
    assert np.abs(left).max() < 1e-9
    np.testing.assert_allclose(margins.T @ law.probabilities, [0.25, 0.5, 0.25] * 2, atol=1e-12)


def test_the_log_barrier_solution_of_the_study_is_the_one_that_was_measured():
    law = fit_joint_law(JointLawSpecification(six_features(), tie_break="log-barrier"))
    assert law.probabilities.min() == pytest.approx(1.70e-5, abs=1e-7)
    assert law.probabilities.max() == pytest.approx(0.26967, abs=1e-5)
    found = law.attained_correlation[[0, 0, 3, 0], [1, 2, 4, 3]]
    assert found == pytest.approx([0.4156, 0.7765, 0.8960, 0.2], abs=1e-4)

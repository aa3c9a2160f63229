"""The convex problems behind a discrete joint law (losaw, Appendix 9.13), by cvxpy."""

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from losaw.data import FloatArray
from losaw.study.generators.joint_law.law import (
    BARRIER,
    LEVELS,
    MARGINAL,
    SOLVER,
    TOLERANCE,
    JointLaw,
    JointLawError,
    JointLawSpecification,
)
from losaw.support.extras import require

if TYPE_CHECKING:
    import cvxpy as cp

DISTANCE_TOLERANCE = 1e-10
_GAPS = ("tol_gap_abs", "tol_gap_rel", "tol_feas")
ATTAINED = 1e-6
# The largest deviation of an accurate solution's marginals and correlations that is accepted.
RESIDUAL = 1e-6
# Newton's method stops where the objective is above its minimum by half of this at most.
NEWTON_STEPS = 100
NEWTON_DECREMENT = 1e-16


def fit_joint_law(specification: JointLawSpecification) -> JointLaw:
    """Solve for the joint law of a specification; refuse one that violates the constraints."""
    require("study", ("cvxpy",))
    problem = _Problem(specification)
    attained = problem.closest_correlations()
    attainable = bool(np.linalg.norm(attained - problem.target) < ATTAINED)
    if specification.tie_break == "log-barrier":
        probabilities, status = problem.log_barrier()
    else:
        held = problem.target if attainable else attained
        probabilities, status = problem.maximum_entropy(held)
        problem.check(probabilities, held)
    share, independent = specification.independent_share, specification.independent_probabilities()
    probabilities = (1 - share) * _rake(probabilities, specification) + share * independent
    return JointLaw(specification, probabilities, attainable, status)


_LAWS: dict[str, JointLaw] = {}  # of this process, by identifier


def use_law(law: JointLaw) -> None:
    """Let all generators of this process that need a law of this specification have it."""
    _LAWS[law.specification.identifier] = law


def law_of(specification: JointLawSpecification) -> JointLaw:
    """Return the law that was read for this process, else one that is fitted once."""
    name = specification.identifier
    if name not in _LAWS:
        use_law(fit_joint_law(specification))
    return _LAWS[name]


class _Problem:
    """The constraints and correlations as linear maps of the vector of cell probabilities."""

    def __init__(self, specification: JointLawSpecification) -> None:
        self.specification = specification
        cells = specification.cells
        levels, marginal = np.array(LEVELS), np.array(MARGINAL)
        mean = levels @ marginal
        variance = (levels - mean) ** 2 @ marginal
        pairs = list(itertools.combinations(range(specification.n_features), 2))
        self.correlations = np.array(
            [(cells[:, p] - mean) * (cells[:, q] - mean) / variance for p, q in pairs]
        )
        self.target = np.array([specification.correlation[p][q] for p, q in pairs])
        # Without the last level, which the sum of 1 implies: redundant rows cost accuracy.
        self.margins = np.array([c == x for c in cells.T for x in levels[:-1]], dtype=float)
        self.marginals = np.tile(marginal[:-1], specification.n_features)

    def closest_correlations(self) -> FloatArray:
        """Return the correlations, which all minimisers share.

        The distance is minimised instead of its square, which is flat at zero: with it, a
        correlation that is attained on the boundary only would be missed by some 1e-5.
        """
        import cvxpy as cp

        cells = cp.Variable(self.margins.shape[1])
        distance = cp.norm2(self.correlations @ cells - self.target)
        closest, _ = self._solve(cp.Minimize(distance), cells, [], DISTANCE_TOLERANCE)
        correlations: FloatArray = self.correlations @ closest
        self.check(closest, correlations)
        return correlations

    def maximum_entropy(self, held: FloatArray) -> tuple[FloatArray, str]:
        """Return the cell probabilities of largest entropy with correlations ``held``."""
        import cvxpy as cp

        cells = cp.Variable(self.margins.shape[1])
        entropy = cp.sum(cp.entr(cells))
        constraints = [self.correlations @ cells == held]
        return self._solve(cp.Maximize(entropy), cells, constraints, TOLERANCE)

    def log_barrier(self) -> tuple[FloatArray, str]:
        """Minimise ||corr_P - R||_F^2 - 1.5e-5 sum log P by Newton's method with halved steps.

        The product of the marginals is a feasible start, and the barrier is lowered to its value
        by tenths: each problem starts close to its solution. A conic solver finds the same law, but
        leaves an error of 1e-6 where the smallest probability is 1e-5.
        """
        cells = self.specification.independent_probabilities()
        for weight in np.geomspace(1.0, BARRIER, 2 + int(-np.log10(BARRIER))):
            cells = self._newton(cells, float(weight))
        return cells, "optimal"

    def _newton(self, cells: FloatArray, barrier: float) -> FloatArray:
        """Return the minimiser of the log-barrier objective, from feasible positive ``cells``."""
        constraints = np.vstack([self.margins, np.ones(len(cells))])
        # Every pair counts twice in the Frobenius norm: the objective over the barrier is
        # half the squared norm of scale * (corr_P - R), less the sum of the logarithms.
        scale = np.sqrt(4.0 / barrier)
        rows = np.vstack([scale * self.correlations, constraints])
        n_pairs = len(self.correlations)

        def value(at: FloatArray) -> float:
            distance = scale * (self.correlations @ at - self.target)
            return float(distance @ distance / 2 - np.log(at).sum())

        for _ in range(NEWTON_STEPS):
            distance = scale * (self.correlations @ cells - self.target)
            gradient = scale * self.correlations.T @ distance - 1 / cells
            # The Hessian is diag(1 / P^2) and a row for each pair; neither is multiplied out.
            inner = (rows * cells**2) @ rows.T
            inner[:n_pairs, :n_pairs] += np.eye(n_pairs)
            multipliers = np.linalg.solve(inner, rows @ (cells**2 * gradient))
            step = -(cells**2) * (gradient - rows.T @ multipliers)
            decrement = float(-gradient @ step)
            if decrement < NEWTON_DECREMENT:
                return cells
            length = 1.0
            while (cells + length * step).min() <= 0 or (
                decrement > 1e-6 and value(cells + length * step) >= value(cells)
            ):
                length /= 2
            cells = cells + length * step
        raise self._failure(f"no solution after {NEWTON_STEPS} steps of Newton's method")

    def _solve(
        self,
        objective: "cp.Minimize | cp.Maximize",
        cells: "cp.Variable",
        constraints: list[Any],
        tolerance: float,
    ) -> tuple[FloatArray, str]:
        import cvxpy as cp

        law = [self.margins @ cells == self.marginals, cp.sum(cells) == 1, cells >= 0]
        problem = cp.Problem(objective, law + constraints)
        try:
            with warnings.catch_warnings():
                # "may be inaccurate": the residuals are checked below, in our own units.
                warnings.simplefilter("ignore", UserWarning)
                problem.solve(solver=SOLVER, max_iter=500, **dict.fromkeys(_GAPS, tolerance))
        except cp.SolverError as error:
            raise self._failure(str(error)) from None
        if cells.value is None:
            raise self._failure(f"{SOLVER} ended with status {problem.status!r}")
        return np.array(cells.value, dtype=float), str(problem.status)

    def check(self, probabilities: FloatArray, held: FloatArray) -> None:
        """Refuse a solution that does not have the marginals and correlations it should have."""
        residual = max(
            np.abs(self.margins @ probabilities - self.marginals).max(),
            abs(probabilities.sum() - 1),
            np.abs(self.correlations @ probabilities - held).max(),
            -probabilities.min(),
        )
        if not residual <= RESIDUAL:
            raise self._failure(f"the solution violates the constraints by {residual:.1e}")

    def _failure(self, reason: str) -> JointLawError:
        return JointLawError(
            f"joint law {self.specification.identifier!r} was not fitted: {reason}"
        )


def _rake(probabilities: FloatArray, specification: JointLawSpecification) -> FloatArray:
    """Scale slices until every marginal is exact; moves an accurate solution by its residual."""
    n_features = specification.n_features
    table = np.clip(probabilities, 0, None).reshape((len(LEVELS),) * n_features)
    for axis in list(range(n_features)) * 100:
        slices = np.moveaxis(table, axis, -1)
        slices *= np.array(MARGINAL) / slices.sum(axis=tuple(range(n_features - 1)))
    return table.ravel()

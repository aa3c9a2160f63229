"""Discrete joint laws with given marginals and correlations: specifications and fitted laws."""

import functools
import itertools
import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.support.arguments import one_of, real_number
from losaw.support.errors import LosawError
from losaw.support.whole_files import write_atomically

# The losaw paper's marginal (Appendix 9.13): binomial with 2 trials and probability 1/2, centred.
LEVELS = (-1.0, 0.0, 1.0)
MARGINAL = (0.25, 0.5, 0.25)

TIE_BREAKS = ("maximum-entropy", "log-barrier")
SOLVER, TOLERANCE = "CLARABEL", 1e-8
# Chosen at ten features because it agrees with the published values (reference/discrete_law.md).
BARRIER = 1.5e-5


class JointLawError(LosawError):
    """An error: a joint law cannot be specified, fitted, stored or read."""


@dataclass(frozen=True)
class JointLawSpecification:
    """The law of ternary features, with given marginals, whose correlations come closest,

        min_P sum_{p<q} (corr_P(X_p, X_q) - R_pq)^2   subject to   P(X_p = x) = m(x),

    m = 1/4, 1/2, 1/4 at x = -1, 0, 1. The correlation matrix of the minimisers is unique, their law
    is not.

    Parameters
    ----------
    correlation : array of shape (n_features, n_features)
        R, symmetric with unit diagonal; it is kept as a tuple of tuples.
    tie_break : {"maximum-entropy", "log-barrier"}, default "maximum-entropy"
        "maximum-entropy" takes the minimiser with the largest entropy, the only one that is
        defined without reference to a solver: a second convex problem with the correlations held
        fixed. "log-barrier" has a unique solution too, at which every cell is positive:

            min_P ||corr_P - R||_F^2 - 1.5e-5 sum_x log P(x),

        with exact marginals, and correlations that are a little off (.4 becomes .416).
    independent_share : float, default 0
        w from 0 to 1: the law is (1 - w) P + w times the product of the marginals. The marginals
        stay exact, all correlations shrink by the factor 1 - w, and every cell has a positive
        probability.

    Notes
    -----
    losaw, Appendix 9.13. The correlations of its six features are on the boundary of what ternary
    features can have: X3 = sign(X1 + X2) almost surely (``reference/discrete_law.md``). The printed
    discrete cells agree with laws that have 1 % or more of their mass elsewhere, such as
    ``tie_break="log-barrier"`` (``config/studies/losaw_discrete_laws.yaml``).
    """

    correlation: Any
    tie_break: str = "maximum-entropy"
    independent_share: float = 0.0

    def __post_init__(self) -> None:
        one_of("tie_break", self.tie_break, TIE_BREAKS)
        share = real_number("independent_share", self.independent_share, minimum=0, maximum=1)
        object.__setattr__(self, "independent_share", share)
        matrix = np.array(self.correlation, dtype=float)
        is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]
        # A NaN fails every comparison.
        if not is_square or not (
            np.abs(matrix).max() <= 1
            and np.allclose(matrix, matrix.T, rtol=0, atol=1e-12)
            and np.allclose(matrix.diagonal(), 1, rtol=0, atol=1e-12)
        ):
            raise ValueError(
                "correlation must be a matrix of correlations, symmetric with a diagonal of ones, "
                f"got {matrix.tolist()}"
            )
        object.__setattr__(self, "correlation", tuple(map(tuple, matrix.tolist())))

    @property
    def n_features(self) -> int:
        return len(self.correlation)

    @property
    def identifier(self) -> str:
        """Return a file name: a readable slug and 8 hexadecimal digits of the specification."""
        decides = {
            "correlation": self.correlation,
            "levels": LEVELS,
            "marginal": MARGINAL,
            "tie_break": self.tie_break,
            "solver": SOLVER,
            "tolerance": TOLERANCE,
            **({"independent_share": self.independent_share} if self.independent_share else {}),
            **({"barrier": BARRIER} if self.tie_break == "log-barrier" else {}),
        }
        text = json.dumps(decides, sort_keys=True, separators=(",", ":"))
        digest = sha256(text.encode()).hexdigest()[:8]
        barrier = f"-{BARRIER:g}" if self.tie_break == "log-barrier" else ""
        mixed = f"-w{self.independent_share:g}" if self.independent_share else ""
        return f"{self.n_features}-features-{self.tie_break}{barrier}{mixed}-{digest}"

    def independent_probabilities(self) -> FloatArray:
        """Return the product of the marginals, in the order of :attr:`cells`."""
        factors = itertools.product(MARGINAL, repeat=self.n_features)
        return np.array([np.prod(factor) for factor in factors])

    @functools.cached_property
    def cells(self) -> FloatArray:
        """All combinations of levels, (n_cells, n_features), the last feature fastest."""
        return np.array(list(itertools.product(LEVELS, repeat=self.n_features)))


@dataclass(frozen=True, eq=False)
class JointLaw:
    """A fitted law."""

    specification: JointLawSpecification
    probabilities: FloatArray  # (n_cells,), in the order of specification.cells
    attainable: bool  # whether any law with the marginals has the correlations, to 1e-6
    status: str  # of the solver

    @functools.cached_property
    def attained_correlation(self) -> FloatArray:
        """The correlation matrix (n_features, n_features) of the law."""
        cells = self.specification.cells
        centred = cells - self.probabilities @ cells
        covariance = (centred * self.probabilities[:, None]).T @ centred
        scale = np.sqrt(np.diag(covariance))
        return covariance / np.outer(scale, scale)

    @functools.cached_property
    def objective(self) -> float:
        """The squared distance to the specified correlations, over p < q."""
        pairs = np.triu_indices(self.specification.n_features, 1)
        distance = (self.attained_correlation - np.array(self.specification.correlation))[pairs]
        return float(distance @ distance)

    def sample(self, n_samples: int, rng: np.random.Generator) -> FloatArray:
        """Draw independent rows of the law, shape (n_samples, n_features)."""
        return self.specification.cells[_draw(self.probabilities, n_samples, rng)]

    def sample_independent(
        self, n_samples: int, rng: np.random.Generator, n_features: int | None = None
    ) -> FloatArray:
        """Draw rows of independent features with the marginal, shape (n_samples, n_features)."""
        shape = (n_samples, self.specification.n_features if n_features is None else n_features)
        return np.array(LEVELS)[_draw(np.array(MARGINAL), shape, rng)]

    def record(self) -> dict[str, Any]:
        """Return everything but the probabilities, as plain values for a file's footer."""
        return {
            "identifier": self.specification.identifier,
            "specification": asdict(self.specification),
            "attained_correlation": self.attained_correlation.tolist(),
            "objective": self.objective,
            "attainable": self.attainable,
            "status": self.status,
        }

    def save(self, path: Path) -> None:
        """Write as JSON, whole or not at all; :meth:`load` gives back the same numbers."""
        content = {**self.record(), "probabilities": self.probabilities.tolist()}
        text = json.dumps(content, indent=1, allow_nan=False)
        write_atomically(
            Path(path), lambda place: place.write_text(text, encoding="utf-8"), JointLawError
        )

    @classmethod
    def load(cls, path: Path) -> "JointLaw":
        """Read what :meth:`save` wrote."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                JointLawSpecification(**content["specification"]),
                np.array(content["probabilities"], dtype=float),
                *(content[field.name] for field in fields(cls)[2:]),
            )
        except (OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise JointLawError(
                f"{path} does not hold a joint law ({error}); delete it, and it is fitted again"
            ) from None


def _draw(
    probabilities: FloatArray, shape: int | tuple[int, ...], rng: np.random.Generator
) -> np.ndarray:
    """Draw indices of given probabilities by inversion; a cell of probability 0 never occurs."""
    upper = np.cumsum(probabilities)
    upper[-1:] = np.inf  # rounding must not leave a gap at the end
    return np.searchsorted(upper, rng.random(shape), side="right")

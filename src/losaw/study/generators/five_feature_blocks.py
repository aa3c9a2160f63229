"""The data of the losawGD study (losaw, Section 5.3 and Appendix 9.13)."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample
from losaw.study.generators.correlation import five_feature_block
from losaw.study.generators.functions import FUNCTIONS, RegressionFunction
from losaw.study.generators.generator import DataGenerator, NotNegative, Rows, Share, data_of
from losaw.study.generators.joint_law.fit import fit_joint_law
from losaw.study.generators.joint_law.law import JointLawSpecification

BLOCK = 5
N_PILOT = 10_000
N_PAPER = 1000

Draw = Callable[[int, np.random.Generator], FloatArray]


class FiveFeatureBlocksGenerator(DataGenerator):
    """Independent blocks of five correlated discrete features, and a sparse regression function,

        Y = f(X) + eps,   eps ~ N(0, phi * Var f(X)).

    Every feature is -1, 0, 1 with probabilities 1/4, 1/2, 1/4. All blocks of a replicate have the
    joint law whose correlations come closest to sigma(alpha, beta), with alpha ~ U(.7, 1) and beta
    ~ U(0, .4) drawn anew in every replicate until sigma is positive definite. The variance of f(X)
    is estimated on 10,000 rows of the law that the noise is for.

    Notes
    -----
    The paper's text has beta < .3, its appendix (0, .4), which is used. The noise of the
    independent sample has phi times the variance of f on independent features; the details of the
    truth contain it (``independent_noise_variance``), so that the other reading, the training
    sample's noise, can be had from the same predictions (metric ``r2_ind_train_noise``).

    Details: ``alpha``, ``beta``, ``rejected`` (draws that were not positive definite),
    ``attainable`` (1 if some law has exactly these correlations), ``attained_alpha`` and
    ``attained_beta`` (means over the pairs with alpha, and with beta), ``correlation_distance``.
    """

    examples = ({"n_features": 25, "function": "f10", "n_samples": 400},)

    function: Literal["f8", "f9", "f10"]  # Table 4
    # P, a multiple of 25: blocks 0, 1/5 and 3/5 of the way contain the signal features, which are
    # the paper's columns 1, 3, 201, 204, 601, 602, 603 (counted from 0) for P = 1,000.
    n_features: Rows = N_PAPER
    # Rows N of the training sample; None: 50 P. The test sample has 10 P, that of independent
    # features, which has noise, too, 50 P.
    n_samples: Rows | None = None
    phi: NotNegative = 1.0  # noise variance relative to the variance of f(X)
    # Share of independent features that the maximum-entropy law of a block is mixed with
    # (:class:`JointLawSpecification`).
    independent_share: Share = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        P = self.n_features
        if P % 25:
            raise ValueError(
                f"n_features must be a multiple of 25, got {P}: blocks have five "
                "features, and signals are 0, 1/5 and 3/5 of the way through the blocks"
            )
        self.f = moved(FUNCTIONS[self.function], P)
        self.sizes = self.n_samples or 50 * P, 10 * P, 50 * P

    def sample(self, rng: np.random.Generator) -> Dataset:
        matrix, details = draw_block(rng)
        law = fit_joint_law(JointLawSpecification(matrix, independent_share=self.independent_share))
        attained = law.attained_correlation
        strong = np.zeros_like(attained, dtype=bool)
        strong[0, [1, 3]] = True
        details |= {
            "attainable": float(law.attainable),
            "attained_alpha": float(attained[strong].mean()),
            "attained_beta": float(attained[np.triu(~strong, 1)].mean()),
            "correlation_distance": float(np.sqrt(law.objective)),
        }
        P, (n_train, n_test, n_independent) = self.n_features, self.sizes
        train = _in_blocks(law.sample, n_train, P, rng)
        pilot = _in_blocks(law.sample, N_PILOT, P, rng)
        noise_variance = self.phi * float(self.f(pilot).var())
        train_y = self.f.draw(train, noise_variance, rng)
        test = _in_blocks(law.sample, n_test, P, rng)
        test_y = self.f.draw(test, noise_variance, rng)
        independent = _in_blocks(law.sample_independent, n_independent, P, rng)
        pilot = _in_blocks(law.sample_independent, N_PILOT, P, rng)
        independent_noise = self.phi * float(self.f(pilot).var())
        independent_y = self.f.draw(independent, independent_noise, rng)
        details["independent_noise_variance"] = independent_noise
        return data_of(
            Sample(train, train_y),
            Sample(test, test_y),
            self.f.signal,
            kinds="discrete",
            noise_variance=noise_variance,
            function=self.f,
            details=details,
            independent=Sample(independent, independent_y),
        )


def moved(function: RegressionFunction, n_features: int) -> RegressionFunction:
    """Return a function of Table 4, its columns moved to the same places among fewer blocks."""

    def place(column: int) -> int:
        block, within = divmod(column, BLOCK)
        return block * n_features // N_PAPER * BLOCK + within

    terms = tuple(tuple(place(column) for column in term) for term in function.terms)
    return RegressionFunction(terms, function.threshold)


def draw_block(rng: np.random.Generator) -> tuple[FloatArray, dict[str, float]]:
    """Draw a positive definite sigma(alpha, beta) by rejection; return it with its details."""
    rejected = 0
    while True:
        alpha, beta = float(rng.uniform(0.7, 1.0)), float(rng.uniform(0.0, 0.4))
        details = {"alpha": alpha, "beta": beta, "rejected": float(rejected)}
        try:
            return five_feature_block(alpha, beta), details
        except ValueError:
            rejected += 1


def _in_blocks(draw: Draw, n_samples: int, n_features: int, rng: np.random.Generator) -> FloatArray:
    """Draw five features at a time: all at once need three times the memory."""
    X = np.empty((n_samples, n_features))
    for start in range(0, n_features, BLOCK):
        X[:, start : start + BLOCK] = draw(n_samples, rng)
    return X

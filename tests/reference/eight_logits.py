"""Eight logits solved from Python, for tests; the solver is only ever merged into kernels."""

import numpy as np

from losaw.kernels.compiled import kernel
from losaw.kernels.logit.eight_newton import fit_eight
from losaw.kernels.logit.eight_terms import EightLogits, make_eight_logits
from losaw.kernels.logit.newton import PRECISION
from losaw.kernels.vectors import LANES


@kernel()
def fit(
    eight: EightLogits,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    precision: float,
) -> None:
    """A kernel that does nothing else."""
    fit_eight(eight, n_patterns, n_classes, width, penalty, precision)


def solve(logits, penalty=1.0, size=None):
    """Probabilities (lanes, classes, patterns) and coefficients (lanes, classes - 1, width)."""
    n_patterns, n_classes, width = size or (*logits[0][1].shape[::-1], logits[0][0].shape[1])
    eight = make_eight_logits(n_patterns, n_classes, width)
    eight.counts[:, 0] = 1.0
    for lane, (z, counts) in enumerate(logits):
        eight.design[: z.shape[0], : z.shape[1], lane] = z
        eight.counts[:, :, lane] = 0.0
        eight.counts[:, : counts.shape[1], lane] = counts
    fit(eight, n_patterns, n_classes, width, penalty, PRECISION)
    b = eight.coefficients.reshape(n_classes - 1, width, LANES)
    return np.moveaxis(eight.probability, -1, 0), np.moveaxis(b, -1, 0)

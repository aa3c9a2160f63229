"""SYN1: a linear response whose features are mixed with noise (Gerstorfer et al., Section 2.3)."""

from typing import Literal

import numpy as np

from losaw.data import Dataset, FloatArray, Sample, default_feature_names
from losaw.study.generators.generator import DataGenerator, Rows, Share, data_of

LARGEST_COEFFICIENT = 100.0
N_FEATURES, N_INFORMATIVE = 10, 3
BASE_SEED = 0
Target = Literal["kept", "shifted", "standardized", "mixed"]
# "shifted" adds so many standard deviations of the response.
SHIFT = 4.0


class NoisyLinearGenerator(DataGenerator):
    """A fixed base sample, and new noise mixed into its features in every draw,

        y = X b,   D_w = (1 - w) X + w N.

    X is standard normal, b uniform on (0, 100) for the first three of ten features (as
    scikit-learn's ``make_regression`` draws them) and 0 for the others; X and N are standardised.
    The base sample is the same in every draw; a draw is a noise set, of which the paper has 250.

    Notes
    -----
    The test sample has other rows and the same b, which is in ``truth.details``.
    """

    examples = (
        {"noise_share": 0.3, "n_samples": 200},
        {"noise_share": 0.3, "n_samples": 200, "target": "mixed"},
    )

    noise_share: Share  # w
    n_samples: Rows = 1000
    target: Target = "kept"  # see :func:`mix`

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a noise set."""
        base = np.random.default_rng(BASE_SEED)
        coefficients = np.zeros(N_FEATURES)
        coefficients[:N_INFORMATIVE] = base.uniform(0, LARGEST_COEFFICIENT, N_INFORMATIVE)
        names = default_feature_names(N_FEATURES)
        details = dict(zip(names, coefficients.tolist(), strict=True))

        def sample() -> Sample:
            X = base.standard_normal((self.n_samples, N_FEATURES))
            return Sample(*mix(X, X @ coefficients, self.noise_share, self.target, rng))

        signal = range(N_INFORMATIVE)
        return data_of(sample(), sample(), signal, kinds="continuous", details=details)


def standardize(columns: FloatArray) -> FloatArray:
    """Scale to mean 0 and variance 1 along the rows; a constant column becomes 0."""
    centred = columns - columns.mean(axis=0)
    scale = centred.std(axis=0)
    return np.divide(centred, scale, out=np.zeros_like(centred), where=scale > 0)


def mix(
    X: FloatArray, y: FloatArray, share: float, target: Target, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Mix features, or the response as well, with noise: ``(1 - share) B + share N``.

    B are the standardised features, N standard normal noise, standardised in the same way. The
    paper does not state the treatment of the response: "kept" leaves it unchanged, "shifted" adds
    four of its standard deviations, so that it is far from 0, "standardized" standardises it,
    "mixed" also mixes it with noise as the features are.
    """
    noise = standardize(rng.standard_normal(X.shape))
    mixed = (1 - share) * standardize(X) + share * noise
    if target == "kept":
        return mixed, y
    if target == "shifted":
        return mixed, y + SHIFT * y.std()
    response = standardize(y)
    if target == "mixed":
        response = (1 - share) * response + share * standardize(rng.standard_normal(len(y)))
    return mixed, response

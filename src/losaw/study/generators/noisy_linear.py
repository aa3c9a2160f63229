"""SYN1: a linear response whose features are mixed with noise (Gerstorfer et al., Section 2.3)."""

import numpy as np

from losaw.data import Dataset, FeatureKind, Sample, Truth, default_feature_names
from losaw.study.generators.noise_mixing import TARGETS, mix
from losaw.support.arguments import one_of, real_number, whole_number

KIND: FeatureKind = "continuous"
LARGEST_COEFFICIENT = 100.0


class NoisyLinearGenerator:
    """A fixed base sample, and new noise mixed into its features in every draw,

        y = X b,   D_w = (1 - w) X + w N.

    X is standard normal, b uniform on (0, 100) for the first ``n_informative`` features (as
    scikit-learn's ``make_regression`` draws them) and 0 for the others; X and N are standardised.
    The base sample is the same in every draw; a draw is a noise set, of which the paper has 250.

    Parameters
    ----------
    noise_share : float in [0, 1]
        w.
    n_samples : int, default 1000
    n_features : int, default 10
    n_informative : int, default 3
    target : {"kept", "shifted", "standardized", "mixed"}, default "kept"
        See :func:`losaw.study.generators.noise_mixing.mix`.
    base_seed : int, default 0
        Draws the base sample, its test rows and b.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The test sample has other rows and the same b, which is in ``truth.details``.
    """

    examples = (
        {"noise_share": 0.3, "n_samples": 200},
        {"noise_share": 0.3, "n_samples": 200, "target": "mixed"},
    )

    def __init__(
        self,
        *,
        noise_share: float,
        n_samples: int = 1000,
        n_features: int = 10,
        n_informative: int = 3,
        target: str = "kept",
        base_seed: int = 0,
    ) -> None:
        self.noise_share = real_number("noise_share", noise_share, 0, 1)
        self.n_samples = whole_number("n_samples", n_samples, 3)
        self.n_features = whole_number("n_features", n_features, 1)
        self.n_informative = whole_number("n_informative", n_informative, 1)
        if self.n_informative > self.n_features:
            raise ValueError(
                f"n_informative must be at most n_features = {n_features}, got {n_informative}"
            )
        self.target = one_of("target", target, TARGETS)
        self.base_seed = whole_number("base_seed", base_seed, 0)

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a noise set."""
        base = np.random.default_rng(self.base_seed)
        coefficients = np.zeros(self.n_features)
        coefficients[: self.n_informative] = base.uniform(
            0, LARGEST_COEFFICIENT, self.n_informative
        )
        names = default_feature_names(self.n_features)
        samples = []
        for _ in ("train", "test"):
            X = base.standard_normal((self.n_samples, self.n_features))
            samples.append(Sample(*mix(X, X @ coefficients, self.noise_share, self.target, rng)))
        return Dataset(
            train=samples[0],
            test=samples[1],
            truth=Truth(
                signal=tuple(range(self.n_informative)),
                n_features=self.n_features,
                details=dict(zip(names, coefficients.tolist(), strict=True)),
            ),
            feature_names=names,
            feature_kinds=(KIND,) * self.n_features,
        )

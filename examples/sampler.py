"""A knockoff sampler: `losaw check sampler.py`; in a study
`importances: {CPI: {importance: cpi-conditional, sampler: shuffled}}`."""

import numpy as np

from losaw.study.registry import register


@register("knockoff", "shuffled")
class Shuffled:
    """Every column shuffled: right only where the features are independent.

    Then (X, X~) has the same distribution when any columns of X and X~ are exchanged.
    """

    # True: nominal columns arrive as level codes; False: as the model's own columns.
    handles_nominal = True

    def fit(self, X, kinds=None, rng=None):
        """Keep the rows X (n_samples, n_features); ``rng`` is for learning that is random."""
        self.X_ = np.array(X, dtype=float)
        return self

    def sample(self, rng):
        """One draw (n_samples, n_features); ``rng`` is the only source of randomness."""
        return rng.permuted(self.X_, axis=0)

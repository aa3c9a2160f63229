"""The compiled logit finds the optimum where adjustment features nearly determine the target."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from losaw.study.generators.losaw import LosawGenerator
from losaw.weighting import MultinomialLogit


def nearly_determined(seed: int, resample: int) -> tuple[np.ndarray, np.ndarray]:
    """X3 and its adjustment features in a bootstrapped node, X1 <= 0: they nearly determine it."""
    generator = LosawGenerator(
        data_type="discrete", n_samples=5000, n_features=10, phi=0.1, function="f2"
    )
    X = generator.sample(np.random.default_rng(seed)).train.X
    X = X[np.random.default_rng([seed, resample]).integers(0, 5000, 5000)]
    X = X[X[:, 0] <= 0]
    return X[:, 2], X[:, [0, 1, 3, 4, 5]]


# Full Newton steps diverge in these.
CASES = [(11, 5), (12, 0), (27, 4)]


@pytest.mark.parametrize(("seed", "resample"), CASES)
def test_nearly_separated_classes_give_scikit_learns_probabilities(seed, resample):
    target, adjustment = nearly_determined(seed, resample)
    ours = MultinomialLogit().fit(target, adjustment).probabilities(adjustment)
    design = OneHotEncoder().fit_transform(adjustment).toarray()
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=20_000).fit(design, target)
    assert np.allclose(ours, theirs.predict_proba(design), atol=1e-3)

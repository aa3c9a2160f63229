"""Compile every kernel once, so that the first fit finds them in numba's cache."""

import numpy as np


def warm_up() -> None:
    """Fit, predict and apply small forests that together call every kernel.

    numba stores what it compiles beside the source, or in its user cache folder
    (``NUMBA_CACHE_DIR``) where that is read-only.
    """
    from losaw.forest.classifier import LosawRandomForestClassifier
    from losaw.forest.regressor import LosawRandomForestRegressor

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    X[:, 1] += X[:, 0]
    X[:, 2:] = np.clip(np.round(X[:, 2:] + X[:, :2]), -1, 1)
    forest = LosawRandomForestRegressor(n_estimators=2, random_state=0).fit(X, X.sum(axis=1))
    forest.predict(X)
    forest.apply(X)
    forest.in_bag_counts()
    LosawRandomForestClassifier(n_estimators=2, random_state=0).fit(X, np.arange(60) % 3).predict(X)

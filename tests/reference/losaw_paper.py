"""losawRF as the paper states it: plain, slow, row by row; what the compiled forest must equal.

Rows drawn twice by the bootstrap stand twice. Nothing is shared with the package.
"""

from dataclasses import dataclass, field

import numpy as np
from sklearn.linear_model import LogisticRegression


def relative_effective_sample_size(w):
    """Definition 3.1."""
    return w.sum() ** 2 / (w**2).sum() / len(w)


def redistribute(w, theta):
    """Algorithm 9.7: cut at theta, share the excess out, until nothing exceeds theta."""
    w = w.copy()
    while w.max() > theta * (1 + 1e-15):
        above = w >= theta
        if above.all():
            return np.full_like(w, 1 / len(w))
        excess = (w[above] - theta).sum()
        w[above] = theta
        w[~above] += excess / (~above).sum()
    return w


def cap_by_bisection(w, eta, steps=200):
    """Algorithms 3.2 and 9.9, with w_theta evaluated before it is compared."""
    w = w / w.sum()
    if relative_effective_sample_size(w) >= eta:
        return w
    low, high = 1 / len(w), 1.0
    for _ in range(steps):
        theta = (low + high) / 2
        capped = redistribute(w, theta)
        if relative_effective_sample_size(capped) >= eta:
            low = theta
        else:
            high = theta
        if high - low < 1e-15 * high:
            break
    return redistribute(w, low)


def impurity_decrease(w, y, left):
    """Definition 4.1, term by term: (Delta_w, Delta_w^rel); classes as columns of indicators."""

    def mse(v, r):
        v = v / v.sum()
        return sum((v * c**2).sum() - (v * c).sum() ** 2 for c in r.reshape(len(r), -1).T)

    w = w / w.sum()
    if not 0 < left.sum() < len(w):
        return 0.0, 0.0
    parent = mse(w, y)
    delta = (
        parent - w[left].sum() * mse(w[left], y[left]) - w[~left].sum() * mse(w[~left], y[~left])
    )
    return delta, delta / parent


@dataclass
class PaperNode:
    """The rows of one node, duplicates written out, and the splits the paper allows there."""

    X: np.ndarray
    y: np.ndarray  # (n,), or class indicators (n, n_classes)
    training: np.ndarray  # X of the full training sample, without bootstrap
    adjustment: np.ndarray  # mask [target, feature]
    discrete: np.ndarray
    eta: float
    min_samples_leaf: int
    _weights: dict = field(default_factory=dict)

    def child(self, rows):
        return PaperNode(
            self.X[rows],
            self.y[rows],
            self.training,
            self.adjustment,
            self.discrete,
            self.eta,
            self.min_samples_leaf,
        )

    def impurity(self):
        """Unweighted MSE_k, or the Gini impurity."""
        return self.y.reshape(len(self.y), -1).var(axis=0).sum()

    def weights(self, p):
        """Capped weights of target p."""
        if p not in self._weights:
            raw = self.raw_weights(p)
            self._weights[p] = cap_by_bisection(raw, self.eta)
        return self._weights[p]

    def raw_weights(self, p):
        chosen = np.flatnonzero(self.adjustment[p])
        x = self.X[:, p]
        if len(chosen) == 0 or self.eta == 1:
            return np.ones(len(x)) / len(x)
        columns = [np.ones((len(x), 1))]
        for q in chosen:
            if self.discrete[q]:
                levels = np.unique(self.training[:, q])
                columns.append((self.X[:, [q]] == levels).astype(float))
            else:
                full = self.training[:, q]
                columns.append((self.X[:, [q]] - full.mean()) / full.std())
        a = np.hstack(columns)
        full = self.training[:, p]
        if self.discrete[p]:
            frequency = {k: (full == k).mean() for k in np.unique(full)}
            classes = np.unique(x)
            logit = LogisticRegression(C=1.0, tol=1e-12, max_iter=20000).fit(a[:, 1:], x)
            propensity = logit.predict_proba(a[:, 1:])[
                np.arange(len(x)), np.searchsorted(classes, x)
            ]
            return np.array([frequency[k] for k in x]) / propensity
        coefficients = np.linalg.lstsq(a, x, rcond=1e-11)[0]
        residual = x - a @ coefficients
        variance = (residual**2).mean()
        if variance <= 1e-8 * x.var():
            return np.ones(len(x)) / len(x)
        exponent = residual**2 / (2 * variance) - (x - full.mean()) ** 2 / (2 * full.var())
        return np.exp(exponent - exponent.max())

    def decrease(self, p, threshold):
        """Delta_w^rel of one split, or 0 where a child would be too small."""
        left = self.X[:, p] <= threshold
        if min(left.sum(), (~left).sum()) < self.min_samples_leaf:
            return 0.0
        return impurity_decrease(self.weights(p), self.y, left)[1]

    def best_decrease(self):
        """Largest Delta_w^rel over all features and data values (Definition 4.2)."""
        best = 0.0
        for p in range(self.X.shape[1]):
            values = np.unique(self.X[:, p])
            if len(values) > 1:
                best = max(best, *(self.decrease(p, t) for t in values[:-1]))
        return best

"""The penalised multinomial logit by scipy's trust region: slow, and no exponential is ever cut."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax


def solve(z, counts, penalty=1.0):
    """Probabilities (patterns, classes) at the optimum for counts of the same shape."""
    n_classes, width = counts.shape[1], z.shape[1]
    size = counts.sum(axis=1)
    share = 1.0 / n_classes if n_classes > 2 else 0.0

    def split(b):
        full = np.vstack([np.zeros(width), b.reshape(n_classes - 1, width)])
        return full, z @ full.T

    def value(b):
        full, score = split(b)
        slopes = full[:, 1:]
        loss = -(counts * log_softmax(score, axis=1)).sum()
        gradient = (size[:, None] * softmax(score, axis=1) - counts).T @ z
        gradient[:, 1:] += penalty * (slopes - share * slopes.sum(axis=0))
        loss += 0.5 * penalty * ((slopes**2).sum() - share * (slopes.sum(axis=0) ** 2).sum())
        return loss, gradient[1:].ravel()

    def hessian(b):
        p = softmax(split(b)[1], axis=1)[:, 1:]
        out = np.empty((n_classes - 1, width, n_classes - 1, width))
        ridge = penalty * np.diag((np.arange(width) > 0).astype(float))
        for k in range(n_classes - 1):
            for other in range(n_classes - 1):
                same = float(k == other)
                weight = size * p[:, k] * (same - p[:, other])
                out[k, :, other] = (z * weight[:, None]).T @ z + (same - share) * ridge
        return out.reshape(len(b), len(b))

    total = counts.sum(axis=0)
    start = np.zeros((n_classes - 1, width))
    start[:, 0] = np.log(total[1:] / total[0])
    found = minimize(
        value,
        start.ravel(),
        jac=True,
        hess=hessian,
        method="trust-exact",
        options={"gtol": 1e-7, "maxiter": 1000},
    )
    # Where the objective no longer changes scipy stops; Newton's steps lower the gradient further.
    b = found.x
    for _ in range(3):
        moved = b - np.linalg.lstsq(hessian(b), value(b)[1], rcond=None)[0]
        if np.linalg.norm(value(moved)[1]) < np.linalg.norm(value(b)[1]):
            b = moved
    return softmax(split(b)[1], axis=1)


class ReferenceLogit:
    """A propensity model of continuous adjustment features, as they are, from that solver."""

    def fit(self, target, adjustment, counts=None):
        """Fit on the rows."""
        self.levels, code = np.unique(target, return_inverse=True)
        cells = np.eye(len(self.levels))[code] * np.asarray(counts)[:, None]
        z = np.column_stack([np.ones(len(adjustment)), adjustment])
        self.probabilities = solve(z, cells)
        return self

    def density(self, target, adjustment):
        """Probability of the level that each row of the fit has."""
        return self.probabilities[np.arange(len(target)), np.searchsorted(self.levels, target)]

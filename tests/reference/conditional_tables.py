"""Tables with a feature without effect that follows a cause: for the level of conditional tests."""

import numpy as np

from losaw.forest import PlainRandomForestRegressor

NULL = "X3"  # the feature without effect


def autoregressive(rng, n, p=8, rho=0.9):
    Z = rng.standard_normal((n, p))
    for j in range(1, p):
        Z[:, j] = rho * Z[:, j - 1] + np.sqrt(1 - rho**2) * Z[:, j]
    return Z[:, [1, 4, 2, 0, 3, 5, 6, 7]]  # the third lies between the causes


def levels(u, rng):
    places = np.digitize(u, np.quantile(u, np.linspace(0, 1, 31)[1:-1]))
    return rng.permutation(30)[places].astype(float)


TRANSFORMED = {
    "log-normal": lambda u, rng: np.exp(2 * u),
    "50 % zeros": lambda u, rng: np.where(u > 0.0, np.round(1000 * np.exp(u)), 0.0),
    "75 % zeros": lambda u, rng: np.where(u > 0.75, np.round(1000 * np.exp(u)), 0.0),
    "91 % zeros": lambda u, rng: np.where(u > 1.5, np.round(1000 * np.exp(u)), 0.0),
    "counts": lambda u, rng: rng.poisson(np.exp(0.8 * u)).astype(float),
    "rounded": lambda u, rng: np.round(u),
    "30 levels": levels,
}
SQUARE = "noisy square"  # by which a linear model predicts, as it cannot by the cause
NAMES = ("normal AR(.9)", "t(3)", *TRANSFORMED, "near copies", "mixed")


def table(name, n, rng):
    """X, kinds and y; the third column has no effect given the first, the cause."""
    kinds = ["continuous"] * 4
    if name in ("normal AR(.9)", "t(3)"):
        X = autoregressive(rng, n)
        if name == "t(3)":
            X *= np.sqrt(3 / rng.chisquare(3, size=(n, 1)))
        return X, ["continuous"] * 8, X[:, 0] + X[:, 1] + rng.standard_normal(n)
    if name == SQUARE:
        x, *noises = rng.standard_normal((4, n))
        X = np.column_stack([x, np.abs(x) + 0.3 * noises[0], x**2 + 0.3 * noises[1]])
        return X, kinds[:3], x**2 + noises[2]
    noise = 0.05 if name == "near copies" else 0.5
    X = rng.standard_normal((n, 4))
    u = X[:, 0] + noise * rng.standard_normal(n)
    X[:, 2] = TRANSFORMED[name](u, rng) if name in TRANSFORMED else u
    if name == "30 levels":
        kinds[2] = "nominal"
    if name == "mixed":
        X[:, 2] = TRANSFORMED["75 % zeros"](u, rng)
        X[:, 1] = np.round(38 + 13 * X[:, 1])
        X[:, 3] = rng.permutation(9)[np.digitize(u + X[:, 3], np.linspace(-2, 2, 8))]
        kinds[1], kinds[3] = "discrete", "nominal"
    cause = X[:, 1] if name != "mixed" else (X[:, 1] - 38) / 13
    return X, kinds, X[:, 0] + cause + rng.standard_normal(n)


def fitted(X, y, seed):
    """Return a forest of 60 trees; half of the columns compete at a split.

    Their number is given, so that a forest without one feature draws as many (LOCO).
    """
    drawn = X.shape[1] // 2
    return PlainRandomForestRegressor(
        60, min_samples_leaf=3, max_features=drawn, random_state=seed
    ).fit(X, y)

"""Tables whose importances are algebra."""

import numpy as np
import pandas as pd


def copies(n=500, correlation=0.99, seed=0):
    """y = X1 + X2 + X3 + e, X2 nearly a copy of X1, X3 apart, X4 noise; var(e) = .01."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=["X1", "X2", "X3", "X4"])
    X["X2"] = correlation * X["X1"] + np.sqrt(1 - correlation**2) * X["X2"]
    X["y"] = X["X1"] + X["X2"] + X["X3"] + 0.1 * rng.standard_normal(n)
    return X


def shadowed(n=500, correlation=0.9, seed=0):
    """y = X1 + e; X2 does nothing but correlates with X1."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((n, 3)), columns=["X1", "X2", "X3"])
    X["X2"] = correlation * X["X1"] + np.sqrt(1 - correlation**2) * X["X2"]
    X["y"] = X["X1"] + 0.5 * rng.standard_normal(n)
    return X


def squared(n=600, seed=0):
    """y = X2 + e, X2 = X1^2 + a little: no straight line leads from X1 to X2."""
    rng = np.random.default_rng(seed)
    first = rng.standard_normal(n)
    second = first**2 + 0.05 * rng.standard_normal(n)
    y = second + 0.3 * rng.standard_normal(n)
    return pd.DataFrame({"X1": first, "X2": second, "X3": rng.standard_normal(n), "y": y})


def many_values(n=1200, seed=0):
    """y depends on a coin alone; four features of many values are noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((n, 4)), columns=["N1", "N2", "N3", "N4"])
    X["coin"] = rng.integers(0, 2, n).astype(float)
    X["y"] = 0.8 * X["coin"] + rng.standard_normal(n)
    return X


def mixed(n=240, seed=0):
    """Numbers, text, missing values; a target of two classes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    town = rng.choice(["Linz", "Graz", "Wien"], n)
    wage = rng.lognormal(3, 0.5, n)
    chance = 1 / (1 + np.exp(-(age - 50) / 8 - 2.0 * (town == "Graz")))
    frame = pd.DataFrame({"age": age, "town": town, "wage": wage})
    frame.loc[rng.random(n) < 0.1, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "town"] = None
    frame["bought"] = np.where(rng.random(n) < chance, "yes", "no")
    return frame

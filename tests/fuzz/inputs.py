"""Unusual input: recipes that hypothesis draws, and the arrays that they describe."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse
from hypothesis import strategies as st

COLUMNS = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.random(n),
    "binary": lambda rng, n: rng.integers(0, 2, n),
    "levels": lambda rng, n: rng.integers(0, 4, n),
    "many levels": lambda rng, n: rng.integers(0, 60, n),
    "constant": lambda rng, n: np.full(n, 3.0),
    "zeros": lambda rng, n: np.zeros(n),
    "rare": lambda rng, n: np.arange(n) == 0,
    "index": lambda rng, n: np.arange(n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "huge": lambda rng, n: 1e149 * rng.standard_normal(n),
    "too large": lambda rng, n: 1e200 * rng.standard_normal(n),
    "tiny": lambda rng, n: 1e-200 * rng.standard_normal(n),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 9, n),
    "far away": lambda rng, n: 1e17 + rng.standard_normal(n),
    "with nan": lambda rng, n: np.where(np.arange(n) == n // 2, np.nan, rng.standard_normal(n)),
    "with inf": lambda rng, n: np.where(np.arange(n) == n // 2, np.inf, rng.standard_normal(n)),
    "negative zero": lambda rng, n: np.where(rng.random(n) < 0.5, -0.0, 0.0),
}
RELATIONS = ("none", "none", "none", "duplicate", "collinear", "negated", "nearly equal")
USUAL = ("normal", "normal", "uniform", "binary", "levels")

CONTAINERS = {
    "array": lambda X: X,
    "Fortran order": np.asfortranarray,
    "slice": lambda X: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X: X[::-1][::-1],
    "read-only": lambda X: np.broadcast_to(X, X.shape),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "big-endian": lambda X: X.astype(">f8"),
    "int64": lambda X: np.nan_to_num(X, posinf=9, neginf=-9).clip(-1e15, 1e15).astype(np.int64),
    "bool": lambda X: X > 0,
    "object": lambda X: X.astype(object),
    "complex": lambda X: X.astype(complex),
    "text": lambda X: X.astype(str),
    "words": lambda X: np.where(X > 0, "yes", "no"),
    "dates": lambda X: np.full(X.shape, np.datetime64("2020-01-01")),
    "list": lambda X: X.tolist(),
    "masked": lambda X: np.ma.masked_greater(X, 1.0),
    "one dimension": lambda X: X.ravel(),
    "three dimensions": lambda X: X[:, :, None],
    "frame": lambda X: pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])]),
    "numbered frame": lambda X: pd.DataFrame(X, columns=list(range(X.shape[1]))),
    "frame with equal names": lambda X: pd.DataFrame(X, columns=["a"] * X.shape[1]),
    "frame with an index": lambda X: pd.DataFrame(X, index=np.arange(len(X)) + 7),
    "frame of categories": lambda X: pd.DataFrame(np.where(X > 0, "yes", "no")).astype("category"),
    "sparse": scipy.sparse.csr_matrix,
    "huge integers": lambda X: [[10**400] * X.shape[1]] * len(X),
    "ragged": lambda X: [[0.0] * (1 + row % 2) for row in range(len(X))],
    "None": lambda X: None,
    "a number": lambda X: 3.0,
}

RESPONSES = {
    "signal": lambda rng, x: x + 0.3 * rng.standard_normal(len(x)),
    "noise": lambda rng, x: rng.standard_normal(len(x)),
    "0 and 1": lambda rng, x: (x > 0).astype(float),
    "1 and 2": lambda rng, x: (x > 0) + 1,
    "-1 and 1": lambda rng, x: np.where(x > 0, 1, -1),
    "three classes": lambda rng, x: np.digitize(x, [-0.5, 0.5]),
    "rare class": lambda rng, x: (np.arange(len(x)) == 0).astype(int),
    "bool": lambda rng, x: x > 0,
    "words": lambda rng, x: np.where(x > 0, "yes", "no"),
    "constant": lambda rng, x: np.ones(len(x)),
    "far away": lambda rng, x: 1e17 + x,
    "huge": lambda rng, x: 1e149 * x,
    "too large": lambda rng, x: 1e160 * (x + 1),
    "tiny": lambda rng, x: 1e-200 * x,
    "with nan": lambda rng, x: np.where(np.arange(len(x)) == len(x) // 2, np.nan, x),
    "with inf": lambda rng, x: np.where(np.arange(len(x)) == len(x) // 2, -np.inf, x),
    "integers": lambda rng, x: rng.integers(-3, 9, len(x)),
    "object": lambda rng, x: x.astype(object),
    "float16": lambda rng, x: x.astype(np.float16),
    "big-endian": lambda rng, x: x.astype(">f8"),
    "complex": lambda rng, x: x.astype(complex),
    "dates": lambda rng, x: np.full(len(x), np.datetime64("2020-01-01")),
    "two columns": lambda rng, x: np.column_stack([x, x]),
    "one column": lambda rng, x: x[:, None],
    "too short": lambda rng, x: x[:-1],
    "list": lambda rng, x: x.tolist(),
    "series": lambda rng, x: pd.Series(x, index=np.arange(len(x)) + 3),
    "None": lambda rng, x: None,
}

# Values for any parameter, in addition to the ones that a target names.
STRANGE = (None, True, -1, 0, 1, 2.5, float("nan"), float("inf"), "auto", "nonsense", (), [1, 2])


class Recipe(NamedTuple):
    """A table and a response in words; small, printable, the same arrays in any process."""

    n_rows: int
    columns: tuple[tuple[str, str], ...]
    container: str
    response: str
    seed: int


def usually(usual: Any, rarely: Any) -> Any:
    return st.integers(0, 3).flatmap(lambda draw: rarely if draw == 3 else usual)


def recipes() -> Any:
    """Recipes of tables; most are well-behaved in most respects, so that most get somewhere."""
    column = st.tuples(
        usually(st.sampled_from(USUAL), st.sampled_from(sorted(COLUMNS))),
        st.sampled_from(RELATIONS),
    )
    return st.builds(
        Recipe,
        n_rows=usually(st.sampled_from((40, 80)), st.sampled_from((0, 1, 2, 3, 5, 6, 11))),
        columns=usually(st.lists(column, min_size=2, max_size=6), st.lists(column, max_size=1)).map(
            tuple
        ),
        container=usually(st.just("array"), st.sampled_from(sorted(CONTAINERS))),
        response=usually(
            st.sampled_from(("signal", "noise", "0 and 1")), st.sampled_from(sorted(RESPONSES))
        ),
        seed=st.integers(0, 99),
    )


def table(recipe: Recipe) -> np.ndarray:
    """The recipe's numbers, before they are put into a container."""
    rng = np.random.default_rng(recipe.seed)
    columns: list[np.ndarray] = []
    for kind, relation in recipe.columns:
        column = np.asarray(COLUMNS[kind](rng, recipe.n_rows), dtype=float)
        if columns and relation != "none":
            before = columns[-1]
            column = {
                "duplicate": before,
                "collinear": columns[0] + before,
                "negated": -before,
                "nearly equal": before * (1 + 1e-12),
            }[relation]
        columns.append(column)
    return np.column_stack(columns) if columns else np.empty((recipe.n_rows, 0))


def inputs(recipe: Any) -> tuple[Any, Any]:
    """X in its container and y; of a table with its target, both."""
    if not isinstance(recipe, Recipe):
        return recipe.inputs()
    with np.errstate(all="ignore"):
        X = table(recipe)
        rng = np.random.default_rng(recipe.seed + 1)
        signal = rng.standard_normal(recipe.n_rows)
        if X.shape[1] and np.isfinite(X[:, 0]).all() and np.ptp(X[:, 0], axis=0) > 0:
            scaled = X[:, 0] / np.abs(X[:, 0]).max()
            signal = (scaled - scaled.mean()) / (scaled.std() or 1.0)
        return CONTAINERS[recipe.container](X), RESPONSES[recipe.response](rng, signal)

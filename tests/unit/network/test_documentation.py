"""The examples of docs/network.md do what they say."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[3] / "docs" / "network.md"


def example(word):
    """The page's first Python example that holds ``word``."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if word in block)


def sample():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 2, (600, 8)).astype(np.float32)
    X[:, 1] = np.where(rng.random(600) < 0.7, X[:, 0], X[:, 1])
    return X, (X[:, 0] + X[:, 5]).astype(np.float32)


def test_the_loop_of_the_page_draws_mini_batches():
    X, y = sample()
    seen = []
    names = {
        "X": X,
        "y": y,
        "importances": np.ones(8),
        "train_on": lambda rows, response: seen.append(rows.shape),
    }
    exec(example("batches.draw(importances)"), names)
    assert seen == [(254, 8)] * 400

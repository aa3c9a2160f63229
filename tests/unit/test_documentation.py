"""The Python examples of the documentation run."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/conditional_importance.md",
    "docs/residual_importance.md",
    "docs/tree_importances.md",
)


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_one_after_the_other(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4))
    names = {"X": X, "y": X[:, 0] + rng.standard_normal(200)}
    for example in examples:
        exec(compile(example, page, "exec"), names)

"""The Python examples of the documentation run."""

import re
from pathlib import Path

import numpy as np
import pytest

from losaw.datasets import is_there

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/conditional_importance.md",
    "docs/residual_importance.md",
    "docs/tree_importances.md",
)


@pytest.mark.long
@pytest.mark.skipif(not is_there("adult"), reason="set LOSAW_DATA to the folder of the real data")
def test_the_examples_on_real_data_run():
    test_the_examples_of_a_page_run_one_after_the_other("docs/start.md")


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

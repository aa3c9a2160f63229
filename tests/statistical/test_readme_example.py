"""README's own example finds features without effect no more often than it says."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

README = Path(__file__).parents[2] / "README.md"
N_TABLES, N_FEATURES, LEVEL = 12, 4, 0.05


@pytest.mark.long
def test_the_example_of_the_readme_keeps_its_level_on_nulls():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    example = "\n".join(blocks).replace("cpi(forest", "result = cpi(forest")
    rejected = 0
    for seed in range(N_TABLES):
        rng = np.random.default_rng(seed)
        names = {"X": rng.standard_normal((200, N_FEATURES)), "y": rng.standard_normal(200)}
        exec(example, names)
        rejected += int((names["result"].p_values <= LEVEL).sum())
    assert rejected <= binom.ppf(0.999, N_TABLES * N_FEATURES, LEVEL)

"""What chance makes is counted, and a deviation is chance only if fresh runs do not show it."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from losaw.study.results.chance import CELL, FRESH, beyond_errors, with_fresh


def test_beyond_two_errors_are_counted_beside_chance_and_named_where_they_are_more():
    z = norm.ppf((np.arange(1000) + 0.5) / 1000)  # as if all were equal
    own = [("fine", z, ""), ("off", 2 * z[:500], ""), ("few", z[:9], ""), ("off", z + 9, "open")]
    cells = pd.concat(
        pd.DataFrame({"family": name, "z": size, "explained": known, "verdict": "agrees"})
        for name, size, known in own
    )
    table, said = beyond_errors(cells)
    rows = table.set_index("metric")
    assert rows["cells"].to_dict() == {"fine": 1000, "off": 500, "other metrics": 9, "all": 1509}
    assert rows.loc["fine", ["beyond 2", "beyond 2 by chance"]].tolist() == [46, 45.5]
    assert rows.loc["off", ["beyond 3", "beyond 3 by chance"]].tolist() == [67, 1.3]
    assert said.endswith("by chance of: off, other metrics.")


@pytest.mark.parametrize(
    ("changes", "explained"),
    [
        ({}, "chance"),
        ({"fresh_z": -2.1}, ""),
        ({"all_z": 2.1}, ""),
        ({"fresh_runs": 9}, ""),  # fewer than are kept
        ({"reproduced": 0.5}, None),  # of runs that are kept no more
        ({"method": "RF"}, None),
    ],
)
def test_chance_is_what_as_many_fresh_runs_and_all_together_do_not_show(changes, explained):
    row = dict(zip(CELL, ("made", "s", "auc", "losawRF", 0.7, 0.6), strict=True))
    cells = pd.DataFrame([{**row, "n_seeds": 10, "explained": "", "noted": "why"}])
    numbers = {"z": 2.5, "fresh_runs": 10, "fresh_mean": 0.69, "fresh_z": 0.4, "all_z": 1.6}
    fresh = pd.DataFrame([{**row, **numbers, "commit": "abc", **changes}], columns=[*FRESH])
    (cell,) = with_fresh(cells, fresh).to_dict("records")
    assert cell["explained"] == (explained or "")
    assert ("fresh runs" in cell["noted"]) == (explained is not None)

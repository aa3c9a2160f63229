"""Values that are no numbers are refused by name."""

import numpy as np
import pytest

from losaw.support.arguments import as_floats, unmasked


@pytest.mark.parametrize(
    "values",
    [[1 + 1j], ["a"], [10**400], np.array(["2020-01-01"], dtype="M8[D]"), [[1.0], [1.0, 2.0]]],
    ids=["complex", "text", "integer", "date", "ragged"],
)
def test_what_is_no_number_is_refused_by_name(values):
    with pytest.raises(ValueError, match="column_of_mine holds"):
        as_floats("column_of_mine", values)


def test_masked_text_is_missing():
    words = np.ma.array(["a", "b", "c"], mask=[False, True, False])
    assert unmasked(words).tolist() == ["a", None, "c"]

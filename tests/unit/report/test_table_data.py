"""The data of a table inside the page, as its script reads them."""

import json

from losaw.report.layout import arrange
from losaw.report.page.table_data import embedded, table_layout


def test_rows_columns_and_axes_of_a_table(study, comparison):
    found = table_layout(arrange(study, "table_1", comparison))
    assert (found["rowAxes"], found["columnAxes"]) == (
        ["function", "metric"],
        ["n_samples", "method"],
    )
    assert found["rowKeys"] == [[0, 0], [0, 1]]
    assert found["columnKeys"] == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert found["axes"]["n_samples"] == {
        "label": "N",
        "values": [["100.0", "100"], ["1000.0", "1000"]],
        "numeric": True,
    }
    assert found["axes"]["metric"]["values"][0] == ["r2_test", "R²<sub>test</sub>"]


def test_embedded_data_cannot_end_its_script():
    text = embedded({"a": "</script><!-- & ü"})
    assert "<" not in text and "&" not in text
    assert json.loads(text) == {"a": "</script><!-- & ü"}

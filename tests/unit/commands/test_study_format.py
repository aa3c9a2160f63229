"""The format of study files is written down, and editors can check it."""

import json

from losaw.cli import main


def test_editors_get_a_json_schema(capsys):
    assert main(["list", "--schema", "study"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert {"study", "title", "generator", "learners", "metrics", "seeds"} == set(
        schema["required"]
    )
    assert schema["additionalProperties"] is False


def test_names_and_drawings_are_listed(capsys):
    assert main(["list"]) == 0
    names = capsys.readouterr().out
    assert "importances\n" in names and "weighted-split" in names
    assert main(["list", "--drawings"]) == 0
    drawings = capsys.readouterr().out
    assert "importances\n" not in drawings and "metric-lines: " in drawings
    assert "  metric (needed)" in drawings

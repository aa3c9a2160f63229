"""The format of study files is written down, and editors can check it.

Of commands.running, study.design.schema.
"""

import importlib.util
import json
from pathlib import Path

from losaw.cli import main

DOCS = Path(__file__).parents[3] / "docs"
_spec = importlib.util.spec_from_file_location("study_files", DOCS / "study_files.py")
study_files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(study_files)


def test_the_page_on_study_files_says_what_the_models_say():
    said = study_files.PAGE.read_text(encoding="utf-8").splitlines()
    assert said == list(study_files.page()), "run `make map`"


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

"""The format of study files is written down, and editors can check it.

Of commands.formats, study.design.schema.
"""

import json
from pathlib import Path

from losaw.cli import main
from losaw.commands.formats import page

PAGE = Path(__file__).parents[3] / "docs" / "study_files.md"


def test_the_page_on_study_files_is_what_the_models_say():
    said = PAGE.read_text(encoding="utf-8").splitlines()
    assert said == list(page()), "run `losaw list --schema page > docs/study_files.md`"


def test_editors_get_a_json_schema(capsys):
    assert main(["list", "--schema", "study"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert {"study", "title", "generator", "learners", "metrics", "seeds"} == set(
        schema["required"]
    )
    assert schema["additionalProperties"] is False

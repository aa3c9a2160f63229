"""Outputs that were altered by hand: found by verify, which compares them with their blocks.

Of study.inspecting.verify, report.page.remade.
"""

import hashlib
import io
import json
import os
import shutil
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from PIL import Image, ImageOps

from losaw.cli import main
from losaw.generators.joint_law.fit import fit_joint_law
from losaw.generators.joint_law.law import JointLawSpecification
from losaw.study.errors import StudyError
from losaw.study.files.block_file import read_block, write_block
from losaw.study.files.healing import damaged_small_files
from losaw.study.files.rows import rows_by_seed
from losaw.study.files.run_record import check_run_record
from losaw.study.running.joint_laws import load_law


@pytest.fixture
def project(computed):
    """The tiny project, run and summarised."""
    assert main(["report", "--config", str(computed.configuration)]) == 0
    return computed


def forge(path, content, results):
    """Give a file another content, and the digest of it that was written the new one."""
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    assert content != path.read_bytes()
    path.write_bytes(content)
    forged = 0
    for sums in (results / "made").iterdir():
        forged += before in sums.read_text()
        sums.write_text(sums.read_text().replace(before, hashlib.sha256(content).hexdigest()))
    assert forged == 1


def edit_summary(results):
    """Edit a number of a summary, and the digest that was written of the file."""
    summary = results / "tiny" / "summary.csv"
    frame = pd.read_csv(summary)
    frame.loc[0, "mean"] += 0.25
    forge(summary, frame.to_csv(index=False).encode(), results)


def test_an_edited_summary_with_an_edited_digest_is_found(project, capsys):
    words = ["--config", str(project.configuration)]
    assert main(["verify", *words]) == 0
    edit_summary(project.results)
    capsys.readouterr()
    assert main(["verify", *words]) == 1
    text = capsys.readouterr().out
    assert "summary.csv: is not what its blocks give" in text and "1 findings" in text


FIGURE = """figures:
  ranks: {drawing: ranking, caption: ranks, options: {metrics: [r2_test]}}
"""


def inverted(content):
    picture = ImageOps.invert(Image.open(io.BytesIO(content)).convert("RGB"))
    picture.save(buffer := io.BytesIO(), format="png")
    return buffer.getvalue()


def of_manifest(**said):
    return lambda content: json.dumps({**json.loads(content), **said}).encode()


FORGERIES = (
    ("figures/ranks.png", inverted),
    ("figures/ranks.pdf", lambda content: content + b"% and a comment"),
    ("results/report.html", lambda content: content.replace(b"values compared", b"agree")),
    ("results/report.html", lambda _: b"<p>All agrees.</p>"),
    ("results/report.html", lambda page: page.replace(b"#tiny-prov", b"#no-prov")),
    ("results/tiny/manifest.json", of_manifest(fits=40_000)),
    ("results/tiny/manifest.json", of_manifest(missing_blocks=["../x.parquet"])),
    ("results/tiny/manifest.json", lambda content: b"[]"),
)


def test_a_forged_output_with_a_forged_digest_is_found(project, capsys):
    project.study_file.write_text(project.study_file.read_text() + FIGURE)
    words = ["--config", str(project.configuration)]
    assert main(["report", *words]) == 0
    for number, (name, edit) in enumerate(FORGERIES):
        path = project.folder / name
        written = path.read_bytes()
        forge(path, edit(written), project.results)
        capsys.readouterr()
        assert main(["verify", *words]) == 1, (number, name)
        (found,) = [line for line in capsys.readouterr().out.splitlines() if path.name in line]
        assert "is not what" in found or "cannot be made of its blocks again" in found
        forge(path, written, project.results)
    assert main(["verify", *words]) == 0, capsys.readouterr().out


def test_a_page_is_compared_whatever_studies_and_scale_are_asked_for(project, capsys):
    other = project.study_file.with_name("another.yaml")
    other.write_text(project.study_file.read_text().replace("study: tiny", "study: another"))
    words = ["--config", str(project.configuration)]
    run = ["--scale", "desk", "--seeds", "3", "--set", "n_samples=30,45"]
    with pytest.warns(UserWarning, match="n_samples=45 is not in the grid"):
        assert main(["run", *words, "--study", "another", *run]) == 0
    for asked in ([], ["--study", "another"], ["--scale", "desk"], ["--set", "n_samples=30"]):
        assert main(["verify", *words, *asked]) == 0, capsys.readouterr().out
    edit_summary(project.results)
    for asked in ([], ["--scale", "desk"], ["--set", "n_samples=30"], ["--seeds", "2"]):
        capsys.readouterr()
        assert main(["verify", *words, *asked]) == 1
        assert "tiny/summary.csv: is not what its blocks give" in capsys.readouterr().out


def test_files_without_their_blocks_are_found(project, capsys):
    shutil.rmtree(project.results / "tiny" / "blocks")
    assert main(["verify", "--config", str(project.configuration)]) == 1
    text = capsys.readouterr().out
    assert "comparison.csv: cannot be made of its blocks again: study 'tiny': none of" in text


def test_a_stray_file_is_named_and_not_removed(project, capsys):
    words = ["--config", str(project.configuration)]
    folder = project.results / "tiny"
    strays = [folder / name for name in ("notes.txt", "tables/table_9.csv", "old/summary.csv")]
    (folder / "old").mkdir()
    for path in strays:
        path.write_text("a number that no block gives")
    (project.folder / "figures").mkdir(exist_ok=True)
    (project.folder / "figures" / "figure_9.png").write_bytes(b"no figure of the study")
    capsys.readouterr()
    for command in (["verify"], ["verify", "--remove"]):
        assert main([*command, *words]) == 0
        text = capsys.readouterr().out
        named = [line for line in text.splitlines() if "is no output of its study" in line]
        assert [line.split(" is no")[0] for line in named] == [*map(str, sorted(strays))]
    assert all(path.exists() for path in strays)


def test_a_summary_that_is_older_than_its_blocks_is_found_whatever_the_clock_says(project, capsys):
    words = ["--config", str(project.configuration)]
    block = project.session().all_blocks[3]
    file = read_block(block.path)
    rows = [row for rows in rows_by_seed(file.table).values() for row in rows]
    rows[0] = replace(rows[0], value=rows[0].value + 0.01)
    write_block(block, rows, file.footer)
    for path in project.results.rglob("*.csv"):
        os.utime(path, (4e9, 4e9))
    assert main(["verify", *words]) == 1
    text = capsys.readouterr().out
    assert "blocks.csv: is not what its blocks give" in text
    assert "summary.csv: is not what its blocks give" in text


def test_a_flipped_character_of_a_run_record_is_found(project):
    path = project.session().all_blocks[0].record_path
    whole = path.read_text()
    assert check_run_record(path) is not None
    found = 0
    for position in range(0, len(whole), 7):
        flipped = chr(ord(whole[position]) ^ 1)
        path.write_text(whole[:position] + flipped + whole[position + 1 :])
        try:
            check_run_record(path)
        except StudyError:
            found += 1
        else:  # only layout has changed
            assert json.loads(path.read_text()) == json.loads(whole)
    assert found > 20


def test_a_joint_law_under_the_name_of_another_is_found(tmp_path):
    laws = [JointLawSpecification(((1.0, r), (r, 1.0)), independent_share=0.0) for r in (0.2, 0.4)]
    path = tmp_path / f"{laws[0].identifier}.json"
    fit_joint_law(laws[1]).save(path)
    with pytest.raises(StudyError, match="not the one of its name"):
        load_law(path)
    block = SimpleNamespace(
        law_path=path, record_path=tmp_path / "none.json", path=tmp_path / "none.parquet"
    )
    (finding,) = damaged_small_files([block])
    assert "not the one of its name" in finding.problem

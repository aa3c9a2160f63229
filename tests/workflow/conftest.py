"""One run of Snakemake that several tests go on from."""

import shutil

import pytest

from reference.snakemake_runs import NARROW, snakemake

FIGURE = """figures:
  figure_1:
    caption: ranks
    drawing: ranking
    options: {metrics: [r2_test]}
"""


@pytest.fixture(scope="session")
def _kept(make_project, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    with make_project(folder / "project") as project:
        project.study_file.write_text(project.study_file.read_text() + FIGURE)
        project.edit("blocks: {seeds: 2}", "blocks: {seeds: 3}")
        absolute = f"{project.folder}/plugin.py"
        project.replace(project.configuration, absolute, "plugin.py")  # from the folder of the run
        # The plugin as a text, as the command line has it.
        code, text = snakemake(project, config=(*NARROW, "plugins=plugin.py"))
        assert code == 0, text
        shutil.copytree(project.folder, folder / "kept")
        yield project, folder / "kept"


@pytest.fixture
def finished(_kept, plugins_forgotten):
    """The tiny project with a figure after a run on two cores, as that run has left it."""
    project, kept = _kept
    shutil.rmtree(project.folder)
    shutil.copytree(kept, project.folder)
    return project

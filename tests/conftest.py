"""A small project of its own for the engine's tests: a study file, a plugin, printed numbers."""

import contextlib
import gc
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from losaw.study import registry
from losaw.study.block.jax_programs import keep_jax_programs
from losaw.study.registry.plugins import PREFIX
from losaw.study.session import Session
from reference.in_process import execute

keep_jax_programs()  # of both workers of a test run

PLUGIN = '''
"""A learner that costs nothing, not even an import, with switches for what can go wrong."""

import time

import numpy as np

from losaw.study.registry import register


@register("learner", "marginal-slopes")
class MarginalSlopes:
    def __init__(self, jitter=0.0, fail_share=0.0, pause=0.0, random_state=None):
        self.jitter = jitter
        self.fail_share = fail_share
        self.pause = pause
        self.random_state = random_state

    def get_params(self, deep=True):
        return dict(vars(self))

    def set_params(self, **parameters):
        vars(self).update(parameters)
        return self

    def fit(self, X, y):
        rng = np.random.default_rng(self.random_state)
        if rng.random() < self.fail_share:
            raise ArithmeticError("this fit fails on purpose")
        time.sleep(self.pause)
        slopes = np.cov(X, y, rowvar=False)[-1, :-1]
        self.slopes_ = slopes + self.jitter * rng.standard_normal(slopes.shape)
        self.feature_importances_ = np.abs(self.slopes_)
        return self

    def predict(self, X):
        return X @ self.slopes_
'''

CONFIGURATION = """
scale: smoke
studies: [tiny]
results: {folder}/results
figures: {folder}/figures
plugins: [{folder}/plugin.py]
max_failed_share: 0.0
"""

STUDY = """
study: tiny
title: A study that takes a moment
generator: {name: normal-linear, correlation: heterogeneous}
settings:
  n_samples: [30, 60]
  noise_variance: [0.5, 1.0]
learners:
  plain: {learner: marginal-slopes}
  jittered: {learner: marginal-slopes, jitter: 0.3}
importances: [reported]
metrics: [r2_test, pr_auc]
seeds: {smoke: 5, desk: 10, paper: 20}
blocks: {seeds: 2}
published: tiny.csv
margins: {r2_test: 0.03, pr_auc: 0.1}
tables:
  table_1:
    caption: a tiny table
    rows: [noise_variance, metric]
    columns: [n_samples, method]
    bold: true
"""

PUBLISHED = """table,n_samples,noise_variance,metric,method,published,decimals,published_runs,note
Table 1,30,0.5,r2_test,plain,0.5,3,100,
Table 1,60,1.0,pr_auc,jittered,0.9,3,100,made up
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The workflow's tests first: the longest of all would else be what one core ends with."""
    items.sort(key=lambda item: "workflow" not in item.path.parts)


def pytest_collection_finish() -> None:
    """Keep imported modules out of later garbage collections, which makes the tests faster."""
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class Project:
    """A folder with a configuration, a study, printed numbers and a plugin."""

    folder: Path

    @property
    def configuration(self) -> Path:
        return self.folder / "config" / "config.yaml"

    @property
    def study_file(self) -> Path:
        return self.folder / "config" / "studies" / "tiny.yaml"

    @property
    def published(self) -> Path:
        return self.folder / "config" / "published" / "tiny.csv"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def session(self, **config) -> Session:
        return Session(self.configuration, config)

    def extend_plugin(self, text: str) -> None:
        """Append to the plugin, which knows ``np``, ``time``, ``register`` and its learner."""
        plugin = self.folder / "plugin.py"
        plugin.write_text(plugin.read_text() + text)

    def edit(self, old: str, new: str) -> None:
        """Change one place of the study file, which must be there."""
        self.replace(self.study_file, old, new)

    def narrow(self) -> None:
        """Leave one size of samples, and no published numbers."""
        text = self.study_file.read_text()
        self.study_file.write_text(text[: text.index("published:")])
        self.edit("[30, 60]", "[30]")

    def replace(self, file: Path, old: str, new: str) -> None:
        """Change one place of a file, which must be there."""
        text = file.read_text()
        assert text.count(old) == 1, (file, old)
        file.write_text(text.replace(old, new))


@contextlib.contextmanager
def _made(folder: Path) -> Iterator[Project]:
    (folder / "config" / "studies").mkdir(parents=True)
    (folder / "config" / "published").mkdir()
    (folder / "plugin.py").write_text(textwrap.dedent(PLUGIN))
    (folder / "config" / "config.yaml").write_text(CONFIGURATION.format(folder=folder))
    made = Project(folder)
    made.study_file.write_text(STUDY)
    made.published.write_text(PUBLISHED)
    yield made
    _forget_plugins()


def _forget_plugins() -> None:
    """Another test's plugin file may have the same name."""
    for name in [name for name in sys.modules if name.startswith(PREFIX)]:
        del sys.modules[name]
    registry.forget(PREFIX)


@pytest.fixture(scope="session")
def make_project() -> Callable[[Path], AbstractContextManager[Project]]:
    """Return a function that makes the project in a folder, for fixtures of a wider scope."""
    return _made


@pytest.fixture
def plugins_forgotten() -> Iterator[None]:
    """Forgets the plugins of a test, or of a project that is there for longer than one."""
    yield
    _forget_plugins()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with _made(tmp_path / "project") as made:
        yield made


@pytest.fixture(scope="session")
def _blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with all blocks of the tiny study."""
    with _made(tmp_path_factory.mktemp("blocks") / "project") as made:
        execute(made.session())
    return made.results


@pytest.fixture
def computed(project: Project, _blocks: Path) -> Project:
    """The project with all its blocks, as a run has left them that many tests begin with."""
    shutil.copytree(_blocks, project.results)
    return project


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """One project for a file whose tests only look at it."""
    with _made(tmp_path_factory.mktemp("shared") / "project") as made:
        yield made

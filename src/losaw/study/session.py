"""One run: the request, its studies, and the blocks that they ask for.

The Snakefile and the command line both make a session, so both see the same blocks, the same
errors and the same files.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from losaw.study.blocks import LEARNER_AXIS, Block, Cell, blocks_of, slices
from losaw.study.checks import validate
from losaw.study.errors import StudyError
from losaw.study.grid import Study
from losaw.study.published import read_published
from losaw.study.registry.plugins import load_plugin
from losaw.study.settings import Setting, safe_name, same
from losaw.study.study_file import EVERY_STUDY_HAS, SCALES, Configuration, Scalar, SourceFile, parse
from losaw.support.words import did_you_mean, unknown

LISTS = ("studies", "plugins")


@dataclass(frozen=True)
class Request:
    """A configuration file and its overrides.

    Attributes
    ----------
    configuration : Path
        The configuration file; studies lie in ``studies/`` and printed numbers in
        ``published/`` next to it.
    overrides : dict
        Configuration key -> value instead of the file's.
    selection : dict
        Axis (or ``learner``) -> values that narrow the grid.
    seeds : int or None
        Number of seeds of every selected setting that the scale runs, instead of the scale's.
    """

    configuration: Path = Path("config/config.yaml")
    overrides: Mapping[str, Any] = field(default_factory=dict)
    selection: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    seeds: int | None = None


def request_of(configuration: Path, config: Mapping[str, Any]) -> Request:
    """Return the request of a configuration as Snakemake has it: the file and ``--config``.

    A key is one of the file's, ``seeds``, ``learner``, or an axis; several values are
    written ``f3,f5``.

    Raises
    ------
    StudyError
        If the file cannot be read, or ``seeds`` is not a whole number, 1 or more.
    """
    written = SourceFile(configuration).data
    asked = {key: value for key, value in config.items() if written.get(key) != value}
    overrides = {key: value for key, value in asked.items() if key in Configuration.model_fields}
    overrides |= {k: _values(overrides[k]) for k in LISTS if isinstance(overrides.get(k), str)}
    selection = {key: value for key, value in asked.items() if key not in overrides}
    seeds = selection.pop("seeds", None)
    if seeds is not None and (not isinstance(seeds, int) or isinstance(seeds, bool) or seeds < 1):
        raise StudyError(f"seeds: {seeds!r} is not allowed; ask for a whole number, 1 or more")
    return Request(configuration, overrides, {k: _values(v) for k, v in selection.items()}, seeds)


def _values(written: Any) -> tuple[Any, ...]:
    if isinstance(written, list | tuple):
        return tuple(written)
    return tuple(part.strip() for part in str(written).split(",") if part.strip())


def read_words(words: Iterable[str]) -> dict[str, Any]:
    """``["scale=paper", "function=f3,f5"]`` as a mapping; values are YAML, as in Snakemake.

    Raises
    ------
    StudyError
        If a word is not ``key=value``.
    """
    config: dict[str, Any] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key:
            raise StudyError(f"--config {word}: expected key=value")
        config[key.strip()] = yaml.safe_load(value)
    return config


@dataclass(frozen=True)
class StudyPlan:
    """One study of a session, resolved.

    Attributes
    ----------
    study : Study
    settings : tuple of Setting
        The requested ones with seeds at the session's scale, in the grid's order.
    blocks : dict
        Path -> block, in the grid's order.
    n_seeds : tuple of int
        The numbers of seeds of the settings, each once, ascending.
    results : Path
        The folder of all results, which holds the joint laws.
    folder, figures, published : Path
        Folder of the files that are written from the study's blocks, of its figures, and of the
        printed numbers.
    max_failed_share : float
        Above this share of failed fits a summary refuses.
    scale : str
    request : str
        The words after ``--config`` that ask for this study alone.
    """

    study: Study
    settings: tuple[Setting, ...] = field(repr=False)
    blocks: Mapping[str, Block] = field(repr=False)
    n_seeds: tuple[int, ...]
    results: Path
    folder: Path
    figures: Path
    published: Path
    max_failed_share: float
    scale: str
    request: str

    @property
    def n_fits(self) -> int:
        """Number of requested replicates."""
        return sum(block.n_fits for block in self.blocks.values())


class Session:
    """A request with its studies read and validated.

    Parameters
    ----------
    request : Request
    trusted : bool, default False
        Skip the validation of the studies, in a process of a run that has validated them.

    Attributes
    ----------
    notes : list of str
        What is left out, and why, a sentence each.

    Raises
    ------
    StudyError
        For any problem in configuration, studies or selection, before anything runs.
    """

    def __init__(self, request: Request, trusted: bool = False) -> None:
        self.request = request
        self.source = SourceFile(request.configuration)
        self.source.override(request.overrides)
        self.configuration = parse(Configuration, self.source)
        self.folder = request.configuration.parent
        self.results = self.configuration.results
        self.scale = self.configuration.scale
        self.notes: list[str] = []
        if self.scale not in SCALES:
            raise self.source.error(("scale",), unknown("scale", self.scale, SCALES))
        for plugin in self.configuration.plugins:
            load_plugin(plugin)
        studies = [self.read_study(name, trusted) for name in self._study_names()]
        self._check_selection(studies)
        self.studies = self._selected(self._at_scale(studies))

    @property
    def published_folder(self) -> Path:
        return self.folder / "published"

    def available_studies(self) -> list[str]:
        """Names of the study files next to the configuration."""
        return sorted(path.stem for path in (self.folder / "studies").glob("*.yaml"))

    def study(self, name: str) -> Study:
        """One of the session's studies."""
        for study in self.studies:
            if study.name == name:
                return study
        names = [study.name for study in self.studies]
        raise StudyError(f"not part of this request: {unknown('study', name, names)}")

    def read_study(self, name: str, trusted: bool = False, scale: str | None = None) -> Study:
        """Read and validate a study file next to the configuration, for the session's scale."""
        study = Study(self.folder / "studies" / f"{name}.yaml", scale or self.scale)
        if not trusted:
            validate(study)
            read_published(study, self.published_folder)
        return study

    def _study_names(self) -> list[str]:
        """Names of the requested studies; ``ufi`` stands for every study named ``ufi_…``.

        A study of a group whose real data are not there is left out: asked for by its own name
        it downloads them, or says what to do.
        """
        known = self.available_studies()
        names: list[str] = []
        for index, name in enumerate(self.configuration.studies):
            group = [study for study in known if study.startswith(f"{name}_")]
            if name not in known and not group:
                raise self.source.error(("studies", index), unknown("study", name, known))
            names += [name] if name in known else filter(self._has_data, group)
        return list(dict.fromkeys(names))

    def _has_data(self, name: str) -> bool:
        missing = Study(self.folder / "studies" / f"{name}.yaml").missing_data_sets()
        if missing:
            self.notes.append(
                f"study {name!r} is left out: {', '.join(missing)} not found; set LOSAW_DATA to "
                "the folder of the real data, or ask for the study by its own name"
            )
        return not missing

    def _at_scale(self, studies: list[Study]) -> list[Study]:
        """The studies that have the session's scale; the reference run is of some only."""
        having = [study for study in studies if self.scale in study.file.seeds]
        missing = ", ".join(study.name for study in studies if study not in having)
        if not having:
            raise StudyError(
                f"nothing to run: no scale {self.scale!r} in the study file of {missing}; choose "
                f"{', '.join(EVERY_STUDY_HAS)}, or add the scale under seeds:"
            )
        if missing:
            self.notes.append(f"left out, since they have no scale {self.scale!r}: {missing}")
        return having

    def _check_selection(self, studies: list[Study]) -> None:
        """Check that every selected value is one of an axis or a learner of some study."""
        axes = {axis for study in studies for axis in study.axes} | {LEARNER_AXIS}
        for axis, values in self.request.selection.items():
            if axis not in axes:
                known = sorted({*Configuration.model_fields, "seeds", *axes})
                raise StudyError(f"{axis}: {unknown('key', axis, known)}")
            allowed: list[Any] = []
            for study in studies:
                allowed += self._values(study, axis)
            words = list(dict.fromkeys(map(str, allowed)))
            for value in values:
                if not any(same(known, value) for known in allowed):
                    guess = did_you_mean(str(value), words)
                    raise StudyError(
                        f"{axis}={value}: out of the grid{guess} (allowed: {', '.join(words)}); "
                        f"a new value belongs into the study file, under settings"
                    )

    @staticmethod
    def _values(study: Study, axis: str) -> list[Any]:
        return list(study.learners if axis == LEARNER_AXIS else study.file.settings.get(axis, []))

    def _selected(self, studies: list[Study]) -> list[Study]:
        """Return the studies with something to run; note why the others are left out."""
        selected = []
        for study in studies:
            if next(self._cells(study), None) is not None:
                selected.append(study)
                continue
            reason = f"the scale {self.scale!r} has no seeds for what is selected of it"
            for axis, values in self.request.selection.items():
                known = self._values(study, axis)
                if known and not any(same(own, value) for own in known for value in values):
                    reason = f"it has no {axis}={','.join(map(str, values))}"
            self.notes.append(f"study {study.name!r} is left out: {reason}")
        if not selected:
            raise StudyError("nothing to run: " + "; ".join(self.notes))
        return selected

    def _cells(self, study: Study) -> Iterator[Cell]:
        """The requested settings and learners with their numbers of seeds, in grid order."""
        for setting in study.settings:
            if not setting.matches(self.request.selection):
                continue
            for label in self.learners(study):
                planned = study.seeds(self.scale, setting, label)
                if planned:
                    yield Cell(setting, label, self.request.seeds or planned)

    def settings(self, study: Study) -> list[Setting]:
        """The requested settings of a study that have seeds at this scale."""
        return list({cell.setting.identifier: cell.setting for cell in self._cells(study)}.values())

    def learners(self, study: Study) -> list[str]:
        """The labels of the requested learners, without those that cannot run here.

        Raises
        ------
        StudyError
            If a learner that was asked for by name cannot run here.
        """
        asked = self.request.selection.get(LEARNER_AXIS)
        labels = [
            label
            for label in study.learners
            if asked is None or any(same(value, label) for value in asked)
        ]
        for label in labels:
            if asked is not None and label in study.left_out:
                raise StudyError(f"learner={label}: {study.left_out[label]}")
        return [label for label in labels if label not in study.left_out]

    @property
    def selected(self) -> str:
        """The selection as a part of paths: ``function~f3+f5_seeds~40``; empty for the whole."""
        asked = {
            **self.request.selection,
            **({"seeds": (self.request.seeds,)} if self.request.seeds else {}),
        }
        return "_".join(f"{k}~{'+'.join(map(safe_name, v))}" for k, v in asked.items())

    @property
    def outputs(self) -> Path:
        """The folder of tables and report: ``<results>/<scale>``, or in it that of a selection."""
        return self.results / self.scale / self.selected

    @property
    def figures(self) -> Path:
        """The folder of the studies' figures, of the same structure."""
        return self.configuration.figures / self.scale / self.selected

    @property
    def pages(self) -> Path:
        """The folder of the report's pages; those of some studies alone have one of their own."""
        asked = self.request.overrides.get("studies")
        return self.outputs / (f"studies~{'+'.join(asked)}" if asked else "")

    @cached_property
    def plans(self) -> tuple[StudyPlan, ...]:
        """The plans of all studies."""
        return tuple(self.plan(study.name) for study in self.studies)

    def plan(self, name: str) -> StudyPlan:
        """The plan of one study."""
        if name not in self._plans:
            self._plans[name] = self._plan(self.study(name))
        return self._plans[name]

    @cached_property
    def _plans(self) -> dict[str, StudyPlan]:
        return {}

    def _plan(self, study: Study) -> StudyPlan:
        cells = list(self._cells(study))
        of_settings = {cell.setting.identifier: 0 for cell in cells}
        for cell in cells:
            of_settings[cell.setting.identifier] = max(
                cell.n_seeds, of_settings[cell.setting.identifier]
            )
        return StudyPlan(
            study=study,
            settings=tuple({c.setting.identifier: c.setting for c in cells}.values()),
            blocks=blocks_of(
                self.results / self.scale / study.name,
                slices(study, cells, self.request.selection),
            ),
            n_seeds=tuple(sorted(set(of_settings.values()))),
            results=self.results,
            folder=self.outputs / study.name,
            figures=self.figures / study.name,
            published=self.published_folder,
            max_failed_share=self.configuration.max_failed_share,
            scale=self.scale,
            request=" ".join(self._words(study)),
        )

    def _words(self, study: Study) -> Iterator[str]:
        yield f"studies={study.name}"
        yield f"scale={self.scale}"
        for axis, values in self.request.selection.items():
            if axis == LEARNER_AXIS or axis in study.axes:
                yield f"{axis}={','.join(map(str, values))}"
        if self.request.seeds:
            yield f"seeds={self.request.seeds}"

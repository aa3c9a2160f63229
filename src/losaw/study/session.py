"""One run: the configuration with what the command line changes, its studies and their blocks.

The Snakefile and the command line both make a session, so both see the same blocks, the same
errors and the same files.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from losaw.study.block.blocks import LEARNER_AXIS, Block, Cell, slices
from losaw.study.claims.claim_file import check_claims
from losaw.study.columns import check_axes
from losaw.study.errors import StudyError, part_of
from losaw.study.registry.plugins import load_plugin
from losaw.study.request.checks import validate
from losaw.study.request.grid import Study
from losaw.study.request.published import check_counted_once, read_published, what_has_no_cell
from losaw.study.request.settings import Setting, plain, safe_name, same, short_name
from losaw.study.request.study_file import (
    MOST_SEEDS,
    SCALES,
    Configuration,
    SourceFile,
    listed,
    parse,
)
from losaw.support.words import unknown


@dataclass(frozen=True)
class StudyPlan:
    """One study of a session: the requested settings with seeds at its scale, and their blocks."""

    study: Study
    settings: tuple[Setting, ...] = field(repr=False)  # in the grid's order
    blocks: Mapping[str, Block] = field(repr=False)  # by path, in the grid's order
    folder: Path  # of the files that are written from the blocks
    figures: Path
    published: Path  # folder of the printed numbers
    max_failed_share: float  # above it, of the fits of a method, there is no summary

    @property
    def written(self) -> list[Path]:
        """The files that people write: the study file and the published numbers."""
        printed = self.study.file.published
        return [self.study.source.path, *([self.published / printed] if printed else [])]

    @property
    def inputs(self) -> list[str]:
        """The files of the study's numbers: blocks, study file, published numbers."""
        return [*self.blocks, *map(str, self.written)]

    @property
    def cells(self) -> list[Cell]:
        """The requested settings and learners."""
        slices = {block.slice.name: block.slice for block in self.blocks.values()}
        return [cell for part in slices.values() for cell in part.cells]

    @property
    def n_seeds(self) -> list[int]:
        """The numbers of seeds of settings and learners, each once, ascending."""
        return sorted({cell.n_seeds for cell in self.cells})

    @property
    def n_fits(self) -> int:
        """Number of requested replicates."""
        return sum(block.n_fits for block in self.blocks.values())


class Session:
    """A request with its studies read and validated.

    Parameters
    ----------
    configuration : Path
        The configuration file; studies lie in ``studies/``, printed numbers in ``published/`` next
        to it.
    config : dict
        What the command line changes, as Snakemake's ``config`` has it (which may repeat the file):
        keys of the file; ``seeds``, the number of seeds of every setting that the scale runs; and
        ``learner`` or an axis with the values that narrow the grid. Several values are written
        ``f3,f5``.
    trusted : bool, default False
        Skip the validation of the studies, in a process of a run that has validated them.

    Attributes
    ----------
    notes : list of str
        What is left out, and why, a sentence each.
    """

    def __init__(
        self, configuration: Path, config: Mapping[str, Any] | None = None, trusted: bool = False
    ) -> None:
        written = SourceFile(configuration).data
        asked = {k: v for k, v in (config or {}).items() if k not in written or written[k] != v}
        overrides = {k: v for k, v in asked.items() if k in Configuration.model_fields}
        if "seeds" in asked and not re.fullmatch("0*[1-9][0-9]{0,4}", str(asked["seeds"])):
            words = f"ask for a whole number, from 1 to {MOST_SEEDS}"
            raise StudyError(f"seeds: {asked['seeds']!r:.80} is not allowed; {words}")
        seeds = asked.pop("seeds", None)
        self.selection = {k: listed(v) for k, v in sorted(asked.items()) if k not in overrides}
        self.seeds = None if seeds is None else int(seeds)
        self.source = SourceFile(configuration, overrides)
        self.configuration = parse(Configuration, self.source)
        self._asked_studies = self.configuration.studies if "studies" in overrides else ()
        self.folder = configuration.parent
        self.published_folder = self.folder / "published"
        self.results = self.configuration.results
        for key in ("results", "figures"):
            path = getattr(self.configuration, key)
            for place in (path, *path.parents):
                if os.path.lexists(place) and not os.path.isdir(place):
                    raise self.source.error((key,), f"{place} is no folder; name another place")
        if self.results.resolve() == self.configuration.figures.resolve():
            raise StudyError(f"figures: {self.results} has the results; name another folder")
        self.scale = self.configuration.scale
        self.notes: list[str] = []
        self._plans: dict[str, StudyPlan] = {}
        self.source.check_known(self.scale, SCALES, ("scale",), "scale")
        for plugin in self.configuration.plugins:
            load_plugin(plugin)
        studies = [self.read_study(name, trusted) for name in self._study_names()]
        self._check_selection(studies)
        if not trusted:
            check_counted_once(studies, self.published_folder)
            check_claims(self.folder, [study.name for study in studies])
        self.studies = self._with_something_to_run(studies)
        self.names = tuple(study.name for study in self.studies)
        of_studies = (plugin for study in self.studies for plugin in study.plugins)
        self.plugins = list(dict.fromkeys(map(str, (*self.configuration.plugins, *of_studies))))

    def available_studies(self) -> list[str]:
        """Names of the study files next to the configuration."""
        return sorted(path.stem for path in (self.folder / "studies").glob("*.yaml"))

    def study(self, name: str) -> Study:
        """One of the session's studies."""
        studies = {study.name: study for study in self.studies}
        return part_of("study", name, studies, "not part of this request: ")

    def read_study(self, name: str, trusted: bool = False) -> Study:
        """Read and validate a study file next to the configuration, for the session's scale."""
        study = Study(self.folder / "studies" / f"{name}.yaml", self.scale)
        if not trusted:
            check_axes(study)
            validate(study)
            published = read_published(study, self.published_folder)
            self.notes += what_has_no_cell(study, published)
        return study

    def _study_names(self) -> list[str]:
        """Names of the requested studies; ``ufi`` is every study named ``ufi_…``, ``all`` all."""
        there = self.available_studies()
        names: list[str] = []
        for index, name in enumerate(self.configuration.studies):
            group = [study for study in there if name == "all" or study.startswith(f"{name}_")]
            if name in there or not group:
                self.source.check_known(name, there, ("studies", index), "study")
                group = [name]
            elif name in self._asked_studies:
                self.notes.append(f"studies={name}: {', '.join(group)}")
            names += group
        return list(dict.fromkeys(names))

    def _check_selection(self, studies: list[Study]) -> None:
        """Check that every selected value is one of an axis or a learner of some study."""
        axes = {axis for study in studies for axis in study.axes} | {LEARNER_AXIS}
        for axis, values in self.selection.items():
            if axis not in axes:
                known = sorted({*Configuration.model_fields, "seeds", *axes})
                raise StudyError(f"{axis}: {unknown('key', axis, known)}")
            allowed = [value for study in studies for value in self._allowed(study, axis)]
            for value in values:
                if not any(same(known, value) for known in allowed):
                    raise StudyError(
                        f"{axis}: {unknown('value', value, dict.fromkeys(allowed))}; a new one "
                        f"goes into a study's {'learners' if axis == LEARNER_AXIS else 'settings'}"
                    )
            # As the studies write them, and in their order: one selection has one folder.
            asked = [known for known in allowed if any(same(known, value) for value in values)]
            self.selection[axis] = tuple({plain(known): known for known in asked}.values())

    @staticmethod
    def _allowed(study: Study, axis: str) -> list[Any]:
        return list(study.learners if axis == LEARNER_AXIS else study.file.axes.get(axis, []))

    def _with_something_to_run(self, studies: list[Study]) -> list[Study]:
        """Return the studies with something to run; note why the others are left out."""
        reasons = {study.name: self._why_not(study) for study in studies}
        self.notes += [f"study {n!r} is left out: {why}" for n, why in reasons.items() if why]
        if all(reasons.values()):
            raise StudyError("nothing to run: " + "; ".join(self.notes))
        return [study for study in studies if not reasons[study.name]]

    def _why_not(self, study: Study) -> str:
        """Say why a study is left out; empty if it is run.

        A study of a group whose real data are not there is left out: asked for by its own name
        it downloads them, or says what to do.
        """
        settings = {cell.setting.identifier: cell.setting for cell in self._cells(study)}
        if settings:
            by_name = study.name in self.configuration.studies
            missing = [] if by_name else study.missing_data_sets(settings.values())
            remedy = "set LOSAW_DATA to the folder of the real data, or ask for it by its own name"
            return f"{', '.join(missing)} not found; {remedy}" if missing else ""
        if self.scale not in study.file.seeds:  # the reference run is of some studies only
            return f"it has no scale {self.scale!r}, only {', '.join(study.file.seeds)}"
        for axis, values in self.selection.items():
            known = self._allowed(study, axis)
            if not any(same(own, value) for own in known for value in values):
                return f"it has no {axis}={','.join(map(str, values))}"
        return f"the scale {self.scale!r} has no seeds for what is selected of it"

    def _cells(self, study: Study) -> Iterator[Cell]:
        """The requested settings and learners with their numbers of seeds, in grid order."""
        for setting in study.settings:
            if not setting.matches(self.selection):
                continue
            for label in self.learners(study):
                planned = study.seeds(self.scale, setting, label)
                if planned:
                    yield Cell(setting, label, self.seeds or planned)

    def learners(self, study: Study) -> list[str]:
        """The labels of the requested learners, without those that cannot run here.

        One that was asked for by name is a StudyError.
        """
        asked = self.selection.get(LEARNER_AXIS)
        if asked is None:
            return [label for label in study.learners if label not in study.left_out]
        labels = [label for label in study.learners if label in map(str, asked)]
        for label in labels:
            if label in study.left_out:
                raise StudyError(f"learner={label}: {study.left_out[label]}")
        return labels

    @property
    def selected(self) -> str:
        """The selection as a part of paths: ``function~f3+f5_seeds~40``; empty for the whole."""
        asked = {**self.selection, **({"seeds": [self.seeds]} if self.seeds else {})}
        return short_name("_".join(f"{k}~{'+'.join(map(safe_name, v))}" for k, v in asked.items()))

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
        asked = short_name("+".join(self._asked_studies))
        return self.outputs / (f"studies~{asked}" if asked else "")

    @property
    def plans(self) -> tuple[StudyPlan, ...]:
        """The plans of all studies."""
        return tuple(self.plan(study.name) for study in self.studies)

    def plan(self, name: str) -> StudyPlan:
        """The plan of one study."""
        if name in self._plans:
            return self._plans[name]
        study = self.study(name)
        cells = list(self._cells(study))
        place = self.results / self.scale / name
        parts = slices(study, cells, self.selection)
        blocks = (Block(place, part, seeds) for part in parts for seeds in part.ranges())
        self._plans[name] = StudyPlan(
            study=study,
            settings=tuple({cell.setting.identifier: cell.setting for cell in cells}.values()),
            blocks={str(block.path): block for block in blocks},
            folder=self.outputs / name,
            figures=self.figures / name,
            published=self.published_folder,
            max_failed_share=self.configuration.max_failed_share,
        )
        return self._plans[name]

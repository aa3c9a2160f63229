"""What one run is asked to do: configuration, scale, selection, seeds — and its blocks.

The Snakefile and the command line both make a session, so both see the same blocks, the same
errors and the same files.
"""

import warnings
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.plugins import load_plugin
from losaw.study.design.blocks import Block, blocks_of
from losaw.study.design.grid import Setting, Study, same
from losaw.study.design.request import Request
from losaw.study.design.schema import SCALES, Configuration, parse
from losaw.study.design.validation import validate
from losaw.study.design.version import results_version
from losaw.study.errors import SourceFile, StudyError
from losaw.words import did_you_mean, unknown

LEARNER_AXIS = "learner"


class Session:
    """A request with its studies read and validated.

    Parameters
    ----------
    request : Request
    trusted : bool, default False
        Skip the validation of the studies, for a block of a session that was validated before.

    Raises
    ------
    StudyError
        For any problem in configuration, studies or selection, before anything runs.
    """

    def __init__(self, request: Request, trusted: bool = False) -> None:
        self.request = request
        if not request.configuration.is_file():
            raise StudyError(
                f"{request.configuration}: no such file; run from the repository's top folder "
                "or name the file with --config"
            )
        self.source = SourceFile(request.configuration)
        self.source.override(request.overrides)
        self.configuration = parse(Configuration, self.source)
        self.folder = request.configuration.parent
        self.results = self.configuration.results
        self.figures = self.configuration.figures
        self.scale = self.configuration.scale
        if self.scale not in SCALES:
            raise self.source.error(
                ("scale",),
                unknown("scale", self.scale, SCALES),
            )
        if request.seeds is not None and request.seeds < 1:
            raise StudyError(f"seeds: {request.seeds} is not allowed; ask for 1 or more")
        for plugin in self.configuration.plugins:
            load_plugin(plugin)
        self.studies = [self.read_study(name, trusted) for name in self._study_names()]
        self._check_selection()
        if request.selection:
            self.studies = self._selected_studies()

    @property
    def published_folder(self) -> Path:
        return self.folder / "published"

    @property
    def laws_folder(self) -> Path:
        """Where fitted joint laws are kept; shared by all studies."""
        return self.results / "laws"

    def available_studies(self) -> list[str]:
        """Names of the study files beside the configuration."""
        return sorted(path.stem for path in (self.folder / "studies").glob("*.yaml"))

    def study(self, name: str) -> Study:
        """One of the session's studies."""
        for study in self.studies:
            if study.name == name:
                return study
        raise StudyError(f"study {name!r} is not part of this session")

    def restricted_to(self, name: str, trusted: bool = False) -> "Session":
        """The same session with one study only; a selection of other studies' axes is dropped."""
        overrides = {**self.request.overrides, "studies": [name]}
        study = self.study(name)
        selection = {
            axis: values
            for axis, values in self.request.selection.items()
            if axis == LEARNER_AXIS or axis in study.axes
        }
        return Session(replace(self.request, overrides=overrides, selection=selection), trusted)

    def _study_names(self) -> list[str]:
        """Names of the asked studies; ``ufi`` stands for every study named ``ufi_…``.

        A study of a group whose real data are not there is left out, with a warning: asked for
        by its own name it downloads them, or says what to do.
        """
        known = self.available_studies()
        found: list[str] = []
        for index, name in enumerate(self.configuration.studies):
            group = [one for one in known if one.startswith(f"{name}_")]
            if name not in known and not group:
                raise self.source.error(("studies", index), unknown("study", name, known))
            found += [name] if name in known else [one for one in group if self._has_data(one)]
        return list(dict.fromkeys(found))

    def _has_data(self, name: str) -> bool:
        missing = Study(self.folder / "studies" / f"{name}.yaml").missing_data_sets()
        if missing:
            warnings.warn(
                f"study {name!r} is left out: {', '.join(missing)} not found; set LOSAW_DATA to "
                "the folder of the real data, or ask for the study by its own name",
                stacklevel=2,
            )
        return not missing

    def read_study(self, name: str, trusted: bool = False) -> Study:
        """Read and validate a study file beside the configuration."""
        study = Study(self.folder / "studies" / f"{name}.yaml")
        if not trusted:
            validate(study)
        return study

    def _check_selection(self) -> None:
        axes = {axis for study in self.studies for axis in study.axes} | {LEARNER_AXIS}
        for axis, values in self.request.selection.items():
            if axis not in axes:
                raise StudyError(f"{axis}: {unknown('axis', axis, sorted(axes))}")
            allowed: list[Any] = []
            for study in self.studies:
                allowed += (
                    study.learners if axis == LEARNER_AXIS else study.file.settings.get(axis, [])
                )
            allowed = list(dict.fromkeys(allowed))
            for value in values:
                if not any(same(known, value) for known in allowed):
                    words = [str(one) for one in allowed]
                    raise StudyError(
                        f"{axis}={value}: out of the grid{did_you_mean(str(value), words)} "
                        f"(allowed: {', '.join(words)}); a new value belongs into the study file"
                    )

    def _selected_studies(self) -> list[Study]:
        """The studies that have anything of what is selected."""
        found = [one for one in self.studies if self.settings(one) and self._has_learner(one)]
        if not found:
            words = [f"{k}={','.join(map(str, v))}" for k, v in self.request.selection.items()]
            raise StudyError(
                f"nothing to run: the scale {self.scale!r} leaves out all that is selected "
                f"({' '.join(words)}); choose another scale, paper has the most"
            )
        return found

    def _has_learner(self, study: Study) -> bool:
        chosen = self.request.selection.get(LEARNER_AXIS, study.learners)
        return any(same(value, label) for value in chosen for label in study.learners)

    def settings(self, study: Study) -> list[Setting]:
        """The settings of a study that are asked for and have seeds at this scale."""
        chosen = self.request.selection
        return [
            setting
            for setting in study.settings
            if setting.matches(chosen) and self.n_seeds(study, setting)
        ]

    def n_seeds(self, study: Study, setting: Setting, learner: str | None = None) -> int:
        """Number of Monte Carlo seeds of a setting and learner; without one, the largest.

        0 where the scale leaves them out, whatever number is asked for.
        """
        learners = study.learners if learner is None else [learner]
        planned = max(study.seeds(self.scale, setting, one) for one in learners)
        return (self.request.seeds or planned) if planned else 0

    def learners(self, study: Study) -> list[str]:
        """The labels of the learners that are asked for, without those that cannot run here.

        Raises
        ------
        StudyError
            If a learner that was asked for by name cannot run here.
        """
        chosen = self.request.selection.get(LEARNER_AXIS)
        found = []
        for label in study.learners:
            if chosen is not None and not any(same(value, label) for value in chosen):
                continue
            reason = study.left_out.get(label)
            if reason and chosen is not None:
                raise StudyError(f"learner={label}: {reason}")
            if not reason:
                found.append(label)
        return found

    def blocks(self, study: Study) -> list[Block]:
        """All blocks of a study, in the order of the grid."""
        return [
            block
            for setting in self.settings(study)
            for learner in self.learners(study)
            for block in blocks_of(study, setting, learner, self.n_seeds(study, setting, learner))
        ]

    @cached_property
    def all_blocks(self) -> list[Block]:
        """All blocks of all studies."""
        return [block for study in self.studies for block in self.blocks(study)]

    def version(self, block: Block) -> str:
        """The results version that the block's file must carry."""
        study = self.study(block.study)
        return results_version(study, study.learner(block.learner), study.setting(block.setting))

    def block_path(self, block: Block) -> Path:
        return self.results / block.relative_path

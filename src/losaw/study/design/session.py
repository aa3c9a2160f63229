"""One run: configuration, scale, selection, seeds, and the blocks that they request.

The Snakefile and the command line both make a session, so both see the same blocks, the same
errors and the same files.
"""

import math
import warnings
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.registry.plugins import load_plugin
from losaw.study.design.blocks import Block, BlockName, Limits, cut
from losaw.study.design.grid import Study
from losaw.study.design.plan import StudyPlan
from losaw.study.design.published import read_published
from losaw.study.design.request import Request
from losaw.study.design.schema import EVERY_STUDY_HAS, SCALES, Configuration, Scalar, parse
from losaw.study.design.series import Series, resolve
from losaw.study.design.settings import Setting, same
from losaw.study.design.source_file import SourceFile
from losaw.study.design.validation import validate
from losaw.study.errors import StudyError
from losaw.study.source_digests.source_digest import look_again
from losaw.support.words import did_you_mean, unknown

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
        self.limits = Limits(self.configuration.block_minutes, self.configuration.block_megabytes)
        self._resolved: dict[tuple[str, str, str], Series] = {}
        if self.scale not in SCALES:
            raise self.source.error(
                ("scale",),
                unknown("scale", self.scale, SCALES),
            )
        if request.seeds is not None and request.seeds < 1:
            raise StudyError(f"seeds: {request.seeds} is not allowed; ask for 1 or more")
        for plugin in self.configuration.plugins:
            load_plugin(plugin)
        look_again()
        self.studies = self._studies_at_scale(
            [self.read_study(name, trusted) for name in self._study_names()]
        )
        self._check_selection()
        self._check_figures()
        if request.selection:
            self.studies = self._selected_studies()

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
        raise StudyError(f"study {name!r} is not part of this session")

    def request_for(self, study: Study) -> Request:
        """The request that asks for one study only, without other studies' axes."""
        overrides = {**self.request.overrides, "studies": [study.name]}
        selection = {
            axis: values
            for axis, values in self.request.selection.items()
            if axis == LEARNER_AXIS or axis in study.axes
        }
        return replace(self.request, overrides=overrides, selection=selection)

    def _study_names(self) -> list[str]:
        """Names of the requested studies; ``ufi`` stands for every study named ``ufi_…``.

        A study of a group whose real data are not there is left out, with a warning: asked for
        by its own name it downloads them, or says what to do.
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
            warnings.warn(
                f"study {name!r} is left out: {', '.join(missing)} not found; set LOSAW_DATA to "
                "the folder of the real data, or ask for the study by its own name",
                stacklevel=2,
            )
        return not missing

    def read_study(self, name: str, trusted: bool = False, scale: str | None = None) -> Study:
        """Read and validate a study file next to the configuration, for the session's scale."""
        study = Study(self.folder / "studies" / f"{name}.yaml", scale or self.scale)
        if not trusted:
            validate(study)
            read_published(study, self.published_folder)
        return study

    def _studies_at_scale(self, studies: list[Study]) -> list[Study]:
        """The studies that have the session's scale; the reference run is of some only."""
        having = [study for study in studies if self.scale in study.file.seeds]
        missing = ", ".join(study.name for study in studies if study not in having)
        if not having:
            raise StudyError(
                f"nothing to run: no scale {self.scale!r} in the study file of {missing}; choose "
                f"{', '.join(EVERY_STUDY_HAS)}, or add the scale under seeds:"
            )
        if missing:
            warnings.warn(
                f"left out, since their study files have no scale {self.scale!r}: {missing}",
                stacklevel=2,
            )
        return having

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
            words = [str(known) for known in allowed]
            new = [v for v in values if not any(same(known, v) for known in allowed)]
            for value in new:
                if any(isinstance(known, str | bool) for known in allowed) or not _is_number(value):
                    guess = did_you_mean(str(value), words)
                    raise StudyError(
                        f"{axis}={value}: out of the grid{guess} (allowed: {', '.join(words)}); "
                        "a new value that is no number belongs into the study file, with its "
                        "seeds if `seeds` there lists settings"
                    )
                warnings.warn(
                    f"{axis}={value} is not in the grid ({', '.join(words)}): it is run as a "
                    "setting of its own, and nothing published is compared with it",
                    stacklevel=2,
                )
            if new:
                self.studies = [self._with_values(study, axis, new) for study in self.studies]

    def _with_values(self, study: Study, axis: str, values: list[Scalar]) -> Study:
        """The study with more numbers on an axis, if it has the axis."""
        if axis not in study.axes:
            return study
        is_whole = all(isinstance(known, int) for known in study.file.settings[axis])
        numbers = [float(value) for value in values]
        numbers = [int(v) if is_whole and v.is_integer() else v for v in numbers]
        extended = Study(study.source.path, study.scale, {**study.added, axis: numbers})
        validate(extended)
        return extended

    def _check_figures(self) -> None:
        """Check that no two studies have a figure of one name: they share a folder."""
        drawn_by: dict[str, Study] = {}
        for study in self.studies:
            for name in study.file.figures:
                other = drawn_by.setdefault(name, study)
                if other is not study:
                    raise study.source.error(
                        ("figures", name),
                        f"{other.name!r} draws a figure of this name into the same folder; "
                        f"rename one, for example {study.name}_{name}",
                    )

    def _selected_studies(self) -> list[Study]:
        """Return the studies with a selected setting and learner; warn of the others."""
        selected = [s for s in self.studies if self.settings(s) and self._has_learner(s)]
        for study in self.studies:
            if selected and study not in selected:
                warnings.warn(
                    f"study {study.name!r} is left out: {self._why_left_out(study)}", stacklevel=2
                )
        if not selected:
            words = [f"{k}={','.join(map(str, v))}" for k, v in self.request.selection.items()]
            raise StudyError(
                f"nothing to run: the scale {self.scale!r} leaves out all that is selected "
                f"({' '.join(words)}); choose another scale, paper has the most"
            )
        return selected

    def _why_left_out(self, study: Study) -> str:
        for axis, values in self.request.selection.items():
            known = study.learners if axis == LEARNER_AXIS else study.file.settings.get(axis)
            if known and not any(same(own, value) for own in known for value in values):
                asked = ", ".join(map(str, values))
                return f"it has no {axis}={asked} (it has {', '.join(map(str, known))})"
        return f"the scale {self.scale!r} has no seeds for what is selected of it"

    def _has_learner(self, study: Study) -> bool:
        asked = self.request.selection.get(LEARNER_AXIS, study.learners)
        return any(same(value, label) for value in asked for label in study.learners)

    def settings(self, study: Study) -> list[Setting]:
        """The requested settings of a study that have seeds at this scale."""
        selection = self.request.selection
        return [
            setting
            for setting in study.settings
            if setting.matches(selection) and self.n_seeds(study, setting)
        ]

    def n_seeds(self, study: Study, setting: Setting, learner: str | None = None) -> int:
        """Number of Monte Carlo seeds of a setting and learner; without one, the largest.

        0 where the scale leaves them out, whatever number is requested.
        """
        learners = study.learners if learner is None else [learner]
        planned = max(study.seeds(self.scale, setting, label) for label in learners)
        return (self.request.seeds or planned) if planned else 0

    def learners(self, study: Study) -> list[str]:
        """The labels of the requested learners, without those that cannot run here.

        Raises
        ------
        StudyError
            If a learner that was asked for by name cannot run here.
        """
        asked = self.request.selection.get(LEARNER_AXIS)
        labels = []
        for label in study.learners:
            if asked is not None and not any(same(value, label) for value in asked):
                continue
            reason = study.left_out.get(label)
            if reason and asked is not None:
                raise StudyError(f"learner={label}: {reason}")
            if not reason:
                labels.append(label)
        return labels

    def blocks(self, study: Study) -> list[Block]:
        """All blocks of a study, in the order of the grid; those of one company adjoin."""
        return [
            block
            for setting in self.settings(study)
            for block in sorted(
                (
                    self._block(study, setting, learner, seeds)
                    for learner in self.learners(study)
                    for seeds in cut(study, setting, self.n_seeds(study, setting, learner))
                ),
                key=lambda block: block.seeds.start if block.series.draws_knockoffs else -1,
            )
        ]

    @cached_property
    def all_blocks(self) -> list[Block]:
        """All blocks of all studies."""
        return [block for plan in self.plans for block in plan.blocks]

    def block(self, name: BlockName) -> Block:
        """One block, whether the session's scale and selection ask for it or not."""
        study = self.study(name.study)
        setting = study.setting(name.setting)
        seeds = range(name.first, name.last + 1)
        return self._block(study, setting, name.learner, seeds)

    def blocks_at_other_scales(self, name: BlockName) -> list[Block]:
        """The same block as the scales define it that compute its learner otherwise."""
        study = self.study(name.study)
        label = study.written_label(name.learner)
        blocks = []
        for scale in SCALES:
            other = study.at(scale)
            if other.options_of(label) != study.options_of(label):
                series = resolve(other, study.setting(name.setting), other.learner(name.learner))
                blocks.append(Block(name, series, self.results, self.limits))
        return blocks

    def _block(self, study: Study, setting: Setting, learner: str, seeds: range) -> Block:
        series = self._series(study, setting, learner)
        name = BlockName(study.name, setting.identifier, learner, seeds.start, seeds.stop - 1)
        return Block(name, series, self.results, self.limits)

    def _series(self, study: Study, setting: Setting, learner: str) -> Series:
        key = (study.name, setting.identifier, learner)
        if key not in self._resolved:
            self._resolved[key] = resolve(study, setting, study.learner(learner))
        return self._resolved[key]

    @cached_property
    def plans(self) -> tuple[StudyPlan, ...]:
        """The plans of all studies."""
        return tuple(self._plan(study) for study in self.studies)

    def plan(self, name: str) -> StudyPlan:
        """The plan of one study."""
        return self.plans[self.studies.index(self.study(name))]

    def _plan(self, study: Study) -> StudyPlan:
        settings = tuple(self.settings(study))
        configuration = self.configuration.model_copy(update={"studies": [study.name]})
        return StudyPlan(
            study=study,
            settings=settings,
            blocks=tuple(self.blocks(study)),
            n_seeds=tuple(sorted({self.n_seeds(study, setting) for setting in settings})),
            results=self.results,
            folder=self.results / study.name,
            figures=self.figures,
            published=self.published_folder,
            max_failed_share=self.configuration.max_failed_share,
            scale=self.scale,
            request=self.request_for(study).arguments(),
            configuration=configuration.model_dump(mode="json"),
            block=self.block,
            blocks_at_other_scales=self.blocks_at_other_scales,
        )


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False

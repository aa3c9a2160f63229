"""What one run is asked to do: configuration, scale, selection, seeds — and its blocks.

The Snakefile and the command line both make a session, so both see the same blocks, the same
errors and the same files.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from losaw.plugins import load_plugin
from losaw.registry import did_you_mean
from losaw.study.blocks import Block, blocks_of
from losaw.study.errors import SourceFile, StudyError
from losaw.study.grid import Setting, Study, same
from losaw.study.schema import SCALES, Configuration, Scalar, parse
from losaw.study.validation import validate
from losaw.study.version import results_version

LEARNER_AXIS = "learner"


@dataclass(frozen=True)
class Request:
    """What is asked for beyond the configuration file.

    Attributes
    ----------
    configuration : Path
        The configuration file; studies lie in ``studies/`` and printed numbers in
        ``published/`` beside it.
    studies : tuple of str or None
        Names; None for the configuration's.
    scale : str or None
        One of smoke, desk, paper; None for the configuration's.
    selection : dict
        Axis (or ``learner``) -> values that narrow the grid.
    seeds : int or None
        Number of seeds of every selected setting instead of the scale's.
    results, figures : Path or None
        Output folders instead of the configuration's.
    """

    configuration: Path = Path("config/config.yaml")
    studies: tuple[str, ...] | None = None
    scale: str | None = None
    selection: Mapping[str, tuple[Scalar, ...]] | None = None
    seeds: int | None = None
    results: Path | None = None
    figures: Path | None = None

    def arguments(self) -> str:
        """The command-line options that ask for the same."""
        words: list[str] = ["--config", str(self.configuration)]
        for study in self.studies or ():
            words += ["--study", study]
        if self.scale:
            words += ["--scale", self.scale]
        for axis, values in (self.selection or {}).items():
            words += ["--set", f"{axis}={','.join(map(str, values))}"]
        if self.seeds:
            words += ["--seeds", str(self.seeds)]
        if self.results:
            words += ["--output", str(self.results)]
        if self.figures:
            words += ["--figures", str(self.figures)]
        return shlex.join(words)


class Session:
    """A request with its studies read and validated.

    Raises
    ------
    StudyError
        For any problem in configuration, studies or selection, before anything runs.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        if not request.configuration.is_file():
            raise StudyError(
                f"{request.configuration}: no such file; run from the repository's top folder "
                "or name the file with --config"
            )
        self.source = SourceFile(request.configuration)
        self.configuration = parse(Configuration, self.source)
        self.folder = request.configuration.parent
        self.results = request.results or self.configuration.results
        self.figures = request.figures or self.configuration.figures
        self.scale = request.scale or self.configuration.scale
        if self.scale not in SCALES:
            raise StudyError(
                f"scale: unknown scale {self.scale!r}{did_you_mean(self.scale, SCALES)} "
                f"(known: {', '.join(SCALES)})"
            )
        if request.seeds is not None and request.seeds < 1:
            raise StudyError(f"seeds: {request.seeds} is not allowed; ask for 1 or more")
        for plugin in self.configuration.plugins:
            load_plugin(plugin)
        self.studies = [self._read(name) for name in self._study_names()]
        self._check_selection()

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

    def restricted_to(self, name: str) -> "Session":
        """The same session with one study only."""
        return Session(replace(self.request, studies=(name,)))

    def _study_names(self) -> Sequence[str]:
        names = self.request.studies or self.configuration.studies
        known = self.available_studies()
        for index, name in enumerate(names):
            if name not in known:
                message = (
                    f"unknown study {name!r}{did_you_mean(name, known)} (known: {', '.join(known)})"
                )
                if self.request.studies:
                    raise StudyError(message)
                raise self.source.error(("studies", index), message)
        return names

    def _read(self, name: str) -> Study:
        study = Study(self.folder / "studies" / f"{name}.yaml")
        validate(study)
        return study

    def _check_selection(self) -> None:
        axes = {axis for study in self.studies for axis in study.axes} | {LEARNER_AXIS}
        for axis, values in (self.request.selection or {}).items():
            if axis not in axes:
                raise StudyError(
                    f"{axis}: unknown axis{did_you_mean(axis, axes)} (axes of the asked studies: "
                    f"{', '.join(sorted(axes))})"
                )
            allowed: list[Any] = []
            for study in self.studies:
                allowed += study.learners if axis == LEARNER_AXIS else study.file.settings.get(axis, [])
            allowed = list(dict.fromkeys(allowed))
            for value in values:
                if not any(same(known, value) for known in allowed):
                    raise StudyError(
                        f"{axis}={value}: out of the grid{did_you_mean(str(value), map(str, allowed))} "
                        f"(allowed: {', '.join(map(str, allowed))}); a new value belongs into the study file"
                    )

    def settings(self, study: Study) -> list[Setting]:
        """The settings of a study that are asked for and have seeds at this scale."""
        chosen = self.request.selection or {}
        return [
            setting
            for setting in study.settings
            if setting.matches(chosen) and self.n_seeds(study, setting)
        ]

    def n_seeds(self, study: Study, setting: Setting) -> int:
        """Number of Monte Carlo seeds of a setting."""
        return self.request.seeds or study.seeds(self.scale, setting)

    def learners(self, study: Study) -> list[str]:
        """The labels of the learners that are asked for."""
        chosen = (self.request.selection or {}).get(LEARNER_AXIS)
        return [
            label
            for label in study.learners
            if chosen is None or any(same(value, label) for value in chosen)
        ]

    def blocks(self, study: Study) -> list[Block]:
        """All blocks of a study, in the order of the grid."""
        return [
            block
            for setting in self.settings(study)
            for learner in self.learners(study)
            for block in blocks_of(study, setting, learner, self.n_seeds(study, setting))
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


def read_selection(words: Iterable[str]) -> dict[str, tuple[Scalar, ...]]:
    """``["n_samples=500", "function=f3,f5"]`` as an axis -> values mapping.

    Raises
    ------
    StudyError
        If a word is not ``axis=value[,value…]``.
    """
    selection: dict[str, tuple[Scalar, ...]] = {}
    for word in words:
        axis, sign, values = word.partition("=")
        chosen = tuple(value.strip() for value in values.split(",") if value.strip())
        if not sign or not axis.strip() or not chosen:
            raise StudyError(f"--set {word}: expected axis=value or axis=value,value")
        selection[axis.strip()] = (*selection.get(axis.strip(), ()), *chosen)
    return selection

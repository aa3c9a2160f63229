"""A series: all replicates of one setting and one learner, with everything that decides them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from losaw.generators.generator import joint_law_of, prepare
from losaw.study.design.grid import Method, Study
from losaw.study.design.settings import Setting
from losaw.study.design.version import results_version
from losaw.study.source_digests.source_digest import chooses_sampler


@dataclass(frozen=True, eq=False)
class Series:
    """All replicates of one setting and one learner; a block is a range of their seeds.

    Plain values: a series travels to another process as it is.

    Attributes
    ----------
    study, experiment : str
        Name of the study, and the axis of its random streams.
    setting : Setting
    generator, learner : Method
        With plain values as parameters.
    importances, metrics : dict
        Label -> method, of the same kind.
    version : str
        The results version that files of this series must carry.
    part_versions : dict
        Part of a replicate -> the version of what decides it: each importance by its label, and
        ``""`` for data, fit and predictions. Another importance leaves the others' rows valid.
    seconds_per_seed : float or None
        Measured cost of a replicate, as the study file states it.
    megabytes : int
        Memory of a process that computes replicates, as the study file states it.
    """

    study: str
    experiment: str
    setting: Setting
    generator: Method
    learner: Method
    importances: Mapping[str, Method]
    metrics: Mapping[str, Method]
    version: str
    part_versions: Mapping[str, str]
    seconds_per_seed: float | None
    megabytes: int

    @cached_property
    def law(self) -> str | None:
        """Identifier of the joint law that the data are drawn from; None if there is none.

        A generator that reads real data looks for them first.
        """
        generator = self.generator.create()
        prepare(generator)
        specification = joint_law_of(generator)
        return None if specification is None else str(specification.identifier)

    @cached_property
    def draws_knockoffs(self) -> bool:
        """True if an importance draws knockoffs, which the learners of a data set share."""
        return any(chooses_sampler(part.entry.target) for part in self.importances.values())


def resolve(study: Study, setting: Setting, learner: Method) -> Series:
    """The series of a setting and a learner of a study."""

    return Series(
        study=study.name,
        experiment=study.experiment,
        setting=setting,
        generator=replace(study.generator, parameters=setting.parameters),
        learner=learner.at(setting),
        importances={label: study.importances[label].at(setting) for label in learner.importances},
        metrics=study.metrics,
        version=results_version(study, learner, setting),
        part_versions={
            label: results_version(study, replace(learner, importances=asked), setting)
            for label, asked in [("", ()), *((label, (label,)) for label in learner.importances)]
        },
        seconds_per_seed=study.seconds_per_seed(setting, learner.label),
        megabytes=study.file.memory_megabytes,
    )

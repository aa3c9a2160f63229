"""The contract of a generator, and its optional methods."""

from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.support.arguments import one_of

if TYPE_CHECKING:
    from losaw.study.generators.joint_law.law import JointLaw, JointLawSpecification

Task = Literal["regression", "classification"]


class DataGenerator(Protocol):
    """A data-generating process with its parameters, ready to be drawn from.

    The class takes all parameters by keyword and refuses invalid values when it is created,
    before anything runs. An instance never changes: what :meth:`sample` returns depends only on the
    parameters, on ``rng`` and on the joint law.

    A generator may have two methods more. ``prepare()`` makes sure, before anything is fitted, that
    the files it reads exist (see :func:`prepare`). ``joint_law()`` specifies which discrete law has
    to be fitted once and for all draws (see :func:`joint_law_of`); :meth:`sample` then takes it.
    """

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a Monte Carlo sample; ``rng`` is the replicate's data stream."""
        ...


def prepare(generator: Any) -> None:
    """Let a generator check the files that it reads; most read none."""
    getattr(generator, "prepare", lambda: None)()


def joint_law_of(generator: Any) -> "JointLawSpecification | None":
    """Return the specification of the joint law that a generator needs, or None."""
    asked: JointLawSpecification | None = getattr(generator, "joint_law", lambda: None)()
    return asked


def draw(generator: Any, rng: np.random.Generator, joint_law: "JointLaw | None" = None) -> Dataset:
    """Draw a Monte Carlo sample of any generator, from its fitted joint law if it has one."""
    data: Dataset = (
        generator.sample(rng) if joint_law is None else generator.sample(rng, joint_law=joint_law)
    )
    return data


def task_of(name: str, value: object) -> Task:
    """Return a task, or raise an error that names the argument."""
    chosen = one_of(name, value, ("regression", "classification"))
    return "regression" if chosen == "regression" else "classification"


def draw_response(
    task: Task, mean: FloatArray, scale: float, rng: np.random.Generator
) -> FloatArray:
    """Draw numbers with normal noise of a scale, or labels whose probability of 1 is ``mean``."""
    if task == "regression":
        return mean + scale * rng.standard_normal(len(mean))
    return (rng.random(len(mean)) < mean).astype(float)

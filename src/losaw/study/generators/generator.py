"""The contract of a generator, and its optional methods."""

from typing import Literal, Protocol

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.support.arguments import one_of

Task = Literal["regression", "classification"]


class DataGenerator(Protocol):
    """A data-generating process with its parameters, ready to be drawn from.

    The class takes all parameters by keyword and refuses invalid values when it is created,
    before anything runs. An instance never changes: what :meth:`sample` returns depends only on the
    parameters and on ``rng``.

    A generator may have the method ``joint_law()``, which specifies the discrete law that is fitted
    once for all draws; :meth:`sample` has it from
    :func:`losaw.study.generators.joint_law.fit.law_of`.
    """

    def sample(self, rng: np.random.Generator) -> Dataset:
        """Draw a Monte Carlo sample; ``rng`` is the replicate's data stream."""
        ...


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

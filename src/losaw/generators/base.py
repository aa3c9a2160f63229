"""The contract of a generator, and the checks of its parameters."""

import math
import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from losaw.data import Dataset
from losaw.registry import unknown

if TYPE_CHECKING:
    from losaw.generators.joint_law.law import JointLaw, JointLawSpecification


class DataGenerator(Protocol):
    """A data-generating process with its parameters, ready to be drawn from.

    The class takes all parameters by keyword and refuses what it cannot use when it is made,
    before anything runs. An instance never changes: what :meth:`sample` returns depends on the
    parameters, on ``rng`` and on the joint law, and on nothing else.
    """

    def joint_law(self) -> "JointLawSpecification | None":
        """What has to be fitted once before anything is drawn; None if nothing has to be."""
        ...

    def sample(self, rng: np.random.Generator, joint_law: "JointLaw | None" = None) -> Dataset:
        """One Monte Carlo draw.

        Parameters
        ----------
        rng : numpy.random.Generator
            The replicate's data stream.
        joint_law : JointLaw or None
            The fitted :meth:`joint_law`; None fits it once per process.
        """
        ...


def whole_number(name: str, value: Any, minimum: int, why: str = "") -> int:
    """``value`` as an int, or an error that names the argument, the value and what is allowed."""
    integral = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integral or value < minimum:
        reason = f": {why}" if why else ""
        raise ValueError(f"{name} must be an integer of at least {minimum}, got {value!r}{reason}")
    return int(value)


def real_number(name: str, value: Any, minimum: float = -math.inf) -> float:
    """``value`` as a finite float of at least ``minimum``, or an error that says so."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not math.isfinite(value) or value < minimum:
        bound = "" if minimum == -math.inf else f" of at least {minimum:g}"
        raise ValueError(f"{name} must be a finite number{bound}, got {value!r}")
    return float(value)


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """``value`` if it is among ``allowed``, or an error with the nearest match."""
    allowed = list(allowed)
    if value not in allowed:
        raise ValueError(unknown(name, value, allowed))
    return str(value)

"""Which models a forest's targets have: compiled ones, or others that are asked node by node."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.support.words import did_you_mean
from losaw.weighting.choice import choose_propensity, choose_stabilization
from losaw.weighting.propensity import PropensityModel
from losaw.weighting.stabilization import StabilizationModel

KINDS = ("continuous", "discrete")
_COMPILED = {"propensity": ("gaussian", "logit"), "stabilization": ("normal", "frequency")}
_ONLY_FOR = {
    "gaussian": "continuous",
    "normal": "continuous",
    "kernel": "continuous",
    "logit": "discrete",
    "frequency": "discrete",
}


@dataclass(frozen=True)
class TargetModels:
    """Models of the targets of one kind; None: the compiled one, which is the paper's."""

    is_discrete: bool
    propensity: PropensityModel | None
    stabilization: StabilizationModel | None

    def new_propensity(self, discrete: NDArray[np.bool_]) -> PropensityModel:
        """An unfitted propensity model; ``discrete`` is the mask of the adjustment features."""
        model: Any = copy.deepcopy(self.propensity)
        if model is None:
            model = choose_propensity("auto", self.is_discrete)
            if self.is_discrete:  # as the compiled one: the forest hands over scaled features
                model.standardize = False
        if isinstance(getattr(model, "discrete", None), str) and model.discrete == "auto":
            model.discrete = discrete
        return model

    def new_stabilization(self) -> StabilizationModel:
        """An unfitted stabilisation model."""
        model = copy.deepcopy(self.stabilization)
        return choose_stabilization("auto", self.is_discrete) if model is None else model


def resolve_models(propensity: Any, stabilization: Any) -> dict[str, TargetModels]:
    """Models by kind of target, from a forest's two parameters."""
    models = {}
    for kind in KINDS:
        is_discrete = kind == "discrete"
        conditional = _of_kind("propensity", propensity, kind)
        marginal = _of_kind("stabilization", stabilization, kind)
        models[kind] = TargetModels(
            is_discrete,
            None if conditional is None else choose_propensity(conditional, is_discrete),
            None if marginal is None else choose_stabilization(marginal, is_discrete),
        )
    return models


def _of_kind(name: str, choice: Any, kind: str) -> Any:
    """The choice for one kind of target; None for the compiled model."""
    if isinstance(choice, Mapping):
        for key in choice:
            if key not in KINDS:
                raise ValueError(
                    f"{name} has a key {key!r}, allowed are 'continuous' and 'discrete'"
                    f"{did_you_mean(str(key), KINDS)}"
                )
        choice = choice.get(kind, "auto")
        if isinstance(choice, str) and _ONLY_FOR.get(choice, kind) != kind:
            raise ValueError(
                f"{name} {choice!r} is for {_ONLY_FOR[choice]} targets, not for {kind} ones"
            )
    if not isinstance(choice, str):
        return choice
    # raises for an unknown name
    (choose_propensity if name == "propensity" else choose_stabilization)(
        choice, kind == "discrete"
    )
    is_compiled = choice == "auto" or choice in _COMPILED[name]
    return None if is_compiled or _ONLY_FOR[choice] != kind else choice

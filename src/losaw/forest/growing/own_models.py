"""Propensity models written in Python, asked from inside the compiled tree grower.

The grower calls back with a feature and a range of rows; the answer, a weight for every row, is
written into its workspace. Everything else, the cap included, is as with the compiled models.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.forest.growing.arrays import ForestData, Sample, Workspace
from losaw.kernels.compiled import inner_kernel
from losaw.kernels.vectors import instruction
from losaw.weighting.choice import positive_density
from losaw.weighting.propensity import PointMassError
from losaw.weighting.target_models import TargetModels

WEIGHTED, UNWEIGHTED = 0, 1
_Callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


@dataclass(frozen=True)
class OwnModels:
    """The training sample, as models see it, and the models of both kinds of targets.

    ``X`` holds continuous features standardised; ``marginal`` the stabilising density of every
    adjusted target at every training row.
    """

    X: FloatArray
    adjustment: NDArray[np.bool_]
    is_discrete: NDArray[np.bool_]
    models: dict[str, TargetModels]
    marginal: dict[int, FloatArray]

    def weights(self, feature: int, rows: NDArray[Any], counts: FloatArray) -> FloatArray | None:
        """Weights of the node's rows before the cap, or None where there is no density."""
        others = np.flatnonzero(self.adjustment[feature])
        target = self.X[rows, feature]
        adjustment = self.X[np.ix_(rows, others)]
        kind = "discrete" if self.is_discrete[feature] else "continuous"
        model = self.models[kind].new_propensity(self.is_discrete[others])
        try:
            model.fit(target, adjustment, counts)
        except PointMassError:
            return None
        weights = self.marginal[feature][rows] / positive_density(model, target, adjustment)
        return np.asarray(weights / weights.max())


class Answers:
    """The callbacks of one thread, and the first error that a model raised in them."""

    def __init__(self, own: OwnModels, data: ForestData, sample: Sample, work: Workspace) -> None:
        self.error: BaseException | None = None
        self._functions = []  # kept alive while the grower holds their addresses
        for number, kind in enumerate(("continuous", "discrete")):
            if own.models[kind].propensity is not None:
                function = _Callback(self._answer(own, data, sample, work))
                self._functions.append(function)
                work.models[number] = ctypes.cast(function, ctypes.c_void_p).value or 0

    def _answer(
        self, own: OwnModels, data: ForestData, sample: Sample, work: Workspace
    ) -> Callable[[int, int, int], int]:
        def answer(feature: int, start: int, end: int) -> int:
            if self.error is not None:
                return UNWEIGHTED
            try:
                if data.is_discrete[feature]:
                    places = sample.rows[0, start:end]
                else:
                    places = sample.order[data.position[feature], start:end]
                rows, counts = sample.tree_rows[places], sample.pair[places, 0]
                weights = own.weights(feature, rows, counts)
            except BaseException as error:  # nothing may pass through compiled code
                self.error = error
                return UNWEIGHTED
            if weights is None:
                return UNWEIGHTED
            work.w[: end - start] = weights
            return WEIGHTED

        return answer

    def raise_error(self) -> None:
        """Raise what a model raised."""
        if self.error is not None:
            raise self.error


@instruction
def _call(typingctx: Any, address: Any, feature: Any, start: Any, end: Any) -> Any:
    """Call the function of three integers at ``address``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * 3)
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])

    i = types.int64
    return i(i, i, i, i), codegen


@inner_kernel()
def ask_model(address: int, feature: int, start: int, end: int) -> bool:
    """Whether the model at ``address`` has written weights of the rows into the workspace."""
    return _call(address, feature, start, end) == WEIGHTED

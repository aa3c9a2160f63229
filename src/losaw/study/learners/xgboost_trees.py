"""Gradient boosted trees of stock xgboost, with the parameters that the papers name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.study.learners.two_tasks import TwoTaskLearner
from losaw.support.arguments import whole_number
from losaw.support.extras import extra

if TYPE_CHECKING:
    from xgboost import Booster

OBJECTIVES = {"regression": "reg:squarederror", "classification": "binary:logistic"}


@dataclass(eq=False, repr=False, kw_only=True)
class XGBoostTrees(TwoTaskLearner):
    """xgboost's boosted trees for squared error or binary log-loss, on one thread.

    Nothing is drawn with these parameters; a seed is passed on. A fit leaves ``booster_``.
    """

    eta: float = 0.01  # learning rate
    max_depth: int = 4
    min_child_weight: float = 1.0  # smallest sum of hessians in a child
    num_boost_round: int = 400  # trees
    reg_lambda: float = 1.0  # L2 penalty of node values
    # Prediction before the first tree (a probability for classification). None: xgboost estimates
    # it; the TreeInner paper's version 1.6 has 0 and 0.5.
    base_score: float | None = None
    tree_method: str = "hist"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the trees to X (n_samples, n_features) and y (n_samples,)."""
        with extra("xgboost"):
            import xgboost

        X, y = self._read(X, y)
        n_rounds = whole_number("num_boost_round", self.num_boost_round, 1)
        named = ("eta", "max_depth", "min_child_weight", "reg_lambda", "tree_method", "base_score")
        parameters = {name: getattr(self, name) for name in named}
        parameters |= {
            "objective": OBJECTIVES[self.task],
            "nthread": 1,
            "seed": self.random_state or 0,
        }
        matrix = xgboost.DMatrix(X, y, nthread=1)
        self.booster_ = xgboost.train(parameters, matrix, n_rounds)
        return self

    def get_booster(self) -> "Booster":
        """Return the fitted booster; xgboost's own estimators have this method too."""
        check_is_fitted(self)
        return self.booster_

    def _outcome(self, X: ArrayLike) -> FloatArray:
        booster = self.get_booster()
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return booster.inplace_predict(rows).astype(np.float64)

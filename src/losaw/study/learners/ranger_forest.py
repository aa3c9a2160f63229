"""A random forest with the defaults of the R package ranger."""

from dataclasses import dataclass

import numpy as np

from losaw.data import FloatArray
from losaw.forest.ranger import RangerTrees
from losaw.rng import as_generator, seed_integer
from losaw.study.learners.encoded import EncodedLearner
from losaw.support.arguments import whole_number
from losaw.trees.flat import FlatForest


@dataclass(eq=False, repr=False, kw_only=True)
class RangerForest(EncodedLearner):
    """A random forest with the defaults of the R package ranger (Wright & Ziegler 2017).

    500 trees, the square root of the columns tried at a node. Nodes of at most 5 rows (regression)
    or 10 (class probabilities) are not split, and a node whose candidates are all constant is a
    leaf. Nominal features enter as integer codes in their order, which is ranger's default, or as
    dummies. The trees are grown by losaw's compiled loops: scikit-learn cannot stop where ranger
    stops.
    """

    encoding: str = "codes"  # or dummies
    n_estimators: int = 500
    redraw: bool = False  # see losaw.forest.ranger.RangerTrees

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of their shares of the decrease, a factor's dummies summed."""
        groups = self.encoding_.groups
        decreases = self.model_.importances.mean(axis=0)
        return np.array([decreases[group].sum() for group in groups])

    def predict_encoded(self, columns: FloatArray) -> FloatArray:
        """Mean over the trees for columns as :meth:`encode` gives them."""
        return self.model_.predict(np.ascontiguousarray(columns, dtype=float))

    def encoded_forest(self) -> FlatForest | None:
        """The trees on columns as :meth:`encode` gives them; None of a subclass."""
        if type(self) is not RangerForest:  # which may predict something else
            return None
        grown, n_columns = self.model_, sum(map(len, self.encoding_.groups))
        return FlatForest(
            grown.flat_trees,
            grown.nodes.value,
            n_samples=np.full(len(grown.nodes.value), np.nan),  # not kept: predictions need none
            encode=np.asarray,
            feature_of_column=np.arange(n_columns),
            is_nominal=np.zeros(n_columns, dtype=bool),
        )

    def make(self) -> RangerTrees:
        return RangerTrees(
            whole_number("n_estimators", self.n_estimators, 1),
            min_node_size=5 if self.task == "regression" else 10,
            seed=seed_integer(as_generator(self.random_state)),
            redraw=self.redraw,
        )

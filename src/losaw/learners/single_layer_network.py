"""A network with a single hidden layer, like the R package nnet."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from losaw.learners.encoded import EncodedLearner
from losaw.rng import as_generator, seed_integer


class SingleLayerNetwork(EncodedLearner):
    """Logistic units, linear (or logistic) output, weights by L-BFGS under weight decay,

        sum_i loss(y_i, f(x_i)) + decay * sum w^2,

    with squared error or minus log-likelihood (nnet; Blesch et al. 2023, C.2). Unlike nnet,
    scikit-learn does not penalise the biases.

    Parameters
    ----------
    task, encoding, nominal, random_state
        As in :class:`losaw.learners.encoded.EncodedLearner`; dummies by default.
    n_units : int, default 20
    decay : float, default 0.1
    max_iter : int, default 100
        L-BFGS iterations; reaching them is no failure.
    scale : bool, default False
        Whether the encoded columns are standardised first. nnet leaves that to its user; without
        it, 100 iterations achieve little on columns of very different sizes.
    """

    def __init__(
        self,
        task: str = "regression",
        encoding: str = "dummies",
        nominal: Sequence[int] = (),
        n_units: int = 20,
        decay: float = 0.1,
        max_iter: int = 100,
        scale: bool = False,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(task, encoding, nominal, random_state)
        self.n_units = n_units
        self.decay = decay
        self.max_iter = max_iter
        self.scale = scale

    def fit(self, X: Any, y: Any) -> "SingleLayerNetwork":
        """Fit as :meth:`EncodedLearner.fit`, without scikit-learn's warning at ``max_iter``."""
        import warnings

        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            super().fit(X, y)
        return self

    def _make(self) -> Any:
        rng = as_generator(self.random_state)
        # scikit-learn halves the penalty, and the squared error but not the log-likelihood.
        regression = self.task == "regression"
        model = MLPRegressor if regression else MLPClassifier
        network = model(
            hidden_layer_sizes=(self.n_units,),
            activation="logistic",
            solver="lbfgs",
            alpha=self.decay if regression else 2 * self.decay,
            max_iter=self.max_iter,
            random_state=seed_integer(rng),
        )
        return make_pipeline(StandardScaler(), network) if self.scale else network

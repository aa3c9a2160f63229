"""Importances of other packages, to be ranked beside losaw's: `pip install '.[peers]'`.

    losaw check examples/foreign/importances.py       # what is not installed is skipped by name
    plugins: [../../examples/foreign/importances.py]  # in a study: config/studies/ranking.yaml

Each has the defaults of its package but for the parameters below. They take codes of levels for
numbers, as the packages do unless they are told otherwise, and explain regressions.
"""

from importlib.util import find_spec

import numpy as np

from losaw.importance import ImportanceResult
from losaw.rng import seed_integer
from losaw.study.registry import register
from losaw.support.extras import MissingExtraError


class Foreign:
    """Scores by a library of others; ``scores(model, train, test, seed)`` calls it."""

    library: str
    higher_is_more = True

    @classmethod
    def unavailable(cls):
        """Return the reason that it cannot run here; empty if it can."""
        return "" if find_spec(cls.library) else str(MissingExtraError(cls.library, "peers"))

    def explain(self, model, data, rng):
        """Return the scores of the fitted ``model``, as the package gives them."""
        if reason := self.unavailable():
            raise ModuleNotFoundError(reason)
        if data.task == "classification":
            raise ValueError("it explains regressions only here: class labels are no numbers")
        scores = self.scores(model, data.train, data.test, seed_integer(rng))
        own = {"higher_is_more": self.higher_is_more, "details": self.details(scores)}
        return ImportanceResult(scores, data.feature_names, **own)

    def details(self, scores):
        """Return which features the package selects, if it does."""
        return {}


@register("importance", "sklearn-permutation")
class SklearnPermutation(Foreign):
    """Increase in squared error when test values are shuffled, the mean of five times."""

    library = "sklearn"

    def scores(self, model, train, test, seed):
        """Return ``importances_mean``."""
        from sklearn.inspection import permutation_importance

        options = {"scoring": "neg_mean_squared_error", "random_state": seed}
        return permutation_importance(model, *test, **options).importances_mean


@register("importance", "hidimstat-cfi")
class HidimstatCFI(Foreign):
    """Conditional feature importance, its samplers fitted to the training rows.

    Parameters
    ----------
    n_permutations : int, default 50
    """

    library = "hidimstat"
    examples = ({"n_permutations": 2},)

    def __init__(self, n_permutations=50):
        self.n_permutations = n_permutations

    def scores(self, model, train, test, seed):
        """Return the importances; p-values of permutations of one sample are left out."""
        from hidimstat import CFI

        method = CFI(model, n_permutations=self.n_permutations, random_state=seed)
        return method.fit(*train).importance(*test)


@register("importance", "hidimstat-loco")
class HidimstatLOCO(Foreign):
    """Increase in test error when the model is fitted without a feature."""

    library = "hidimstat"

    def scores(self, model, train, test, seed):
        """Return the importances."""
        from hidimstat import LOCO

        return LOCO(model).fit(*train).importance(*test)


@register("importance", "sage-importance")
class SageImportance(Foreign):
    """SAGE values with marginal imputation, by permutations until its own convergence.

    Parameters
    ----------
    n_background : int, default 64
        Training rows, the first ones.
    batch_size : int, default 128
    threshold : float, default 0.025
        Of its convergence: the largest error over the range of the values.
    """

    library = "sage"
    examples = ({"n_background": 8, "batch_size": 16, "threshold": 0.2},)

    def __init__(self, n_background=64, batch_size=128, threshold=0.025):
        self.n_background, self.batch_size = n_background, batch_size
        self.threshold = threshold

    def scores(self, model, train, test, seed):
        """Return ``values``."""
        import sage

        imputer = sage.MarginalImputer(model.predict, train.X[: self.n_background])
        estimator = sage.PermutationEstimator(imputer, "mse", random_state=seed)
        options = {"batch_size": self.batch_size, "thresh": self.threshold, "bar": False}
        return estimator(*test, **options).values


@register("importance", "shap")
class Shap(Foreign):
    """Mean absolute Shapley value of predictions, by permutations, for a model of any kind.

    Parameters
    ----------
    n_background, n_explained : int, default 100
        Training rows and test rows, the first ones.
    """

    library = "shap"
    examples = ({"n_background": 10, "n_explained": 5},)

    def __init__(self, n_background=100, n_explained=100):
        self.n_background, self.n_explained = n_background, n_explained

    def scores(self, model, train, test, seed):
        """Return the mean absolute values."""
        import shap

        masker = shap.maskers.Independent(train.X[: self.n_background], self.n_background)
        before = np.random.get_state()  # noqa: NPY002  # which shap draws from
        try:
            explainer = shap.PermutationExplainer(model.predict, masker, seed=seed)
            values = explainer(test.X[: self.n_explained], silent=True).values
        finally:
            np.random.set_state(before)  # noqa: NPY002
        return np.abs(values).mean(axis=0)


@register("importance", "boruta-py")
class BorutaPy(Foreign):
    """Ranks of features against shuffled copies of them, in forests of its own.

    Parameters
    ----------
    n_estimators, max_iter : int, default 100
    """

    library = "boruta"
    higher_is_more = False
    examples = ({"n_estimators": 20, "max_iter": 15},)

    def __init__(self, n_estimators=100, max_iter=100):
        self.n_estimators, self.max_iter = n_estimators, max_iter

    def scores(self, model, train, test, seed):
        """Return ``ranking_``: 1 for confirmed features, 2 for tentative ones."""
        from boruta import BorutaPy
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(max_depth=5)
        options = {"n_estimators": self.n_estimators, "max_iter": self.max_iter}
        return BorutaPy(forest, **options, random_state=seed).fit(*train).ranking_

    def details(self, scores):
        """Return the confirmed features."""
        return {"selected": scores == 1}


@register("importance", "fdfi")
class Disentangled(Foreign):
    """Disentangled importance by Gaussian optimal transport.

    Parameters
    ----------
    n_draws : int, default 50
    """

    library = "fdfi"
    examples = ({"n_draws": 5},)

    def __init__(self, n_draws=50):
        self.n_draws = n_draws

    def scores(self, model, train, test, seed):
        """Return ``phi_X``."""
        from fdfi.explainers import OTExplainer

        options = {"nsamples": self.n_draws, "random_state": seed}
        return OTExplainer(model.predict, data=train.X, **options)(*test)["phi_X"]

"""Leave-one-covariate-out importance (Lei, G'Sell, Rinaldo, Tibshirani & Wasserman 2018)."""

from typing import Any

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.importance.losses import resolve_loss
from losaw.importance.model_columns import check_sample, columns_of
from losaw.importance.one_sided_tests import ADJUSTMENTS, TESTS, adjust, one_sided_test
from losaw.importance.result import ImportanceResult
from losaw.rng import as_generator
from losaw.words import unknown

# Parameters of a learner that name columns of X and move when one is left out.
COLUMN_PARAMETERS = ("nominal", "one_hot")


class LeaveOneCovariateOut:
    """Mean increase in loss when the model is fitted again without a feature,

        LOCO_j = E[L(f_-j(X_-j), Y) - L(f(X), Y)],

    on the test sample, both models fitted to the training sample with the same settings and seed.

    Parameters
    ----------
    loss : str, callable or None, default None
        As in :class:`ConditionalPredictiveImpact`.
    test : {"t", "wilcoxon", "binomial", "fisher"}, default "t"
    adjustment : {"none", "holm", "benjamini-hochberg"}, default "none"

    Returns
    -------
    ImportanceResult
        ``std_error`` over test rows, both models held fixed: it does not hold what another
        training sample, or another seed of a random learner, would change.

    Raises
    ------
    ValueError
        For unknown names, missing values, fewer than 2 features, or a model that cannot be
        cloned.

    Notes
    -----
    An integer ``max_features`` above the number of columns left is lowered to it.
    """

    def __init__(self, loss: Any = None, test: str = "t", adjustment: str = "none") -> None:
        if test not in TESTS:
            raise ValueError(unknown("test", test, TESTS))
        if adjustment not in ADJUSTMENTS:
            raise ValueError(unknown("adjustment", adjustment, ADJUSTMENTS))
        self.loss = loss
        self.test = test
        self.adjustment = adjustment

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """LOCO of every feature; fits the model once per feature."""
        rng = as_generator(rng)
        X, y = data.test
        n_features = len(data.feature_names)
        check_sample(X, y, n_features)
        if n_features < 2:
            raise ValueError("LOCO needs at least 2 features: without the only one nothing is left")
        view = columns_of(model, data)
        loss, y = resolve_loss(self.loss, view.task), view.response(y)
        original = loss(y, _predict(model, data, X))
        differences = np.empty((len(y), n_features))
        for j in range(n_features):
            rest = np.delete(np.arange(n_features), j)
            reduced = without(model, j, n_features).fit(data.train.X[:, rest], data.train.y)
            differences[:, j] = loss(y, _predict(reduced, data, X[:, rest])) - original
        tests = [one_sided_test(one, self.test, 0.95, rng) for one in differences.T]
        raw = np.array([found.p_value for found in tests])
        return ImportanceResult(
            differences.mean(axis=0),
            data.feature_names,
            std_error=differences.std(axis=0, ddof=1) / np.sqrt(len(y)),
            std_error_kind="over test rows, both fitted models held fixed",
            p_values=adjust(raw, self.adjustment),
            details={"raw_p_values": raw, "lower": np.array([found.lower for found in tests])},
        )


def without(model: Any, column: int, n_features: int) -> Any:
    """An unfitted copy of ``model`` for X without one column."""
    from sklearn.base import clone

    copy = clone(model)
    parameters = copy.get_params()
    for name in COLUMN_PARAMETERS:
        columns = parameters.get(name)
        if columns is not None and len(columns):
            kept = [c - (c > column) for c in columns if c != column]
            copy.set_params(**{name: kept})
    most = parameters.get("max_features")
    if isinstance(most, int) and not isinstance(most, bool) and most > n_features - 1:
        copy.set_params(max_features=n_features - 1)
    return copy


def _predict(model: Any, data: Dataset, X: FloatArray) -> FloatArray:
    view = columns_of(model, data)
    return view.predict(view.encode(X))

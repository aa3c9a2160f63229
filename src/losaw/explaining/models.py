"""The models that explain: forests for any table, boosting, or an estimator of the user's."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone, is_classifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.explaining.preparing import Prepared
from losaw.importance.without_columns import require_names
from losaw.scoring.folds import shuffled_folds, unfitted
from losaw.support.arguments import one_of
from losaw.support.errors import LosawError
from losaw.support.outcomes import means, probabilities
from losaw.support.words import counted

MODELS = {"forest": "a random forest", "gradient-boosting": "gradient boosting"}
_BELOW = 1.0
# So many rows show early that a model gives no usable predictions.
_TRIED = 1000
Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


class ClassInOneFold(LosawError):
    """All rows of a class are in one fold, since few clusters have it, or copies of few rows."""


class MissingNumbers(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Numbers in place of missing ones; categories stay.

    Parameters
    ----------
    below : bool, default True
        True: a value below all others, so that trees can split off missing values. False: the
        median, for models that take numbers as amounts.
    """

    # Each column of the output is made of the same column: trees behind it can be walked through.
    is_column_by_column = True

    def __init__(self, below: bool = True) -> None:
        self.below = below

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the value of every column of numbers."""
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        numbers = X.columns[X.dtypes != "category"]
        lowest, highest = X[numbers].min(), X[numbers].max()
        below = lowest - _BELOW - (highest - lowest)
        # A column without any value in these rows is constant here.
        self.values_ = (below if self.below else X[numbers].median()).fillna(0.0).to_dict()
        return self

    def transform(self, X: Any) -> Any:
        """The frame without missing numbers."""
        check_is_fitted(self)
        missing = {name: v for name, v in self.values_.items() if X[name].hasnans}
        return X.fillna(missing) if missing else X


def make_forest(
    data: Prepared, n_trees: int, seed: int, n_jobs: int | None, *, decorrelated: bool = False
) -> Any:
    """A Pipeline of a forest for numbers and factors, missing ones too.

    It is losawRF with its defaults if ``decorrelated``; else the same forest without weights
    (``eta=1``), which is a plain random forest. A third of the features, rounded up, is drawn at a
    node: a number, so that a forest that is fitted without a feature draws as many as before. Of
    two both: with one at random, the forest without the other would be less random.
    """
    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor

    kind = LosawRandomForestClassifier if data.labels else LosawRandomForestRegressor
    n_features = data.X.shape[1]
    drawn = 1.0 if n_features == 2 else -(-n_features // 3)
    forest = kind(
        n_trees, max_features=drawn, eta=0.25 if decorrelated else 1.0,
        n_jobs=n_jobs, random_state=seed % 2**31,
    )  # fmt: skip
    return make_pipeline(MissingNumbers(below=not decorrelated), forest)


def make_model(model: Any, data: Prepared, n_trees: int, seed: int, n_jobs: int | None) -> Any:
    """The model that PFI, CPI and LOCO explain."""
    if isinstance(model, str):
        if model == "forest":
            return make_forest(data, n_trees, seed, n_jobs)
        one_of("model", model, MODELS)
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        kind = HistGradientBoostingClassifier if data.labels else HistGradientBoostingRegressor
        return kind(categorical_features="from_dtype", random_state=seed % 2**31)
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        got += ": give an instance" if isinstance(model, type) else ""
        raise LosawError(
            f"model must be one of {', '.join(MODELS)} or an estimator of scikit-learn, got {got}"
        )
    if is_classifier(model) != bool(data.labels):
        raise LosawError(f"the task is {data.task}, which {type(model).__name__} does not solve")
    try:  # a column without information is left out, and LOCO leaves out each
        require_names(model, data.X.columns, "columns are left out here, so that places change")
        return unfitted(model, seed % 2**31)
    except ValueError as error:
        raise LosawError(f"model: {error}") from error


def splits_of(data: Prepared, folds: int, seed: int) -> Splits:
    """The rows to fit to and those held out, of every fold."""
    stratified, clusters = bool(data.labels), data.clusters
    made = shuffled_folds(folds, stratified, clusters is not None, seed % 2**32)
    splits = list(made.split(data.X, data.y, data.clusters))
    for code, label in enumerate(data.labels):
        if not all((data.y[train] == code).any() for train, _ in splits):
            together = np.arange(len(data.y)) if clusters is None else clusters
            few = counted(len(np.unique(together[data.y == code])), data.unit)
            raise ClassInOneFold(
                f"{'cluster: ' * data.is_clustered}in the {len(data.y):,} rows in use the class "
                f"{label} of {data.target} is in {few} and one fold has all of its rows; use more "
                "rows if there are more, merge it with another class, or leave its rows out"
            )
    return splits


def fit_each(model: Any, data: Prepared, splits: Splits) -> list[Any]:
    """Fit a copy of the model to the training rows of every fold, or say why it cannot be."""
    fitted, is_tried = [], not _is_ours(model)
    for train, held in splits:
        copy = clone(model)
        try:
            fitted.append(copy.fit(data.X.iloc[train], data.y[train]))
            for rows in (train, held) if is_tried else ():
                predicted(copy, data.X.iloc[rows[:_TRIED]], len(data.labels))
        except Exception as error:  # a model of the user's may raise anything
            raise LosawError(_refusal(copy, error, data)) from error
        if data.labels and not hasattr(copy, "predict_proba"):
            raise LosawError(
                f"model: {type(copy).__name__} has no predict_proba, so that no loss of its "
                "probabilities can be compared; wrap it in CalibratedClassifierCV"
            )
    return fitted


def _is_ours(model: Any) -> bool:
    """Whether it is of :func:`make_forest`: it takes all columns, and says itself what to do."""
    from losaw.forest.grown_forest import GrownForest

    return isinstance(model, Pipeline) and isinstance(model[-1], GrownForest)


def _refusal(model: Any, error: Exception, data: Prepared) -> str:
    """A model's own words, and what in the columns may be the reason."""
    own = " ".join(str(error).split())[:300]
    if _is_ours(model):
        return own
    factors = [n for n in data.X.columns if data.X[n].dtype == "category"]
    missing = [n for n in data.X.columns if data.X[n].isna().any()]
    hints = []
    if factors:
        hints.append(
            f"{', '.join(factors[:5])} contain levels (category): encode them, as "
            "make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), "
            "make_column_selector(dtype_include='category')), remainder='passthrough'), model)"
        )
    if missing:
        hints.append(f"{', '.join(missing[:5])} have missing values: impute them in the Pipeline")
    what, remedy = "this table", "fit it to such rows by hand first"
    if hints:
        what = "the columns of this table"
        remedy = f"{'. '.join(hints)}; or leave such columns out (drop)"
    return (
        f"model: {type(model).__name__} cannot be fitted to {what}, or predict "
        f"({type(error).__name__}: {own}). {remedy}"
    )


def predicted(model: Any, X: Any, n_classes: int) -> FloatArray:
    """Return the means of a regression (no classes), or probabilities: of the second of two."""
    return probabilities(model, X, n_classes) if n_classes else means(model, X)

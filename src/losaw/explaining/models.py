"""The models that explain: forests for any table, and fits that all methods share."""

import hashlib
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from losaw.data import FloatArray
from losaw.scoring.row_differences import weight_parameter
from losaw.support.errors import LosawError
from losaw.support.words import unknown

MODELS = ("forest", "gradient-boosting")
_BELOW = 1.0
# So many rows show early that a model gives no usable predictions.
_TRIED = 1000


class MissingNumbers(TransformerMixin, BaseEstimator):
    """Numbers in place of missing ones; categories stay.

    Parameters
    ----------
    below : bool, default True
        True: a value below all others, so that trees can split off missing values. False: the
        median, for models that take numbers as amounts.
    codes : bool, default False
        Categories as the numbers of their levels, for models that take numbers only.
    """

    def __init__(self, below: bool = True, codes: bool = False) -> None:
        self.below = below
        self.codes = codes

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
        if self.codes:
            X = X.apply(lambda x: x.cat.codes.astype(float) if x.dtype == "category" else x)
        return X.fillna({name: v for name, v in self.values_.items() if X[name].hasnans})

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns, unchanged."""
        return self.feature_names_in_


def make_forest(
    task: str,
    n_features: int,
    *,
    decorrelated: bool,
    n_trees: int,
    seed: int,
    n_jobs: int | None = None,
    weighted: bool = False,
) -> Any:
    """A Pipeline of a forest for numbers and factors, missing ones too.

    Parameters
    ----------
    n_features : int
        A third of them, rounded up, is drawn at a node: a number, so that a forest that is
        fitted without a feature draws as many as before.
    decorrelated : bool
        losawRF with its defaults; False: the same forest without weights (``eta=1``), which is a
        plain random forest.
    weighted : bool
        scikit-learn's random forest of the same size, which takes weights of rows. Levels are
        numbers to it.
    """
    from sklearn.pipeline import make_pipeline

    from losaw.forest import LosawRandomForestClassifier, LosawRandomForestRegressor

    kind = LosawRandomForestRegressor if task == "regression" else LosawRandomForestClassifier
    eta = 0.25 if decorrelated else 1.0
    drawn = -(-n_features // 3)
    if weighted:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        plain = RandomForestRegressor if task == "regression" else RandomForestClassifier
        size = {name: getattr(kind(), name) for name in ("max_depth", "min_samples_leaf")}
        options = {"max_features": drawn, "n_jobs": n_jobs, "random_state": seed, **size}
        return make_pipeline(MissingNumbers(codes=True), plain(n_trees, **options))
    forest = kind(n_trees, max_features=drawn, eta=eta, n_jobs=n_jobs, random_state=seed)
    return make_pipeline(MissingNumbers(below=not decorrelated), forest)


def make_model(model: Any, task: str, n_features: int, *, seed: int, **size: Any) -> Any:
    """The model that PFI, CPI and LOCO explain; ``size`` is that of :func:`make_forest`.

    Raises
    ------
    LosawError
        For an unknown name, or an object that is no estimator of the task.
    """
    from sklearn.base import is_classifier

    if model == "forest":
        return make_forest(task, n_features, decorrelated=False, seed=seed, **size)
    if model == "gradient-boosting":
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        is_regression = task == "regression"
        kind = HistGradientBoostingRegressor if is_regression else HistGradientBoostingClassifier
        return kind(categorical_features="from_dtype", random_state=seed)
    if isinstance(model, str):
        raise LosawError(unknown("model", model, MODELS))
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "get_params")):
        got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise LosawError(
            f"model must be one of {', '.join(MODELS)} or an estimator of scikit-learn, got {got}"
        )
    if is_classifier(model) != (task == "classification"):
        raise LosawError(f"the task is {task}, which {type(model).__name__} does not solve")
    return clone(model)


def fitted(model: Any, X: Any, y: Any, weights: FloatArray | None = None) -> Any:
    """Fit a model, with the weights of the rows where its fit takes them."""
    name = None if weights is None else weight_parameter(model)
    with warnings.catch_warnings():
        # Levels that a fold lacks, what weights cannot do: the page says it once.
        warnings.simplefilter("ignore")
        return model.fit(X, y, **({} if name is None else {name: weights}))


class Fits:
    """Fits of one model that are made once and shared by all methods.

    Parameters
    ----------
    names : sequence of str
        Only fits to all of these columns are kept.
    tick : callable
        Called after every fit.
    """

    def __init__(self, names: Any, tick: Callable[[], object]) -> None:
        self.names = tuple(names)
        self.tick = tick
        self.kept: dict[bytes, Any] = {}

    def __deepcopy__(self, memo: Any) -> "Fits":
        return self

    def fit(self, model: Any, X: Any, y: Any, weights: FloatArray | None) -> Any:
        """A fitted copy of ``model``, or the one that was fitted to the same rows before."""
        key = _digest(X, y, weights)
        if key in self.kept:
            return self.kept[key]
        made = fitted(clone(model), X, y, weights)
        self.tick()
        if tuple(X.columns) == self.names:
            _check_predictions(made, X.iloc[:_TRIED])
            self.kept[key] = made
        return made


def _check_predictions(model: Any, X: Any) -> None:
    """Raise ValueError unless every row has a finite prediction."""
    name, method = type(model).__name__, getattr(model, "predict_proba", model.predict)
    with warnings.catch_warnings(action="ignore"):
        found = np.asarray(method(X))
    if len(found) != len(X):
        raise ValueError(f"{name} gives {len(found)} predictions for {len(X)} rows")
    if found.dtype.kind == "f" and not np.isfinite(found).all():
        row = int(np.flatnonzero(~np.isfinite(found.reshape(len(X), -1)).all(axis=1))[0])
        raise ValueError(
            f"{name} predicts {found[row]} for a row that it was fitted to: {X.iloc[row].to_dict()}"
        )


class SharedFit(BaseEstimator):
    """A model whose fits to the same rows are shared by several methods.

    Parameters
    ----------
    model : estimator
    fits : Fits
    """

    def __init__(self, model: Any, fits: Fits) -> None:
        self.model = model
        self.fits = fits

    def __sklearn_clone__(self) -> "SharedFit":
        return SharedFit(clone(self.model), self.fits)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Use the stored fit to these rows, or make one."""
        # Named as scikit-learn names the fit of ``model``, so that refits find its steps.
        self.model_ = self.fits.fit(self.model, X, y, sample_weight)
        self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        return self

    def predict(self, X: Any) -> Any:
        """Predictions of the model."""
        return self._quietly(self.model_.predict, X)

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the model's classes."""
        return self._quietly(self.model_.predict_proba, X)

    @property
    def classes_(self) -> Any:
        return self.model_.classes_

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        return get_tags(self.model)

    @staticmethod
    def _quietly(function: Callable[[Any], Any], X: Any) -> Any:
        with warnings.catch_warnings(action="ignore"):
            return function(X)


def _digest(X: Any, y: Any, weights: FloatArray | None) -> bytes:
    """A digest of a training sample."""
    digest = hashlib.blake2b(digest_size=16)
    for name in X.columns:
        column = X[name]
        codes = column.cat.codes if column.dtype == "category" else column
        digest.update(np.ascontiguousarray(codes.to_numpy(dtype=float)).tobytes())
    digest.update(repr(np.asarray(y).dtype).encode())
    digest.update(np.ascontiguousarray(y).tobytes())
    digest.update(b"" if weights is None else weights.tobytes())
    return digest.digest()

"""Features chosen by an importance, as a step of a Pipeline."""

import importlib
import inspect
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.rng import as_generator, seed_integer
from losaw.support.words import unknown

# Function -> module; imported when it is used.
METHODS = {
    "air": "losaw.importance.actual_impurity_reduction",
    "boruta": "losaw.importance.boruta_selection",
    "cpi": "losaw.importance.conditional_predictive_impact",
    "loco": "losaw.importance.leave_one_covariate_out",
    "mdi": "losaw.importance.mean_decrease_in_impurity",
    "mdi_oob": "losaw.importance.out_of_bag_mdi",
    "pfi": "losaw.importance.permutation_feature_importance",
    "residual_importance": "losaw.importance.residual",
    "sage": "losaw.importance.shapley_global_importance",
    "split_improvement": "losaw.importance.split_improvements",
    "subgroups": "losaw.importance.conditional_subgroups",
    "tree_permutation": "losaw.importance.per_tree_permutation",
    "ufi": "losaw.importance.unbiased_feature_importance",
}


# They clone the estimator themselves, and have models of their own where there is none.
OWN_FITS = {"boruta", "residual_importance"}


class ImportanceSelector(SelectorMixin, BaseEstimator):
    """Keep the columns that an importance selects.

    Parameters
    ----------
    method : str or callable, default "cpi"
        A function of :mod:`losaw.importance`, or its name; parameters by
        ``functools.partial(cpi, sampler="gaussian")``.
    estimator : predictor or None, default None
        What is explained; None: a random forest of scikit-learn, of the task that y says (more
        than two whole numbers are taken for classes, with a warning); of Boruta and residual
        importance their papers' forests.
    fdr, fwer, top : float, float, int or None
        As in :meth:`losaw.ImportanceResult.select`; exactly one, or none for ``fdr=0.1`` of methods
        that test and half of the columns of others.
    cv : int or None, default 5
        Cross-fitting, of methods that take it: nothing is scored on rows that it was fitted to.
    random_state : int, Generator or None

    Attributes
    ----------
    result_ : ImportanceResult
    n_features_in_ : int
    feature_names_in_ : array of shape (``n_features_in_``,)
        Only after a fit on a data frame.

    Raises
    ------
    ValueError
        For an unknown method, or as the method and ``select`` do.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import ImportanceSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 4))
    >>> y = X[:, 1] + rng.standard_normal(300)
    >>> selector = ImportanceSelector("loco", estimator=LinearRegression(), top=1, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['x1']
    """

    def __init__(
        self,
        method: str | Callable[..., Any] = "cpi",
        *,
        estimator: Any = None,
        fdr: float | None = None,
        fwer: float | None = None,
        top: int | None = None,
        cv: int | None = 5,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.method = method
        self.estimator = estimator
        self.fdr = fdr
        self.fwer = fwer
        self.top = top
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score the columns of X (n_samples, n_features) and choose among them."""
        method = self._method()
        table: Any = X
        if hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True)
            response = np.asarray(y)
        else:
            table, response = validate_data(self, X, y, ensure_min_samples=2)
        rng = as_generator(self.random_state)
        parameters = inspect.signature(method).parameters
        options: dict[str, Any] = {}
        if "random_state" in parameters:
            options["random_state"] = rng
        if "cv" in parameters and self.cv is not None:
            options["cv"] = min(self.cv, len(response))
        model = self.estimator
        if not _fits_its_own(method):
            model = self._estimator(response, rng)
            model = model if "cv" in options else model.fit(table, response)
        self.result_ = method(model, table, response, **options)
        self._mask = np.isin(self._columns(table), self._selected())
        return self

    def _method(self) -> Callable[..., Any]:
        if callable(self.method):
            return self.method
        if self.method not in METHODS:
            raise ValueError(unknown("method", self.method, METHODS))
        module = importlib.import_module(METHODS[self.method])
        method: Callable[..., Any] = getattr(module, self.method)
        return method

    def _estimator(self, y: NDArray[Any], rng: np.random.Generator) -> Any:
        if self.estimator is not None:
            return clone(self.estimator)
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        is_number = type_of_target(y).startswith("continuous")
        n_values = len(np.unique(y))
        if y.dtype.kind in "iuf" and not is_number and n_values > 2:
            warnings.warn(
                f"y has {n_values} different whole numbers, which are taken for classes; for a "
                "regression give estimator=RandomForestRegressor()",
                stacklevel=3,
            )
        forest = RandomForestRegressor if is_number else RandomForestClassifier
        return forest(random_state=seed_integer(rng))

    def _selected(self) -> tuple[str, ...]:
        rates = {"fdr": self.fdr, "fwer": self.fwer, "top": self.top}
        given: dict[str, Any] = {name: value for name, value in rates.items() if value is not None}
        if not given:
            half = max(1, len(self.result_.scores) // 2)
            given = {"top": half} if self.result_.p_values is None else {"fdr": 0.1}
        names: tuple[str, ...] = self.result_.select(**given)
        return names

    def _columns(self, table: Any) -> list[str]:
        """The columns' names as the result has them, in the order of the table."""
        scored = self.result_.feature_names
        of_table = self.result_.table
        names = list(scored) if of_table is None else list(of_table.names)
        strange = set(scored) - set(names)
        if strange or len(names) != self.n_features_in_:
            raise ValueError(
                f"the method scores {sorted(strange or scored)[0]!r}, which is no column of X: a "
                "selector keeps columns, so leave groups= out"
            )
        return names

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(self._mask)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = False
        return tags


def _fits_its_own(method: Callable[..., Any]) -> bool:
    inner = getattr(method, "func", method)  # of a functools.partial
    return getattr(inner, "__name__", "") in OWN_FITS

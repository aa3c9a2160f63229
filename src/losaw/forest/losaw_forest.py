"""The base of the losaw forests: parameters, and the steps of a fit."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale, select_adjustment_features
from losaw.forest.ensemble import draw_seeds, grow_forest
from losaw.forest.forest_columns import Columns, Levels, read_columns
from losaw.forest.growing.arrays import Settings
from losaw.forest.grown_forest import GrownForest
from losaw.forest.precision import precision_of
from losaw.forest.preparation import add_adjustment, prepare
from losaw.forest.validation import (
    check_max_depth,
    check_max_features,
    check_n_trees,
    check_spread,
    refuse_ambiguous_numbers,
    resolve_discrete,
)
from losaw.rng import as_generator
from losaw.support.arguments import (
    array_of,
    check_same_order,
    check_unique,
    estimator_rows,
    real_number,
    truth_value,
    unmasked,
    whole_number,
)
from losaw.support.outcomes import require_known
from losaw.support.threads import checked_jobs
from losaw.tables.reading import to_pandas
from losaw.weighting.checks import check_eta
from losaw.weighting.levels import chosen_columns


@dataclass(eq=False, repr=False)
class LosawForest(GrownForest):
    """Parameters and fitted state of a losaw forest; see its two kinds for their meaning."""

    n_estimators: int = 100
    _: KW_ONLY
    max_depth: int | None = 10
    min_samples_leaf: int = 5
    max_features: int | float | str | None = 1 / 3
    eta: float = 0.25
    n_adjustment: int = 10
    correlation_threshold: float = 0.1
    n_initial_estimators: int = 20
    discrete_features: str | ArrayLike = "auto"
    nominal_features: str | ArrayLike = "auto"
    bootstrap: bool = True
    n_jobs: int | None = None
    random_state: int | np.random.Generator | None = None

    def _read(
        self, X: ArrayLike, y: ArrayLike, **checks: Any
    ) -> tuple[Columns, FloatArray, NDArray[Any]]:
        """Read the columns, the rows with codes in place of levels, and the responses."""
        self.__dict__.pop("forest_", None)  # a refused or interrupted fit leaves an unfitted one
        check_unique(getattr(X, "columns", ()))
        check_same_order(X, "y", y)
        refuse_ambiguous_numbers(
            X, nominal_features=self.nominal_features, discrete_features=self.discrete_features
        )
        responses = array_of(y)
        if responses.dtype.kind == "O" and responses.ndim:
            require_known(responses)
        given = responses if isinstance(y, list | tuple) else unmasked(y)
        if responses.dtype.kind == "O" and responses.ndim == 1:
            plain = np.array(responses.tolist())  # of whole numbers or truth values among text
            given = plain if plain.dtype.kind in "biuf" else given
        columns, coded = read_columns(unmasked(X))
        return columns, *estimator_rows(self, coded, given, **checks)

    def _grow(
        self, given: ArrayLike, columns: Columns, X: FloatArray, y: FloatArray, n_classes: int = 0
    ) -> None:
        """Choose kinds of features and adjustment features of read rows, and grow the trees.

        ``y`` are class numbers if there are ``n_classes`` of them, ``given`` the rows before they
        were read.
        """
        names = getattr(self, "feature_names_in_", None)
        n_samples, n_features = X.shape
        eta = check_eta(self.eta)
        n_trees = check_n_trees("n_estimators", self.n_estimators)
        n_adjustment = whole_number("n_adjustment", self.n_adjustment, 0)
        n_initial = check_n_trees("n_initial_estimators", self.n_initial_estimators)
        threshold = real_number("correlation_threshold", self.correlation_threshold, 0, 1)
        n_threads = checked_jobs(self.n_jobs)
        settings = Settings(
            max_depth=check_max_depth(self.max_depth),
            min_samples_leaf=whole_number("min_samples_leaf", self.min_samples_leaf, 1),
            max_features=check_max_features(self.max_features, n_features),
            eta=eta,
            bootstrap=truth_value("bootstrap", self.bootstrap),
        )
        if n_samples < 2 * settings.min_samples_leaf:
            raise ValueError(
                f"n_samples={n_samples} is fewer than 2 * min_samples_leaf = "
                f"{2 * settings.min_samples_leaf}: no tree could have a split; give more rows or a "
                "smaller min_samples_leaf"
            )
        named = chosen_columns("nominal_features", self.nominal_features, n_features, names)
        is_nominal = np.zeros(n_features, dtype=bool) if named is None else named
        is_nominal[columns.nominal] = True
        columns = columns.with_nominal_numbers(X, is_nominal)
        precision = precision_of(given, is_nominal)
        X = columns.code_numbers(X)
        categorical = is_nominal.copy()
        categorical[list(columns.levels)] = True
        is_discrete, levels = resolve_discrete(self.discrete_features, X, names, categorical)
        rng = as_generator(self.random_state)

        location, scale = location_and_scale(X)
        data = prepare(X, y, is_discrete, is_nominal, levels, location, scale, n_classes)
        adjustment = np.zeros((n_features, n_features), dtype=bool)
        if eta < 1.0 and n_adjustment > 0:
            importances = None
            if n_features > n_adjustment:
                plain = settings._replace(eta=1.0)
                initial = grow_forest(data, plain, draw_seeds(rng, n_initial), n_threads)
                importances = initial.importances.mean(axis=0)
            adjustment = select_adjustment_features(
                X, location, scale, importances, n_adjustment, threshold, is_nominal
            )
            check_spread(X, scale, adjustment, is_discrete, names)
            data = add_adjustment(data, X, adjustment)
        forest = grow_forest(data, settings, draw_seeds(rng, n_trees), n_threads)
        forest.nodes.value[:] += y.mean()
        self.adjustment_, self.is_discrete_, self.is_nominal_ = adjustment, is_discrete, is_nominal
        self._columns, self._eta, self._precision = columns, eta, precision
        self.forest_ = forest

    def _read_rows(self, X: ArrayLike) -> FloatArray:
        X = to_pandas(X)
        if hasattr(X, "columns"):  # levels are read by the column's place
            validate_data(self, X, reset=False, skip_check_array=True)
        rows = super()._read_rows(self._columns.encode(unmasked(X)))
        return self._columns.code_numbers(rows, getattr(self, "feature_names_in_", None))

    @property
    def categories_(self) -> dict[Any, list[Any]]:
        """Levels in the order of their codes, by the name (or number) of the feature."""
        check_is_fitted(self)
        named = self._columns.levels
        every = dict(named)
        for column, values in self._columns.numbers.items():
            found = values.tolist()
            if column in named:  # an ordered category that is taken as nominal: these are ranks
                found = [named[column].values[int(rank)] for rank in found]
            every[column] = Levels(tuple(found), False)
        names = getattr(self, "feature_names_in_", None)
        return {
            column if names is None else names[column]: list(levels.values)
            for column, levels in sorted(every.items())
        }

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of the standardised importances (losaw, Definition 4.6)."""
        check_is_fitted(self)
        return np.asarray(self.forest_.importances.mean(axis=0))

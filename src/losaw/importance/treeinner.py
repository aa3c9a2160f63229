"""TreeInner and ForestInner: attributions against what a tree has yet to explain (Sun 2022).

Total gain is the same on the rows that the trees were grown on, and absolute attributions are what
the paper compares with.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.support.arguments import check_same_order, one_of
from losaw.support.models import inside
from losaw.tables import read_table
from losaw.tables.columns import Kinds
from losaw.tables.fitted_columns import require_order_of_fit
from losaw.tables.groups import Groups, units_of
from losaw.tables.reading import to_pandas
from losaw.trees.attributions import ATTRIBUTIONS, attribution_sums
from losaw.trees.booster import as_booster
from losaw.trees.view import forest_rows

LEVELS = ("tree", "forest")
ERROR_KIND = "over rows, the booster held fixed; of rows that it has not seen"


def _check(attribution: str, level: str = "tree") -> None:
    one_of("attribution", attribution, ATTRIBUTIONS)
    one_of("level", level, LEVELS)


@checked_by(_check)
def treeinner(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    attribution: str = "predecomp",
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ImportanceResult:
    """Inner product of a tree's attributions with the residuals before it, summed over trees,

        TreeInner_k = (1 / eta) sum_m sum_i r_mk(x_i) (y_i - f_[m-1](x_i))

    (Definition 4, Equation (21); for classification the residual is y - P(Y = 1)). On training
    rows with PreDecomp this is xgboost's total gain (Proposition 3), if every tree was grown on
    all of them (``subsample=1``). On rows that the trees have not seen, noise features score around
    or below 0.

    Parameters
    ----------
    model : xgboost.Booster, XGBRegressor or XGBClassifier, or a Pipeline that ends with one
        Trained with squared error or binary log-loss, without L1 penalty or an objective of its
        own. Weights of rows that are not whole numbers are refused, as is a base margin. Whole
        weights cannot be seen, nor a base margin with the mean of y or beside ``base_score`` or
        ``subsample``, nor a slice without the first trees (``booster[3:8]``), whose residuals
        would be others.
    X : array or data frame of shape (n_samples, n_features)
        Best rows that the model has not seen; missing values go where xgboost sends them. In a
        study the test sample, the paper's validation data, unless ``rows: train`` is given.
    y : array of shape (n_samples,)
        Responses, or classes 0 and 1.
    attribution : {"predecomp", "saabas", "treeshap"}, default "predecomp"
        The attributions r. "saabas" uses the expected output below a node (Equation (8)); TreeSHAP
        takes longer.
    groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`; scores of a group are summed.

    Returns
    -------
    ImportanceResult
        ``std_error``: the score is a sum over rows, so that its error is sqrt(n) times the standard
        deviation of the rows' contributions, the booster held fixed. It is valid for rows that the
        booster has not seen; the rows of the fit are not a sample of new ones.

    Raises
    ------
    ValueError, TypeError
        For another model, or one of more than two classes, several outputs, parallel trees or
        categorical splits; for columns that are not those of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from xgboost import XGBRegressor
    >>> from losaw.importance import treeinner
    >>> X = np.random.default_rng(0).standard_normal((300, 3))
    >>> model = XGBRegressor(n_estimators=20).fit(X[:200], X[:200, 0])
    >>> treeinner(model, X[200:], X[200:, 0]).select(top=1)
    ('X1',)
    """
    _check(attribution)
    check_same_order(X, "y", y)
    last = inside(model)
    if last.before is not None:
        sample = forest_rows(model, X, y, groups, kinds, feature_names)
        if sample.were_sparse and hasattr(sample.forest, "get_booster"):
            raise ValueError(
                "the pipeline gives sparse rows, whose absent entries are missing values to "
                "xgboost; fit it with OneHotEncoder(sparse_output=False), or with "
                "sparse_threshold=0 of a ColumnTransformer"
            )
        rows, y, names, kinds_found = sample.rows, sample.y, sample.names, sample.kinds
        unit_of_column = sample.unit_of_column
    else:
        table = read_table(X, kinds=kinds, feature_names=feature_names)
        of_booster = getattr(last.model, "feature_names", None)
        require_order_of_fit(getattr(last.model, "feature_names_in_", of_booster), table)
        units, rows = units_of(table.names, groups), to_pandas(X)
        names, kinds_found = units.names, table.kinds_of(units.members)
        unit_of_column = units.of_columns
    sums = attribution_sums(last.model, rows, y, attribution)
    scores = np.bincount(unit_of_column, sums.inner, minlength=len(names)).astype(float)
    of_rows = np.zeros((len(sums.inner_of_rows), len(names)))
    np.add.at(of_rows.T, unit_of_column, sums.inner_of_rows.T)
    n_rows = len(of_rows)
    error = np.sqrt(n_rows) * of_rows.std(axis=0, ddof=1) if n_rows > 1 else None
    return ImportanceResult(
        scores,
        names,
        std_error=error,
        std_error_kind=None if error is None else ERROR_KIND,
        degrees_of_freedom=n_rows - 1 if n_rows > 1 else None,
        method=parameter_repr("treeinner", attribution=attribution),
        kinds=kinds_found,
    )


@checked_by(_check)
def forest_inner(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    attribution: str = "predecomp",
    feature_names: Sequence[str],
) -> ImportanceResult:
    """Inner product of the ensemble's attributions with the summed residuals,

        ForestInner_k = (1 / eta) sum_i (sum_m r_mk(x_i)) (sum_m (y_i - f_[m-1](x_i)))

    (Definition 5, first line of Equation (22), which is the authors' code. The second line of
    that equation, the inner product with y, is another number.) Parameters are those of
    :func:`treeinner`.
    """
    sums = attribution_sums(model, X, y, attribution)
    return ImportanceResult(sums.forest_inner, tuple(feature_names))


@checked_by(_check)
def absolute_attribution(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    attribution: str = "predecomp",
    level: str = "tree",
    feature_names: Sequence[str],
) -> ImportanceResult:
    """Summed magnitude of the attributions, either of every tree or of the ensemble,

        Abs_k = sum_m sum_i abs(r_mk(x_i))      (level "tree", the authors' code)
        Abs_k = sum_i abs(sum_m r_mk(x_i))      (level "forest", the usual mean |SHAP|).

    (Section 4.4; the text leaves the level open.) Other parameters are those of :func:`treeinner`.
    """
    sums = attribution_sums(model, X, y, attribution)
    scores = sums.absolute if level == "tree" else np.abs(sums.forest).sum(axis=0)
    return ImportanceResult(scores, tuple(feature_names))


def total_gain(model: Any, *, feature_names: Sequence[str]) -> ImportanceResult:
    """Summed decrease of the penalised training loss by the splits on a feature,

        TotalGain_k = sum over trees and splits t on k of
                      G_l^2 / (H_l + lambda) + G_r^2 / (H_r + lambda) - G_t^2 / (H_t + lambda),

    as xgboost reports it (TreeInner, Definitions 2 and 3).
    """
    return ImportanceResult(reported_total_gain(model), tuple(feature_names))


def total_gain_deviation(
    model: Any, X: ArrayLike, y: ArrayLike, *, feature_names: Sequence[str]
) -> ImportanceResult:
    """Distance between two computations of the normalised total gain,

        abs(T_k / sum T - S_k / sum S),

    T from attributions on the training rows X and y (Proposition 3), S as xgboost reports it. A
    check of numerical exactness, not an importance (TreeInner, Section 4.3 and Figure 1).
    """
    ours = attribution_sums(model, X, y, "predecomp").inner
    reported = reported_total_gain(model)
    distance = np.abs(ours / ours.sum() - reported / reported.sum())
    return ImportanceResult(distance, tuple(feature_names))


def reported_total_gain(model: Any) -> FloatArray:
    """``get_score(importance_type="total_gain")`` with a 0 for features without a split."""
    booster = as_booster(model)
    score = booster.get_score(importance_type="total_gain")
    names = booster.feature_names or [f"f{index}" for index in range(booster.num_features())]
    return np.array([score.get(name, 0.0) for name in names], dtype=float)

"""TreeInner and ForestInner: attributions against what a tree has yet to explain (Sun 2022)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import Dataset, FloatArray, Sample
from losaw.fitted_trees.attributions import ATTRIBUTIONS, AttributionSums, attribution_sums
from losaw.fitted_trees.forest_rows import forest_rows
from losaw.scoring.explained import kinds_of
from losaw.scoring.parameter_repr import Described, described
from losaw.scoring.result import ImportanceResult
from losaw.support.words import unknown
from losaw.tables import read_table
from losaw.tables.groups import Groups, Units, chosen_units, units_of
from losaw.tables.kinds import Kinds

ROWS = ("test", "train")
ERROR_KIND = "over rows, the booster held fixed; of rows that it has not seen"


class _AttributionScore(Described):
    """A score made of the sums of one attribution on one sample."""

    example_learner = "xgboost"

    def __init__(self, rows: str = "test", attribution: str = "predecomp") -> None:
        self.rows = check_rows(rows)
        if attribution not in ATTRIBUTIONS:
            raise ValueError(unknown("attribution", attribution, ATTRIBUTIONS))
        self.attribution = attribution

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of a fitted xgboost model; ``rng`` is not used."""
        X, y = sample_of(data, self.rows)
        scores = self._scores(attribution_sums(model, X, y, self.attribution))
        return ImportanceResult(scores, data.feature_names)

    def _scores(self, sums: AttributionSums) -> FloatArray:
        raise TypeError(f"{type(self).__name__} does not say what it makes of the sums")


class TreeInner(_AttributionScore):
    """Inner product of a tree's attributions with the residuals before it, summed over trees,

        TreeInner_k = (1 / eta) sum_m sum_i r_mk(x_i) (y_i - f_[m-1](x_i))

    (Definition 4, Equation (21); for classification the residual is y - P(Y = 1)). On training
    rows with PreDecomp this is xgboost's total gain (Proposition 3). On rows that the trees have
    not seen, noise features score around or below 0.

    Parameters
    ----------
    rows : {"test", "train"}, default "test"
        The sample of the sum; the paper's validation data are our test data.
    attribution : {"predecomp", "saabas", "treeshap"}, default "predecomp"
        r; "saabas" goes by the expected output below a node (Equation (8)), TreeSHAP takes longer.
    """

    def _scores(self, sums: AttributionSums) -> FloatArray:
        return sums.inner


class ForestInner(_AttributionScore):
    """Inner product of the ensemble's attributions with the summed residuals,

        ForestInner_k = (1 / eta) sum_i (sum_m r_mk(x_i)) (sum_m (y_i - f_[m-1](x_i)))

    (Definition 5, first line of Equation (22), which is the authors' code. The second line of
    that equation, the inner product with y, is another number.)

    Parameters
    ----------
    rows, attribution
        As of :class:`TreeInner`.
    """

    def _scores(self, sums: AttributionSums) -> FloatArray:
        return sums.forest_inner


class AbsoluteAttribution(_AttributionScore):
    """Summed magnitude of the attributions, per tree or of the ensemble,

        Abs_k = sum_m sum_i abs(r_mk(x_i))      (level "tree", the authors' code)
        Abs_k = sum_i abs(sum_m r_mk(x_i))      (level "forest", the usual mean |SHAP|).

    (Section 4.4; the text leaves the level open.)

    Parameters
    ----------
    rows, attribution
        As of :class:`TreeInner`.
    level : {"tree", "forest"}, default "tree"
    """

    def __init__(
        self, rows: str = "test", attribution: str = "predecomp", level: str = "tree"
    ) -> None:
        super().__init__(rows, attribution)
        if level not in ("tree", "forest"):
            raise ValueError(unknown("level", level, ("tree", "forest")))
        self.level = level

    def _scores(self, sums: AttributionSums) -> FloatArray:
        return sums.absolute if self.level == "tree" else np.abs(sums.forest).sum(axis=0)


def treeinner(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    attribution: str = "predecomp",
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
) -> ImportanceResult:
    """TreeInner of your own xgboost model on any sample, see :class:`TreeInner`.

    Parameters
    ----------
    model : xgboost.Booster, XGBRegressor or XGBClassifier, or a Pipeline that ends with one
        Trained with squared error or binary log-loss, without L1 penalty.
    X : array or data frame of shape (n_samples, n_features)
        Rows that the model has not seen, best; missing values go where xgboost sends them.
    y : array of shape (n_samples,)
        Responses, or classes 0 and 1.
    attribution : {"predecomp", "saabas", "treeshap"}, default "predecomp"
    features, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`; scores of a group are summed.

    Returns
    -------
    ImportanceResult
        ``std_error``: the score is a sum over rows, n rows times the mean of what each adds, so
        that its error is sqrt(n) times their standard deviation, the booster held fixed. It holds
        for rows that the booster has not seen; those it was fitted to are no sample of new ones.

    Raises
    ------
    ValueError, TypeError
        See :func:`losaw.fitted_trees.booster.read_booster`.

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
    if hasattr(model, "steps") or hasattr(model, "best_estimator_"):
        sample = forest_rows(model, X, y, groups, kinds, feature_names)
        sums = attribution_sums(sample.forest, sample.rows, sample.y, attribution, of_rows=True)
        names, unit_of_column, kinds_found = sample.names, sample.unit_of_column, sample.kinds
    else:
        table = read_table(X, kinds=kinds, feature_names=feature_names)
        rows = X.to_pandas() if hasattr(X, "to_pandas") else X
        sums = attribution_sums(model, rows, y, attribution, of_rows=True)
        units = units_of(table.names, groups)
        names, kinds_found = units.names, kinds_of(table, units.members)
        unit_of_column = np.empty(len(table.names), dtype=np.intp)
        for unit, members in enumerate(units.members):
            unit_of_column[members] = unit
    scores = np.bincount(unit_of_column, sums.inner, minlength=len(names)).astype(float)
    of_rows = np.zeros((len(sums.inner_of_rows), len(names)))
    np.add.at(of_rows.T, unit_of_column, sums.inner_of_rows.T)
    n_rows = len(of_rows)
    error = np.sqrt(n_rows) * of_rows.std(axis=0, ddof=1) if n_rows > 1 else None
    shown = chosen_units(Units(names, ()), features)
    return ImportanceResult(
        scores[shown],
        tuple(names[unit] for unit in shown),
        std_error=None if error is None else error[shown],
        std_error_kind=None if error is None else ERROR_KIND,
        degrees_of_freedom=n_rows - 1 if n_rows > 1 else None,
        method=described("treeinner", attribution=attribution),
        kinds=tuple(kinds_found[unit] for unit in shown),
    )


def sample_of(data: Dataset, rows: str) -> Sample:
    """The sample that ``rows`` names."""
    return data.test if rows == "test" else data.train


def check_rows(rows: str) -> str:
    """``rows`` if it is one of ROWS."""
    if rows not in ROWS:
        raise ValueError(unknown("rows", rows, ROWS))
    return rows

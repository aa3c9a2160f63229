"""Trend estimators as importances: how strong a trend is, or which way it goes."""

from typing import Any

import numpy as np

from losaw.data import Dataset, FloatArray
from losaw.rng import as_generator
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult
from losaw.support.outcomes import is_classifier, numeric_response
from losaw.support.words import unknown
from losaw.trends.result import TrendResult


class TrendImportance(Described):
    """Absolute value of a trend estimate, or the estimate itself.

    Parameters
    ----------
    estimator : str
        ``atr``, ``rtr``, ``linear-coefficient``, ``pearson``, ``spearman``, ``shap-pearson`` or
        ``shap-spearman``; traversal rates and Shapley values are those of the fitted model, the
        others of the training sample. See :mod:`losaw.trends`.
    signed : bool, default False
        Score every feature with its estimate, which is negative for a falling trend, instead of
        the absolute value. A ranking then puts falling trends last.
    weighting : str or None
        Option of atr and rtr.
    form : str or None
        Option of rtr.
    standardized : bool or None
        Option of linear-coefficient.
    n_rows : int or None
        Option of shap-pearson and shap-spearman. None is the estimator's default, here and above.

    Notes
    -----
    Absolute values of linear-coefficient come with their p-values, unless features are linearly
    dependent.

    Raises
    ------
    ValueError
        For an unknown estimator, an option that it does not have, or more than two classes; for
        rtr of a classifier: which class is called the second would decide on the size.
    """

    examples: tuple[dict[str, Any], ...] = ({}, {"signed": True})

    def __init__(
        self,
        estimator: str,
        signed: bool = False,
        weighting: str | None = None,
        form: str | None = None,
        standardized: bool | None = None,
        n_rows: int | None = None,
    ) -> None:
        if estimator not in _ESTIMATORS:
            raise ValueError(unknown("trend estimator", estimator, _ESTIMATORS))
        given = {
            "weighting": weighting,
            "form": form,
            "standardized": standardized,
            "n_rows": n_rows,
        }
        self.estimator = estimator
        self.signed = signed
        self.weighting = weighting
        self.form = form
        self.standardized = standardized
        self.n_rows = n_rows
        self.options = {name: value for name, value in given.items() if value is not None}
        allowed = _OPTIONS[estimator]
        for name in self.options:
            if name not in allowed:
                known = ", ".join(allowed) or "none"
                raise ValueError(f"{estimator} has no option {name!r} (its options: {known})")

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of all features; ``rng`` draws the rows of Shapley values."""
        rng = as_generator(rng)
        trend = _ESTIMATORS[self.estimator](model, data, rng, **self.options)
        if self.signed:
            return ImportanceResult(trend.estimates, data.feature_names, details={"trend": trend})
        p_values = trend.p_values
        tested = p_values is not None and bool(np.isfinite(p_values).all())
        return ImportanceResult(
            trend.size,
            data.feature_names,
            p_values=p_values if tested else None,
            details={"trend": trend},
        )


def _absolute_traversal_rate(
    model: Any, data: Dataset, rng: np.random.Generator, **options: Any
) -> TrendResult:
    from losaw.trends.traversal_rate import absolute_traversal_rate

    return absolute_traversal_rate(model, **options)


def _relative_traversal_rate(
    model: Any, data: Dataset, rng: np.random.Generator, **options: Any
) -> TrendResult:
    from losaw.trends.traversal_rate import relative_traversal_rate

    if is_classifier(model):
        raise ValueError(
            "rtr is relative to the share of the second class: the scores would change with the "
            "names of the classes; use atr"
        )
    return relative_traversal_rate(model, **options)


def _linear_coefficient(
    model: Any, data: Dataset, rng: np.random.Generator, **options: Any
) -> TrendResult:
    from losaw.trends.linear import linear_coefficient

    return linear_coefficient(data.train.X, _response(data), **options)


def _response(data: Dataset) -> FloatArray:
    return numeric_response(data.train.y, data.task)


def _target(method: str) -> Any:
    def correlate(model: Any, data: Dataset, rng: np.random.Generator) -> TrendResult:
        from losaw.trends.correlation import target_correlation

        return target_correlation(data.train.X, _response(data), method=method)

    return correlate


def _shapley(method: str) -> Any:
    def correlate(
        model: Any, data: Dataset, rng: np.random.Generator, **options: Any
    ) -> TrendResult:
        from losaw.trends.correlation import shapley_correlation

        return shapley_correlation(model, data.train.X, method=method, random_state=rng, **options)

    return correlate


_ESTIMATORS: dict[str, Any] = {
    "atr": _absolute_traversal_rate,
    "rtr": _relative_traversal_rate,
    "linear-coefficient": _linear_coefficient,
    "pearson": _target("pearson"),
    "spearman": _target("spearman"),
    "shap-pearson": _shapley("pearson"),
    "shap-spearman": _shapley("spearman"),
}
_OPTIONS: dict[str, tuple[str, ...]] = {
    "atr": ("weighting",),
    "rtr": ("form", "weighting"),
    "linear-coefficient": ("standardized",),
    "pearson": (),
    "spearman": (),
    "shap-pearson": ("n_rows",),
    "shap-spearman": ("n_rows",),
}

"""Trend estimators as importances: the strength of a trend, or its direction."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.rng import as_generator
from losaw.scoring.checked import checked_by
from losaw.scoring.importance_result import ImportanceResult
from losaw.support.arguments import one_of
from losaw.support.outcomes import is_classifier, numeric_response, task_of

OPTIONS: dict[str, tuple[str, ...]] = {
    "atr": ("weighting",),
    "rtr": ("form", "weighting"),
    "linear-coefficient": ("standardized",),
    "pearson": (),
    "spearman": (),
    "shap-pearson": ("n_rows",),
    "shap-spearman": ("n_rows",),
}


def _check(
    estimator: str,
    weighting: str | None,
    form: str | None,
    standardized: bool | None,
    n_rows: int | None,
) -> dict[str, Any]:
    """Return the given options; refuse one that the estimator does not know."""
    one_of("trend estimator", estimator, OPTIONS)
    options = {
        "weighting": weighting,
        "form": form,
        "standardized": standardized,
        "n_rows": n_rows,
    }
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in OPTIONS[estimator]:
            known = ", ".join(OPTIONS[estimator]) or "none"
            raise ValueError(f"{estimator} has no option {name!r} (its options: {known})")
    return given


@checked_by(_check)
def trend(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    estimator: str,
    signed: bool = False,
    weighting: str | None = None,
    form: str | None = None,
    standardized: bool | None = None,
    n_rows: int | None = None,
    feature_names: Sequence[str],
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Strength of a feature's trend, the absolute value of an estimate; or the signed estimate.

    Parameters
    ----------
    model : fitted model
        Its traversal rates and Shapley values are read from it.
    X, y : array of shape (n_samples, n_features), array of shape (n_samples,)
        The training sample, for the other estimators.
    estimator : str
        ``atr``, ``rtr``, ``linear-coefficient``, ``pearson``, ``spearman``, ``shap-pearson`` or
        ``shap-spearman``. See :mod:`losaw.trends`.
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
    feature_names : sequence of str
    random_state : int, Generator or None
        Draws the rows of Shapley values.

    Returns
    -------
    ImportanceResult
        Absolute values of linear-coefficient come with their p-values, unless features are linearly
        dependent. ``details``: those of the estimator.

    Raises
    ------
    ValueError
        For an unknown estimator, an option that it does not have, or more than two classes; for
        rtr of a classifier, whose size would depend on which class comes second.
    """
    options = _check(estimator, weighting, form, standardized, n_rows)
    found = _estimate(estimator, model, X, y, as_generator(random_state), options)
    names = tuple(feature_names)
    if signed:
        return ImportanceResult(found.scores, names, details=found.details)
    p_values = found.p_values
    tested = p_values is not None and bool(np.isfinite(p_values).all())
    return ImportanceResult(
        np.abs(found.scores), names, p_values=p_values if tested else None, details=found.details
    )


def _estimate(
    estimator: str,
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    rng: np.random.Generator,
    options: dict[str, Any],
) -> ImportanceResult:
    from losaw import trends

    if estimator == "atr":
        return trends.absolute_traversal_rate(model, **options)
    if estimator == "rtr":
        if is_classifier(model):
            raise ValueError(
                "rtr is relative to the share of the second class: the scores would change with "
                "the names of the classes; use atr"
            )
        return trends.relative_traversal_rate(model, **options)
    if estimator.startswith("shap-"):
        method = estimator.removeprefix("shap-")
        return trends.shapley_correlation(model, X, method=method, random_state=rng, **options)
    response = numeric_response(y, task_of(model))
    if estimator == "linear-coefficient":
        return trends.linear_coefficient(X, response, **options)
    return trends.target_correlation(X, response, method=estimator)

"""Trend estimators as importances: the strength of a trend, or its direction."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw import trends
from losaw.rng import as_generator
from losaw.scoring.result import ImportanceResult, checked_by
from losaw.support.arguments import one_of
from losaw.support.models import is_classifier, task_of
from losaw.support.outcomes import numeric_response

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
        "weighting": weighting, "form": form, "standardized": standardized, "n_rows": n_rows,
    }  # fmt: skip
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

    The estimators are those of :mod:`losaw.trends`, each with its options, whose None is the
    default there. Traversal rates and Shapley values are read from the model, the others computed
    from the training sample. With ``signed`` a ranking puts falling trends last. Absolute values of
    linear-coefficient come with their p-values, unless features are linearly dependent.
    """
    options = _check(estimator, weighting, form, standardized, n_rows)
    if estimator == "atr":
        estimate = trends.absolute_traversal_rate(model, **options)
    elif estimator == "rtr":
        if is_classifier(model):
            raise ValueError(
                "rtr is relative to the share of the second class: the scores would change with "
                "the names of the classes; use atr"
            )
        estimate = trends.relative_traversal_rate(model, **options)
    elif estimator.startswith("shap-"):
        method, rng = estimator.removeprefix("shap-"), as_generator(random_state)
        estimate = trends.shapley_correlation(model, X, method=method, random_state=rng, **options)
    else:
        response = numeric_response(y, task_of(model))
        if estimator == "linear-coefficient":
            estimate = trends.linear_coefficient(X, response, **options)
        else:
            estimate = trends.target_correlation(X, response, method=estimator)
    names = tuple(feature_names)
    if signed:
        return ImportanceResult(estimate.scores, names, details=estimate.details)
    p_values = estimate.p_values
    if p_values is not None and not np.isfinite(p_values).all():
        p_values = None
    return ImportanceResult(
        np.abs(estimate.scores), names, p_values=p_values, details=estimate.details
    )

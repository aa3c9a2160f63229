"""Conditional predictive impact (Watson & Wright 2021; Blesch, Watson & Wright 2024)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.knockoffs.shared import SharedKnockoffs
from losaw.rng import as_generator
from losaw.scoring.checked import checked_by
from losaw.scoring.draw_differences import (
    differences_of_draws,
    draws_of,
    sampler_of,
    with_knockoffs,
)
from losaw.scoring.importance_result import ImportanceResult, parameter_repr
from losaw.scoring.losses import Loss, LossName, loss_name, loss_of_scoring
from losaw.scoring.model_on_table import ModelOnTable
from losaw.scoring.one_sided_tests import Adjustment, TestName, check_test
from losaw.scoring.rows import Options, read_rows
from losaw.scoring.tests import Differences, Numbers, Testing, fits, tested
from losaw.support.arguments import whole_number
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

ERROR_KIND = "over test rows, the fitted model and the drawn knockoffs held fixed"


def _check(
    sampler: Any,
    sampler_parameters: Mapping[str, Any] | None,
    test: str,
    adjustment: str,
    level: float,
    n_draws: int,
) -> None:
    check_test(test, adjustment)
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level!r}")
    whole_number("n_draws", n_draws, 1)
    sampler_of(sampler, sampler_parameters)


def _share(
    parameters: Mapping[str, Any], stream: Callable[[str], np.random.Generator]
) -> dict[str, Any]:
    """Draw from the data set's own stream, so that its learners share the draws."""
    sampler, of_sampler = parameters["sampler"], parameters["sampler_parameters"] or {}
    shared = SharedKnockoffs(
        sampler_of(sampler, of_sampler),
        parameter_repr(sampler, **of_sampler),
        stream(f"knockoffs:{sampler}"),
    )
    return {**parameters, "sampler": shared, "sampler_parameters": None}


@checked_by(_check, _share)
def cpi(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sampler: Any = "conditional",
    sampler_parameters: Mapping[str, Any] | None = None,
    n_draws: int = 1,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    test: TestName = "t",
    adjustment: Adjustment = "none",
    level: float = 0.95,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Estimate the mean increase in loss when a feature is replaced by a draw given the others,

        CPI_j = E[L(f(X_-j, X~_j), Y) - L(f(X), Y)],   X~_j ~ P(X_j | X_-j), independent of Y,

    on rows that the model has not seen; f is fitted once. It is 0 or less if Y is independent of
    X_j given the other features. (Algorithm 2 prints the difference with the other sign.)

    Parameters
    ----------
    model : fitted predictor
        Anything with ``predict`` or ``predict_proba``, Pipelines included. With ``cv`` it is
        cloned and need not be fitted; or a list with the fitted model of each fold.
    X : array, pandas or polars frame of shape (n_samples, n_features)
        Rows that the model has not seen (with ``cv``: all rows), columns as it was fitted to.
        Missing values are drawn with the values by the conditional sampler, if the model takes
        them.
    y : array of shape (n_samples,)
        Numbers, or labels of any kind.
    sampler : {"conditional", "sequential", "gaussian", "deep"} or KnockoffSampler
        Default "conditional": draws every feature, or group, from its own distribution given all
        columns outside of it (:class:`losaw.knockoffs.conditional.ConditionalSampler`), fitted to
        all rows of X. The others draw joint knockoffs; with ``cv`` they are fitted to the rows that
        a fold holds out. A sampler that does not know levels imitates the columns that the model
        sees (codes or dummies) as real numbers, and all columns of a feature are replaced
        together. Gaussian knockoffs that are given by name take ``s_method="mvr"`` unless
        ``sampler_parameters`` names another.
    sampler_parameters : dict or None
        For a sampler that is given by name.
    n_draws : int, default 1
        Draws; the losses of a row are averaged over them.
    loss : str, callable or None, default None
        Of single rows, see :mod:`losaw.scoring.losses`. None: squared error, of classes
        log-loss.
    scoring : str, scorer or None, default None
        In place of a loss, a score of scikit-learn that is a mean over rows, as its
        ``permutation_importance`` takes it: "neg_mean_squared_error", "neg_mean_absolute_error",
        "neg_log_loss", "neg_brier_score" (of more than two classes half of it) or "accuracy".
    test : {"t", "wilcoxon", "binomial", "fisher"}, default "t"
        One-sided: see :func:`losaw.scoring.one_sided_tests.one_sided_test`.
    adjustment : {"none", "holm", "benjamini-hochberg", "benjamini-yekutieli"}, default "none"
        Of the p-values over features.
    level : float, default 0.95
        Confidence of the one-sided bound ``details["lower"]``.
    features : sequence of str or None
        Features or groups to score; None: all.
    groups : dict of str to sequence of str, or None
        Group name -> columns that are replaced together and scored as one. For a model that was
        fitted to dummies: :func:`losaw.importance.groups_of`.
    kinds : dict of str to {"continuous", "discrete", "nominal"}, or None
        Overrides what the dtypes say, see :func:`losaw.tables.read_table`.
    feature_names : sequence of str or None
        Of an array.
    sample_weight : array of shape (n_samples,) or None
        Sampling weights: of all means, of the rows that ``"conditional"`` takes values from, and
        with ``cv`` of the fits. A test takes a row for one observation, whatever its weight.
    clusters : array of shape (n_samples,) or None
        A label for every row: rows of one label belong together, as those of a patient. With
        ``cv`` they stay in one fold; without, the test is over clusters instead of rows. Draws of
        ``"conditional"`` take nothing from rows of the same label.
    cv : int, splitter or None, default None
        None: the given model on X. Otherwise the model is fitted anew in every fold and scored on
        the rows left out: see :func:`losaw.scoring.tests.tested`. For rows in the
        order of time ``cv=TimeSeriesSplit(5)``.
    n_jobs : int or None
        Threads that predict, and that draw if the sampler ``handles_threads``; the
        result does not depend on it.
    verbose : bool, default False
        Show a progress bar.
    random_state : int, Generator or None

    Returns
    -------
    ImportanceResult
        ``scores`` CPI, ``std_error``, ``p_values`` adjusted, ``rows``; ``notes`` names features
        that cannot be tested; ``details``: ``lower`` (of the confidence interval), ``lower_of``
        (of which quantity), ``raw_p_values``, ``own_share`` (how far draws are from their features:
        0 for copies, 1 for independent ones).

    Raises
    ------
    ValueError, TypeError
        For unknown names, columns or classes that the model does not know, groups of unknown
        features, columns of dates or free text, missing values where the sampler cannot draw
        them, or fewer than 5 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import cpi
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 3))
    >>> y = X[:, 0] + rng.standard_normal(300)
    >>> model = LinearRegression().fit(X[:200], y[:200])
    >>> cpi(model, X[200:], y[200:], random_state=0).select(fwer=0.05)
    ('X1',)
    """
    _check(sampler, sampler_parameters, test, adjustment, level, n_draws)
    loss = loss_of_scoring(loss, scoring, model)
    rng = as_generator(random_state)
    rows = read_rows(
        X, y, kinds=kinds, feature_names=feature_names, sample_weight=sample_weight,
        clusters=clusters,
    )  # fmt: skip
    models = fits(model, rows, Options(loss, features, groups, n_jobs, verbose), cv, rng, test)
    shown = parameter_repr(
        "cpi",
        sampler=sampler,
        sampler_parameters=dict(sampler_parameters or {}),
        n_draws=n_draws,
        loss=loss_name(loss, model),
        test=test,
        adjustment=adjustment,
        level=level,
        cv=cv,
    )
    testing = Testing(test, adjustment, level, ERROR_KIND, shown)
    drawn = draws_of(sampler_of(sampler, sampler_parameters), rows, models, n_draws, rng)

    def differences(subject: ModelOnTable, train: Numbers | None, held: Numbers) -> Differences:
        if drawn is not None:
            return differences_of_draws(subject, (codes[held] for codes in drawn), n_draws)
        return with_knockoffs(sampler_of(sampler, sampler_parameters), subject, n_draws, rng)

    return tested(differences, models, rows, testing, rng)

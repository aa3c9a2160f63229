"""Leave-one-covariate-out importance (Lei, G'Sell, Rinaldo, Tibshirani & Wasserman 2018)."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.importance import without_columns
from losaw.rng import as_generator
from losaw.scoring.folds import Fit, fit_copy, fits, seed_for_copies, unfitted
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.many_tests import Adjustment
from losaw.scoring.model import Model, read_model
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import Rows, ScoringOptions, read_rows, training_rows
from losaw.scoring.tests import Differences, Inference, TestName, check_test, infer
from losaw.support.models import classes_of, task_of
from losaw.support.threads import each
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

ERROR_KIND = "over test rows, both fitted models held fixed"
_ROUNDING = 1e-12
ROWS_WHERE_THE_LEVEL_HOLDS = 200  # as measured in docs/measured.md


@checked_by(check_test)
def loco(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    train: tuple[ArrayLike, ...] | None = None,
    without: Callable[[tuple[str, ...]], Any] | None = None,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    test: TestName = "t",
    adjustment: Adjustment = "none",
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Mean increase in loss when the model is fitted again without a feature,

        LOCO_j = E[L(f_-j(X_-j), Y) - L(f(X), Y)],

    both models fitted to the same rows with the same settings and seed, which is that of
    ``random_state`` where the model has none: one fit for every feature or group, and fold.

    Parameters
    ----------
    model : predictor that scikit-learn can clone
        Pipelines included. What names columns by their names loses the column, as a
        ColumnTransformer does, and places in losaw's own do; places in others are refused.
    X, y : array or frame (n_samples, n_features), array (n_samples,)
        With ``train`` rows that the model has not seen; without, all rows.
    train : (X, y), (X, y, sample_weight) or None, default None
        What ``model`` was fitted to, and its copies are. None: cross-fitting on X and y, as
        ``cv`` says (5 folds if it says nothing).
    without : callable or None, default None
        Makes the unfitted model for the columns whose names it is given. None: a copy of ``model``.
    loss, scoring, test, adjustment, features, groups, kinds, feature_names, \
sample_weight, clusters
        As in :func:`losaw.importance.cpi`.
    cv : int, splitter or None, default None
        As in :func:`losaw.importance.cpi`; not together with ``train``.
    n_jobs : int or None
        Threads that fit; the result does not depend on it.
    random_state
        As in :func:`losaw.importance.cpi`.

    Returns
    -------
    ImportanceResult
        ``std_error`` over test rows, both models held fixed: it does not hold what another
        training sample, or another seed of a random learner, would change. With
        ``cv`` over rows and fits.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`; for fewer than 2 features, for a model that cannot be
        cloned or fitted without one, for ``train`` with other columns than ``X`` or another order
        of them, or with other classes than the model's, for a model of another task from
        ``without``, or if ``sample_weight`` is given and ``train`` does not say with which weights
        the model was fitted: (X, y, None) if with none.

    Warns
    -----
    UserWarning
        With more than 200 rows that are tested: the test finds even a little that the model
        loses. A feature without effect that is a noisy copy of a cause was found at .05 in up to
        .10 of the tables with 300 test rows and in up to .66 of those with 2,500.

    Notes
    -----
    A forest draws as many features at a node as with all of them, also if ``max_features`` is a
    share: one that draws fewer is worse for that alone, and every feature would seem to matter.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import loco
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 3))
    >>> y = X[:, 0] + rng.standard_normal(300)
    >>> loco(LinearRegression(), X, y, random_state=0).select(fdr=0.1)
    ('X1',)
    """
    check_test(test, adjustment)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    if len(rows.table.names) < 2:
        raise ValueError("LOCO needs at least 2 features: without the only one nothing is left")
    if train is None and cv is None:
        cv = 5
    if train is not None and cv is not None:
        raise ValueError("give train (the rows of the fit) or cv (fits of its own), not both")
    fitted_rows: Any = None if train is None else training_rows(train, rows, feature_names)
    if train is not None and len(train) == 2 and rows.weights is not None:
        raise ValueError(
            "sample_weight weighs the rows that are scored; say with which weights the model was "
            "fitted: train=(X, y, weights), or train=(X, y, None) if with none"
        )
    seed = seed_for_copies(rng)
    if train is not None:
        unfitted(model, seed)  # refuse early what cannot be fitted again
    models = fits(
        model, rows, ScoringOptions(loss, scoring, features, groups, n_jobs), cv, rng, test, seed
    )
    if fitted_rows is not None and task_of(model) == "classification":
        differ = set(classes_of(model).tolist()) ^ set(np.unique(fitted_rows.y).tolist())
        if differ:
            raise ValueError(
                "train has other classes than the model (first difference: "
                f"{min(differ, key=str)!r}); give the rows of its fit"
            )
    shown = parameter_repr(
        "loco", loss=models[0].model.loss_name, test=test, adjustment=adjustment, cv=cv
    )
    if len(rows) > ROWS_WHERE_THE_LEVEL_HOLDS:
        warnings.warn(
            f"with {len(rows)} test rows the test of LOCO finds even a little that the model "
            "loses: a feature without effect that is a noisy copy of a cause can have a small "
            "p-value. Compare cpi, which fits the model once",
            stacklevel=2,
        )

    def differences(fit: Fit) -> Differences:
        fitted_to = fitted_rows if fit.train is None else rows.take(fit.train)
        return _differences(fit.model, fitted_to, seed, without)

    return infer(differences, models, rows, Inference(test, adjustment, ERROR_KIND, shown), rng)


def _differences(subject: Model, train: Rows, seed: int, without: Any) -> Differences:
    before = subject.predictions()
    original = subject.loss(subject.y, before)

    def increase(unit: NDArray[np.intp]) -> FloatArray:
        rest = train.without(unit)
        if not rest.table.names:
            raise ValueError("without the only group no feature is left")
        names = [train.table.names[j] for j in unit]
        try:
            if without is None:
                copy = without_columns.without(
                    subject.fitted, unit.tolist(), train.table.names, seed
                )
            else:
                copy = unfitted(without(rest.table.names), seed)
            reduced = fit_copy(copy, rest)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{type(subject.fitted).__name__} cannot be fitted without "
                f"{', '.join(map(repr, names))} ({' '.join(str(error).split())[:200]}); leave it "
                "out with features=, give without=, a function that makes the unfitted model for "
                "the names of the columns that are left, or use cpi, which fits once"
            ) from error
        task = task_of(reduced)
        if task != task_of(subject.fitted):
            raise ValueError(
                f"without made a {type(reduced).__name__}, which does a {task}, and the model a "
                f"{task_of(subject.fitted)}; make a model of the same task"
            )
        # An own loss takes probabilities where the model gives them.
        is_of_shares = callable(subject.loss_name) and hasattr(subject.fitted, "predict_proba")
        options = ScoringOptions("log-loss" if is_of_shares else subject.loss_name)
        predicted = read_model(reduced, subject.rows.without(unit), options).predictions()
        # Of an exact function of the features rounding is left, which says nothing of any.
        if np.abs(predicted - before).max() <= _ROUNDING * np.abs(before).max():
            return np.zeros(len(subject.y))
        return np.asarray(subject.loss(subject.y, predicted) - original, dtype=float)

    return Differences(np.column_stack([*each(increase, subject.members, subject.n_threads)]))

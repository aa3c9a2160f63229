"""Conditional predictive impact (Watson & Wright 2021; Blesch, Watson & Wright 2023)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import Dataset, FloatArray, Sample
from losaw.importance.losses import resolve_loss
from losaw.importance.model_columns import check_sample, columns_of
from losaw.importance.one_sided_tests import ADJUSTMENTS, BOUND_OF, TESTS, adjust, one_sided_test
from losaw.importance.result import ImportanceResult
from losaw.knockoffs import make_sampler
from losaw.rng import as_generator
from losaw.words import unknown

ERROR_KIND = "over test rows, the fitted model and the drawn knockoffs held fixed"


class ConditionalPredictiveImpact:
    """Mean increase in loss when a feature is replaced by its knockoff,

        CPI_j = E[L(f(X_-j, X~_j), Y) - L(f(X), Y)],

    on rows that the model has not seen; f is fitted once. 0 or less if Y is independent of X_j
    given the other features. (Algorithm 2 prints the difference with the other sign.)

    Parameters
    ----------
    sampler : {"sequential", "gaussian", "deep"} or KnockoffSampler, default "sequential"
        Fitted to the test features and drawn from once. A sampler that does not know levels
        imitates the columns that the model sees (codes or dummies) as real numbers, and all
        columns of a feature are replaced together.
    sampler_parameters : dict or None
        For a sampler that is given by name.
    loss : str, callable or None, default None
        ``loss(y, prediction) -> (n_samples,)``; None is squared error, or log-loss for
        classification, where the prediction is the probability of class 1.
    test : {"t", "wilcoxon", "binomial", "fisher"}, default "t"
        One-sided: see :func:`losaw.importance.one_sided_tests.one_sided_test`.
    adjustment : {"none", "holm", "benjamini-hochberg"}, default "none"
        Of the p-values over features.
    level : float, default 0.95
        Confidence of the one-sided interval.
    groups : dict of str to sequence of str, or None
        Group name -> feature names that are replaced together. None: every feature alone.
    n_draws : int, default 1
        Knockoff draws; the losses of a row are averaged over them.
    n_folds : int or None, default None
        None: hold-out, the given model on the test sample. Otherwise the model is refitted in
        cross-validation on the training sample and the differences of all its rows are pooled;
        they then share training rows, which the tests do not account for.

    Returns
    -------
    ImportanceResult
        ``scores`` CPI, ``std_error`` over rows, ``p_values`` adjusted; ``details``: ``lower``
        (of the confidence interval), ``lower_of`` (of which quantity), ``raw_p_values``.

    Raises
    ------
    ValueError
        For unknown names, a group of unknown features, missing values, or fewer than 5 rows.
    """

    def __init__(
        self,
        sampler: Any = "sequential",
        sampler_parameters: Mapping[str, Any] | None = None,
        loss: Any = None,
        test: str = "t",
        adjustment: str = "none",
        level: float = 0.95,
        groups: Mapping[str, Sequence[str]] | None = None,
        n_draws: int = 1,
        n_folds: int | None = None,
    ) -> None:
        if test not in TESTS:
            raise ValueError(unknown("test", test, TESTS))
        if adjustment not in ADJUSTMENTS:
            raise ValueError(unknown("adjustment", adjustment, ADJUSTMENTS))
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level!r}")
        if n_draws < 1:
            raise ValueError(f"n_draws must be at least 1, got {n_draws!r}")
        if n_folds is not None and n_folds < 2:
            raise ValueError(f"n_folds must be at least 2, or None for hold-out, got {n_folds!r}")
        make_sampler(sampler, **(sampler_parameters or {}))
        self.sampler = sampler
        self.sampler_parameters = dict(sampler_parameters or {})
        self.loss = loss
        self.test = test
        self.adjustment = adjustment
        self.level = level
        self.groups = groups
        self.n_draws = n_draws
        self.n_folds = n_folds

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """CPI of every feature or group for a fitted ``model``."""
        rng = as_generator(rng)
        names, members = self._groups(data)
        if self.n_folds is None:
            differences = self._differences(model, data, data.test, members, rng)
        else:
            differences = self._cross_validated(model, data, members, rng)
        tests = [one_sided_test(one, self.test, self.level, rng) for one in differences.T]
        raw = np.array([found.p_value for found in tests])
        return ImportanceResult(
            differences.mean(axis=0),
            names,
            std_error=differences.std(axis=0, ddof=1) / np.sqrt(len(differences)),
            std_error_kind=ERROR_KIND if self.n_folds is None else "over rows of all folds",
            p_values=adjust(raw, self.adjustment),
            details={
                "lower": np.array([found.lower for found in tests]),
                "lower_of": BOUND_OF[self.test],
                "raw_p_values": raw,
            },
        )

    def _groups(self, data: Dataset) -> tuple[tuple[str, ...], list[list[int]]]:
        if self.groups is None:
            return data.feature_names, [[j] for j in range(len(data.feature_names))]
        position = {name: j for j, name in enumerate(data.feature_names)}
        members = []
        for group, features in self.groups.items():
            for feature in features:
                if feature not in position:
                    raise ValueError(f"group {group!r}: {unknown('feature', feature, position)}")
            members.append([position[feature] for feature in features])
        return tuple(self.groups), members

    def _differences(
        self,
        model: Any,
        data: Dataset,
        sample: Sample,
        members: list[list[int]],
        rng: np.random.Generator,
    ) -> FloatArray:
        """Loss with knockoffs minus loss, shape (n_samples, n_groups)."""
        X, y = sample
        check_sample(X, y, len(data.feature_names))
        view = columns_of(model, data)
        loss, y = resolve_loss(self.loss, view.task), view.response(y)
        columns = view.encode(X)
        replaced = [
            np.concatenate([np.empty(0, dtype=np.intp), *(view.groups[j] for j in group)])
            for group in members
        ]
        sampler = make_sampler(self.sampler, **self.sampler_parameters)
        levels = getattr(sampler, "handles_nominal", False)
        if levels:
            sampler.fit(X, data.feature_kinds, rng)
        elif columns.shape[1]:
            sampler.fit(columns, None, rng)
        total = np.zeros((len(y), len(members)))
        for _ in range(self.n_draws):
            drawn = sampler.sample(rng)
            copies = view.encode(drawn) if levels else drawn
            matrices = [columns, *(_exchanged(columns, copies, group) for group in replaced)]
            original, *others = [loss(y, found) for found in view.predict_each(matrices)]
            total += np.column_stack([other - original for other in others])
        return total / self.n_draws

    def _cross_validated(
        self, model: Any, data: Dataset, members: list[list[int]], rng: np.random.Generator
    ) -> FloatArray:
        from sklearn.base import clone

        X, y = data.train
        n_folds = min(self.n_folds or 2, len(y))
        folds = rng.permutation(len(y)) % n_folds
        parts = []
        for fold in range(n_folds):
            held = folds == fold
            refitted = clone(model).fit(X[~held], y[~held])
            sample = Sample(X[held], y[held])
            parts.append(self._differences(refitted, data, sample, members, rng))
        return np.concatenate(parts)


def _exchanged(columns: FloatArray, copies: FloatArray, group: NDArray[np.intp]) -> FloatArray:
    changed = columns.copy()
    changed[:, group] = copies[:, group]
    return changed

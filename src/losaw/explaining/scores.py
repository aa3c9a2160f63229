"""The scores of all methods on one set of cross-fitted models, and what is selected by them."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.design import METHODS, Design
from losaw.explaining.draws import recognised
from losaw.explaining.models import Splits, fit_each, make_forest
from losaw.explaining.preparing import Prepared
from losaw.importance import hierarchy, loco, mdi, ufi
from losaw.kernels.compiled import COMPILING
from losaw.knockoffs.diagnostics import DrawTest
from losaw.rng import stream
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.losses import squared_error
from losaw.scoring.one_sided_tests import adjust, t_test
from losaw.scoring.predictor import means
from losaw.scoring.tests import nadeau_bengio
from losaw.support.outcomes import finite_numbers, probabilities

JACKKNIFE = "over other samples of rows (jackknife over the folds)"
# Bound of the probability that any statement on a group of features is false.
FAMILY_WISE = 0.05
# A model with a larger p-value is not shown to predict better than a constant.
LEVEL = 0.05
# Where LOCO decides it must exceed this: a forest with a noisy copy of a cause may be a little
# better for it, although the copy has no effect of its own.
LEAST_LOCO = 0.01
# Of so many groups LOCO is computed.
_MOST_GROUPS = 6


@dataclass(frozen=True)
class Quality:
    """The accuracy of the models on rows that they have not seen.

    Attributes
    ----------
    share, std_error, p_value : float
        1 - loss / loss of the best constant: R^2 for a regression, the Brier skill score for
        classes; its error over folds (Nadeau and Bengio); one-sided test of a share above 0.
    """

    share: float
    std_error: float
    p_value: float


@dataclass
class Work:
    """What every method is given, and the results that are there so far.

    Attributes
    ----------
    data : Prepared
    design : Design
    splits : list of (rows to fit to, rows held out)
    seed : int
    n_jobs : int or None
    verbose : bool
        Whether each part is named on stderr as it begins.
    features : list of str or None
        Only these are scored by PFI, CPI and LOCO; None: all.
    models : list
        The fitted models of all folds.
    results : dict of method to ImportanceResult
    quality : dict of model to Quality
    decorrelation : DataFrame or None
        :func:`losaw.forest.decorrelation` of losawRF, the mean over folds.
    draw_tests : dict of feature to DrawTest
        Whether draws can be distinguished from real values, of features that CPI may select.
    group_draws : dict of group to DrawTest
        The same of the groups of ``groups``.
    groups : DataFrame or None
        The tested groups of features, see :func:`losaw.importance.hierarchy`.
    left_out : dict of feature, or group, to its LOCO by fold
        Where LOCO decides, and of groups.
    seconds : dict of part to float
        Without compiling.
    """

    data: Prepared
    design: Design
    splits: Splits
    seed: int
    n_jobs: int | None
    verbose: bool
    features: list[str] | None = None
    models: list[Any] = field(default_factory=list)
    results: dict[str, ImportanceResult] = field(default_factory=dict)
    quality: dict[str, Quality] = field(default_factory=dict)
    decorrelation: Any = None
    draw_tests: dict[str, DrawTest] = field(default_factory=dict)
    group_draws: dict[tuple[str, ...], DrawTest] = field(default_factory=dict)
    groups: Any = None
    left_out: dict[tuple[str, ...], FloatArray] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def stream(self, component: str) -> np.random.Generator:
        """The generator of a part of the work, which no other part changes."""
        return stream(experiment="explain", setting="", replicate=self.seed, component=component)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Announce a part, and add up its seconds."""
        if self.verbose:
            print(f"losaw: {name}", file=sys.stderr, flush=True)
        start, compiled = time.perf_counter(), COMPILING.seconds
        yield
        seconds = time.perf_counter() - start - (COMPILING.seconds - compiled)
        self.seconds[name] = self.seconds.get(name, 0.0) + max(seconds, 0.0)

    @cached_property
    def loss(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Squared error (of classes: the Brier score) over that of the best constant prediction."""
        if not self.data.labels:
            constant = float(np.var(finite_numbers(self.data.y)))
        else:
            shares = np.bincount(self.data.y) / len(self.data)
            constant = float(1.0 - (shares**2).sum()) / 2.0

        def squared_error_over_that_of_the_mean(y: FloatArray, found: FloatArray) -> FloatArray:
            return squared_error(y, found) / constant

        return squared_error_over_that_of_the_mean

    @property
    def common(self) -> dict[str, Any]:
        """The options that PFI, CPI, LOCO and the tests of groups share."""
        return {
            "loss": self.loss,
            "cv": self.splits,
            "kinds": self.data.kinds,
            "clusters": self.data.clusters,
        }

    @property
    def finest(self) -> tuple[tuple[str, ...], ...]:
        """The finest groups of features that are found to matter, the largest score first."""
        if self.groups is None:
            return ()
        found = self.groups[self.groups["finest"]]
        return tuple(found.sort_values("score", ascending=False, kind="stable")["features"])


def share_explained(work: Work, model: Any, X: Any, rows: NDArray[np.intp]) -> float:
    """Return 1 - loss / loss of the best constant of a model on some rows, given their features."""
    y = work.data.y[rows]
    found = probabilities(model, X, len(work.data.labels)) if work.data.labels else means(model, X)
    return 1.0 - float(work.loss(y.astype(float) if not work.data.labels else y, found).mean())


def quality(work: Work, models: Sequence[Any]) -> Quality:
    """The share that the models of all folds explain of their held-out rows, with its test."""
    scores = [
        share_explained(work, model, work.data.X.iloc[held], held)
        for (_, held), model in zip(work.splits, models, strict=True)
    ]
    mean, error, freedom = nadeau_bengio(np.array(scores)[:, None], 1.0 / (len(scores) - 1))
    test = t_test(float(mean[0]), float(error[0]), freedom, 0.95)
    return Quality(float(mean[0]), float(error[0]), test.p_value)


def shares(name: str, work: Work, forests: list[Any], splits: Splits) -> ImportanceResult:
    """Scores of every fold's forest on its training rows, divided by the sum of positive ones.

    Or by that of the negative ones, where it is larger: no share is beyond 1 then. The error is
    that of a delete-a-group jackknife.
    """
    data, scores = work.data, []
    function: Any = ufi if name == "ufi" else mdi
    for (train, _), forest in zip(splits, forests, strict=True):
        found = function(forest, data.X.iloc[train], data.y[train], kinds=data.kinds).scores
        scores.append(found / (max(found[found > 0].sum(), -found[found < 0].sum()) or 1.0))
    of_folds = np.array(scores)
    return ImportanceResult(
        of_folds.mean(axis=0),
        tuple(data.X.columns),
        std_error=jackknife_error(of_folds),
        std_error_kind=JACKKNIFE,
        details={"fold_scores": of_folds},
        method=METHODS[name].label,
        kinds=tuple(data.kinds.values()),
        degrees_of_freedom=len(scores) - 1,
    )


def jackknife_error(scores: FloatArray) -> FloatArray:
    """Return the jackknife error from K values of a statistic, each without one group, (K, …).

    ``sqrt((K - 1) / K sum_k (t_k - mean)^2)``.
    """
    return np.asarray(scores.std(axis=0) * np.sqrt(len(scores) - 1))


def decorrelated(work: Work) -> None:
    """Fit losawRF in every fold: its shares, quality, and how far its weights decorrelate."""
    from losaw.forest import decorrelation

    rows = work.data.sample(work.design.losaw_rows, work.stream("rows of losawRF"))
    splits = [(np.intersect1d(train, rows), held) for train, held in work.splits]
    forest = make_forest(work.data, work.design.trees, work.seed, work.n_jobs, decorrelated=True)
    forests = fit_each(forest, work.data, splits)
    work.results["losaw"] = shares("losaw", work, forests, splits)
    work.quality["losaw"] = quality(work, forests)
    frames = [
        decorrelation(forest[-1], forest[:-1].transform(work.data.X.iloc[train]))
        for (train, _), forest in zip(splits, forests, strict=True)
    ]
    # The mean over folds, cell by cell, where a fold has the cell.
    total = sum(frame.fillna(0.0) for frame in frames)
    work.decorrelation = total / sum(frame.notna().astype(float) for frame in frames)


def tested_groups(work: Work, groups: Any) -> None:
    """Test groups of features from all together to each alone, as finely as the data allow."""
    work.groups = hierarchy(
        work.models, work.data.X, work.data.y, groups=groups, fwer=FAMILY_WISE,
        n_draws=work.design.draws, random_state=work.stream("hierarchy"), **work.common,
    ).table  # fmt: skip


def leave_out(work: Work, units: Sequence[tuple[str, ...]]) -> None:
    """Compute LOCO of features and groups that have none yet."""
    known = work.results.get("loco")
    for unit in units:
        if known is not None and len(unit) == 1 and unit[0] in known.feature_names:
            column = known.feature_names.index(unit[0])
            work.left_out[unit] = np.asarray(known.details["fold_scores"])[:, column]
        elif unit not in work.left_out and len(unit) < work.data.X.shape[1]:
            name = unit[0] if len(unit) == 1 else "the group"
            found = loco(
                work.models, work.data.X, work.data.y, features=[name],
                groups={name: list(unit)} if len(unit) > 1 else None,
                random_state=work.stream("loco"), **work.common,
            )  # fmt: skip
            work.left_out[unit] = np.asarray(found.details["fold_scores"])[:, 0]


@dataclass(frozen=True)
class Decision:
    """What is selected, by which method, and what stays open.

    Where the draws of a feature fail their test, or are its copies, CPI says nothing of it: then
    LOCO decides, which needs no draws. A group is stated if LOCO shows it where its draws fail, or
    those of a feature in it.

    Attributes
    ----------
    method : str or None
        The deciding method; None if no method tests.
    p_values : dict of feature to float
        Adjusted over all features (Benjamini and Hochberg), by the method that decides on each.
    selected : tuple of str
        In the order of their scores.
    by_loco : frozenset of features and groups
        That LOCO decides on, found to matter or not.
    open : tuple of features and groups
        CPI is above 0, but the draws fail and LOCO does not show it.
    stated : tuple of groups
        Those of the finest groups that are stated.
    head : tuple of groups
        Those that may stand in the headline: their LOCO is above 0.
    """

    method: str | None
    p_values: dict[str, float]
    selected: tuple[str, ...]
    by_loco: frozenset[tuple[str, ...]]
    open: tuple[tuple[str, ...], ...]
    stated: tuple[tuple[str, ...], ...]
    head: tuple[tuple[str, ...], ...]


def decide(work: Work, deciding: Sequence[str], fdr: float, heads: bool = True) -> Decision:
    """Decide on features and groups; computes LOCO where it decides.

    Parameters
    ----------
    deciding : sequence of str
        The first of these methods that was run decides.
    heads : bool
        Whether LOCO of groups is computed too where their draws are trusted, for the headline.
    """
    method = next((name for name in deciding if name in work.results), None)
    if method is None:
        return Decision(None, {}, (), frozenset(), (), (), ())
    result = work.results[method]
    raw = dict(zip(result.feature_names, result.details["raw_p_values"].tolist(), strict=True))
    n_features, copies, failed = len(work.data.X.columns), set[str](), list[tuple[str, ...]]()
    if method == "loco":
        of_folds = np.asarray(result.details["fold_scores"])
        raw = {n: p_above(of_folds[:, j], LEAST_LOCO) for j, n in enumerate(raw)}
    if method == "cpi":
        copies = {name for name, note in result.notes.items() if "untestable" in note}
        failed = [(name,) for name in raw if name in recognised(work.draw_tests) | copies]
    singly = recognised(work.draw_tests)
    bad = recognised(work.group_draws) | {
        group for group in work.finest if 1 < len(group) < n_features and singly & set(group)
    }
    others = [group for group in work.finest if 1 < len(group) < n_features and group not in bad]
    leave_out(work, [*failed, *bad, *others[: _MOST_GROUPS * heads]])
    p_of = {unit: p_above(of_folds, LEAST_LOCO) for unit, of_folds in work.left_out.items()}
    for unit in failed:
        # Draws that are copies say nothing; where they fail otherwise, CPI and LOCO must agree.
        own = 0.0 if unit[0] in copies else raw[unit[0]]
        raw[unit[0]] = max(own, p_of.get(unit, 1.0))
    adjusted = adjust(np.array(list(raw.values())), "benjamini-hochberg").tolist()
    p_values = dict(zip(raw, adjusted, strict=True))
    order = np.argsort(-result.scores, kind="stable")
    selected = tuple(name for j in order if p_values[name := result.feature_names[j]] <= fdr)
    by_loco = frozenset([*failed, *bad])
    stated = tuple(g for g in work.finest if g not in by_loco or p_of.get(g, 1.0) <= LEVEL)
    passed = result.select(fdr=fdr)
    unclear = [unit for unit in failed if unit[0] in passed and unit[0] not in selected]
    unclear += [group for group in work.finest if group not in (*stated, *unclear)]
    head = tuple(
        group
        for group in stated
        if len(group) in (1, n_features)
        or (group in work.left_out and work.left_out[group].mean() > 0)
    )
    return Decision(method, p_values, selected, by_loco, tuple(unclear), stated, head)


def p_above(of_folds: FloatArray, least: float) -> float:
    """Return the one-sided p-value of a mean over folds above ``least`` (Nadeau and Bengio)."""
    shifted = of_folds[:, None] - least
    mean, error, freedom = nadeau_bengio(shifted, 1.0 / (len(of_folds) - 1))
    return t_test(float(mean[0]), float(error[0]), freedom, 0.95).p_value

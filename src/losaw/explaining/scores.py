"""The scores of all methods on one set of cross-fitted models, and what is selected by them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.clock import Clock
from losaw.explaining.design import METHODS, MOST_LOSAW_ROWS, PILOT_FITS, Design, sample
from losaw.explaining.models import Splits, fit_each, make_forest, predicted
from losaw.explaining.preparing import Prepared
from losaw.importance import cpi, loco, mdi, pfi, ufi
from losaw.knockoffs.diagnostics import DrawTest
from losaw.rng import stream
from losaw.scoring.losses import squared_error
from losaw.scoring.result import ImportanceResult
from losaw.scoring.tests import nadeau_bengio, t_tests

JACKKNIFE = "over other samples of rows (jackknife over the folds)"
# A model with a larger p-value is not shown to predict better than a constant.
LEVEL = 0.05
Unit = tuple[str, ...]  # one feature, or a group


@dataclass(frozen=True)
class Quality:
    """The accuracy of the models on rows that they have not seen."""

    # 1 - loss / loss of the best constant: R^2 for a regression, the Brier skill score for classes;
    # its error over folds (Nadeau and Bengio); one-sided test of a share above 0.
    share: float
    std_error: float
    p_value: float


@dataclass
class Work:
    """What every method is given, and the results that are there so far."""

    data: Prepared
    design: Design
    splits: Splits
    models: list[Any]  # the fitted models of all folds
    seed: int
    n_jobs: int | None
    model: str  # what PFI, CPI and LOCO explain, in words
    clock: Clock  # the seconds of each part
    # Only these are scored by PFI, CPI and LOCO, as in the pilot of a budget; None: all.
    features: list[str] | None = None
    results: dict[str, ImportanceResult] = field(default_factory=dict)  # by method
    quality: dict[str, Quality] = field(default_factory=dict)  # by model
    decorrelation: Any = None  # :func:`losaw.forest.decorrelation` of losawRF, the mean over folds
    # Whether draws can be distinguished from real values, where a sentence may rest on them.
    draw_tests: dict[Unit, DrawTest] = field(default_factory=dict)
    groups: Any = None  # the tested groups of features, see :func:`losaw.importance.hierarchy`
    # The finest ones that are found to matter, the largest score first.
    finest: tuple[Unit, ...] = ()
    # LOCO by fold, where LOCO decides, and of groups.
    left_out: dict[Unit, FloatArray] = field(default_factory=dict)

    def runs(self, method: str) -> bool:
        """Whether a method is asked for, and the limit of a pilot not reached."""
        is_over = sum(self.clock.seconds.values()) >= self.clock.limit
        return method in self.design.methods and not is_over

    def stream(self, component: str) -> np.random.Generator:
        """The generator of a part of the work, which no other part changes."""
        return stream(experiment="explain", setting="", replicate=self.seed, component=component)

    @cached_property
    def loss(self) -> Callable[[FloatArray, FloatArray], FloatArray]:
        """Squared error (of classes: the Brier score) over that of the best constant prediction."""
        if not self.data.labels:
            constant = float(np.var(self.data.y))
        else:
            shares = np.bincount(self.data.y) / len(self.data.y)
            constant = float(1.0 - (shares**2).sum()) / 2.0

        def squared_error_over_that_of_the_mean(y: FloatArray, found: FloatArray) -> FloatArray:
            return squared_error(y, found) / constant

        return squared_error_over_that_of_the_mean

    @property
    def common(self) -> dict[str, Any]:
        """What PFI, CPI, LOCO and the tests of groups are given."""
        return {
            "model": self.models,
            "X": self.data.X,
            "y": self.data.y,
            "loss": self.loss,
            "cv": self.splits,
            "kinds": self.data.kinds,
            "clusters": self.data.clusters,
        }


def share_explained(work: Work, model: Any, X: Any, rows: NDArray[np.intp]) -> float:
    """Return 1 - loss / loss of the best constant of a model on some rows, given their features."""
    predictions = predicted(model, X, len(work.data.labels))
    return 1.0 - float(work.loss(work.data.y[rows], predictions).mean())


def quality(work: Work, models: Sequence[Any]) -> Quality:
    """The share that the models of all folds explain of their held-out rows, with its test."""
    scores = [
        share_explained(work, model, work.data.X.iloc[held], held)
        for (_, held), model in zip(work.splits, models, strict=True)
    ]
    return over_folds(np.array(scores))


def over_folds(values: FloatArray) -> Quality:
    """Return the mean of one value of every fold, with its error and one-sided test."""
    mean, error, freedom = nadeau_bengio(values[:, None], 1.0 / (len(values) - 1))
    return Quality(float(mean[0]), float(error[0]), float(t_tests(mean, error, freedom)[0]))


def score(work: Work, forests: list[Any]) -> None:
    """Run the methods that need neither draws nor other fits."""
    for name in ("mdi", "ufi"):
        if work.runs(name):
            with work.clock.part(name):
                work.results[name] = shares(name, work, forests, work.splits)
    if work.runs("pfi"):
        with work.clock.part("pfi"):
            work.results["pfi"] = shuffled(work)


def shuffled(work: Work) -> ImportanceResult:
    """PFI; of clusters with values from all rows: a fold may have but one cluster's."""
    repeats, random_state = work.design.permutations, work.stream("pfi")
    common = work.common | {"features": work.features, "random_state": random_state}
    if work.data.is_clustered:  # draws that are given nothing
        return cpi(given=[], n_draws=repeats, **common)
    return pfi(n_repeats=repeats, **common)


def score_by_fits(work: Work) -> None:
    """Run losawRF, and LOCO, which fits models again."""
    if work.runs("losaw"):
        with work.clock.part("losaw"):
            decorrelated(work)
    if work.runs("loco") and work.data.X.shape[1] > 1:
        some = None if work.features is None else work.features[:PILOT_FITS]
        with work.clock.part("loco"):
            work.results["loco"] = loco(
                features=some, random_state=work.stream("loco"), **work.common
            )


def shares(name: str, work: Work, forests: list[Any], splits: Splits) -> ImportanceResult:
    """Scores of every fold's forest on its training rows, divided by the sum of positive ones.

    Or by that of the negative ones, where it is larger: no share is beyond 1 then. The error is
    that of a delete-a-group jackknife.
    """
    data, scores = work.data, []
    function: Any = ufi if name == "ufi" else mdi
    for (train, _), forest in zip(splits, forests, strict=True):
        of_fold = function(forest, data.X.iloc[train], data.y[train], kinds=data.kinds).scores
        sums = of_fold[of_fold > 0].sum(), -of_fold[of_fold < 0].sum()
        scores.append(of_fold / (max(sums) or 1.0))
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

    rows = sample(work.data, MOST_LOSAW_ROWS, work.stream("rows of losawRF"))
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

"""All methods on one set of cross-fitted models."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray
from losaw.explaining.association import Associations
from losaw.explaining.design import FAMILY_WISE, Design
from losaw.explaining.drawn_once import DrawnOnce, recognised
from losaw.explaining.methods import METHODS
from losaw.explaining.models import Fits, SharedFit, fitted, make_forest
from losaw.explaining.preparing import Prepared, sample_rows
from losaw.importance import cpi, hierarchy, loco, mdi, mdi_oob, pfi, subgroups, ufi
from losaw.knockoffs.diagnostics import DrawTest
from losaw.rng import stream
from losaw.scoring.importance_result import ImportanceResult
from losaw.scoring.losses import squared_error
from losaw.scoring.one_sided_tests import t_test
from losaw.scoring.predictor import means
from losaw.scoring.row_differences import nadeau_bengio, shuffled_folds
from losaw.support.errors import LosawError
from losaw.support.outcomes import class_numbers, finite_numbers, probabilities
from losaw.tables import read_table
from losaw.trends import absolute_traversal_rate

JACKKNIFE = "over other samples of rows (jackknife over the folds)"
Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


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
class Computed:
    """The results of the methods.

    Attributes
    ----------
    results, groups : dict of method to ImportanceResult
        Of single features, and of groups of associated ones.
    quality : dict of model to Quality
    decorrelation : DataFrame or None
        :func:`losaw.forest.decorrelation` of losawRF, the mean over folds.
    draw_tests : dict of feature to DrawTest
        Whether the draws of CPI can be recognised, of features that CPI may select.
    group_draws : dict of group to DrawTest
        The same of the groups of ``finest``.
    finest : tuple of tuple of str
        The finest groups of features that :func:`losaw.importance.hierarchy` finds to matter.
    notes : list of str
        Methods that could not be computed, and why.
    models : list
        The fitted models of all folds, if a method asked for them.
    """

    results: dict[str, ImportanceResult] = field(default_factory=dict)
    groups: dict[str, ImportanceResult] = field(default_factory=dict)
    quality: dict[str, Quality] = field(default_factory=dict)
    decorrelation: Any = None
    draw_tests: dict[str, DrawTest] = field(default_factory=dict)
    group_draws: dict[tuple[str, ...], DrawTest] = field(default_factory=dict)
    finest: tuple[tuple[str, ...], ...] = ()
    notes: list[str] = field(default_factory=list)
    models: list[Any] = field(default_factory=list)

    @property
    def recognised(self) -> frozenset[str]:
        """Features whose draws are distinguished from real values."""
        return recognised(self.draw_tests)


@dataclass(frozen=True)
class Work:
    """The input of every method."""

    data: Prepared
    design: Design
    splits: Splits
    loss: Callable[[FloatArray, FloatArray], FloatArray]
    groups: dict[str, list[str]]
    own_groups: bool
    seed: int
    n_jobs: int | None
    tick: Callable[[str], object]

    def stream(self, component: str) -> np.random.Generator:
        return stream(experiment="explain", setting="", replicate=self.seed, component=component)

    @property
    def kinds(self) -> dict[str, str]:
        return self.data.kinds

    @cached_property
    def losaw_splits(self) -> Splits:
        """The folds with the training rows of losawRF: all, or those of one sample."""
        sample = sample_rows(self.data, self.design.losaw_rows, self.stream("rows of losawRF"))
        if len(sample) == len(self.data):
            return self.splits
        return [(np.intersect1d(train, sample), held) for train, held in self.splits]


def make_work(
    data: Prepared,
    design: Design,
    related: Associations,
    seed: int,
    n_jobs: int | None,
    tick: Callable[[str], object],
) -> Work:
    """Folds and the loss that all methods share."""
    stratified, clustered = data.task == "classification", data.clusters is not None
    folds = shuffled_folds(design.folds, stratified, clustered, seed % 2**32)
    splits = list(folds.split(data.X, data.y, data.clusters))
    for label in np.unique(data.y) if stratified else ():
        if not all((data.y[train] == label).any() for train, _ in splits):
            raise LosawError(
                f"cluster: the class {label} of {data.target} is in so few clusters that one fold "
                "has all of its rows; merge it with another class, or leave its rows out"
            )
    loss, groups = relative_loss(data), related.groups
    return Work(data, design, splits, loss, groups, related.own, seed, n_jobs, tick)


def relative_loss(data: Prepared) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Squared error (of classes: the Brier score) over that of the best constant prediction."""
    if data.task == "regression":
        y = finite_numbers(data.y)
        mean = np.average(y, weights=data.weights)
        constant = float(np.average((y - mean) ** 2, weights=data.weights))
    else:
        sizes = np.bincount(np.unique(data.y, return_inverse=True)[1], data.weights)
        constant = float(1.0 - ((sizes / sizes.sum()) ** 2).sum()) / 2.0

    def squared_error_over_that_of_the_mean(y: FloatArray, prediction: FloatArray) -> FloatArray:
        return squared_error(y, prediction) / constant

    return squared_error_over_that_of_the_mean


def compute(work: Work, model: Any, forest_is_model: bool) -> Computed:
    """Fit every model in every fold, and run the methods on them.

    ``forest_is_model`` says that ``model`` is the plain forest, whose fits then serve all methods.
    """
    data, methods = work.data, work.design.methods
    computed = Computed()
    fits = Fits(data.X.columns, lambda: work.tick("fits"))
    shared = SharedFit(model, fits)
    if any(METHODS[name].family == "loss" for name in methods) or forest_is_model:
        computed.models = [_fit(shared, data, train) for train, _ in work.splits]
        computed.quality["model"] = _quality(work, computed.models)
    if {"mdi", "ufi", "mdi_oob", "atr"} & set(methods):
        if forest_is_model:
            forests = [_fit(shared, data, train).model_ for train, _ in work.splits]
        else:
            forests = _forests(work, decorrelated=False)
        _read_off_trees(work, forests, computed)
    if "losaw" in methods:
        forests = _forests(work, decorrelated=True)
        computed.results["losaw"] = _shares("losaw", work, forests, mdi, work.losaw_splits)
        computed.quality["losaw"] = _quality(work, forests)
        computed.decorrelation = _decorrelation(work, forests)
    with warnings.catch_warnings():  # a fold may lack all values of a column
        warnings.filterwarnings("ignore", "Mean of empty slice", RuntimeWarning)
        _loss_methods(work, shared, computed)
    labels: Any = np.unique(data.y) if data.task == "classification" else ()
    if len(labels) == 2 and any(METHODS[name].family in ("loss", "direction") for name in methods):
        computed.notes.append(
            f"ATR and curves: a prediction rises towards {data.target} {labels[1]}."
        )
    computed.results = {n: computed.results[n] for n in methods if n in computed.results}
    return computed


def _fit(shared: SharedFit, data: Prepared, rows: NDArray[np.intp]) -> SharedFit:
    # As a cross-fitting method hands them over: through the table, without the index.
    table = read_table(data.X, kinds=data.kinds).take(rows)
    return shared.__sklearn_clone__().fit(table.rows(), data.y[rows], data.weights_of(rows))


def _forests(work: Work, decorrelated: bool) -> list[Any]:
    """A forest for the training rows of every fold; losawRF for those that it is given."""
    forests = []
    for train, _ in work.losaw_splits if decorrelated else work.splits:
        forest = make_forest(
            work.data.task,
            work.data.X.shape[1],
            decorrelated=decorrelated,
            n_trees=work.design.trees,
            seed=work.seed % 2**31,
            n_jobs=work.n_jobs,
            weighted=work.data.weights is not None,
        )
        X, y, weights = work.data.X.iloc[train], work.data.y[train], work.data.weights_of(train)
        forests.append(fitted(forest, X, y, weights))
        work.tick("losaw" if decorrelated else "fits")
    return forests


def _read_off_trees(work: Work, forests: list[Any], computed: Computed) -> None:
    for name, function in {"mdi": mdi, "ufi": ufi, "mdi_oob": mdi_oob}.items():
        if name in work.design.methods:
            computed.results[name] = _shares(name, work, forests, function)
    if "atr" in work.design.methods:
        if work.data.task == "classification" and len(np.unique(work.data.y)) > 2:
            computed.notes.append("ATR is left out: a direction is defined for two classes only.")
        else:
            computed.results["atr"] = _directions(work, forests)


def _decorrelation(work: Work, forests: list[Any]) -> Any:
    """Average losawRF's measures over the folds, cell by cell, where a fold has the cell."""
    from losaw.forest import decorrelation

    frames = []
    for (train, _), forest in zip(work.losaw_splits, forests, strict=True):
        with warnings.catch_warnings(action="ignore"):  # the page says it
            rows = forest[:-1].transform(work.data.X.iloc[train])
            frames.append(decorrelation(forest[-1], rows))
    total = sum(frame.fillna(0.0) for frame in frames)
    return total / sum(frame.notna().astype(float) for frame in frames)


def _shares(
    name: str, work: Work, forests: list[Any], function: Any, splits: Splits | None = None
) -> ImportanceResult:
    """Scores of every fold's forest on its training rows, divided by the sum of positive ones.

    Or by that of the negative ones, where it is larger: no share is beyond 1 then.
    """
    scores = []
    for (train, _), forest in zip(splits or work.splits, forests, strict=True):
        with warnings.catch_warnings(action="ignore"):
            found = function(
                forest, work.data.X.iloc[train], work.data.y[train], kinds=work.kinds
            ).scores
        scores.append(found / (max(found[found > 0].sum(), -found[found < 0].sum()) or 1.0))
        work.tick("scores")
    return _jackknifed(METHODS[name].label, np.array(scores), work)


def _directions(work: Work, forests: list[Any]) -> ImportanceResult:
    names = tuple(work.data.X.columns)
    rates = [
        absolute_traversal_rate(forest[-1], weighting="rows", feature_names=names).scores
        for forest in forests
    ]
    work.tick("scores")
    # Levels that are numbers to a forest have no direction either.
    ordered = [kind != "nominal" for kind in work.kinds.values()]
    return _jackknifed("ATR (weighted by rows)", np.where(ordered, rates, np.nan), work)


def _jackknifed(label: str, scores: FloatArray, work: Work) -> ImportanceResult:
    """The mean over the folds' training samples, with the error of a delete-a-group jackknife."""
    return ImportanceResult(
        scores.mean(axis=0),
        tuple(work.data.X.columns),
        std_error=jackknife_error(scores),
        std_error_kind=JACKKNIFE,
        details={"fold_scores": scores},
        method=label,
        kinds=tuple(work.kinds.values()),
        degrees_of_freedom=len(scores) - 1,
    )


def jackknife_error(scores: FloatArray) -> FloatArray:
    """Return the jackknife error from K values of a statistic, each without one group, (K, …).

    ``sqrt((K - 1) / K sum_k (t_k - mean)^2)``.
    """
    n_groups = len(scores)
    return np.asarray(scores.std(axis=0) * np.sqrt(n_groups - 1))


def _loss_methods(work: Work, shared: SharedFit, computed: Computed) -> None:
    data, design = work.data, work.design
    common: dict[str, Any] = {"loss": work.loss, "cv": work.splits, "kinds": work.kinds}
    common["sample_weight"], common["clusters"] = data.weights, data.clusters
    drawn: Any = None
    if "cpi" in design.methods:
        table = read_table(data.X, kinds=data.kinds)
        drawn = DrawnOnce(table, design.draws, work.stream("draws"), data.weights, data.clusters)
        work.tick("draws")
    calls: dict[str, Callable[..., ImportanceResult]] = {
        "pfi": partial(pfi, shared, data.X, data.y, n_repeats=design.permutations),
        # Groups have draws of their own, given all columns outside of them.
        "cpi": lambda groups=None, **o: cpi(
            shared,
            data.X,
            data.y,
            sampler=drawn if groups is None else "conditional",
            n_draws=design.draws,
            groups=groups,
            **o,
        ),
        "subgroups": partial(subgroups, shared, data.X, data.y, n_repeats=design.permutations),
        "loco": partial(_loco, shared, data),
    }
    for name, call in calls.items():
        if name not in design.methods:
            continue
        if name == "loco" and data.X.shape[1] < 2:
            computed.notes.append("LOCO is left out: there is only one feature.")
            continue
        computed.results[name] = call(random_state=work.stream(name), **common)
        if name == "cpi":
            computed.finest = hierarchy(
                shared,
                data.X,
                data.y,
                groups=work.groups if work.own_groups else None,
                fwer=FAMILY_WISE,
                n_draws=design.draws,
                random_state=work.stream("hierarchy"),
                **common,
            ).selected
            computed.draw_tests, computed.group_draws = drawn.test(
                computed.results[name], computed.finest, data, work.stream("test of the draws")
            )
        scored = groups_to_score(work, name)
        if scored:
            computed.groups[name] = call(
                random_state=work.stream(f"{name} of groups"),
                groups={group: work.groups[group] for group in scored},
                features=scored,
                **common,
            )
        work.tick(name)


def _loco(shared: SharedFit, data: Prepared, **options: Any) -> ImportanceResult:
    with warnings.catch_warnings(action="ignore"):  # its warning of many rows is on the page
        return loco(shared, data.X, data.y, **options)


def groups_to_score(work: Work, method: str) -> list[str]:
    """Names of the groups that a method scores.

    PFI, CPI and LOCO; a group is drawn given all columns outside of it.
    """
    if method not in ("pfi", "cpi", "loco") or method not in work.design.methods:
        return []
    most = work.data.X.shape[1] - (method == "loco")  # LOCO must leave a feature
    return [group for group, members in work.groups.items() if len(members) <= most]


def n_steps(work: Work, forest_is_model: bool) -> int:
    """Return the number of calls of ``tick`` to come."""
    has = set(work.design.methods).__contains__
    folds, n_features = work.design.folds, work.data.X.shape[1]
    losses = [name for name in work.design.methods if METHODS[name].family == "loss"]
    trees = [name for name in ("mdi", "ufi", "mdi_oob", "losaw") if has(name)]
    reads_trees = has("mdi") or has("ufi") or has("mdi_oob") or has("atr")
    fits = bool(losses or forest_is_model) + (reads_trees and not forest_is_model) + has("losaw")
    refits = has("loco") * (n_features + len(groups_to_score(work, "loco")))
    return folds * (fits + len(trees) + refits) + has("atr") + has("cpi") + len(losses)


def share_explained(work: Work, model: Any, X: Any, rows: NDArray[np.intp]) -> float:
    """Return 1 - loss / loss of the best constant of a model on some rows, given their features."""
    y = work.data.y[rows]
    with warnings.catch_warnings(action="ignore"):
        if work.data.task == "regression":
            risk = work.loss(finite_numbers(y), means(model, X))
        else:
            classes = model.classes_
            risk = work.loss(class_numbers(y, classes), probabilities(model, X, len(classes)))
    return 1.0 - float(np.average(risk, weights=work.data.weights_of(rows)))


def _quality(work: Work, models: list[Any]) -> Quality:
    scores = [
        share_explained(work, model, work.data.X.iloc[held], held)
        for (_, held), model in zip(work.splits, models, strict=True)
    ]
    mean, error, freedom = nadeau_bengio(np.array(scores)[:, None], 1.0 / (work.design.folds - 1))
    test = t_test(float(mean[0]), float(error[0]), freedom, 0.95)
    return Quality(float(mean[0]), float(error[0]), test.p_value)

"""losawRF in plain Python, with the numbers of the paper's definitions and algorithms.

The forest of :class:`losaw.forest.LosawRandomForestRegressor` and of the classifier is this one,
compiled and rearranged. Here nothing is rearranged: rows that the bootstrap draws twice are written
twice, and every formula is as the paper has it. It is slow, and it takes the paper's kernel density
(:class:`KernelDensity`) in place of the normal one. Nothing of the package imports it;
``tests/property/forest`` compares the compiled forest with it, node by node.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import gaussian_kde
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from losaw.data import FloatArray
from losaw.forest.as_printed.steps import SplitAsPrinted, best_split, cap, impurity
from losaw.forest.validation import check_labels, check_max_depth
from losaw.rng import as_generator
from losaw.support.arguments import one_of, real_number, whole_number
from losaw.weighting import (
    ClassFrequency,
    GaussianLinear,
    MultinomialLogit,
    NormalDensity,
    PointMassError,
)
from losaw.weighting.checks import check_eta
from losaw.weighting.levels import discrete_mask
from losaw.weighting.losaw_weights import density_ratio

TASKS = ("regression", "classification")
KINDS = ("continuous", "discrete")
_MOST_LEVELS = 12  # of a nominal feature: all sets of its levels are tried
_TIE = 1e-9  # decreases that differ by less are equal but for rounding: the first one is taken


class KernelDensity:
    """A Gaussian kernel density by scipy, the paper's alternative for continuous targets.

    Of a target alone its density f(x), with adjustment features the conditional f(x, a) / f(a).

    References
    ----------
    losaw, Section 2 (Scott 2015).

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.forest.as_printed.forest import KernelDensity
    >>> x = np.random.default_rng(0).standard_normal(1000)
    >>> round(float(KernelDensity().fit(x).density(np.zeros(1))[0]), 1)
    0.4
    """

    def fit(
        self, target: FloatArray, adjustment: FloatArray | None = None, counts: Any = None
    ) -> Self:
        """Store the sample and set the bandwidths."""
        try:
            self._density = gaussian_kde(_points(target, adjustment), weights=counts)
        except np.linalg.LinAlgError:
            raise PointMassError("a feature is a function of the others: no density") from None
        return self

    def density(self, target: FloatArray, adjustment: FloatArray | None = None) -> FloatArray:
        """Return the density of each target value, given its row of adjustment features."""
        points = _points(target, adjustment)
        both = self._density(points)
        if adjustment is None:
            return np.asarray(both)
        others = self._density.marginal(np.arange(1, len(points)))
        return np.asarray(both / others(points[1:]))


def _points(target: FloatArray, adjustment: FloatArray | None) -> FloatArray:
    """Return the target and its adjustment features as rows."""
    return np.vstack([target, *(() if adjustment is None else adjustment.T)])


@dataclass
class NodeAsPrinted:
    """A node; a leaf has no split and no children."""

    rows: NDArray[np.int64]  # of the training sample, as often as the bootstrap drew them
    value: FloatArray  # unweighted mean of the response, or class shares
    impurity: float  # MSE_k, unweighted, or the Gini impurity
    split: SplitAsPrinted | None = None
    children: tuple["NodeAsPrinted", ...] = ()


@dataclass(eq=False, repr=False)
class ForestAsPrinted(BaseEstimator):
    """losawRF, slow and plain, with the paper's models of densities or given ones.

    Parameters
    ----------
    task : {"regression", "classification"}, default "regression"
    n_estimators, max_depth, min_samples_leaf, eta, n_adjustment, correlation_threshold
        As in :class:`losaw.forest.LosawRandomForestRegressor`; so are ``n_initial_estimators``,
        ``bootstrap`` and ``random_state``.
    max_features : int or None, default None
        Features drawn at a node; None: all.
    adjustment : boolean array of shape (n_features, n_features) or None, default None
        Entry [p, q]: target p is adjusted for feature q. None: chosen by Remark 4.9.
    discrete_features : "auto" or boolean mask, default "auto"
        "auto": at most 10 distinct values, each seen five times on average.
    nominal_features : boolean mask or None, default None
        Discrete features whose at most 12 levels have no order (our extension): all sets are tried.
    propensity : dict or None, default None
        Models of P(x_p | adjustment features) for the kinds of targets "continuous" and "discrete",
        such as :class:`KernelDensity`. A kind that is not named has the paper's: normal linear
        regression, multinomial logit. A deep copy is fitted in every node, with continuous
        adjustment features in units of their standard deviation. If ``fit`` raises
        ``PointMassError``, there is no density to invert: the weights are uniform.
    stabilization : dict or None, default None
        Models of P(x_p), fitted once on the training sample. By default normal density, class
        frequency.

    Attributes
    ----------
    trees_ : list of NodeAsPrinted
        Roots.
    adjustment_, is_discrete_, is_nominal_ : boolean arrays
    feature_importances_ : array of shape (n_features,)
    classes_ : array of shape (n_classes,)
        Of a classification.

    References
    ----------
    losaw, Sections 2 to 4 and Appendices 9.1 and 9.2.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.forest.as_printed.forest import ForestAsPrinted, KernelDensity
    >>> X = np.random.default_rng(0).standard_normal((60, 3))
    >>> X[:, 1] += X[:, 0]
    >>> forest = ForestAsPrinted(
    ...     n_estimators=2,
    ...     max_depth=2,
    ...     propensity={"continuous": KernelDensity()},
    ...     stabilization={"continuous": KernelDensity()},
    ...     random_state=0,
    ... ).fit(X, X[:, 0])
    >>> int(forest.feature_importances_.argmax())
    0
    """

    task: str = "regression"
    _: KW_ONLY
    n_estimators: int = 100
    max_depth: int | None = 10
    min_samples_leaf: int = 5
    max_features: int | None = None
    eta: float = 0.25
    n_adjustment: int = 10
    correlation_threshold: float = 0.1
    n_initial_estimators: int = 20
    adjustment: ArrayLike | None = None
    discrete_features: Any = "auto"
    nominal_features: ArrayLike | None = None
    propensity: Mapping[str, Any] | None = None
    stabilization: Mapping[str, Any] | None = None
    bootstrap: bool = True
    random_state: int | np.random.Generator | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the forest to X (n_samples, n_features) and y (n_samples,)."""
        one_of("task", self.task, TASKS)
        check_eta(self.eta)
        n_trees = whole_number("n_estimators", self.n_estimators, 1)
        check_max_depth(self.max_depth)
        whole_number("min_samples_leaf", self.min_samples_leaf, 1)
        if self.max_features is not None:
            whole_number("max_features", self.max_features, 1)
        whole_number("n_adjustment", self.n_adjustment, 0)
        real_number("correlation_threshold", self.correlation_threshold, 0, 1)
        rows, response = validate_data(
            self, X, y, dtype=np.float64, y_numeric=self.task == "regression"
        )
        self._X = rows
        if self.task == "classification":  # the impurity is summed over the classes' indicators
            check_labels(response)
            self.classes_ = np.unique(response)
            self._y = (response[:, None] == self.classes_).astype(float)
        else:
            self._y = np.asarray(response, dtype=float)[:, None]
        self._rng = as_generator(self.random_state)
        self._read_features()
        if self.adjustment is None:
            self.adjustment_ = self._adjustment_features(rows, response)
        else:
            mask = self.adjustment_ = np.array(self.adjustment, dtype=bool)
            if mask.shape != (rows.shape[1], rows.shape[1]) or mask.diagonal().any():
                raise ValueError(
                    f"adjustment must be a mask of shape ({rows.shape[1]}, {rows.shape[1]}), False "
                    "on its diagonal: no feature is adjusted for itself"
                )
        self._choose_models()
        self.trees_ = [self._grow_tree() for _ in range(n_trees)]
        return self

    def _read_features(self) -> None:
        """Learn which features are discrete, and scale the others for the propensity models."""
        X = self._X
        n_features = X.shape[1]
        nominal: Any = self.nominal_features
        self.is_nominal_ = (
            np.zeros(n_features, bool) if nominal is None else np.array(nominal, bool)
        )
        self.is_discrete_ = discrete_mask(self.discrete_features, X) | self.is_nominal_
        for p in np.flatnonzero(self.is_nominal_):
            if (n := len(np.unique(X[:, p]))) > _MOST_LEVELS:
                raise ValueError(
                    f"nominal feature {p} has {n} levels; this forest tries all sets of at most "
                    f"{_MOST_LEVELS}: merge levels, or take LosawRandomForestRegressor"
                )
        scale = X.std(axis=0)
        scaled = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
        self._scaled = np.where(self.is_discrete_, X, scaled)

    def _choose_models(self) -> None:
        """Choose the models of either kind of target; fit the stabilising ones."""
        scaled_logit = MultinomialLogit(standardize=False)  # features are scaled already
        models = {"continuous": GaussianLinear(), "discrete": scaled_logit}
        densities = {"continuous": NormalDensity(), "discrete": ClassFrequency()}
        self._propensity = _by_kind("propensity", models, self.propensity)
        stabilization = _by_kind("stabilization", densities, self.stabilization)
        self._marginal: dict[int, Any] = {}
        for p in np.flatnonzero(self.adjustment_.any(axis=1)):
            model = copy.deepcopy(stabilization[KINDS[int(self.is_discrete_[p])]])
            model.fit(self._X[:, p])
            self._marginal[int(p)] = model

    def _adjustment_features(self, X: FloatArray, y: NDArray[Any]) -> NDArray[np.bool_]:
        """Mask of Remark 4.9: the most important features that correlate with the target."""
        n_features = X.shape[1]
        if self.is_nominal_.any():
            raise ValueError(
                "nominal features have no correlation: give adjustment, for example the "
                "adjustment_ of a fitted LosawRandomForestRegressor"
            )
        top = np.arange(n_features)
        if n_features > self.n_adjustment:
            parameters = self.get_params() | {
                "eta": 1.0,
                "adjustment": np.zeros((n_features, n_features)),
                "n_estimators": self.n_initial_estimators,
                "random_state": self._rng,
            }
            initial = ForestAsPrinted(**parameters).fit(X, y)
            order = np.argsort(-initial.feature_importances_, kind="stable")
            top = order[: self.n_adjustment]
        mask = np.zeros((n_features, n_features), dtype=bool)
        with np.errstate(invalid="ignore"):  # a constant feature correlates with nothing
            correlation = np.atleast_2d(np.nan_to_num(np.corrcoef(X, rowvar=False)))
        mask[:, top] = np.abs(correlation[:, top]) > self.correlation_threshold
        np.fill_diagonal(mask, False)
        return mask

    def _grow_tree(self) -> NodeAsPrinted:
        """Grow a tree on a bootstrap sample."""
        n = len(self._y)
        drawn = np.sort(self._rng.integers(n, size=n)) if self.bootstrap else np.arange(n)
        root = self._node(drawn)
        pending = [(root, 0)]
        while pending:
            node, depth = pending.pop()
            is_pure = node.impurity <= 1e-14 * root.impurity
            is_deep = self.max_depth is not None and depth >= self.max_depth
            if is_pure or is_deep or len(node.rows) < 2 * self.min_samples_leaf:
                continue
            node.split = self._select_split(node.rows)
            if node.split is None:
                continue
            left = node.split.goes_left(self._X[node.rows])
            node.children = (self._node(node.rows[left]), self._node(node.rows[~left]))
            pending += [(child, depth + 1) for child in node.children]
        return root

    def _node(self, rows: NDArray[np.int64]) -> NodeAsPrinted:
        y = self._y[rows]
        return NodeAsPrinted(rows, y.mean(axis=0), impurity(np.ones(len(rows)), y))

    def _select_split(self, rows: NDArray[np.int64]) -> SplitAsPrinted | None:
        """Select the split of a node (Definition 4.2, Algorithm 4.3).

        Features are drawn until there are ``max_features`` of them and one is not constant.
        """
        order = self._rng.permutation(self._X.shape[1])
        wanted = len(order) if self.max_features is None else self.max_features
        best, n_varying = None, 0
        for n_drawn, p in enumerate(order):
            if n_drawn >= wanted and n_varying > 0:
                break
            n_varying += np.ptp(self._X[rows, p]) > 0
            split = self.best_split(rows, int(p))
            least = 1e-12 if best is None else best.decrease * (1 + _TIE)
            if split is not None and split.decrease > least:
                best = split
        return best

    def weights(self, rows: NDArray[np.int64], p: int) -> FloatArray:
        """Estimate the weights of a node's rows for target p (Definition 2.1), capped, (n,).

        Uniform if the target is adjusted for nothing, or has no density there.
        """
        others = np.flatnonzero(self.adjustment_[p])
        uniform = np.full(len(rows), 1 / len(rows))
        if len(others) == 0 or self.eta == 1.0:
            return uniform
        x, adjustment = self._X[rows, p], self._scaled[np.ix_(rows, others)]
        model = copy.deepcopy(self._propensity[KINDS[int(self.is_discrete_[p])]])
        if isinstance(getattr(model, "discrete", None), str) and model.discrete == "auto":
            model.discrete = self.is_discrete_[others]
        try:
            model.fit(x, adjustment, np.ones(len(rows)))
        except PointMassError:
            return uniform
        return cap(density_ratio(self._marginal[p], model, x, adjustment), self.eta)

    def best_split(self, rows: NDArray[np.int64], p: int) -> SplitAsPrinted | None:
        """Find the best split of feature p at a node (Algorithms 9.3 and 9.4); None without any."""
        w, y, x = self.weights(rows, p), self._y[rows], self._X[rows, p]
        return best_split(p, w, y, x, self.min_samples_leaf, bool(self.is_nominal_[p]))

    @property
    def feature_importances_(self) -> FloatArray:
        """Mean over the trees of the standardised Delta_k^rel MSE_k N_k (Definition 4.6)."""
        check_is_fitted(self)
        scores = np.zeros((len(self.trees_), self.n_features_in_))
        for score, root in zip(scores, self.trees_, strict=True):
            for node in _nodes(root):
                if node.split is not None:
                    score[node.split.feature] += (
                        node.split.decrease * node.impurity * len(node.rows)
                    )
            score /= score.sum() or 1.0
        return np.asarray(scores.mean(axis=0))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Mean of the trees' unweighted leaf means, or the class with the largest mean share."""
        mean = self._mean_of_leaves(X)
        if self.task == "classification":
            return np.asarray(self.classes_[mean.argmax(axis=1)])
        return np.asarray(mean[:, 0])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Mean of the trees' class shares, (n_samples, n_classes), of a classification."""
        if self.task != "classification":
            raise ValueError("a regression has no class shares: predict returns the mean")
        return self._mean_of_leaves(X)

    def _mean_of_leaves(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        total = np.zeros((len(rows), self._y.shape[1]))
        for root in self.trees_:
            pending = [(root, np.arange(len(rows)))]
            while pending:
                node, places = pending.pop()
                if node.split is None:
                    total[places] += node.value
                    continue
                left = node.split.goes_left(rows[places])
                pending += [(node.children[0], places[left]), (node.children[1], places[~left])]
        return total / len(self.trees_)


def _by_kind(
    name: str, papers: Mapping[str, Any], chosen: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Models by kind of target, the paper's where none is chosen."""
    if not isinstance(chosen, Mapping | None):
        raise TypeError(
            f"{name} must be a dict with models for the kinds 'continuous' and 'discrete', or "
            f"None; got {chosen!r}"
        )
    for kind in chosen or {}:
        one_of(f"{name}: kind", kind, KINDS)
    return {**papers, **(chosen or {})}


def _nodes(root: NodeAsPrinted) -> Iterator[NodeAsPrinted]:
    """All nodes of a tree."""
    yield root
    for child in root.children:
        yield from _nodes(child)

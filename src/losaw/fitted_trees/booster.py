"""The node predictions of a fitted xgboost booster as flat arrays, checked for consistency."""

import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.extras import extra

if TYPE_CHECKING:
    from xgboost import Booster, DMatrix

OBJECTIVES = ("reg:squarederror", "binary:logistic")
_NO_PARENT = 2147483647
_STRUCTURE = ("left_children", "right_children", "split_indices", "parents")
_TOLERANCE = 1e-3
_SPARSE = "X is sparse; give X.toarray(), or a data frame"


class Branches(NamedTuple):
    """Nodes of many trees as the branches that lead to them, one tree after the other.

    A node that was pruned keeps its number, but is neither a leaf nor below another node. Tree m
    is ``starts[m] : starts[m + 1]``; what is summed over trees is walked from the leaves up. A
    booster's splits also say where missing values go.
    """

    parent: NDArray[np.int32]  # (n_nodes,), number within the tree, -1 for a root or if pruned
    feature: NDArray[np.int32]  # that the parent splits on, 0 for a root
    threshold: NDArray[np.float32]  # the parent's: rows with x < threshold go left
    is_left: NDArray[np.bool_]  # whether the node is its parent's left child
    missing_is_left: NDArray[np.bool_]  # whether that gets missing values
    share: FloatArray  # the node's part of its parent's sum of hessians; 1 for a root
    value: FloatArray  # p_m(t), what it would predict as a leaf, learning rate included
    is_leaf: NDArray[np.bool_]
    starts: NDArray[np.int64]  # (n_trees + 1,)


class Fit(NamedTuple):
    """A sample on its way through a booster's trees."""

    leaves: NDArray[np.int32]  # (n_trees, n_rows), numbered within the tree
    y: FloatArray
    margin: FloatArray  # (n_rows,), of the trees before; moved on tree by tree
    logistic: bool  # whether the mean is the logistic function of the margin


class Sums(NamedTuple):
    """The arrays in which attributions are summed over rows and trees."""

    inner: FloatArray  # (n_features,), attribution times residual
    absolute: FloatArray  # (n_features,)
    forest: FloatArray  # (n_rows, n_features), attributions of all trees
    residuals: FloatArray  # (n_rows,), of all trees
    rows: FloatArray  # (n_rows, n_features), what every row adds to ``inner``, or no rows


@dataclass(frozen=True)
class BoostedTrees:
    """The trees of a booster.

    Attributes
    ----------
    branches : Branches
    base_margin : float
        Prediction before the first tree, on the scale of the margin.
    eta : float
        Learning rate.
    objective : str
    n_features : int
    """

    branches: Branches
    base_margin: float
    eta: float
    objective: str
    n_features: int

    def __len__(self) -> int:
        return len(self.branches.starts) - 1

    @property
    def roots(self) -> FloatArray:
        """p_m(root) of every tree."""
        return self.branches.value[self.branches.starts[:-1]]


def as_booster(model: Any) -> "Booster":
    """The booster of a fitted xgboost estimator, or the booster itself.

    Of an estimator that stopped early, the booster of the trees that its ``predict`` uses.

    Raises
    ------
    TypeError
        If ``model`` is neither.
    """
    with extra("xgboost"):
        import xgboost

    if isinstance(model, xgboost.Booster):
        return model
    if hasattr(model, "get_booster"):
        booster = model.get_booster()
        best = getattr(model, "best_iteration", None)
        if best is None or best + 1 >= booster.num_boosted_rounds():
            return booster
        return booster[: best + 1]
    raise TypeError(
        f"{type(model).__name__} is not an xgboost model; give a Booster, XGBRegressor or "
        "XGBClassifier"
    )


def missing_as_nan(model: Any, X: ArrayLike) -> ArrayLike:
    """``X``, with NaN for the value of an estimator's ``missing`` where that is a number.

    Raises
    ------
    ValueError
        If that value has to be sought and X is sparse or holds something that is no number.
    """
    missing = getattr(model, "missing", None)
    if missing is None or np.isnan(missing):
        return X
    if hasattr(X, "toarray"):
        raise ValueError(_SPARSE)
    rows = numbers("X", X).copy()
    with np.errstate(over="ignore"):
        rows[rows.astype(np.float32) == np.float32(missing)] = np.nan
    return rows


def data_matrix(booster: "Booster", X: ArrayLike) -> "DMatrix":
    """``X`` as the booster reads it, under the names that it was trained with.

    Raises
    ------
    ValueError
        If it is sparse, has two columns of one name, or numbers beyond single precision.
    """
    with extra("xgboost"):
        import xgboost

    if hasattr(X, "toarray"):
        raise ValueError(_SPARSE)
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"X has more than one column named {repeated!r}; rename them")
        return xgboost.DMatrix(X)
    rows = np.asarray(X)
    if rows.dtype.kind == "f" and (np.abs(rows) > np.finfo(np.float32).max).any():
        raise ValueError(
            "X holds values beyond 3.4e38, the range of the single precision in which xgboost "
            "reads them; take another unit"
        )
    rows = rows.astype(rows.dtype.newbyteorder("="), copy=False)
    return xgboost.DMatrix(rows, feature_names=booster.feature_names, nthread=1)


def numbers(name: str, values: ArrayLike) -> FloatArray:
    """``values`` as a contiguous array of numbers.

    Raises
    ------
    ValueError
        If they are none.
    """
    try:
        return np.ascontiguousarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array or data frame of numbers ({error})") from None


def check_columns(booster: "Booster", X: ArrayLike) -> None:
    """Refuse rows whose columns are not those that the booster was trained on.

    Raises
    ------
    ValueError
        For another number of columns, other names or another order.
    """
    names = [str(name) for name in getattr(X, "columns", ())]
    trained = booster.feature_names
    if names and trained and names != trained:
        what = "in another order" if sorted(names) == sorted(trained) else "under other names"
        raise ValueError(
            f"X has its columns {what} ({', '.join(names[:5])}) than the booster was trained on "
            f"({', '.join(trained[:5])}): give X[booster.feature_names]"
        )
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] != booster.num_features():
        raise ValueError(
            f"X has shape {shape}, expected (n_samples, {booster.num_features()}) as in training"
        )


def read_booster(booster: "Booster") -> BoostedTrees:
    """Node predictions of a booster, after checking that they are defined.

    An inner node t has p(t) = eta * base_weight(t), with base_weight(t) = -G_t / (H_t + lambda)
    as xgboost stores it; a leaf stores p(t) itself (TreeInner, Equation (7)).

    Raises
    ------
    ValueError
        For another objective than squared error or binary log-loss, another booster than gbtree,
        an L1 penalty, several outputs, parallel trees or categorical splits; and if the stored
        node predictions contradict learning rate and L2 penalty, as after loading a model file,
        which does not keep them.
    """
    content = json.loads(booster.save_raw("json"))["learner"]
    configuration = json.loads(booster.save_config())["learner"]["gradient_booster"]
    _check_kind(content, configuration)
    trees = content["gradient_booster"]["model"]["trees"]
    options = configuration["tree_train_param"]
    eta, reg_lambda = float(options["eta"]), float(options["lambda"])
    if float(options["alpha"]) > 0:
        raise ValueError(
            f"the booster has an L1 penalty (reg_alpha = {options['alpha']}), for which node "
            "predictions are not defined (TreeInner, Section 5.1); train it with reg_alpha=0"
        )
    nodes = {
        key: np.array(list(chain.from_iterable(tree[key] for tree in trees)))
        for key in (*_STRUCTURE, "base_weights", "split_conditions", "sum_hessian", "default_left")
    }
    sizes = [len(tree["left_children"]) for tree in trees]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    offset = np.repeat(starts[:-1], sizes)
    is_reached = _reached(nodes["left_children"], nodes["right_children"], starts, offset)
    is_leaf = is_reached & (nodes["left_children"] < 0)
    value = np.where(is_leaf, nodes["split_conditions"], eta * nodes["base_weights"])
    value[~is_reached] = 0.0
    _check_gradients(nodes, value, is_reached & ~is_leaf, starts, offset, eta, reg_lambda)
    has_parent = is_reached & (nodes["parents"] != _NO_PARENT)
    parent = np.where(has_parent, nodes["parents"], -1)
    above = offset + np.maximum(parent, 0)
    hessian = nodes["sum_hessian"]
    base_score = float(content["learner_model_param"]["base_score"].strip("[]"))
    logistic = content["objective"]["name"] == "binary:logistic"
    branches = Branches(
        parent=parent.astype(np.int32),
        feature=np.where(parent < 0, 0, nodes["split_indices"][above]).astype(np.int32),
        threshold=nodes["split_conditions"][above].astype(np.float32),
        is_left=nodes["left_children"][above] == np.arange(len(parent)) - offset,
        missing_is_left=nodes["default_left"][above].astype(bool),
        share=np.where(parent < 0, 1.0, hessian / hessian[above]),
        value=value,
        is_leaf=is_leaf,
        starts=starts,
    )
    return BoostedTrees(
        branches,
        base_margin=float(np.log(base_score / (1 - base_score))) if logistic else base_score,
        eta=eta,
        objective=content["objective"]["name"],
        n_features=int(content["learner_model_param"]["num_feature"]),
    )


def expected_values(branches: Branches) -> FloatArray:
    """The expected output of every node's rows by the leaves below it,

        p~(t) = sum over leaves l below t of H_l p(l) / H_t,

    (n_nodes,). For squared error H counts training rows and p~ is Equation (8) of TreeInner; for
    log-loss it weights them by their Hessians, as xgboost and shap do.
    """
    is_root = branches.parent < 0
    sizes = np.diff(branches.starts)
    above = np.repeat(branches.starts[:-1], sizes) + np.maximum(branches.parent, 0)
    depth = np.zeros(len(above), dtype=int)
    while True:
        deeper = np.where(is_root, 0, depth[above] + 1)
        if (deeper == depth).all():
            break
        depth = deeper
    expected = np.where(branches.is_leaf, branches.value, 0.0)
    for level in range(depth.max(), 0, -1):
        nodes = np.flatnonzero(depth == level)
        np.add.at(expected, above[nodes], branches.share[nodes] * expected[nodes])
    return expected


def _check_kind(content: dict[str, Any], configuration: dict[str, Any]) -> None:
    booster, objective = content["gradient_booster"]["name"], content["objective"]["name"]
    if booster != "gbtree":
        raise ValueError(f"the booster is {booster!r}; only 'gbtree' is an unweighted sum of trees")
    if objective not in OBJECTIVES:
        raise ValueError(
            f"the objective {objective!r} is not supported (supported: {', '.join(OBJECTIVES)})"
        )
    if int(content["learner_model_param"].get("num_target", "1")) > 1:
        raise ValueError("the booster has several outputs; train one booster for each")
    parallel = configuration.get("gbtree_model_param", {}).get("num_parallel_tree", "1")
    if int(parallel) > 1:
        raise ValueError(f"num_parallel_tree is {parallel}; only one tree a round is supported")
    trees = content["gradient_booster"]["model"]["trees"]
    if not trees:
        raise ValueError("the booster has no trees: train it first")
    for index, tree in enumerate(trees):
        if tree["categories_nodes"]:
            feature = tree["split_indices"][tree["categories_nodes"][0]]
            named = content.get("feature_names") or []
            if feature < len(named):
                feature = f"{feature} ({named[feature]!r})"
            raise ValueError(
                f"tree {index} splits feature {feature} by categories, which is not supported; "
                "encode it as dummies or ordered numbers"
            )


def _reached(
    left: NDArray[Any], right: NDArray[Any], starts: NDArray[np.int64], offset: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which nodes rows can come to: xgboost keeps those that it pruned in the stored trees."""
    reached = np.zeros(len(left), dtype=bool)
    nodes = starts[:-1]
    while len(nodes):
        reached[nodes] = True
        nodes = nodes[left[nodes] >= 0]
        nodes = np.concatenate([offset[nodes] + side[nodes] for side in (left, right)])
    return reached


def _check_gradients(
    nodes: dict[str, NDArray[Any]],
    value: FloatArray,
    is_split: NDArray[np.bool_],
    starts: NDArray[np.int64],
    offset: NDArray[np.int64],
    eta: float,
    reg_lambda: float,
) -> None:
    """A split divides the gradients of its node: G = p (H + lambda) / eta must add up."""
    gradient = value * (nodes["sum_hessian"] + reg_lambda) / eta
    split = np.flatnonzero(is_split)
    left, right = (nodes[f"{side}_children"][split] + offset[split] for side in ("left", "right"))
    excess = np.zeros(len(gradient))
    excess[split] = np.abs(gradient[split] - gradient[left] - gradient[right])
    largest = np.maximum.reduceat(np.abs(gradient), starts[:-1])
    wrong = np.maximum.reduceat(excess, starts[:-1]) > _TOLERANCE * largest
    if wrong.any():
        raise ValueError(
            f"tree {wrong.argmax()} contradicts eta = {eta:g} and reg_lambda = {reg_lambda:g}. A "
            "booster loaded from a file has forgotten both: restore them with "
            "booster.set_param({'eta': ..., 'reg_lambda': ...}). Otherwise it was trained with "
            "an L1 penalty, max_delta_step or monotone constraints, which are not supported"
        )

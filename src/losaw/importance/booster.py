"""A fitted xgboost booster as flat arrays of node predictions, checked to be what they claim."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray

if TYPE_CHECKING:
    from xgboost import Booster, DMatrix

OBJECTIVES = ("reg:squarederror", "binary:logistic")
_NO_PARENT = 2147483647
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class BoostedTrees:
    """Trees one after the other; those of tree m stand at ``starts[m] : starts[m + 1]``.

    Attributes
    ----------
    parent : int array of shape (n_nodes,)
        Number of the parent within the tree, -1 for a root.
    feature : int array of shape (n_nodes,)
        Feature that the parent splits on, which led here; 0 for a root.
    value : array of shape (n_nodes,)
        p_m(t), what the node would predict as a leaf, learning rate included.
    is_leaf : boolean array of shape (n_nodes,)
    starts : int array of shape (n_trees + 1,)
    base_margin : float
        Prediction before the first tree, on the scale of the margin.
    eta : float
        Learning rate.
    objective : str
    n_features : int
    """

    parent: NDArray[np.int32]
    feature: NDArray[np.int32]
    value: FloatArray
    is_leaf: NDArray[np.bool_]
    starts: NDArray[np.int64]
    base_margin: float
    eta: float
    objective: str
    n_features: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def roots(self) -> FloatArray:
        """p_m(root) of every tree."""
        return self.value[self.starts[:-1]]


def as_booster(model: Any) -> "Booster":
    """The booster of a fitted xgboost estimator, or the booster itself.

    Raises
    ------
    TypeError
        If ``model`` is neither.
    """
    import xgboost

    if isinstance(model, xgboost.Booster):
        return model
    if hasattr(model, "get_booster"):
        return model.get_booster()
    raise TypeError(
        f"{type(model).__name__} is not an xgboost model; give a Booster, XGBRegressor or "
        "XGBClassifier"
    )


def data_matrix(booster: "Booster", X: ArrayLike) -> "DMatrix":
    """``X`` as the booster reads it, under the names that it was trained with."""
    import xgboost

    if hasattr(X, "columns"):
        return xgboost.DMatrix(X)
    return xgboost.DMatrix(np.asarray(X), feature_names=booster.feature_names, nthread=1)


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
    parts = [_read_tree(tree, index, eta, reg_lambda) for index, tree in enumerate(trees)]
    sizes = [len(part[0]) for part in parts]
    base_score = float(content["learner_model_param"]["base_score"].strip("[]"))
    logistic = content["objective"]["name"] == "binary:logistic"
    parent, feature, value, is_leaf = (np.concatenate(one) for one in zip(*parts, strict=True))
    return BoostedTrees(
        parent=parent,
        feature=feature,
        value=value,
        is_leaf=is_leaf,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        base_margin=float(np.log(base_score / (1 - base_score))) if logistic else base_score,
        eta=eta,
        objective=content["objective"]["name"],
        n_features=int(content["learner_model_param"]["num_feature"]),
    )


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
            raise ValueError(
                f"tree {index} splits feature {feature} by categories, which is not supported; "
                "encode it as dummies or ordered numbers"
            )


def _read_tree(
    tree: dict[str, Any], index: int, eta: float, reg_lambda: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    left = np.array(tree["left_children"], dtype=np.int32)
    right = np.array(tree["right_children"], dtype=np.int32)
    is_leaf = left < 0
    weight = np.array(tree["base_weights"], dtype=float)
    value = np.where(is_leaf, np.array(tree["split_conditions"], dtype=float), eta * weight)
    parent = np.array(tree["parents"], dtype=np.int64)
    parent = np.where(parent == _NO_PARENT, -1, parent).astype(np.int32)
    feature = np.array(tree["split_indices"], dtype=np.int32)[parent]
    feature[0] = 0
    # A split divides the gradients of its node: G = p (H + lambda) / eta adds up.
    gradient = value * (np.array(tree["sum_hessian"]) + reg_lambda) / eta
    split = np.flatnonzero(~is_leaf)
    excess = np.abs(gradient[split] - gradient[left[split]] - gradient[right[split]])
    if len(split) and excess.max() > _TOLERANCE * np.abs(gradient).max():
        raise ValueError(
            f"tree {index} contradicts eta = {eta:g} and reg_lambda = {reg_lambda:g}. A booster "
            "loaded from a file has forgotten both: restore them with "
            "booster.set_param({'eta': ..., 'reg_lambda': ...}). Otherwise it was trained with "
            "an L1 penalty, max_delta_step or monotone constraints, which are not supported"
        )
    return parent, feature, value, is_leaf

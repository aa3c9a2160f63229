"""The trees of a fitted xgboost booster as flat arrays, checked for consistency."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.support.arguments import as_floats, check_unique, unmasked
from losaw.support.extras import extra
from losaw.support.models import require_instance
from losaw.support.words import other_columns
from losaw.tables.reading import to_pandas

if TYPE_CHECKING:
    from xgboost import Booster, DMatrix

OBJECTIVES = ("reg:squarederror", "binary:logistic")
_NO_PARENT = 2147483647
_COLUMNS = (
    "left_children", "right_children", "split_indices", "parents", "base_weights",
    "split_conditions", "sum_hessian", "loss_changes",
)  # fmt: skip
# What rounding may take of the largest step from the base score.
_TOLERANCE_OF_START = 1e-2
_TOLERANCE = 1e-3


@dataclass(frozen=True)
class BoostedTrees:
    """The nodes of a booster's trees, one tree after the other.

    A node that was pruned keeps its number, but is neither a leaf nor below another node.
    """

    starts: NDArray[np.intp]  # (n_trees + 1,); tree m is starts[m] : starts[m + 1]
    parent: NDArray[np.intp]  # (n_nodes,), number among all nodes; -1 for a root
    feature: NDArray[np.intp]  # (n_nodes,), that the parent splits; 0 for a root
    # (n_nodes,), p_m(t), what the node would predict as a leaf, learning rate included.
    value: FloatArray
    base_margin: float  # prediction before the first tree, on the scale of the margin
    eta: float  # learning rate
    objective: str
    n_features: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def means(self, margin: FloatArray) -> FloatArray:
        """The means of the response at margins: themselves, or their logistic function."""
        return 1 / (1 + np.exp(-margin)) if self.objective == "binary:logistic" else margin


def as_booster(model: Any) -> "Booster":
    """The booster of a fitted xgboost estimator, or the booster itself.

    Of an estimator that stopped early, the booster of the trees that its ``predict`` uses.
    """
    with extra("xgboost"):
        import xgboost

    require_instance(model)
    if isinstance(model, xgboost.Booster):
        return model
    if hasattr(model, "get_booster"):
        booster = model.get_booster()
        best = getattr(model, "best_iteration", None)
        is_linear = getattr(model, "booster", None) == "gblinear"  # has no trees to leave out
        if best is None or is_linear or best + 1 >= booster.num_boosted_rounds():
            return booster
        return booster[: best + 1]
    raise TypeError(
        f"{type(model).__name__} is not an xgboost model; give a Booster, XGBRegressor or "
        "XGBClassifier"
    )


def booster_and_rows(model: Any, X: ArrayLike) -> tuple["Booster", "DMatrix"]:
    """The booster of ``model``, and ``X`` as it reads it, under the names of its training."""
    booster = as_booster(model)
    import xgboost

    if hasattr(X, "toarray"):
        raise ValueError(
            "X is sparse, and absent entries are missing values to xgboost; fit and explain dense "
            "rows"
        )
    _check_columns(booster, X)
    missing = getattr(model, "missing", None)
    missing = np.nan if missing is None else missing
    options = {"missing": missing, "nthread": 1}
    if hasattr(X, "columns"):
        _check_range_of_columns(X, missing)
        return booster, xgboost.DMatrix(X, enable_categorical=True, **options)
    rows = np.asarray(unmasked(X))
    rows = as_floats("X", rows) if rows.dtype.kind in "USO" else rows
    _check_range("X", rows, missing)
    rows = rows.astype(rows.dtype.newbyteorder("="), copy=False)
    return booster, xgboost.DMatrix(rows, feature_names=booster.feature_names, **options)


def _check_range_of_columns(X: Any, missing: float) -> None:
    frame = to_pandas(X)
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame  # a table of Arrow
    for label, dtype in frame.dtypes.items():
        if dtype.kind == "f":
            values = frame[label].to_numpy(float, na_value=np.nan)
            _check_range(f"column {str(label)!r} of X", values, missing)


def _check_range(what: str, values: NDArray[Any], missing: float) -> None:
    if values.dtype.kind != "f":
        return
    if ((np.abs(values) > np.finfo(np.float32).max) & (values != missing)).any():
        raise ValueError(
            f"{what} holds values beyond 3.4e38, the range of the single precision in which "
            "xgboost reads them; take another unit"
        )


def names_of(labels: Iterable[Any]) -> list[str]:
    """The names of labels of columns; those of several levels are joined as xgboost joins them."""
    return [" ".join(map(str, n)) if isinstance(n, tuple) else str(n) for n in labels]


def _check_columns(booster: "Booster", X: ArrayLike) -> None:
    """Refuse rows whose columns are not those that the booster was trained on."""
    labels = getattr(X, "column_names", getattr(X, "columns", ()))
    names = names_of(labels)
    check_unique(names)
    trained = booster.feature_names
    if names and trained:
        differ = other_columns("X", names, "the booster was trained on", trained)
        if differ:
            raise ValueError(f"{differ}; give X[booster.feature_names]")
    shape = np.shape(X)
    if len(shape) != 2 or shape[1] != booster.num_features() or not shape[0]:
        raise ValueError(
            f"X has shape {shape}, expected (n_samples, {booster.num_features()}) as in training, "
            "with one row or more"
        )


def read_booster(booster: "Booster", residuals: bool = False) -> BoostedTrees:
    """Node predictions of a booster, after checking that they are defined.

    An inner node t has p(t) = eta * base_weight(t), with base_weight(t) = -G_t / (H_t + lambda)
    as xgboost stores it; a leaf stores p(t) itself (TreeInner, Equation (7)). With ``residuals``
    the trees must also have been fitted to the residuals of the trees before them, row by row and
    without weights. What is refused: other objectives than squared error and binary log-loss, other
    boosters than gbtree, an L1 penalty, several outputs, parallel trees, categorical splits, and
    node predictions that contradict learning rate and L2 penalty, as after loading a model file,
    which does not keep them.
    """
    content = json.loads(booster.save_raw("json"))["learner"]
    configuration = json.loads(booster.save_config())["learner"]
    _check_kind(content, configuration)
    model = content["gradient_booster"]["model"]
    options = configuration["gradient_booster"]["tree_train_param"]
    eta, reg_lambda = float(options["eta"]), float(options["lambda"])
    if float(options["alpha"]) > 0:
        raise ValueError(
            f"the booster has an L1 penalty (reg_alpha = {options['alpha']}), for which node "
            "predictions are not defined (TreeInner, Section 5.1); train it with reg_alpha=0"
        )
    nodes = {
        key: np.array(list(chain.from_iterable(tree[key] for tree in model["trees"])))
        for key in _COLUMNS
    }
    sizes = [len(tree["left_children"]) for tree in model["trees"]]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    offset = np.repeat(starts[:-1], sizes)
    for key in ("left_children", "right_children"):
        nodes[key] = np.where(nodes[key] < 0, -1, nodes[key] + offset)
    # xgboost keeps the nodes that it pruned: leaves at which no row arrives, so no path is theirs.
    is_leaf = nodes["left_children"] < 0
    value = np.where(is_leaf, nodes["split_conditions"], eta * nodes["base_weights"])
    _check_gradients(nodes, value, ~is_leaf, starts, eta, reg_lambda)
    has_parent = nodes["parents"] != _NO_PARENT
    parent = np.where(has_parent, nodes["parents"] + offset, -1)
    base_score = float(content["learner_model_param"]["base_score"].strip("[]"))
    objective = content["objective"]["name"]
    is_logistic = objective == "binary:logistic"
    if is_logistic and not 0 < base_score < 1:
        raise ValueError(
            f"the booster starts from the probability {base_score:g}: it was trained on one class "
            "only; train it on rows of both classes"
        )
    trees = BoostedTrees(
        starts,
        parent,
        np.where(parent < 0, 0, nodes["split_indices"][parent]),
        value,
        base_margin=float(np.log(base_score / (1 - base_score))) if is_logistic else base_score,
        eta=eta,
        objective=objective,
        n_features=int(content["learner_model_param"]["num_feature"]),
    )
    if residuals:
        _check_residuals(configuration, nodes, base_score, trees)
    return trees


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
    of_trees = configuration["gradient_booster"].get("gbtree_model_param", {})
    parallel = of_trees.get("num_parallel_tree", "1")
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


def _check_gradients(
    nodes: dict[str, NDArray[Any]],
    value: FloatArray,
    is_split: NDArray[np.bool_],
    starts: NDArray[np.intp],
    eta: float,
    reg_lambda: float,
) -> None:
    """A split divides the gradients of its node: G = p (H + lambda) / eta must add up.

    So do those of a tree of one split for any eta, since both sums are 0: the split must also have
    the gain that xgboost stored, the change of G^2 / (H + lambda).
    """
    curvature = nodes["sum_hessian"] + reg_lambda
    gradient = value * curvature / eta
    gain = np.divide(gradient**2, curvature, out=np.zeros(len(gradient)), where=curvature > 0)
    left, right = nodes["left_children"][is_split], nodes["right_children"][is_split]
    excess = np.zeros(len(gradient))
    excess[is_split] = np.abs(gradient[is_split] - gradient[left] - gradient[right])
    largest = np.maximum.reduceat(np.abs(gradient), starts[:-1])
    wrong = np.maximum.reduceat(excess, starts[:-1]) > _TOLERANCE * largest
    found = gain[left] + gain[right] - gain[is_split]
    excess[is_split] = np.abs(found - nodes["loss_changes"][is_split])
    largest = np.maximum.reduceat(gain, starts[:-1])
    wrong |= np.maximum.reduceat(excess, starts[:-1]) > _TOLERANCE * largest
    if wrong.any():
        raise ValueError(
            f"tree {wrong.argmax()} contradicts eta = {eta:g} and reg_lambda = {reg_lambda:g}. A "
            "booster loaded from a file has forgotten both: restore them with "
            "booster.set_param({'eta': ..., 'reg_lambda': ...}). Otherwise it was trained with "
            "an L1 penalty, max_delta_step, monotone constraints or several learning rates, which "
            "are not supported"
        )


def _check_residuals(
    configuration: dict[str, Any],
    nodes: dict[str, NDArray[Any]],
    base_score: float,
    trees: BoostedTrees,
) -> None:
    """Refuse trees that were fitted to something else than y - mu(margin) of rows that count once.

    Of squared error the sum of Hessians of a node is its number of rows; of log-loss it is that of
    the first tree times p (1 - p), p the base score. Where xgboost chose the base score itself, the
    residuals of the first tree sum to 0. Not seen: whole weights, and a base margin with the mean
    of y or beside ``base_score`` or ``subsample``.
    """
    hessian, n_first = nodes["sum_hessian"], trees.starts[1]
    if trees.objective == "binary:logistic":
        hessian = hessian[:n_first] / (base_score * (1 - base_score))
    is_count = np.abs(hessian - np.round(hessian)) <= np.maximum(1e-3, 1e-6 * hessian)
    steps = np.abs(trees.value[:n_first]) / trees.eta
    options = configuration["gradient_booster"]["tree_train_param"]
    is_whole = float(options["subsample"]) == 1
    is_chosen = configuration["learner_model_param"].get("boost_from_average") == "1"
    is_weighted = float(configuration["objective"]["reg_loss_param"]["scale_pos_weight"]) != 1
    is_centred = steps[0] <= 1e-2 * steps.max() + 1e-6 * abs(base_score)
    is_of_others = is_whole and is_chosen and len(steps) > 1 and not is_centred
    if is_weighted or not is_count.all() or is_of_others:
        raise ValueError(
            f"the booster names the objective {trees.objective!r}, but its trees were not fitted "
            "to the residuals of that objective with one weight for all rows. It was trained with "
            "an objective of its own (obj=), weights of rows, scale_pos_weight or a base_margin; "
            "or its trees are not all of them, or refreshed on other rows. Train one without these"
        )
    lost, largest = np.finfo(np.float32).eps * abs(trees.base_margin), np.abs(trees.value).max()
    has_splits = bool((nodes["left_children"] >= 0).any())
    if has_splits and lost > _TOLERANCE_OF_START * largest / trees.eta:
        raise ValueError(
            f"the booster starts from {trees.base_margin:g}, next to which the single precision of "
            "its sums has too few digits for its trees: subtract the mean of y before the fit"
        )

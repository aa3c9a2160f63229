"""Permutation importance tree by tree, on the rows out of (or in) each tree's bag."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.scoring.checked import checked_by
from losaw.scoring.importance_result import ImportanceResult, parameter_repr
from losaw.scoring.losses import Loss, LossName, resolve_loss
from losaw.scoring.over_trees import result_of_trees
from losaw.scoring.rows import require_complete
from losaw.support.arguments import one_of
from losaw.support.outcomes import finite_numbers
from losaw.support.threads import checked_jobs
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.exchanged import exchanged_predictions
from losaw.trees.node_moments import tree_nodes
from losaw.trees.view import ForestView, GrownTree, view_forest

ROWS = ("out-of-bag", "in-bag")

_Losses = Callable[[NDArray[np.intp], FloatArray], FloatArray]


class _Drawn(NamedTuple):
    """A tree, its rows with their weights, and for every feature it uses a permutation of them."""

    tree: GrownTree
    places: NDArray[np.intp]
    weights: NDArray[Any]
    used: NDArray[np.intp]
    orders: list[NDArray[np.intp]]


def _check(rows: str) -> None:
    one_of("rows", rows, ROWS)


@checked_by(_check)
def tree_permutation(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    rows: str = "out-of-bag",
    loss: LossName | Loss | None = None,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Mean over trees of the increase in loss when a feature is permuted within the tree's rows,

        PFI_j = mean over trees of mean over rows i of l(y_i, t(x_i^(pi, j))) - l(y_i, t(x_i)),

    with l the squared error, or 1 for a wrong class (Breiman 2001, Section 10). The columns of one
    feature are permuted together.

    Parameters
    ----------
    model, X, y, features, groups, kinds, feature_names
        As in :func:`losaw.importance.ufi`.
    rows : {"out-of-bag", "in-bag"}, default "out-of-bag"
        In-bag rows count as often as they are in the bag.
    loss : str, callable or None, default None
        Of single rows and trees, see :mod:`losaw.scoring.losses`. None: squared error, or
        zero-one of classes (the log-loss of a tree with pure leaves would be that of certainty).
    n_jobs : int or None
        Threads that lead rows through trees; the result does not depend on it.
    verbose : bool, default False
        Show a progress bar.
    random_state : int, Generator or None

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.ufi`, and for missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import tree_permutation
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> forest = RandomForestRegressor(20, random_state=0).fit(X, X[:, 0])
    >>> tree_permutation(forest, X, X[:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    _check(rows)
    rng = as_generator(random_state)
    forest = view_forest(model, X, y, groups, kinds, feature_names)
    if np.isnan(forest.rows).any():
        require_complete(
            forest.sample.table, "Rows cannot be led through the trees", "impute them first"
        )
        raise ValueError("the steps before the forest leave missing values")

    losses_of = _losses_of(loss, forest, forest.sample.y)

    def drawn() -> Iterator[_Drawn]:
        """Draw the permutations of all trees, one after the other, from one stream."""
        for tree in forest.trees:
            out = rows == "out-of-bag"
            weights = (tree.in_bag == 0).astype(float) if out else tree.in_bag
            places = np.flatnonzero(weights)
            used = np.unique(forest.units_of(tree)) if len(places) else np.empty(0, np.intp)
            orders = [rng.permutation(len(places)) for _ in used]
            yield _Drawn(tree, places, weights[places], used, orders)

    jobs = checked_jobs(n_jobs, verbose)
    increases = jobs.each(
        lambda permuted: _tree_scores(forest, permuted, losses_of),
        drawn(),
        len(forest.trees),
        "trees",
    )
    default = "squared-error" if forest.task == "regression" else "zero-one"
    shown = parameter_repr("tree_permutation", rows=rows, loss=loss or default)
    return result_of_trees(shown, np.stack(list(increases)), forest.sample, features)


def _tree_scores(forest: ForestView, drawn: _Drawn, losses_of: _Losses) -> FloatArray:
    scores = np.zeros(len(forest.sample.names))
    if len(drawn.used) == 0:
        return scores
    value = tree_nodes(drawn.tree, forest.outcomes).in_bag.mean
    rows = forest.rows[drawn.places]
    units = [np.flatnonzero(forest.sample.unit_of_column == feature) for feature in drawn.used]
    copies = rows.copy()
    for unit, order in zip(units, drawn.orders, strict=True):
        copies[:, unit] = rows[order][:, unit]
    before, *exchanged = exchanged_predictions(drawn.tree.nodes, value, rows, copies, units)
    reference = losses_of(drawn.places, before)
    for feature, predicted in zip(drawn.used, exchanged, strict=True):
        losses = losses_of(drawn.places, predicted)
        scores[feature] = np.average(losses - reference, weights=drawn.weights)
    return scores


def _losses_of(loss: Any, forest: ForestView, y: NDArray[Any]) -> _Losses:
    """Losses of some rows from what a tree predicts of them, (n_rows, n_outcomes)."""
    outcomes = forest.outcomes
    if loss is None:
        return lambda places, value: _losses(value, outcomes[places], forest.task)
    resolved = resolve_loss(loss, forest.task)
    if forest.task == "regression":
        # Outcomes are centred; a loss of the user's is given the response as it is.
        response = finite_numbers(y)
        centre = response.mean()
        return lambda places, value: resolved(response[places], value[:, 0] + centre)
    numbers = outcomes.argmax(axis=1).astype(float)
    if outcomes.shape[1] == 2:
        return lambda places, value: resolved(numbers[places], value[:, 1])
    return lambda places, value: resolved(numbers[places], value)


def _losses(value: FloatArray, outcomes: FloatArray, task: str) -> FloatArray:
    if task == "regression":
        return ((outcomes - value) ** 2).sum(axis=1)
    # Classes that tie share the guess, whatever their order.
    best = value >= value.max(axis=1, keepdims=True)
    return np.asarray(1.0 - (best * outcomes).sum(axis=1) / best.sum(axis=1))

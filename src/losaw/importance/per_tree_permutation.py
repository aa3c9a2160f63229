"""Permutation importance tree by tree, on the rows out of (or in) each tree's bag."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.rng import as_generator
from losaw.scoring.importance_result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.losses import Loss, LossName, resolve_loss, squared_error, zero_one
from losaw.scoring.over_trees import result_of_trees, tree_nodes
from losaw.scoring.rows import require_complete
from losaw.support.arguments import one_of
from losaw.support.outcomes import finite_numbers
from losaw.support.threads import checked_jobs
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups
from losaw.trees.exchanged import exchanged_predictions
from losaw.trees.forests import GrownTree
from losaw.trees.view import ForestView, view_forest

ROWS = ("out-of-bag", "in-bag")

# A tree, its rows with their weights, and for every feature it uses a permutation of them.
_Drawn = tuple[GrownTree, NDArray[np.intp], NDArray[Any], NDArray[np.intp], list[NDArray[np.intp]]]
_Losses = Callable[[NDArray[np.intp], FloatArray], FloatArray]


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
        As in :func:`losaw.importance.ufi`, with its errors; missing values are refused.
    rows : {"out-of-bag", "in-bag"}, default "out-of-bag"
        In-bag rows count as often as they are in the bag.
    loss : str, callable or None, default None
        Of single rows and trees, see :mod:`losaw.scoring.losses`. None: squared error, or
        zero-one of classes (the log-loss of a tree with pure leaves would be that of certainty).
    n_jobs, verbose, random_state
        As in :func:`losaw.importance.cpi`.

    Returns
    -------
    ImportanceResult
        ``std_error`` over trees.

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

    losses_of = _losses_of(loss, forest)

    def drawn() -> Iterator[_Drawn]:
        """Draw the permutations of all trees, one after the other, from one stream."""
        for tree in forest.trees:
            out = rows == "out-of-bag"
            weights = (tree.in_bag == 0).astype(float) if out else tree.in_bag
            places = np.flatnonzero(weights)
            used = np.unique(forest.units_of(tree)) if len(places) else np.empty(0, np.intp)
            orders = [rng.permutation(len(places)) for _ in used]
            yield tree, places, weights[places], used, orders

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
    tree, places, weights, used, orders = drawn
    scores = np.zeros(len(forest.sample.names))
    if len(used) == 0:
        return scores
    value = tree_nodes(tree, forest.outcomes).in_bag.mean
    rows = forest.rows[places]
    units = [np.flatnonzero(forest.sample.unit_of_column == feature) for feature in used]
    copies = rows.copy()
    for unit, order in zip(units, orders, strict=True):
        copies[:, unit] = rows[order][:, unit]
    before, *exchanged = exchanged_predictions(tree.nodes, value, rows, copies, units)
    reference = losses_of(places, before)
    for feature, predicted in zip(used, exchanged, strict=True):
        scores[feature] = np.average(losses_of(places, predicted) - reference, weights=weights)
    return scores


def _losses_of(loss: Any, forest: ForestView) -> _Losses:
    """Losses of some rows from what a tree predicts of them, (n_rows, n_outcomes)."""
    outcomes = forest.outcomes
    if forest.task == "regression":
        if loss is None:
            return lambda places, value: squared_error(outcomes[places, 0], value[:, 0])
        # Outcomes are centred; a loss of the user's is given the response as it is.
        resolved, response = resolve_loss(loss, forest.task), finite_numbers(forest.sample.y)
        centre = response.mean()
        return lambda places, value: resolved(response[places], value[:, 0] + centre)
    resolved = zero_one if loss is None else resolve_loss(loss, forest.task)
    numbers = outcomes.argmax(axis=1).astype(float)
    if outcomes.shape[1] == 2 and loss is not None:
        return lambda places, value: resolved(numbers[places], value[:, 1])
    return lambda places, value: resolved(numbers[places], value)

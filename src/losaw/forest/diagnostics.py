"""Weights of the features in the upper nodes of a forest, as a table and a plot."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.forest.adjustment import location_and_scale, standardize
from losaw.forest.decorrelation import MEASURES, measure, training_rows
from losaw.forest.losaw_forest import LosawForest
from losaw.forest.trees import Tree
from losaw.support.extras import extra

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def diagnose(
    forest: LosawForest, X: ArrayLike, *, n_trees: int = 3, max_depth: int = 3
) -> "pd.DataFrame":
    """Measure the weights of every adjusted feature in the upper nodes of some trees.

    They are estimated anew from the training rows with :mod:`losaw.weighting`, as the forest did
    when it grew, for all adjusted features and not only the drawn ones.

    Parameters
    ----------
    forest : LosawRandomForestRegressor or LosawRandomForestClassifier
        Fitted.
    X : array of shape (n_samples, n_features)
        The training rows of ``forest``, in their order.
    n_trees : int, default 3
        Trees to look at, from the first on.
    max_depth : int, default 3
        Inner nodes up to this depth; 0 is the root.

    Returns
    -------
    pandas.DataFrame
        One row per tree, node and adjusted feature that is not constant there: ``tree``,
        ``node``, ``depth``, ``n_samples`` (with multiplicity), ``feature`` (its name, or the number
        of its column after a fit on an array), ``is_split``
        (the node splits on it), ``effective_size`` and ``capped_effective_size`` (relative, before
        and after the cap), ``correlation`` and ``weighted_correlation`` (largest absolute Pearson
        correlation with an adjustment feature, without weights and with the capped ones; of
        nominal features: of indicators of their levels).

    Raises
    ------
    ValueError
        If ``X`` does not hold the training rows, or ``forest.eta`` is 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> X[:, 1] += X[:, 0]
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> from losaw.forest import diagnose
    >>> nodes = diagnose(forest, X)
    >>> bool((nodes["capped_effective_size"] >= 0.25 - 1e-9).all())
    True
    """
    import pandas as pd

    rows = training_rows(forest, X)
    counts = forest.in_bag_counts()
    if forest.eta == 1.0:
        raise ValueError("a forest with eta = 1 has no weights to look at")
    scaled = standardize(rows, *location_and_scale(rows))
    names = getattr(forest, "feature_names_in_", np.arange(rows.shape[1]))
    records: list[dict[str, Any]] = []
    for number, (tree, count) in enumerate(zip(forest.trees_[:n_trees], counts, strict=False)):
        in_bag = np.flatnonzero(count)
        for node, depth, members in _inner_nodes(tree, rows, in_bag, max_depth):
            for target in np.flatnonzero(forest.adjustment_.any(axis=1)):
                measured = measure(forest, rows, scaled, members, count[members], int(target))
                if measured is not None:
                    place = {"tree": number, "node": node, "depth": depth}
                    is_split = bool(tree.feature[node] == target)
                    size = int(count[members].sum())
                    records.append(
                        place
                        | {"n_samples": size, "feature": names[target], "is_split": is_split}
                        | measured
                    )
    return pd.DataFrame(records)


def summarize_diagnostics(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return the means over the nodes of :func:`diagnose`, one row per feature.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table that :func:`diagnose` returns.

    Returns
    -------
    pandas.DataFrame
        Index: the features, those with the largest correlation left first. Columns: ``nodes`` and
        ``splits`` (their numbers), means, weighted by the nodes' rows, of ``correlation``,
        ``weighted_correlation``, ``effective_size``, ``capped_effective_size``, and
        ``share_left``, the ratio of the two mean correlations.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> X[:, 1] += X[:, 0]
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> from losaw.forest import diagnose, summarize_diagnostics
    >>> summary = summarize_diagnostics(diagnose(forest, X))
    >>> bool((summary["share_left"] < 1).all())
    True
    """
    import pandas as pd

    groups = frame.groupby("feature", sort=False)
    means = {
        feature: np.average(part[MEASURES], axis=0, weights=part["n_samples"])
        for feature, part in groups
    }
    summary = pd.DataFrame.from_dict(means, orient="index", columns=MEASURES)
    summary.insert(0, "nodes", groups.size())
    summary.insert(1, "splits", groups["is_split"].sum())
    summary["share_left"] = summary["weighted_correlation"] / summary["correlation"]
    return summary.sort_values("weighted_correlation", ascending=False)


def plot_diagnostics(frame: "pd.DataFrame", ax: "Axes | None" = None) -> "Axes":
    """Plot the correlation that is left against the effective sample size, one point per row.

    Grey: before weighting (relative effective sample size 1); coloured by depth: after the cap.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> from losaw import LosawRandomForestRegressor
    >>> X[:, 1] += X[:, 0]
    >>> forest = LosawRandomForestRegressor(n_estimators=5, random_state=0).fit(X, X[:, 0])
    >>> from losaw.forest import diagnose, plot_diagnostics
    >>> axes = plot_diagnostics(diagnose(forest, X))
    """
    with extra("plot"):
        import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(5, 4))
    ax.scatter(np.ones(len(frame)), frame["correlation"], color="0.7", s=12, label="unweighted")
    points = ax.scatter(
        frame["capped_effective_size"],
        frame["weighted_correlation"],
        c=frame["depth"],
        s=14,
        label="weighted",
    )
    ax.figure.colorbar(points, ax=ax, label="depth")
    ax.set(
        xlabel="relative effective sample size",
        ylabel="largest |correlation| with an adjustment feature",
        xlim=(0, 1.05),
        ylim=(0, 1.05),
    )
    ax.legend()
    return ax


def _inner_nodes(
    tree: Tree, X: FloatArray, in_bag: NDArray[np.int64], max_depth: int
) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Return (node, depth, in-bag rows) of the inner nodes up to ``max_depth``."""
    inner_nodes = []
    pending = [(0, 0, in_bag)]
    while pending:
        node, depth, members = pending.pop()
        if tree.feature[node] < 0 or depth > max_depth:
            continue
        inner_nodes.append((node, depth, members))
        values = X[members, tree.feature[node]]
        left = values <= tree.threshold[node]
        if tree.left_levels[node]:
            levels = np.uint64(1) << values.astype(np.uint64)
            left = (tree.left_levels[node] & levels) != 0
        pending.append((int(tree.children_left[node]), depth + 1, members[left]))
        pending.append((int(tree.children_right[node]), depth + 1, members[~left]))
    return inner_nodes

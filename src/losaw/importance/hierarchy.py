"""Tests of groups of features from the top of a tree down to single features."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.importance.cpi import differences_of_draws, draws_of_folds, fit_units, shares_over_folds
from losaw.importance.group_tree import (
    FeatureGroup,
    association_strengths,
    average_linkage,
    top_down_tests,
    tree_of_groups,
    tree_of_linkage,
)
from losaw.knockoffs import make_sampler
from losaw.rng import as_generator
from losaw.scoring.folds import Fit, alike_features, fits, with_units
from losaw.scoring.losses import Loss
from losaw.scoring.result import ImportanceResult
from losaw.scoring.rows import ScoringOptions, read_rows
from losaw.scoring.tests import Differences, Inference, infer
from losaw.support.arguments import between_0_and_1, whole_number
from losaw.support.words import listed
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, Units

if TYPE_CHECKING:
    import pandas as pd

_ERROR_KIND = "over test rows, the fitted model and the draws held fixed"


@dataclass(frozen=True, eq=False)
class GroupTests:
    """Tested groups of a tree of features, and the finest statements that they support.

    Attributes
    ----------
    table : pandas.DataFrame
        One row for each group that was tested, parents before children, with columns

        - ``group``, ``features`` (tuple of names), ``parent`` (group around it, "" for the first);
        - ``score`` (CPI of the group), ``std_error``, ``lower`` and ``upper`` (two-sided 95 %
          confidence interval of the score, of this group alone);
        - ``p_value`` (of this group alone), ``adjusted_p_value`` (of the tree) and ``rejected``;
        - ``finest``: rejected, and no group within it is; and ``note``.
    statements : tuple of str
        A sentence for each finest group, largest score first.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import hierarchy
    >>> X = np.random.default_rng(0).standard_normal((300, 3))
    >>> model = LinearRegression().fit(X[:150], X[:150, 0])
    >>> hierarchy(model, X[150:], X[150:, 0], random_state=0).selected
    (('X1',),)
    """

    table: "pd.DataFrame"
    statements: tuple[str, ...]

    @property
    def selected(self) -> tuple[tuple[str, ...], ...]:
        """The finest groups that are found to matter, largest score first."""
        return tuple(_finest(self.table)["features"])

    def __str__(self) -> str:
        return "\n".join(self.statements)


def hierarchy(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: Groups = None,
    fwer: float = 0.05,
    n_draws: int = 1,
    loss: str | Loss | None = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> GroupTests:
    """Test groups of features, from all together to each alone, as finely as the data support.

    For a group C of a tree of features,

        CPI_C = E[L(f(X_-C, X~_C), Y) - L(f(X), Y)],   X~_C ~ P(X_C | X_-C), independent of Y,

    is tested as :func:`losaw.importance.cpi` does it. Features that contain the same information
    have no effect given each other, but have one together. A group is tested once the group around
    it is rejected, at the level

        fwer |C| / |L|,

    with L the features that are not rejected as single features. The probability that any rejected
    group has no effect is at most ``fwer``, if each test keeps its level, however the tests depend
    on each other (Meinshausen 2008; Goeman & Solari 2010).

    Parameters
    ----------
    model, X, y, n_draws, loss, kinds, feature_names, sample_weight, clusters, cv, n_jobs, \
random_state
        As in :func:`losaw.importance.cpi`.
    groups : dict of group name to sequence of features, or None
        The parts of all features together; features that are in no group are parts of their own.
        None: clusters of the features by their associations (average linkage), which look at X
        only.
    fwer : float, default 0.05
        Bound of the probability of any false rejection.

    Returns
    -------
    GroupTests
        The table of tested groups and a statement for each finest one.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`; for groups with a feature in common, or a rate out of
        range.

    Warns
    -----
    UserWarning
        For a feature that has one value within every fold: draws of groups do not change it.

    Examples
    --------
    Two columns that contain the same information matter as a group:

    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from losaw.importance import hierarchy
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((600, 4))
    >>> X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    >>> y = X[:, 0] + X[:, 2] + rng.standard_normal(600)
    >>> model = RandomForestRegressor(50, random_state=0).fit(X[:300], y[:300])
    >>> print(hierarchy(model, X[300:], y[300:], random_state=0))
    X3 matters beyond all other features
    one of {X1, X2} matters, but the data do not tell which
    """
    between_0_and_1("fwer", fwer)
    whole_number("n_draws", n_draws, 1)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    names = rows.table.names
    if groups is None:
        tree = tree_of_linkage(names, average_linkage(association_strengths(rows.table, rng)))
    else:
        tree = tree_of_groups(names, groups)
    models = fits(model, rows, ScoringOptions(loss, n_jobs=n_jobs), cv, rng)
    alike = [names[j] for j in np.flatnonzero(alike_features(models, rows))]
    if alike:
        warnings.warn(
            f"{listed(alike)}: one value within every fold, which is all that a group's draws take "
            "there, so that groups do not show what it does; take fewer folds",
            stacklevel=2,
        )
    inference = Inference(error_kind=_ERROR_KIND)
    seed = int(rng.integers(2**63))
    tests: dict[int, tuple[ImportanceResult, int]] = {}

    def p_values(numbers: list[int]) -> FloatArray:
        drawing = make_sampler("conditional")
        units = Units(tuple(map(str, numbers)), tuple(tree[n].members for n in numbers))
        of_groups = with_units(models, units)
        # Every batch of groups begins with the same seed, and the sampler gives each group a stream
        # of its own: results depend on no other group.
        draw_rng = np.random.default_rng(seed)
        fit_units(drawing, rows, draw_rng, list(units.members))
        drawn = draws_of_folds(drawing, of_groups, [draw_rng] * n_draws)
        in_turn = iter(drawn)
        shares = None if cv is None else shares_over_folds(of_groups, rows, drawn)

        def differences(fit: Fit) -> Differences:
            return differences_of_draws(fit, next(in_turn), len(rows), shares=shares)

        result = infer(differences, of_groups, rows, inference, draw_rng)
        tests.update({number: (result, at) for at, number in enumerate(numbers)})
        # A group that cannot be tested is not rejected.
        return np.nan_to_num(np.asarray(result.p_values), nan=1.0)

    _, adjusted = top_down_tests(tree, p_values, fwer)
    table = _table(tree, names, tests, adjusted, fwer)
    return GroupTests(table, _statements(table))


def _table(
    tree: Sequence[FeatureGroup],
    names: Sequence[str],
    tests: Mapping[int, tuple[ImportanceResult, int]],
    adjusted: FloatArray,
    fwer: float,
) -> "pd.DataFrame":
    import pandas as pd

    rejected = adjusted <= fwer
    within = {tree[number].parent for number in np.flatnonzero(rejected).tolist()}
    lines = []
    for number in sorted(tests):
        node, (result, at) = tree[number], tests[number]
        lower, upper = result.interval()[at]
        lines.append(
            {
                "group": node.name,
                "features": tuple(names[j] for j in node.members),
                "parent": "" if node.parent < 0 else tree[node.parent].name,
                "score": result.scores[at],
                "std_error": np.asarray(result.std_error)[at],
                "lower": lower,
                "upper": upper,
                "p_value": np.asarray(result.p_values)[at],
                "adjusted_p_value": adjusted[number],
                "rejected": bool(rejected[number]),
                "finest": bool(rejected[number] and number not in within),
                "note": result.notes.get(result.feature_names[at], ""),
            }
        )
    return pd.DataFrame(lines)


def _finest(table: "pd.DataFrame") -> "pd.DataFrame":
    return table[table["finest"]].sort_values("score", ascending=False, kind="stable")


def _statements(table: "pd.DataFrame") -> tuple[str, ...]:
    """Return a sentence for each finest group, or one that none is found, or none is tested."""
    if not table["rejected"].any():
        first = table.iloc[0]
        if first["note"]:
            return (f"nothing is tested: {first['note'].removeprefix('not tested: ')}",)
        return (
            "no group of features is found to matter: all together have "
            f"p = {first['adjusted_p_value']:.2g}",
        )
    return tuple(
        f"{listed(features)} matters beyond all other features"
        if len(features) == 1
        else f"one of {{{listed(features)}}} matters, but the data do not tell which"
        for features in _finest(table)["features"]
    )

"""Permutation within subgroups (Molnar, König, Bischl & Casalicchio 2023)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.importance.pfi import permuted_differences
from losaw.rng import as_generator, rows_by_weight, seed_integer
from losaw.scoring.folds import Fit, alike_notes, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import Rows, ScoringOptions, read_rows, training_rows
from losaw.scoring.tests import Differences, Inference, infer
from losaw.support.arguments import whole_number
from losaw.tables import Table
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups

# Of the trees whose leaves are the subgroups, as in the published code.
_MAX_DEPTH, _MIN_SAMPLES_LEAF = 3, 30


def _check(n_repeats: int) -> None:
    whole_number("n_repeats", n_repeats, 1)


@checked_by(_check)
def subgroups(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    train: tuple[ArrayLike, ArrayLike] | None = None,
    n_repeats: int = 5,
    loss: LossName | Loss | None = None,
    features: Sequence[str] | None = None,
    groups: Groups = None,
    kinds: Kinds = None,
    feature_names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = None,
) -> ImportanceResult:
    """Loss after a permutation of X_j among rows with similar other features, minus the loss,

        CS_j = E[L(f(X_-j, X_pi(j)), Y)] - E[L(f(X), Y)],   pi within the leaves of a tree

    that predicts ``X_j`` from ``X_-j``; the mean over permutations.

    The trees are scikit-learn's regression and classification trees (the paper uses transformation
    and conditional inference trees, which also split on changes of spread) of depth 3, with at
    least 30 training rows in a leaf, or half of the rows if there are fewer than 60; nominal
    features enter them as dummies, and where values are missing that is a level, or a side of a
    split.

    Parameters
    ----------
    model, X, y, loss, features, groups, kinds, feature_names, sample_weight, clusters, cv, \
n_jobs, random_state
        As in :func:`losaw.importance.cpi`: rows that the model has not seen, or ``cv=``. Missing
        values are the model's business.
    train : pair of (X, y) or None, default None
        Rows that the trees are grown on, best those that the model was fitted to; None: X itself
        (with ``cv`` the rows of the fit).
    n_repeats : int, default 5

    Returns
    -------
    ImportanceResult
        ``std_error`` over rows as they take and give values, with ``cv`` over fits too.
        No standard error where the model was fitted to these rows. ``details`` as of
        :func:`losaw.importance.pfi`.

    Raises
    ------
    ValueError, TypeError
        As :func:`losaw.importance.cpi`; for a parameter below 1, fewer than 2 features, or
        ``train`` that is not (X, y), has other columns or levels than ``X``, or another order.

    Notes
    -----
    A row that is alone in its subgroup keeps its value. In larger subgroups no row keeps its
    place (a random cycle).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import subgroups
    >>> X = np.random.default_rng(0).standard_normal((300, 3))
    >>> model = LinearRegression().fit(X[:200], X[:200, 0])
    >>> subgroups(model, X[200:], X[200:, 0], random_state=0).select(top=1)
    ('X1',)
    """
    _check(n_repeats)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    if len(rows.table.names) < 2:
        raise ValueError("subgroups need at least 2 features: they are made of the others")
    fitted = None if train is None else _training_table(train, rows, feature_names)
    if fitted is not None and cv is not None:
        raise ValueError("give train or cv, not both")
    options = ScoringOptions(loss, None, features, groups, n_jobs)
    models = fits(model, rows, options, cv, rng)
    inference = Inference(
        method=parameter_repr(
            "subgroups", n_repeats=n_repeats, loss=models[0].model.loss_name, cv=cv
        ),
        notes=alike_notes(models, rows),
    )

    def differences(fit: Fit) -> Differences:
        subject, train = fit.model, fit.train
        if train is not None:
            grown = rows.table.take(train)
            weights = None if rows.weights is None else rows.weights[train]
        else:
            grown, weights = fitted or subject.table, None if fitted else subject.weights
        leaves = [
            _subgroups(grown, weights, subject.table, unit, rng) for unit in subject.units.members
        ]

        def cycles() -> list[NDArray[np.intp]]:
            return [_sources_within(leaf, subject.weights, rng) for leaf in leaves]

        return permuted_differences(fit, cycles, n_repeats, len(rows))

    return infer(differences, models, rows, inference, rng)


def _training_table(
    train: tuple[ArrayLike, ...], rows: Rows, feature_names: Sequence[str] | None
) -> Table:
    """Read the rows that the trees are grown on, which have the levels of the scored rows."""
    fitted = training_rows(train, rows, feature_names).table
    if len(train) != 2:
        raise ValueError("train must be (X, y), got 3 parts: the trees take no weights")
    if fitted.levels != rows.table.levels:
        raise ValueError(
            "train and X do not have the same levels in every column; give them as the same "
            "category dtypes"
        )
    return fitted


def _subgroups(
    train: Table,
    weights: FloatArray | None,
    table: Table,
    unit: NDArray[np.intp],
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Leaf of every row of ``table`` in a tree that predicts the features of ``unit``."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    others = [j for j in range(len(train.names)) if j not in set(unit.tolist())]
    seed = seed_integer(rng)
    if not others:
        return np.zeros(len(table), dtype=np.intp)
    classify = len(unit) == 1 and train.kinds[unit[0]] == "nominal"
    if len(unit) == 1:
        target = (
            _with_a_level_for_missing(train)[:, unit[0]]
            if classify
            else _in_single(train.codes[:, unit[0]], train.codes[:, unit[0]])
        )
    else:
        target = _standardised(_dummies(train, train, unit.tolist()))
    known = np.isfinite(target).reshape(len(target), -1).all(axis=1)
    known_weights = None if weights is None else weights[known]
    if not known.any() or (known_weights is not None and not known_weights.any()):
        return np.zeros(len(table), dtype=np.intp)
    tree = (DecisionTreeClassifier if classify else DecisionTreeRegressor)(
        max_depth=_MAX_DEPTH,
        min_samples_leaf=max(1, min(_MIN_SAMPLES_LEAF, int(known.sum()) // 2)),
        random_state=seed,
    )
    tree.fit(_dummies(train, train, others)[known], target[known], known_weights)
    return np.asarray(tree.apply(_dummies(train, table, others)))


def _dummies(train: Table, table: Table, columns: Sequence[int]) -> FloatArray:
    """Some columns of ``table``, nominal ones as dummies of the training levels."""
    known, codes = _with_a_level_for_missing(train), _with_a_level_for_missing(table)
    parts = [
        (codes[:, [j]] == np.unique(known[:, j])).astype(float)
        if train.kinds[j] == "nominal"
        else 1024 * _in_single(known[:, j], codes[:, [j]])  # 1e-7 is then a small difference
        for j in columns
    ]
    return np.hstack(parts)


def _in_single(known: FloatArray, values: FloatArray) -> FloatArray:
    """Numbers in a unit, and from a zero, in which scikit-learn's trees tell them apart.

    The trees compare in single precision, take values for equal that differ by 1e-7, and a
    variance of 2e-16 for none. By powers of two no digit changes.
    """
    if np.isnan(known).all():
        return values
    low, high = np.nanmin(known), np.nanmax(known)
    zero = low if high - low < max(abs(low), abs(high)) / 1024 else 0.0
    return np.ldexp(values - zero, -np.frexp(max(abs(low - zero), abs(high - zero)))[1])


def _with_a_level_for_missing(table: Table) -> FloatArray:
    """The codes, with -1 for missing values of nominal columns."""
    if not np.isnan(table.codes).any():
        return table.codes
    nominal = np.array([kind == "nominal" for kind in table.kinds])
    return np.where(np.isnan(table.codes) & nominal, -1.0, table.codes)


def _standardised(columns: FloatArray) -> FloatArray:
    """Columns scaled to variance 1; missing values become the mean."""
    columns = np.where(np.isnan(columns).all(axis=0), 0.0, columns)
    centred, scale = columns - np.nanmean(columns, axis=0), np.nanstd(columns, axis=0)
    return np.nan_to_num(centred / np.where(scale > 0, scale, 1.0))


def _sources_within(
    leaves: NDArray[np.intp], weights: FloatArray | None, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the row that each row takes its value from: a random cycle within every leaf.

    With weights that differ it is a random row of the leaf, each as often as it weighs.
    """
    source = np.arange(len(leaves))
    for leaf in np.unique(leaves):
        rows = rng.permutation(np.flatnonzero(leaves == leaf))
        giving = np.roll(rows, 1)
        if weights is not None and np.ptp(weights[rows]) > 0:
            giving = rng.permutation(rows[rows_by_weight(weights[rows], len(rows), rng)])
        source[rows] = giving
    return source

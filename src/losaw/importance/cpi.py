"""Conditional predictive impact (Watson & Wright 2021; Blesch, Watson & Wright 2024)."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from losaw.data import FloatArray
from losaw.knockoffs import make_sampler
from losaw.knockoffs.sampler import MIN_ROWS
from losaw.rng import as_generator
from losaw.scoring.folds import Fit, alike_notes, fits
from losaw.scoring.losses import Loss, LossName
from losaw.scoring.many_tests import Adjustment
from losaw.scoring.model import Model
from losaw.scoring.result import ImportanceResult, checked_by, parameter_repr
from losaw.scoring.rows import Rows, ScoringOptions, read_rows, require_complete
from losaw.scoring.tests import Differences, Inference, TestName, added_by_donors, check_test, infer
from losaw.support.arguments import ArgumentTypeError, whole_number
from losaw.support.words import counted
from losaw.tables.columns import Kinds
from losaw.tables.groups import Groups, units_outside

ERROR_KIND = "over test rows, the fitted model and the drawn knockoffs held fixed"
# A draw that differs from its feature by less than this part of what an independent draw would
# leaves nothing to be tested.
SMALLEST_OWN_SHARE = 1e-3
# Far values hide the others where a share is so many times that with them; of normal ones 1.7.
_HIDDEN = 10.0
_COPIES = (
    "untestable: its draws are its copies, because the other features determine it, because it "
    "has one value in every fold, or because Gaussian knockoffs with s_method='sdp' chose s = 0 "
    "for it (then take sampler='conditional')"
)
_CONSTANT = "constant: there is nothing to test"
_MISSING = "missing in all rows: there is nothing to test"


def _check(
    sampler: Any,
    sampler_parameters: Mapping[str, Any] | None,
    test: str,
    adjustment: str,
    n_draws: int,
) -> None:
    check_test(test, adjustment)
    whole_number("n_draws", n_draws, 1)
    sampler_of(sampler, sampler_parameters)


@checked_by(_check)
def cpi(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sampler: Any = "conditional",
    sampler_parameters: Mapping[str, Any] | None = None,
    n_draws: int = 1,
    loss: LossName | Loss | None = None,
    scoring: Any = None,
    test: TestName = "t",
    adjustment: Adjustment = "none",
    given: Sequence[str] | None = None,
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
    """Estimate the mean increase in loss when a feature is replaced by a draw given the others,

        CPI_j = E[L(f(X_-j, X~_j), Y) - L(f(X), Y)],   X~_j ~ P(X_j | X_-j), independent of Y,

    on rows that the model has not seen; f is fitted once. It is 0 or less if Y is independent of
    X_j given the other features. (Algorithm 2 prints the difference with the other sign.)

    Parameters
    ----------
    model : fitted predictor
        Anything with ``predict`` or ``predict_proba``, Pipelines included. With ``cv`` it is
        cloned and need not be fitted; or a list with the fitted model of each fold.
    X : array, pandas or polars frame of shape (n_samples, n_features)
        Rows that the model has not seen (or all rows, with ``cv``), columns as it was fitted to.
        On rows of its own fit noise is selected; only forests of bags can tell, and warn.
        Missing values are drawn with the values by the conditional sampler, if the model takes
        them.
    y : array of shape (n_samples,)
        Numbers, or labels of any kind.
    sampler : {"conditional", "sequential", "gaussian", "deep"} or KnockoffSampler
        Default "conditional": draws every feature, or group, from its own distribution given all
        columns outside of it (:class:`losaw.knockoffs.conditional.ConditionalSampler`), fitted to
        all rows of X; a group takes its values from rows that the model has not seen. The others
        draw joint knockoffs; with ``cv`` they are fitted to the rows that a fold holds out. A
        sampler that does not know levels imitates the columns that the model sees (codes or
        dummies) as real numbers, which are rounded before the model sees them where the column
        holds integers, and all columns of a feature are replaced together. Gaussian
        knockoffs that are given by name take ``s_method="mvr"`` unless ``sampler_parameters`` names
        another.
    sampler_parameters : dict or None
        For a sampler that is given by name.
    n_draws : int, default 1
        Draws; the losses of a row are averaged over them. More make sets of ranks narrower.
    loss : str, callable or None, default None
        Of single rows, see :mod:`losaw.scoring.losses`. None: squared error, of classes
        log-loss.
    scoring : str, scorer or None, default None
        In place of a loss, a score of scikit-learn that is a mean over rows, as its
        ``permutation_importance`` takes it: "neg_mean_squared_error", "neg_mean_absolute_error",
        "neg_log_loss", "neg_brier_score" (of more than two classes half of it) or "accuracy".
    test : {"t", "wilcoxon", "binomial", "fisher"}, default "t"
        One-sided: see :func:`losaw.scoring.tests.one_sided_test`.
    adjustment : {"none", "holm", "benjamini-hochberg", "benjamini-yekutieli"}, default "none"
        Of the p-values over features.
    given : sequence of str or None
        The columns G that features are drawn given, in place of all others (relative feature
        importance, König and others 2021): X~_j ~ P(X_j | X_G), independent of Y and of all else.
        It asks what the model takes from X_j that X_G does not supply, and is 0, for any model, if
        X_j is independent of Y and of all other columns given X_G. If it depends on columns outside
        of G, a feature without effect may score, as it may by PFI, which ``[]`` gives.
    features : sequence of str or None
        Features or groups to score; None: all, or all that are not given.
    groups : dict of str to sequence of str, or None
        Group name -> columns that are replaced together and scored as one. For a model that was
        fitted to dummies: :func:`losaw.importance.groups_of`.
    kinds : dict of str to {"continuous", "discrete", "nominal"}, or None
        Overrides what the dtypes say, see :func:`losaw.tables.read_table`.
    feature_names : sequence of str or None
        Of an array.
    sample_weight : array of shape (n_samples,) or None
        Sampling weights: of means over rows (folds count alike), of the rows that
        ``"conditional"`` takes values from, and with ``cv`` of the fits. A test takes a row for
        one observation, whatever its weight.
    clusters : array of shape (n_samples,) or None
        A label for every row: rows of one label belong together, as those of a patient. With
        ``cv`` they stay in one fold; without, the test is over clusters instead of rows. Draws of
        ``"conditional"`` take nothing from rows of the same label; but a group of features does in
        a fold of one label, where one with a feature that has one value there is not tested. Of two
        labels, or where one or two have most of the rows (Kish's effective number is 2 or less),
        each gives what the other takes: without ``cv``, ``std_error`` is NaN.
    cv : int, splitter or None, default None
        None: the given model on X. Otherwise the model is fitted anew in every fold and scored on
        the rows left out: see :func:`losaw.scoring.tests.infer`. For rows in the
        order of time ``cv=TimeSeriesSplit(5)``.
    n_jobs : int or None
        Threads that predict; the result does not depend on it.
    random_state : int, Generator or None

    Returns
    -------
    ImportanceResult
        ``scores`` CPI, ``std_error`` over rows as they take and give values, with ``cv`` over fits
        too (the p-values are of a test that holds the draws fixed; so is the error with other
        samplers), ``p_values`` adjusted, ``rows``; ``notes`` names features that cannot be tested;
        ``details``: ``raw_p_values``, ``own_share`` (how far draws are from their features: 0 for
        copies, 1 for independent ones).

    Raises
    ------
    ValueError, TypeError
        For unknown names, columns or classes that the model does not know, groups of unknown
        features, columns of dates or free text, missing values where the sampler cannot draw
        them, or fewer than 5 rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from losaw.importance import cpi
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 3))
    >>> y = X[:, 0] + rng.standard_normal(300)
    >>> model = LinearRegression().fit(X[:200], y[:200])
    >>> cpi(model, X[200:], y[200:], random_state=0).select(fwer=0.05)
    ('X1',)

    What does X1 add to X2?

    >>> X[:, 1] += X[:, 0]
    >>> found = cpi(model, X[200:], y[200:], given=["X2"], features=["X1"], random_state=0)
    >>> bool(found.p_values[0] < 0.05)
    True
    """
    _check(sampler, sampler_parameters, test, adjustment, n_draws)
    rng = as_generator(random_state)
    rows = read_rows(X, y, kinds, feature_names, sample_weight, clusters)
    drawing, drawn, places = sampler_of(sampler, sampler_parameters), None, None
    if given is not None:
        if not getattr(drawing, "handles_units", False):
            raise ValueError(
                f"given: {type(drawing).__name__} draws given all other columns; use "
                "sampler='conditional'"
            )
        places, features = units_outside(given, rows.table.names, features, groups)
        given = [rows.table.names[j] for j in places]
    models = fits(
        model, rows, ScoringOptions(loss, scoring, features, groups, n_jobs), cv, rng, test
    )
    shown = parameter_repr(
        "cpi",
        sampler=sampler,
        sampler_parameters=dict(sampler_parameters or {}),
        n_draws=n_draws,
        loss=models[0].model.loss_name,
        test=test,
        adjustment=adjustment,
        cv=cv,
        given=given,
    )
    if getattr(drawing, "handles_units", False):
        fit_units(drawing, rows, rng, models[0].model.members, places)
        drawn = draws_of_folds(drawing, models, generators_of_draws(n_draws, rng))
    compares = drawn is not None and drawn[0].donors is not None
    # Draws of a feature are of all rows, but of a group, and joint ones, of those of a fold.
    notes = alike_notes(models, rows, groups_only=drawn is not None)
    inference = Inference(test, adjustment, ERROR_KIND, shown, compares, notes)
    shares = None if cv is None or drawn is None else shares_over_folds(models, rows, drawn)
    # Numbers of the seed itself may be those that X was simulated from.
    draw_rng = rng if isinstance(random_state, np.random.Generator) else rng.spawn(1)[0]
    in_turn = iter(drawn or ())

    def differences(fit: Fit) -> Differences:
        if drawn is None:
            return with_knockoffs(sampler_of(sampler, sampler_parameters), fit, n_draws, draw_rng)
        return differences_of_draws(fit, next(in_turn), len(rows), shares=shares)

    return infer(differences, models, rows, inference, rng)


def sampler_of(sampler: Any, parameters: Mapping[str, Any] | None) -> Any:
    """Return a new sampler; Gaussian knockoffs that are given by name take ``s_method="mvr"``.

    The published semidefinite program sets s_j = 0 for many strongly correlated features, whose
    knockoffs are then copies although no other feature determines them.
    """
    if not isinstance(parameters, Mapping | None):
        raise ArgumentTypeError(
            f"sampler_parameters must be a dict of parameters of the sampler, got {parameters!r}"
        )
    parameters = dict(parameters or {})
    if sampler == "gaussian":
        parameters.setdefault("s_method", "mvr")
    return make_sampler(sampler, **parameters)


class Draws(NamedTuple):
    """Draws of the rows of a fold."""

    codes: Sequence[FloatArray]  # of features, or of the model's columns, one array a draw
    # The rows, of all, that gave each row the unit's residual, (n_rows, n_units) for each draw.
    donors: Sequence[NDArray[np.intp]] | None = None


def draws_of_folds(
    sampler: Any, models: Sequence[Fit], generators: Sequence[np.random.Generator]
) -> list[Draws]:
    """Return draws for every fold by a fitted sampler, given all columns outside of a unit.

    The sampler was fitted once to all rows, since it never sees the response. Joint knockoffs are
    fitted to the rows that a fold holds out, as published: see :func:`with_knockoffs`.
    """
    held = [fit.held for fit in models]
    if not hasattr(sampler, "sample_parts"):
        whole = [sampler.sample(generator) for generator in generators]
        return [Draws([codes[rows] for codes in whole]) for rows in held]
    drawn = [sampler.sample_parts(generator, held) for generator in generators]
    return [Draws(*zip(*parts, strict=True)) for parts in zip(*drawn, strict=True)]


def fit_units(
    sampler: Any,
    rows: Rows,
    rng: np.random.Generator,
    units: list[NDArray[np.intp]],
    given: NDArray[np.intp] | None = None,
) -> None:
    """Fit a sampler of units to all rows, with their weights and clusters."""
    more = {"units": units, "weights": rows.weights, "clusters": rows.clusters, "given": given}
    sampler.fit(rows.table.codes, rows.table.kinds, rng, **more)


def with_knockoffs(sampler: Any, fit: Fit, n_draws: int, rng: np.random.Generator) -> Differences:
    """Return the differences when held-out rows are replaced by knockoffs fitted to them."""
    subject = fit.model
    table, columns = subject.table, subject.columns
    is_ours = type(sampler).__module__.startswith("losaw.knockoffs.")  # others need what they need
    if fit.train is not None and is_ours and len(fit.held) < MIN_ROWS:
        raise ValueError(
            f"a fold of cv scores {counted(len(fit.held), '[row|rows]')}, and "
            f"{type(sampler).__name__} is fitted to at least {MIN_ROWS}; take fewer folds, or "
            "sampler='conditional'"
        )
    knows_levels = getattr(sampler, "handles_nominal", False)
    _check_sampler(subject, sampler, knows_levels)
    if knows_levels:
        sampler.fit(table.codes, table.kinds, rng)
    elif columns.shape[1]:
        sampler.fit(columns, None, rng)
    drawn = Draws([sampler.sample(generator) for generator in generators_of_draws(n_draws, rng)])
    return differences_of_draws(fit, drawn, len(fit.held), knows_levels)


def generators_of_draws(n_draws: int, rng: np.random.Generator) -> list[np.random.Generator]:
    """Return ``rng`` for a single draw; of several, each has a generator that is seeded from it."""
    if n_draws == 1:
        return [rng]
    return [as_generator(int(seed)) for seed in rng.integers(2**63, size=n_draws)]


def shares_over_folds(models: Sequence[Fit], rows: Rows, drawn: Sequence[Draws]) -> FloatArray:
    """Return the own shares of the draws of all folds, (n_units,).

    A feature may have one value within every fold, and not be constant: one of a patient, whose
    rows are a fold.
    """
    encode, units = models[0].model.encode, models[0].model.scored_columns
    columns = encode(rows.table.codes[np.concatenate([fit.held for fit in models])])
    nominal = nominal_columns(models[0].model)
    draws = (np.concatenate(codes) for codes in zip(*(fold.codes for fold in drawn), strict=True))
    shares = [own_shares(columns, encode(codes), units, nominal) for codes in draws]
    return np.asarray(np.mean(shares, axis=0))


def nominal_columns(subject: Model, knows_levels: bool = True) -> list[int]:
    """Return the places of the model's columns that hold codes of levels which a sampler knows."""
    kinds = subject.table.kinds if knows_levels and subject.encode is np.asarray else ()
    return [j for j, kind in enumerate(kinds) if kind == "nominal"]


def differences_of_draws(
    fit: Fit,
    drawn: Draws,
    n_rows: int,
    knows_levels: bool = True,
    shares: FloatArray | None = None,
) -> Differences:
    """Return the loss with each scored unit replaced minus the loss, (n_held_rows, n_units).

    Draws are of features where the sampler ``knows_levels``, else of the model's columns.
    ``n_rows`` is the number of all rows, of which some give values; ``shares`` are the own shares,
    None for those of these rows.
    """
    subject, n_draws = fit.model, len(drawn.codes)
    columns, replaced = subject.columns, subject.scored_columns
    total = np.zeros((len(subject.table), len(replaced)))
    own_share = np.zeros(len(replaced))
    donated = None if drawn.donors is None else np.zeros((n_rows, len(replaced)))
    nominal = nominal_columns(subject, knows_levels)

    copies_of_draws = map(subject.encode, drawn.codes) if knows_levels else drawn.codes
    seen, put_in = itertools.tee(copies_of_draws)
    exchanged = subject.exchange(put_in, n_draws)
    for number, (copies, predictions) in enumerate(zip(seen, exchanged, strict=True)):
        if shares is None:
            own_share += own_shares(columns, copies, replaced, nominal)
        original, *others = (subject.loss(subject.y, predicted) for predicted in predictions)
        changes = np.column_stack([other - original for other in others])
        total += changes
        if donated is not None and drawn.donors is not None:
            donors = drawn.donors[number]
            donated += added_by_donors(changes, donors, subject.weights, n_rows) / n_draws
    own_share = own_share / n_draws if shares is None else shares
    details = {"own_share": own_share, "notes": notes_on(subject, own_share)}
    return Differences(total / n_draws, details=details, donated=donated)


def notes_on(subject: Model, shares: FloatArray) -> dict[str, str]:
    """Return why scored units cannot be tested, by their own shares."""
    notes = {}
    for name, share, unit in zip(subject.names, shares, subject.scored_columns, strict=True):
        if np.isnan(share):
            is_missing = len(unit) and np.isnan(subject.columns[:, unit]).all()
            notes[name] = _MISSING if is_missing else _CONSTANT
        elif share < SMALLEST_OWN_SHARE:
            notes[name] = _COPIES
    return notes


def own_shares(
    columns: FloatArray,
    copies: FloatArray,
    units: Sequence[NDArray[np.intp]],
    nominal: Sequence[int] = (),
) -> FloatArray:
    """Return the mean square of X - X~ over twice the variance, the largest of every unit.

    1 for independent copies, 0 where a knockoff is its feature; NaN if all columns of a unit are
    constant. A value whose knockoff is missing, or the reverse, counts like an independent copy. Of
    ``nominal`` columns (places) the share of rows with another level, over that of such copies.
    Where a few far values hide how far the others move, both are cut at the quartiles of X.
    """
    columns = np.where(np.isnan(columns).all(axis=0), 0.0, columns)  # no value: constant
    share = _moved_share(columns, copies)
    quartiles = np.nanquantile(columns, [0.25, 0.75], axis=0)
    inner = _moved_share(np.clip(columns, *quartiles), np.clip(copies, *quartiles))
    share = np.where(inner > _HIDDEN * share, inner, share)
    varies = np.nanmax(columns, axis=0) > np.nanmin(columns, axis=0)
    for j in np.flatnonzero(~varies):  # constant where it is known, but not always known
        missing = np.isnan(columns[:, j])
        if missing.any() and not missing.all():
            share[j] = (missing != np.isnan(copies[:, j])).mean() / (
                2.0 * missing.mean() * (1.0 - missing.mean())
            )
            varies[j] = True
    # Codes of levels, in the order of their names, have no distance.
    for j in np.asarray(nominal, dtype=np.intp):
        _, levels = np.unique([columns[:, j], copies[:, j]], return_inverse=True)
        of_rows, of_copies = levels.reshape(2, -1)
        frequency = np.bincount(of_rows) / len(of_rows)
        if varies[j]:
            share[j] = (of_rows != of_copies).mean() / (1.0 - frequency @ frequency)
    share[~varies] = -np.inf
    largest = np.array([share[unit].max(initial=-np.inf) for unit in units])
    return np.where(np.isneginf(largest), np.nan, largest)


def _moved_share(columns: FloatArray, copies: FloatArray) -> FloatArray:
    """Return the mean square of X - X~ over twice the variance of every column."""
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = columns - np.nanmean(columns, axis=0)
        variance = np.nanmean(centred**2, axis=0)
        moved = (columns - copies) ** 2
        moved = np.where(np.isnan(columns) & np.isnan(copies), 0.0, moved)
        moved = np.where(np.isnan(moved), 2.0 * variance, moved)
        return np.asarray(moved.mean(axis=0) / (2.0 * variance))


def _check_sampler(subject: Model, sampler: Any, knows_levels: bool) -> None:
    require_complete(
        subject.table,
        f"{type(sampler).__name__} cannot draw them",
        "use sampler='conditional', or impute them first",
    )
    if knows_levels or subject.table.is_plain:
        return
    for name, levels in zip(subject.table.names, subject.table.levels, strict=True):
        if levels is not None:
            raise ValueError(
                f"column {name!r} holds levels, which {type(sampler).__name__} would imitate as "
                "numbers; use sampler='conditional'"
            )

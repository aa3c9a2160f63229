"""CPI, the test of its draws, and what is selected: by CPI, or by LOCO where draws fail."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from losaw.explaining.design import METHODS, MOST_TESTED_ROWS, PILOT_FITS, sample
from losaw.explaining.models import fit_each
from losaw.explaining.preparing import Prepared
from losaw.explaining.scores import Unit, Work, over_folds
from losaw.importance import cpi, hierarchy, loco
from losaw.knockoffs import make_sampler
from losaw.knockoffs.diagnostics import draw_tests
from losaw.scoring.many_tests import adjust
from losaw.scoring.result import ImportanceResult
from losaw.tables import read_table

# Draws of features with a larger p-value are not tested, unless the false discovery rate is larger.
_MAY_BE_SELECTED = 0.1
_FEWEST_TESTED_CLUSTERS = 20
# Draws whose test has no larger p-value are not trusted.
_RECOGNISED = 0.01
# Bound of the probability that any statement on a group of features is false.
FAMILY_WISE = 0.05
# The first of these that was run decides what is selected.
_DECIDING = ("cpi", "loco", "pfi")
# Where LOCO decides it must exceed this: a forest with a noisy copy of a cause may be a little
# better for it, although the copy has no effect of its own.
LEAST_LOCO = 0.01
# Of so many groups LOCO is computed.
_MOST_GROUPS = 6


def score_with_draws(work: Work, groups: Any, fdr: float) -> None:
    """Run CPI; test groups of features, and the draws on which a sentence may rest."""
    draws = work.design.draws
    if work.features is None:
        with work.clock.part("groups"):
            tested_groups = hierarchy(
                groups=groups, fwer=FAMILY_WISE, n_draws=draws,
                random_state=work.stream("hierarchy"), **work.common,
            )  # fmt: skip
            work.groups, work.finest = tested_groups.table, tested_groups.selected
    with work.clock.part("cpi"):
        work.results["cpi"] = cpi(
            features=work.features, n_draws=draws, random_state=work.stream("draws"), **work.common
        )
    result, largest = work.results["cpi"], max(fdr, _MAY_BE_SELECTED)
    p_values = zip(result.feature_names, result.details["raw_p_values"], strict=True)
    features = [name for name, p in p_values if p <= largest or (name,) in work.finest]
    if work.features is not None:
        features = work.features[:PILOT_FITS]
    with work.clock.part("draws"):
        _test_draws(work, features)


def score_given(work: Work, make: Callable[[Prepared], Any], fdr: float) -> None:
    """Run CPI of what each other feature adds to the given ones: of models of these and of it.

    A model of all features would take noise for a feature that it goes with; here CPI is 0 where
    the response is independent of the feature given the others.
    """
    given, parts = list(work.design.given), list[ImportanceResult]()
    with work.clock.part("cpi"):
        for name in work.features or work.data.X.columns.drop(given):
            columns = [n for n in work.data.X.columns if n in (*given, name)]
            kinds = {n: work.data.kinds[n] for n in columns}
            data = replace(work.data, X=work.data.X[columns], kinds=kinds)
            alone = replace(work, data=data, models=fit_each(make(data), data, work.splits))
            random_state = work.stream(f"draws of {name}")
            found = cpi(
                features=[name], n_draws=work.design.draws, random_state=random_state,
                **alone.common,
            )  # fmt: skip
            parts.append(found)
            if found.details["raw_p_values"][0] <= max(fdr, _MAY_BE_SELECTED):
                _test_draws(alone, [name])
            if (name,) in recognised(alone) or "untestable" in found.notes.get(name, ""):
                _leave_out(alone, [(name,)])
    work.results["cpi"] = _joined(parts)


def _joined(results: Sequence[ImportanceResult]) -> ImportanceResult:
    """Return the results of several models on the same rows as one."""

    def each(parts: Iterable[Any]) -> Any:
        return np.concatenate(list(parts), axis=-1)

    fields = ("scores", "std_error", "p_values", "kinds", "deviations")
    joined: dict[str, Any] = {f: each(getattr(r, f) for r in results) for f in fields}
    joined["details"] = {k: each(r.details[k] for r in results) for k in results[0].details}
    joined["notes"] = {name: note for r in results for name, note in r.notes.items()}
    names = tuple(name for r in results for name in r.feature_names)
    return replace(results[0], feature_names=names, rows=None, **joined)


def _test_draws(work: Work, names: Sequence[str]) -> None:
    """Test the draws of features that CPI may select, or that are groups of their own, and groups.

    Not of all features together, whose draws are rows; on at most 2,000 rows. The halves of the
    rows are drawn apart: where draws take values of similar rows, a classifier must not have seen
    these. Rows of a cluster are not independent observations: of 20 clusters or more, one row of
    each is tested.
    """
    table, rng = read_table(work.data.X, kinds=work.data.kinds), work.stream("test of the draws")
    known_tests = work.draw_tests
    features: list[Unit] = [(name,) for name in names if (name,) not in known_tests]
    groups = [g for g in work.finest if 1 < len(g) < len(table.names) and g not in known_tests]
    units = [np.array([table.names.index(name) for name in unit]) for unit in (*features, *groups)]
    rows = sample(work.data, MOST_TESTED_ROWS, rng)
    if work.data.clusters is not None:
        mixed = rng.permutation(rows)
        one_each = mixed[np.unique(work.data.clusters[mixed], return_index=True)[1]]
        rows = one_each if len(one_each) >= _FEWEST_TESTED_CLUSTERS else rows
    codes = table.codes[rows]
    first = rng.permutation(len(codes)) % 2 == 0
    drawn = [codes[:, unit] for unit in units]
    for half in (first, ~first) if units else ():
        sampler = make_sampler("conditional").fit(codes[half], table.kinds, rng, units)
        for draws_of_unit, values in zip(drawn, sampler.sample_units(rng), strict=True):
            draws_of_unit[half] = values
    # Features in one table, where each is compared with the real others; a group in its own.
    n_features = len(features)
    for batch in (range(n_features), *([at] for at in range(n_features, len(units)))):
        values = codes.copy()
        for at in batch:
            values[:, units[at]] = drawn[at]
        columns = [tuple(units[at].tolist()) for at in batch]
        tests = draw_tests(
            codes, values, table.kinds, columns=columns, half=first, random_state=rng
        )
        tested = [unit for unit in columns if unit in tests]
        work.draw_tests |= {tuple(table.names[j] for j in unit): tests[unit] for unit in tested}


def recognised(work: Work) -> frozenset[Unit]:
    """The features and groups whose draws can be distinguished from real values.

    Not a table's only feature: its draws are other rows of it, which fail their test by chance.
    """
    if work.data.X.shape[1] == 1:
        return frozenset()
    return frozenset(u for u, test in work.draw_tests.items() if test.p_value <= _RECOGNISED)


class Finding(NamedTuple):
    """One line of the list of decisions: a feature or group, what is found, and by what."""

    features: Unit
    verdict: str  # "selected" (a feature), "stated" (a group) or "open"
    by: str


@dataclass(frozen=True)
class Decision:
    """What is selected, by which method, and what stays open: everything shown is written of it.

    Where the draws of a feature fail their test, or are its copies, CPI says nothing of it: then
    LOCO decides, which needs no draws; on copies in a stated group the group's test. Where draws
    of a group fail, or those of a feature in it, LOCO must show it at the level of its test.
    """

    method: str | None = None  # the deciding method; None if no method tests
    # At a false discovery rate over all features (Benjamini and Hochberg), by the method that
    # decides on each, or stated as a group of its own; in the order of their scores.
    selected: tuple[str, ...] = ()
    by_groups: tuple[str, ...] = ()  # those of them that only the tests of groups find
    by_loco: frozenset[Unit] = frozenset()  # that LOCO decides on, found to matter or not
    open: tuple[Unit, ...] = ()  # CPI is above 0, but the draws fail and LOCO does not show it
    stated: tuple[Unit, ...] = ()  # those of the finest groups that are stated
    head: tuple[Unit, ...] = ()  # those that may stand in the headline: their LOCO is above 0
    p_of_stated: Mapping[Unit, float] = field(default_factory=dict)  # adjusted

    def by(self, unit: Unit) -> str:
        """Return what decides on a feature or a group."""
        if unit in self.by_loco:
            return "LOCO"
        by_groups = len(unit) > 1 or unit[0] in self.by_groups
        return "tests of groups" if by_groups else METHODS[self.method or "cpi"].label

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The list of decisions: selected features, stated groups, and what stays open."""
        groups = [group for group in self.stated if len(group) > 1]
        verdicts: list[tuple[Unit, str]] = [((name,), "selected") for name in self.selected]
        verdicts += [(unit, "stated") for unit in groups] + [(unit, "open") for unit in self.open]
        return tuple(Finding(unit, verdict, self.by(unit)) for unit, verdict in verdicts)

    def verdict(self, name: str) -> str:
        """Return what is found of a feature, in the words of tables."""
        of_units = [(len(f.features) > 1, f.verdict) for f in self.findings if name in f.features]
        in_tables = {"stated": "in a group", "open": "open in a group"}
        return next((in_tables[v] if in_group else v for in_group, v in sorted(of_units)), "")


def decide(work: Work, fdr: float, heads: bool = True) -> Decision:
    """Decide on features and groups, with LOCO where it decides.

    For ``heads`` LOCO of groups is computed too where their draws are trusted.
    """
    method = next((name for name in _DECIDING if name in work.results), None)
    if method is None:
        return Decision()
    result, n_features = work.results[method], work.data.X.shape[1]
    raw = dict(zip(result.feature_names, result.details["raw_p_values"].tolist(), strict=True))
    copies, failed, wrong = set[Unit](), list[Unit](), recognised(work)
    if method == "loco":
        of_folds = np.asarray(result.details["fold_scores"])
        raw = {n: over_folds(of_folds[:, j] - LEAST_LOCO).p_value for j, n in enumerate(raw)}
    if method == "cpi":
        copies = {(name,) for name, note in result.notes.items() if "untestable" in note}
        failed = [(name,) for name in raw if (name,) in wrong | copies and n_features > 1]
    groups = [group for group in work.finest if 1 < len(group) < n_features]
    untrusted = [g for g in groups if g in wrong or any((name,) in wrong for name in g)]
    trusted = [group for group in groups if group not in untrusted]
    _leave_out(work, [*failed, *untrusted, *trusted[: _MOST_GROUPS * heads]])
    p_of = {unit: over_folds(v - LEAST_LOCO).p_value for unit, v in work.left_out.items()}
    for unit in failed:
        if unit in copies and any(unit[0] in group for group in groups):
            raw[unit[0]] = 1.0  # the group's test decides: a forest may need even a second copy
            continue
        # Draws that are copies say nothing; where they fail otherwise, CPI and LOCO must agree.
        of_cpi = 0.0 if unit in copies else raw[unit[0]]
        raw[unit[0]] = max(of_cpi, p_of.get(unit, 1.0))
    adjusted = adjust(np.array(list(raw.values())), "benjamini-hochberg").tolist()
    p_values = dict(zip(raw, adjusted, strict=True))
    order = np.argsort(-result.scores, kind="stable")
    by_loco = frozenset([*failed, *untrusted])
    p_of_stated = _stated(work, {unit: p_of.get(unit, 1.0) for unit in by_loco})
    stated = tuple(p_of_stated)
    ordered = [result.feature_names[j] for j in order]
    by_groups = tuple(name for name in ordered if (name,) in stated and p_values[name] > fdr)
    selected = tuple(name for name in ordered if p_values[name] <= fdr or name in by_groups)
    passed = result.select(fdr=fdr)
    unclear = [unit for unit in failed if unit[0] in passed and unit[0] not in selected]
    not_stated = [group for group in work.finest if group not in (*stated, *unclear)]
    not_stated = [group for group in not_stated if group in by_loco]  # else the level is the reason
    unclear += [group for group in not_stated if not set(group) & set(selected)]
    head = tuple(
        group
        for group in stated
        if len(group) in (1, n_features)
        or (group in work.left_out and work.left_out[group].mean() > 0)
    )
    return Decision(method, selected, by_groups, by_loco, tuple(unclear), stated, head, p_of_stated)


def _stated(work: Work, p_of_loco: dict[Unit, float]) -> dict[Unit, float]:
    """Return those of the finest groups that are rejected with LOCO's p-value where draws fail.

    With their adjusted p-values, at the levels of :func:`losaw.importance.hierarchy`, whose bound
    of false statements is one for both kinds of tests if the tests of the groups around them keep
    their levels: a feature that only its failed draws reject leaves no level to the others.
    """
    if not work.finest:
        return {}
    tested = dict(zip(work.groups["features"], work.groups["p_value"].tolist(), strict=True))
    tested |= {u: max(tested[u], p_of_loco[u]) for u in work.finest if u in p_of_loco}
    members = {group: frozenset(group) for group in tested}
    above = {u: [g for g, own in members.items() if own.issuperset(u)] for u in work.finest}
    n_features, found = work.data.X.shape[1], dict[Unit, float]()
    while True:
        left = n_features - sum(len(unit) == 1 for unit in found)
        p_values = {
            u: max(tested[group] * left / len(group) for group in above[u])
            for u in work.finest
            if u not in found
        }
        more = {unit: p for unit, p in p_values.items() if p <= FAMILY_WISE}
        if not more:
            return {unit: found[unit] for unit in work.finest if unit in found}
        found |= more


def loco_of(unit: Unit, work: Work) -> tuple[float, float]:
    """Return LOCO and its error of a feature or a group: those of the table, if it has them."""
    if len(unit) == 1 and (result := work.results.get("loco")) and result.std_error is not None:
        column = result.feature_names.index(unit[0])
        return float(result.scores[column]), float(result.std_error[column])
    loco = over_folds(work.left_out[unit])
    return loco.share, loco.std_error


def _leave_out(work: Work, units: Sequence[Unit]) -> None:
    """Compute LOCO of features and groups that have none yet."""
    known = work.results.get("loco")
    for unit in units:
        if known is not None and len(unit) == 1:
            column = known.feature_names.index(unit[0])
            work.left_out[unit] = np.asarray(known.details["fold_scores"])[:, column]
        elif unit not in work.left_out and len(unit) < work.data.X.shape[1]:
            result = loco(
                features=[str(unit)], groups={str(unit): list(unit)},
                random_state=work.stream("loco"), **work.common,
            )  # fmt: skip
            work.left_out[unit] = np.asarray(result.details["fold_scores"])[:, 0]

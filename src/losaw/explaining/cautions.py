"""Warnings that a reader needs before believing the importances."""

import shlex
from typing import Any

import numpy as np

from losaw.explaining.answers import LEVEL, compare_loco, in_braces, p_text
from losaw.explaining.association import Associations
from losaw.explaining.computing import Computed, Work, share_explained
from losaw.explaining.disagreements import decimal
from losaw.explaining.drawn_once import recognised
from losaw.explaining.methods import DECIDING
from losaw.explaining.models import fitted, make_forest
from losaw.explaining.preparing import Prepared
from losaw.explaining.treated_columns import LIKE_NUMBERS

_FEW_ROWS = 10
# Columns with more values than this that repeat together mark rows of one person or thing.
_MANY_VALUES, _ROWS_A_UNIT, _SAME_COLUMN = 20, 2, 0.99
# A feature that explains so much alone may be made from the target; tried where all explain this.
_LEAK, _WORTH_TRYING = 0.95, 0.8
_HARDLY_LOWER = 0.9
# A class so many times as frequent as in the table is over-represented.
_MORE = 1.5


def cautions(work: Work, computed: Computed, related: Associations, fdr: float) -> list[str]:
    """Return the warnings, the most serious first."""
    return [
        *_copies(work.data),
        *_numbers_as_text(work.data),
        *_odd_labels(work.data),
        *_no_model(work, computed, fdr),
        *_leakage(work, computed),
        *_not_decorrelated(work, computed),
        *_repeated(work.data, related),
        *_few_rows(work.data),
        *_few_known(work.data),
        *_untestable(work, computed),
        *_recognised(computed),
        *_two_fits(computed),
    ]


def over_represented(data: Prepared, part: Prepared, folds: int) -> list[str]:
    """Warn of rare classes that are more frequent in the rows in use, so that folds have some."""
    if data.task != "classification":
        return []
    named = []
    for label in np.unique(data.y):
        whole, used = np.mean(data.y == label), np.sum(part.y == label)
        if _MORE * whole * len(part) < used <= folds:
            named.append(f"{label}: {100 * used / len(part):.2g} %, not {100 * whole:.2g} %")
    if not named:
        return []
    shown = "; ".join(named[:4]) + (f"; and {len(named) - 4} more" if len(named) > 4 else "")
    return [
        f"Rare classes of {data.target} are more frequent in the {len(part):,} rows in use than in "
        f"the table, since every fold needs rows of each class ({shown}). The share explained and "
        "all scores are those of these rows, and do not hold for the whole table. Use more rows."
    ]


def _copies(data: Prepared) -> list[str]:
    return [
        f"{column.name} is a copy of {data.target} and was left out. With it, a model needs "
        "no other feature."
        for column in data.columns
        if "copy of the target" in column.treatment
    ]


def _numbers_as_text(data: Prepared) -> list[str]:
    return [
        f"{column.name} {column.treatment}."
        for column in data.columns
        if column.treatment.startswith(f"{LIKE_NUMBERS}, but")
    ]


def _odd_labels(data: Prepared) -> list[str]:
    """Name classes and levels that look like one, or like a value that is not known."""
    named = {name: data.X[name].cat.categories for name in data.X.columns[_categories(data)]}
    if data.y.dtype.kind == "U":
        named = {data.target: np.unique(data.y)} | named
    words = []
    for name, labels in named.items():
        if "" in labels:
            words.append(
                f"An empty text counts as a value of {name}, like any other. If it means that the "
                "value is not known, make it missing."
            )
        first: dict[str, str] = {}
        for label in labels:
            if (other := first.setdefault(label.lower(), label)) != label:
                words.append(
                    f"{other} and {label} are two values of {name}, although only capital letters "
                    "distinguish them. If they mean the same, write them alike."
                )
    return words


def _no_model(work: Work, computed: Computed, fdr: float) -> list[str]:
    """Say that a model is not shown to predict better than a constant.

    What is selected or stated on the page is tested, and says something all the same.
    """
    deciding = next((name for name in DECIDING if name in computed.results), None)
    passed = () if deciding is None else computed.results[deciding].select(fdr=fdr)
    alone = {group[0] for group in computed.finest if len(group) == 1}
    groups = len(computed.finest) > len(alone)
    is_found = groups or bool((set(passed) | alone) - computed.recognised)
    little = "" if is_found else " Its importances say little until more rows or folds show it."
    said = {"model": "The model", "losaw": "losawRF"}
    constant = "mean" if work.data.task == "regression" else "share of each class"
    return [
        f"{said[name]} is not shown to predict unseen rows better than the {constant} (share "
        f"explained {decimal(quality.share)} ± {decimal(quality.std_error)}, p "
        f"{p_text(quality.p_value)}).{little}"
        for name, quality in computed.quality.items()
        if not quality.p_value <= LEVEL
    ]


def _leakage(work: Work, computed: Computed) -> list[str]:
    """Name a feature that alone explains nearly all; the strongest ones are tried."""
    quality = computed.quality.get("model") or computed.quality.get("losaw")
    if quality is None or quality.share < _WORTH_TRYING:
        return []
    strongest = work.data.X.columns[:1] if work.data.X.shape[1] == 1 else ()
    for method in ("pfi", "mdi", "losaw", "cpi", "loco"):
        if not len(strongest) and method in computed.results:
            strongest = computed.results[method].select(top=2)
    words = []
    for name in strongest:
        share = _alone(work, name)
        if share >= _LEAK:
            words.append(
                f"{name} alone explains {100 * share:.0f} % of {work.data.target} on unseen rows. "
                "If it is computed from the response, or known only after it, "
                + (
                    f"leave it out (--drop {shlex.quote(name)}) and explain again."
                    if work.data.X.shape[1] > 1
                    else "explain by other features."
                )
            )
    return words


def _alone(work: Work, name: str) -> float:
    """Return the share that a forest of one feature explains, on the first fold's rows."""
    (train, held), data, X = work.splits[0], work.data, work.data.X[[name]]
    forest = make_forest(
        data.task, 1, decorrelated=False, n_trees=20, seed=work.seed % 2**31, n_jobs=work.n_jobs,
        weighted=data.weights is not None,
    )  # fmt: skip
    fitted(forest, X.iloc[train], data.y[train], data.weights_of(train))
    return share_explained(work, forest, X.iloc[held], held)


def _look_at_groups(work: Work, computed: Computed, names: Any) -> str:
    """Return a sentence on the groups of features that the page lists; empty if it lists none."""
    listed = next((computed.groups[n] for n in ("loco", "pfi") if n in computed.groups), None)
    scored = () if listed is None else listed.feature_names
    held = [group for group in scored if set(names) & set(work.groups[group])]
    return f" Look at the group{'s' * (len(held) > 1)} {' and '.join(held[:4])}." if held else ""


def _not_decorrelated(work: Work, computed: Computed) -> list[str]:
    """Name features that losawRF's weights hardly decorrelate."""
    measured: Any = computed.decorrelation
    if measured is None:
        return []
    capped = measured["effective_size"] < measured["capped_effective_size"] * (1 - 1e-6)
    left = measured["weighted_correlation"] > _HARDLY_LOWER * measured["correlation"]
    named = measured[capped & left & (measured["correlation"] > 0.3)]
    if len(named) == 0:
        return []
    named = named.sort_values("weighted_correlation", ascending=False)
    shown = ", ".join(
        f"{name} ({row.correlation:.2f} before, {row.weighted_correlation:.2f} with weights, "
        f"an effective sample of {100 * row.effective_size:.2g} % of the rows if unlimited)"
        for name, row in list(named.iterrows())[:4]
    )
    more = f" and {len(named) - 4} more" if len(named) > 4 else ""
    return [
        "losawRF could not decorrelate these features from the others within the limit on its "
        f"weights: {shown}{more}. Their importances are shared nearly as in a random forest."
        + _look_at_groups(work, computed, named.index)
    ]


def _repeated(data: Prepared, related: Associations) -> list[str]:
    """Say that rows may belong together: columns with many values that occur in few combinations.

    Columns that are a function of each other, as an age and a year of birth, do not count as two.
    """
    if data.clusters is not None:
        return []
    counts = data.X.nunique()
    most = len(data) / _ROWS_A_UNIT
    names = [
        name
        for name in data.X.columns[data.X.dtypes != "category"]
        if _MANY_VALUES < counts[name] <= most
    ]
    for first in names:
        together = [
            other
            for other in names
            if other != first
            and related.strength[related.names.index(first), related.names.index(other)]
            < _SAME_COLUMN
            and len(data.X[[first, other]].drop_duplicates())
            <= min(1.1 * max(counts[first], counts[other]), most)
        ]
        if together:
            shown = " and ".join([first, *together[:2]])
            units = len(data.X[[first, *together]].drop_duplicates())
            return [
                f"Many rows share the values of {shown} ({units} combinations in {len(data)} rows)."
                " If these are several rows of one person or thing, name the column that says "
                "which (--cluster NAME): without it p-values are too small."
            ]
    return []


def _few_rows(data: Prepared) -> list[str]:
    words = []
    for name in data.X.columns[_categories(data)]:
        counts = data.X[name].value_counts()
        few = counts[counts < _FEW_ROWS]
        if len(few):
            shown = ", ".join(f"{level} ({count})" for level, count in list(few.items())[:4])
            more = ", …" if len(few) > 4 else ""
            words.append(
                f"{name} has {len(few)} level{'s' * (len(few) > 1)} with fewer than {_FEW_ROWS} "
                f"rows: {shown}{more}. Results for such rare levels are unreliable."
            )
    return words


def _few_known(data: Prepared) -> list[str]:
    known = data.X.notna().sum()
    return [
        f"{name} has a value in {known[name]} of {len(data):,} rows only: too few to show what its "
        "values do. Its scores are those of being known or missing."
        for name in known.index[known < _FEW_ROWS]
    ]


def _categories(data: Prepared) -> Any:
    return data.X.dtypes == "category"


def _untestable(work: Work, computed: Computed) -> list[str]:
    result = computed.results.get("cpi")
    named = [n for n, why in result.notes.items() if "untestable" in why] if result else []
    if not named:
        return []
    shown = ", ".join(named[:6]) + (", …" if len(named) > 6 else "")
    return [
        f"The draws of CPI for {shown} are nearly copies: the other features determine such a "
        "feature, or there are too many of them for so few rows to tell. CPI cannot test it: a "
        "score of 0 does not mean that it does not matter." + _look_at_groups(work, computed, named)
    ]


def _recognised(computed: Computed) -> list[str]:
    """Name features and groups whose draws a classifier distinguishes from the real values."""
    bad = {name: computed.draw_tests[name] for name in computed.recognised}
    for group in recognised(computed.group_draws):
        bad[f"{in_braces(group)} as a group"] = computed.group_draws[group]
    if not bad:
        return []
    worst = sorted(bad, key=lambda name: (bad[name].p_value, name))
    shown = ", ".join(f"{name} (p {p_text(bad[name].p_value)})" for name in worst[:6])
    more = f" and {len(bad) - 6} more" if len(bad) > 6 else ""
    return [
        "The draws of CPI for these features or groups can be distinguished from real values: "
        f"{shown}{more}. Their CPI may be wrong. {compare_loco(computed.results)}"
    ]


def _two_fits(computed: Computed) -> list[str]:
    """Say what LOCO's test leaves out, where it decides (docs/measured.md has the rates)."""
    if next((name for name in DECIDING if name in computed.results), None) != "loco":
        return []
    return [
        "LOCO compares a model with another fit of it, and its test takes both fits as they are. "
        "In simulations a feature without effect that is a coarse copy of a cause was found at .05 "
        "in up to .14 of the tables of 1,000 rows and in up to .66 of those of 5,000, since a "
        "forest with the copy predicts a little better. CPI fits once (--methods cpi)."
    ]

"""What is said of a table: the answer, statements, disagreements and warnings, as data.

A test that does not reject shows nothing. So "nothing matters" is never said: where no feature is
selected, the answer is what is known of the features together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.explaining.columns import MISSING_LEVEL, OTHER_LEVEL
from losaw.explaining.design import METHODS, kept_rows
from losaw.explaining.disagreements import CONTRASTS, Associations, Disagreement
from losaw.explaining.draws import FAMILY_WISE, LEAST_LOCO, Decision, loco_of, recognised
from losaw.explaining.models import MODELS, make_forest
from losaw.explaining.preparing import Prepared
from losaw.explaining.scores import LEVEL, Unit, Work, share_explained
from losaw.support.words import as_option, decimal, listed, p_text, percent

if TYPE_CHECKING:
    import pandas as pd

# So many features of a group, and of what stays open, are named.
_NAMED, _MOST_OPEN = 8, 4
# Columns with more values than this that repeat together mark rows of one person or thing.
_MANY_VALUES, _ROWS_A_UNIT, _SAME_COLUMN = 20, 2, 0.99
_ONE_NUMBER = 0.9  # of the values of a column that has a warning of its own
_TURNS = 1 / 3  # of a curve: fewer of its places
_LOOKED_AT = 40  # of such columns: a pair takes a millisecond
# A feature that explains so much alone may be made from the target, and one that explains most if
# its score is so many times the next.
_LEAK, _MOST, _ALONE, _LEAK_FOLDS = 0.95, 0.6, 10.0, 5
_HARDLY_LOWER = 0.9
# A score so many times that of the next is worth a word.
_FAR_ABOVE = 2.0
_WHERE_DRAWS_FAIL = "where draws fail their test or are copies"
# A class so many times as frequent as in the table is over-represented.
_MORE = 1.2


class Sentence(NamedTuple):
    """One sentence of the page."""

    kind: str  # what it says, for example "selected", "statement", "open", "leak"
    features: Unit  # the features that it is about; empty for one about all, or the table
    text: str


def answer(work: Work, decision: Decision, fdr: float) -> tuple[Sentence, ...]:
    """Return the headline, and the sentences below it; nothing without a test.

    | what is known | headline |
    |---|---|
    | features are selected | their names, then groups beside them |
    | else a group, or a feature by its group's tests, is stated | the finest statement |
    | else the model predicts unseen rows | the features together matter |
    | else | the data do not decide |

    Where columns are given, they are not among the features, and no model has all features.
    """
    if decision.method is None:
        return ()
    method, model, given = METHODS[decision.method], work.model, work.design.given
    # Of each feature alone, which the star of the table tests to be above 0.
    alone = f"LOCO (above {decimal(LEAST_LOCO)})" if decision.method == "loco" else method.label
    names = work.data.X.columns.drop(list(given))
    n, quality = len(names), work.quality.get("model")
    explains = quality is not None and quality.p_value <= LEVEL
    the_model = f"{model[0].upper()}{model[1:]}{' of all features' if given else ''}"
    adds = f"adds to {and_listed(given)}"
    rate = f"a false discovery rate of {fdr:g} over {n} feature{'s' * (n > 1)}"
    stated = [statement(group, work, decision) for group in decision.head]
    below: list[Sentence] = []
    if decision.selected:
        of_each: dict[str, list[str]] = {}
        for name in decision.selected:
            of_each.setdefault(decision.by((name,)), []).append(name)
        hows = {
            method.label: f"by {method.label}",
            "LOCO": f"by LOCO, {_WHERE_DRAWS_FAIL}" if decision.by_loco else f"by {alone}",
            "tests of groups": "by the tests of groups",
        }
        parts = [f"{how}: {listed(of_each[by])}" for by, how in hows.items() if by in of_each]
        parts[0] = f"What {adds}, {parts[0]}" if given else f"Selected {parts[0]}"
        hidden = [s for s in stated if 1 < len(s.features) < n]
        hidden = [s for s in hidden if not set(s.features) & set(decision.selected)][:2]
        parts += [s.text[0].lower() + s.text[1:] for s in hidden]
        head = Sentence("selected", decision.selected, "; ".join(parts))
        at_rate = [name for name in decision.selected if name not in decision.by_groups]
        like = listed(at_rate) if decision.by_groups else "these"
        share = f"Of features selected like {like}, at most {100 * fdr:g} %"
        if decision.method == "pfi":
            text = f"{share} on average are not used by the model, if {_independent(work)}."
            below.append(Sentence("rate", (), text))
            text = "A model also uses features that only go with a cause: CPI tells them apart."
            below.append(Sentence("used", (), text))
        elif at_rate:
            text = f"{share} are false on average, if {_independent(work)}."
            below.append(Sentence("rate", (), text))
        if decision.by_groups:
            text = (
                "From all features together down to single ones, tests of groups find "
                f"{listed(decision.by_groups)}: of what these find, anything is false with "
                f"probability {decimal(FAMILY_WISE)} at most, if {_independent(work)}."
            )
            below.append(Sentence("by groups", decision.by_groups, text))
        n_open = sum(len(unit) == 1 for unit in decision.open)
        rest = n - len(decision.selected) - n_open
        if rest:
            words = "features are" if rest > 1 else "feature is"
            they = "they do" if rest + n_open > 1 else "it does"
            more = f", and {n_open} {'stay' if n_open > 1 else 'stays'} open" * (n_open > 0)
            text = f"{rest} {words} not selected{more}, which does not show that {they} not "
            text += f"add to {and_listed(given)}." if given else "matter."
            below.append(Sentence("not selected", (), text))
    else:
        with_loco = any(len(unit) == 1 for unit in decision.by_loco)
        how = f"{alone}{f', with LOCO {_WHERE_DRAWS_FAIL},' * with_loco}"
        none = f"{how} selects no single feature at {rate}."
        if stated:
            head = min(stated, key=lambda statement: len(statement.features))
        elif (explains or decision.stated) and not given:
            text = "The features together matter, but no single one is selected"
            text = f"{names[0]} predicts {work.data.target}" if n == 1 else text
            head = Sentence("together", tuple(names), text)
        else:
            text = (
                f"These data do not decide {f'what {adds}' if given else 'which features matter'}"
            )
            head = Sentence("undecided", (), text)
        below.append(Sentence("none selected", (), none))
    if explains and quality is not None:
        share = f"{percent(quality.share)} of the variation of unseen rows"
        text = f"{the_model} explains {share} (p {p_text(quality.p_value)})."
        below.append(Sentence("explained", (), text))
        if not decision.selected and n > 1 and decision.method != "pfi" and not given:
            text = "Features that contain the same information hide each other from this test."
            below.append(Sentence("hidden", (), text))
    elif quality is not None and not (decision.selected or decision.stated):
        text = f"{the_model} is not shown to predict unseen rows better than a constant"
        # Given columns, importances are those of other models.
        text += "." if given else ", so that its importances say little."
        below.append(Sentence("not explained", (), text))
    below += [*_by_loco(work, decision), *_open(work, decision)]
    below.append(Sentence("question", (), f"{method.label}: {work.design.question(method)}"))
    return (head, *below)


def statements(work: Work, decision: Decision) -> tuple[Sentence, ...]:
    """Return a sentence for each of the finest groups that are found to matter, and their level."""
    stated = list[Sentence]()
    tested = {} if work.groups is None else work.groups.set_index("features").to_dict("index")
    for group in decision.stated:
        if group in decision.by_loco:
            number = _loco(group, work)
        else:
            cpi = tested[group]
            number = f"CPI {decimal(cpi['score'])} ± {decimal(cpi['std_error'])}, p "
            number += p_text(decision.p_of_stated[group])
        of_group = statement(group, work, decision)
        stated.append(of_group._replace(text=f"{of_group.text}: {number}."))
    text = "With probability .95 all of these statements are true, if each test keeps its level"
    text += f" and {_independent(work)}."
    if any(len(g) == 1 and g in tested and g not in decision.by_loco for g in decision.stated):
        text += " Their tests have draws of their own: CPI may differ from the table's."
    if more := [name for name in decision.selected if (name,) not in decision.stated]:
        text += f" Selected at the false discovery rate only: {listed(more)}."
    return (*stated, Sentence("certainty", (), text)) if stated else ()


def _independent(work: Work) -> str:
    """What every test takes for granted: of rows in time, or unnamed clusters, p is too small."""
    return f"{'clusters' if work.data.is_clustered else 'rows'} are independent"


def statement(group: Unit, work: Work, decision: Decision) -> Sentence:
    """Return the sentence on a group that is found to matter while none within it is."""
    n_features = work.data.X.shape[1]
    by = " (by leaving out, since draws fail their test)" if group in decision.by_loco else ""
    if len(group) == 1:
        more = " beyond all other features" if n_features > 1 else ""
        return Sentence("statement", group, f"{group[0]} matters{more}{by}")
    unknown = "but the data do not tell which"
    if likely := [name for name in decision.selected if name in group]:
        unknown += f" with this certainty (at the false discovery rate: {listed(likely)})"
    else:
        unknown += _strongest(group, work, decision)
    if len(group) == n_features:
        return Sentence("statement", group, f"The features together matter, {unknown}")
    return Sentence("statement", group, f"One of {in_braces(group)} matters, {unknown}{by}")


def _strongest(group: Unit, work: Work, decision: Decision) -> str:
    """Name the member whose score is far above those of the others, of draws that are trusted."""
    method = "loco" if any((name,) in decision.by_loco for name in group) else "cpi"
    if method not in work.results:
        return ""
    result = work.results[method]
    places = {name: result.feature_names.index(name) for name in group}
    scores = {name: float(result.scores[place]) for name, place in places.items()}
    first, second = sorted(group, key=lambda name: -scores[name])[:2]
    error = 0.0 if result.std_error is None else float(result.std_error[places[first]])
    if not scores[first] > max(_FAR_ABOVE * scores[second], 2 * error):
        return ""
    numbers = f"{decimal(scores[first])}, the next {decimal(scores[second])}"
    return f"; {first} has the largest {METHODS[method].label} ({numbers})"


def in_braces(group: Unit) -> str:
    """Return the first features of a group in braces, as a set."""
    more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
    return f"{{{listed(group[:_NAMED])}{more}}}"


def and_listed(names: Sequence[str]) -> str:
    """Return names as in a sentence: a, b and c."""
    return " and ".join(filter(None, (listed(names[:-1]), listed(names[-1:]))))


def _unit(unit: Unit) -> str:
    return listed(unit) if len(unit) == 1 else in_braces(unit)


def _loco(unit: Unit, work: Work) -> str:
    return "LOCO {} ± {}".format(*map(decimal, loco_of(unit, work)))


def _with_loco(unit: Unit, work: Work) -> str:
    """Return a feature or a group with its LOCO, which a single feature of a table has not."""
    return f"{_unit(unit)} ({_loco(unit, work)})" if unit in work.left_out else _unit(unit)


def _by_loco(work: Work, decision: Decision) -> Iterator[Sentence]:
    selected = {(name,) for name in decision.selected}
    decided = decision.by_loco & (selected | set(decision.stated))
    if decided:
        named = ", ".join(_with_loco(unit, work) for unit in sorted(decided))
        yield Sentence(
            "by LOCO",
            tuple(sorted({name for unit in decided for name in unit})),
            f"LOCO decides on {named}, since draws of CPI, for it or for a feature in it, can be "
            "distinguished from real values or are copies: a model without it predicts worse by "
            f"more than {decimal(LEAST_LOCO)} of the loss of the best constant.",
        )


def _open(work: Work, decision: Decision) -> Iterator[Sentence]:
    if decision.open:
        named = ", ".join(_with_loco(unit, work) for unit in decision.open[:_MOST_OPEN])
        if len(decision.open) > _MOST_OPEN:
            named += f" and {len(decision.open) - _MOST_OPEN} more"
        yield Sentence(
            "open",
            tuple(dict.fromkeys(name for unit in decision.open for name in unit)),
            f"The data do not decide about {named}: CPI is above 0, but draws fail their test, and "
            f"a model without it is not shown to predict worse by more than {decimal(LEAST_LOCO)} "
            "of the loss of the best constant.",
        )


def cautions(
    data: Prepared, work: Work, decision: Decision, related: Associations
) -> tuple[Sentence, ...]:
    """Return the warnings, the most serious first."""
    return (
        *_no_model(work, decision),
        *_leakage(work),
        *_clusters(work.data, len(data.y), related),
        *rare_classes(data, work.data),
        *_levels(work.data),
        *_untestable(work),
        *_recognised(work),
    )


def notes(work: Work, has_curves: bool) -> tuple[Sentence, ...]:
    """Return decisions on the table, and what is good to know."""
    said = [Sentence("table", (), text) for text in work.data.notes]
    if work.data.X.shape[1] == 1 and "loco" in work.design.methods:
        said.append(Sentence("left out", (), "LOCO is left out: there is only one feature."))
    is_forest = work.model == MODELS["forest"]
    if work.data.X.shape[1] == 2 and "loco" in work.design.methods and is_forest:
        # Measured with forests, y = x + noise of the same variance.
        text = "Of two features LOCO finds too much: a forest often predicts slightly better with "
        text += (
            "a column of noise than without it. In 8 of 48 tables of 1,200 rows it was selected."
        )
        said.append(Sentence("two features", (), text))
    if work.data.labels and has_curves:
        text = f"Curves show the predicted probability of {work.data.target} = "
        text += f"{work.data.labels[1]}."
        said.append(Sentence("direction", (), text))
    return (*said, *_not_decorrelated(work))


def said_of(
    found: list[Disagreement], work: Work, by_loco: frozenset[Unit]
) -> tuple[Sentence, ...]:
    """Return the disagreements as sentences, and the advice that follows from them."""
    sentences = tuple(Sentence(f"disagreement: {d.kind}", (d.feature,), d.text) for d in found)
    if not any({c.first, c.second} <= {*work.results} for c in CONTRASTS):
        return ()
    if not sentences:
        text = "No two methods differ significantly beyond the difference of their definitions"
        text += " on features whose draws of CPI are trusted." if by_loco else "."
        return (Sentence("no disagreement", (), text),)
    text = "Which method to trust on a table like this one is measured by losaw audit."
    return (*sentences, Sentence("audit", (), text))


def _no_model(work: Work, decision: Decision) -> Iterator[Sentence]:
    """Say that a model is not shown to predict better than a constant.

    Where something is found, by tests of its own, only how little the model explains in all.
    """
    names = {"model": "The model", "losaw": "losawRF"}
    constant = "share of each class" if work.data.labels else "mean"
    for name, quality in work.quality.items():
        if not quality.p_value <= LEVEL:
            share = f"{decimal(quality.share)} ± {decimal(quality.std_error)}"
            if decision.selected or decision.stated:
                text = (
                    f"{names[name]} with all features explains a share of {share} of the variation "
                    f"of unseen rows (p {p_text(quality.p_value)}): what is found is weak, the "
                    "other features cost as much as it gains, or the folds differ too much to tell."
                )
            else:
                given = work.design.given
                text = (
                    f"{names[name]}{' of all features' if given else ''} is not shown to predict "
                    f"unseen rows better than the {constant} (share explained {share}, p "
                    f"{p_text(quality.p_value)})."
                )
                if not given:
                    text += " Its importances say little until more rows or folds show it."
            yield Sentence("no model", (), text)


def _leakage(work: Work) -> Iterator[Sentence]:
    """Name a feature that alone explains nearly all, or most where the others are far below."""
    quality, names = work.quality.get("model"), work.data.X.columns
    if quality is None or quality.share < _MOST:
        return
    method = "pfi" if "pfi" in work.results else next(iter(work.results))
    result = work.results[method]
    strongest = result.select(top=2) if len(names) > 1 else tuple(names)
    scores = np.sort(result.scores)[::-1]
    # Given columns, which may explain as much, have no score.
    is_one = len(scores) > 1 and not work.design.given
    times = scores[0] / max(scores[1], 1e-3 * scores[0]) if is_one else 0.0
    data = work.data
    for name in strongest:
        alone, shares = replace(data, X=data.X[[name]]), list[float]()
        for train, held in work.splits[:_LEAK_FOLDS]:
            forest = make_forest(alone, 20, work.seed, work.n_jobs)
            forest.fit(alone.X.iloc[train], data.y[train])
            shares.append(share_explained(work, forest, alone.X.iloc[held], held))
        share = float(np.mean(shares))
        is_alone = name == strongest[0] and bool(times > _ALONE)
        if share >= (_MOST if is_alone else _LEAK):
            option = as_option("--drop", name)
            remedy = f"leave it out ({option}) and explain again: only the two strongest "
            remedy += "features are tried."
            yield Sentence(
                "leak",
                (name,),
                f"{name} alone explains {percent(share)} of {data.target} on unseen rows"
                + f", and the {METHODS[method].label} of every other feature is far below its own"
                * is_alone
                + ". If it is computed from the response, or known only after it, "
                + (remedy if len(names) > 1 else "explain by other features."),
            )


def _clusters(data: Prepared, n_rows: int, related: Associations) -> Iterator[Sentence]:
    """Say that rows may belong together: names that repeat, or numbers that repeat together.

    Columns that are a function of each other, as an age and a year of birth, or a number and its
    square, do not count as two.
    """
    import pandas as pd

    if data.is_clustered:
        return
    named = [column for column in data.columns if column.marks_rows]
    for column in named[:2]:
        yield Sentence(
            "cluster",
            (column.name,),
            f"{column.name} has {column.n_values:,} values in {n_rows:,} rows, so that many "
            "occur in several rows. If rows of one value belong together, as those of a patient, "
            f"say so ({as_option('--cluster', column.name)}): without it p-values are too small.",
        )
    X = data.X  # one row of each, where copies stay in one fold
    if data.clusters is not None:
        X = X.iloc[np.unique(data.clusters, return_index=True)[1]]
    counts, most = X.nunique(), len(X) / _ROWS_A_UNIT
    names = [
        name for name in X.columns[X.dtypes != "category"] if _MANY_VALUES < counts[name] <= most
    ][:_LOOKED_AT]
    told = [X[column.name] for column in named[:2] if column.name in X]
    names = [name for name in names if not any(_is_of(X[name], by) for by in told)]
    codes = {name: pd.factorize(X[name])[0].astype(np.int64) for name in names}
    for place, first in enumerate(names):
        at = related.names.index(first)
        together = [
            other
            for other in names[place + 1 :]
            if related.strength[at, related.names.index(other)] < _SAME_COLUMN
            and _n_pairs(codes[first], codes[other]) <= 1.1 * max(counts[first], counts[other])
            and (pairs := X[[first, other]].dropna()).size  # a missing one is no value
            and len(points := pairs.drop_duplicates()) > _MANY_VALUES
            and len(points) <= min(1.1 * pairs.nunique().max(), len(pairs) / _ROWS_A_UNIT)
            and not _is_curve(points)
        ]
        if together:
            shown = [first, *together[:2]]
            units = len(X[shown].dropna().drop_duplicates())
            key = next((name for name in shown if counts[name] == units), "NAME")
            yield Sentence(
                "cluster",
                (first, *together),
                f"Many rows share the values of {listed(shown)} ({units:,} combinations in "
                f"{len(X):,} {'different ' * (data.clusters is not None)}rows). If these are "
                "several rows of one person or thing, name the column that says which "
                f"({as_option('--cluster', key)}): without it p-values are too small.",
            )
            return


def _n_pairs(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """How many pairs of codes occur, both known, in a fifteenth of the time that a frame takes."""
    import pandas as pd

    known = (one >= 0) & (other >= 0)
    pairs = (one * (other.max(initial=0) + 1) + other)[known]
    return len(pd.unique(pairs))


def _is_of(numbers: "pd.Series", by: "pd.Series") -> bool:
    """Whether rows with one value of ``by`` have one number, as the rows of a person have an age.

    Values that are one level together, and those of a single row, tell nothing.
    """
    tells = by.duplicated(keep=False) & ~by.isin([OTHER_LEVEL, MISSING_LEVEL])
    n_numbers = numbers[tells].groupby(by[tells], observed=True).nunique()
    return bool((n_numbers <= 1).mean() >= _ONE_NUMBER)


def _is_curve(points: "pd.DataFrame") -> bool:
    """Whether one of two columns determines the other, which rises and falls in long runs.

    The age of a person determines no weight, but no two persons may have the same age: then the
    weights in the order of ages turn at two in three places.
    """
    for by, of in (points.columns, points.columns[::-1]):
        steps = np.sign(np.diff(points.sort_values(by)[of]))
        steps = steps[steps != 0]
        if points[by].is_unique and (steps[1:] != steps[:-1]).mean() < _TURNS:
            return True
    return False


def rare_classes(data: Prepared, part: Prepared) -> Iterator[Sentence]:
    """Warn of rare classes that are more frequent in the rows in use than in the table."""
    whole = np.bincount(data.y) / len(data.y) if data.labels else np.empty(0)
    used = np.bincount(part.y, minlength=len(whole)) if data.labels else np.empty(0)
    kept = kept_rows(len(part.y), len(data.labels)) if data.labels else 0  # others differ by chance
    named = [
        f"{label}: {used[code]:,} of {round(whole[code] * len(data.y)):,} rows are used, "
        f"{100 * used[code] / len(part.y):.2g} % of those in use, not {100 * whole[code]:.2g} %"
        for code, label in enumerate(data.labels)
        if used[code] <= kept and used[code] / len(part.y) > _MORE * whole[code]
    ]
    if named:
        shown = "; ".join(named[:4]) + (f"; and {len(named) - 4} more" if len(named) > 4 else "")
        yield Sentence(
            "rare class",
            (),
            f"Rare classes of {data.target} are kept as far as they go, so that they are more "
            f"frequent in the {len(part.y):,} rows in use than in the table ({shown}). The share "
            "explained and all scores are those of these rows, and do not hold for the whole "
            "table. Use more rows.",
        )


def _levels(data: Prepared) -> Iterator[Sentence]:
    for column in data.columns:
        if column.values is not None and column.merged:
            text = f"{column.name}: {column.merged}. What only these levels do is not seen."
            yield Sentence("merged levels", (column.name,), text)


def _untestable(work: Work) -> Iterator[Sentence]:
    result = work.results.get("cpi")
    named = [n for n, why in result.notes.items() if "untestable" in why] if result else []
    if named:
        others = "the given columns" if work.design.given else "the other features"
        shown = listed(named[:6]) + (", …" if len(named) > 6 else "")
        yield Sentence(
            "untestable",
            tuple(named),
            f"The draws of CPI for {shown} are nearly copies: {others} determine such a "
            "feature, or there are too many of them for so few rows to tell. CPI cannot test it: a "
            "score of 0 does not mean that it does not matter.",
        )


def _recognised(work: Work) -> Iterator[Sentence]:
    """Name features and groups whose draws a classifier distinguishes from the real values."""
    tests = work.draw_tests
    bad = sorted(recognised(work), key=lambda unit: (tests[unit].p_value, unit))
    if bad:
        shown = ", ".join(f"{_unit(u)} (p {p_text(tests[u].p_value)})" for u in bad[:6])
        more = f" and {len(bad) - 6} more" if len(bad) > 6 else ""
        yield Sentence(
            "draws",
            tuple(dict.fromkeys(name for unit in bad for name in unit)),
            "The draws of CPI for these features or groups can be distinguished from real values: "
            f"{shown}{more}. Their CPI may be wrong: they are named only if LOCO shows them, too.",
        )


def _not_decorrelated(work: Work) -> Iterator[Sentence]:
    """Name features that losawRF's weights hardly decorrelate."""
    measured = work.decorrelation
    if measured is None:
        return
    capped = measured["effective_size"] < measured["capped_effective_size"] * (1 - 1e-6)
    left = measured["weighted_correlation"] > _HARDLY_LOWER * measured["correlation"]
    named = measured[capped & left & (measured["correlation"] > 0.3)]
    named = named.sort_values("weighted_correlation", ascending=False)
    if len(named):
        shown = ", ".join(
            f"{name} ({decimal(row.correlation)} before, "
            f"{decimal(row.weighted_correlation)} with weights)"
            for name, row in list(named.iterrows())[:4]
        )
        more = f" and {len(named) - 4} more" if len(named) > 4 else ""
        yield Sentence(
            "not decorrelated",
            tuple(named.index),
            "losawRF could not decorrelate these features from the others within the limit on its "
            f"weights: {shown}{more}. They share scores of losawRF nearly as in a random forest.",
        )

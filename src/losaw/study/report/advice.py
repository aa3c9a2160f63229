"""Which method? A ranking by design as tables, and in sentences that follow from its numbers."""

from collections.abc import Iterator, Sequence

import pandas as pd

from losaw.study.report.typeset import decimals_of, markdown, number
from losaw.study.request.grid import Study
from losaw.support.words import percent

_MOST_NAMES = 6


def advice(study: Study, ranking: pd.DataFrame) -> list[str]:
    """Who is best where, whose findings are false, and what it costs: a sentence for each.

    ``ranking`` is that of :func:`losaw.study.report.best_methods.ranking_by`. What the data do not
    tell apart is said to be so, and what nothing is known of is left out.
    """
    ranking = ranking.assign(method=[markdown(study.show(one)) for one in ranking["method"]])
    whole = ranking[ranking["of"] == ""]
    if whole.empty:
        return []
    return [
        _who_is_best(study, ranking, whole),
        *_whose_findings_are_false(study, ranking, whole),
        *_what_it_costs(ranking, whole),
    ]


def is_told_apart(ranking: pd.DataFrame) -> bool:
    """Return whether a method is known not to be the best."""
    return bool((ranking["best_place"] > 1).any())


def _who_is_best(study: Study, ranking: pd.DataFrame, whole: pd.DataFrame) -> str:
    n_sets = whole["seeds"].iloc[0]
    parts = ranking[ranking["of"] != ""].groupby("of", sort=False)
    designs = {markdown(study.show(of)): part for of, part in parts}
    told = {of: part for of, part in designs.items() if is_told_apart(part)}
    if not (told or is_told_apart(whole)):
        return (
            f"**Who is best** is not known: {n_sets:,} data sets tell no method apart from the "
            "best. Take the one that answers your question."
        )
    first, *equals = _best(whole)
    worse = whole.loc[whole["best_place"] > 1, "method"].to_list()
    words = f"**Who is best.** Over {_shared(ranking)} {first} has the best mean rank"
    if not equals:
        words += ", and all others are told apart from it"
    elif not worse:
        words += ", but no method is told apart from it"
    elif len(worse) < len(equals):
        words += f"; told apart from it, and worse: {_names(worse)}"
    else:
        words += f"; not told apart from it: {_names(equals)}"
    absent = [of for of, part in designs.items() if first not in set(part["method"])]
    losses = [
        f"{of} (there {_names(_best(part))})"
        for of, part in told.items()
        if of not in absent and first not in _best(part)
    ]
    if not told:
        return f"{words}. {n_sets:,} data sets tell no methods apart in a single design."
    where = [f"has no value in {_names(absent)}"] if absent else []
    if losses:
        where.append(f"is not among the best in {'; '.join(losses)}")
    elif not {*told} <= {*absent}:
        where.append("is among the best in all" + " others" * bool(absent))
    apart = f"{len(told)} of {len(designs)} designs methods can be told apart"
    return f"{words}. In {apart}; it {', and '.join(where)}."


def _whose_findings_are_false(
    study: Study, ranking: pd.DataFrame, whole: pd.DataFrame
) -> Iterator[str]:
    decide = whole.dropna(subset=["found", "false"])
    if decide.empty:
        return
    fewest = decide.sort_values(["false", "found"], ascending=[True, False]).iloc[0]
    most = decide.sort_values(["found", "false"], ascending=[False, True]).iloc[0]
    own = ranking[(ranking["method"] == fewest["method"]) & (ranking["of"] != "")]
    if len(decide) > 1:
        words = f"**Whose findings are false.** Of {len(decide)} methods that decide, "
        words += f"{fewest['method']} has the smallest share of false ones among what it finds, "
    else:
        words = f"**Whose findings are false.** {fewest['method']} alone decides: the share of "
        words += "false ones among what it finds is "
    words += percent(fewest["false"])
    if len(own):
        worst = own.loc[own["false"].idxmax()]
        words += f" (at most {percent(worst['false'])}, in {markdown(study.show(worst['of']))})"
    words += f", and finds {percent(fewest['found'])} of the causes"
    if most["method"] != fewest["method"]:
        words += f"; {most['method']} finds the most, {percent(most['found'])}"
        words += f", with {percent(most['false'])} false"
    yield f"{words}."


def _what_it_costs(ranking: pd.DataFrame, whole: pd.DataFrame) -> Iterator[str]:
    best = whole[whole["best_place"] == 1].dropna(subset=["seconds"]).sort_values("seconds")
    if best.empty:
        return
    cheapest, dearest = best.iloc[0], best.iloc[-1]
    words = (
        f"**What it costs.** Of those that may be the best over {_shared(ranking)} "
        f"{cheapest['method']} is the cheapest, {_seconds(cheapest)} a data set with the fit of "
        "its model"
    )
    if len(best) > 1:
        words += f"; {dearest['method']} is the dearest, {_seconds(dearest)}"
    cheaper = whole[whole["seconds"] < cheapest["seconds"] / 2]
    if len(cheaper):
        own = cheaper.iloc[0]  # the best of them
        words += f". Best of what takes less than half of the cheapest: {own['method']}"
        words += f", mean rank {own['rank']:.1f} against {cheapest['rank']:.1f}, {_seconds(own)}"
    yield f"{words}."


def _best(part: pd.DataFrame) -> list[str]:
    return part.loc[part["best_place"] == 1, "method"].to_list()


def _shared(ranking: pd.DataFrame) -> str:
    """What the whole ranking is of: the settings in which all methods have a value."""
    n_methods = ranking.groupby("of")["method"].nunique()
    return "all designs" if n_methods.nunique() == 1 else "the designs that all methods share"


def _names(methods: Sequence[str]) -> str:
    more = len(methods) - _MOST_NAMES
    return ", ".join(methods[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _seconds(row: pd.Series) -> str:
    return f"{row['seconds']:.2g} s"


def ranks_by_design(study: Study, ranking: pd.DataFrame) -> pd.DataFrame:
    """The table of mean ranks, where methods are told apart with places and the best bold."""
    told = ranking.groupby("of")["best_place"].transform("max") > 1
    cells = []
    for row, is_told in zip(ranking.itertuples(), told, strict=True):
        words = f"{row.rank:.1f}"
        if is_told:
            words += f" ({row.best_place}–{row.worst_place})"
        cells.append(f"**{words}**" if row.best_place == 1 and is_told else words)
    table = _wide(study, ranking.assign(cell=cells))
    seconds = ranking.drop_duplicates("method")["seconds"]  # equal in all designs
    return table.assign(**{"CPU s": [number(s, 2) for s in seconds]})


def values_by_design(study: Study, ranking: pd.DataFrame) -> pd.DataFrame:
    """The table of the mean of the metric."""
    decimals = decimals_of(ranking["mean"], [], 2)
    return _wide(study, ranking.assign(cell=[number(mean, decimals) for mean in ranking["mean"]]))


def decisions_by_design(study: Study, ranking: pd.DataFrame) -> pd.DataFrame:
    """The table of the share of causes found and of false ones, of the methods that decide."""
    decide = ranking.dropna(subset=["found", "false"])
    pairs = zip(decide["found"], decide["false"], strict=True)
    cells = [f"{number(found, 2)} / {number(false, 2)}" for found, false in pairs]
    return _wide(study, decide.assign(cell=cells))


def _wide(study: Study, cells: pd.DataFrame) -> pd.DataFrame:
    """A row per method, the best over all settings first, and a column per value of the axis."""
    order = cells["method"].drop_duplicates()  # all settings, if methods share any, come first
    wide = cells.pivot(index="method", columns="of", values="cell").reindex(order)
    wide = wide[list(dict.fromkeys(cells["of"]))].fillna("")
    wide = wide.rename(columns=lambda of: markdown(study.show(of)) if of else "all")
    wide = wide.rename(index=lambda method: markdown(study.show(method)))
    return wide.rename_axis(None, axis=1).reset_index()

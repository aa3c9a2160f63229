"""The cost of a request, before anything runs, and the stored blocks that it computes again."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.block.block_file import as_stored, stored_recipe
from losaw.study.block.blocks import Block
from losaw.study.block.recipe import Recipe, recipe_changes
from losaw.study.block.spent import OTHER, learner_of, own_parts, read_cost
from losaw.study.request.grid import UNMEASURED_SECONDS
from losaw.study.request.published import NEEDED, SOME, read_published
from losaw.study.results.agreement import QUANTILE
from losaw.study.session import StudyPlan

MOST_CHANGES = 5


def describe_cost(plans: Sequence[StudyPlan]) -> str:
    """Settings, blocks, fits and core-hours: a line per study, a total, and how they are known."""
    blocks = {plan.study.name: list(plan.blocks.values()) for plan in plans}
    of_slices = {block.slice: block for own in blocks.values() for block in own}
    known = {part: measured(block) for part, block in of_slices.items()}
    seconds = {name: [b.seconds(known[b.slice]) for b in own] for name, own in blocks.items()}
    rows = [
        {
            "settings": len(plan.settings),
            "blocks": len(plan.blocks),
            "fits": plan.n_fits,
            "core-hours": sum(seconds[plan.study.name]) / 3600,
        }
        for plan in plans
    ]
    table = pd.DataFrame(rows, index=pd.Index(seconds))
    total = table.sum().to_frame("in all").T.astype(table.dtypes)
    lines = [
        f"scale {plans[0].study.scale}",
        pd.concat([table, total]).to_string(float_format="{:.2f}".format),
        f"the longest block takes about {max(map(max, seconds.values())) / 60:.1f} minutes",
    ]
    if any(known.values()):
        of = dict.fromkeys(part.study.name for part, seconds_of in known.items() if seconds_of)
        lines.append(f"measured by earlier runs in the same folder: {', '.join(of)}")
    cells = ((part, cell) for part in known for cell in part.cells)
    unmeasured = {
        part.study.name: None
        for part, cell in cells
        if cell.learner not in known[part]
        and not part.study.cost_of_seed(cell.setting, cell.learner)[1]
    }
    if unmeasured:
        studies = ", ".join(unmeasured)
        lines.append(
            f"not measured, taken as {UNMEASURED_SECONDS:g} s a fit where unknown: {studies}"
        )
    more = (words for plan in plans for words in (*narrow_margins(plan), *changes(plan)))
    return "\n".join([*lines, *more])


def measured(block: Block) -> dict[str, float]:
    """Return the seconds of a fit of each learner, and of the start, from blocks of the same slice.

    They may be of any scale, if the learner had the same settings, importances and parameters.
    """
    seconds: Counter[str] = Counter()
    fits: Counter[str] = Counter()
    scales, parts = block.folder.parents[1], defaultdict(list)
    for part in own_parts(block.slice.recipe):
        parts[learner_of(part)].append(part)
    for path in scales.glob(f"*/{block.folder.name}/blocks/{block.slice.name}/*.parquet"):
        cost = read_cost(path) or {"seconds": {}}
        try:
            recipe = Recipe.from_dict(stored_recipe(path) or {})
        except (KeyError, TypeError):  # of another version
            continue
        for learner in block.slice.recipe.learners if cost["seconds"] else ():
            own = {cell.setting.identifier for cell in block.slice.cells if cell.learner == learner}
            pairs = list(recipe.pairs([learner]))
            is_same = _work(recipe, learner) == _work(block.slice.recipe, learner)
            if {setting for setting, _ in pairs} == own and is_same:
                fits[OTHER] += 1
                seconds[OTHER] += cost["seconds"].get(OTHER, 0.0)
                fits[learner] += sum(len(recipe.seeds_of(*pair)) for pair in pairs)
                own_seconds = (cost["seconds"].get(part, 0.0) for part in parts[learner])
                seconds[learner] += sum(own_seconds)
    return {learner: seconds[learner] / n for learner, n in fits.items()}


def _work(recipe: Recipe, learner: str) -> list[tuple[str, dict[str, Any]]] | None:
    """Return what a learner and its importances are, whatever their version."""
    if learner not in recipe.learners:
        return None
    names = recipe.learners[learner].importances or ()
    methods = [recipe.learners[learner], *(recipe.importances[name] for name in names)]
    return [(method.name, method.parameters) for method in methods]


def narrow_margins(plan: StudyPlan) -> Iterator[str]:
    """Say which margins are too narrow for the errors that are printed, or follow from print."""
    study = plan.study
    printed = read_published(study, plan.published).reindex(columns=[*NEEDED, *SOME])
    for metric, margin in study.file.margins.items():
        cells = printed[(printed["metric"] == metric) & printed["published"].notna()]
        share, runs = cells["published"], cells["published_runs"]
        squares = cells["published_se"] ** 2
        squares = squares.fillna(cells["published_sd"] ** 2 / runs)
        shift: Any = 0.0
        if metric in study.decisions:  # with one success and one failure added, as the verdict's
            p = (share * runs + 1) / (runs + 2)
            shift = (share - p).abs().where(squares.isna(), 0.0)
            squares = squares.fillna(p * (1 - p) / (runs + 2))
        rounding = 10.0 ** (-2 * cells["decimals"]) / 12
        reach = shift + QUANTILE * np.sqrt(squares.astype(float) + rounding)
        if n := int((reach > margin).sum()):
            words = (
                f"{margin:g} is less than 1.645 standard errors of {n} of {len(cells)} published "
                f"values: no run can show that they agree; about {reach.max():.2g} would do"
            )
            yield str(study.source.error(("margins", metric), words))


def changes_of(block: Block) -> Iterator[str]:
    """Say what differs in the recipe of a stored block; nothing where there is no whole file."""
    recipe = stored_recipe(block.path)
    return recipe_changes(recipe, as_stored(block.recipe.to_dict())) if recipe else iter(())


def changes(plan: StudyPlan) -> Iterator[str]:
    """Say which stored blocks of a study are of another recipe, and what differs."""
    places: Counter[str] = Counter()
    n_stored = n_changed = 0
    for block in plan.blocks.values():
        found = list(changes_of(block))
        n_stored, n_changed = n_stored + block.path.is_file(), n_changed + bool(found)
        places.update(found)
    if n_changed:
        yield (
            f"{plan.study.name}: stored blocks of another recipe: {n_changed} of {n_stored}; "
            "computed again, but for the rows of unchanged methods:"
        )
    for place, n_blocks in places.most_common(MOST_CHANGES):
        yield f"  {place} ({n_blocks} of them)"
    if len(places) > MOST_CHANGES:
        yield f"  and {len(places) - MOST_CHANGES} more"

"""The cost of a request, before anything runs, and the stored blocks that it computes again."""

from collections import Counter
from collections.abc import Iterator, Sequence

from losaw.study.block.block_file import as_stored, stored_recipe
from losaw.study.block.recipe import recipe_changes
from losaw.study.request.grid import UNMEASURED_SECONDS
from losaw.study.session import StudyPlan

MOST_CHANGES = 5


def describe_cost(plans: Sequence[StudyPlan]) -> str:
    """Settings, blocks, fits and core-hours: a line per study, a total, and how they are known."""
    counts = [(len(plan.settings), len(plan.blocks), plan.n_fits) for plan in plans]
    seconds = [[block.seconds for block in plan.blocks.values()] for plan in plans]
    hours = [sum(of_study) / 3600 for of_study in seconds]
    total = map(sum, zip(*counts, strict=True))
    lines = [
        f"scale {plans[0].study.scale}",
        _line("study", "settings", "blocks", "fits", "core-hours"),
        *(
            _line(plan.study.name, *numbers, f"{cost:.2f}")
            for plan, numbers, cost in zip(plans, counts, hours, strict=True)
        ),
        _line("in all", *total, f"{sum(hours):.2f}"),
        f"the longest block takes about {max(map(max, seconds)) / 60:.1f} minutes",
    ]
    cells = ((plan.study, c) for plan in plans for b in plan.blocks.values() for c in b.slice.cells)
    unmeasured = {s.name: None for s, c in cells if not s.cost_of_seed(c.setting, c.learner)[1]}
    if unmeasured:
        lines.append(
            f"not measured, taken as {UNMEASURED_SECONDS:g} s a fit where unknown: "
            + ", ".join(unmeasured)
        )
    return "\n".join([*lines, *(line for plan in plans for line in changes(plan))])


def changes(plan: StudyPlan) -> Iterator[str]:
    """Say which stored blocks of a study are of another recipe, and what differs."""
    places: Counter[str] = Counter()
    n_stored = n_changed = 0
    for block in plan.blocks.values():
        recipe = stored_recipe(block.path)
        if recipe is not None:
            found = list(recipe_changes(recipe, as_stored(block.recipe.to_dict())))
            n_stored, n_changed = n_stored + 1, n_changed + bool(found)
            places.update(found)
    if n_changed:
        yield (
            f"{plan.study.name}: {n_changed} of {n_stored} stored blocks are of another recipe; "
            "they are computed again, but for the rows of unchanged methods:"
        )
    for place, n_blocks in places.most_common(MOST_CHANGES):
        yield f"  {place} ({n_blocks} of them)"
    if len(places) > MOST_CHANGES:
        yield f"  and {len(places) - MOST_CHANGES} more"


def _line(name: str, *numbers: object) -> str:
    return f"{name:28}" + "".join(f"{number:>11}" for number in numbers)

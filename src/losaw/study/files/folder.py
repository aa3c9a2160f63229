"""Files in a study's folder that are no requested blocks."""

from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.plan import StudyPlan
from losaw.study.errors import StudyError


def blocks_by_setting(plan: StudyPlan) -> list[Block]:
    """Requested blocks and others, setting by setting; of each first the requested ones."""
    place = {setting.identifier: index for index, setting in enumerate(plan.study.settings)}
    blocks = [*plan.blocks, *other_blocks(plan)]
    return sorted(blocks, key=lambda block: place[block.name.setting])


def other_blocks(plan: StudyPlan) -> list[Block]:
    """Blocks of the study that lie in its folder and are not asked for, by name.

    Another selection, scale or number of seeds has left them. What belongs to no setting or
    learner of the study file any more is not among them.
    """
    asked = set(plan.blocks)
    others = []
    for path in sorted(plan.folder.glob("blocks/*/*/seeds_*.parquet")):
        try:
            block = plan.block(BlockName.from_path(path))
        except StudyError:
            continue
        if block not in asked:
            others.append(block)
    return others

"""A request computed in this process, as Snakemake's jobs do it."""

from losaw.study.block.compute import compute
from losaw.study.generators.joint_law.fit import law_of
from losaw.study.results.outputs import write_outputs


def execute(session, **options):
    """Compute all blocks of a session; return their paths."""
    paths = []
    for plan in session.plans:
        for block in plan.blocks.values():
            laws = {law.identifier: law for law in map(plan.study.law_of, plan.settings) if law}
            files = [session.results / "laws" / f"{name}.json" for name in block.slice.laws]
            for file in files:
                if not file.exists():
                    law_of(laws[file.stem]).save(file)
            compute(block.recipe, block.path, files, **options)
            paths.append(block.path)
    return paths


def run(session, **options):
    """Compute all blocks of a session and collect them; the folder of the first study's files."""
    execute(session, **options)
    for plan in session.plans:
        write_outputs(plan)
    return session.plans[0].folder

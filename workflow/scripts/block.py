"""Compute a block: all methods on the data sets of one slice and one range of seeds."""

from pathlib import Path

from losaw.study.block.compute import compute
from losaw.study.block.job import job
from losaw.study.block.recipe import Recipe

attempt = snakemake.resources.attempt
with job(snakemake.log[0], snakemake.config.get("plugins", []), attempt):
    compute(
        Recipe.from_dict(snakemake.params.recipe),
        Path(snakemake.output[0]),
        laws=[Path(law) for law in snakemake.input.laws],
        minutes=snakemake.resources.seconds / 60,
        apart=attempt > 1,
        reuse=bool(snakemake.resources.reuse),
    )

"""Collect a study's blocks: rows, means with errors, comparison with the published values."""

from losaw.study.block.job import job
from losaw.study.results.outputs import write_outputs
from losaw.study.rules import plan_of

with job(snakemake.log[0]):
    write_outputs(plan_of(snakemake))

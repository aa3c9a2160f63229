"""Fit the joint law of discrete features."""

from pathlib import Path

from losaw.study.job import job
from losaw.study.joint_laws import fit_law

with job(snakemake.log[0]):
    fit_law(snakemake.params.specification, Path(snakemake.output[0]))

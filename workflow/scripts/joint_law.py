"""Fit the joint law of discrete features."""

from pathlib import Path

from losaw.study.running.joint_laws import fit_law
from losaw.study.running.watch import job

with job(snakemake.log[0]):
    fit_law(snakemake.params.specification, Path(snakemake.output[0]))

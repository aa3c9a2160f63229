"""Fit the joint law of discrete features."""

from pathlib import Path

from losaw.study.block.job import job
from losaw.study.generators.joint_law.fit import fit_joint_law
from losaw.study.generators.joint_law.law import JointLawSpecification

with job(snakemake.log[0]):
    law = fit_joint_law(JointLawSpecification(**snakemake.params.specification))
    law.save(Path(snakemake.output[0]))

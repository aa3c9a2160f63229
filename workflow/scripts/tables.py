"""Write a study's tables."""

from losaw.study.block.job import job
from losaw.study.report.results import StudyResults
from losaw.study.report.tables import write_tables
from losaw.study.rules import plan_of

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    write_tables(
        plan.study, StudyResults(plan.folder, plan.study).comparison, plan.folder / "tables"
    )

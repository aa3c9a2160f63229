"""Draw a study's figures."""

from losaw.study.block.job import job
from losaw.study.report.figures import write_figures
from losaw.study.report.results import StudyResults
from losaw.study.rules import plan_of

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    write_figures(plan.study, StudyResults(plan.folder, plan.study), plan.figures)

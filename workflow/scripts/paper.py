"""Write the page of a paper, or of a study that belongs to none."""

from pathlib import Path

from losaw.study.job import job
from losaw.study.report.page.write import write_paper
from losaw.study.rules import shelf_of

with job(snakemake.log[0]):
    write_paper(shelf_of(snakemake), snakemake.wildcards.paper, Path(snakemake.output[0]))

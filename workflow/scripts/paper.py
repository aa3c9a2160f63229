"""Write the page of a paper, or of a study that belongs to none."""

from pathlib import Path

from losaw.study.block.job import job
from losaw.study.report.page.paper import paper_page
from losaw.study.rules import shelf_of

with job(snakemake.log[0]):
    page = paper_page(shelf_of(snakemake), snakemake.wildcards.paper)
    page.write(Path(snakemake.output[0]))

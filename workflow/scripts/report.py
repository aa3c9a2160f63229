"""Write the front page, which leads to the pages of the papers."""

from pathlib import Path

from losaw.study.block.job import job
from losaw.study.report.page.front import front_page
from losaw.study.rules import shelf_of

with job(snakemake.log[0]):
    front_page(shelf_of(snakemake), "report").write(Path(snakemake.output[0]))

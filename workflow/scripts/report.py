"""Write the front page, which leads to the pages of the papers, and Snakemake's own front page."""

from pathlib import Path

from losaw.study.block.job import job
from losaw.study.block.writing import write_text
from losaw.study.report.page.front import front_page
from losaw.study.rules import shelf_of

with job(snakemake.log[0]):
    page = front_page(shelf_of(snakemake), "report")
    page.write(Path(snakemake.output[0]))
    write_text(Path(snakemake.output[1]), page.description())

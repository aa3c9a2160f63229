# The simulation study of losaw: feature importance under correlated features.
#
# The grid     data type x N x P x phi x function x seed, and methods: files in config/studies
# A block      all methods on the data sets of one slice of the grid and one range of seeds:
#              results/<scale>/<study>/blocks/<axis>~<value>_.../seeds_<first>-<last>.parquet
# Then         blocks -> summary -> tables and figures of each study -> a page for each paper
#
# Run all      snakemake --cores 8
# A part       snakemake --cores 8 --config studies=losaw_forest function=f3,f5 n_samples=500 seeds=40
# What it does snakemake -n (which jobs, and why);   losaw plan (fits, core-hours, changed keys)
# A cluster    snakemake --workflow-profile profiles/slurm   (docs/cluster.md)
from snakemake.utils import min_version

min_version("9.0")

try:
    from losaw.study.rules import default_configuration, request
except ModuleNotFoundError as error:
    raise SystemExit(f"{error}: run `make install`, then .venv/bin/snakemake")

if not workflow.configfiles:  # else the file that --configfile names decides

    configfile: default_configuration(workflow)


container: "docker-daemon:losaw:latest"  # of the Dockerfile


RUN = request(workflow, config)


report: str(Path(RUN.pages, "report.rst").resolve())


wildcard_constraints:
    study=r"[A-Za-z0-9_.=+-]+",
    paper=RUN.any_paper,


include: "workflow/rules/blocks.smk"
include: "workflow/rules/outputs.smk"


rule all:
    default_target: True
    input:
        RUN.blocks,
        expand(rules.summary.output + rules.tables.output + rules.figures.output, study=RUN.names),
        expand(rules.paper.output, paper=RUN.papers) + rules.report.output,
    message:
        f"All files are there; the report is {RUN.pages}/report.html"


# Compiles, where the installation has not, and tries out each study: once, before all jobs do it.
# --touch computes nothing.
onstart:
    if not workflow.touch:
        RUN.start(workflow.dag)


onsuccess:
    if not workflow.touch:
        RUN.end(workflow.dag)

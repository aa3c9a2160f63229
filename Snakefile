# The simulation study of losaw: feature importance under correlated features.
#
# The grid     data type x N x P x phi x function x seed, and methods: files in config/studies
#              -> Parquet files of blocks (a block: some seeds of one setting and one learner)
#              -> tables and figures of the papers, each number next to the published value
# Three stages settings -> blocks (workflow/rules/blocks.smk)
#              blocks   -> summary, tables and figures of each study (workflow/rules/outputs.smk)
#              studies  -> results/report.html
#
# Run all      snakemake --cores 8
# A part       snakemake --cores 8 --config studies=losaw_forest function=f3,f5 n_samples=500 seeds=40
# What it does snakemake -n          what would run, by jobs such as losaw_forest.continuous-N5000-P100.3
#              losaw plan            what it costs;   losaw status --watch   how far it is
# One block    snakemake --cores 1 --config jobs=blocks -- results/<study>/blocks/<setting>/<learner>/seeds_00000-00049.parquet
# A cluster    snakemake --workflow-profile profiles/slurm   (docs/cluster.md)
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


# Only with `--sdm apptainer`; built by `docker build -t losaw .` (or `--sdm conda` and the rules'
# environment). By default all rules run in the environment that Snakemake itself runs in.
container: "docker-daemon:losaw:latest"


from losaw.study.running.jobs import priorities
from losaw.workflow.course import Course
from losaw.workflow.rules import (
    Workflow,
    captioned,
    clear_errors,
    megabytes_of_outputs,
    rules_in,
    use_python,
)

use_python(workflow.deployment_settings.deployment_method, workflow.basedir)
is_main = workflow.is_main_process
with clear_errors():
    study_workflow = Workflow(config, only=None if is_main else rules_in(sys.argv))
    course = Course(study_workflow) if is_main else None


include: "workflow/rules/blocks.smk"
include: "workflow/rules/outputs.smk"


rule all:
    default_target: True
    input:
        study_workflow.everything,


onstart:
    if course:
        course.start()


onsuccess:
    if course:
        course.finish()


# A summary can be made although some blocks failed; a Snakemake rule cannot run with a missing
# input. So failed runs are summarised here, not by a rule.
onerror:
    if course:
        course.fail(str(file) for job in workflow.scheduler.failed for file in job.output)

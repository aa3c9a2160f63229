# Settings -> blocks -> summary -> tables, figures, report. All that rules do is `python -m losaw …`.
from pathlib import Path
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


from losaw.workflow import Workflow, explained

with explained():
    study_workflow = Workflow(
        config, Path("config/config.yaml"), trusted=not workflow.is_main_process
    )


include: "workflow/rules/blocks.smk"
include: "workflow/rules/outputs.smk"


rule all:
    default_target: True
    input:
        study_workflow.report,


# A summary does without blocks that failed; a rule starts only when all of its inputs are there. A
# checkpoint re-evaluates after success only, --keep-going goes on with what does not depend on a
# failed job, ensure() adds reasons to fail. What serves is a handler.
onerror:
    study_workflow.summarise_without(
        {str(file) for job in workflow.scheduler.failed for file in job.output}
    )

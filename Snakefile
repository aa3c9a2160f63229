# Settings -> blocks -> summary -> tables, figures, report. All that rules do is `python -m losaw …`.


configfile: "config/config.yaml"


from losaw.workflow.captions import captioned
from losaw.workflow.rules import Workflow, explained

with explained():
    study_workflow = Workflow(config, trusted=not workflow.is_main_process)


include: "workflow/rules/blocks.smk"
include: "workflow/rules/outputs.smk"


rule all:
    default_target: True
    input:
        study_workflow.everything,


onstart:
    study_workflow.start()


onsuccess:
    study_workflow.finish()


# A summary does without blocks that failed, a rule without none of its inputs: a checkpoint needs
# success, --keep-going passes by what depends on a failed job, ensure() only adds reasons to fail.
onerror:
    study_workflow.summarise_without(
        {str(file) for job in workflow.scheduler.failed for file in job.output}
    )

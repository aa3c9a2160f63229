# The study as a workflow: settings -> blocks -> summary -> tables, figures, report.
# Rules only; everything they do is `python -m losaw …`. See README.md.
from pathlib import Path
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


from losaw.registry import RegistryError
from losaw.plugins import PluginError
from losaw.study.errors import StudyError
from losaw.workflow import Workflow

try:
    study_workflow = Workflow(
        config, Path("config/config.yaml"), trusted=not workflow.is_main_process
    )
except (StudyError, RegistryError, PluginError) as error:
    raise SystemExit(f"losaw: {error}") from None


if study_workflow.runs_blocks:

    include: "workflow/rules/laws.smk"
    include: "workflow/rules/blocks.smk"


include: "workflow/rules/outputs.smk"


rule all:
    default_target: True
    input:
        study_workflow.report,


onerror:
    study_workflow.go_on_without(
        {str(file) for job in workflow.scheduler.failed for file in job.output}
    )

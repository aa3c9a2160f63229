# Stages 2 and 3: blocks -> summary, tables and figures of each study -> the report.
# A rule for each study, not a wildcard {study}: one process writes tables and figures whose names
# the study file gives, and Snakemake wants the wildcards of a rule in each of its outputs.


for study in study_workflow.session.studies:

    rule:
        name:
            f"tables_and_figures_of_{study.name}"
        input:
            study_workflow.inputs_of_study(study.name),
        output:
            captioned(report, study.name, study_workflow.outputs_of(study.name)),
        log:
            f"{study_workflow.jobs_folder}/outputs-{study.name}.log",
        conda:
            "../../environment.yml"
        priority: 1
        resources:
            mem_mb=megabytes_of_outputs(study),
            runtime=55,
        params:
            request=study_workflow.arguments_of(study.name),
        shell:
            '"$LOSAW_PYTHON" -m losaw internal studies {params.request} > {log} 2>&1'


rule report:
    input:
        study_workflow.inputs_of_report,
    output:
        captioned(report, "all", study_workflow.report),
    log:
        f"{study_workflow.jobs_folder}/report.log",
    conda:
        "../../environment.yml"
    params:
        request=study_workflow.arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw internal page {params.request} > {log} 2>&1'

# What is made of a study's blocks: summary, tables and figures by one process, which starts once.
# `snakemake --lint` asks for a conda environment or a container for each rule. No rule has one, on
# purpose: all run this checkout's own losaw in the environment that Snakemake itself runs in.


for name in study_workflow.study_names:

    rule:
        name:
            f"tables_and_figures_of_{name}"
        input:
            study_workflow.inputs_of(name),
        output:
            study_workflow.collected_of(name),
            captioned(report, name, study_workflow.drawings_of(name)),
        log:
            f"{study_workflow.jobs_folder}/outputs-{name}.log",
        priority: 1
        resources:
            mem_mb=study_workflow.megabytes_of_outputs(name),
            runtime=55,
        params:
            request=study_workflow.arguments_of(name),
        shell:
            '"$LOSAW_PYTHON" -m losaw outputs {params.request} > {log} 2>&1'


rule report:
    input:
        study_workflow.outputs,
    output:
        captioned(report, "all", study_workflow.report),
    log:
        f"{study_workflow.jobs_folder}/report.log",
    params:
        request=study_workflow.arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw report {params.request} > {log} 2>&1'

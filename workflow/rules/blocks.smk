# Joint laws of discrete features, fitted once for all studies; then jobs of some blocks each.


rule joint_laws:
    output:
        study_workflow.laws_to_fit,
    log:
        f"{study_workflow.jobs_folder}/laws.log",
    priority: 1
    params:
        list=study_workflow.list_of_laws,
        request=study_workflow.block_arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw fit-laws {params.list} {params.request} > {log} 2>&1'


# Blocks are no outputs: Snakemake deletes those of a failed job, and a finished block stays.
rule job:
    input:
        study_workflow.laws_of,
    output:
        temp(touch(f"{study_workflow.jobs_folder}/{{job}}.done")),
    log:
        f"{study_workflow.jobs_folder}/{{job}}.log",
    priority: study_workflow.priority
    resources:
        mem_mb=lambda wildcards, attempt: attempt * study_workflow.megabytes(wildcards),
        runtime=lambda wildcards, attempt: attempt * study_workflow.minutes(wildcards),
    params:
        list=study_workflow.list_of,
        request=study_workflow.block_arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw run-blocks {params.list} {params.request} > {log} 2>&1'

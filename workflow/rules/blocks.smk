# Joint laws of discrete features, fitted once for all studies; then jobs of some blocks each.
# Mixtures of one law are fitted by one process, which starts once. Snakemake deletes all outputs of
# a job before it runs: laws that are there already are none.


for family, laws in study_workflow.laws_to_fit.items():

    rule:
        name:
            f"joint_laws_{family}"
        output:
            laws,
        log:
            f"{study_workflow.jobs_folder}/laws-{family}.log",
        priority: 1
        params:
            request=study_workflow.arguments,
        shell:
            '"$LOSAW_PYTHON" -m losaw fit-law {output} {params.request} > {log} 2>&1'


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

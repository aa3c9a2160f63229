# Joint laws of discrete features, fitted once for all studies; then one job per block of seeds.


rule joint_law:
    output:
        f"{study_workflow.laws_folder}/{{law}}.json",
    params:
        request=study_workflow.block_arguments,
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "{study_workflow.losaw} fit-law {output} {params.request}"


rule block:
    input:
        study_workflow.laws_of,
    output:
        f"{study_workflow.results}/{{study}}/blocks/{{setting}}/{{learner}}/{{seeds}}.parquet",
    params:
        request=study_workflow.block_arguments,
        results_version=study_workflow.version_of,
    resources:
        mem_mb=lambda wildcards, attempt: attempt * study_workflow.megabytes(wildcards),
        runtime=lambda wildcards, attempt: attempt * study_workflow.minutes(wildcards),
    shell:
        "{study_workflow.losaw} run-block {output} {params.request} {study_workflow.block_limits}"

# One job per block: a range of seeds of one setting and one learner.


rule block:
    input:
        study_workflow.laws_of,
    output:
        f"{study_workflow.results}/{{study}}/blocks/{{setting}}/{{learner}}/{{seeds}}.parquet",
    params:
        request=study_workflow.block_arguments,
        results_version=study_workflow.version_of,
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * study_workflow.megabytes(wildcards),
        runtime=lambda wildcards, attempt: attempt * study_workflow.minutes(wildcards),
    shell:
        "{study_workflow.losaw} run-block {output} {params.request} {study_workflow.block_limits}"

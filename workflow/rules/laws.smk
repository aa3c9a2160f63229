# Joint laws of discrete features: fitted once, shared by all studies.


rule joint_law:
    output:
        f"{study_workflow.laws_folder}/{{law}}.json",
    params:
        request=study_workflow.block_arguments,
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "{study_workflow.losaw} fit-law {output} {params.request}"

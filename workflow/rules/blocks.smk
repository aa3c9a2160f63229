# Stage 1: settings -> blocks. A block is a Parquet file of some seeds of one setting and one learner.


# The joint distribution of discrete features, which several studies and settings draw from.
rule joint_law:
    output:
        f"{study_workflow.laws_folder}/{{law}}.json",
    log:
        f"{study_workflow.jobs_folder}/law-{{law}}.log",
    conda:
        "../../environment.yml"
    priority: 1
    params:
        request=study_workflow.arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw internal laws {output} {params.request} > {log} 2>&1'


if study_workflow.has_job_for_each_block:

    # Granular mode, --config jobs=blocks: a job for each block. On a cluster, --group-components
    # blocks=20 submits twenty of them together.
    rule block:
        input:
            lambda wildcards: study_workflow.inputs_of(study_workflow.block(wildcards).blocks),
        output:
            f"{study_workflow.results}/{{study}}/blocks/{{setting}}/{{learner}}/seeds_{{first}}-{{last}}.parquet",
        wildcard_constraints:
            study=r"[^/]+",
            setting=r"[^/]+",
            learner=r"[^/]+",
            first=r"\d+",
            last=r"\d+",
        log:
            f"{study_workflow.jobs_folder}/{{study}}/{{setting}}/{{learner}}/seeds_{{first}}-{{last}}.log",
        conda:
            "../../environment.yml"
        group:
            "blocks"
        resources:
            mem_mb=lambda wildcards, attempt: attempt * study_workflow.block(wildcards).megabytes,
            runtime=lambda wildcards, attempt: attempt * study_workflow.block(wildcards).minutes,
        params:
            request=study_workflow.block_arguments,
        shell:
            '"$LOSAW_PYTHON" -m losaw internal blocks {output} {params.request} > {log} 2>&1'

else:

    # Batched mode: a job computes blocks one after the other, because starting Python takes longer
    # than many a block. Each job is a rule, since outputs of one rule cannot depend on a wildcard.
    # update() and `keep-incomplete` of the profile keep the finished blocks of a job that ended.
    priority = priorities(study_workflow.jobs)
    for job in study_workflow.jobs:

        rule:
            name:
                job.name
            input:
                study_workflow.inputs_of(job.blocks),
            output:
                [update(str(block.path)) for block in job.blocks],
            log:
                f"{study_workflow.jobs_folder}/{job.name}.log",
            conda:
                "../../environment.yml"
            priority: priority[job.name]
            resources:
                mem_mb=lambda wildcards, attempt, job=job: attempt * job.megabytes,
                runtime=lambda wildcards, attempt, job=job: attempt * job.minutes,
            params:
                list=f"{study_workflow.jobs_folder}/{job.name}.txt",
                request=study_workflow.block_arguments,
            shell:
                '"$LOSAW_PYTHON" -m losaw internal blocks {params.list} {params.request} > {log} 2>&1'

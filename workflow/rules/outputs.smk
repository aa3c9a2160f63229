# What is made of a study's blocks.


rule collect:
    input:
        study_workflow.blocks_of,
        study_workflow.files_of,
    output:
        comparison=f"{study_workflow.results}/{{study}}/comparison.csv",
        summary=f"{study_workflow.results}/{{study}}/summary.csv",
        results=f"{study_workflow.results}/{{study}}/results.parquet",
        scores=f"{study_workflow.results}/{{study}}/scores.parquet",
    params:
        request=study_workflow.study_arguments,
    resources:
        mem_mb=4000,
        runtime=30,
    shell:
        "{study_workflow.losaw} collect {params.request} > /dev/null"


for name in study_workflow.study_names:

    rule:
        name:
            f"tables_and_figures_of_{name}"
        input:
            f"{study_workflow.results}/{name}/comparison.csv",
            study_workflow.file_of(name),
        output:
            study_workflow.tables_of(name),
            study_workflow.figures_of(name),
        params:
            request=study_workflow.arguments_of(name),
        resources:
            mem_mb=study_workflow.megabytes_to_draw(name),
            runtime=25,
        shell:
            "{study_workflow.losaw} tables {params.request} && "
            "{study_workflow.losaw} figures {params.request}"


rule report:
    input:
        expand(rules.collect.output.comparison, study=study_workflow.study_names),
        [study_workflow.tables_of(name) for name in study_workflow.study_names],
        [study_workflow.figures_of(name) for name in study_workflow.study_names],
    output:
        study_workflow.report,
    params:
        request=study_workflow.arguments,
    resources:
        mem_mb=2000,
        runtime=15,
    shell:
        "{study_workflow.losaw} report {params.request}"

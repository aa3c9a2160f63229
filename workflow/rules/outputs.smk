# What is made of a study's blocks.


rule collect:
    input:
        study_workflow.inputs_of,
    output:
        study_workflow.collected,
    log:
        f"{study_workflow.jobs_folder}/collect-{{study}}.log",
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        request=study_workflow.study_arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw collect {params.request} > {log} 2>&1'


for name in study_workflow.study_names:

    rule:
        name:
            f"tables_and_figures_of_{name}"
        input:
            study_workflow.drawn_from(name),
        output:
            shown(name, study_workflow.drawings_of(name)),
        log:
            f"{study_workflow.jobs_folder}/draw-{name}.log",
        resources:
            mem_mb=study_workflow.megabytes_to_draw(name),
            runtime=25,
        params:
            request=study_workflow.arguments_of(name),
        shell:
            '"$LOSAW_PYTHON" -m losaw draw {params.request} > {log} 2>&1'


rule report:
    input:
        study_workflow.outputs,
    output:
        study_workflow.report[1:],
        report(
            study_workflow.report[0],
            caption="../report/page.rst",
            category="page",
            labels={"study": "all", "page": "report.html"},
        ),
    log:
        f"{study_workflow.jobs_folder}/report.log",
    params:
        request=study_workflow.arguments,
    shell:
        '"$LOSAW_PYTHON" -m losaw report {params.request} > {log} 2>&1'

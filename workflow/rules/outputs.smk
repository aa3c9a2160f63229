rule summary:
    input:
        lambda wildcards: RUN.plan(wildcards.study).inputs,
    output:
        expand(f"{RUN.outputs}/{{{{study}}}}/{{file}}", file=RUN.files),
    log:
        f"{RUN.outputs}/{{study}}/logs/summary.log",
    params:
        max_failed_share=RUN.configuration.max_failed_share,
        code=lambda wildcards: RUN.code("summary", wildcards.study),
    script:
        "../scripts/summary.py"


rule tables:
    input:
        rules.summary.output[:-1] + [f"{RUN.folder}/studies/{{study}}.yaml"],
    output:
        report(
            directory(f"{RUN.outputs}/{{study}}/tables"),
            patterns=["{table}.csv"],
            caption="../report/table.rst",
            category="tables",
        ),
    log:
        f"{RUN.outputs}/{{study}}/logs/tables.log",
    params:
        code=lambda wildcards: RUN.code("tables", wildcards.study),
    script:
        "../scripts/tables.py"


rule figures:
    input:
        rules.summary.output[:-1] + [f"{RUN.folder}/studies/{{study}}.yaml"],
    output:
        report(
            directory(f"{RUN.figures}/{{study}}"),
            patterns=["{figure}.png"],
            caption="../report/figure.rst",
            category="figures",
        ),
    log:
        f"{RUN.outputs}/{{study}}/logs/figures.log",
    params:
        code=lambda wildcards: RUN.code("figures", wildcards.study),
    script:
        "../scripts/figures.py"


# Tables, claims and what fails: of a paper, or of a study that belongs to none.
rule paper:
    input:
        lambda wildcards: RUN.claims_of(wildcards.paper),
        lambda page: expand(rules.tables.output + rules.figures.output, study=RUN.shown(page.paper)),
    output:
        report(f"{RUN.pages}/{{paper}}.html", caption="../report/page.rst", category="pages"),
    log:
        f"{RUN.pages}/logs/{{paper}}.log",
    params:
        code=lambda wildcards: RUN.code("paper"),
    script:
        "../scripts/paper.py"


rule report:
    input:
        expand(rules.paper.output, paper=RUN.papers),
    output:
        report(f"{RUN.pages}/report.html", caption="../report/page.rst", category="pages"),
    log:
        f"{RUN.pages}/logs/report.log",
    params:
        code=lambda wildcards: RUN.code("report"),
    script:
        "../scripts/report.py"

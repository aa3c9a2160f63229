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
        report(directory(f"{RUN.outputs}/{{study}}/tables"), **RUN.in_report("tables")),
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
        report(directory(f"{RUN.figures}/{{study}}"), **RUN.in_report("figures")),
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
        report(f"{RUN.pages}/{{paper}}.html", **RUN.in_report("pages")),
    log:
        f"{RUN.pages}/logs/{{paper}}.log",
    params:
        code=lambda page: RUN.code("paper", paper=page.paper),
    script:
        "../scripts/paper.py"


# The front page, and what Snakemake's own report begins with.
rule report:
    input:
        expand(rules.paper.output, paper=RUN.papers),
    output:
        report(f"{RUN.pages}/report.html", **RUN.in_report("pages")),
        f"{RUN.pages}/report.rst",
    log:
        f"{RUN.pages}/logs/report.log",
    params:
        code=lambda wildcards: RUN.code("report"),
    script:
        "../scripts/report.py"

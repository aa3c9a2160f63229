# From the grid to rows: a block holds all methods on the data sets of one slice and some seeds.


# The joint distribution of discrete features, which several studies and settings draw from.
rule joint_law:
    output:
        f"{RUN.results / 'laws'}/{{law}}.json",
    log:
        f"{RUN.results / 'laws'}/{{law}}.log",
    priority: 1  # else the blocks that need it come last, one after the other
    params:
        specification=lambda wildcards: RUN.law(wildcards.law),
    script:
        "../scripts/joint_law.py"


# Never update(): after a failed attempt Snakemake would take the old file for the new one. The last
# whole file is kept as a hard link in kept/, from which rows of unchanged methods are taken.
rule block:
    input:
        laws=lambda wildcards: expand(rules.joint_law.output, law=RUN.block(wildcards).slice.laws),
    output:
        RUN.block_file("blocks", "parquet"),
    log:
        RUN.block_file("logs", "log"),
    benchmark:
        RUN.block_file("benchmarks", "tsv")
    retries: 1
    resources:
        mem_mb=lambda wildcards, attempt: attempt * RUN.study(wildcards.study).file.memory_megabytes,
        runtime=lambda wildcards, attempt: RUN.minutes_of(wildcards, attempt),
        seconds=RUN.seconds,
        reuse=int(RUN.configuration.reuse),
        attempt=lambda wildcards, attempt: attempt,
    params:  # settings, methods, versions: what changes it, computes the block again
        recipe=lambda wildcards: RUN.block(wildcards).recipe.to_dict(),
    script:
        "../scripts/block.py"

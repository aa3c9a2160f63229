"""Time of the workflow around the fits: start-up, DAG, aggregation, overhead.

    python benchmarks/engine.py start        seconds before the first seed of a block
    python benchmarks/engine.py dag          dry runs of 5,000 and 20,000 blocks
    python benchmarks/engine.py collect      10.5 million rows in 21,000 files, on made-up numbers
    python benchmarks/engine.py overhead     (wall x cores - compute) / (wall x cores)

Everything happens in a temporary folder. docs/scaling.md holds what it printed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

REPOSITORY = Path(__file__).resolve().parents[1]
SNAKEMAKE = Path(sys.executable).parent / "snakemake"
N_FEATURES = 10
SEEDS_PER_BLOCK = 125
METRICS = ("r2_test", "pr_auc", "auc")

STUDY = """
study: scale
title: as many blocks as asked
generator: {{name: normal-linear, correlation: identity, n_features: {n_features}}}
settings:
  n_samples: [100]
  noise_variance: [{values}]
learners:
  RF: {{learner: random-forest, n_estimators: 10}}
  losawRF: {{learner: losaw-forest, n_estimators: 10}}
importances: [mdi]
metrics: [{metrics}]
seeds: {{smoke: {seeds}, desk: {seeds}, paper: {seeds}}}
seed_blocks:
  - {{boundaries: [{boundary}]}}
seconds_per_seed:
  - {{seconds: 1.0}}
"""


def main() -> None:
    """Print the requested measurements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    measures = {"start": start, "dag": dag, "collect": collect, "overhead": overhead}
    parser.add_argument("measure", choices=measures)
    measures[parser.parse_args().measure]()


def write_project(folder: Path, n_settings: int, n_seeds: int, boundary: int) -> Path:
    """A project whose study has 2 x n_settings x n_seeds / boundary blocks."""
    (folder / "config" / "studies").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "studies" / "scale.yaml").write_text(
        STUDY.format(
            n_features=N_FEATURES,
            values=", ".join(f"{1 + index / 1000:.3f}" for index in range(n_settings)),
            metrics=", ".join(METRICS),
            seeds=n_seeds,
            boundary=boundary,
        )
    )
    configuration = folder / "config" / "config.yaml"
    configuration.write_text(f"studies: [scale]\nresults: {folder}/results\n")
    return configuration


def measured(command: list[str], folder: Path) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak megabytes of a command and its children."""
    # In a process of its own, whose only child it is.
    script = (
        "import json, resource, subprocess, sys, time; started = time.perf_counter();"
        " subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL); wall = time.perf_counter() - started;"
        " used = resource.getrusage(resource.RUSAGE_CHILDREN);"
        " print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))"
    )
    words = [sys.executable, "-c", script, *command]
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    wall, cpu, megabytes = json.loads(done.stdout)
    return wall, cpu, megabytes


def start(repeats: int = 9) -> None:
    """CPU seconds of a block of one seed, less the seed itself in a warm process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        configuration = write_project(folder, 1, 1, 1)
        session = read_session(configuration)
        for block in session.all_blocks:
            path = block.path
            command = [sys.executable, "-m", "losaw", "internal", "blocks", str(path)]
            command += ["--config", str(configuration)]
            runs = []
            for _ in range(repeats):
                path.unlink(missing_ok=True)
                runs.append(measured(command, folder)[:2])
            wall, cpu = (statistics.median(values) for values in zip(*runs, strict=True))
            print(f"{block.name.learner:8} block of one seed: {wall:.2f} s wall, {cpu:.2f} s CPU")


def read_session(configuration: Path):
    """The session of a project."""
    from losaw.study.design.request import Request
    from losaw.study.design.session import Session

    return Session(Request(configuration))


def dag() -> None:
    """Dry runs of the real Snakefile."""
    for n_blocks in (5_000, 20_000):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_project(folder, n_blocks // 20, 10 * SEEDS_PER_BLOCK, SEEDS_PER_BLOCK)
            command = [str(SNAKEMAKE), "--snakefile", str(REPOSITORY / "Snakefile")]
            command += ["--workflow-profile", str(REPOSITORY / "profiles" / "default")]
            command += ["--dry-run", "--quiet", "all"]
            wall, cpu, megabytes = measured(command, folder)
            print(f"{n_blocks} blocks: {wall:.1f} s wall, {cpu:.1f} s CPU, {megabytes:.0f} MB")


def collect(n_blocks: int = 21_000) -> None:
    """Write blocks of made-up numbers, then time `losaw report` on them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        configuration = write_project(folder, n_blocks // 20, 10 * SEEDS_PER_BLOCK, SEEDS_PER_BLOCK)
        session = read_session(configuration)
        started = time.perf_counter()
        n_rows = sum(write_made_up(block) for block in session.all_blocks)
        print(f"{n_blocks} blocks, {n_rows} rows written in {time.perf_counter() - started:.0f} s")
        sizes = [path.stat().st_size for path in session.results.rglob("*.parquet")]
        used = subprocess.run(
            ["du", "-sm", str(session.results)], capture_output=True, text=True, check=True
        )
        print(f"{sum(sizes) / 1e6:.0f} MB in files, {used.stdout.split()[0]} MB on disk")
        command = [sys.executable, "-m", "losaw", "report", "--config", str(configuration)]
        wall, cpu, megabytes = measured(command, folder)
        print(f"collect and draw: {wall:.1f} s wall, {cpu:.1f} s CPU, {megabytes:.0f} MB")
        for file in ("results.parquet", "scores.parquet", "summary.csv", "blocks.csv"):
            size = (session.results / "scale" / file).stat().st_size
            print(f"  {file}: {size / 1e6:.1f} MB")


def write_made_up(block) -> int:
    """A block of normal numbers in the shape of real ones; returns its number of rows."""
    from losaw.study.files.block_file import FOOTER_KEY
    from losaw.study.files.footer import footer_of
    from losaw.study.files.rows import BLOCK_SCHEMA
    from losaw.study.files.writing import write_table

    rng = np.random.default_rng(block.name.first)
    n_seeds, n_kinds = len(block.seeds), len(METRICS) + 1
    n_rows = n_seeds * n_kinds
    is_scores = np.arange(n_rows) % n_kinds == 0
    names = pa.array([f"X{index + 1}" for index in range(N_FEATURES)])

    def lists(values, kind):
        ends = np.concatenate([[0], np.cumsum(np.where(is_scores, len(values) // n_seeds, 0))])
        offsets = pa.array(ends, pa.int32(), mask=np.append(~is_scores, False))
        return pa.ListArray.from_arrays(offsets, values, type=kind)

    columns = {
        "study": pa.repeat(block.name.study, n_rows),
        "setting_id": pa.repeat(block.name.setting, n_rows),
        "learner": pa.repeat(block.name.learner, n_rows),
        "seed": pa.array(np.repeat(np.array(block.seeds), n_kinds), pa.int32()),
        "importance": pa.array(["mdi", "", "mdi", "mdi"] * n_seeds),
        "metric": pa.array(["scores", *METRICS] * n_seeds),
        "value": pa.array(rng.standard_normal(n_rows)),
        "status": pa.repeat("ok", n_rows),
        "message": pa.repeat("", n_rows),
        "features": lists(pa.concat_arrays([names] * n_seeds), BLOCK_SCHEMA.field("features").type),
        "scores": lists(
            pa.array(rng.standard_normal(n_seeds * N_FEATURES)), BLOCK_SCHEMA.field("scores").type
        ),
        "std_error": pa.nulls(n_rows, BLOCK_SCHEMA.field("std_error").type),
        "p_values": pa.nulls(n_rows, BLOCK_SCHEMA.field("p_values").type),
        "signal": lists(
            pa.array(np.tile([0, 1], n_seeds), pa.int32()), BLOCK_SCHEMA.field("signal").type
        ),
    }
    table = pa.table(columns, schema=BLOCK_SCHEMA)
    footer = json.dumps(footer_of(block, None), sort_keys=True)
    write_table(block.path, table.replace_schema_metadata({FOOTER_KEY: footer}))
    return n_rows


def overhead(n_settings: int = 8, n_seeds: int = 60) -> None:
    """Run blocks of real fits on all cores, with and without Snakemake."""
    cores = os.cpu_count() or 1
    for name in ("snakemake", "losaw run"):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            configuration = write_project(folder, n_settings, n_seeds, n_seeds)
            session = read_session(configuration)
            if name == "snakemake":
                command = [str(SNAKEMAKE), "--snakefile", str(REPOSITORY / "Snakefile")]
                command += ["--workflow-profile", str(REPOSITORY / "profiles" / "default")]
                command += ["--cores", str(cores), "--quiet", "all", "--"]
                command += [f"{session.results}/scale/comparison.csv"]
            else:
                command = [sys.executable, "-m", "losaw", "run", "--jobs", str(cores)]
                command += ["--config", str(configuration)]
            wall, cpu, _ = measured(command, folder)
            records = [json.loads(p.read_text()) for p in session.results.glob("*/runs/**/*.json")]
            compute = sum(sum(record["seconds"]) for record in records)
            share = 1 - compute / (wall * cores)
            print(
                f"{name}: {len(records)} blocks of {compute / len(records):.1f} s, {wall:.1f} s on "
                f"{cores} cores ({cpu:.1f} s CPU): overhead {share:.0%}"
            )


if __name__ == "__main__":
    main()

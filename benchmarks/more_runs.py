"""More runs for kept evidence: the seeds that reference/ lacks of what a study file asks.

    python benchmarks/more_runs.py losaw_forest [--minutes 60] [--cores 2] [--only discrete_5000]

The rows of a reference run are not in git, its means, deviations, counts and digests are. Where
the scale "reference" of a study file asks for more seeds of a setting and learner than are kept,
only the seeds above these are run: n and m runs with the means a and b, and sums of squares A and
B about them, have the mean (n a + m b) / (n + m) and the sum A + B + (a - b)^2 n m / (n + m). The
fewest new seeds come first; after each setting and learner the files hold what is finished. What
needs all runs at once is refused: other summaries than means, paired differences, a ranking. Kept
pictures stay those of the first runs. `losaw reference pages` compares the new means;
`losaw verify` computes the new lines again like all others.
"""

import argparse
import math
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from losaw.support.one_thread import use_one_thread

use_one_thread()  # as the commands of losaw, before any numerical library is loaded

import pandas as pd  # noqa: E402

from losaw.study.block.block_file import digest_of  # noqa: E402
from losaw.study.block.spent import cpu_seconds  # noqa: E402
from losaw.study.block.writing import write_csv  # noqa: E402
from losaw.study.errors import StudyError  # noqa: E402
from losaw.study.report.keeping import SEVEN_DIGITS  # noqa: E402
from losaw.study.report.page.stored import KEPT_RANKING, RUNS  # noqa: E402
from losaw.study.results.outputs import commit, machine  # noqa: E402
from losaw.study.session import Session  # noqa: E402
from losaw.study.stored_tables import read_stored  # noqa: E402
from losaw.study.verify import EVIDENCE, HEX_DIGITS, Line, compute_line, read_evidence  # noqa: E402

OF_ALL_RUNS = ("differences.csv", KEPT_RANKING)  # kept tables that no pooling gives
CONFIGURATION, REFERENCE = Path("config/config.yaml"), Path("reference")
NUMBER = ["importance", "metric"]


def missing_lines(session, study):
    """The line of seeds that each setting and learner lacks, those with the fewest first."""
    others = [label for label, taken in study.summaries.items() if taken != "mean"]
    others += [name for name in OF_ALL_RUNS if (REFERENCE / study.name / name).is_file()]
    if others:
        raise StudyError(
            f"{study.name}: {others[0]} needs all runs at once; run the study again with "
            "snakemake --config scale=reference, and keep it"
        )
    kept = pd.DataFrame(read_evidence(REFERENCE, [study.name]))
    lines = []
    for setting, learner, n_seeds in session.plan(study.name).cells:
        own = kept[(kept["setting"] == setting.identifier) & (kept["learner"] == learner)]
        n_kept = (own["last_seed"] - own["first_seed"] + 1).sum()
        if n_kept != own["last_seed"].max() + 1:
            raise StudyError(f"{study.name} {setting.identifier}: seeds from 0 on are not all kept")
        if n_kept < n_seeds:
            place = REFERENCE / study.name, setting.identifier, learner
            lines.append(Line(*place, int(n_kept), n_seeds - 1, ""))
    return sorted(lines, key=lambda line: line.last_seed - line.first_seed)


def computed(name, line):
    """The line with its digest; mean, deviation and count of its numbers; CPU seconds."""
    study = Session(CONFIGURATION, {"studies": name, "scale": "reference"}).study(name)
    start = cpu_seconds()
    table = compute_line(study, line)
    seconds = cpu_seconds() - start
    if "failed" in table["status"].to_pylist():
        raise StudyError(f"{line}: {next(filter(None, table['message'].to_pylist()))}")
    values = table.select([*NUMBER, "value"]).to_pandas().groupby(NUMBER)["value"]
    line = line._replace(rows_sha256=digest_of(table, {})[:HEX_DIGITS])
    return line, values.agg(["mean", "std", "count"]), seconds


def pooled(row, new):
    """A row of summary.csv with the runs of a new line."""
    n, m = row["n_seeds"], int(new["count"])
    gap = new["mean"] - row["mean"]
    squares = (n - 1) * row["sd"] ** 2 + (m - 1) * new["std"] ** 2 + gap**2 * n * m / (n + m)
    deviation = math.sqrt(squares / (n + m - 1))
    return {"n_seeds": n + m, "mean": row["mean"] + gap * m / (n + m), "sd": deviation}


def add(line, numbers, seconds):
    """Write a computed line into the files of the evidence."""
    path = line.folder / "summary.csv"
    summary = pd.read_csv(path, dtype=str, keep_default_na=False)  # other rows stay as they are
    is_own = (summary["setting_id"] == line.setting) & (summary["learner"] == line.learner)
    for index, row in summary[is_own].iterrows():
        kept = pd.to_numeric(row[["n_seeds", "mean", "sd"]]).fillna(0)  # one run has no deviation
        new = numbers.loc[tuple(row[NUMBER])].fillna(0)  # scores are no summary's
        if not new["count"]:  # a metric of other settings
            continue
        changed = pooled(kept, new)
        summary.loc[index, list(changed)] = [SEVEN_DIGITS % value for value in changed.values()]
    write_csv(path, summary)

    path = line.folder / "blocks.csv"
    blocks = read_stored(path, EVIDENCE)
    blocks.loc[len(blocks)] = line._asdict()
    write_csv(path, blocks)

    path = REFERENCE / RUNS
    runs = pd.read_csv(path, dtype=str, keep_default_na=False).set_index("study")
    run = runs.loc[line.folder.name].copy()
    last = blocks.groupby(["setting", "learner"])["last_seed"].max() + 1
    run["seeds"] = f"{last.min()} to {last.max()}" if last.min() < last.max() else str(last.min())
    run["fits"] = str(last.sum())
    run["core_hours"] = str(round(float(run["core_hours"]) + seconds / 3600, 4))
    run["commit"] = " ".join(dict.fromkeys([*run["commit"].split(), commit()]))
    run["machines"] = "; ".join(dict.fromkeys([*run["machines"].split("; "), machine()]))
    runs.loc[line.folder.name] = run
    write_csv(path, runs.reset_index())


def main():
    """Run what is missing, until it is there or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--only", default="", help="what the name of a setting must contain")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    session = Session(CONFIGURATION, {"studies": asked.study, "scale": "reference"})
    study = session.study(asked.study)
    lines = [line for line in missing_lines(session, study) if asked.only in line.setting]
    print(f"{len(lines)} settings and learners lack runs", flush=True)
    with ProcessPoolExecutor(asked.cores) as pool:
        waiting = {pool.submit(computed, study.name, line): line for line in lines}
        failed = []
        for done in as_completed(waiting):
            if done.cancelled():
                continue
            try:
                line, numbers, seconds = done.result()
            except Exception as error:  # the other lines are still computed, and kept
                failed.append(waiting[done])
                print(f"{waiting[done]}: {error}", flush=True)
            else:
                add(line, numbers, seconds)
                print(f"{line}: {seconds:.0f} s", flush=True)
            if time.monotonic() > end:  # what runs is still waited for, and kept
                for other in waiting:
                    other.cancel()
    if failed:
        raise SystemExit(f"{len(failed)} of {len(lines)} lines could not be computed")


if __name__ == "__main__":
    main()

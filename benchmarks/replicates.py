"""CPU seconds of replicates of a study, learner by learner: what `seconds_per_seed` states.

    python benchmarks/replicates.py cpi_figure3 weights=shuffled n_samples=300,1000 --seeds 2

As in a job, on one core, without compiling. The learners of a data set share its knockoffs: the
first one pays for them.
"""

import argparse
import os
import tempfile
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"

from losaw.study.design.request import Request, read_selection  # noqa: E402
from losaw.study.design.session import Session  # noqa: E402
from losaw.study.files.run_record import read_run_record  # noqa: E402
from losaw.study.running.runner import execute  # noqa: E402


def main() -> None:
    """Print the mean seconds and the peak memory of every block of a narrow grid."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("study")
    parser.add_argument("set", nargs="*", help="axis=values, as of --set")
    parser.add_argument("--seeds", type=int, default=2)
    asked = parser.parse_args()
    configuration = Path(__file__).parents[1] / "config" / "config.yaml"
    with tempfile.TemporaryDirectory() as folder:
        overrides = {"scale": "paper", "studies": [asked.study], "results": folder}
        request = Request(configuration, overrides, read_selection(asked.set), asked.seeds)
        blocks = Session(request).all_blocks
        execute(blocks, 1)
        for block in blocks:
            record = read_run_record(block.record_path)
            print(
                f"{block.name.setting:60}{block.name.learner:16}"
                f"{record.core_seconds / len(record.seconds):9.2f} s"
                f"{record.peak_megabytes:8.0f} MB{record.failed_seeds:4} failed"
            )


if __name__ == "__main__":
    main()

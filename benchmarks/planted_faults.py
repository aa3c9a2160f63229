"""How often faults that are planted in examples/paper are found by its verdicts.

    python benchmarks/planted_faults.py [--trials 20] [--config learner=linear]

A trial is the study with seeds of its own: 25 runs a setting, as printed. A fault is found if a
cell is beyond three errors, |z| > 3. One line a fault: trials with such a cell, the root mean
square of z, and how often each cell was beyond. All trials share one print: where it is far from
the truth by chance, none of them agrees. So without a fault, trials are also compared with one
another, each printed by the trial before it: that is how often the verdicts themselves err.
"""

import argparse
import shutil
import sys
import tempfile
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pandas as pd

from losaw.study.block.compute import compute
from losaw.study.registry import forget
from losaw.study.registry.plugins import PREFIX
from losaw.study.request.published import read_published
from losaw.study.results.collect import collect
from losaw.study.results.compare import compare, rms_z
from losaw.study.results.summary import summarise
from losaw.study.session import Session

EXAMPLE = Path(__file__).parents[1] / "examples" / "paper"
RUNS = 25
# Name -> the design that it is in, what stands in designs.py, and what takes its place.
FAULTS = {
    "none": ("correlated,mediated,confounded", "", ""),
    "a standard deviation for a variance": ("mediated", "normal(0.3)", "normal(0.3**2)"),
    "a wrong sign": ("confounded", "y = hidden + x1", "y = -hidden + x1"),
    "training rows for test rows": (
        "mediated",
        "return simulated(pd.DataFrame(X), y, n_train=2 * n // 3)",
        "data = simulated(pd.DataFrame(X), y, n_train=2 * n // 3)\n"
        "    return dataclasses.replace(data, test=data.train)",
    ),
}


OWN = "none, printed by the trial before"


def comparisons(fault: str, trials: int, config: dict[str, str]) -> dict[str, list[pd.DataFrame]]:
    """Return the comparison of each trial, of the designs of the fault, by what was printed."""
    design, old, new = FAULTS[fault]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(shutil.copytree(EXAMPLE / "config", Path(name) / "config")).parent
        text = (EXAMPLE / "designs.py").read_text()
        assert not old or text.count(old) == 1, old
        plugin = folder / "designs.py"
        plugin.write_text(("import dataclasses\n" + text.replace(old, new)) if old else text)
        given = {"plugins": str(plugin), "results": f"{name}/results", "design": design}
        given |= {**config, "seeds": RUNS * trials}
        session = Session(folder / "config" / "config.yaml", given)
        (plan,) = session.plans
        for block in plan.blocks.values():
            compute(block.recipe, block.path)
        whole = collect(plan)
        printed = read_published(plan.study, folder / "config" / "published")
        trial_of = whole.results["seed"] // RUNS
        parts = [replace(whole, results=whole.results[trial_of == i]) for i in range(trials)]
        summaries = [summarise(plan.study, part) for part in parts]
        found = {fault: [compare(plan.study, summary, printed) for summary in summaries]}
        if fault == "none":
            found[OWN] = [
                compare(plan.study, summary, _printed_by(before, printed))
                for before, summary in zip([summaries[-1], *summaries], summaries, strict=False)
            ]
    del sys.modules[f"{PREFIX}{plugin.stem}"]
    forget(PREFIX)
    return found


def _printed_by(summary: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return printed numbers with those of a summary in their place."""
    own = summary.rename(columns={"mean": "published", "sd": "published_sd"})
    keys = ["design", "metric", "method"]
    rest = printed.drop(columns=["published", "published_sd"])
    return rest.merge(own[[*keys, "published", "published_sd"]], on=keys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    parser.add_argument("--config", nargs="+", default=[], help="for example learner=linear")
    options = parser.parse_args()
    config = dict(pair.split("=") for pair in options.config)
    each = (comparisons(fault, options.trials, config).items() for fault in options.faults)
    for fault, found in chain.from_iterable(each):
        n_found = sum((cells["z"].abs() > 3).any() for cells in found)
        root = rms_z(pd.concat(found))
        far = pd.concat(found).query("abs(z) > 3")
        print(f"{fault}: found in {n_found} of {len(found)}, root mean square of z {root:.2f}")
        print(far.groupby(["design", "metric", "method"]).size().to_string(header=False))


if __name__ == "__main__":
    main()

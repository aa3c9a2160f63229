"""What the studies' ``seeds: reference:`` must say to decide what few core-hours decide.

    python benchmarks/undecided.py [--hours 20]

Of each study the lines to put before those that it has, in which the first that matches counts.
Chosen are the cheapest undecided values and claims of ``reference`` (its ``undecided.csv``), up to
so many core-hours together. Numbers of runs are rounded up to two digits: they are estimates.
"""

import argparse
from itertools import takewhile
from pathlib import Path

import numpy as np
import pandas as pd

from losaw.study.report.page.stored import Shelf
from losaw.study.report.undecided import core_hours, together


def seed_lines(study, summary, runs):
    """Lines of a study file for further runs; what differs in one axis shares a line."""
    kept, rows = summary.groupby(["setting_id", "learner"])["n_seeds"].max(), []
    for fit, n in runs.items():
        axes = study.setting(fit.setting).axes
        seeds = int(kept[fit.setting, fit.learner]) + n
        digit = 10 ** max(int(np.log10(seeds)) - 1, 0)
        rows.append({"seeds": -(-seeds // digit) * digit, "learner": fit.learner, **axes})
    lines = pd.DataFrame(rows)
    keys = {"learner": [*study.learners], **study.file.axes}
    lines[[*keys]] = lines[[*keys]].map(lambda value: (value,))
    for key in keys:
        others = [column for column in lines if column != key]
        lines = lines.groupby(others, sort=False)[key].sum().reset_index()
    for line in lines.sort_values("seeds", ascending=False).to_dict("records"):
        named = {key: [v for v in keys[key] if v in line[key]] for key in keys}
        words = [f"seeds: {line['seeds']}"]
        for key, values in named.items():
            if len(values) < len(keys[key]):
                shown = ", ".join(map(str, values))
                words.append(f"{key}: {shown if len(values) == 1 else f'[{shown}]'}")
        yield f"    - {{{', '.join(words)}}}"


def main():
    """Print the lines of each study, the cheapest first."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hours", type=float, default=20, help="core-hours, together")
    most = parser.parse_args().hours
    shelf = Shelf(Path("reference"), Path("config"))
    *_, runs = ({}, *takewhile(lambda runs: core_hours(runs) <= most, together(shelf.undecided)))
    by_study = {}
    for fit, n in runs.items():
        by_study.setdefault(fit.study, {})[fit] = n
    total = 0
    for name, own in sorted(by_study.items(), key=lambda pair: core_hours(pair[1])):
        total += core_hours(own)
        print(f"{name}: {core_hours(own):.2f} core-hours, {total:.2f} together")
        print("\n".join(seed_lines(shelf.studies[name], shelf.results[name].summary, own)))


if __name__ == "__main__":
    main()

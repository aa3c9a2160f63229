"""Lines of stored evidence, computed again.

A line is the digest of the rows of one study, setting, learner and range of seeds. It covers rows
alone, so that it holds whatever the layout of files, and says: these numbers came out at the
commit that the run names. Here they are computed by the source as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from losaw.study.block.block_file import digest_of
from losaw.study.block.compute import rows_of
from losaw.study.block.recipe import Recipe
from losaw.study.block.rows import table_of
from losaw.study.block.writing import write_csv
from losaw.study.datasets import DatasetError
from losaw.study.errors import StudyError, part_of
from losaw.study.request.checks import check_extras
from losaw.study.request.grid import Study
from losaw.study.results.outputs import commit
from losaw.study.results.summary import SUMMARY
from losaw.study.session import Session
from losaw.study.stored_tables import read_stored


class Line(NamedTuple):
    """One line of ``reference/<study>/blocks.csv``, with its columns."""

    folder: Path
    setting: str
    learner: str
    first_seed: int
    last_seed: int
    rows_sha256: str

    def __str__(self) -> str:
        seeds = f"seeds {self.first_seed} to {self.last_seed}"
        return f"{self.folder.name} {self.setting} {self.learner}, {seeds}"


HEX_DIGITS = 12  # of a digest: a line that differs looks equal once in 3e14
EVIDENCE = {name: kind for name, kind in Line.__annotations__.items() if name != "folder"}


def read_evidence(reference: Path, studies: Sequence[str] | None = None) -> list[Line]:
    """Return the lines of some studies of a reference run, or of all; refuse one without any."""
    folders = {path.parent.name: path.parent for path in sorted(reference.glob("*/blocks.csv"))}
    lines: list[Line] = []
    for name in dict.fromkeys(studies or folders):
        folder = part_of("study", name, folders, f"{reference}: ")
        table = read_stored(folder / "blocks.csv", EVIDENCE)[list(EVIDENCE)]
        for n, digest in enumerate(table["rows_sha256"], start=2):
            if len(digest) < HEX_DIGITS:  # of which nothing, or little, could differ
                raise StudyError(
                    f"{folder / 'blocks.csv'}, line {n}: rows_sha256 is {digest!r}; a digest has "
                    f"{HEX_DIGITS} digits. Restore the file, as from git"
                )
        lines += [Line(folder, **line) for line in table.to_dict("records")]
    if not lines:
        raise StudyError(f"{reference}: holds no line in a <study>/blocks.csv")
    return lines


def verify(
    lines: Sequence[Line],
    configuration: Path,
    number: int,
    seed: int = 0,
    record: bool = False,
) -> int:
    """Compute random lines again, say how each comes out; 1 if one differs or too few are computed.

    A line that cannot be computed here (data or a program that is not there) is named, and
    another one is drawn instead, while there is one. ``record`` writes the commit and the count of
    equal lines to each study's line of ``runs.csv``.
    """
    scales = {folder: _scale_of_run(folder) for folder in {line.folder for line in lines}}

    @cache
    def study_of(folder: Path) -> Study:  # at the scale of the stored run, which decides learners
        asked = {"studies": folder.name, "scale": scales[folder]}
        return Session(configuration, asked, trusted=True).study(folder.name)

    outcomes: dict[Path, list[bool]] = {}
    for index in np.random.default_rng(seed).permutation(len(lines)):
        if sum(map(len, outcomes.values())) == number:
            break
        line = lines[index]
        try:
            study = study_of(line.folder)
            table = compute_line(study, line)
        except (StudyError, DatasetError) as error:
            print(f"{line}: cannot be computed here: {error}", flush=True)
            continue
        is_equal = digest_of(table, {}).startswith(line.rows_sha256)
        outcomes.setdefault(line.folder, []).append(is_equal)
        others = [one for one in lines if one != line and one[:3] == line[:3]]
        more = f"differs; computing {len(others)} more lines of its setting and learner"
        print(f"{line}: {'equal' if is_equal else more}", flush=True)
        if not is_equal:
            whole = [table, *(compute_line(study, one) for one in others)]
            print(f"  {_difference(study, line, pa.concat_tables(whole))}", flush=True)
    if record:
        _record(outcomes)
    n_equal = sum(map(sum, outcomes.values()))
    n_asked = min(number, len(lines))
    print(f"{n_equal} of {n_asked} equal")
    return int(n_equal < n_asked)


def _scale_of_run(folder: Path) -> str:
    path = folder.parent / "runs.csv"
    scales = read_stored(path, {"study": str, "scale": str}).set_index("study")["scale"].to_dict()
    if folder.name not in scales:
        raise StudyError(f"{path}: a line of study {folder.name!r} must say the scale of its run")
    return str(scales[folder.name])


def _record(outcomes: Mapping[Path, Sequence[bool]]) -> None:
    """Write to ``runs.csv`` at which commit how many lines of a study were equal."""
    for folder, equal in outcomes.items():
        path = folder.parent / "runs.csv"
        runs = pd.read_csv(path, dtype=str, keep_default_na=False)
        is_study = runs["study"] == folder.name
        runs.loc[is_study, "verified_at"] = commit()
        runs.loc[is_study, "lines_equal"] = f"{sum(equal)} of {len(equal)}"
        write_csv(path, runs.fillna(""))


def compute_line(study: Study, line: Line) -> pa.Table:
    """Return the rows of a line, computed by the source as it is; refuse what there is no more."""
    setting = study.setting(line.setting)
    part_of("learner", line.learner, study.learners)
    reason = study.left_out.get(line.learner)
    if reason:
        raise StudyError(reason)
    check_extras(study, [line.learner])
    seeds = [line.first_seed, line.last_seed]
    recipe = replace(Recipe.of(study, [(setting, line.learner)]), seeds=seeds)
    rows = rows_of(recipe, [line.learner], {})[setting.identifier, line.learner]
    return table_of(study.name, setting.identifier, line.learner, rows)


def _difference(study: Study, line: Line, table: pa.Table) -> str:
    """Say why fits failed, or whether the means of a setting and learner are the stored ones.

    Of a line alone no means are stored: the table has the rows of all lines of its setting and
    learner, so that the same seeds are compared.
    """
    if "failed" in table["status"].to_pylist():
        return str(next(filter(None, table["message"].to_pylist())))
    number = ["importance", "metric"]
    summary = read_stored(line.folder / "summary.csv", SUMMARY)
    is_of_line = (summary["setting_id"] == line.setting) & (summary["learner"] == line.learner)
    of_means = [label for label, summary in study.summaries.items() if summary == "mean"]
    stored = summary[is_of_line & summary["metric"].isin(of_means)].set_index(number)
    if stored.empty:
        return "no mean is stored to compare with: by how much rows differ is not known"
    values = table.select([*number, "value"]).to_pandas().groupby(number)["value"]
    means, n = values.mean().reindex(stored.index), values.count().reindex(stored.index)
    gap = (means - stored["mean"]).abs() / stored["mean"].abs()
    gap[n != stored["n_seeds"]] = np.inf
    if not (gap > 1e-6).any():  # seven digits are stored
        return "in last bits: the means of all seeds are the stored ones to seven digits"
    (importance, metric), worst = gap.idxmax(), gap.argmax()
    then = stored.iloc[worst]
    return (
        f"the mean of {f'{metric} {importance}'.strip()} over {n.iloc[worst]} seeds is "
        f"{means.iloc[worst]:.7g}, the stored one over {then['n_seeds']} is {then['mean']:.7g}"
    )

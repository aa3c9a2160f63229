"""The part of the scatter of single runs that lies between draws of X."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from losaw.study.design.grid import Study
from losaw.study.errors import StudyError
from losaw.study.files.output_digests import DRAWS, altered
from losaw.study.results.collect import Collection

NUMBERS = ("metric", "method", "between_draws", "degrees_between", "degrees_within")


def measure_draws(study: Study, collection: Collection) -> pd.DataFrame:
    r"""The share of variance between draws, by metric and method.

    The study's runs note which draw of X they rest on. With MS the mean squares of a one-way
    analysis of variance, its sums taken over all settings that agree in the axes of
    ``draws.by``, and n0 the number of runs of a draw,

    .. math:: b = \frac{\sigma_b^2}{\sigma_b^2 + MS_{within}},
              \quad \sigma_b^2 = \max(0, (MS_{between} - MS_{within}) / n_0).

    Returns
    -------
    DataFrame
        The axes of ``draws.by``, ``metric``, ``method``, ``between_draws`` (b) and the degrees of
        freedom between and within. A later learner minus the first, on the same data, is a method
        of its own: ``losawRF - RF``.
    """
    assert study.file.draws is not None
    by, noted = study.file.draws.by, study.file.draws.metric
    values = collection.results[collection.results["status"] == "ok"]
    values = values.merge(collection.settings, on="setting_id", how="left")
    keys = ["setting_id", "learner", "seed"]
    draws = values[values["metric"] == noted].drop_duplicates(keys).set_index(keys)["value"]
    measured = values[values["metric"].astype(str).isin(study.file.margins)]
    measured = measured.join(draws.rename("draw"), on=keys).dropna(subset=["draw", "value"])
    rows = []
    for method, frame in _methods(study, measured):
        for key, part in frame.groupby([*by, "metric"], sort=False, observed=True):
            between, of_between, of_within = share_between(part)
            rows.append((*key[:-1], key[-1], method, between, of_between, of_within))
    return pd.DataFrame(rows, columns=[*by, *NUMBERS])


def share_between(runs: pd.DataFrame) -> tuple[float, int, int]:
    """Return the share b of the variance between draws, and both degrees of freedom.

    b is NaN where no draw has two runs, or there is a single draw.
    """
    between = within = of_between = of_within = spread = 0.0
    for _, cell in runs.groupby("setting_id", sort=False, observed=True):
        groups = cell.groupby("draw")["value"].agg(["count", "mean", "var"])
        counts = groups["count"].to_numpy(dtype=float)
        total = counts.sum()
        centre = cell["value"].mean()
        between += float(counts @ (groups["mean"].to_numpy() - centre) ** 2)
        within += float((counts - 1) @ np.nan_to_num(groups["var"].to_numpy()))
        of_between += len(groups) - 1
        of_within += total - len(groups)
        spread += total - (counts**2).sum() / total
    if not of_between or not of_within:
        return np.nan, int(of_between), int(of_within)
    mean_within = within / of_within
    n0 = spread / of_between
    component = max(0.0, (between / of_between - mean_within) / n0)
    whole = component + mean_within
    return (component / whole if whole else np.nan), int(of_between), int(of_within)


def _methods(study: Study, measured: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every method with its runs, then every later learner minus the first."""
    named = measured.assign(
        method=[
            study.method_name(learner, importance)
            for learner, importance in zip(measured["learner"], measured["importance"], strict=True)
        ]
    )
    yield from ((str(name), frame) for name, frame in named.groupby("method", sort=False))
    first, *others = study.learners
    keys = [c for c in measured.columns if c not in ("learner", "value", "message", "status")]
    of_first = measured[measured["learner"] == first]
    for other in others:
        both = measured[measured["learner"] == other].merge(of_first, on=keys, suffixes=("", "_1"))
        yield difference_name(other, first), both.assign(value=both["value"] - both["value_1"])


def difference_name(learner: str, minus: str) -> str:
    """The method that a paired difference stands for."""
    return f"{learner} - {minus}"


def read_draws(study: Study, results: Path, is_checked: bool = True) -> pd.DataFrame:
    """Read the shares that the study under ``between_draws`` has measured, if it was run.

    Parameters
    ----------
    study : Study
    results : Path
    is_checked : bool, default True
        Check the file against its digest; a reference run has none.

    Returns
    -------
    DataFrame
        The axes that it was measured by, ``metric``, ``method`` and the share ``between_draws``,
        where there is one. Without a measured share all variance is taken to lie between draws,
        which it cannot exceed: the published value is then as uncertain as a single run, and such
        a cell seldom decided.

    Raises
    ------
    StudyError
        If the file is not the one that was written.
    """
    name = study.file.between_draws
    path = None if name is None else results / name / DRAWS
    if path is None or not path.is_file():
        return pd.DataFrame(columns=list(NUMBERS[:3]))
    try:
        for file, problem in altered(results, str(name), [path]) if is_checked else ():
            raise StudyError(f"{file}: {problem}")
        measured = pd.read_csv(path).dropna(subset=["between_draws"])
        return measured.drop(columns=list(NUMBERS[3:]))
    except (StudyError, OSError, ValueError, KeyError) as error:
        reason = str(error).removeprefix(f"{path}: ")
        raise StudyError(f"{path}: {reason}; `losaw report --study {name}` writes it") from None

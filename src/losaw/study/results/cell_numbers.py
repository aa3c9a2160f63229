"""The numbers of one cell of a published table: ours, print's, and what they say together."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.results.agreement import (
    UNDECIDED,
    Kind,
    Printed,
    Runs,
    seeds_to_decide,
    verdict,
    weigh,
)

NUMBER_COLUMNS = (
    "published",
    "reproduced",
    "mc_se",
    "n_seeds",
    "z",
    "low",
    "high",
    "margin",
    "detectable",
    "seeds_needed",
    "verdict",
)
# Of single runs, where a paper prints it: two more columns of the comparison.
SD_COLUMNS = ("published_sd", "reproduced_sd")


def printed_cell(row: Mapping[str, Any]) -> Printed:
    """A row of the printed numbers as the verdict needs it."""
    draws = row.get("published_draws")
    return Printed(
        float(row["published"]),
        int(row["decimals"]),
        float(row["published_runs"]),
        None if draws is None or pd.isna(draws) else float(draws),
    )


def numbers_of_cell(
    reproduction: Any, print_row: Mapping[str, Any] | None, kind: Kind | None, margin: float
) -> dict[str, Any]:
    """The numbers of one cell, and the verdict.

    Parameters
    ----------
    reproduction : named tuple or None
        Its row of the summary.
    print_row : dict or None
        Its row of the printed numbers.
    kind : Kind or None
        What the cells of its metric and method have in common.
    margin : float
        Of its metric.
    """
    reproduced = float(reproduction.mean) if reproduction else np.nan
    evidence, needed = None, np.nan
    if reproduction and print_row and kind:
        cell = (
            Runs(reproduced, float(reproduction.sd), int(reproduction.n_seeds)),
            printed_cell(print_row),
            kind,
        )
        evidence = weigh(*cell)
    said = verdict(evidence, margin, bool(print_row), bool(np.isfinite(reproduced)))
    if said == UNDECIDED:
        needed = seeds_to_decide(*cell, margin)
    return {
        "published": float(print_row["published"]) if print_row else np.nan,
        "reproduced": reproduced,
        "mc_se": float(reproduction.mc_se) if reproduction else np.nan,
        "n_seeds": int(reproduction.n_seeds) if reproduction else 0,
        "z": evidence.z if evidence else np.nan,
        "low": evidence.low if evidence else np.nan,
        "high": evidence.high if evidence else np.nan,
        "margin": margin if print_row else np.nan,
        "detectable": evidence.detectable if evidence else np.nan,
        "seeds_needed": needed,
        "verdict": said,
        "published_sd": float((print_row or {}).get("published_sd", np.nan)),
        "reproduced_sd": float(reproduction.sd) if reproduction else np.nan,
    }

"""The numbers of one cell of a published table: ours, the published ones and the evidence."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from losaw.study.results.agreement import (
    UNDECIDABLE,
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
    "noted",
)
# Of single runs, where a paper gives it: two more columns of the comparison.
SD_COLUMNS = ("published_sd", "reproduced_sd")


def printed_cell(row: Mapping[str, Any]) -> Printed:
    """Return a row of the published numbers as the verdict needs it."""
    return Printed(
        float(row["published"]),
        int(row["decimals"]),
        float(row["published_runs"]),
        _optional(row.get("published_draws")),
        _optional(row.get("published_sd")),
        _optional(row.get("setting_sd")) or 0.0,
    )


def _optional(value: Any) -> float | None:
    return None if value is None or pd.isna(value) else float(value)


def numbers_of_cell(
    reproduction: Any,
    print_row: Mapping[str, Any] | None,
    kind: Kind | None,
    margin: float,
    noted: str = "",
) -> dict[str, Any]:
    """Return the numbers of one cell, and the verdict.

    Parameters
    ----------
    reproduction : named tuple or None
        Its row of the summary.
    print_row : dict or None
        Its row of the published numbers.
    kind : Kind or None
        Of the cells of its metric, method and kind of data.
    margin : float
        Of its metric.
    noted : str
        What is known of the cell.
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
        said = UNDECIDABLE if np.isinf(needed) else said
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
        "noted": noted,
        "published_sd": float((print_row or {}).get("published_sd", np.nan)),
        "reproduced_sd": float(reproduction.sd) if reproduction else np.nan,
    }

"""The last line of a run: the published values that were compared, and the report's path."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from losaw.study.design.plan import StudyPlan
from losaw.study.results.tally import VERDICTS, counted


def describe_end(plans: Sequence[StudyPlan]) -> str:
    """Number of studies and of published values, by verdict; the report's path."""
    verdicts: Counter[str] = Counter()
    for plan in plans:
        comparison = pd.read_csv(plan.folder / "comparison.csv", keep_default_na=True)
        verdicts.update(counted(plan.study, comparison)["verdict"])
    counts = ", ".join(f"{verdicts[word]} {word}" for word in VERDICTS if verdicts[word])
    return (
        f"losaw: {len(plans)} {'study' if len(plans) == 1 else 'studies'}, "
        f"{verdicts.total()} published values compared{counts and f' ({counts})'}: "
        f"{plans[0].results / 'report.html'}"
    )

"""The last line of a run: what was compared with print, and where the report is."""

import csv
from collections import Counter
from collections.abc import Sequence

from losaw.study.design.plan import StudyPlan
from losaw.study.results.agreement import NOT_PRINTED, NOT_RUN


def describe_end(plans: Sequence[StudyPlan]) -> str:
    """Number of studies and of cells beside a printed number, by verdict; the report's path."""
    verdicts: Counter[str] = Counter()
    for plan in plans:
        with (plan.folder / "comparison.csv").open(newline="", encoding="utf-8") as file:
            verdicts.update(line["verdict"] for line in csv.DictReader(file))
    judged = {k: n for k, n in verdicts.most_common() if k not in (NOT_PRINTED, NOT_RUN)}
    counts = ", ".join(f"{number} {verdict}" for verdict, number in judged.items())
    return (
        f"losaw: {len(plans)} {'study' if len(plans) == 1 else 'studies'}, {sum(judged.values())} "
        f"cells beside a printed number{counts and f' ({counts})'}: "
        f"{plans[0].results / 'report.html'}"
    )

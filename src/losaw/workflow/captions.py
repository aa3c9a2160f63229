"""The content of ``snakemake --report``: tables and figures of studies and our page."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# Captions lie in workflow/report; Snakemake reads the path from where the rule stands.
SHOWN = {".png": "figure", ".csv": "table", ".html": "page"}


def captioned(report: Callable[..., Any], study: str, files: Sequence[str]) -> list[Any]:
    """The outputs of a rule, those that a report shows with caption, category and labels.

    Parameters
    ----------
    report : callable
        Snakemake's, as a rule has it: it marks an output with its caption.
    study : str
        A study's name, or ``"all"``.
    files : sequence of str
        All outputs; the others pass as they are.
    """

    def marked(file: str) -> Any:
        kind = SHOWN.get(Path(file).suffix)
        if kind is None:
            return file
        labels = {"study": study, kind: Path(file).stem.replace("_", " ")}
        caption = f"../report/{kind}.rst"
        return report(file, caption=caption, category=f"{kind}s", labels=labels)

    return [marked(file) for file in files]

"""The measured parts of the README: the cost of the main study, and Table 2 next to the paper's.

``python docs/front_page.py`` writes them from `losaw plan` and from the stored reference run,
between the README's markers. A test compares them with what would be written now.
"""

import re
from pathlib import Path

import pandas as pd

from losaw.report.typeset import number
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.running.estimate import estimate

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
TABLE = ROOT / "reference" / "losaw_forest" / "comparison.csv"
STUDY = "losaw_forest"
N_SAMPLES, METRICS, METHODS = 500, {"r2_ind": "R²_ind", "pr_auc": "pr-AUC"}, ("RF", "losawRF")
PLURAL = {"agrees": "agree", "differs": "differ", "deviates": "deviate"}


def cost() -> str:
    """Return the size and the cost of the main study at two scales, as `losaw plan` has them."""
    whole = _cost_of({})
    part = _cost_of({"n_features": (100,), "phi": (0.1,)})
    return f"{whole} (`losaw plan`). Tables 2 and 3 are {part}."


def _cost_of(selection: dict[str, tuple[float, ...]]) -> str:
    words = []
    for scale in ("desk", "paper"):
        overrides = {"studies": [STUDY], "scale": scale, "results": "none"}
        request = Request(ROOT / "config" / "config.yaml", overrides, selection)
        (plan,) = Session(request).plans
        found = estimate(plan)
        hours = found.core_hours
        time = f"{number(hours, 1)} core-hours" if hours > 1 else f"{60 * hours:.0f} core-minutes"
        words.append(f"{found.n_fits:,} fits in {time} at `scale={scale}`")
    return f"{found.n_settings} settings: {', '.join(words)}"


def table_2() -> str:
    """Return the small samples of Table 2, published → ours, and the verdicts of all its cells."""
    cells = pd.read_csv(TABLE)
    cells = cells[cells["table"] == "Table 2"]
    counts = cells["verdict"].value_counts()
    shown = cells[cells["n_samples"] == N_SAMPLES].set_index(["function", "metric", "method"])
    heads = [f"{label}, {method}" for label in METRICS.values() for method in METHODS]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for function in shown.index.unique("function"):
        texts = [_cell(shown.loc[(function, m, method)]) for m in METRICS for method in METHODS]
        lines.append(f"| {function} | {' | '.join(texts)} |")
    verdicts = ", ".join(f"{count} {PLURAL.get(word, word)}" for word, count in counts.items())
    n_seeds = shown["n_seeds"].min()
    return "\n".join(
        [
            *lines,
            "",
            f"*Published → ours (Monte Carlo standard error), {n_seeds} seeds, N = {N_SAMPLES}. "
            f"R²_ind: R² on independent features. pr-AUC: 1 if all signals rank before the noise. "
            f"Of all {len(cells)} cells of the table: {verdicts}.*",
        ]
    )


def _cell(cell: pd.Series) -> str:
    published, ours = number(cell["published"], 3), number(cell["reproduced"], 3)
    return f"{published} → {ours} ({number(cell['mc_se'], 3)})"


def with_parts(text: str) -> str:
    """Return the README with its measured parts as they would be written now."""
    for name, part in (("cost", cost()), ("table 2", table_2())):
        block = f"<!-- {name} -->\n{part}\n<!-- end -->"
        text, n_found = re.subn(rf"<!-- {name} -->\n(?:(?!<!--).*\n)*<!-- end -->", block, text)
        if n_found != 1:
            raise SystemExit(
                f"README.md: one part between <!-- {name} --> and <!-- end --> is needed"
            )
    return text


if __name__ == "__main__":
    README.write_text(with_parts(README.read_text(encoding="utf-8")), encoding="utf-8")
    print("wrote README.md")

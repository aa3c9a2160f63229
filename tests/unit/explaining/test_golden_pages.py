"""Three pages as they are to read: their words are kept in golden files.

A page that is meant to read otherwise: run this file as a script, and read the difference.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import losaw
from reference.explaining_tables import copies

HERE = Path(__file__).parent / "golden"
QUICK = {"folds": 4, "draws": 1, "permutations": 2, "budget": None, "methods": "pfi,cpi,loco"}


def regression():
    frame = copies(300).rename(columns={"X1": "size", "X2": "rooms", "X3": "age"})
    return losaw.explain(frame.assign(number=range(300)), "y", **QUICK)


def classification():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(40), 6)
    frame = pd.DataFrame({"patient": [f"p{i}" for i in who], "age": rng.standard_normal(40)[who]})
    frame["dose"], frame["town"] = rng.standard_normal(240), rng.choice(["Graz", "Linz"], 240)
    frame.loc[::9, "dose"] = np.nan
    frame["ill"] = np.where(frame["dose"].fillna(0.0) + 0.5 * rng.standard_normal(240) > 0, 1, 0)
    return losaw.explain(frame, "ill", cluster="patient", **QUICK)


def undecided():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((120, 4)), columns=["a", "b", "c", "y"])
    return losaw.explain(frame, "y", **QUICK)


def words(found):
    """The text of a page, without its drawings and with numbers to one digit."""
    text = re.sub(
        r'<div style="max.*?</div>|<svg.*?</svg>', "", found._repr_html_(), flags=re.DOTALL
    )
    text = re.sub(r"<[^>]+>", " ", text)
    text = re.sub(r"losaw \d+\.\d+\.\d+", "losaw", text)
    text = re.sub(r"[−-]?\d*\.\d+", "#", text)
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n")))) + "\n"


PAGES = {f.__name__: f for f in (regression, classification, undecided)}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_as_it_is_kept(name):
    assert words(PAGES[name]()) == (HERE / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        (HERE / f"{name}.txt").write_text(words(make()), encoding="utf-8")

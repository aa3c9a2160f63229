"""Does an audit recommend the right method? Six distributions whose causes are known (an hour).

    python benchmarks/audits.py [--causes 3] [--fresh 20]

Of each distribution, three draws of the causes are made: a third of the columns at random, each
with a linear effect of either sign; and one in which X1 and X2 are the causes, which all other
columns follow. One table of 200 rows is audited for each. The recommended method's mean pr-AUC on
fresh tables with the same causes is compared with the best method's: the best of one half of the
fresh tables, measured on the other half, and the other way round. Chosen and measured on the same
tables, it would be too good by chance.
"""

import argparse
import os
import sys
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[_variable] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.metrics import average_precision_score  # noqa: E402

import losaw  # noqa: E402
from reference.conditional_tables import table  # noqa: E402

SIX = ("normal AR(.9)", "t(3)", "log-normal", "75 % zeros", "30 levels", "mixed")
OPTIONS = {"methods": "mdi,ufi,losaw,pfi,cpi", "folds": 5, "draws": 1, "permutations": 2}
ROWS = 200


def main() -> None:
    """Print a line for every distribution and draw of the causes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--causes", type=int, default=3, help="random draws of causes (default 3)")
    parser.add_argument("--fresh", type=int, default=20, help="fresh tables (default 20)")
    asked = parser.parse_args()
    rows = []
    for causes in [*range(asked.causes), None]:
        for name in SIX:
            audit = losaw.audit(draw(name, causes, 0)[0], "y", budget=None, **OPTIONS)
            tables = [draw(name, causes, 1 + i) for i in range(asked.fresh)]
            fresh = pd.DataFrame([areas(*table, i) for i, table in enumerate(tables)])
            recommended = audit.trusted[0]
            behind = best_of_the_other_half(fresh) - fresh[recommended]
            rows.append(
                {"distribution": name, "causes": "X1, X2" if causes is None else "random"}
                | {"share": audit.share, "recommended": recommended}
                | {"behind": behind.mean(), "error": behind.sem()}
                | fresh.mean().to_dict()
            )
            print(pd.DataFrame(rows[-1:]).to_string(index=False, float_format="{:.3f}".format))
    print(pd.DataFrame(rows).groupby("causes")["behind"].agg(["mean", "sem"]))


def best_of_the_other_half(fresh: pd.DataFrame) -> pd.Series:
    """On every table, the area of the method that is best on the half that it is not in."""
    half = fresh.index % 2
    best = {k: fresh[half != k].mean().idxmax() for k in (0, 1)}
    return pd.Series([fresh.loc[i, best[i % 2]] for i in fresh.index], fresh.index)


def draw(name: str, causes_seed: int | None, seed: int) -> tuple[pd.DataFrame, list[str]]:
    """A table and its causes; F1 to F4 follow X1 and X2.

    Of a column of levels the mean of X1 is the effect.
    """
    rng = np.random.default_rng([seed, 13])
    X, kinds, _ = table(name, ROWS, rng)
    terms = {f"X{j + 1}": X[:, j] for j in range(X.shape[1])}
    for j in range(4):
        terms[f"F{j + 1}"] = X[:, j % 2] / X[:, j % 2].std() + 0.7 * rng.standard_normal(ROWS)
    frame = pd.DataFrame(terms)
    for column, kind in zip(terms, kinds, strict=False):
        if kind == "nominal":
            terms[column] = frame["X1"].groupby(frame[column]).transform("mean").to_numpy()
            frame[column] = pd.Categorical(frame[column].astype(int).astype(str))
    causes, signs = ["X1", "X2"], [1, 1]
    if causes_seed is not None:
        choose = np.random.default_rng([causes_seed, 11])
        causes = [str(c) for c in choose.choice(frame.columns, len(terms) // 3, replace=False)]
        signs = choose.choice((-1, 1), len(causes)).tolist()
    effects = [
        sign * terms[cause] / terms[cause].std() for sign, cause in zip(signs, causes, strict=True)
    ]
    return frame.assign(y=sum(effects) + 1.5 * rng.standard_normal(ROWS)), causes


def areas(frame: pd.DataFrame, causes: list[str], seed: int) -> dict[str, float]:
    """Area under the precision-recall curve of every method's scores."""
    found = losaw.explain(frame, "y", budget=None, random_state=seed, **OPTIONS)
    return {
        method: average_precision_score(np.isin(result.feature_names, causes), result.scores)
        for method, result in found.results.items()
    }


if __name__ == "__main__":
    main()

"""Does an audit recommend the right method? Six distributions whose causes are known (15 minutes).

    python benchmarks/audits.py [--fresh 20]

Of each distribution one table of 200 rows is audited, and the recommended method's mean pr-AUC on
fresh tables is compared with the best method's there, which is chosen on the same tables and so a
little too good. The causes are a third of the columns at random, each with a linear effect; then
always X1 and X2, which all other columns follow.
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
    """Print a line for every distribution and kind of causes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", type=int, default=20, help="fresh tables (default 20)")
    n_fresh = parser.parse_args().fresh
    rows = []
    for at_random in (True, False):
        for name in SIX:
            frame, _ = draw(name, at_random, 0)
            audit = losaw.audit(frame, "y", budget=None, rounds=20, **OPTIONS)
            fresh = [areas(*draw(name, at_random, 1 + i), i) for i in range(n_fresh)]
            means = pd.DataFrame(fresh).mean()
            recommended = audit.trusted[0]
            rows.append(
                {"distribution": name, "causes": "random" if at_random else "X1, X2"}
                | {"recommended": recommended, "behind": means.max() - means[recommended]}
                | means.to_dict()
            )
            print(pd.DataFrame(rows[-1:]).to_string(index=False, float_format="{:.3f}".format))
    print(pd.DataFrame(rows).groupby("causes")["behind"].mean())


def draw(name: str, at_random: bool, seed: int) -> tuple[pd.DataFrame, list[str]]:
    """A table and its causes; F1 to F4 follow X1 and X2.

    Of a column of levels the mean of X1 is the effect.
    """
    rng = np.random.default_rng([seed, 11])
    X, kinds, _ = table(name, ROWS, rng)
    terms = {f"X{j + 1}": X[:, j] for j in range(X.shape[1])}
    for j in range(4):
        terms[f"F{j + 1}"] = X[:, j % 2] / X[:, j % 2].std() + 0.7 * rng.standard_normal(ROWS)
    frame = pd.DataFrame(terms)
    for column, kind in zip(terms, kinds, strict=False):
        if kind == "nominal":
            terms[column] = frame["X1"].groupby(frame[column]).transform("mean").to_numpy()
            frame[column] = pd.Categorical(frame[column].astype(int).astype(str))
    causes = ["X1", "X2"]
    if at_random:
        causes = [str(c) for c in rng.choice(frame.columns, len(terms) // 3, replace=False)]
    effects = [rng.choice((-1, 1)) * terms[cause] / terms[cause].std() for cause in causes]
    return frame.assign(y=sum(effects) + 1.5 * rng.standard_normal(ROWS)), causes


def areas(frame: pd.DataFrame, causes: list[str], seed: int) -> dict[str, float]:
    """Area under the precision-recall curve of every method's scores."""
    found = losaw.explain(frame, "y", budget=None, random_state=seed, **OPTIONS)
    is_cause = [name in causes for name in found.names]
    return {
        method: average_precision_score(is_cause, result.scores)
        for method, result in found.results.items()
    }


if __name__ == "__main__":
    main()

"""True and false statements of explain on tables whose causes are known.

    python benchmarks/planted.py --budget 50s --seeds 2 [--kinds lines,noise] [--rows 300,600]
    python benchmarks/planted.py --kinds large --rows 20000 --features 30 --budget 50s

A selected feature is true if it is a cause, a statement on a group if it contains one. Beside it
stands scikit-learn's permutation importance of a forest, on a third of the rows: a feature is named
if its mean is above two standard deviations of its permutations. A line of JSON per table, and a
line of sums.
"""

import argparse
import json
import time

import numpy as np
import pandas as pd

import losaw

CAUSES = {"noise": 0, "large": 6}


def planted(kind, n_rows, n_features, seed):
    """A table of one kind, and its causes: the first columns."""
    rng = np.random.default_rng([seed, sorted(KINDS).index(kind), n_rows])
    X = rng.standard_normal((n_rows, n_features))
    n_causes = CAUSES.get(kind, 3)
    if kind == "blocks":  # each cause with two correlated companions
        for j in range(n_features):
            X[:, j] = 0.75 * X[:, j % 3] + 0.66 * X[:, j] if j >= 3 and j < 9 else X[:, j]
    elif kind == "copies":
        X[:, -1] = X[:, 0] + 0.1 * rng.standard_normal(n_rows)
    elif kind == "tails":
        X = rng.standard_t(2.5, (n_rows, n_features))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_features)])
    terms = [X[:, 0], np.sign(X[:, 1]), (np.abs(X[:, 2]) < 0.7) * 2.0, X[:, 3], X[:, 4], X[:, 5]]
    if kind == "factors":
        for j in range(0, n_features, 2):
            frame[f"x{j}"] = np.array(list("abcd"))[rng.integers(4, size=n_rows)]
        effect = {"a": -1.0, "b": 0.0, "c": 0.5, "d": 1.2}
        terms[0], terms[2] = (frame[f"x{j}"].map(effect).to_numpy() for j in (0, 2))
    if kind == "products":
        terms[1] = 1.5 * X[:, 0] * X[:, 1]
    f = sum(terms[:n_causes]) if n_causes else np.zeros(n_rows)
    y = f + rng.standard_normal(n_rows) * (1.2 * np.std(f) or 1.0)
    frame["y"] = np.array(["no", "yes"])[(y > np.median(y)).astype(int)] if kind == "classes" else y
    return frame, {f"x{j}" for j in range(n_causes)}


KINDS = ("lines", "blocks", "copies", "tails", "factors", "products", "classes", "noise", "large")


def permuted(frame, seed):
    """The features that scikit-learn's permutation importance names."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.inspection import permutation_importance

    X = pd.get_dummies(frame.drop(columns="y"), dtype=float)
    is_text = frame["y"].dtype.kind == "O" or not pd.api.types.is_numeric_dtype(frame["y"])
    held = np.random.default_rng(seed).random(len(X)) < 1 / 3
    forest = (RandomForestClassifier if is_text else RandomForestRegressor)(random_state=seed)
    forest.fit(X[~held], frame["y"][~held])
    found = permutation_importance(
        forest, X[held], frame["y"][held], n_repeats=10, random_state=seed
    )
    named = X.columns[found.importances_mean > 2 * found.importances_std]
    return {name.split("_")[0] for name in named}


def judged(kind, n_rows, n_features, seed, budget):
    """The counts of one table."""
    frame, causes = planted(kind, n_rows, n_features, seed)
    start = time.perf_counter()
    found = losaw.explain(frame, "y", budget=budget, random_state=seed)
    seconds = time.perf_counter() - start
    groups = [group for group in found.decision.stated if len(group) > 1]
    theirs = permuted(frame, seed)
    return {
        "kind": kind, "rows": n_rows, "features": n_features, "seed": seed, "causes": len(causes),
        "true": len(causes & {*found.selected}), "false": len({*found.selected} - causes),
        "true_groups": sum(bool({*group} & causes) for group in groups),
        "false_groups": sum(not {*group} & causes for group in groups),
        "true_permutation": len(causes & theirs), "false_permutation": len(theirs - causes),
        "used_rows": found.design.rows, "seconds": round(seconds, 1),
    }  # fmt: skip


def main():
    """Judge the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kinds", default=",".join(KINDS[:-1]))
    parser.add_argument("--rows", default="300,600,1000,2000")
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--budget", default="50s")
    asked = parser.parse_args()
    if asked.features < 6:
        parser.error("--features: 6 or more")
    lines = []
    for kind in asked.kinds.split(","):
        for n_rows in map(int, asked.rows.split(",")):
            for seed in range(asked.seeds):
                lines.append(judged(kind, n_rows, asked.features, seed, asked.budget))
                print(json.dumps(lines[-1]), flush=True)
    frame = pd.DataFrame(lines)
    print(frame.filter(regex="causes|true|false|seconds").sum().round(1).to_json())


if __name__ == "__main__":
    main()

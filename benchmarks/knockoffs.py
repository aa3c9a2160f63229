"""Power of CPI by deep knockoffs in the data of Figure 2, by steps of training (40 minutes).

python benchmarks/knockoffs.py power
"""

import argparse

import numpy as np

from losaw.study.generators.conditional_dag import ConditionalDagGenerator
from losaw.study.learners.ranger_forest import RangerForest
from losaw.study.registry import get


def power() -> None:
    """Share of the data sets of Figure 2 in which CPI finds X3, by the longest training."""
    for n_rows, n_sets in ((3000, 40), (7000, 24)):
        generator = ConditionalDagGenerator(n_samples=n_rows, categorical="X1+X3")
        found = dict.fromkeys((2000, 4000, 8000, 17_000), 0)
        for seed in range(n_sets):
            sample = generator.sample(np.random.default_rng(seed))
            forest = RangerForest(encoding="dummies", nominal=[0, 2], random_state=seed)
            forest.fit(*sample.train)
            for steps in found:
                method = get("importance", "cpi-conditional").create(
                    sampler="deep", sampler_parameters={"max_steps": steps}
                )
                result = method.explain(forest, sample, np.random.default_rng(seed))
                found[steps] += result.p_values[2] < 0.05
        shares = ", ".join(f"{steps}: {hits / n_sets:.2f}" for steps, hits in found.items())
        print(f"power for X3, N = {n_rows}, {n_sets} data sets, by steps: {shares}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("measure", choices=["power"])
    parser.parse_args()
    power()

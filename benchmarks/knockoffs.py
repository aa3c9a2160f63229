"""Time of knockoffs and CPI on one core, and the accuracy that faster settings lose.

    python benchmarks/knockoffs.py samplers    sequential and Gaussian draws of 340 rows
    python benchmarks/knockoffs.py tables      sequential draws of 1,500 x 15 mixed and 100 x 500
    python benchmarks/knockoffs.py deep        a training step at batch 64, and a whole training
    python benchmarks/knockoffs.py power       CPI of deep knockoffs by training steps (40 minutes)
    python benchmarks/knockoffs.py replicate   a replicate of Figure 2 at N = 1,000, in parts
    python benchmarks/knockoffs.py all

Medians of several runs in one process, in CPU seconds, so that other work on the machine does not
count; run it with OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from losaw.knockoffs import make_sampler
from losaw.study.generators.conditional_dag import ConditionalDagGenerator

RUNS = 9
SLOW = {"n_folds": 10, "n_penalties": 100, "patience": 100}


def main() -> None:
    """Print the requested measurements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    measures = {
        "samplers": samplers,
        "tables": tables,
        "deep": deep,
        "power": power,
        "replicate": replicate,
    }
    parser.add_argument("measure", choices=[*measures, "all"])
    chosen = parser.parse_args().measure
    for name, measure in measures.items():
        if chosen in (name, "all"):
            measure()


def data(seed: int = 0):
    """1,000 rows of Figure 2: 660 to train on, 340 to test; two factors of 10 levels."""
    generator = ConditionalDagGenerator(n_samples=1000, categorical="X1+X3")
    return generator.sample(np.random.default_rng(seed))


def samplers() -> None:
    """Seconds of one fit and draw, and how far the early end of a path moves probabilities."""
    sample = data()
    X, kinds = sample.test.X, sample.feature_kinds
    dummies = np.hstack(
        [
            (X[:, [j]] == np.unique(X[:, j])[1:]).astype(float) if kind == "nominal" else X[:, [j]]
            for j, kind in enumerate(kinds)
        ]
    )
    show("sequential, default", draw("sequential", X, kinds))
    fast = {"n_folds": 5, "n_penalties": 30, "patience": 3}
    show("sequential, 5 folds x 30 penalties", draw("sequential", X, kinds, **fast))
    show("sequential, whole paths", draw("sequential", X, kinds, **SLOW), runs=1)
    for method in ("sdp", "mvr"):
        show(
            f"gaussian, {method}, 20 dummies and numbers",
            draw("gaussian", dummies, s_method=method),
        )
    for name, parameters in (("default", {}), ("5 folds x 30 penalties", fast)):
        same, changed = compare(X, kinds, parameters)
        print(
            f"{name} against whole paths, 3 draws: median ratio of penalties {same:.3f}, levels "
            f"that another draw would give {changed:.1%}"
        )


def compare(X: np.ndarray, kinds: tuple, parameters: dict) -> tuple[float, float]:
    """Median ratio of chosen penalties, and share of factor values that differ, same seeds."""
    ratios, changed = [], []
    for seed in range(3):
        pair = []
        for options in (parameters, SLOW):
            rng = np.random.default_rng(seed)
            sampler = make_sampler("sequential", **options).fit(X, kinds, rng)
            pair.append((sampler.sample(np.random.default_rng(seed)), sampler.penalties_))
        ratios += list(pair[0][1] / pair[1][1])
        changed.append((pair[0][0][:, [0, 2]] != pair[1][0][:, [0, 2]]).mean())
    return statistics.median(ratios), statistics.mean(changed)


def tables() -> None:
    """Seconds of choosing penalties, and of a draw, of wide and of mixed tables."""
    rng = np.random.default_rng(0)
    kinds = ("continuous",) * 7 + ("nominal",) * 8
    # As wide as the census table `adult`: seven numbers, and levels of which one follows another.
    levels = [7, 16, 7, 15, 6, 5, 2, 35]
    codes = [rng.integers(n, size=1500) for n in levels]
    numbers = rng.standard_normal((1500, 7)) + codes[0][:, None] / 3
    mixed = np.column_stack([numbers, *codes]).astype(float)
    mixed[:, 6] = mixed[:, 8]
    wide = rng.standard_normal((100, 500))
    wide[:, 1:] += wide[:, :-1]
    make_sampler("sequential").fit(mixed[:100, 5:9], kinds[5:9], rng).sample(rng)
    for name, X, of_columns in (
        ("mixed, 1,500 x 15", mixed, kinds),
        ("wide, 100 x 500", wide, ("continuous",) * 500),
    ):
        start = time.process_time()
        sampler = make_sampler("sequential").fit(X, of_columns, rng)
        fitted = time.process_time()
        sampler.sample(rng)
        drawn = time.process_time()
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"sequential, {name}: penalties {fitted - start:.1f} s, a draw {drawn - fitted:.2f} s, "
            f"peak {megabytes:.0f} MB",
            flush=True,
        )


def deep() -> None:
    """Milliseconds of a training step, and seconds of 1,020 rows, compilation left out."""
    from losaw.knockoffs.deep import DeepKnockoffs

    rng = np.random.default_rng(0)
    X = rng.standard_normal((640, 20)) @ (np.eye(20) + 0.3 * rng.standard_normal((20, 20)))
    n_epochs = 25
    times = []
    for _ in range(4):
        start = time.process_time()
        sampler = DeepKnockoffs(n_epochs=n_epochs).fit(X, None, np.random.default_rng(1))
        times.append((time.process_time() - start) / len(sampler.losses_))
    print(f"deep, first fit with compilation: {1e3 * times[0]:.2f} ms per step")
    print(f"deep, batch 64, p = 20: {1e3 * statistics.median(times[1:]):.2f} ms per step")
    X = rng.standard_normal((1020, 24)) @ (np.eye(24) + 0.3 * rng.standard_normal((24, 24)))
    show("deep, 1,020 x 24", lambda: DeepKnockoffs().fit(X, None, np.random.default_rng(1)), 1)


def power() -> None:
    """Share of the data sets of Figure 2 in which CPI finds X3, by the longest training."""
    from losaw.study.learners.ranger_forest import RangerForest
    from losaw.study.registry import get

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


def replicate() -> None:
    """Seconds of a replicate of Figure 2: the forest, and each CPI of it."""
    from losaw.study.learners.ranger_forest import RangerForest
    from losaw.study.registry import get

    sample = data()
    for encoding, sampler in (("codes", "sequential"), ("dummies", "gaussian")):
        forest = RangerForest(encoding=encoding, nominal=[0, 2], random_state=1)
        fitting = show(f"forest on {encoding}", lambda forest=forest: forest.fit(*sample.train))
        method = get("importance", "cpi-conditional").create(sampler=sampler)
        explaining = show(
            f"CPI, {sampler}",
            lambda method=method, forest=forest: method.explain(
                forest, sample, np.random.default_rng(1)
            ),
        )
        print(f"replicate, {sampler} on {encoding}: {fitting + explaining:.3f} s")


def draw(
    name: str, X: np.ndarray, kinds: tuple | None = None, **parameters
) -> Callable[[], object]:
    """A function that fits a sampler and draws once."""
    return lambda: make_sampler(name, **parameters).fit(X, kinds).sample(np.random.default_rng(1))


def show(what: str, run: Callable[[], object], runs: int = RUNS) -> float:
    """Print and return the median CPU time of ``run``, after one run to warm up."""
    run()
    times = []
    for _ in range(runs):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    print(f"{what}: {statistics.median(times):.4f} s", flush=True)
    return statistics.median(times)


if __name__ == "__main__":
    main()

"""A small example of every registered name, and the digests of its numbers in ``names.csv``.

    python tests/golden/names.py

computes all examples and writes ``names.csv`` again, with the variables that the Makefile exports.
It prints the names whose numbers moved: their versions are raised in the same commit. On a
processor without AVX-512 it writes ``names_without_avx512.csv``, the examples that differ there.
"""

import csv
import functools
import hashlib
import json
import math
import platform
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from losaw.data import Dataset, Sample, Truth
from losaw.importance import ImportanceResult
from losaw.rng import seed_integer, stream
from losaw.study.datasets import is_there
from losaw.study.estimates import Estimate
from losaw.study.registry import Registration, entries, get

FILE = Path(__file__).with_name("names.csv")
WITHOUT_AVX512 = FILE.with_name("names_without_avx512.csv")
COLUMNS = ("kind", "name", "example", "rounded", "bits")
SIGNIFICANT_DIGITS = 6
# A number below this share of the largest one is what rounding leaves of zero.
NEGLIGIBLE = 1e-9

N_TRAIN, N_TEST = 120, 60
NOMINAL = (3,)
SMALL_NETWORK = {"n_steps": 20, "batch_size": 32, "kernel_sizes": (3, 2), "filters": (4, 4)}
ONE_LAYER = {"n_layers": 1, "width": 8, "n_epochs": 5}

Parameters = dict[str, Any]

# Learners: without parameters where the defaults are quick. "of classes" is no parameter: the
# response is 0 or 1.
CLASSES = "of classes"
LEARNERS: dict[str, tuple[Parameters, ...]] = {
    "random-forest": ({"n_estimators": 10},),
    "plain-forest": ({"n_estimators": 10}, {"n_estimators": 5, "max_features": 1, "max_depth": 4}),
    "losaw-forest": ({"n_estimators": 10}, {"n_estimators": 5, "nominal_features": NOMINAL}),
    "losaw-forest-classifier": ({"n_estimators": 10, CLASSES: True},),
    "network": (SMALL_NETWORK,),
    "losaw-network": (SMALL_NETWORK,),
    "scikit-learn-forest": (
        {"n_estimators": 10, "one_hot": NOMINAL},
        {"n_estimators": 10, "task": "classification", CLASSES: True},
    ),
    "xgboost": (
        {"num_boost_round": 20, "eta": 0.3},
        {"num_boost_round": 20, "eta": 0.3, "task": "classification", CLASSES: True},
    ),
    "ranger-forest": (
        {"n_estimators": 10, "nominal": NOMINAL},
        {"n_estimators": 10, "encoding": "dummies", "nominal": NOMINAL},
        {"n_estimators": 10, "redraw": True},
        {"n_estimators": 10, "task": "classification", CLASSES: True},
    ),
    "mixed-linear": (
        {"nominal": NOMINAL},
        {"nominal": NOMINAL, "task": "classification", CLASSES: True},
    ),
    "mixed-network": (
        {"nominal": NOMINAL, "n_units": 3, "max_iter": 20},
        {"n_units": 3, "max_iter": 20, "task": "classification", CLASSES: True},
    ),
}

# The learners that importances explain.
EXPLAINED: dict[str, tuple[str, Parameters]] = {
    "forest": ("random-forest", {"n_estimators": 10, "min_samples_leaf": 3}),
    "classifier": (
        "scikit-learn-forest",
        {"n_estimators": 10, "max_depth": 4, "task": "classification", CLASSES: True},
    ),
    "plain": ("plain-forest", {"n_estimators": 10, "max_depth": 5}),
    "losaw": ("losaw-forest", {"n_estimators": 10}),
    "dummies": ("scikit-learn-forest", {"n_estimators": 10, "one_hot": NOMINAL, "max_depth": 4}),
    "boosting": ("xgboost", {"num_boost_round": 20, "eta": 0.3}),
    "boosted classes": (
        "xgboost",
        {"num_boost_round": 20, "eta": 0.3, "task": "classification", CLASSES: True},
    ),
    "linear": ("mixed-linear", {"nominal": NOMINAL}),
}
# Name -> (learner explained, parameters).
IMPORTANCES: dict[str, tuple[tuple[str, Parameters], ...]] = {
    **{
        name: (("forest", {}), ("classifier", {}), ("plain", {}), ("losaw", {}), ("dummies", {}))
        for name in ("mdi", "mdi-oob", "split-improvement", "ufi")
    },
    "air": (("forest", {}), ("dummies", {"max_features": 2})),
    "saliency": (("losaw", {}),),
    "reported": (("forest", {}),),
    "permutation": (("forest", {}), ("classifier", {"rows": "train", "n_repeats": 2})),
    "tree-permutation": (("forest", {}), ("classifier", {})),
    "total-gain": (("boosting", {}),),
    "total-gain-deviation": (("boosting", {}),),
    **{
        name: (
            ("boosting", {}),
            ("boosting", {"rows": "train", "attribution": "treeshap"}),
            ("boosted classes", {"attribution": "treeshap"}),
        )
        for name in ("tree-inner", "forest-inner", "absolute-attribution")
    },
    "loco": (("forest", {}), ("losaw", {}), ("linear", {"test": "wilcoxon"})),
    "subgroups": (("forest", {"n_repeats": 2}), ("linear", {"n_repeats": 2})),
    "sage": (("forest", {"n_background": 8, "max_permutations": 32}),),
    "boruta": (("forest", {"n_estimators": 20, "max_runs": 5}),),
    "pfi-difference": (("forest", {}), ("classifier", {})),
    "pfi-ratio": (("forest", {}),),
    "cfi-normal": (("forest", {}), ("linear", {"n_draws": 2})),
    "cpi-conditional": (("forest", {}), ("classifier", {}), ("losaw", {"n_draws": 2})),
    "cpi-gaussian": (("forest", {}), ("linear", {"test": "fisher", "adjustment": "holm"})),
    "cpi-sequential": (("forest", {}), ("linear", {})),
    "cpi-deep": (("forest", {"sampler_parameters": ONE_LAYER}),),
    **{
        f"residual-{algorithm}": (
            ("forest", {"n_permutations": 2, "n_estimators": 20, "top_features": 3}),
        )
        for algorithm in (
            "gram-schmidt",
            "gram-schmidt-printed",
            "random-forest",
            "random-forest-out-of-bag",
        )
    },
    "atr": (("forest", {}), ("plain", {}), ("forest", {"signed": True, "weighting": "rows"})),
    "rtr": (("forest", {}), ("forest", {"form": "bounded"})),
    "linear-coefficient": (("forest", {}), ("forest", {"signed": True})),
    "pearson": (("forest", {"signed": True}),),
    "spearman": (("forest", {"signed": True}),),
    "shap-pearson": (("forest", {"n_rows": 30}),),
    "shap-spearman": (("forest", {"n_rows": 30}),),
}

# Kinds of which each name has examples of its own, those of the contract tests.
OWN_EXAMPLES = ("generator", "metric")

KNOCKOFFS: dict[str, tuple[Parameters, ...]] = {
    "gaussian": ({}, {"s_method": "mvr"}),
    "conditional": ({},),
    "sequential": ({},),
    "deep": (ONE_LAYER,),
}

# Names without an example: another program decides their numbers.
WITHOUT = {
    ("learner", "r-ranger"): "R and its package ranger decide the numbers",
    ("learner", "r-cforest"): "R and its package party decide the numbers",
}


# (kind, name, learner explained) of examples whose last bits differ between processors. Measured by
# computing names.csv again with another variant of OpenBLAS and without the widest vectors.
LAST_BITS_DIFFER = {
    # They solve or multiply matrices: OpenBLAS adds in an order that fits the processor.
    ("generator", "losaw", ""),
    ("generator", "losaw-network", ""),
    ("importance", "forest-inner", "boosting"),
    ("importance", "forest-inner", "boosted classes"),
    ("importance", "linear-coefficient", "forest"),
    ("knockoff", "gaussian", ""),
    ("knockoff", "sequential", ""),
    ("learner", "mixed-linear", ""),
    ("learner", "mixed-network", ""),
    ("metric", "noise_score", ""),
    ("metric", "signal_score", ""),
    *(("importance", name, "linear") for name in IMPORTANCES),
    # numpy computes logarithms, exponentials and powers of several numbers at once.
    ("generator", "low-signal", ""),
    ("generator", "noisy-copies", ""),
    ("importance", "cpi-conditional", "classifier"),
    ("importance", "pfi-difference", "classifier"),
    # XLA compiles networks for the processor: equal here with narrower vectors, but deep knockoffs
    # of whole studies differed on another machine.
    ("learner", "network", ""),
    ("learner", "losaw-network", ""),
    ("importance", "cpi-deep", "forest"),
    ("knockoff", "deep", ""),
}


# Numba adds in groups of the size of the processor's vectors. Of ten blocks of losaw_forest the six
# of scikit-learn's RF are equal without AVX-512 (Zen 3), and none of the four of losawRF.
HAS_AVX512 = "X86_V4" in np.show_config(mode="dicts")["SIMD Extensions"]["found"]


class Example(NamedTuple):
    """An example of a registered name.

    Attributes
    ----------
    kind, name : str
    of : str
        The learner that an importance explains; empty for other kinds.
    parameters : dict
    """

    kind: str
    name: str
    of: str
    parameters: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The parameters and the learner explained, as ``names.csv`` has them."""
        return json.dumps({**({"explains": self.of} if self.of else {}), **self.parameters})

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, self.name, self.text

    @property
    def has_fixed_bits(self) -> bool:
        """Whether last bits are the same on every processor with AVX-512, or every one without."""
        of_these = (self.kind, self.name, self.of) not in LAST_BITS_DIFFER
        return of_these and platform.machine() in ("x86_64", "AMD64")

    @property
    def missing_data(self) -> str | None:
        """The name of the real data that this example needs and that are not there."""
        if self.kind != "generator":
            return None
        name = getattr(get(self.kind, self.name).create(**self.parameters), "real_data_set", None)
        return None if name is None or is_there(name) else name

    def values(self) -> list[Any]:
        """The numbers of this example, computed."""
        parameters = {k: v for k, v in self.parameters.items() if k != CLASSES}
        classes = bool(self.parameters.get(CLASSES))
        made = get(self.kind, self.name).create(**parameters)
        if self.kind == "learner":
            return _predictions(fitted(made, classes), classes)
        if self.kind == "importance":
            return _scores(made, self.of)
        return {"generator": _drawn, "knockoff": _knockoffs, "metric": _measured}[self.kind](made)


def examples() -> tuple[Example, ...]:
    """All examples, sorted by kind and name."""
    found = [
        Example(entry.kind, entry.name, "", parameters)
        for entry in built_in()
        if entry.kind in OWN_EXAMPLES
        for parameters in entry.load().examples
    ]
    found += [
        Example(kind, name, "", parameters)
        for kind, table in (("learner", LEARNERS), ("knockoff", KNOCKOFFS))
        for name, several in table.items()
        for parameters in several
    ]
    found += [
        Example("importance", name, of, parameters)
        for name, several in IMPORTANCES.items()
        for of, parameters in several
    ]
    return tuple(sorted(found, key=lambda example: example.key[:2]))


def built_in() -> list[Registration]:
    return [entry for entry in entries() if not entry.target.startswith("losaw_plugin_")]


def random(component: str) -> np.random.Generator:
    return stream(experiment="golden", setting="names", replicate=0, component=component)


@functools.cache
def data(classes: bool) -> Dataset:
    """Five features, two of them correlated, one of counts and one of levels; y uses three."""
    rng = random("data")

    def sample(n_rows: int, correlated: bool = True) -> Sample:
        X = rng.standard_normal((n_rows, 5))
        if correlated:
            X[:, 1] = 0.8 * X[:, 0] + 0.6 * X[:, 1]
        X[:, 2] = rng.integers(0, 5, n_rows)
        X[:, 3] = rng.integers(0, 4, n_rows)
        y = X[:, 0] + 0.5 * X[:, 2] + (X[:, 3] == 1) + 0.5 * rng.standard_normal(n_rows)
        return Sample(X, (y > 1.25).astype(float) if classes else y)

    return Dataset(
        train=sample(N_TRAIN),
        test=sample(N_TEST),
        independent=sample(N_TEST, correlated=False),
        truth=Truth(signal=(0, 2, 3), n_features=5, noise_variance=0.25),
        feature_names=("X1", "X2", "X3", "X4", "X5"),
        feature_kinds=("continuous", "continuous", "discrete", "nominal", "continuous"),
        task="classification" if classes else "regression",
        stream=random,
    )


def fitted(learner: Any, classes: bool) -> Any:
    if "random_state" in learner.get_params():
        learner.set_params(random_state=seed_integer(random("learner")))
    return learner.fit(*data(classes).train)


def _predictions(model: Any, classes: bool) -> list[Any]:
    predict = model.predict_proba if classes else model.predict
    values = [predict(data(classes).test.X)]
    scores = getattr(model, "feature_importances_", None)
    return values if scores is None else [*values, scores]


@functools.cache
def _explained(of: str) -> tuple[Any, Dataset]:
    name, parameters = EXPLAINED[of]
    classes = bool(parameters.get(CLASSES))
    learner = get("learner", name).create(
        **{key: value for key, value in parameters.items() if key != CLASSES}
    )
    return fitted(learner, classes), data(classes)


def _scores(importance: Any, of: str) -> list[Any]:
    result = importance.explain(*_explained(of), random("importance"))
    several = (result.scores, result.std_error, result.p_values)
    return [values for values in several if values is not None]


def _drawn(generator: Any) -> list[Any]:
    drawn = generator.sample(random("data"))
    samples = [drawn.train, drawn.test, *([drawn.independent] if drawn.independent else [])]
    truth = drawn.truth
    values = [array for sample in samples for array in sample]
    values += [truth.signal, truth.noise_variance]
    values += [truth.details[key] for key in sorted(truth.details)]
    if truth.regression_function is not None:
        values.append(truth.regression_function(drawn.train.X))
    return values


def _knockoffs(sampler: Any) -> list[Any]:
    rng = random("knockoffs")
    drawn = data(False)
    columns = list(range(5)) if sampler.handles_nominal else [0, 1, 2, 4]
    kinds = tuple(drawn.feature_kinds[column] for column in columns)
    sampler.fit(drawn.train.X[:, columns], kinds, rng)
    return [sampler.sample(rng), sampler.sample(rng)]


def _measured(metric: Any) -> list[Any]:
    """The metric of three made results or predictions, one after the other."""
    rng = random("metric")
    values = []
    for _ in range(3):
        if metric.needs == "importance":
            scores = rng.standard_normal(12)
            measured: Any = ImportanceResult(
                scores,
                tuple(f"X{number}" for number in range(1, 13)),
                p_values=1 / (1 + np.exp(3 * scores)),
                details={"detail": 0.5, "counts": np.abs(scores)},
            )
        elif metric.needs == "estimate":
            value, error, p = rng.random(3)
            measured = {"theta": Estimate(value, error, value - error, value + error, p)}
        else:
            y, error = rng.standard_normal((2, 80))
            measured = SimpleNamespace(
                test=(y, y + 0.5 * error), independent=(2 * y, 2 * y - 0.5 * error), mean=y
            )
        truth = Truth((1, 4, 5), 12, noise_variance=0.5, details={"detail": 0.5, "optimum": 0.9})
        truth = {"theta": 0.5} if metric.needs == "estimate" else truth
        values.append(metric(measured, truth))
    return values


def digests(values: Iterable[Any]) -> tuple[str, str]:
    """Digests of the rounded numbers and of their bits; each array is rounded on its own scale."""
    arrays = [np.atleast_1d(np.asarray(value, dtype=float)) for value in values]
    bits = [str(array.shape).encode() + array.tobytes() for array in arrays]
    rounded = [f"{array.shape} {' '.join(_rounded(array.ravel()))}".encode() for array in arrays]
    return _digest(rounded), _digest(bits)


def _rounded(array: np.ndarray) -> Iterator[str]:
    finite = np.abs(array[np.isfinite(array)])
    negligible = NEGLIGIBLE * finite.max() if len(finite) else 0.0
    for value in array.tolist():
        if math.isfinite(value) and abs(value) <= negligible:
            yield "0"
        else:
            yield f"{value:.{SIGNIFICANT_DIGITS}g}"


def _digest(parts: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]


def stored() -> dict[tuple[str, str, str], tuple[str, str]]:
    """The digests of this processor's kind by kind of name, name and example."""
    return read(FILE) if HAS_AVX512 else read(FILE) | read(WITHOUT_AVX512)


def read(path: Path) -> dict[tuple[str, str, str], tuple[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (row["kind"], row["name"], row["example"]): (row["rounded"], row["bits"])
            for row in csv.DictReader(file)
        }


def write() -> None:
    before = stored()
    after, has_fixed_bits = {}, {}
    for example in examples():
        has_fixed_bits[example.key] = example.has_fixed_bits
        if example.missing_data:
            print(f"kept as it is, {example.missing_data} is missing: {example.name}")
            after[example.key] = before[example.key]
        else:
            after[example.key] = digests(example.values())
    for key, (rounded, bits) in after.items():
        if key not in before:
            print("new:", *key)
        elif before[key][0] != rounded:
            print("moved:", *key)
        elif before[key][1] != bits:
            print("moved in its last digits:", *key)
    for key in before.keys() - after.keys():
        print("gone:", *key)
    if not HAS_AVX512:
        others = read(FILE)
        after = {
            key: (rounded, bits)
            for key, (rounded, bits) in after.items()
            if key not in others
            or rounded != others[key][0]
            or (bits != others[key][1] and has_fixed_bits[key])
        }
    path = FILE if HAS_AVX512 else WITHOUT_AVX512
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((*key, *pair) for key, pair in after.items())


if __name__ == "__main__":
    write()

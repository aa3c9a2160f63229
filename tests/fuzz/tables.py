"""Tables as people have them, and what ``explain``, ``audit`` and ``hierarchy`` make of them."""

import datetime
import decimal
import json
import zlib
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import losaw
import losaw.importance
from fuzz import inputs
from fuzz.inputs import COLUMNS, usually
from fuzz.worker import NoModel, not_finite
from losaw.explaining.design import METHODS
from losaw.tables.columns import KINDS

WORDS = np.array(["low", "middle", "high", "=1+1", "<script>alert(1)</script>"])
START = np.datetime64("2020-02-28")


def _some(values: Any, missing: Any = None, every: int = 5) -> list[Any]:
    """The same values, some of them missing."""
    return [missing if row % every == 3 else value for row, value in enumerate(values)]


def _text(rng: np.random.Generator, n: int) -> list[str]:
    return WORDS[rng.integers(0, 5, n)].tolist()


def _dates(rng: np.random.Generator, n: int) -> Any:
    return pd.Series(START + rng.integers(0, 900, n).astype("timedelta64[D]"))


SERIES = {
    "seventeen whole numbers": lambda rng, n: rng.permutation(np.arange(n) % 17),
    "zeros and counts": lambda rng, n: rng.poisson(2.0, n) * (rng.random(n) < 0.3),
    "skewed": lambda rng, n: np.exp(3 * rng.standard_normal(n)),
    "whole and missing": lambda rng, n: pd.array(_some(rng.integers(0, 9, n).tolist()), "Int64"),
    "float32": lambda rng, n: rng.random(n).astype(np.float32),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "bool and missing": lambda rng, n: pd.array(_some((rng.random(n) < 0.5).tolist()), "boolean"),
    "text": _text,
    "text and missing": lambda rng, n: _some(_text(rng, n)),
    "text and NaN": lambda rng, n: _some(_text(rng, n), np.nan),
    "text of pandas": lambda rng, n: pd.array(_some(_text(rng, n)), "string"),
    "empty text": lambda rng, n: _some(_text(rng, n), "", 2),
    "free text": lambda rng, n: [f"person {row} <b>" for row in range(n)],
    "rare levels": lambda rng, n: [f"level {row}" if row % 2 else "usual" for row in range(n)],
    "names of our own levels": lambda rng, n: _some(["(missing)", "(other)"] * n, None)[:n],
    "numbers as text": lambda rng, n: [f"{value:.2f}" for value in rng.random(n)],
    "bytes": lambda rng, n: [word.encode() for word in _text(rng, n)],
    "categories": lambda rng, n: pd.Categorical(_text(rng, n), [*WORDS, "never seen"]),
    "ordered": lambda rng, n: pd.Categorical(_some(_text(rng, n)), WORDS, ordered=True),
    "categories of numbers": lambda rng, n: pd.Categorical(rng.integers(0, 4, n)),
    "intervals": lambda rng, n: pd.cut(rng.random(n), 4) if n else [],
    "dates": _dates,
    "dates and missing": lambda rng, n: _dates(rng, n).where(np.arange(n) % 5 != 3),
    "dates with a zone": lambda rng, n: _dates(rng, n).dt.tz_localize("Europe/Berlin"),
    "dates of Python": lambda rng, n: [
        datetime.date(1 + 900 * (row % 11), 2, 3) for row in range(n)
    ],
    "dates as text": lambda rng, n: _dates(rng, n).astype(str).tolist(),
    "nearly dates": lambda rng, n: _some(_dates(rng, n).astype(str), "2020-13-45", 7),
    "unclear dates": lambda rng, n: [f"{1 + row % 12}/{1 + row % 9}/2020" for row in range(n)],
    "times": lambda rng, n: [datetime.time(row % 24) for row in range(n)],
    "durations": lambda rng, n: pd.Series(rng.integers(0, 99, n).astype("timedelta64[h]")),
    "months": lambda rng, n: pd.period_range("2020-01", periods=n, freq="M"),
    "decimals": lambda rng, n: [decimal.Decimal(row) / 7 for row in range(n)],
    "mixed": lambda rng, n: (["a", 1, None, 2.5, True] * n)[:n],
    "lists": lambda rng, n: [[row] for row in range(n)],
    "complex": lambda rng, n: rng.standard_normal(n) * (1 + 1j),
    "all missing": lambda rng, n: [None] * n,
    "one value and missing": lambda rng, n: _some([1.0] * n),
    "mostly missing": lambda rng, n: [None] * (n - 3) + [0.5, 1.5, 2.5][:n],
    "keys": lambda rng, n: rng.permutation(10**6)[:n],
    "beyond 2^53": lambda rng, n: 2**60 + np.arange(n),
    "beyond all floats": lambda rng, n: [10**400 + row for row in range(n)],
    "sparse": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.2, 1.0, 0.0)),
    "largest floats": lambda rng, n: np.where(rng.random(n) < 0.5, 1.7e308, -1.7e308),
    **{f"number: {kind}": make for kind, make in COLUMNS.items()},
}
USUAL = ("number: normal", "number: binary", "number: levels", "text", "skewed", "categories")
NAMES = (
    *("a", "b", "c", "d", "=1+1", "-x", "@c", "<script>alert(1)</script>", "two words", " ", ""),
    *("y ", "CPI"),
    *("feature", "group 1", "$x_1$", "$\\frac{$", "%s", "{a}", "a\nb", "ß中😀", "x" * 99, "index"),
    *(7, None, 2.5, ("a", 1)),
)

OF_ARRAYS = ("signal", "noise", "bool", "constant", "far away", "huge", "tiny")
RESPONSES = {
    **{name: inputs.RESPONSES[name] for name in OF_ARRAYS},
    "two words": lambda rng, x: np.where(x > 0, "=yes", "<i>no"),
    "three words": lambda rng, x: WORDS[np.digitize(x, [-0.5, 0.5])],
    "0 and 1": lambda rng, x: (x > 0).astype(int),
    "categories": lambda rng, x: pd.Categorical(np.where(x > 0, "b", "a"), ["b", "never", "a"]),
    "whole": lambda rng, x: np.rint(3 * x).astype(int),
    "with missing": lambda rng, x: np.where(np.arange(len(x)) % 9 == 3, np.nan, x),
    "whole with missing": lambda rng, x: pd.array(_some(np.rint(3 * x).astype(int), None), "Int64"),
    "words with missing": lambda rng, x: _some(np.where(x > 0, "b", "a").tolist()),
    "numbers as text": lambda rng, x: [f"{value:.1f}" for value in x],
    "classes of floats": lambda rng, x: np.where(x > 0, 0.1, 1e300),
    "rare class": lambda rng, x: (np.arange(len(x)) < 3).astype(int),
    "one row differs": lambda rng, x: np.where(np.arange(len(x)) == 0, 1e9, 0.0),
    "many zeros": lambda rng, x: np.where(x > 1, x, 0.0),
    "skewed": lambda rng, x: np.exp(9 * x),
    "too large": lambda rng, x: 1e200 * x,
    "denormal": lambda rng, x: 5e-324 * np.rint(9 * x),
    "with inf": lambda rng, x: np.where(np.arange(len(x)) == 0, np.inf, x),
    "dates": lambda rng, x: _dates(rng, len(x)),
    "decimals": lambda rng, x: [decimal.Decimal(float(value)) for value in x],
    "complex": lambda rng, x: x * (1 + 1j),
    "lists": lambda rng, x: [[value] for value in x],
    "all missing": lambda rng, x: [None] * len(x),
    "beyond all floats": lambda rng, x: [10**400 + row for row in range(len(x))],
}

CONTAINERS = {
    "pandas": lambda frame: frame,
    "equal index": lambda frame: frame.set_axis([0] * len(frame)),
    "index of text": lambda frame: frame.set_axis([f"r{row}" for row in range(len(frame))]),
    "index of dates": lambda frame: frame.set_axis(pd.date_range("2020", periods=len(frame))),
    "polars": lambda frame: _polars(frame),
    "lazy polars": lambda frame: _polars(frame).lazy(),
    "columns of a name": lambda frame: frame.rename_axis(columns="measured"),
    "Arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "array": lambda frame: frame.to_numpy(),
    "dict": lambda frame: frame.T.to_dict("list"),
    "None": lambda frame: None,
}


def _polars(frame: Any) -> Any:
    import polars as pl

    try:
        return pl.from_pandas(frame)
    except (Exception, pl.exceptions.PanicException) as error:  # it cannot contain this column
        raise ValueError from error


class TableRecipe(NamedTuple):
    """A table with a column ``y``, in words; the same table in any process."""

    n_rows: int
    columns: tuple[tuple[Any, str], ...]
    container: str
    response: str
    seed: int

    def inputs(self) -> tuple[Any, str]:
        """The table and the name of its target."""
        rng = np.random.default_rng(self.seed)
        n = self.n_rows
        columns = [pd.Series(SERIES[kind](rng, n), name=name) for name, kind in self.columns]
        first = columns[0] if columns else pd.Series(rng.standard_normal(n))
        signal = rng.standard_normal(n)
        if first.dtype == np.float64 and 0 < first.std() < 1e9:
            signal = ((first - first.mean()) / first.std()).to_numpy()
        columns.append(pd.Series(RESPONSES[self.response](rng, signal), name="y"))
        frame = pd.concat(columns, axis=1, keys=[column.name for column in columns])
        return CONTAINERS[self.container](frame), "y"


def table_recipes() -> Any:
    """Recipes of tables; most are ordinary in most respects, so that most get somewhere."""
    kinds = st.lists(
        usually(st.sampled_from(USUAL), st.sampled_from(sorted(SERIES))), min_size=1, max_size=5
    )
    names = st.one_of(
        st.just(tuple("abcde")),
        st.lists(st.sampled_from(NAMES), min_size=5, max_size=5, unique_by=str),
        st.lists(st.sampled_from(NAMES), min_size=5, max_size=5),
    )
    columns = st.tuples(names, kinds).map(lambda drawn: tuple(zip(*drawn, strict=False)))
    return st.builds(
        TableRecipe,
        n_rows=st.sampled_from((50, 64, 51, 99) * 6 + (0, 3, 49)),
        columns=columns,
        container=st.sampled_from(("pandas",) * 12 + tuple(CONTAINERS)),
        response=usually(
            st.sampled_from(("signal", "noise", "two words")), st.sampled_from(sorted(RESPONSES))
        ),
        seed=st.integers(0, 99),
    )


class AsNumbers(TransformerMixin, BaseEstimator):
    """Any table as numbers, row by row, so that a cheap model can be fitted to it."""

    def fit(self, X: Any, y: Any = None) -> "AsNumbers":
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        frame = X.to_pandas() if hasattr(X, "to_pandas") else pd.DataFrame(X)
        parts = [frame.iloc[:, j] for j in range(frame.shape[1])]
        return np.column_stack([self._numbers(part) for part in parts])

    @staticmethod
    def _numbers(part: Any) -> Any:
        try:
            numbers = part.to_numpy(dtype=float, na_value=0.0)
        except (ValueError, TypeError, OverflowError):
            texts = [str(value).encode("utf-8", "replace") for value in part]
            return np.array([zlib.crc32(text) % 97 for text in texts], dtype=float)
        return np.nan_to_num(numbers, posinf=0.0, neginf=0.0).clip(-1e30, 1e30)


MODELS = {
    "tree": make_pipeline(AsNumbers(), DecisionTreeRegressor(max_depth=3, random_state=0)),
    "tree of classes": make_pipeline(AsNumbers(), DecisionTreeClassifier(max_depth=3)),
    "line": make_pipeline(AsNumbers(), LinearRegression()),
    "boosting of classes": HistGradientBoostingClassifier(max_iter=3),
}
DESIGN = {
    "methods": (*METHODS, "pfi,cpi,loco", "cpi,mdi", ["losawRF", "loco"]),
    "model": ("forest", "gradient-boosting", *MODELS),
    "task": ("regression", "classification"),
    "kinds": tuple({"a": kind} for kind in KINDS),
    "drop": (("a",), ["a", "b", "c", "d"], "ab"),
    "fdr": (0.5, 1e-9),
    "folds": (3, 5, 49, 10**6),
    "rows": (50, 60),
    "permutations": (2,),
    "draws": (2,),
    "n_jobs": (2, -1),
    "budget": ("10s", 11.0, "none"),
    "random_state": (7, np.random.default_rng(0)),
    "verbose": (True,),
}
AUDIT = DESIGN | {"rounds": (5,), "share": (0.05, 0.95, 0.5), "signals": (1, 2, 4)}
HIERARCHY = {
    "groups": ({"all": ["a", "b"]}, {"first": ["a"], "second": ["b"]}, {"none": []}),
    "fwer": (0.5, 1e-12),
    "n_draws": (2,),
    "loss": ("absolute-error", "squared-error", "log-loss"),
    "kinds": ({"a": "nominal"}, {"a": "continuous"}, {"b": "discrete"}),
    "cv": (2, 3, 10**6),
    "n_jobs": (2,),
    "sample_weight": (np.ones(50), np.zeros(50), np.arange(50.0)),
    "random_state": (7,),
}
# What a refusal of a table may name; a column by its name says more than the table.
NAMED = (
    *("frame", "frames", "column", "target", "class", "classes", "feature", "features", "rows"),
    *("task", "method"),
)


def _check(result: Any, *tables: Any) -> None:
    """Numbers are finite even after a warning, and the text and the JSON can be written."""
    for table in tables:
        assert not not_finite(_numbers(table)), table.to_string()
    assert str(result)
    json.loads(result.to_json(), parse_constant=float.fromhex)  # refuses NaN


def _numbers(table: Any) -> dict[str, Any]:
    return {str(name): table[name].to_numpy(float) for name in table.select_dtypes("number")}


def _with_model(options: dict[str, Any]) -> dict[str, Any]:
    model = options.get("model")
    return {**options, "model": MODELS.get(model, model)} if isinstance(model, str) else options


def explain(frame: Any, target: str, options: dict[str, Any], rng: np.random.Generator) -> None:
    """Explain a table with a small design, and write the page of every fourth."""
    small = {"methods": "pfi", "folds": 3, "permutations": 1, "draws": 1, "budget": None}
    found = losaw.explain(frame, target, **small | _with_model(options))
    _check(found, found.to_frame())
    if rng.random() < 0.25:
        assert "<script>alert(1)" not in found.to_html()


def audit(frame: Any, target: str, options: dict[str, Any], rng: np.random.Generator) -> None:
    """Audit a table with a small design."""
    small = {"methods": "mdi,pfi", "rounds": 5, "folds": 3, "permutations": 1, "draws": 1}
    found = losaw.audit(frame, target, **{"budget": None} | small | _with_model(options))
    frame = found.to_frame()
    tested = frame[frame["keeps"] != ""]
    _check(
        found,
        frame.drop(columns=[name for name in frame if name.startswith(("found", "false"))]),
        tested,
    )
    if rng.random() < 0.25:
        assert "<script>alert(1)" not in found.to_html()


def hierarchy(frame: Any, target: str, options: dict[str, Any], rng: np.random.Generator) -> None:
    """Test groups of the columns of a table by a small tree."""
    if not hasattr(frame, "columns"):
        X, y = frame, rng.standard_normal(50)
    elif hasattr(frame, "collect"):
        X, y = frame.drop(target), frame.collect()[target]
    elif hasattr(frame, "to_pandas"):
        X, y = frame.drop(target), frame[target]
    else:
        X, y = frame.drop(columns=[target]), frame[target]
    try:
        response = np.asarray(y)
        is_number = response.dtype.kind in "fiu"
        table = X.collect() if hasattr(X, "collect") else X
        model = MODELS["tree" if is_number else "tree of classes"]
        model = model.fit(table, response if is_number else response.astype(str))
    except Exception as error:
        raise NoModel from error
    found = losaw.importance.hierarchy(
        model, X, y if is_number else response.astype(str), **{"random_state": 0} | options
    )
    assert str(found) or not found.selected
    tested = found.table[found.table["note"] == ""]  # the others have no p-value
    assert not not_finite(_numbers(tested)), found.table.to_string()

"""A child process that makes calls and says what came of them, so that a crash is an outcome."""

import multiprocessing
import re
import traceback
import warnings
from typing import Any, NamedTuple

import numpy as np

from fuzz.inputs import Recipe, inputs

# Seconds until a call counts as stuck. The first one of a target may compile.
PATIENCE, FIRST_PATIENCE = 300.0, 900.0
# Messages of scikit-learn's checks, which losaw's estimators share; they name X or y otherwise.
SCIKIT_LEARN_SAYS = (
    r"Found array with|Expected 2D array|Complex data not supported|inconsistent numbers? of "
    r"samples|bad input shape|could not convert string to float|Unknown label type|Sparse data|"
    r"should be a 1d array|setting an array element|Unsupported|feature names|"
    r"Reshape your data|Singleton array|dtype=|Expected sequence or array-like|"
    r"multiple input features|classes|duplicate|mixed types|"
    r"at least one array or dtype is required"  # of a frame without columns
)


class Outcome(NamedTuple):
    """The outcome of a call: "answer", "refused", "no model", or a failure."""

    kind: str
    text: str = ""


class NoModel(Exception):
    """The model that a target explains could not be fitted: that is another package's business."""


class Caller:
    """One child process, started again after a crash or a stuck call."""

    def __init__(self) -> None:
        self._process: Any = None
        self._known: set[str] = set()

    def __call__(self, target: str, recipe: Recipe, options: dict[str, Any]) -> Outcome:
        if self._process is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        patience = PATIENCE if target in self._known else FIRST_PATIENCE
        self._known.add(target)
        self._connection.send((target, recipe, options))
        try:
            if self._connection.poll(patience):
                return Outcome(*self._connection.recv())
        except EOFError:
            self._process.join()
            code, self._process = self._process.exitcode, None
            return Outcome("crash", f"the process ended with code {code}")
        self.close()
        return Outcome("stuck", f"no answer within {patience:g} s")

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def serve(connection: Any) -> None:
    """Make calls until the other end closes."""
    from fuzz.targets import TARGETS

    while True:
        try:
            name, recipe, options = connection.recv()
        except EOFError:
            return
        connection.send(tuple(outcome_of(TARGETS[name], recipe, options)))


def outcome_of(target: Any, recipe: Recipe, options: dict[str, Any]) -> Outcome:
    """Call a target once and look at what came back."""
    try:
        X, y = inputs(recipe)
    except (ValueError, TypeError, IndexError):
        return Outcome("no input")
    same_X, same_y = inputs(recipe)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = target.call(X, y, options, np.random.default_rng(recipe.seed))
        except NoModel:
            return Outcome("no model")
        except (ValueError, TypeError) as error:
            names = "|".join(map(re.escape, (*target.arguments, *options)))
            is_taken = "unexpected keyword" not in str(error)  # else the option is none
            if is_taken and re.search(rf"\b({names})\b|{SCIKIT_LEARN_SAYS}", str(error)):
                return Outcome("refused", str(error))
            return Outcome("unclear", traceback.format_exc())
        except Exception:
            return Outcome("other exception", traceback.format_exc())
    if not (_same(X, same_X) and _same(y, same_y)):
        return Outcome("changed input")
    bad = [path for path in not_finite(result) if not re.search(target.may_be_missing, path)]
    if bad and not caught:
        return Outcome("not finite", ", ".join(bad))
    return Outcome("answer", "warned" if caught else "")


def not_finite(value: Any, path: str = "result") -> list[str]:
    """Places in a result that hold NaN or an infinity."""
    if isinstance(value, dict):
        return [p for key, one in value.items() for p in not_finite(one, f"{path}[{key!r}]")]
    if hasattr(value, "_asdict"):
        return not_finite(value._asdict(), path)
    if hasattr(value, "__dataclass_fields__"):
        return not_finite(vars(value), path)
    if isinstance(value, (list, tuple)):
        return [p for i, one in enumerate(value) for p in not_finite(one, f"{path}[{i}]")]
    if isinstance(value, (float, np.ndarray, np.floating)):
        array = np.asarray(value)
        return [path] if array.dtype.kind == "f" and not np.isfinite(array).all() else []
    return []


def _same(one: Any, other: Any) -> bool:
    if hasattr(one, "tocsr"):
        one, other = one.toarray(), other.toarray()
    if hasattr(one, "collect"):
        one, other = one.collect(), other.collect()
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and repr(one.tolist()) == repr(other.tolist()))
    return repr(one) == repr(other)

"""The outcomes of checks, and how checks are run."""

import contextlib
import inspect
import random
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from losaw.data import Dataset
from losaw.registry import Entry


class ContractError(AssertionError):
    """An error: a registered thing violates its contract; the message names the remedy."""


class TimeLimitError(ContractError):
    """A check that took too long: the others are not tried."""


class Outcome(NamedTuple):
    """The outcome of a check of a registered name; the message is empty if it passed."""

    name: str
    check: str
    message: str


class Subject(NamedTuple):
    """A registered thing with the parameters that it is checked with."""

    entry: Entry
    parameters: Mapping[str, Any]

    def create(self, **parameters: Any) -> Any:
        """Create a new instance."""
        return self.entry.create(**{**self.parameters, **parameters})


Check = Callable[[Subject], None]


Watch = Callable[[str, str], contextlib.AbstractContextManager[None]]


def run_checks(
    entry: Entry,
    checks: Iterable[Check],
    watch: Watch = lambda name, check: contextlib.nullcontext(),
) -> list[Outcome]:
    """Return the outcomes of ``checks`` for every example of ``entry``.

    None are run if it cannot be made, and no more after one that raised a TimeLimitError.

    Parameters
    ----------
    entry : Entry
    checks : iterable of Check
    watch : callable
        ``watch(name, check)`` is a context around every check, which may report it, or end it by a
        TimeLimitError.
    """
    name = f"{entry.kind} {entry.name}"
    outcomes = []
    if inspect.isfunction(entry.load()):  # a drawing has no instances
        subjects = [Subject(entry, {})]
    else:
        try:
            subjects = _subjects(entry)
            with watch(name, "is made from its parameters"):
                for subject in subjects:
                    subject.create()
        except TimeLimitError as error:
            return [Outcome(name, "is made from its parameters", str(error))]
        except Exception as error:
            message = _creation_message(error) + _place(entry, error)
            return [Outcome(name, "is made from its parameters", message)]
        outcomes.append(Outcome(name, "is made from its parameters", ""))
    for check in checks:
        words = check.__name__.replace("_", " ")
        try:
            with watch(name, words):
                message = next(filter(None, (_message(check, subject) for subject in subjects)), "")
        except TimeLimitError as error:
            return [*outcomes, Outcome(name, words, str(error))]
        outcomes.append(Outcome(name, words, message))
    return outcomes


def _subjects(entry: Entry) -> list[Subject]:
    examples: Any = getattr(entry.load(), "examples", None) or ({},)
    if isinstance(examples, Mapping):
        raise ContractError("examples must be a tuple of parameter dicts, got one dict")
    return [Subject(entry, dict(example)) for example in examples]


def _creation_message(error: Exception) -> str:
    return (
        f"{type(error).__name__}: {error}; give every parameter a default, or add a class "
        "attribute `examples = ({...},)` with parameters to check"
    )


def _place(entry: Entry, error: Exception) -> str:
    """Return the innermost line of a registered thing's file that an error came from."""
    file = inspect.getsourcefile(inspect.unwrap(entry.load()))
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f" ({file}:{frames[-1].lineno}, in {frames[-1].name})" if frames else ""


def _message(check: Check, subject: Subject) -> str:
    try:
        check(subject)
    except TimeLimitError:
        raise
    except ContractError as error:
        message = str(error)
    except Exception as error:
        message = f"raised {type(error).__name__}: {error}{_place(subject.entry, error)}"
    else:
        return ""
    shown = ", ".join(f"{key}={value!r}" for key, value in subject.parameters.items())
    return f"{message} [with {shown}]" if shown else message


def require(condition: object, message: str) -> None:
    """Raise a ContractError with ``message`` unless ``condition`` holds."""
    if not condition:
        raise ContractError(message)


def require_methods(instance: object, methods: Mapping[str, str]) -> None:
    """Raise a ContractError for the first method that is missing; values describe the methods."""
    for name, purpose in methods.items():
        require(
            callable(getattr(instance, name, None)),
            f"{type(instance).__name__} has no method {name}: implement {purpose}",
        )


@contextlib.contextmanager
def global_generators_untouched() -> Iterator[None]:
    """Raise a ContractError if the body draws from, or seeds, a generator that all code shares."""
    legacy, builtin = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        # An unusual state: seeding with a usual number must show.
        random.seed("losaw contract")
        np.random.seed(random.getrandbits(32))  # noqa: NPY002
        before = _global_states()
        yield
        untouched = _global_states() == before
    finally:
        np.random.set_state(legacy)  # noqa: NPY002
        random.setstate(builtin)
    require(
        untouched,
        "it draws from numpy's or Python's global generator; draw from the Generator that is "
        "passed (losaw.rng.as_generator makes one from a seed)",
    )


def _global_states() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return name, np.asarray(keys).tobytes(), *rest, random.getstate()


def arrays(data: Dataset) -> list[np.ndarray]:
    """Return all arrays of a data set."""
    samples = [data.train, data.test, *([data.independent] if data.independent else [])]
    return [array for sample in samples for array in sample]


@contextlib.contextmanager
def unchanged(*watched: np.ndarray) -> Iterator[None]:
    """Raise a ContractError if the body changes one of the arrays."""
    copies = [array.copy() for array in watched]
    yield
    require(
        all(np.array_equal(*pair) for pair in zip(watched, copies, strict=True)),
        "it changes its input in place; work on a copy",
    )

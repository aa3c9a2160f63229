"""Rows that are taken from the last whole file of a block, in place of computing them again.

A metric of importances that is new, or has changed, is measured on the stored scores: no fit is
needed.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from losaw.data import Truth
from losaw.scoring.result import ImportanceResult
from losaw.study.block.block_file import fits_of, read_block
from losaw.study.block.recipe import Pair, Recipe
from losaw.study.block.replicate import measure
from losaw.study.block.rows import SCORES, Row, rows_by_seed
from losaw.study.errors import StudyError
from losaw.study.registry.importances import InStudies
from losaw.study.request.settings import short_digest

_STORED = {"scores", "std_error", "p_values", "feature_names", "higher_is_more", "is_trend"}
Stored = Mapping[tuple[Pair, int], Mapping[str, list[Row]]]  # by fit and part


def take_rows(recipe: Recipe, footer: Mapping[str, Any], kept: Path, apart: bool) -> Stored:
    """Return the rows of the last whole file whose recipe has not changed, by fit and part.

    What has failed is tried again. The job's log says what is taken, and what needs its fits again.
    Where learners run ``apart``, nothing is measured: a metric may have ended the first attempt.
    """
    try:
        file = read_block(kept)
        before = Recipe.from_dict(file.footer["recipe"])
    except (StudyError, KeyError, TypeError):  # there is none, or it is of another version
        return {}
    if any(file.footer[key] != footer[key] for key in ("libraries", "laws")):
        return {}
    asked = set(recipe.pairs())
    stored: dict[tuple[Pair, int], dict[str, list[Row]]] = {}
    lacking: dict[str, None] = {}
    for (setting, learner), table in fits_of(file.table):
        if (setting, learner) not in asked:
            continue
        then, now = (one.digests(setting, learner) for one in (before, recipe))
        same = [part for part, digest in now.items() if then.get(part) == digest]
        labels = _labels_before(before, recipe, setting)
        make = cache(partial(recipe.make, setting=setting))
        for seed, rows in rows_by_seed(table).items():
            whole = [row for row in rows if row.status == "ok"]
            taken = stored[(setting, learner), seed] = {}
            for part in same if whole else ():
                of_part = {row.metric: row for row in whole if row.importance == part}
                try:
                    taken[part] = list(_rows_of_part(part, of_part, labels, make, apart))
                except NotStored as error:
                    lacking[f"{learner} {part}".strip() + f": {error}"] = None
    _say_what_is_taken(recipe, stored, lacking)
    return stored


def _labels_before(before: Recipe, recipe: Recipe, setting: str) -> dict[str, str]:
    """Return the label that each metric had, whatever its own is now; empty if it is new."""

    def digest(of: Recipe, label: str) -> str:
        return short_digest(of.method("metric", label, setting))

    old = {digest(before, label): label for label in before.metrics}
    return {label: old.get(digest(recipe, label), "") for label in recipe.metrics}


def _rows_of_part(
    part: str,
    stored: Mapping[str, Row],
    labels: Mapping[str, str],
    make: Callable[[str, str], Any],
    apart: bool,
) -> Iterator[Row]:
    """Yield the rows of a part of a seed: stored, or measured on stored scores."""
    if part and SCORES not in stored:
        raise NotStored("no scores are stored")
    if part:
        yield stored[SCORES]
    for label, old in labels.items():
        metric = make("metric", label)
        if (metric.needs == "importance") != bool(part):
            continue
        if old in stored:
            yield replace(stored[old], metric=label)
        elif part and not apart:
            try:
                yield _measured_again(stored[SCORES], label, metric, make("importance", part))
            except NotStored as error:
                raise NotStored(f"{label} needs {error}, which is not stored") from None
        else:
            raise NotStored(f"no {label} is stored")


def _measured_again(row: Row, label: str, metric: Any, importance: Any) -> Row:
    """Return the row of a metric of stored scores.

    In studies an importance of ours has no other direction than that of its scores, and its use
    says whether it selects features itself. One of a plugin may have both.
    """
    if not isinstance(importance, InStudies):
        raise NotStored("the direction of a plugin's importance")
    names = tuple(row.features or ())
    numbers: dict[str, Any] = {"p_values": row.p_values, "details": _Details()}
    if row.std_error is not None:
        numbers |= {"std_error": row.std_error, "std_error_kind": "as it was"}
    result = ImportanceResult(np.array(row.scores), names, **numbers)
    result.scores.flags.writeable = False
    known = _STORED if importance.use.selects else _STORED | {"details"}
    truth = _as_stored(Truth(tuple(row.signal or ()), len(names)), ("signal", "n_features"))
    return measure(row.seed, row.importance, label, metric, _as_stored(result, known), truth)


def _say_what_is_taken(recipe: Recipe, stored: Stored, lacking: Iterable[str]) -> None:
    """Write to the job's log whose rows are not computed, and what needs its fits again."""
    parts = {name: learner.importances or [""] for name, learner in recipe.learners.items()}
    methods = [(name, part) for name, own in parts.items() for part in own]
    there = {(pair[1], part) for (pair, _), own in stored.items() for part in own}
    taken = [f"{name} {part}".strip() for name, part in methods if (name, part) in there]
    if taken:
        words = f"rows of {len(taken)} of {len(methods)} methods taken from kept/"
        print(f"losaw: {words}: {', '.join(taken)}", flush=True)
    for words in lacking:
        print(f"losaw: fits are computed again for {words}", flush=True)


class NotStored(BaseException):
    """A metric needs more than is stored; no ``except Exception`` of its own may hide that."""


def _as_stored(whole: Any, stored: Container[str]) -> Any:
    """Return an object whose fields but those that are ``stored`` raise :class:`NotStored`."""
    hidden = {field.name for field in fields(whole) if field.name not in stored}

    class AsStored(type(whole)):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in hidden:
                raise NotStored(name)
            return super().__getattribute__(name)

    as_stored = object.__new__(AsStored)
    as_stored.__dict__.update(vars(whole))
    return as_stored


class _Details(Mapping[str, Any]):
    """The details of a result that decides nothing itself: nothing else of them is known."""

    def __getitem__(self, key: str) -> Any:
        if key == "selected":
            raise KeyError(key)
        raise NotStored(f"details[{key!r}]")

    def __iter__(self) -> Iterator[str]:
        raise NotStored("details")

    def __len__(self) -> int:
        raise NotStored("details")

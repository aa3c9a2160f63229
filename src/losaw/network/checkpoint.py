"""The state of a training as a file, so that it can be stopped and resumed."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from losaw.data import FloatArray
from losaw.support.whole_files import write_atomically


class CheckpointError(ValueError):
    """A checkpoint that cannot be written or read, or belongs to another training."""


def fingerprint(X: FloatArray, y: FloatArray, parameters: Mapping[str, Any]) -> str:
    """Return a digest of a training sample and of the parameters that a training depends on."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(parameters, sort_keys=True, default=str).encode())
    for array in (X, y):
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def save(path: Path, mark: str, step: int, arrays: list[Any], batches: dict[str, Any]) -> None:
    """Write the state after ``step`` steps to a temporary file, then rename it.

    Parameters
    ----------
    path : Path
    mark : str
        The training's :func:`fingerprint`.
    step : int
    arrays : list of array
        Network parameters and optimiser state, in a fixed order.
    batches : dict
        State of the mini-batches.

    Raises
    ------
    CheckpointError
        If the file cannot be written.
    """
    note = json.dumps({"mark": mark, "step": step, "batches": batches}, default=_plain)
    content = {f"array_{index:03d}": np.asarray(array) for index, array in enumerate(arrays)}

    def write(place: Path) -> None:
        with place.open("wb") as file:  # a path would get the suffix .npz
            np.savez(file, note=np.array(note), **content)  # type: ignore[arg-type, unused-ignore]

    write_atomically(path, write, CheckpointError)


def load(path: Path, mark: str) -> tuple[int, list[Any], dict[str, Any]]:
    """Return step, arrays and mini-batch state that :func:`save` wrote.

    Raises
    ------
    CheckpointError
        If the file is damaged or was written by a training with other data or parameters.
    """
    try:
        with np.load(path, allow_pickle=False) as content:
            note = json.loads(str(content["note"]))
            arrays = [content[name] for name in sorted(content.files) if name != "note"]
        written_mark, step, batches = note["mark"], int(note["step"]), note["batches"]
    except Exception as error:  # a damaged file can fail in the archive, the header or the note
        raise CheckpointError(
            f"checkpoint {path} cannot be read ({type(error).__name__}: {error}); delete it to "
            "start anew"
        ) from None
    if written_mark != mark:
        raise CheckpointError(
            f"checkpoint {path} belongs to a training with other data or parameters; name "
            "another file, or delete it to start anew"
        )
    return step, arrays, batches


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written into a checkpoint")

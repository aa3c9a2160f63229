"""The seconds of the parts of a computation, without those that loops were compiled for."""

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from losaw.kernels.compiled import COMPILING


@dataclass
class Clock:
    """The seconds of each part of a computation, without compiling."""

    verbose: bool  # whether each part is named on stderr as it begins
    limit: float = math.inf  # after so many seconds no other method begins
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Announce a part, and add up its seconds."""
        if self.verbose:
            with suppress(OSError):  # a full disk
                print(f"losaw: {name}", file=sys.stderr, flush=True)
        start, compiled = time.perf_counter(), COMPILING.elapsed
        yield
        seconds = time.perf_counter() - start - (COMPILING.elapsed - compiled)
        self.seconds[name] = self.seconds.get(name, 0.0) + max(seconds, 0.0)

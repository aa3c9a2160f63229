"""What a job of Snakemake does around its work: a log, plugins."""

import contextlib
import faulthandler
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from losaw.study.block.jax_programs import keep_jax_programs
from losaw.study.registry.plugins import load_plugin
from losaw.study.request.study_file import listed
from losaw.support.errors import LosawError


@contextlib.contextmanager
def job(log: str, plugins: Sequence[str | Path] | str = (), attempt: int = 1) -> Iterator[None]:
    """Send all output of this process to a log; a user's mistake ends it without a traceback.

    Crashes in compiled code leave a traceback too. The log of the attempts before stays.
    """
    with open(log, "w" if attempt == 1 else "a", encoding="utf-8") as file:
        if attempt > 1:
            file.write(f"losaw: attempt {attempt}\n")
            file.flush()
        for number in (1, 2):
            os.dup2(file.fileno(), number)
        faulthandler.enable(file=2)  # by number: sys.stderr may be another file
        keep_jax_programs()
        try:
            for plugin in listed(plugins):
                load_plugin(plugin)
            yield
            gc.freeze()  # no last collection: half a second after the cost was noted
        except LosawError as error:
            print(f"losaw: {error}", file=sys.stderr, flush=True)
            raise SystemExit(1) from None

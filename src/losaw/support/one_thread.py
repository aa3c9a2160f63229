"""One thread for each process: parallelism comes from blocks."""

import os
import platform

# The last is JAX's.
VARIABLES = (*(f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")), "NPROC")


def use_one_thread() -> None:
    """Set the variables of numerical libraries, before any is loaded, here and in jobs.

    A sum over several threads has other last bits. So has one that is compiled for another
    processor, since numba adds in groups whose size it chooses for it: it compiles for one x86
    processor, with the instructions of the one that it runs on.
    """
    os.environ |= dict.fromkeys(VARIABLES, "1")
    if platform.machine() in {"x86_64", "AMD64"}:
        os.environ["NUMBA_CPU_NAME"] = "znver4"

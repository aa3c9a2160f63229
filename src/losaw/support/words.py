"""The wording of errors: the unknown name, its nearest match, and the known names.

Nothing here decides a number, so no results version covers this module.
"""

import difflib
from collections.abc import Iterable

# Share of letters that agree from which on a name is a likely slip: 'n_trees' is none of
# 'max_features' (.53), 'dest' one of 'desk' (.75). Letters in another order count as a slip too.
NEAR = 0.6


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest match, or an empty string."""
    names = [str(k) for k in known]
    swapped = [other for other in names if sorted(other) == sorted(name)]
    match = swapped or difflib.get_close_matches(name, names, n=1, cutoff=NEAR)
    return f"; did you mean {match[0]!r}?" if match else ""


def unknown(what: str, name: object, known: Iterable[object]) -> str:
    """Return ``"unknown <what> 'name'; did you mean 'x'? (known: …)"``."""
    names = [str(name) for name in known]
    return f"unknown {what} {name!r}{did_you_mean(str(name), names)} (known: {', '.join(names)})"

"""The wording of errors and numbers: an unknown name, its nearest match, shares, a p-value."""

import difflib
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence

# Share of letters that agree from which on a name is a likely slip: 'n_trees' is none of
# 'max_features' (.53), 'dest' one of 'desk' (.75). Letters in another order count as a slip too.
NEAR = 0.6
MOST_NAMES = 50


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the nearest match, or an empty string."""
    names = [str(k) for k in known]
    swapped = [other for other in names if sorted(other) == sorted(name)]
    longer = [other for other in names if other.startswith(f"{name}-")]  # pfi of pfi-ratio
    match = swapped or longer or difflib.get_close_matches(name, names, n=1, cutoff=NEAR)
    return f"; did you mean {match[0]!r}?" if match else ""


def other_columns(what: str, names: Iterable[str], of: str, expected: Iterable[str]) -> str:
    """Return how names of columns differ from the expected ones; an empty string if they do not."""
    names_found, wanted = list(names), list(expected)
    if names_found == wanted:
        return ""
    if sorted(names_found) != sorted(wanted):
        strange = (Counter(names_found) - Counter(wanted)) or (
            Counter(wanted) - Counter(names_found)
        )
        return f"{what} has other columns than {of} (first difference: {next(iter(strange))!r})"
    first = next(j for j, name in enumerate(names_found) if name != wanted[j])
    return (
        f"{what} has the same columns as {of}, but in another order: column {first + 1} is "
        f"{names_found[first]!r}, not {wanted[first]!r}"
    )


def unknown(what: str, name: object, known: Iterable[object]) -> str:
    """Return ``"unknown <what> 'name'; did you mean 'x'? (known: …)"``, the first names of many."""
    names = [str(name) for name in known]
    shown = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
    return f"unknown {what} {name!r}{did_you_mean(str(name), names)} (known: {shown})"


def counted(n: int, words: str) -> str:
    """Return a count with its words: of ``[one|several]`` those that are right after it."""
    return f"{n:,} " + re.sub(r"\[(.*?)\|(.*?)\]", r"\1" if n == 1 else r"\2", words)


def listed(names: Sequence[str]) -> str:
    """Return names with commas between them, and in quotes where a name has a comma itself."""
    return ", ".join(f"“{name}”" if "," in name else name for name in names)


def as_option(option: str, name: str, kind: str = "") -> str:
    """Return an option on a column as a shell takes it: --kinds 'a b:nominal', --drop=-x."""
    is_list = option != "--cluster"
    value = f'"{name}"' if is_list and re.search("[,\r\n]", name) else name
    sign = "=" if value.startswith("-") else " "
    return f"{option}{sign}{shlex.quote(f'{value}:{kind}' if kind else value)}"


def decimal(value: float) -> str:
    """Return a number with two digits behind the point, or more where they would say 0 or 1.

    No zero stands before the point, and no minus before a zero.
    """
    text = f"{value:.2f}"
    if float(text) == 0:
        text = f"{value:.1g}" if abs(value) > 1e-9 else ".00"  # less is rounding of the machine
    elif text.lstrip("-") == "1.00" and (left := 1 - abs(value)) > 1e-9:
        text = f"{value:.{-math.floor(math.log10(left))}f}"
    text = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
    return text.replace("-", "−")


def percent(share: float) -> str:
    """Return a share as ``97 %``; never rounded up to 100 % or down to 0 % when it is neither."""
    if not math.isfinite(share):
        return "–"
    rounded = round(100 * share)
    if rounded == 100 and share < 1:
        return "> 99 %"
    return "< 1 %" if rounded == 0 and share > 0 else f"{rounded} %"


def p_text(p_value: float) -> str:
    """Return a p-value with its sign, as ``= .03``, ``< .001`` or ``> .999``."""
    if 0.9995 <= p_value < 1:
        return "> .999"
    return "< .001" if p_value < 0.001 else f"= {p_value:.3f}".replace("= 0.", "= .")

"""Numbers and names in the style of papers: plain, in LaTeX, in HTML."""

import html
import math
import re
import statistics
from collections.abc import Callable, Iterable

# R²_test is R² with the subscript "test", more may follow a comma or colon; n_samples is a plain
# name.
_SUBSCRIPT = re.compile(r"^([A-Z][^_\s]*)_([^_\s,:]+)([,:].*)?$")

_ESCAPED = "{}$&#_%"  # by a backslash before them
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "²": r"\textsuperscript{2}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "→": r"$\to$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "✓": r"\checkmark{}",
    "✗": r"$\times$",
    "≠": r"$\ne$",
    "∞": r"$\infty$",
}
_GREEK = (
    "αalpha βbeta γgamma δdelta εvarepsilon ζzeta ηeta θtheta ιiota κkappa λlambda μmu νnu ξxi πpi "
    "ρrho σsigma τtau υupsilon φvarphi χchi ψpsi ωomega ΓGamma ΔDelta ΘTheta ΛLambda ΞXi ΠPi "
    "ΣSigma ΦPhi ΨPsi ΩOmega"
)
_LATEX |= {word[0]: rf"$\{word[1:]}$" for word in _GREEK.split()}
_MOST_DECIMALS = 8


def number(value: float, decimals: int) -> str:
    """Return ``.530`` for 0.53, in the style of papers; empty for a missing number."""
    if not math.isfinite(value):
        return ""
    text = f"{value:.{decimals}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return re.sub(r"^(-?)0\.", r"\1.", text)


def two_digits(size: float) -> int:
    """Return the decimals that show two digits of a size above 0, as far as a table has room."""
    return min(max(1 - math.floor(math.log10(size)), 0), _MOST_DECIMALS)


def decimals_of(values: Iterable[float], errors: Iterable[float], usual: int) -> int:
    """Return the usual decimals, or more where the median value and error would both read as 0.

    Then two digits of the error are shown, or of the value where no error is known.
    """
    value, error = (
        statistics.median([abs(n) for n in numbers if math.isfinite(n) and n] or [0.0])
        for numbers in (values, errors)
    )
    reads_as_0 = round(max(value, error), usual) == 0 < max(value, error)
    return two_digits(error or value) if reads_as_0 else usual


def signed(value: float, decimals: int = 1) -> str:
    """Return a number with its sign, as ``+0.3``; a dash for a missing number."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:+.{decimals}f}"
    return text.replace("-", "+") if float(text) == 0 else text


def markdown(text: str) -> str:
    """Text for a cell of a Markdown table."""
    return re.sub(r"([\\|*`<>])", r"\\\1", text).replace("\n", " ")


def latex(text: str) -> str:
    """Text with everything escaped that LaTeX would read as a command."""
    escaped = "".join(_LATEX.get(c, f"\\{c}" if c in _ESCAPED else c) for c in text)
    # At the beginning of a row LaTeX would read it as an option of the line's end before it.
    return f"{{}}{escaped}" if text.startswith(("[", "*")) else escaped


def latex_label(label: str) -> str:
    """A name in LaTeX, its part after the underscore as a subscript."""
    return _label(label, latex, r"\textsubscript{{{}}}")


def html_label(label: str) -> str:
    """A name in HTML, its part after the underscore as a subscript."""
    return _label(label, html.escape, "<sub>{}</sub>")


def _label(label: str, escape: Callable[[str], str], subscript: str) -> str:
    parts = _SUBSCRIPT.match(label)
    if parts is None:
        return escape(label)
    return escape(parts[1]) + subscript.format(escape(parts[2])) + escape(parts[3] or "")


def run_count(counts: Iterable[int]) -> str:
    """Return ``20 runs``, or ``4 to 20 runs`` where the counts differ."""
    low, high = min(counts), max(counts)
    runs = "run" if high == 1 else "runs"
    return f"{low:,} {runs}" if low == high else f"{low:,} to {high:,} {runs}"


def math_label(label: str) -> str:
    """A name for Matplotlib; what follows an underscore, or X in X1, becomes a subscript."""
    parts = _SUBSCRIPT.match(label) or re.match(r"^(X)(\d+)()$", label)
    if parts is None or re.search(r"[\\{}^%#$~&\"`]", label):  # which mean something in a formula
        return label.replace("$", r"\$")
    if parts[1] == "X":
        return f"$X_{{{parts[2]}}}$"
    base, squared = parts[1].removesuffix("²"), "^2" if parts[1].endswith("²") else ""
    return rf"$\mathrm{{{base}}}{squared}_{{\mathrm{{{parts[2]}}}}}${parts[3] or ''}"

"""The style of figures: one place for sizes, fonts and colours, no global state."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from losaw.study.writing import write_file
from losaw.support.extras import extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette: distinguished with any colour vision, and in grey by lightness.
SIGNAL = "#E69F00"
NOISE = "#9A9A9A"
FIRST = "#0072B2"
SECOND = "#D55E00"
THIRD = "#009E73"
INK = "#222222"
FAINT = "#D9D9D9"

TEXT_WIDTH = 7.0  # inches; a journal's text block, two columns of 3.4
PIXELS_PER_INCH = 200
_COLOURS = 64

# Points at print size; nothing below 7 pt.
_PARAMETERS: Any = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlepad": 6.0,
    "axes.labelsize": 8.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.4,
    "figure.dpi": 100,
    "pdf.fonttype": 42,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in this style whatever the user's own settings are, and leave those as they were."""
    with extra("plot"):
        import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_PARAMETERS)
        yield


def new_figure(height: float, width: float = TEXT_WIDTH) -> "Figure":
    """An empty figure (inches) outside of pyplot's global list of figures."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: "Figure", path: Path) -> None:
    """Write a figure in the format of ``path``'s suffix; equal figures give equal bytes.

    A PNG has a palette of 64 colours: a third of the bytes of one without, for the same eye.
    """
    if path.suffix == ".png":
        write_file(path, lambda place: _write_png(figure, place))
        return
    write_file(
        path,
        lambda place: figure.savefig(
            place, format="pdf", metadata={"CreationDate": None}, facecolor="white"
        ),
    )


def _write_png(figure: "Figure", place: Path) -> None:
    from PIL import Image

    drawn = BytesIO()
    figure.savefig(
        drawn, format="png", metadata={"Software": None}, dpi=PIXELS_PER_INCH, facecolor="white"
    )
    with Image.open(drawn) as picture:
        few = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    few.save(place, format="png", optimize=True, dpi=(PIXELS_PER_INCH, PIXELS_PER_INCH))


def heading(ax: "Axes", text: str) -> None:
    """A panel's title, above its left edge."""
    ax.set_title(text, loc="left")

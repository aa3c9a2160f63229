"""The style of figures: one place for sizes, fonts and colours, no global state."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from losaw.study.block.writing import write_file
from losaw.support.extras import extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image as Picture

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
_COLOURS = 256

# Points at print size; nothing below 7 pt.
_PARAMETERS: Any = {
    "font.size": 8.0,
    "axes.titlelocation": "left",
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

    figure = Figure(figsize=(width, height), dpi=PIXELS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _few_colours(pixels: NDArray[np.int_]) -> "Picture":
    """Return a picture (height, width, 3) with its most frequent colours, and the nearest of them.

    Pillow chooses others, and may give a thin line the colour of a line with more pixels.
    """
    from PIL import Image
    from scipy.spatial import KDTree

    numbers, places, counts = np.unique(
        pixels @ [65536, 256, 1], return_inverse=True, return_counts=True
    )
    colours = numbers[:, None] >> [16, 8, 0] & 255
    kept = colours[np.argsort(-counts, kind="stable")[:_COLOURS]]
    _, nearest = KDTree(kept).query(colours)
    few = Image.fromarray(nearest[places].reshape(pixels.shape[:2]).astype(np.uint8), "P")
    few.putpalette(kept.ravel().tolist())
    return few


def write_picture(figure: "Figure", drawn: BytesIO) -> None:
    """Write a figure as PNG with a palette of 256 colours: a third of the bytes, for the same eye.

    Equal figures give equal bytes.
    """
    from PIL import Image

    dpi = PIXELS_PER_INCH
    figure.savefig(
        first := BytesIO(), format="png", metadata={"Software": None}, dpi=dpi, facecolor="white"
    )
    with Image.open(first) as picture:
        few = _few_colours(np.asarray(picture.convert("RGB"), dtype=int))
    few.save(drawn, format="png", optimize=True, dpi=(dpi, dpi))


def save(figure: "Figure", path: Path) -> None:
    """Write a figure as PDF or PNG, by the suffix of ``path``; equal figures give equal bytes."""
    drawn = BytesIO()
    if path.suffix == ".png":
        write_picture(figure, drawn)
    else:
        figure.savefig(drawn, format="pdf", metadata={"CreationDate": None}, facecolor="white")
    write_file(path, lambda place: place.write_bytes(drawn.getvalue()))

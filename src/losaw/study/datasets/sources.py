"""The origin of every real data set, and the checksums of its files."""

from collections.abc import Callable
from dataclasses import dataclass

GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class Source:
    """A data set: its description, and its files, which a repository on GitHub holds."""

    origin: str
    licence: str
    # The name of a file, below the data set's folder -> the SHA-256 of its content.
    files: dict[str, str]
    # Repository, commit and path of the original, with {} for the name; None if there is none that
    # gives these bytes.
    original: str | None = None
    # From the content of the original to that of the file.
    convert: Callable[[bytes], bytes] | None = None
    how_made: str = ""  # the origin of a file without an original


def _original_fish_header(content: bytes) -> bytes:
    """Drop the byte-order mark and give the three lengths their original names back."""
    header, line_end, rows = content.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    for renamed, original in (
        (b"LengthVer", b"Length1"),
        (b"LengthDiag", b"Length2"),
        (b"LengthCross", b"Length3"),
    ):
        header = header.replace(renamed, original)
    return header + line_end + rows


SOURCES = {
    "adult": Source(
        origin="UCI Adult (Census Income), training part adult.data without its last, empty line",
        licence="the repository is MIT; none stated for the data",
        files={
            "adult.data.txt": "df25a4e32ed6f1bd4b3910d21a7bd661a09061eced7cb45555a519d9667cc87b"
        },
        original="shap/shap/df974a1966294b9c7acebb1373fd6dc5445d1d3d/data/adult.data",
    ),
    "boston_housing": Source(
        origin="UCI Housing (StatLib; Harrison and Rubinfeld 1978)",
        licence="not stated",
        files={
            "housing.data.txt": "4a8425d42eb99b76feb7ee7cf0fb1d897a6cd19b72c437e4855d767cabb7e24e"
        },
        original="vevake/Housing_BNN/f9c1b24029cf639697b869128c304bc76b933051/housing.data",
    ),
    "california_housing": Source(
        origin="California housing of 1990 (Pace and Barry 1997) with ocean_proximity added",
        licence="the repository is Apache-2.0; none stated for the data",
        files={"housing.csv": "8a3727f4cf54ac1a327f69b1d5b4db54c5834ea81c6e4efc0d163300022a685e"},
        original="ageron/handson-ml2/1e2115277b50f6c584cd668fa30e3af309a5b136/datasets/housing/{}",
    ),
    "chip_enhancer": Source(
        origin="Drosophila enhancers (Basu, Kumbier, Brown and Yu, iterative random forests)",
        licence="not stated",
        files={
            "X_train.csv": "f398a3ab2378ad7529ceacf685e58fa1deefe3fa0b507811d72c80d283ef34a5",
            "y_train.csv": "18b9499af5d97903464f2c2d58c379f35cdbb735912834052a2176fca336c846",
            "X_test.csv": "830d873474fc4de8de2f2c88fc96ad35c1873e4296c1a3e78d4a11722dccd812",
            "y_test.csv": "d217c4e6e51c5481064d868fad02f72b12e0d71803fa4938d3098bc05f223ac7",
        },
        original="nalzok/TreeInner/f8beb5b3f253ce4bd19933293ca9343c3ba9ba72/02_enhancer/{}",
    ),
    "diamonds": Source(
        origin="the diamonds of ggplot2 (OpenML 42225)",
        licence="not stated",
        files={"diamonds.csv": "9574730b03aba241d899c4a97511c5061b19358fab89510774fb6c24168345c4"},
        original="mwaskom/seaborn-data/71e2436a092d714350de0fc409ca8a8714e7e78f/{}",
    ),
    "fish": Source(
        origin="Kaggle Fish market (Aung Pyae 2019, version 2)",
        licence="not stated",
        files={"Fish.csv": "ae1f7e85290f9c739a6ebcc0f5f5cfa7437d21122532eb96857bdb10be77f837"},
        original="hovogrig/Fish-Weight-Estimation/6df22a802ef78de6fe04c76cd5828894eb630d22/{}",
        convert=_original_fish_header,
    ),
    "rna_editing": Source(
        origin="Cummings and Myers 2004, BMC Bioinformatics 5:132, additional file 1",
        licence="the article is CC BY 2.0",
        files={
            "arabidopsis.csv": "f9878f1be2ac3fae87792c4c5d7659af82cee923e30daa1c3da6dfda6dc9c65f"
        },
        how_made=(
            "it was converted from the R data file data/arabidopsis.rda of the GitHub repository "
            "markusloecher/rfVarImpOOB (commit 052fde538d83334488e1570069081315269663ec) to CSV, "
            "with the R row names as a first column 'row'"
        ),
    ),
}

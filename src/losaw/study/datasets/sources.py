"""The origin of every real data set, and the checksums of its files."""

from collections.abc import Callable
from dataclasses import dataclass

GITHUB = "https://raw.githubusercontent.com"


@dataclass(frozen=True)
class SourceFile:
    """A file of a data set."""

    name: str  # below the data set's folder
    sha256: str  # of the file in the folder
    url: str | None = None  # of its original; None if there is none that gives these bytes
    convert: Callable[[bytes], bytes] | None = None  # from the original to the file


@dataclass(frozen=True)
class Source:
    """A data set: its files, its description, and the origin of a file without a URL."""

    files: tuple[SourceFile, ...]
    origin: str
    licence: str
    how_made: str = ""


def _snapshot(repository: str, commit: str, path: str) -> str:
    return f"{GITHUB}/{repository}/{commit}/{path}"


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


def _enhancer(name: str, sha256: str) -> SourceFile:
    commit = "f8beb5b3f253ce4bd19933293ca9343c3ba9ba72"
    return SourceFile(name, sha256, _snapshot("nalzok/TreeInner", commit, f"02_enhancer/{name}"))


SOURCES = {
    "adult": Source(
        files=(
            SourceFile(
                "adult.data.txt",
                "df25a4e32ed6f1bd4b3910d21a7bd661a09061eced7cb45555a519d9667cc87b",
                _snapshot(
                    "shap/shap", "df974a1966294b9c7acebb1373fd6dc5445d1d3d", "data/adult.data"
                ),
            ),
        ),
        origin="UCI Adult (Census Income), training part adult.data without its last, empty line",
        licence="the repository is MIT; none stated for the data",
    ),
    "boston_housing": Source(
        files=(
            SourceFile(
                "housing.data.txt",
                "4a8425d42eb99b76feb7ee7cf0fb1d897a6cd19b72c437e4855d767cabb7e24e",
                _snapshot(
                    "vevake/Housing_BNN", "f9c1b24029cf639697b869128c304bc76b933051", "housing.data"
                ),
            ),
        ),
        origin="UCI Housing (StatLib; Harrison and Rubinfeld 1978)",
        licence="not stated",
    ),
    "california_housing": Source(
        files=(
            SourceFile(
                "housing.csv",
                "8a3727f4cf54ac1a327f69b1d5b4db54c5834ea81c6e4efc0d163300022a685e",
                _snapshot(
                    "ageron/handson-ml2",
                    "1e2115277b50f6c584cd668fa30e3af309a5b136",
                    "datasets/housing/housing.csv",
                ),
            ),
        ),
        origin="California housing of 1990 (Pace and Barry 1997) with ocean_proximity added",
        licence="the repository is Apache-2.0; none stated for the data",
    ),
    "chip_enhancer": Source(
        files=(
            _enhancer(
                "X_train.csv", "f398a3ab2378ad7529ceacf685e58fa1deefe3fa0b507811d72c80d283ef34a5"
            ),
            _enhancer(
                "y_train.csv", "18b9499af5d97903464f2c2d58c379f35cdbb735912834052a2176fca336c846"
            ),
            _enhancer(
                "X_test.csv", "830d873474fc4de8de2f2c88fc96ad35c1873e4296c1a3e78d4a11722dccd812"
            ),
            _enhancer(
                "y_test.csv", "d217c4e6e51c5481064d868fad02f72b12e0d71803fa4938d3098bc05f223ac7"
            ),
        ),
        origin="Drosophila enhancers (Basu, Kumbier, Brown and Yu, iterative random forests)",
        licence="not stated",
    ),
    "diamonds": Source(
        files=(
            SourceFile(
                "diamonds.csv",
                "9574730b03aba241d899c4a97511c5061b19358fab89510774fb6c24168345c4",
                _snapshot(
                    "mwaskom/seaborn-data",
                    "71e2436a092d714350de0fc409ca8a8714e7e78f",
                    "diamonds.csv",
                ),
            ),
        ),
        origin="the diamonds of ggplot2 (OpenML 42225)",
        licence="not stated",
    ),
    "fish": Source(
        files=(
            SourceFile(
                "Fish.csv",
                "ae1f7e85290f9c739a6ebcc0f5f5cfa7437d21122532eb96857bdb10be77f837",
                _snapshot(
                    "hovogrig/Fish-Weight-Estimation",
                    "6df22a802ef78de6fe04c76cd5828894eb630d22",
                    "Fish.csv",
                ),
                convert=_original_fish_header,
            ),
        ),
        origin="Kaggle Fish market (Aung Pyae 2019, version 2)",
        licence="not stated",
    ),
    "rna_editing": Source(
        files=(
            SourceFile(
                "arabidopsis.csv",
                "f9878f1be2ac3fae87792c4c5d7659af82cee923e30daa1c3da6dfda6dc9c65f",
            ),
        ),
        origin="Cummings and Myers 2004, BMC Bioinformatics 5:132, additional file 1",
        licence="the article is CC BY 2.0",
        how_made=(
            "it was converted from the R data file data/arabidopsis.rda of the GitHub repository "
            "markusloecher/rfVarImpOOB (commit 052fde538d83334488e1570069081315269663ec) to CSV, "
            "with the R row names as a first column 'row'"
        ),
    ),
}

"""The claims of a paper's text, in a form that numbers can contradict."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from losaw.study.errors import StudyError, part_of
from losaw.study.request.checks import FRONT_PAGES, check_filter
from losaw.study.request.grid import Study
from losaw.study.request.settings import plain
from losaw.study.request.study_file import (
    Filter,
    Names,
    NoTruth,
    Number,
    SomeValues,
    SourceFile,
    Strict,
    parse,
)


class Side(Strict):
    """One side of a comparison: the numbers of a study that a claim is about."""

    method: Names | None = None
    """As in ``summary.csv``; of several, each is compared. Default: as on the left side."""
    metric: Names | None = None
    """Likewise."""
    where: Filter = Field(default={})
    """Axis -> value or values."""


class Claim(Strict):
    """One sentence of a paper, and the cells that decide it."""

    says: str
    """The claim in our words."""
    place: str
    """Where the paper says it: section, table, figure."""
    study: str
    metric: Names
    """Of the numbers on the left side; of several, each must hold."""
    method: Names
    """Likewise."""
    where: Filter = Field(default={})
    """Axis -> value or values: the settings that the claim is about."""
    relation: Literal["above", "below", "at least", "at most", "near"]
    """``above``, ``below``, ``at least``, ``at most`` or ``near``."""
    than: Number | Side
    """A number, or other cells, ``{method, metric, where}``: each cell on the left is compared with
    the one whose axes are equal, but for those that ``where`` names here.
    """
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False), NoTruth] = 0.0
    """For ``above`` and ``below``: by how much. For ``at least`` and ``at most``: what may be
    missing. For ``near``: how far is near.
    """
    statistic: Literal["mean", "deviation"] = "mean"
    """What is compared: means over the runs, or the standard deviations of single runs."""
    share_of: dict[str, Annotated[SomeValues, Field(max_length=1)]] = Field(default={})
    """Axis -> value: every mean is divided by that of the same cell at this value; those at it are
    1, and not compared.
    """
    holds_in: Literal["all", "most"] = "all"
    """Whether one setting against it is too many, or only more than half of them ("often")."""
    ours: bool = False
    """Our own claim, which the paper does not make: shown and counted apart."""
    comment: str = ""
    """Shown with the verdict: which readings were tried, and what is known."""

    @property
    def sides(self) -> list[Side]:
        """The left side, and the right one unless it is a number, with what they take from it."""
        left = Side(method=self.method, metric=self.metric, where=self.where)
        if not isinstance(self.than, Side):
            return [left]
        named = self.than.model_dump(exclude_none=True)
        where = {**self.where, **self.than.where}
        return [left, left.model_copy(update={**named, "where": where})]


class OpenPoint(Strict):
    """What a paper leaves open, or says in two ways, and what is done here."""

    point: str
    """What is open."""
    decided: str
    why: str
    otherwise: str
    """What the other reading gives: numbers, or "not measured"."""
    studies: Annotated[list[str], Field(min_length=1)]
    """The studies that rest on it."""


class Claims(Strict):
    """What one paper says in words."""

    paper: str
    """Its reference, as a reader cites it."""
    title: str
    studies: Annotated[list[str], Field(min_length=1)]
    """Names of study files: those that the paper's page shows, in its order."""
    shown_first: list[str] = Field(default=[])
    """``<study>/<table or figure>``, at the top of the page. Default: the first table that has
    published values, and the first figure."""
    claims: list[Claim] = Field(default=[])
    not_checked: list[str] = Field(default=[])
    """Claims that no number of ours can decide, each with the reason."""
    does_not_reproduce: list[str] = Field(default=[])
    """What is known not to agree, or only under another reading."""
    decisions: list[OpenPoint] = Field(default=[])


def read_claims(path: Path) -> Claims:
    """Read a file of claims; a StudyError names file and key of every problem."""
    return parse(Claims, SourceFile(path))


def read_papers(folder: Path) -> dict[str, Claims]:
    """Read all files of claims in a folder: short name of a paper -> its claims."""
    return {path.stem: read_claims(path) for path in sorted(folder.glob("*.yaml"))}


def pages_of(papers: Mapping[str, Claims], studies: Iterable[str]) -> dict[str, list[str]]:
    """Map each paper to its studies, and each study that belongs to none to itself."""
    studies = list(studies)
    pages = {name: [s for s in paper.studies if s in studies] for name, paper in papers.items()}
    covered = {study for names in pages.values() for study in names}
    others = {study: [study] for study in studies if study not in covered}
    return {name: names for name, names in pages.items() if names} | others


def check_claims(configuration: Path, shown: Collection[str]) -> None:
    """Check the claims of every paper that some of the shown studies are of; nothing is run.

    ``configuration`` is the folder of ``claims`` and ``studies``. Refused, with file and line, are
    a study, metric, method, axis or value that there is not, a claim that compares numbers with
    themselves, and a study that two papers name. The names of studies are checked of all papers.
    """
    read = cache(Study)
    known = {path.stem: path for path in sorted((configuration / "studies").glob("*.yaml"))}
    papers: dict[str, Path] = {}
    for path in (configuration / "claims").glob("*.yml"):
        raise StudyError(f"{path}: is not read; rename it to {path.stem}.yaml")
    for path in sorted((configuration / "claims").glob("*.yaml")):
        source = SourceFile(path)
        paper = parse(Claims, source)
        for index, name in enumerate(paper.studies):  # after a typo no page would have the claims
            source.check_known(name, known, ("studies", index), "study")
        others = *FRONT_PAGES, *known.keys() - {*paper.studies}
        if path.stem in others:
            what = "the front page" if path.stem in FRONT_PAGES else "a study that it does not list"
            raise source.error((), f"has the name of {what}, whose page it would be; rename it")
        for index, name in enumerate(paper.studies):
            if name in papers:
                message = f"{name!r} is named by {papers[name].name} too; a study is of one paper"
                raise source.error(("studies", index), message)
            papers[name] = path
        if not set(paper.studies).isdisjoint(shown):
            _check_paper(paper, source, known, read)


def _check_paper(
    paper: Claims, source: SourceFile, known: Mapping[str, Path], read: Callable[[Path], Study]
) -> None:
    for index, decision in enumerate(paper.decisions):
        for number, name in enumerate(decision.studies):
            source.check_known(name, known, ("decisions", index, "studies", number), "study")
    for index, shown in enumerate(paper.shown_first):
        location = ("shown_first", index)
        own = {f"{n}/{k}" for n in paper.studies for k in _shown_of(read(known[n]))}
        source.check_known(shown, sorted(own), location, "table or figure")
    for index, claim in enumerate(paper.claims):
        try:
            _check(claim, read(part_of("study", claim.study, known)))
        except StudyError as error:
            raise source.error(("claims", index), f"{claim.says!r}: {error}") from None


def _shown_of(study: Study) -> list[str]:
    return [*study.file.tables, *study.file.figures]


def _check(claim: Claim, study: Study) -> None:
    if claim.than == Side():
        raise StudyError("'than' names nothing; a method, metric or settings to compare with")
    if claim.relation == "near" and not claim.margin:
        raise StudyError("'near' needs a margin above 0: no runs show that two numbers are equal")
    for side in claim.sides:
        for metric in side.metric or ():
            if metric not in study.metrics:
                raise StudyError(study.unknown_metric(metric))
            if claim.statistic == "deviation" and study.summaries[metric] != "mean":
                raise StudyError(
                    f"'statistic: deviation' of {metric!r}, which the study file summarises "
                    "otherwise than by the mean; leave 'statistic' out"
                )
            known = dict.fromkeys(study.methods_of(metric))
            for method in side.method or ():
                part_of("method", method, known)
        check_filter(study, side.where, ("settings",))
    check_filter(study, claim.share_of, ("settings",))
    than = claim.than if isinstance(claim.than, Side) else Side(method=[])
    named: list[tuple[list[Any] | None, list[Any] | None]]
    named = [(claim.method, than.method), (claim.metric, than.metric)]
    named += [(claim.where.get(axis), values) for axis, values in than.where.items()]
    if all(_is_one(left, right) for left, right in named if right is not None):
        raise StudyError("'than' names what is on the left side; another method, metric or setting")
    bases = [(claim.where.get(axis), values) for axis, values in claim.share_of.items()]
    if bases and all(_is_one(left, right) for left, right in bases):
        raise StudyError("'share_of' names the settings of 'where': each mean is divided by itself")
    if claim.statistic == "deviation" or claim.share_of:
        return
    for metric in claim.metric:
        low, high = study.range_of(metric)
        others = [*map(study.range_of, than.metric or [metric])]
        for down, up in others if isinstance(claim.than, Side) else [(claim.than, claim.than)]:
            if _is_sure(claim, low - up, high - down):
                words = f"{metric!r} is from {low:g} to {high:g}; take another number or margin"
                raise StudyError(f"no result can contradict it: {words}")


def _is_sure(claim: Claim, lowest: float, highest: float) -> bool:
    """Return whether a relation holds for all differences in a range; NaN is any number."""
    margin = claim.margin if claim.relation in ("above", "below") else -claim.margin
    if claim.relation == "near":
        return -claim.margin <= lowest and highest <= claim.margin
    return lowest >= margin if claim.relation in ("above", "at least") else highest <= -margin


def _is_one(left: Collection[Any] | None, right: Collection[Any]) -> bool:
    """Return whether both sides have the same value, and no other."""
    return bool(left and right) and len({plain(value) for value in (*(left or ()), *right)}) == 1

"""The results of several studies in one folder: ``results/<scale>``, or ``reference``."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from losaw.study.claims.claim_file import Claim, Claims, Side, check_claims, pages_of, read_papers
from losaw.study.claims.weighing import (
    NOT_RUN,
    PARTLY_RUN,
    UNDECIDED,
    Weighed,
    planned_of,
    weigh_claim,
)
from losaw.study.errors import StudyError
from losaw.study.report.best_methods import RANKING, ranking_by
from losaw.study.report.results import StudyResults, read_manifest
from losaw.study.report.undecided import OpenPoint, open_points
from losaw.study.request.grid import Study
from losaw.study.request.settings import plain
from losaw.study.results.chance import read_fresh, with_fresh
from losaw.study.results.compare import compared_cells, counted, outcomes
from losaw.study.results.summary import effects_by_run
from losaw.study.stored_tables import read_stored

RUNS, CLAIMS = "runs.csv", "claims.csv"
KEPT_RANKING = "ranking.csv"
RUN = {"study": str, "scale": str, "commit": str, "seeds": str, "fits": int, "core_hours": float}


@dataclass(frozen=True)
class Shelf:
    """The studies that have results in a folder, with the study files that they are of.

    A folder of each study holds ``summary.csv``, ``comparison.csv``, ``tables``, and its pictures
    if there is no other folder of ``figures``. ``names`` are the studies that are shown; None: all
    that have results.
    """

    folder: Path
    configuration: Path  # with studies, published and claims
    figures: Path | None = None
    names: tuple[str, ...] | None = None

    @cached_property
    def runs(self) -> Mapping[str, Mapping[str, Any]]:
        """How each study was run (:func:`run_of`), by its name: of ``runs.csv``, or manifests."""
        table = self.folder / RUNS
        if table.is_file():
            lines = read_stored(table, RUN).to_dict("records")
        else:
            folders = sorted(path.parent for path in self.folder.glob("*/manifest.json"))
            lines = [run_of(self.manifest(folder.name), folder.name) for folder in folders]
        if not lines:
            raise StudyError(f"{self.folder}: holds no results of a study")
        runs = {str(line["study"]): line for line in lines}
        return {name: runs[name] for name in self.names or runs if name in runs}

    @cached_property
    def studies(self) -> Mapping[str, Study]:
        """The studies with results that have a study file, at the scale of their run."""
        places = {name: self.configuration / "studies" / f"{name}.yaml" for name in self.runs}
        return {
            name: Study(path, str(self.runs[name]["scale"]))
            for name, path in places.items()
            if path.is_file()
        }

    @cached_property
    def results(self) -> Mapping[str, StudyResults]:
        """The stored tables of each study."""
        return {
            name: StudyResults(self.folder / name, study) for name, study in self.studies.items()
        }

    def manifest(self, name: str) -> dict[str, Any]:
        """What a run says of a study; the reference run keeps a line of it in ``runs.csv``."""
        return read_manifest(self.folder / name)

    @cached_property
    def papers(self) -> Mapping[str, Claims]:
        """The papers with a file of claims that have studies here, by their short names."""
        papers = read_papers(self.configuration / "claims")
        return {k: v for k, v in papers.items() if not self.studies.keys().isdisjoint(v.studies)}

    @cached_property
    def weighed(self) -> Mapping[str, list[Weighed]]:
        """The claims of each paper with the verdicts of the stored means."""
        check_claims(self.configuration, self.studies)
        return {name: list(map(self._weigh, paper.claims)) for name, paper in self.papers.items()}

    def _weigh(self, claim: Claim) -> Weighed:
        study = self.studies.get(claim.study)
        if study is None:
            return Weighed(claim, NOT_RUN)
        results = self.results[claim.study]
        # The reference run keeps no single runs.
        has_runs = isinstance(claim.than, Side) and (results.folder / "results.parquet").is_file()
        runs = effects_by_run(study, results.results) if has_runs else None
        return weigh_claim(claim, results.summary, study.decisions, planned_of(study), runs)

    def compared(self, page: str) -> pd.DataFrame:
        """The compared cells of a page, table by table, with what its tables and picture need.

        ``is_counted`` says whether a cell counts, ``largest`` what its metric can be at most. A
        ``family`` is the metric of variants such as a rejection rate of each feature, in several
        studies. ``row`` is the table, in the picture.
        """
        tables = []
        for name in self.pages[page]:
            study, comparison = self.studies[name], self.results[name].comparison
            cells = compared_cells(comparison)
            metrics = {
                label: (study.show(label), metric.entry.name, metric.entry.load().range[1])
                for label, metric in study.metrics.items()
            }
            of_metrics = [metrics[label] for label in cells["metric"]]
            named = pd.DataFrame(of_metrics, cells.index, ["label", "family", "largest"])
            is_counted = cells.index.isin(counted(study, comparison).index)
            more = {"study": name, "row": cells["table"], "outcome": outcomes(cells)}
            settings = {tuple(map(plain, one.axes.values())): one for one in study.settings}
            keys = (tuple(plain(row[axis]) for axis in study.axes) for _, row in cells.iterrows())
            more["setting_id"] = [settings[key].identifier for key in keys]
            cells = cells.assign(is_counted=is_counted, **more, **named)
            tables.append(with_fresh(cells, read_fresh(self.folder)))
        cells = pd.concat(tables, ignore_index=True)
        return cells.sort_values("table", key=_number_in, kind="stable", ignore_index=True)

    @cached_property
    def all_compared(self) -> pd.DataFrame:
        """The compared cells of all pages, each with its page."""
        tables = [self.compared(page).assign(page=page) for page in self.pages]
        return pd.concat(tables, ignore_index=True)

    @cached_property
    def undecided(self) -> list[OpenPoint]:
        """The counted values and the claims that are undecided, the cheapest to decide first."""
        cells = self.all_compared
        claims = (
            (item, self.results[item.claim.study].summary)
            for item in itertools.chain(*self.weighed.values())
            if item.verdict in (UNDECIDED, PARTLY_RUN) and not item.claim.ours
        )
        return open_points(self.studies, cells[cells["is_counted"]], claims)

    @cached_property
    def pages(self) -> Mapping[str, list[str]]:
        """The studies of each paper, and each study that belongs to none."""
        return pages_of(self.papers, self.studies)

    def paper(self, page: str) -> Claims:
        """The paper of a page; of a study that belongs to none, its title without claims."""
        if page in self.papers:
            return self.papers[page]
        written = self.studies[page].file
        return Claims(paper=written.paper, title=written.title, studies=[page])

    def ranking(self, name: str) -> pd.DataFrame:
        """The ranking that a study asks for: kept, or made of its results."""
        kept, results = self.folder / name / KEPT_RANKING, self.results[name]
        if kept.is_file():
            return read_stored(kept, RANKING)
        is_there = (results.folder / "results.parquet").is_file()
        if self.studies[name].file.ranking is None or not is_there:
            return pd.DataFrame(columns=[*RANKING])
        seconds = self.manifest(name).get("seconds", {})
        return ranking_by(self.studies[name], results.results, seconds)

    def pictures(self, name: str) -> Iterator[tuple[str, Path]]:
        """Yield (figure, picture) of a study, for those that were drawn."""
        folder = self.figures / name if self.figures else self.folder / name / "figures"
        for key in self.studies[name].file.figures:
            path = folder / f"{key}.png"
            if path.is_file():
                yield key, path


def _number_in(names: pd.Series) -> pd.Series:
    return names.astype(str).str.extract(r"(\d+)")[0].astype(float)


def run_of(manifest: Mapping[str, Any], study: str) -> dict[str, Any]:
    """A line of ``runs.csv`` from the manifest of a study.

    ``losaw verify --record`` adds ``verified_at``, the commit at which it computed lines again, and
    ``lines_equal``.
    """
    seeds, libraries = manifest["seeds"], manifest["libraries"]
    return {
        "study": study,
        "scale": manifest["scale"],
        "commit": manifest["commit"] or "",
        "seeds": f"{min(seeds)} to {max(seeds)}" if len(seeds) > 1 else "".join(map(str, seeds)),
        "fits": manifest["fits"],
        "failed_values": manifest["failed_rows"],
        "core_hours": round((manifest["core_seconds"] or float("nan")) / 3600, 4),
        "machines": manifest.get("machine", ""),
        "libraries": ", ".join(f"{name} {number}" for name, number in libraries.items()),
    }

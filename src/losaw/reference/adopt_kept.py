"""Adopt the blocks of a reference run, of which digests are stored and no rows."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from losaw.reference.stored import MANIFEST, KeptStudy, Reference
from losaw.study.design.blocks import Block, BlockName
from losaw.study.design.request import Request
from losaw.study.design.session import Session
from losaw.study.errors import StudyError
from losaw.study.files.adoption import Adoption
from losaw.study.files.block_file import digest_of, load_named
from losaw.study.files.writing import write_csv, write_text
from losaw.study.inspecting.adopt import Comparison, Decision
from losaw.study.inspecting.difference import BLOCKS, KeptBlock
from losaw.support.words import unknown


@dataclass(frozen=True)
class StaleKept:
    """A block of a reference run that another version has computed."""

    block: Block
    kept: KeptBlock

    def compare(self, recomputed: Block) -> Comparison:
        """Compare the digests of the rows."""
        file = load_named(recomputed.path, recomputed.name)
        is_equal = digest_of(file.table, {}) == self.kept.rows_sha256
        return Comparison(is_equal, 0.0 if is_equal else float("inf"))


def stale_kept(
    reference: Reference, request: Request, names: Sequence[str] = ()
) -> tuple[list[StaleKept], list[str]]:
    """The blocks of a reference run that another version has computed.

    Parameters
    ----------
    reference : Reference
    request : Request
        Configuration, and a selection of settings and learners; each study is read at the scale
        that it was run at.
    names : sequence of str
        Studies; none: all of the reference run.

    Returns
    -------
    stale : list of StaleKept
    left : list of str
        Blocks that the study files of today do not define.

    Raises
    ------
    StudyError
        If a study is not part of the reference run.
    """
    studies = reference.studies
    for name in names:
        if name not in studies:
            raise StudyError(unknown("study", name, list(studies)))
    by_scale: dict[str, list[KeptStudy]] = {}
    for name in names or studies:
        by_scale.setdefault(studies[name].manifest["scale"], []).append(studies[name])
    stale: list[StaleKept] = []
    left: list[str] = []
    for scale, of_scale in by_scale.items():
        overrides = {"studies": [study.name for study in of_scale], "scale": scale}
        session = Session(replace(request, overrides={**request.overrides, **overrides}))
        selected = {study.name: study for study in session.studies}
        for kept_study in of_scale:
            study = selected.get(kept_study.name)
            if study is None:
                continue
            series = {
                (setting.identifier, learner)
                for setting in session.settings(study)
                for learner in session.learners(study)
            }
            for kept in kept_study.kept_blocks:
                block_name = BlockName.from_path(Path(kept.file))
                try:
                    block = session.block(block_name)
                except StudyError as error:
                    left.append(f"{kept.file}: {error}")
                    continue
                is_selected = (block_name.setting, block_name.learner) in series
                if is_selected and block.series.version != kept.results_version:
                    stale.append(StaleKept(block, kept))
    return stale, left


def take_over(reference: Reference, decisions: Iterable[Decision]) -> int:
    """Store adopted blocks under this version, in the lists and manifests of their studies.

    Returns
    -------
    int
        Number of blocks that were taken over without being recomputed.
    """
    adopted = [decision for decision in decisions if decision.adoption is not None]
    n_taken_over = 0
    for name, study in reference.studies.items():
        adoptions = [Adoption.read(entry) for entry in study.adoptions]
        lines = {kept.file: kept for kept in study.kept_blocks}
        for decision in adopted:
            own = [item for item in decision.stale if item.block.name.study == name]
            if own and decision.adoption is not None:
                adoptions.append(decision.adoption)
            for item in own:
                again = decision.recomputed.get(item.block.name)
                lines[item.kept.file] = _taken_over(item, again, len(adoptions))
                n_taken_over += again is None
        if len(adoptions) == len(study.adoptions):
            continue
        entries = [entry for kept in lines.values() for entry in kept.adopted.split()]
        counts = Counter(int(entry.partition("/")[2]) for entry in entries)
        content = {
            **study.manifest,
            "adoptions": [
                {"blocks": counts[number], **adoption.as_dict()}
                for number, adoption in enumerate(adoptions, 1)
            ],
        }
        write_text(study.folder / MANIFEST, json.dumps(content, indent=1) + "\n")
        write_csv(study.folder / BLOCKS, pd.DataFrame(list(lines.values())))
    return n_taken_over


def _taken_over(item: StaleKept, again: Block | None, number: int) -> KeptBlock:
    """The block under this version, computed by it or adopted."""
    version = item.block.series.version
    if again is not None:
        sha256 = load_named(again.path, again.name).sha256
        return replace(item.kept, results_version=version, sha256=sha256, adopted="")
    history = f"{item.kept.adopted} {item.kept.results_version}/{number}".strip()
    return replace(item.kept, results_version=version, adopted=history)

"""The comparisons and tables of a reference run, made again from its stored means."""

from losaw.reference.stored import KeptStudy, Reference
from losaw.report.layout import arrange
from losaw.report.markdown import to_markdown
from losaw.study.design.published import read_published
from losaw.study.design.session import Session
from losaw.study.files.writing import write_csv, write_text
from losaw.study.results.compare import compare
from losaw.study.results.draws import read_draws
from losaw.study.results.tally import agreement_table, sign_table


def remake(reference: Reference, session: Session) -> None:
    """Compare the stored means with the published values again, study by study.

    A corrected verdict or another note in a study file needs no new run. Means, Monte Carlo errors
    and digests of blocks stay as they are.

    Parameters
    ----------
    reference : Reference
    session : Session
        With the study files and published numbers next to its configuration.
    """
    for name, kept in reference.studies.items():
        _remake(reference, kept, session, name)


def _remake(reference: Reference, kept: KeptStudy, session: Session, name: str) -> None:
    study = session.read_study(name, trusted=True, scale=kept.manifest["scale"])
    published = read_published(study, session.published_folder)
    between_draws = read_draws(study, reference.folder)
    comparison = compare(study, kept.summary, published, between_draws)
    by = [*study.axes[:1], "method", "metric"]
    write_csv(kept.folder / "agreement.csv", agreement_table(comparison, by))
    write_csv(kept.folder / "signs.csv", sign_table(study, comparison))
    write_csv(kept.folder / "comparison.csv", comparison[comparison["published"].notna()])
    for table in study.file.tables:
        text = to_markdown(arrange(study, table, comparison))
        write_text(kept.folder / "tables" / f"{table}.md", text)

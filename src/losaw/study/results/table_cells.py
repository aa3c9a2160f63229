"""The cells of a study's published tables, run or not."""

from collections.abc import Iterator

from losaw.study.design.grid import Study
from losaw.study.design.schema import TableLayout
from losaw.study.design.settings import Setting, as_values


def table_title(name: str) -> str:
    """``table_2`` as papers write it: ``Table 2``."""
    return name.replace("_", " ").capitalize()


def cells(study: Study) -> Iterator[tuple[str, Setting, str, str]]:
    """(table, setting, metric, method) of every cell of every table, run or not."""
    for name, layout in study.file.tables.items():
        for setting in table_settings(study, layout):
            for metric in layout.metrics or study.metrics:
                for method in study.methods_of(metric):
                    yield name, setting, metric, method


def table_settings(study: Study, layout: TableLayout) -> list[Setting]:
    """The settings that a table shows, in the grid's order."""
    where = {axis: as_values(values) for axis, values in layout.where.items()}
    return [setting for setting in study.settings if setting.matches(where)]

"""Names and drawings are listed."""

from losaw.cli import main


def test_names_and_drawings_are_listed(capsys):
    assert main(["list"]) == 0
    names = capsys.readouterr().out
    assert "importances\n" in names and "weighted-split" in names
    assert main(["list", "--drawings"]) == 0
    drawings = capsys.readouterr().out
    assert "importances\n" not in drawings and "metric-lines: " in drawings
    assert "  metric (needed)" in drawings

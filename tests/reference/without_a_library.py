"""What is not installed."""

import sys


def take_out(library, monkeypatch):
    """Make a library absent, as where it is not installed."""
    for module in list(sys.modules):
        if module.partition(".")[0] == library or module.startswith("losaw.knockoffs.deep"):
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)

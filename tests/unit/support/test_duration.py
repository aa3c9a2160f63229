"""Work that takes long says so before.

Of support.duration.
"""

import pytest

from losaw.support import duration


@pytest.mark.parametrize(("seconds", "said"), [(0.5, ""), (2.0, "losaw: a task: about 20 s\n")])
def test_work_that_takes_long_is_announced_once(monkeypatch, capsys, seconds, said):
    now = [0.0]
    monkeypatch.setattr(duration.time, "monotonic", lambda: now[0])
    for _ in duration.announced(range(10), "a task"):
        now[0] += 100.0 if now[0] == 0 else seconds  # the first one compiles
    assert capsys.readouterr().err == said

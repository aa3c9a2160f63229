"""`losaw status --watch`: a screen drawn anew on a terminal, plain lines elsewhere, and an end."""

import io
import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from losaw.cli import main
from losaw.study.inspecting import watching
from losaw.study.inspecting.status import session_status
from losaw.study.inspecting.watching import watch
from losaw.study.running.runner import run_block
from losaw.study.running.running_marks import RunningMark


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def session(project):
    return project.session(selection={"noise_variance": ["0.5"], "n_samples": ["30"]})


@pytest.fixture
def while_asleep(session, monkeypatch):
    """What happens while the watch sleeps: each time, two more blocks are computed."""
    waiting = iter(session.all_blocks)
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        for block in itertools.islice(waiting, 2):
            run_block(block)

    monkeypatch.setattr(watching, "sleep", sleep)
    return pauses


def test_lines_follow_each_other_until_all_is_done(session, while_asleep):
    assert len(session.all_blocks) == 4
    out = io.StringIO()
    watch(session.plans, jobs=2, out=out)
    lines = out.getvalue().splitlines()
    assert [re.sub(r"^\d\d:\d\d:\d\d  ", "", line).partition(", about")[0] for line in lines] == [
        "0 of 4 blocks, 0 of 10 fits, 0 running",
        "2 of 4 blocks, 5 of 10 fits, 0 running",
        "4 of 4 blocks, 10 of 10 fits, 0 running, all blocks are done",
    ]
    assert all("left with 2 blocks at the same time" in line for line in lines[:-1])
    assert "\033" not in out.getvalue()
    assert [round(pause) for pause in while_asleep] == [30, 30]


def test_a_terminal_is_drawn_over(session, while_asleep, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "30")
    out = Terminal()
    watch(session.plans, every=1, out=out)
    screens = re.split(r"\033\[(\d+)F\033\[J", out.getvalue())
    drawn, heights = screens[::2], [int(height) for height in screens[1::2]]
    assert len(drawn) == 3 and heights == [text.count("\n") for text in drawn[:-1]]
    assert all(len(line) < 60 for text in drawn for line in text.splitlines())
    assert drawn[-1].endswith("all blocks are done\n")


def test_a_small_terminal_keeps_the_last_line(session, while_asleep, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "5")
    out = Terminal()
    watch(session.plans, out=out)
    last = out.getvalue().rpartition("\033[J")[2].splitlines()
    assert len(last) == 4 and last[-2:] == ["  …", "all blocks are done"]


def test_looking_that_takes_long_is_done_less_often(session, monkeypatch):
    clock = itertools.count(step=50.0)
    monkeypatch.setattr(watching, "monotonic", lambda: next(clock))
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr(watching, "sleep", sleep)
    watch(session.plans, out=io.StringIO())
    assert pauses == [500.0]


def test_running_and_failed_fits_are_in_the_line(session):
    first, second, *_ = session.all_blocks
    run_block(first)
    record = json.loads(first.record_path.read_text())
    first.record_path.write_text(json.dumps({**record, "failed_seeds": 1}))
    mark = RunningMark(second)
    line = session_status(session.plans).line()
    mark.remove()
    assert line.startswith("1 of 4 blocks, 2 of 10 fits, 1 running, 1 failed fits, about ")
    assert line.endswith("left with 1 blocks at the same time")


def test_the_command_ends_when_all_is_done(session, project, capsys):
    for block in session.all_blocks:
        run_block(block)
    words = ["--config", str(project.configuration), "--set", "noise_variance=0.5"]
    words += ["--set", "n_samples=30"]
    assert main(["status", "--watch", *words]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "4 of 4 blocks, 10 of 10 fits" in line


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal and signals")
def test_an_interrupt_ends_it_without_a_traceback(project):
    command = [sys.executable, "-m", "losaw", "status", "--watch", "--every", "1"]
    command += ["--config", str(project.configuration)]
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command,
        stdout=follower,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # What runs the tests in the background may have told them to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(follower)
    seen = []

    def read():
        while True:
            try:
                seen.append(os.read(leader, 4096))
            except OSError:  # the other end is closed
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        patience = time.monotonic() + 60
        while b"\033[J" not in b"".join(seen):  # it has drawn a second time
            assert process.poll() is None and time.monotonic() < patience
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.stderr.close()
        reader.join(10)
        os.close(leader)
    assert b"nothing is running" in b"".join(seen)

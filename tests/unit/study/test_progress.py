"""`losaw status --watch`: one line, written over on a terminal, until all is done."""

import io
import itertools
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time

import pytest

from losaw.cli import main
from losaw.study.files.run_record import DIGEST
from losaw.study.inspecting.status import StudyStatus
from losaw.study.running import progress
from losaw.study.running.progress import Progress, watch
from losaw.study.running.runner import run_block


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Pauses:
    """An event that never comes; while it is waited for, two more blocks are computed."""

    def __init__(self, blocks):
        self._waiting = iter(blocks)
        self.seconds = []

    def wait(self, seconds):
        self.seconds.append(seconds)
        for block in itertools.islice(self._waiting, 2):
            run_block(block)
        return False


@pytest.fixture
def session(project):
    return project.session(selection={"noise_variance": ["0.5"], "n_samples": ["30"]})


@pytest.fixture
def pauses(session, monkeypatch):
    pauses = Pauses(session.all_blocks)
    monkeypatch.setattr(progress, "Event", lambda: pauses)
    return pauses


def counted(text):
    return [line.partition(" in ")[0] for line in text]


def test_lines_follow_each_other_until_all_is_done(session, pauses):
    out = io.StringIO()
    watch(session.all_blocks, out=out)
    lines = out.getvalue().splitlines()[:3]
    assert counted(lines) == [
        "losaw: 0 of 4 blocks, 0 fits",
        "losaw: 2 of 4 blocks, 5 fits",
        "losaw: 4 of 4 blocks, 10 fits",
    ]
    assert "about " in lines[1] and lines[1].endswith(" left") and "left" not in lines[2]
    assert pauses.seconds == [30.0, 30.0]


def test_a_terminal_is_written_over(session, pauses):
    out = Terminal()
    watch(session.all_blocks, every=2, out=out)
    drawn = out.getvalue().split("\r\033[K")
    assert counted(drawn[1:]) == [
        "losaw: 0 of 4 blocks, 0 fits",
        "losaw: 2 of 4 blocks, 5 fits",
        "losaw: 4 of 4 blocks, 10 fits",
    ]
    assert out.getvalue().count("\n") == 1 and pauses.seconds == [2, 2]


def test_failed_fits_are_in_the_line_and_a_touched_block_is_not_new(session):
    first, second, *_ = session.all_blocks
    run_block(second)
    count = Progress([first, second], 4)
    os.utime(second.path)  # as Snakemake does with the outputs of a job
    assert counted([count.line()]) == ["losaw: 2 of 4 blocks, 0 fits"]
    run_block(first)
    record = json.loads(first.record_path.read_text())
    del record[DIGEST]  # as in an earlier version, for the record is edited
    first.record_path.write_text(json.dumps({**record, "failed_seeds": 1}))
    line = count.line()
    assert line.startswith("losaw: 3 of 4 blocks, 2 fits in ") and ", 1 failed fits" in line


def test_the_command_ends_when_all_is_done(session, project, capsys):
    for block in session.all_blocks:
        run_block(block)
    words = ["--config", str(project.configuration), "--set", "noise_variance=0.5"]
    words += ["--set", "n_samples=30"]
    assert main(["status", "--watch", *words]) == 0
    assert "4 of 4 blocks" in capsys.readouterr().out


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
        while b"\033[K" not in b"".join(seen):  # it has written a line
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
    assert b"0 of 16 blocks" in b"".join(seen)


def test_further_blocks_are_told_of_only_where_there_are_some():
    assert not any("further" in line for line in StudyStatus("s").remarks())
    assert any("3 further blocks" in line for line in StudyStatus("s", n_others=3).remarks())

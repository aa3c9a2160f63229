"""Methods that hang, crash or eat the memory; disks that are full: the rest of the study stays.

Of study.running.supervisor, study.running.worker_process, study.files.writing.
"""

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

import losaw
from losaw.cli import main
from losaw.report.style import save
from losaw.rng import seed_integer, stream
from losaw.study.errors import StudyError
from losaw.study.files import run_record
from losaw.study.files.block_file import read_block
from losaw.study.files.writing import write_file
from losaw.study.results.collect import collect
from losaw.study.results.outputs import write_outputs
from losaw.study.running import supervisor
from losaw.study.running.runner import execute, run_block
from losaw.study.running.running_marks import mark_path

MISHAPS = '''
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
from losaw.registry import register
from losaw_plugin_plugin import MarginalSlopes


@register("learner", "mishap")
class Mishap(MarginalSlopes):
    """Has a mishap in about ``share`` of its fits; which ones, its random state says."""

    def __init__(self, kind="none", share=0.4, random_state=None):
        self.kind = kind
        self.share = share
        super().__init__(random_state=random_state)

    def fit(self, X, y):
        if np.random.default_rng(self.random_state).random() < self.share:
            getattr(self, "_" + self.kind)()
        return super().fit(X, y)

    def _none(self):
        pass

    def _hang(self):
        while True:
            time.sleep(0.01)

    def _kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def _segfault(self):
        signal.signal(signal.SIGSEGV, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGSEGV)

    def _stop(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def _is_first_time(self):
        is_first = not os.path.exists(f"{__file__}.{self.random_state}")
        open(f"{__file__}.{self.random_state}", "w").close()
        return is_first

    def _kill_once(self):
        if self._is_first_time():
            self._kill()

    def _stop_for_a_second(self):
        if self._is_first_time():
            subprocess.Popen(["sh", "-c", f"sleep 1; kill -CONT {os.getpid()}"])
            self._stop()

    def _leave(self):
        sys.exit(3)

    def _warn(self):
        with warnings.catch_warnings():  # which makes Python forget where it has warned
            warnings.simplefilter("ignore")
        warnings.warn("there is a mishap")

    def _eat(self):
        memory = []
        while True:
            memory.append(np.ones(8_000_000))
            time.sleep(0.005)


@register("importance", "fatal")
class Fatal:
    def __init__(self, kind="hang"):
        self.kind = kind

    def explain(self, model, data, rng):
        getattr(Mishap(), "_" + self.kind)()


@register("importance", "moody")
class Moody:
    def __init__(self):
        raise ValueError("not in the mood")
'''


@pytest.fixture
def mishaps(project):
    """Two settings of the tiny project, with a learner that has mishaps."""
    project.replace(project.study_file, "[30, 60]", "[30]")
    text = project.study_file.read_text()
    project.study_file.write_text(text[: text.index("published:")])

    def choose(kind, **limits):
        (project.folder / "mishaps.py").write_text(textwrap.dedent(MISHAPS))
        project.replace(
            project.configuration, "plugin.py]", f"plugin.py, {project.folder}/mishaps.py]"
        )
        project.replace(
            project.study_file,
            "jittered: {learner: marginal-slopes, jitter: 0.3}",
            f"jittered: {{learner: mishap, kind: {kind}}}",
        )
        return project.session(overrides={"max_failed_share": 0.9, **limits})

    yield choose
    sys.modules.pop("losaw_plugin_mishaps", None)
    from losaw import registry

    registry._entries.pop(("learner", "mishap"), None)
    registry._entries.pop(("importance", "moody"), None)
    registry._entries.pop(("importance", "fatal"), None)


def failures(session):
    results = collect(session.plans[0]).results
    return results[results.status != "ok"]


def unlucky_fits(session):
    """Setting and seed of the fits that have a mishap, from their random streams."""
    study = session.studies[0]
    for setting in study.settings:
        for seed in range(5):
            rng = stream(
                experiment="tiny",
                setting=setting.data_identifier,
                replicate=seed,
                component="learner:jittered",
            )
            if np.random.default_rng(seed_integer(rng)).random() < 0.4:
                yield setting.identifier, seed


@pytest.mark.parametrize(
    ("kind", "words", "limits"),
    [
        ("kill", "ended twice, by SIGKILL, most often because memory ran out", {}),
        ("segfault", "ended twice, by SIGSEGV", {}),
        ("leave", "ended its process twice, with exit status 3", {}),
        ("hang", "TimeLimit: no result in its share of", {"block_minutes": 0.1}),
        pytest.param(
            "stop",
            "TimeLimit: no result in its share of",
            {"block_minutes": 0.1},
            marks=pytest.mark.long,
        ),
        ("eat", "MemoryLimit: used more than {block_megabytes} megabytes", {"block_megabytes": 0}),
    ],
)
def test_a_mishap_costs_its_own_fits_and_no_others(mishaps, kind, words, limits):
    if kind == "eat":
        # A forked child starts with the memory of this process, which other tests have filled.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        limits = {"block_megabytes": peak + 500}
    session = mishaps(kind, **limits)
    assert execute(session.all_blocks, jobs=2) == 8
    failed = failures(session)
    assert failed["message"].str.contains(words.format(**limits)).all()
    found = set(zip(failed["learner"], failed["setting_id"], failed["seed"], strict=True))
    assert found == {("jittered", *unlucky) for unlucky in unlucky_fits(session)}
    write_outputs(session.plans[0])
    summary = pd.read_csv(session.results / "tiny" / "summary.csv")
    assert (summary[summary.learner == "plain"]["n_seeds"] == 5).all()
    ok = summary[(summary.learner == "jittered") & (summary.metric == "r2_test")]["n_seeds"].sum()
    assert ok == 2 * 5 - len(failed)
    records = [json.loads(p.read_text()) for p in session.results.glob("tiny/runs/**/*.json")]
    assert sum(record["failed_seeds"] for record in records) == len(failed)


@pytest.mark.parametrize("kind", ["hang", pytest.param("kill", marks=pytest.mark.long)])
def test_an_importance_that_hangs_or_dies_is_named_and_loses_only_itself(mishaps, project, kind):
    mishaps("none")
    project.replace(
        project.study_file,
        "importances: [mdi]",
        f"importances: {{fatal: {{kind: {kind}}}, mdi: {{}}, second: {{importance: fatal}}}}"
        if kind == "kill"
        else "importances: {fatal: {}, mdi: {}}",
    )
    session = project.session(overrides={"block_minutes": 0.1, "max_failed_share": 0.9})
    block = session.all_blocks[0]
    run_block(block)
    table = pd.DataFrame(read_block(block.path).table.to_pandas())
    failed = table[table.status != "ok"]
    n_seeds, metrics = len(block.seeds), {"scores", "pr_auc"}
    wanted = {"fatal", "second"} if kind == "kill" else {"fatal"}
    assert set(failed["importance"]) == wanted and set(failed["metric"]) == metrics
    assert len(failed) == n_seeds * len(metrics) * len(wanted)
    words = {"hang": "TimeLimit: no result in its share", "kill": "ended twice, by SIGKILL"}
    first = failed[failed.importance == "fatal"]
    assert first["message"].str.contains(words[kind]).all()
    ok = table[table.status == "ok"]
    assert (ok[ok.metric == "pr_auc"]["importance"] == "mdi").sum() == n_seeds
    assert (ok["metric"] == "r2_test").sum() == n_seeds


def test_the_fits_beside_a_mishap_have_the_numbers_they_have_without_one(
    mishaps, project, tmp_path
):
    crashing = mishaps("kill")
    execute(crashing.all_blocks, jobs=1)
    kept = collect(crashing.plans[0]).results
    kept = kept[kept.status == "ok"]
    project.replace(project.study_file, "kind: kill", "kind: none")
    healthy = project.session(overrides={"results": str(tmp_path / "healthy")})
    execute(healthy.all_blocks, jobs=1)
    whole = collect(healthy.plans[0]).results
    keys = ["setting_id", "learner", "seed", "metric", "importance"]
    both = kept.merge(whole, on=keys, suffixes=("", "_whole"))
    assert 0 < len(both) == len(kept) < len(whole)
    assert (both["value"] == both["value_whole"]).all()


@pytest.mark.parametrize("kind", ["kill_once", "stop_for_a_second"])
def test_a_process_that_is_killed_once_or_stopped_a_while_costs_nothing(
    mishaps, project, tmp_path, kind
):
    session = mishaps(kind)
    execute(session.all_blocks, jobs=2)
    assert list(project.folder.glob("mishaps.py.*")) and failures(session).empty
    killed = {block: block.path.read_bytes() for block in session.all_blocks}
    again = project.session(overrides={"results": str(tmp_path / "again")})
    execute(again.all_blocks, jobs=2)
    assert killed == {block: block.path.read_bytes() for block in again.all_blocks}


def test_above_the_stated_share_the_summary_refuses_and_says_how_many(mishaps, project):
    session = mishaps("kill")
    execute(session.all_blocks, jobs=2)
    n_failed = len(failures(session))
    strict = project.session()
    with pytest.raises(StudyError, match=rf"{n_failed} fits failed and 0 are missing of 20"):
        collect(strict.plans[0])


def test_a_method_that_cannot_be_made_stops_its_block_with_the_reason(mishaps, project, capsys):
    session = mishaps("none")
    block = next(block for block in session.all_blocks if block.name.learner == "jittered")
    project.replace(project.study_file, "importances: [mdi]", "importances: [mdi, moody]")
    assert (
        main(["internal", "blocks", str(block.path), "--config", str(project.configuration)]) == 2
    )
    error = capsys.readouterr().err
    assert "Traceback" not in error, error
    assert str(block.name) in error and "not in the mood" in error
    assert not list(project.results.glob("tiny/blocks/**/*.parquet"))


def test_a_process_prints_a_warning_of_many_fits_once(mishaps, project):
    mishaps("warn")
    project.replace(project.study_file, "kind: warn", "kind: warn, share: 1.0")
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS"}
    run = subprocess.run(
        [*command, "--jobs", "1"], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stderr.count("UserWarning: there is a mishap") == 1


def test_blocks_that_cannot_begin_are_named_when_the_others_are_done(mishaps, project):
    mishaps("none")
    project.replace(project.study_file, "importances: [mdi]", "importances: [mdi, moody]")
    project.replace(project.study_file, "plain: {learner: marginal-slopes}",
                    "plain: {learner: marginal-slopes, importances: [mdi]}")  # fmt: skip
    with pytest.raises(StudyError, match=r"4 blocks could not begin:(.|\n)*not in the mood"):
        execute(project.session().all_blocks, jobs=2)
    assert len(list(project.results.glob("tiny/blocks/*/plain/*.parquet"))) == 4


def test_a_run_summarises_without_the_blocks_that_could_not_begin(mishaps, project, capsys):
    mishaps("none")
    project.replace(project.study_file, "importances: [mdi]", "importances: [mdi, moody]")
    project.replace(project.study_file, "plain: {learner: marginal-slopes}",
                    "plain: {learner: marginal-slopes, importances: [mdi]}")  # fmt: skip
    command = ["run", "--config", str(project.configuration)]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert "10 are missing of 20 (50.0%)" in error, error
    assert "4 blocks could not begin" in error and "not in the mood" in error
    assert main([*command, "--configure", "max_failed_share=0.5"]) == 2
    assert "4 blocks could not begin" in capsys.readouterr().err
    manifest = json.loads((project.results / "tiny" / "manifest.json").read_text())
    assert len(manifest["missing_blocks"]) == 4
    assert "missing: <code>" in (project.results / "report.html").read_text()


def test_spawned_children_give_the_bytes_of_forked_ones(project, tmp_path, monkeypatch):
    forked = project.session()
    block = forked.all_blocks[-1]
    run_block(block)
    monkeypatch.setattr(supervisor, "START_METHOD", "spawn")
    spawned = project.session(overrides={"results": str(tmp_path / "spawned")})
    run_block(spawned.all_blocks[-1])
    assert block.path.read_bytes() == spawned.all_blocks[-1].path.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot tie a child's life")
def test_a_killed_run_leaves_no_child_behind(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 60.0")
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    command += ["--set", "learner=jittered", "--jobs", "2"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def children():
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        return [int(pid) for pid in found]

    deadline = time.monotonic() + 60
    while len(list(project.results.glob("tiny/runs/**/*.running"))) < 2 or len(children()) < 2:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    orphans = children()
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in orphans):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def heed_interrupts():
    """A shell lets its background jobs, and so their children, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_run_is_one_line_and_leaves_no_mark(project):
    project.replace(project.study_file, "jitter: 0.3", "jitter: 0.3, pause: 60.0")
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    command += ["--set", "learner=jittered"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    )
    deadline = time.monotonic() + 60
    while not list(project.results.glob("tiny/runs/**/*.running")):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=20)
    assert process.returncode == 130
    assert text.strip().splitlines() == [
        "losaw: interrupted; what is finished is stored, and the same command goes on from it"
    ]
    assert not list(project.results.glob("tiny/runs/**/*.running"))


def test_an_interruption_while_a_mark_is_written_leaves_none(project, monkeypatch):
    from losaw.study.running import runner

    def interrupted(block, again):
        open_task(block, again)
        assert mark_path(block).exists()
        raise KeyboardInterrupt

    open_task = runner.open_task
    monkeypatch.setattr(runner, "open_task", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(runner.run_blocks(project.session().all_blocks[:1], 1))
    assert not list(project.results.glob("tiny/runs/**/*.running"))


def full_disk():
    """Files of this process may not grow beyond 2 kB: what is written next does not fit."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_is_one_message_and_the_run_goes_on_later(project):
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=full_disk, env=environment
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr
    assert "cannot be written" in done.stderr and "--output" in done.stderr
    assert not list(project.results.glob("tiny/blocks/**/*.parquet*"))
    session = project.session()
    assert execute(session.all_blocks, 1) == 16
    assert all(read_block(block.path) for block in session.all_blocks)


def test_asking_for_the_commit_leaves_the_checkout_as_it_is(tmp_path, monkeypatch):
    """`git status` writes its index anew under a lock, which would stay where the disk is full."""

    def git(*words):
        named = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(
            ["git", "-C", str(tmp_path), *named, *words], check=True, capture_output=True
        )

    file, index = tmp_path / "losaw.py", tmp_path / ".git" / "index"
    file.write_text("x")
    git("init")
    git("add", "losaw.py")
    git("commit", "-m", "first")
    os.utime(file, (0, 0))  # what the index says of it is out of date
    before = index.read_bytes()
    monkeypatch.setattr(losaw, "__file__", str(file))
    assert len(run_record.commit.__wrapped__()) == 40
    assert index.read_bytes() == before


def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "seeds_00000-00004.parquet"
    path.write_text("old")

    def half(place):
        place.write_text("ne")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StudyError, match="cannot be written: No space left"):
        write_file(path, half)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_a_full_disk_while_a_figure_is_drawn_is_a_clear_error(tmp_path, monkeypatch, kind):
    def full(self, *args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", full)
    monkeypatch.setattr(Figure, "savefig", full) if kind == "pdf" else None
    with pytest.raises(StudyError, match=rf"a\.{kind}: cannot be written: No space left .*free"):
        save(Figure(), tmp_path / f"a.{kind}")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 100 kB, and a function that mounts it with other options."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(options):
        return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)])

    if sys.platform != "linux" or os.geteuid() != 0 or mount("size=100k").returncode:
        pytest.skip("mounting a small file system needs Linux and root")
    yield folder, lambda options: mount(f"remount,{options}").check_returncode()
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_file_system_keeps_what_is_finished_and_the_run_goes_on(project, small_disk):
    folder, remount = small_disk
    command = [sys.executable, "-m", "losaw", "run", "--config", str(project.configuration)]
    command += ["--output", str(folder / "results"), "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "No space left" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "--output" in done.stderr
    session = project.session(overrides={"results": str(folder / "results")})
    finished = [b for b in session.all_blocks if b.path.exists()]
    assert 0 < len(finished) < 16
    kept = {block: read_block(block.path).sha256 for block in finished}
    remount("size=20m")
    assert execute(session.all_blocks, 2) == 16 - len(finished)
    assert kept == {b: read_block(b.path).sha256 for b in finished}


@pytest.mark.long
def test_a_read_only_folder_is_verified_and_refused_for_more_seeds(project, small_disk):
    folder, remount = small_disk
    remount("size=20m")
    options = ["--config", str(project.configuration), "--output", str(folder / "results")]
    options += ["--figures-folder", str(folder / "figures")]

    def losaw_says(*words):
        command = [sys.executable, "-m", "losaw", *words, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stderr + done.stdout

    assert losaw_says("run")[0] == 0
    remount("ro")
    try:
        code, text = losaw_says("verify")
        assert code == 0 and "0 findings" in text, text
        code, text = losaw_says("run", "--seeds", "7")
        assert code == 2 and "cannot be written" in text and "--output" in text, text
    finally:
        remount("rw")
    assert losaw_says("run", "--seeds", "7")[0] == 0


def test_wrong_file_times_change_no_result_and_rerun_no_block(computed):
    project, session = computed, computed.session()
    write_outputs(session.plans[0])
    before = (session.results / "tiny" / "summary.csv").read_bytes()
    for index, path in enumerate(sorted(session.results.rglob("*.parquet"))):
        when = 0 if index % 2 else time.time() + 10**8
        os.utime(path, (when, when))
    assert execute(project.session().all_blocks, 1) == 0
    write_outputs(project.session().plans[0])
    assert (session.results / "tiny" / "summary.csv").read_bytes() == before

"""A real Slurm with one node on this machine's loopback, for as long as a test needs it."""

import os
import platform
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

CONFIGURATION_FILE = Path("/etc/slurm/slurm.conf")
FIRST_LINE = "# Written by losaw's tests; removed when they end."
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")

# The variable SLURM_CONF is not enough: the executor plugin strips SLURM_* from the environment,
# and srun inside a job then looks in /etc/slurm.
CONFIGURATION = """{first_line}
ClusterName=losaw
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
MinJobAge=86400
KillWait=5
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName=localhost NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={megabytes}
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str:
    """Why a Slurm cannot be started here; empty if it can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "starting Slurm's daemons needs root"
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: slurm-wlm and munge)"
    if CONFIGURATION_FILE.exists() and FIRST_LINE not in CONFIGURATION_FILE.read_text():
        return f"{CONFIGURATION_FILE} is there already: this machine has a Slurm of its own"
    return ""


@contextmanager
def one_node_slurm(folder: Path) -> Iterator[None]:
    """Start munge, the controller and one node; stop what was started, by its process."""
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    CONFIGURATION_FILE.parent.mkdir(exist_ok=True)
    CONFIGURATION_FILE.write_text(
        CONFIGURATION.format(
            first_line=FIRST_LINE,
            folder=folder,
            host=platform.node(),
            cpus=os.cpu_count(),
            megabytes=memory,
        )
    )
    with ExitStack() as stack:
        stack.callback(CONFIGURATION_FILE.unlink)
        if not _succeeds("munge", "--no-input"):
            stack.enter_context(_munge(folder))
        stack.enter_context(_daemon(folder, "slurmctld", "-D"))
        stack.enter_context(_daemon(folder, "slurmd", "-D", "-N", "localhost"))
        _wait_for(lambda: _output("sinfo", "-h", "-o", "%t") == "idle", folder)
        stack.callback(_cancel_everything)
        yield


@contextmanager
def _munge(folder: Path) -> Iterator[None]:
    owner = pwd.getpwnam("munge")
    key = Path("/etc/munge/munge.key")
    if not key.exists():
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        os.chown(key, owner.pw_uid, owner.pw_gid)
    run = Path("/run/munge")
    run.mkdir(exist_ok=True)
    os.chown(run, owner.pw_uid, owner.pw_gid)
    with _daemon(
        folder, "munged", "--foreground", user=owner.pw_uid, group=owner.pw_gid, extra_groups=[]
    ):
        _wait_for(lambda: _succeeds("munge", "--no-input"), folder)
        yield


@contextmanager
def _daemon(folder: Path, *words: str, **options: object) -> Iterator[None]:
    with (folder / f"{words[0]}.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, **options)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _cancel_everything() -> None:
    subprocess.run(["scancel", "--user", "root"], check=False)
    deadline = time.monotonic() + 30
    while _output("squeue", "-h", "-t", "R,CG,PD") and time.monotonic() < deadline:
        time.sleep(0.5)


def _wait_for(condition, folder: Path, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            logs = {file.name: file.read_text()[-2000:] for file in folder.glob("*.log")}
            raise TimeoutError(f"Slurm did not come up in {seconds:g} s: {logs}")
        time.sleep(0.3)


def _succeeds(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def _output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()

"""Whatever becomes of workers, the scheduler and the coordinator: the result is that of one process, or a clear refusal."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import Bench, Cluster, Result, by, wait_for

LONG = "long --explorer bounded --preemptions 3 --no-judge --no-advice"
STEPS = "--slice-executions 2000"
KILLS = 20


def test_workers_are_killed_and_others_come(bench: Bench, expected: dict[str, Result], cluster: Cluster) -> None:
    """Workers that are killed at random moments of searches are replaced by others, which hear all that was learned."""
    cluster.begin(3)
    draw, kills, rounds = random.Random(1), 0, 0
    while kills < KILLS:
        child = bench.start(f"check {LONG} {STEPS} --json result-killed", *by(cluster.address))
        while child.poll() is None and kills < KILLS:
            time.sleep(draw.random())
            victim = draw.choice(cluster.workers)
            cluster.workers.remove(victim)
            victim.kill()
            victim.wait()
            kills += 1
            cluster.hire()
        output, errors = child.communicate(timeout=300)
        assert child.returncode == 0, (output, errors)
        assert output.splitlines()[-1].startswith(f"clean: all {expected[LONG][0]['executions']} executions"), output
        rounds += 1
    assert rounds >= 1


def test_worker_is_frozen_for_a_minute(bench: Bench, expected: dict[str, Result], cluster: Cluster) -> None:
    """A worker that stands still holds nothing up for longer than a slice may take, and does no harm when it goes on."""
    cluster.begin(2)
    child = bench.start(f"check {LONG} {STEPS}", *by(cluster.address))
    time.sleep(4)
    frozen = cluster.workers[0]
    frozen.send_signal(signal.SIGSTOP)
    time.sleep(60)
    frozen.send_signal(signal.SIGCONT)
    output, errors = child.communicate(timeout=300)
    assert child.returncode == 0, (output, errors)
    assert f"all {expected[LONG][0]['executions']} executions" in output.splitlines()[-1]


def test_scheduler_is_killed_and_the_search_goes_on_from_its_checkpoint(
    bench: Bench, expected: dict[str, Result], cluster: Cluster, tmp_path: Path
) -> None:
    """A scheduler that is gone ends the search with a message that says what to do, and the search goes on with another one."""
    cluster.begin(2)
    state = bench.folder / "state-of-scheduler"
    line = f"check {LONG} {STEPS} --checkpoint {state}"
    child = bench.start(line, *by(cluster.address, "--timeout", "3"))
    # The first moments are spent on this machine, without the cluster.
    wait_for("a checkpoint", lambda: state.exists() and any(tmp_path.glob("scratch-*/**/fencehound-*")))
    assert cluster.scheduler is not None
    cluster.scheduler.kill()
    output, errors = child.communicate(timeout=120)
    assert (child.returncode, output) == (2, ""), (output, errors)
    assert f"error: the scheduler at {cluster.address} is lost" in errors, errors
    assert "help: with --checkpoint FILE, the search goes on from there; the search up to there is kept in" in errors
    assert "Traceback" not in errors
    other = Cluster(tmp_path / "other")
    try:
        other.begin(2)
        assert bench.check(f"{LONG} --checkpoint {state}", *by(other.address)) == expected[LONG]
    finally:
        other.end()


def test_scheduler_is_restarted_within_the_timeout(bench: Bench, expected: dict[str, Result], cluster: Cluster) -> None:
    """Nothing is kept at the scheduler: a search goes on with another one at the same address, and its workers."""
    cluster.begin(2)
    child = bench.start(f"check {LONG} {STEPS}", *by(cluster.address, "--timeout", "60"))
    time.sleep(4)
    cluster.end()
    cluster.workers.clear()
    cluster.begin(2)
    output, errors = child.communicate(timeout=300)
    assert child.returncode == 0, (output, errors)
    assert f"all {expected[LONG][0]['executions']} executions" in output.splitlines()[-1]


def test_coordinator_is_killed_and_resumed(bench: Bench, expected: dict[str, Result], cluster: Cluster) -> None:
    """A coordinator that is killed leaves nothing at work, and goes on from its checkpoint with the same cluster."""
    cluster.begin(2)
    state = bench.folder / "state-of-coordinator"
    kept = set()
    for _ in range(5):
        child = bench.start(f"check {LONG} {STEPS} --checkpoint {state}", *by(cluster.address))
        before = state.read_bytes() if state.exists() else b""
        while child.poll() is None and (not state.exists() or state.read_bytes() == before):
            time.sleep(0.05)
        child.kill()
        child.communicate()
        kept.add(state.read_bytes())
    assert len(kept) > 1
    assert bench.check(f"{LONG} --checkpoint {state}", *by(cluster.address)) == expected[LONG]
    wait_for("the end of what was put on the workers", lambda: not processes_below(cluster), 30)


def processes_below(cluster: Cluster) -> list[str]:
    """Return the processes of `fencehound worker` below the cluster's workers."""
    own = {worker.pid for worker in cluster.workers}
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent in own:
            found.append(entry.name)
    return found


def refusal(bench: Bench, cluster: Cluster, search: str = LONG, *more: str) -> str:
    """Return what a search says that no worker can run."""
    ran = bench.run(f"check {search} {STEPS}", *by(cluster.address, *more))
    assert (ran.returncode, ran.stdout) == (2, ""), ran
    assert "Traceback" not in ran.stderr, ran
    return ran.stderr


def test_worker_of_another_version(bench: Bench, expected: dict[str, Result], cluster: Cluster, tmp_path: Path) -> None:
    """A worker with another version is refused by name, and the others run the search."""
    preload = tmp_path / "other.py"
    preload.write_text(
        "import importlib.metadata as m\ntheirs = m.version\nm.version = lambda name: '1.2.3' if name == 'distributed' else theirs(name)\n"
    )
    cluster.begin(0)
    cluster.hire("--preload", str(preload))
    said = refusal(bench, cluster)
    assert "error: no worker can run the program: it has distributed 1.2.3, the executor has" in said
    cluster.hire()
    time.sleep(3)
    ran = bench.run(f"check {LONG} {STEPS}", *by(cluster.address))
    assert ran.returncode == 0, ran
    assert "note: a worker cannot run the program: tcp://" in ran.stderr
    assert f"all {expected[LONG][0]['executions']} executions" in ran.stdout.splitlines()[-1]


def test_full_disk(bench: Bench, cluster: Cluster, tmp_path: Path) -> None:
    """A worker that cannot keep the files is refused by name."""
    preload = tmp_path / "full.py"
    preload.write_text("import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n")
    cluster.begin(0)
    cluster.hire("--preload", str(preload))
    assert "cannot be written: File too large" in refusal(bench, cluster)


def test_worker_without_room(bench: Bench, cluster: Cluster, tmp_path: Path) -> None:
    """A worker with a limit on addresses is refused by name."""
    preload = tmp_path / "room.py"
    preload.write_text("import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))\n")
    cluster.begin(0)
    cluster.hire("--preload", str(preload))
    assert "reserves about 100 GiB of addresses, and may have 8388608 KiB" in refusal(bench, cluster)


def test_no_scheduler(bench: Bench, cluster: Cluster) -> None:
    """An address at which nobody is, is said."""
    said = refusal(bench, cluster, LONG, "--timeout", "1")
    assert f"error: the scheduler at {cluster.address} cannot be reached" in said


def test_files_that_the_program_reads(bench: Bench, cluster: Cluster) -> None:
    """Files that are named are there in the program's folder on each worker."""
    (bench.folder / "reads.c").write_text(READS)
    bench.run("cc -O1 -o reads reads.c")
    (bench.folder / "data").mkdir(exist_ok=True)
    (bench.folder / "data" / "number").write_text("7")
    line = "reads --explorer bounded --no-judge --no-advice"
    expected = bench.check(f"{line} -j 1")
    assert expected[0]["verdict"] == "clean", expected
    cluster.begin(1)
    assert bench.check(f"{line} --slice-executions 3", *by(cluster.address, "--input", "data/number")) == expected
    assert "none: No such file" in refusal(bench, cluster, "reads --explorer bounded", "--input", "none")


READS = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x;
static void *body(void *unused) {
    atomic_fetch_add(&x, 1);
    atomic_fetch_add(&x, 1);
    return unused;
}
int main(void) {
    char digit = 0;
    int file = open("data/number", O_RDONLY);
    assert(file >= 0 && read(file, &digit, 1) == 1 && digit == '7');
    close(file);
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_tls(bench: Bench, expected: dict[str, Result], tmp_path: Path) -> None:
    """Certificates are named by their files; without them the scheduler is not reached."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    files = ("--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
    cluster = Cluster(tmp_path, "tls", files)
    try:
        cluster.begin(1)
        line = "mixed --explorer bounded --no-judge --no-advice"
        assert bench.check(f"{line} --slice-executions 5", *by(cluster.address, *files)) == expected[line]
        assert "cannot be reached" in refusal(bench, cluster, line, "--timeout", "2")
    finally:
        cluster.end()


def test_network_is_cut_for_ten_seconds(bench: Bench, expected: dict[str, Result], tmp_path: Path) -> None:
    """A worker whose network is cut for ten seconds goes on behind that, or its slices are run elsewhere."""
    names = f"fh{os.getpid() % 10000}"
    inside = ["ip", "netns", "exec", names]
    made = [
        ["ip", "netns", "add", names],
        ["ip", "link", "add", f"{names}a", "type", "veth", "peer", "name", f"{names}b"],
        ["ip", "link", "set", f"{names}b", "netns", names],
        ["ip", "addr", "add", "10.213.77.1/24", "dev", f"{names}a"],
        ["ip", "link", "set", f"{names}a", "up"],
        [*inside, "ip", "addr", "add", "10.213.77.2/24", "dev", f"{names}b"],
        [*inside, "ip", "link", "set", f"{names}b", "up"],
        [*inside, "ip", "link", "set", "lo", "up"],
    ]
    cluster = Cluster(tmp_path)
    cluster.address = f"tcp://10.213.77.1:{cluster.port}"
    try:
        for command in made:
            subprocess.run(command, check=True)
        cluster.begin(1)
        away = [*inside, sys.executable, "-m", "distributed.cli.dask_worker", cluster.address, "--no-nanny", "--no-dashboard"]
        (tmp_path / "away").mkdir()
        cluster.workers.append(subprocess.Popen([*away, "--nthreads", "1"], cwd=tmp_path / "away"))
        child = bench.start(f"check {LONG} {STEPS}", *by(cluster.address))
        time.sleep(4)
        subprocess.run(["ip", "link", "set", f"{names}a", "down"], check=True)  # noqa: S607
        time.sleep(10)
        subprocess.run(["ip", "link", "set", f"{names}a", "up"], check=True)  # noqa: S607
        output, errors = child.communicate(timeout=400)
        assert child.returncode == 0, (output, errors)
        assert f"all {expected[LONG][0]['executions']} executions" in output.splitlines()[-1]
    finally:
        cluster.end()
        subprocess.run(["ip", "netns", "del", names], check=False)  # noqa: S607

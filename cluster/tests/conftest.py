"""What the tests have in common: the tool, the programs of the tests of slices, clusters of processes, and searches."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = os.environ.get("FENCEHOUND", str(Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "fencehound"))
SOURCES = ROOT / "cli" / "tests" / "whole" / "search.rs"
NAMES = ["mixed", "numbered", "long", "divided", "split", "left"]
Result = tuple[dict[str, Any], list[tuple[str, str]]]


def program(name: str) -> str:
    """Return the text of a program of the tests of slices."""
    found = re.search(rf'const {name.upper()}: &str = "(.*?[^\\])";\n', SOURCES.read_text(), re.DOTALL)
    assert found, f"{SOURCES} has no program {name}"
    return found[1].replace('\\"', '"').replace("\\n", "\n")


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without its times."""
    for first in result["first"].values():
        first.pop("seconds")
    return {key: value for key, value in result.items() if key not in ("seconds", "machine_seconds")}


class Bench:
    """A folder with programs, in which searches are run."""

    def __init__(self, folder: Path) -> None:
        """Compile the programs into the folder."""
        self.folder = folder
        for name in NAMES:
            (folder / f"{name}.c").write_text(program(name))
            self.run(f"cc -O1 -o {name} {name}.c")
        loops = ROOT / "c-tests" / "classes" / "store-buffering-loop.c"
        self.run(f"cc -O1 -DROUNDS=6 -o loops {loops}")

    def start(self, line: str, *more: str) -> "subprocess.Popen[str]":
        """Start the tool."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "cluster")}
        return subprocess.Popen(
            [TOOL, *line.split(), *more],
            cwd=self.folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, line: str, *more: str) -> "subprocess.CompletedProcess[str]":
        """Run the tool to its end."""
        child = self.start(line, *more)
        output, errors = child.communicate(timeout=400)
        return subprocess.CompletedProcess(line, child.returncode, output, errors)

    def check(self, line: str, *more: str) -> Result:
        """Return the result of a search without its times, and the reports of its findings."""
        found = self.folder / "fencehound-out"
        shutil.rmtree(found, ignore_errors=True)
        ran = self.run(f"check {line} --json -", *more)
        assert ran.returncode in (0, 1), f"{line}: {ran}"
        reports = [(str(file.relative_to(found)), file.read_text()) for file in sorted(found.glob("*/*.json"))]
        return timeless(json.loads(ran.stdout)), reports


def by(address: str, *more: str) -> list[str]:
    """Return the options by which a search goes to a cluster."""
    return ["--executor", " ".join([sys.executable, "-m", "fencehound_dask", "--scheduler", address, *more])]


class Cluster:
    """A scheduler and workers, each a process in a folder of its own, none of which knows of this package."""

    def __init__(self, folder: Path, kind: str = "tcp", options: tuple[str, ...] = ()) -> None:
        """Begin without any process."""
        self.folder, self.options, self.count = folder, options, 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{kind}://127.0.0.1:{self.port}"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, *words: str, environment: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Start a process of dask in a new folder."""
        self.count += 1
        folder = self.folder / f"{module}-{self.count}"
        folder.mkdir(parents=True)
        command = [sys.executable, "-m", f"distributed.cli.dask_{module}", *words, *self.options]
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with (folder / "log").open("wb") as log:
            return subprocess.Popen(command, cwd=folder, env={**clean, **(environment or {})}, stdout=log, stderr=log)

    def begin(self, workers: int) -> None:
        """Start a scheduler and so many workers."""
        self.scheduler = self.start(
            "scheduler", "--host", self.address.replace(f":{self.port}", ""), "--port", str(self.port), "--no-dashboard"
        )
        for _ in range(workers):
            self.hire()

    def hire(self, *words: str, environment: dict[str, str] | None = None) -> "subprocess.Popen[bytes]":
        """Start a worker."""
        place = ["--local-directory", str(self.folder / f"scratch-{self.count}")]
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", *place, *words]
        self.workers.append(self.start("worker", self.address, *options, environment=environment))
        return self.workers[-1]

    def end(self) -> None:
        """Kill all processes."""
        for process in [self.scheduler, *self.workers]:
            if process is not None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a folder with programs."""
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a cluster without processes; those that it has are killed behind the test."""
    made = Cluster(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="session")
def expected(bench: Bench) -> dict[str, Result]:
    """Return the results of searches in one process, each run once."""

    class Known(dict[str, Result]):
        def __missing__(self, line: str) -> Result:
            self[line] = bench.check(f"{line} -j 1")
            return self[line]

    return Known()


def wait_for(what: str, holds: Any, seconds: float = 60) -> None:
    """Wait until something holds."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"{what}: not within {seconds} seconds"
        time.sleep(0.05)

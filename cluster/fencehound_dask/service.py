"""What the executor puts on a worker: files by their content, and warm processes of `fencehound worker` that run slices.

This module goes to the workers by value, so it uses nothing of this package: they need dask alone.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import platform
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

from distributed import Worker, get_worker
from distributed.diagnostics.plugin import WorkerPlugin

REST = 60.0
"""The seconds after which a process that nobody uses is ended."""
PATIENCE = 60.0
"""The seconds for which a slice waits for what the search has learned before it."""


class RefusedError(Exception):
    """The worker cannot run the program, for the reason that is the text."""


class EndedError(Exception):
    """A process of `fencehound worker` has ended, in the way that the text says."""


class Process:
    """A process of `fencehound worker`."""

    def __init__(self, command: list[str], folder: Path) -> None:
        """Start the process in a folder."""
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.child = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
        )
        self.epoch, self.told, self.rests_since = 0, 0, time.monotonic()

    def say(self, line: str) -> None:
        """Write a line."""
        assert self.child.stdin is not None  # noqa: S101
        try:
            self.child.stdin.write(line.encode())
            self.child.stdin.flush()
        except OSError:
            raise EndedError(self.ending()) from None

    def hear(self) -> tuple[str, dict[str, Any], str]:
        """Wait for a line; return its kind, what it says, and the line itself."""
        assert self.child.stdout is not None  # noqa: S101
        line = self.child.stdout.readline()
        if not line.endswith(b"\n"):
            raise EndedError(self.ending())
        kind, value = next(iter(json.loads(line).items()))
        return kind, value, line.decode()

    def ending(self) -> str:
        """End the process, and return how it has ended and what it has said of that."""
        try:
            status = self.child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.child.kill()
            status = self.child.wait()
        self.errors.seek(0)
        said = self.errors.read(2000).decode(errors="replace").strip().replace("\n", "; ")
        how = f"killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"fencehound worker was {how}" + (f": {said}" if said else "")

    def end(self) -> None:
        """Kill the process: the program that it runs ends with it."""
        self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.errors):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Service(WorkerPlugin):
    """The files, the processes, and what the search has learned, on one worker of dask."""

    def __init__(self, beginning: list[str], hashes: dict[str, str], inputs: dict[str, str]) -> None:
        """Keep the first lines for each process, the hashes of `tool` and `executable`, and those of files for the program."""
        self.beginning, self.hashes, self.inputs = beginning, hashes, inputs
        self.epoch, self.learned = 0, list[str]()

    def setup(self, worker: Worker) -> None:
        """Begin on a worker."""
        self.base = Path(worker.local_directory)
        self.cache = self.base.parent / "fencehound-files"
        self.changed = threading.Condition()
        self.idle: list[Process] = []
        self.busy: dict[tuple[int, int], Process] = {}
        self.cancelled_epoch, self.cancelled = 0, set[int]()
        self.is_over = False

    def teardown(self, worker: Worker) -> None:
        """End all processes."""
        with self.changed:
            self.is_over = True
            idle, self.idle = self.idle, []
            self.changed.notify_all()
            # Whoever waits for the answer of one of these ends it.
            for process in self.busy.values():
                process.child.kill()
        for process in idle:
            process.end()

    def lacks(self) -> list[str]:
        """Return the hashes of the files that are not here yet."""
        with contextlib.suppress(OSError):
            self.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        wanted = {*self.hashes.values(), *self.inputs.values()}
        return sorted(digest for digest in wanted if not self.has(digest))

    def has(self, digest: str) -> bool:
        """Whether a file with this hash is here; another one by its name is taken away."""
        try:
            with self.file(digest).open("rb") as file:
                if "sha256:" + hashlib.file_digest(file, "sha256").hexdigest() == digest:
                    return True
            self.file(digest).unlink()
        except OSError:
            pass
        return False

    def file(self, digest: str) -> Path:
        """Return where the file with a hash is."""
        return self.cache / digest.replace(":", "-")

    def store(self, digest: str, content: bytes) -> str:
        """Keep a file; return why it cannot be kept, or nothing."""
        part = self.cache / f"part-{os.getpid()}-{threading.get_ident()}"
        try:
            try:
                part.write_bytes(content)
                part.chmod(0o500)
                part.rename(self.file(digest))
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            return f"{self.cache} cannot be written: {error.strerror}"
        return ""

    def check(self) -> str:
        """Start a process, if the worker can run the program; return why it cannot, or nothing."""
        try:
            self.make_folder()
            process = self.start()
        except OSError as error:
            return f"{error.filename or self.base}: {error.strerror}"
        except (RefusedError, EndedError) as why:
            return str(why)
        self.rest(process)
        threading.Thread(target=self.reap, daemon=True).start()
        return ""

    def make_folder(self) -> None:
        """Make the folder that the program runs in, with the files that it reads."""
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            raise RefusedError(f"it runs {platform.system()} on {platform.machine()}, the program needs Linux on x86_64")
        self.folder = self.base / f"fencehound-{self.beginning_hash()}"
        self.folder.mkdir(exist_ok=True)
        for name, digest in self.inputs.items():
            if name.startswith("/"):
                self.compare(Path(name), digest)
                continue
            copy = self.folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            copy.write_bytes(self.file(digest).read_bytes())

    def beginning_hash(self) -> str:
        """Return a name for what the processes are told first."""
        return hashlib.sha256("".join(self.beginning).encode()).hexdigest()[:16]

    @staticmethod
    def compare(file: Path, digest: str) -> None:
        """Refuse the worker if a file that the program reads is another one here."""
        try:
            with file.open("rb") as content:
                ours = "sha256:" + hashlib.file_digest(content, "sha256").hexdigest()
        except OSError as error:
            raise RefusedError(f"the input file {file}: {error.strerror}") from None
        if ours != digest:
            raise RefusedError(f"the input file {file} is another one than at the search")

    def start(self) -> Process:
        """Start a process that is ready for slices."""
        tool, executable = (str(self.file(self.hashes[name])) for name in ("tool", "executable"))
        process = Process([tool, "worker", "--executable", executable], self.folder)
        try:
            for line in self.beginning:
                process.say(line)
            while True:
                kind, value, line = process.hear()
                match kind:
                    case "ready":
                        return process
                    case "refused":
                        raise RefusedError(value["why"])
                    case "failed":
                        raise RefusedError(value["message"])
        except BaseException:
            process.end()
            raise

    def rest(self, process: Process) -> None:
        """Keep a process for the next slice."""
        process.rests_since = time.monotonic()
        with self.changed:
            if not self.is_over:
                self.idle.append(process)
                return
        process.end()

    def reap(self) -> None:
        """End processes that nobody uses, until all is over: nobody may be there any more to say that it is."""
        while True:
            with self.changed:
                if self.changed.wait_for(lambda: self.is_over, timeout=REST / 4):
                    return
                ended = [process for process in self.idle if time.monotonic() - process.rests_since > REST]
                self.idle = [process for process in self.idle if process not in ended]
            for process in ended:
                process.end()

    def learn(self, epoch: int, first: int, lines: list[str]) -> None:
        """Keep what the search has learned, lines with numbers from `first` on; they come in any order."""
        with self.changed:
            if epoch > self.epoch:
                self.epoch, self.learned = epoch, []
            if epoch == self.epoch:
                end = first - 1 + len(lines)
                self.learned.extend([""] * (end - len(self.learned)))
                self.learned[first - 1 : end] = lines
            self.changed.notify_all()

    def knows(self, epoch: int, number: int) -> bool:
        """Whether the lines of an epoch have come up to this one."""
        return number == 0 or (self.epoch == epoch and len(self.learned) >= number and all(self.learned[:number]))

    def cancel(self, epoch: int, number: int | None) -> None:
        """Give up a slice, or all of this epoch and of those before."""
        with self.changed:
            if number is None:
                self.cancelled_epoch = max(self.cancelled_epoch, epoch)
            else:
                self.cancelled.add(number)
            ended = [process for of, process in self.busy.items() if self.is_cancelled(*of)]
            self.changed.notify_all()
        for process in ended:
            process.child.kill()

    def is_cancelled(self, epoch: int, number: int) -> bool:
        """Whether nobody waits for a slice."""
        return self.is_over or epoch <= self.cancelled_epoch or number in self.cancelled

    def run(self, epoch: int, number: int, learned: int, line: str) -> str:
        """Run a slice; return the line that answers it."""

        def lost(why: str) -> str:
            return json.dumps({"lost": {"id": number, "epoch": epoch, "why": why}}) + "\n"

        with self.changed:
            self.changed.wait_for(lambda: self.knows(epoch, learned) or self.is_cancelled(epoch, number), PATIENCE)
            if self.is_cancelled(epoch, number):
                return lost("it was cancelled")
            if not self.knows(epoch, learned):
                return lost("the worker was not told what the search has learned")
            lore = self.learned[:learned]
            process = self.idle.pop() if self.idle else None
        try:
            process = process or self.start()
        except OSError as error:
            return lost(f"fencehound worker cannot be started: {error.strerror}")
        except (RefusedError, EndedError) as why:
            return lost(str(why))
        with self.changed:
            self.busy[epoch, number] = process
        try:
            answer = self.ask(process, (epoch, number), lore, line)
        except EndedError as how:
            process.end()
            return lost(str(how))
        except BaseException:
            process.end()
            raise
        finally:
            with self.changed:
                del self.busy[epoch, number]
        self.rest(process)
        return answer

    def ask(self, process: Process, of: tuple[int, int], lore: list[str], line: str) -> str:
        """Have a process run a slice; return its answer."""
        epoch, number = of
        if self.is_cancelled(epoch, number):
            raise EndedError("it was cancelled")
        if epoch < process.epoch:
            raise EndedError("the search has begun anew")
        if epoch > process.epoch:
            process.epoch, process.told = epoch, 0
        for learned in lore[process.told :]:
            process.say(learned)
        process.told = max(process.told, len(lore))
        process.say(line)
        while True:
            kind, value, answer = process.hear()
            if kind == "failed" or (kind in ("harvest", "died", "lost") and value["id"] == number):
                return answer


async def install(session: str, beginning: list[str], hashes: dict[str, str], inputs: dict[str, str], dask_worker: Worker) -> list[str]:
    """Begin on a worker; return the hashes of the files that it lacks."""
    service = Service(beginning, hashes, inputs)
    await dask_worker.plugin_add(service, name=session)
    return await asyncio.to_thread(service.lacks)


async def store(session: str, digest: str, content: bytes, dask_worker: Worker) -> str:
    """Keep a file on a worker; return why it cannot be kept, or nothing."""
    return str(await asyncio.to_thread(found(dask_worker, session).store, digest, content))


async def check(session: str, dask_worker: Worker) -> str:
    """Return why a worker cannot run the program, or nothing."""
    return str(await asyncio.to_thread(found(dask_worker, session).check))


def learn(session: str, epoch: int, first: int, lines: list[str], dask_worker: Worker) -> None:
    """Tell a worker what the search has learned."""
    found(dask_worker, session).learn(epoch, first, lines)


def cancel(session: str, epoch: int, number: int | None, dask_worker: Worker) -> None:
    """Tell a worker that nobody waits for slices."""
    found(dask_worker, session).cancel(epoch, number)


async def leave(session: str, dask_worker: Worker) -> None:
    """End all on a worker."""
    if session in dask_worker.plugins:
        await dask_worker.plugin_remove(session)


def found(worker: Worker, session: str) -> Any:
    """Return the service of a search on a worker; raise KeyError if the worker has begun anew since it was put there."""
    return worker.plugins[session]


def run(session: str, epoch: int, number: int, learned: int, line: str) -> str | None:
    """Run a slice on this worker; return the line that answers it, or nothing if the worker has begun anew."""
    try:
        service = found(get_worker(), session)
    except KeyError:
        return None
    return str(service.run(epoch, number, learned, line))

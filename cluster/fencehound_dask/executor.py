"""The executor: it reads the tool's lines, has slices run as tasks of dask, each on the worker that has least to do, and answers.

Workers are looked for again and again, so they may come and go. Each is asked in turn for its versions, given what it lacks, and has to
start the program, before it gets slices. What a worker has that is gone, is lost, and handed out again by the tool.
"""

import asyncio
import contextlib
import hashlib
import importlib.metadata
import pickle
import platform
import sys
import threading
import uuid
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle
from distributed import Client, Future, Security

from . import PROTOCOL, service
from .lines import Slice, Value, read, write

LOOK = 0.5
"""The seconds between two looks at which workers there are."""
AHEAD = 2
"""The slices that a thread of a worker has at a time: one runs, one waits."""
FAREWELL = 1.0
"""The seconds for which the executor waits at its end for what it has put on the workers to end: the tool waits for two."""


class FailedError(Exception):
    """The search has to end, with this message and this help."""

    def __init__(self, message: str, advice: str) -> None:
        """Keep both."""
        super().__init__(message)
        self.message, self.advice = message, advice


@dataclass(frozen=True)
class Place:
    """Where the cluster is, and with which files the program shall run there."""

    scheduler: str
    security: Security | None
    timeout: float
    inputs: list[str]


@dataclass
class Site:
    """A worker that runs slices."""

    threads: int
    has: dict[int, tuple[Slice, Future[Any]]] = field(default_factory=dict)


class Call:
    """A call of a function of the service: to unpickle it is to make it.

    A task's function is unpickled by the scheduler, too, which does not have this package. So it is `pickle.loads`, and the call is data.
    """

    def __init__(self, function: Callable[..., object], words: tuple[object, ...]) -> None:
        """Keep what is called."""
        self.call = (function, words)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Return what makes the object, which is the call."""
        return self.call


def versions() -> dict[str, str]:
    """Return what has to be the same at the executor, the scheduler and the workers, on this machine."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, "distributed": importlib.metadata.version("distributed")}


def difference(python: str, distributed: str) -> str:
    """Return which version is another one than here, or nothing."""
    theirs = {"Python": ".".join(python.split(".")[:2]), "distributed": distributed}
    for name, ours in versions().items():
        if theirs[name] != ours:
            return f"it has {name} {theirs[name]}, the executor has {ours}"
    return ""


def say(kind: str, value: Value) -> None:
    """Write a line to the tool."""
    pass_on(write(kind, value))


def pass_on(line: str) -> None:
    """Pass a line on to the tool."""
    sys.stdout.write(line)
    sys.stdout.flush()


class Executor:
    """What is known of the workers and of the slices."""

    def __init__(self, client: Client, place: Place, program: Value, beginning: list[str]) -> None:
        """Begin with a program, of which no worker knows yet."""
        self.client, self.place = client, place
        self.name = Path(program["name"]).stem
        self.session = f"fencehound-{uuid.uuid4().hex[:12]}"
        self.files = dict[str, Path]()
        hashes = {name: self.add_file(Path(program[name]["path"]), program[name]["hash"]) for name in ("tool", "executable")}
        inputs = {name: self.add_file(Path(program["directory"], name), None) for name in place.inputs}
        self.needs = (beginning, hashes, inputs)
        self.sites = dict[str, Site]()
        self.known = set[str]()
        self.refused = dict[str, str]()
        self.waiting = deque[Slice]()
        self.epoch, self.learned = 0, list[str]()
        self.said: int | None = None
        self.going_on = set[asyncio.Task[None]]()

    def add_file(self, path: Path, digest: str | None) -> str:
        """Note that workers need a file; return its hash."""
        try:
            ours = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError as error:
            raise FailedError(f"{path}: {error.strerror}", "name files that the program reads, from its folder") from None
        if digest not in (None, ours):
            raise FailedError(f"{path} has changed since the search began", "begin the search again")
        self.files[ours] = path
        return ours

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the rest."""
        task = asyncio.create_task(work)
        self.going_on.add(task)
        task.add_done_callback(self.going_on.discard)

    async def tell(self, address: str, function: Any, *words: Any) -> Any:
        """Call a function of the service on a worker; return its result, or the exception."""
        try:
            answers = await self.client.run(function, *words, workers=[address], on_error="return")
        except OSError as error:
            return error
        return answers.get(address, OSError("it is gone"))

    async def look(self) -> None:
        """See which workers there are: begin on new ones, and lose what those have that are gone."""
        there: dict[str, int] = await self.client.nthreads()
        for address in [address for address in self.sites if address not in there]:
            self.forget(address, "its worker is gone")
        self.known &= there.keys()
        self.refused = {address: why for address, why in self.refused.items() if address in there}
        for address, threads in there.items():
            if address not in self.known and threads:
                self.known.add(address)
                self.begin(self.admit(address, threads))
        if self.refused and not self.sites and self.refused.keys() == there.keys():
            raise FailedError(f"no worker can run the program: {next(iter(self.refused.values()))}", "see docs/cluster.md")

    async def admit(self, address: str, threads: int) -> None:
        """Give a worker what it needs, and slices, if it can run the program."""
        why = await self.prepare(address)
        if address not in self.known:
            return
        if isinstance(why, OSError):
            # The worker may be gone, or busy; the next look tries again.
            self.known.discard(address)
        elif why:
            self.refused[address] = why
            say("refused", {"why": f"{address}: {why}"})
        else:
            self.sites[address] = Site(threads)
            await self.tell(address, service.learn, self.session, self.epoch, 1, self.learned)
            self.hand_out()
        self.count()

    async def prepare(self, address: str) -> str | OSError:
        """Put the service on a worker; return why it cannot run the program, or an error if nothing can be said of that."""
        # These are found by their names, so they can be asked of any version.
        python = await self.tell(address, platform.python_version)
        distributed = await self.tell(address, importlib.metadata.version, "distributed")
        if isinstance(python, OSError) or isinstance(distributed, OSError):
            return OSError(f"{python} {distributed}")
        if why := difference(str(python), str(distributed)):
            return why
        lacking = await self.tell(address, service.install, self.session, *self.needs)
        answers = [lacking]
        for digest in lacking if isinstance(lacking, list) else []:
            content = await asyncio.to_thread(self.files[digest].read_bytes)
            answers.append(await self.tell(address, service.store, self.session, digest, content))
        answers.append(await self.tell(address, service.check, self.session))
        for answer in answers:
            if isinstance(answer, OSError):
                return answer
            if isinstance(answer, Exception):
                return f"{type(answer).__name__}: {answer}"
        return next((answer for answer in answers if isinstance(answer, str) and answer), "")

    def forget(self, address: str, why: str) -> None:
        """Give back what a worker has."""
        site = self.sites.pop(address, Site(0))
        self.known.discard(address)
        for given, future in site.has.values():
            future.release()
            pass_on(given.lost(why))
        self.count()

    def count(self) -> None:
        """Tell the tool how many workers there are."""
        threads = sum(site.threads for site in self.sites.values())
        if threads != self.said and (threads or self.said is not None):
            self.said = threads
            say("workers", {"count": threads, "slots": AHEAD * threads})

    def hand_out(self) -> None:
        """Give slices to the workers that have least to do."""
        while self.waiting:
            open_ones = [(len(site.has) / site.threads, address) for address, site in self.sites.items()]
            load, address = min(open_ones, default=(float(AHEAD), ""))
            if load >= AHEAD:
                return
            given = self.waiting.popleft()
            key = f"{self.name}-slice-{self.session}-{given.number}"
            call = Call(service.run, (self.session, given.epoch, given.number, given.learned, given.line))
            future = self.client.submit(pickle.loads, cloudpickle.dumps(call), key=key, workers=[address], pure=False)
            self.sites[address].has[given.number] = (given, future)
            self.begin(self.await_answer(address, given, future))

    async def await_answer(self, address: str, given: Slice, future: Future[Any]) -> None:
        """Wait for the answer to a slice, and pass it on."""
        why, answer = "its worker has begun anew", None
        try:
            answer = await future
        except asyncio.CancelledError:
            why = "dask has cancelled it"
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        site = self.sites.get(address)
        if site is None or site.has.pop(given.number, None) is None:
            return
        future.release()
        if isinstance(answer, str):
            pass_on(answer)
        else:
            pass_on(given.lost(why))
            self.forget(address, why)
        self.hand_out()

    def learn(self, value: Value, line: str) -> None:
        """Tell all workers what the search has learned."""
        epoch = int(value["epoch"])
        if epoch > self.epoch:
            self.epoch, self.learned = epoch, []
        self.learned.append(line)
        self.begin(self.tell_all(service.learn, epoch, int(value["number"]), [line]))

    async def tell_all(self, function: Any, *words: Any) -> None:
        """Call a function of the service on all workers that have one."""
        if self.sites:
            # A worker that is not told gives its slices back.
            with contextlib.suppress(OSError):
                await self.client.run(function, self.session, *words, workers=list(self.sites), on_error="ignore")

    def cancel(self, epoch: int, number: int | None) -> None:
        """Give up a slice, or all of an epoch and of those before."""

        def is_meant(given: Slice) -> bool:
            return given.epoch <= epoch and number in (None, given.number)

        self.waiting = deque(given for given in self.waiting if not is_meant(given))
        # What workers have, they answer soon. One that does not keeps its place taken: it is given nothing more.
        self.begin(self.tell_all(service.cancel, epoch, number))

    def obey(self, line: str) -> bool:
        """Do what a line of the tool says; return whether the search goes on."""
        kind, value = read(line)
        match kind:
            case "learned":
                self.learn(value, line)
            case "slice":
                self.waiting.append(Slice.of(value, line))
                self.hand_out()
            case "cancel":
                self.cancel(int(value["epoch"]), value.get("id"))
            case "end":
                return False
        return True

    async def serve(self, lines: asyncio.Queue[str]) -> None:
        """Serve until the tool's lines end, or the scheduler is gone."""
        looking = asyncio.create_task(self.keep_looking())
        goes_on = True
        try:
            while goes_on:
                hearing = asyncio.create_task(lines.get())
                await asyncio.wait({hearing, looking}, return_when=asyncio.FIRST_COMPLETED)
                if looking.done():
                    hearing.cancel()
                    looking.result()
                goes_on = self.obey(await hearing)
        finally:
            looking.cancel()
            await self.end()

    async def keep_looking(self) -> None:
        """Look for workers again and again, as long as the scheduler is there, or another one by its address soon enough."""
        while True:
            try:
                await self.look()
            except OSError as error:
                if self.client.status not in ("running", "connecting"):
                    message = f"the scheduler at {self.place.scheduler} is lost: {error}"
                    raise FailedError(message, "with --checkpoint FILE, the search goes on from there") from None
            await asyncio.sleep(LOOK)

    async def end(self) -> None:
        """End what was put on the workers, as far as it can be reached."""
        for task in self.going_on.copy():
            task.cancel()
        with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
            workers = list(self.known)
            if workers and self.client.status == "running":
                leaving = self.client.run(service.leave, self.session, workers=workers, on_error="ignore")
                await asyncio.wait_for(leaving, FAREWELL)


async def connect(place: Place) -> Client:
    """Connect to the scheduler."""
    advice = "see that it runs, that its address is right, and with TLS that the certificates are those of the cluster"
    try:
        client: Client = await Client(
            place.scheduler, security=place.security, timeout=place.timeout, asynchronous=True, set_as_default=False
        )
        python = await client.run_on_scheduler(platform.python_version)
        distributed = await client.run_on_scheduler(importlib.metadata.version, "distributed")
    except (OSError, ValueError, TypeError) as error:
        message = f"the scheduler at {place.scheduler} cannot be reached: {error}"
        raise FailedError(message, advice) from None
    if why := difference(python, distributed):
        await client.close()
        raise FailedError(f"the scheduler at {place.scheduler} is of another version: {why}", "install the same version")
    return client


async def run(place: Place) -> int:
    """Speak with the tool; return the status with which the process ends."""
    cloudpickle.register_pickle_by_value(service)
    lines, loop = asyncio.Queue[str](), asyncio.get_running_loop()

    def hear() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, write("end", {}))

    threading.Thread(target=hear, daemon=True).start()
    client = None
    try:
        first = await lines.get()
        kind, value = read(first)
        if kind != "hello":
            raise FailedError("the tool did not begin with hello", "see docs/cluster.md")
        say("hello", {"protocol": PROTOCOL, "name": "fencehound_dask"})
        if value.get("protocol") != PROTOCOL:
            return 2
        client = await connect(place)
        second = await lines.get()
        kind, program = read(second)
        if kind == "program":
            await Executor(client, place, program, [first, second]).serve(lines)
    except FailedError as failed:
        say("failed", {"status": 2, "message": failed.message, "help": failed.advice})
        return 2
    finally:
        if client is not None:
            with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(client.close(), FAREWELL)
    return 0

"""An executor for tests: workers on this machine, and faults as they are named on the command line.

executor.py TOOL WORKERS SEED [FAULT...]; the faults are told in `FAULTS`. It shows how little an executor is: the protocol is that of
docs/cluster.md.
"""

import json
import os
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FAULTS = {
    "late": "answers come late, and in another order",
    "lost": "slices are given up, and some of them are answered nevertheless",
    "killed": "workers are killed, and others take their place",
    "twice": "answers come twice",
    "stale": "answers come again, with other epochs and other ids",
    "shrinks": "the number of workers goes up and down",
    "garbage": "a line is no message",
    "version": "another version of the protocol is spoken",
    "mute": "nothing is said, and the output is closed",
    "quits": "the executor ends in the middle",
    "refuses": "no worker can run the program",
    "elsewhere": "workers are in another folder, and have a copy of the program by another name",
}

Line = dict


class Worker:
    """A process that runs slices one after another."""

    def __init__(self, number: int, command: list[str], folder: str, heard: queue.Queue, before: list[str]) -> None:
        self.number, self.slice = number, None
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=folder, text=True, **pipes)
        self.thread = threading.Thread(target=self.listen, args=(heard,), daemon=True)
        self.thread.start()
        for line in before:
            self.say(line)

    def listen(self, heard: queue.Queue) -> None:
        for line in self.process.stdout:
            heard.put((self, line))

    def say(self, line: str) -> None:
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass


class Executor:
    """Workers, what waits for them, and what is answered later."""

    def __init__(self, tool: str, count: int, seed: int, faults: list[str]) -> None:
        self.count, self.faults, self.random = count, faults, random.Random(seed)
        self.command, self.folder = [tool, "worker"], "."
        if "elsewhere" in faults:
            self.folder = tempfile.mkdtemp()
            self.copy = os.path.join(self.folder, "a-copy-by-quite-another-name")
            self.command += ["--executable", self.copy]
        self.heard: queue.Queue = queue.Queue()
        self.before: list[str] = []
        self.waiting: list[tuple[Line, str]] = []
        self.later: list[tuple[float, str]] = []
        self.said: list[str] = []
        self.workers = [self.hire(number) for number in range(count)]

    def hire(self, number: int) -> Worker:
        return Worker(number, self.command, self.folder, self.heard, self.before)

    def has(self, fault: str, share: float = 0.3) -> bool:
        return fault in self.faults and self.random.random() < share

    def write(self, line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    def lose(self, worker: Worker) -> None:
        given, worker.slice = worker.slice, None
        if given is not None:
            lost = {"id": given["id"], "epoch": given["epoch"], "why": "the test lost it"}
            self.write(json.dumps({"lost": lost}) + "\n")

    def hear_tool(self, line: str) -> bool:
        kind, value = next(iter(json.loads(line).items()))
        if kind == "slice":
            self.waiting.append((value, line))
            if self.has("quits", 0.2):
                os._exit(3)
            if self.has("garbage", 0.2):
                self.write("what is this?\n")
            return True
        if kind == "cancel":
            self.waiting = [(given, text) for given, text in self.waiting if given["epoch"] > value["epoch"]]
            self.before = [text for text in self.before if "learned" not in json.loads(text)]
            for worker in self.workers:
                worker.slice = None
        else:
            if kind == "program" and "elsewhere" in self.faults:
                shutil.copy(value["executable"]["path"], self.copy)
            if kind == "program" and "refuses" in self.faults:
                value["executable"]["hash"] = "sha256:0"
                line = json.dumps({kind: value}) + "\n"
            self.before.append(line)
        for worker in self.workers:
            worker.say(line)
        if kind == "hello":
            version = 7 if "version" in self.faults else value["protocol"]
            self.write(json.dumps({"hello": {"protocol": version, "name": "a test"}}) + "\n")
        return kind != "end"

    def hear_worker(self, worker: Worker, line: str) -> None:
        kind, value = next(iter(json.loads(line).items()))
        if kind == "ready":
            self.write(json.dumps({"workers": {"count": self.count}}) + "\n")
        elif kind == "refused":
            self.write(json.dumps({"failed": {"status": 2, "message": "no worker fits: " + value["why"]}}) + "\n")
        elif kind in ("harvest", "died", "failed", "lost"):
            self.answer(worker, kind, value, line)

    def answer(self, worker: Worker, kind: str, value: Line, line: str) -> None:
        # What a worker has answered before it heard of a cancellation is not about the slice that it has by now.
        is_current = worker.slice is not None and worker.slice["id"] == value.get("id")
        if kind == "harvest" and is_current and self.has("lost"):
            self.lose(worker)
            if self.random.random() < 0.5:
                self.write(line)
            return
        if is_current:
            worker.slice = None
        if self.has("late", 0.5):
            self.later.append((time.monotonic() + self.random.random() / 5, line))
        else:
            self.write(line)
        if kind == "harvest" and self.has("twice"):
            self.write(line)
        if kind == "harvest" and self.has("stale"):
            value["epoch"] += self.random.choice([-1, 1])
            self.write(json.dumps({kind: value}) + "\n")
            value["epoch"], value["id"] = 1, self.random.choice([0, 1, value["id"] + 1000])
            self.write(json.dumps({kind: value}) + "\n")

    def hand_out(self) -> None:
        for index, worker in enumerate(self.workers):
            if worker.slice is None and self.waiting:
                worker.slice, line = self.waiting.pop(0)
                worker.say(line)
                if self.has("killed", 0.2):
                    os.kill(worker.process.pid, signal.SIGKILL)
                    self.lose(worker)
                    self.workers[index] = self.hire(index)
        if self.has("shrinks", 0.1):
            count = self.random.choice([0, 1, self.count])
            self.write(json.dumps({"workers": {"count": count}}) + "\n")
            self.later.append((time.monotonic() + 0.1, json.dumps({"workers": {"count": self.count}}) + "\n"))

    def read(self) -> None:
        for line in sys.stdin:
            self.heard.put((None, line))
        self.heard.put((None, '{"end":{}}\n'))

    def run(self) -> None:
        if "mute" in self.faults:
            return
        threading.Thread(target=self.read, daemon=True).start()
        goes_on = True
        while goes_on:
            try:
                worker, line = self.heard.get(timeout=0.01)
                if worker is None:
                    goes_on = self.hear_tool(line)
                elif worker in self.workers:
                    self.hear_worker(worker, line)
            except queue.Empty:
                pass
            due = [line for when, line in self.later if when <= time.monotonic()]
            self.later = [(when, line) for when, line in self.later if when > time.monotonic()]
            for line in due:
                self.write(line)
            self.hand_out()
        for worker in self.workers:
            worker.process.kill()
        if "elsewhere" in self.faults:
            shutil.rmtree(self.folder)


if __name__ == "__main__":
    unknown = set(sys.argv[4:]) - set(FAULTS)
    if unknown:
        sys.exit(f"no such fault: {unknown}")
    Executor(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]).run()
    os._exit(0)

"""The lines between the tool, an executor and its workers (docs/cluster.md): objects with one key, their kind."""

import json
from dataclasses import dataclass
from typing import Any

Value = dict[str, Any]


def read(line: str) -> tuple[str, Value]:
    """Return the kind of a line, and what it says; raise ValueError if it is no such line."""
    match json.loads(line):
        case dict(message) if len(message) == 1:
            kind, value = next(iter(message.items()))
            if isinstance(value, dict):
                return kind, value
    raise ValueError("not an object with one key whose value is an object")


def write(kind: str, value: Value) -> str:
    """Return the line that says this."""
    return json.dumps({kind: value}, separators=(",", ":")) + "\n"


@dataclass(frozen=True)
class Slice:
    """A slice, as the tool has handed it out."""

    number: int
    epoch: int
    learned: int
    line: str

    @staticmethod
    def of(value: Value, line: str) -> "Slice":
        """Return the slice that a line hands out."""
        return Slice(int(value["id"]), int(value["epoch"]), int(value["learned"]), line)

    def lost(self, why: str) -> str:
        """Return the line that says that nobody runs it any more."""
        return write("lost", {"id": self.number, "epoch": self.epoch, "why": why})

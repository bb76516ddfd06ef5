"""The records of a history, and their file.

Every key holds a list, and every write appends a unique element. So a list shows its own past: the
order of a key's versions is the order of its elements, and a version's number is its length.
"""
import json
from dataclasses import asdict, dataclass, field

OK = "ok"            # acknowledged
FAILED = "failed"    # refused: nothing may come of it
UNKNOWN = "unknown"  # the connection broke: it happened, happens later, or never


@dataclass
class Transaction:
    """One operation on one or several keys."""
    client: int
    kind: str
    start: int                                    # nanoseconds, on one clock for all clients
    end: int                                      # of an unknown one: when the client gave up
    outcome: str = OK
    appends: dict = field(default_factory=dict)   # key: the element it adds
    reads: dict = field(default_factory=dict)     # key: the list it saw, its own element excluded
    lengths: dict = field(default_factory=dict)   # key: the length that a condition demanded, and found
    holds: str = ""                               # a lock that the client certainly had from start to end
    # Problems that the response alone shows.
    problems: list = field(default_factory=list)

    def keys(self):
        return self.appends.keys() | self.reads.keys() | self.lengths.keys()

    def __str__(self):
        parts = [f"sees {key} = {shorten(seen)}" for key, seen in self.reads.items()]
        parts += [f"finds {key} of length {length}" for key, length in self.lengths.items() if key not in self.reads]
        parts += [f"appends {element} to {key}" for key, element in self.appends.items()]
        parts += [f"holds {self.holds}"] if self.holds else []
        outcome = "" if self.outcome == OK else f" [{self.outcome}]"
        return (f"client {self.client:2}, {self.start / 1e6:.3f} to {self.end / 1e6:.3f} ms, {self.kind}{outcome}: "
                + ", ".join(parts))


def shorten(elements):
    """Returns a list for people: its end is what matters."""
    text = ", ".join(map(str, elements[-4:]))
    return f"[{len(elements)}: ... {text}]" if len(elements) > 4 else f"[{text}]"


def save(transactions, path):
    with open(path, "w", encoding="utf-8") as out:
        for transaction in transactions:
            out.write(json.dumps(asdict(transaction), separators=(",", ":")) + "\n")


def load(path):
    with open(path, encoding="utf-8") as lines:
        return [Transaction(**json.loads(line)) for line in lines]

#!/usr/bin/env python3
"""Concurrent clients work on a few keys over the wire; then the checker decides whether their results are possible.

    tests/history/run.py PROGRAM [--seconds 60] [--clients 16] [--data DIR] [--seed N]
    tests/history/run.py --endpoint URL          any other server; it gets a table `history`

Fails if the history is not serializable, or a single key not linearizable (checker.py). The seed decides the clients'
operations, not their timing: a failure is kept as a file, for checker.py.
"""
import argparse
import collections
import pathlib
import random
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

from checker import check, report
from connection import address_of
from record import OK, save
from server import Server
import workload


ACKNOWLEDGED_MIN = 10  # of every kind of transaction
KINDS = ("GetItem", "UpdateItem", "UpdateItem if", "PutItem if", "TransactWriteItems", "TransactWriteItems if",
         "TransactGetItems", "Query", "BatchGetItem", "lock")


def verify(url, clients, seconds, seed):
    """Runs the clients; returns the transactions and their violations."""
    transactions = workload.run(address_of(url), clients, seconds, seed)
    return transactions, check(transactions)


def summary(transactions):
    """Returns the number of each kind, and how many of them were acknowledged."""
    kinds = collections.Counter(one.kind for one in transactions)
    acknowledged = collections.Counter(one.kind for one in transactions if one.outcome == OK)
    return ", ".join(f"{kind} {acknowledged[kind]}/{count}" for kind, count in sorted(kinds.items()))


def idle_kinds(transactions):
    """Returns the kinds of which hardly any was acknowledged: the history does not test them."""
    acknowledged = collections.Counter(one.kind for one in transactions if one.outcome == OK)
    return [kind for kind in KINDS if acknowledged[kind] < ACKNOWLEDGED_MIN]


def keep(transactions, seed):
    path = pathlib.Path(tempfile.gettempdir()) / f"tavola-history-{seed}.jsonl"
    save(transactions, path)
    return path


def examine(url, options):
    transactions, problems = verify(url, options.clients, options.seconds, options.seed)
    print(f"acknowledged of all: {summary(transactions)}")
    report(problems)
    if problems:
        print(f"seed {options.seed}: {len(transactions)} transactions, NOT serializable; "
              f"kept in {keep(transactions, options.seed)}")
        return 1
    if idle := idle_kinds(transactions):
        print(f"seed {options.seed}: too few acknowledged of: {', '.join(idle)}")
        return 1
    print(f"seed {options.seed}: {len(transactions)} transactions, strictly serializable")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="tavola; it is started in memory unless --data is given")
    parser.add_argument("--endpoint", help="a server that runs already")
    parser.add_argument("--data", help="keep the data in this directory, or in a temporary one: -")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    if bool(options.program) == bool(options.endpoint):
        parser.error("give either a program or --endpoint")
    if options.endpoint:
        return examine(options.endpoint, options)
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/data" if options.data == "-" else options.data
        with Server(options.program, *(["--data", data] if data else ["--in-memory"])) as server:
            return examine(server.url, options)


if __name__ == "__main__":
    sys.exit(main())

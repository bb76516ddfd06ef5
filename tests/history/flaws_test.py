#!/usr/bin/env python3
"""The short form of the history finds every flaw that can be planted into the server, and none in a sound one.

    tests/history/flaws_test.py BROKEN_SERVER [FLAW...]

A flaw that two seconds did not reveal gets more time, up to the short form's.
"""
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

from run import keep, verify
from server import Server

CLIENTS = 16
SECONDS = [1, 2, 5]

# The checker's expected report, among others.
VERDICTS = {
    "none": None,
    "lost-update": "had two pasts|is not linearizable",
    "half-visible": "not serializable",
    "fractured-read": "not serializable",
    "unchecked-skew": "not serializable",
    "stale-read": "is not linearizable",
    "dropped-write": "lost .*, whose write was acknowledged",
    "refused-write": "of a refused write",
    "applied-twice": "more than once",
    "token-ignored": "more than once",
}


def found(program, flaw, seed):
    """Returns the transactions, and the checker's report on a server with this flaw; the verdict's first, if
    present."""
    transactions, problems = [], []
    for seconds in SECONDS:
        with Server(program, "--flaw", flaw) as server:
            transactions, problems = verify(server.url, CLIENTS, seconds, seed)
        if flaw == "none":
            break
        wanted = [problem for problem in problems if re.search(VERDICTS[flaw], problem)]
        if wanted:
            return transactions, wanted
    return transactions, problems


def is_right(flaw, problems):
    if flaw == "none":
        return not problems
    return bool(problems) and re.search(VERDICTS[flaw], problems[0]) is not None


def main():
    program, *chosen = sys.argv[1:]
    flaws = chosen or subprocess.run([program, "--flaws"], check=True, capture_output=True, text=True).stdout.split()
    failed = 0
    for seed, flaw in enumerate(flaws):
        transactions, problems = found(program, flaw, seed)
        print(f"{flaw} ({len(transactions)} transactions): {problems[0] if problems else 'sound'}\n", flush=True)
        if not is_right(flaw, problems):
            failed += 1
            print(f"WRONG: {flaw}, seed {seed}: expected {VERDICTS[flaw] or 'a sound history'}; kept in "
                  f"{keep(transactions, f'{flaw}-{seed}')}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

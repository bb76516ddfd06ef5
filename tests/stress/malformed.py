#!/usr/bin/env python3
"""Sends malformed requests and checks that the server keeps responding and that its data does not change.

    tests/stress/malformed.py PROGRAM [--requests 10000] [--seed N] [--any-memory]
    tests/stress/malformed.py PROGRAM --seed N --only NUMBER      one of them, shown with its response

Requests are random, from the seed (malformed_heads.py, malformed_bodies.py). Each has a connection of its own,
whose end is announced after the request: so the server never has to wait for more. A response must be valid HTTP, and
not an internal failure; no request may write into the table that must not change. Then requests of many megabytes, made
to take as
much memory as they can: the server's peak must stay within a multiple of one of them.
"""
import argparse
import collections
import random
import re
import socket
import struct
import sys

from observe import (address_of, connect, create_table, digest, fill, megabytes, peak_bytes, require,
                     require_no_leftovers)
from connection import split_answer
from server import Server
from valid_requests import KEPT, SCRATCH
import malformed_bodies
import malformed_heads

KEPT_ITEMS = 200
LOOK_EVERY = 500     # requests: is the data as it was?
HANGS_SECONDS = 60   # a server that has neither answered nor closed by then
PEAK_MAX_BYTES = 64 * malformed_bodies.LARGE_BYTES  # their JSON alone takes some 15 of these
ERROR_MAX_BYTES = 100_000  # however much of the request it shows
STATUS_LINE = re.compile(rb"HTTP/1\.1 (\d{3}) [ -~]*\r\n")
SERVER_FAULTS = {501, 505}  # of those from 500 on: an unsupported version or coding
MAKERS = malformed_heads.MAKERS + malformed_bodies.MAKERS


def make(seed, number):
    chance = random.Random(f"{seed}/{number}")
    return chance.choice(MAKERS)(chance)


def exchange(address, data):
    """Returns the bytes received, to the end of the connection."""
    with socket.create_connection(address, HANGS_SECONDS) as connection:
        received = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # it responds, and closes, before it has read everything
        try:
            while chunk := connection.recv(1 << 16):
                received += chunk
        except TimeoutError:
            raise AssertionError("the server neither answers nor closes") from None
        except OSError:
            pass
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return received


def answers_in(received):
    """Returns [(status, body), ...]; fails if it is anything but HTTP."""
    answers = []
    while received:
        line = STATUS_LINE.match(received)
        require(line, f"not HTTP: {received[:200]!r}")
        if line.group(1) == b"100":
            received = received[received.index(b"\r\n\r\n") + 4:]
            continue
        parts = split_answer(received)
        require(parts, f"half an answer: {received[:300]!r}")
        status, body, received = parts
        answers.append((status, body))
    return answers


def judge(case, answers):
    """Fails if the case does not allow the responses."""
    statuses = [status for status, _ in answers]
    require(statuses[:case.answers_before] == [200] * case.answers_before,
            f"the requests before it were answered with {statuses}")
    rest = answers[case.answers_before:]
    require(rest or not case.must_be_answered, "no answer")
    for status, body in rest:
        # Bodies with an invalid coding get a 500, as on DynamoDB.
        coded = b"content-encoding" in case.data.lower()
        require(status < 500 or status in SERVER_FAULTS or coded, f"{status} {body[:300]!r}")
        require(status != 200 or not case.must_be_refused, f"it was done: {body[:200]!r}")


def run(server, options):
    setup = connect(server)
    for table in (KEPT, SCRATCH):
        create_table(setup, table)
    fill(setup, KEPT, KEPT_ITEMS, 100)
    before = digest(setup, KEPT)
    address = address_of(server.url)
    counts = collections.Counter()
    silent = 0
    for number in range(options.requests):
        case = make(options.seed, number)
        answers = []
        try:
            answers = answers_in(exchange(address, case.data))
            judge(case, answers)
            if number % LOOK_EVERY == 0:
                require(digest(setup, KEPT) == before, "the data has changed")
        except (AssertionError, OSError) as problem:
            raise AssertionError(f"request {number} of seed {options.seed} ({case.kind}): {problem}\n"
                                 f"{case.data[:600]!r}") from None
        counts.update(status for status, _ in answers)
        silent += not answers
    send_large(server, options)
    require(digest(setup, KEPT) == before, "the data has changed")
    setup.close()
    require_no_leftovers(server)
    print(f"seed {options.seed}: {options.requests} malformed requests; answers: "
          + ", ".join(f"{count} with {status}" for status, count in sorted(counts.items()))
          + f"; {silent} cut off without one; the data is as it was")


def send_large(server, options):
    for case in malformed_bodies.large_cases():
        answers = answers_in(exchange(address_of(server.url), case.data))
        judge(case, answers)
        require(len(answers[0][1]) < ERROR_MAX_BYTES, f"{case.kind}: an answer of {len(answers[0][1])} bytes")
        peak = peak_bytes(server)
        require(options.any_memory or peak < PEAK_MAX_BYTES, f"{case.kind}: {megabytes(peak)} at the most")
    print(f"requests of {megabytes(malformed_bodies.LARGE_BYTES)}: {megabytes(peak_bytes(server))} at the most")


def show(server, options):
    """Shows one request and its response."""
    setup = connect(server)
    for table in (KEPT, SCRATCH):
        create_table(setup, table)
    setup.close()
    case = make(options.seed, options.only)
    print(f"{case.kind}\n{case.data[:3000]!r}\n-> {exchange(address_of(server.url), case.data)[:3000]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--any-memory", action="store_true", help="of an instrumented server, which keeps what it frees")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    options = parser.parse_args()
    with Server(options.program, "--in-memory") as server:
        (run if options.only is None else show)(server, options)


if __name__ == "__main__":
    sys.exit(main())

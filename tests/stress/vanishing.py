#!/usr/bin/env python3
"""Clients that vanish: in the middle of requests, of responses, properly, by a reset, or slowly. Nothing is lost or
leaks.

    tests/stress/vanishing.py PROGRAM [--rounds 20] [--seed N] [--any-memory] [--wait-for-timeouts]

Concurrently a correct client writes and reads. After a lap of so many rounds its data is complete, and no connection
and
no memory of a request is left. Laps are repeated until one leaves the server as large as the lap before did: the first
laps
fill the arenas that malloc keeps for each thread, but a leak grows in every lap. --wait-for-timeouts (half a minute):
the server cuts off clients that send nothing more, too. --any-memory: run one lap and do not check memory, because
sanitizers keep freed memory.
"""
import argparse
import random
import socket
import struct
import sys
import threading
import time

from observe import (address_of, connect, create_table, fill, megabytes, require, require_no_leftovers,
                     resident_bytes, scan)
from connection import request_bytes, split_answer
from server import Server

KEPT, SCRATCH = "kept", "scratch"
KEPT_ITEMS = 400
KEPT_BYTES = 3000         # so that a scan's answer is a megabyte
GOOD_ITEMS = 500          # that the behaving client writes, over and over
SCRATCH_ITEMS = [(f"s{i}", (10, 1000, 100_000, 300_000)[i % 4]) for i in range(40)]  # key and size, always the same
CLIENTS_PER_ROUND = 60
LAPS_MAX = 10             # some three are enough
GROWTH_BYTES_MAX = 4_000_000  # in one lap
SILENT_CLIENTS = 20
CUT_SECONDS_MAX = 120     # until a silent client is cut off; far more than it takes


def put_request(key, size):
    return request_bytes("PutItem", {"TableName": SCRATCH, "Item": {"pk": {"S": key}, "v": {"S": "x" * size}}})


def scan_request():
    return request_bytes("Scan", {"TableName": KEPT})


class Vanishing:
    """One client of each kind; every method opens a connection and leaves it in its own way."""

    def __init__(self, address, seed):
        self.address = address
        self.random = random.Random(seed)
        self.silent = []  # open connections that send nothing more

    def one(self):
        self.random.choice(self.SORTS)(self)

    # ---- Ways to connect and to leave ----

    def connect(self, receive_bytes=None):
        connection = socket.socket()
        if receive_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(60)
        connection.connect(self.address)
        return connection

    def leave(self, connection):
        """Closes with an end, or with a reset."""
        if self.random.random() < 0.5:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def some_put(self):
        return put_request(*self.random.choice(SCRATCH_ITEMS))

    # ---- The kinds ----

    def says_nothing(self):
        self.leave(self.connect())

    def in_the_head(self):
        connection = self.connect()
        request = self.some_put()
        connection.sendall(request[:self.random.randrange(1, request.index(b"\r\n\r\n"))])
        self.leave(connection)

    def in_the_body(self):
        connection = self.connect()
        request = self.some_put()
        connection.sendall(request[:self.random.randrange(request.index(b"\r\n\r\n") + 4, len(request))])
        self.leave(connection)

    def in_a_chunk(self):
        connection = self.connect()
        head, _, body = self.some_put().partition(b"\r\n\r\n")
        head = head[:head.index(b"Content-Length")] + b"Transfer-Encoding: chunked\r\n\r\n"
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 999]), body[i:i + 999]) for i in range(0, len(body), 999))
        connection.sendall(head + chunks[:self.random.randrange(len(chunks))])
        self.leave(connection)

    def before_100_continue(self):
        connection = self.connect()
        head, _, body = put_request("c", 1000).partition(b"\r\n\r\n")
        connection.sendall(head + b"\r\nExpect: 100-continue\r\n\r\n")
        if self.random.random() < 0.5:
            connection.recv(100)
            connection.sendall(body[:self.random.randrange(len(body))])
        self.leave(connection)

    def before_the_answer(self):
        connection = self.connect()
        connection.sendall(self.random.choice((self.some_put(), scan_request())))
        self.leave(connection)

    def while_it_takes_long(self):
        """Leaves requests running on the threads for long requests."""
        connection = self.connect()
        statement = f"SELECT * FROM {KEPT} WHERE contains(v, 'nowhere')"
        request = request_bytes("ExecuteStatement", {"Statement": statement})
        connection.sendall(request * self.random.randrange(1, 4))
        self.leave(connection)

    def in_the_answer(self):
        connection = self.connect(receive_bytes=4096)
        connection.sendall(scan_request())
        for _ in range(self.random.randrange(1, 4)):
            connection.recv(self.random.randrange(1, 5000))
        self.leave(connection)

    def pipelines_and_never_reads(self):
        connection = self.connect(receive_bytes=4096)
        connection.settimeout(0.01)
        try:
            connection.sendall(scan_request() * self.random.randrange(2, 50))
        except OSError:
            pass  # the server stops reading: rightly so
        self.leave(connection)

    def half_open(self):
        """Announces the end of its data, and reads its response, which it must get."""
        connection = self.connect()
        connection.sendall(scan_request())
        connection.shutdown(socket.SHUT_WR)
        data = b""
        while chunk := connection.recv(1 << 18):
            data += chunk
        answer = split_answer(data)
        require(answer is not None and answer[0] == 200 and not answer[2], f"half an answer: {data[:200]!r}")
        self.leave(connection)

    def drop_by_drop(self):
        connection = self.connect()
        request = put_request("d", 100)
        for i in range(self.random.randrange(1, 40)):
            connection.sendall(request[i:i + 1])
        self.leave(connection)

    def goes_on_in_silence(self):
        """Stays until the end of the test, in the middle of a request."""
        connection = self.connect(receive_bytes=4096)
        request = self.random.choice((self.some_put(), scan_request() * 20))
        connection.settimeout(0.01)
        try:
            connection.sendall(request[:self.random.randrange(1, len(request))])
        except OSError:
            pass
        if len(self.silent) >= SILENT_CLIENTS:
            self.leave(self.silent.pop(0))
        self.silent.append(connection)

    SORTS = (says_nothing, in_the_head, in_the_body, in_a_chunk, before_100_continue, before_the_answer,
             while_it_takes_long, in_the_answer, pipelines_and_never_reads, half_open, drop_by_drop, goes_on_in_silence)


class Behaving(threading.Thread):
    """A correct client: writes, and reads its own writes."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.connection = connect(server)
        self.is_over = threading.Event()
        self.written = 0
        self.latest = {}  # by key: its last item
        self.problem = None

    def run(self):
        try:
            while not self.is_over.is_set():
                item = {"pk": {"S": f"good{self.written % GOOD_ITEMS}"}, "v": {"N": str(self.written)}}
                self.connection.must("PutItem", {"TableName": KEPT, "Item": item})
                self.latest[item["pk"]["S"]] = item
                read = self.connection.must("GetItem", {"TableName": KEPT, "Key": {"pk": item["pk"]},
                                                        "ConsistentRead": True})
                require(read.get("Item") == item, f"wrote {item}, read {read}")
                self.written += 1
        except BaseException as problem:  # the main thread reports any problem
            self.problem = problem

    def finish(self):
        self.is_over.set()
        self.join()
        self.connection.close()
        require(self.problem is None, f"a client that behaves got: {self.problem!r}")


def items_of(connection, table):
    return {item["pk"]["S"]: item for item in scan(connection, table)}


def wait_until_cut(clients):
    """The server cuts off every silent client, whatever it waits for."""
    deadline = time.monotonic() + CUT_SECONDS_MAX
    for connection in clients:
        try:
            while True:
                connection.settimeout(max(deadline - time.monotonic(), 0.1))
                if not connection.recv(1 << 18):
                    break
        except ConnectionError:
            pass
        except TimeoutError:
            raise AssertionError("a client that says nothing was not cut off") from None
        connection.close()
    print(f"{len(clients)} silent clients were cut off")


def run_lap(server, vanishing, options):
    """Lets clients vanish; returns how many items another client wrote concurrently, and its latest ones."""
    behaving = Behaving(server)
    behaving.start()
    for _ in range(options.rounds * CLIENTS_PER_ROUND):
        vanishing.one()
    behaving.finish()
    if options.wait_for_timeouts:
        wait_until_cut(vanishing.silent)
    for connection in vanishing.silent:
        connection.close()
    vanishing.silent.clear()
    require_no_leftovers(server)
    return behaving.written, behaving.latest


def run(server, options):
    setup = connect(server)
    for table in (KEPT, SCRATCH):
        create_table(setup, table)
    fill(setup, KEPT, KEPT_ITEMS, KEPT_BYTES)
    kept = items_of(setup, KEPT)
    for key, size in SCRATCH_ITEMS:
        setup.must("PutItem", {"TableName": SCRATCH, "Item": {"pk": {"S": key}, "v": {"S": "x" * size}}})
    setup.close()
    vanishing = Vanishing(address_of(server.url), options.seed)
    sizes = [resident_bytes(server)]
    while True:
        written, latest = run_lap(server, vanishing, options)
        kept |= latest
        sizes.append(resident_bytes(server))
        print(f"seed {options.seed}: {options.rounds * CLIENTS_PER_ROUND} clients vanished, {written} writes of another "
              f"are complete, memory {megabytes(sizes[-1])}")
        if options.any_memory or sizes[-1] - sizes[-2] < GROWTH_BYTES_MAX:
            break
        require(len(sizes) <= LAPS_MAX, "memory grew in every lap: " + ", ".join(map(megabytes, sizes)))
    setup = connect(server)
    require(items_of(setup, KEPT) == kept, "the data has changed")
    setup.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--any-memory", action="store_true")
    parser.add_argument("--wait-for-timeouts", action="store_true")
    options = parser.parse_args()
    with Server(options.program, "--in-memory") as server:
        run(server, options)


if __name__ == "__main__":
    sys.exit(main())

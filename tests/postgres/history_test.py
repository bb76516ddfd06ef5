#!/usr/bin/env python3
"""Concurrent clients of two servers on one PostgreSQL, of which something is killed: their history is strictly serializable
(tests/history), and so no acknowledged write is lost and none happens twice.

    tests/postgres/history_test.py PROGRAM [TEST ...]

TAVOLA_SECONDS is the time that the clients of each test work (4), TAVOLA_SEED decides their operations.
"""
import contextlib
import os
import pathlib
import sys
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "history"), str(HERE.parent), str(HERE)]

import run  # noqa: E402
import workload  # noqa: E402
from balancer import Balancer  # noqa: E402
from checker import report  # noqa: E402
from connection import address_of  # noqa: E402
from postgres import Postgres  # noqa: E402
from record import OK  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
SECONDS = float(os.environ.get("TAVOLA_SECONDS", "4"))
SEED = int(os.environ.get("TAVOLA_SEED", "11"))
CLIENTS = 8


class Histories(unittest.TestCase):
    def setUp(self):
        workload.FAILURES_ARE_EXPECTED = True
        self.servers = []

    def serve(self, stack, url):
        for _ in range(2):
            self.servers.append(stack.enter_context(Server(PROGRAM, "--store", url, "--console", "off")))

    def examine(self, *events):
        """Runs the clients; the events happen one after the other, evenly spread over that time."""
        balancer = Balancer([address_of(server.url) for server in self.servers])
        self.failure = None

        def happen():
            try:
                for event in events:
                    time.sleep(SECONDS / (len(events) + 1))
                    event(balancer)
            except Exception as problem:  # shown by the test itself
                self.failure = problem

        happening = threading.Thread(target=happen)
        happening.start()
        transactions, problems = run.verify(balancer.url, CLIENTS, SECONDS, SEED)
        happening.join()
        balancer.listener.close()
        if self.failure is not None:
            raise self.failure
        print(f"{len(transactions)} transactions: {run.summary(transactions)}", flush=True)
        report(problems)
        self.assertEqual(problems, [], f"kept in {run.keep(transactions, SEED)}" if problems else "")
        self.assertGreater(sum(one.outcome == OK for one in transactions), 100)

    def test_a_server_is_killed_and_started_again(self):
        with contextlib.ExitStack() as stack:
            self.serve(stack, stack.enter_context(Postgres()).url)

            def start_again(balancer):
                self.servers[0].url = None
                self.servers[0]._listening.clear()
                self.servers[0].start()
                balancer.addresses[0] = address_of(self.servers[0].url)

            self.examine(lambda balancer: self.servers[0].kill(), start_again)

    def test_postgresql_is_killed_and_started_again(self):
        with contextlib.ExitStack() as stack:
            database = stack.enter_context(Postgres())
            self.serve(stack, database.url)
            self.examine(lambda balancer: database.kill(), lambda balancer: restart(database))

    def test_the_primary_is_killed_and_its_synchronous_standby_promoted(self):
        with contextlib.ExitStack() as stack:
            primary = stack.enter_context(Postgres())
            standby = stack.enter_context(Postgres(standby_of=primary))
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            primary.sql("SELECT pg_reload_conf()")
            self.serve(stack, primary.url_with(standby))
            self.examine(lambda balancer: (primary.kill(), standby.promote()))


def restart(database):
    """The processes of a killed server end by themselves, soon; then its data may be used again."""
    deadline = time.monotonic() + 60
    while True:
        pathlib.Path(database.data, "postmaster.pid").unlink(missing_ok=True)
        try:
            return database.start()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

#!/usr/bin/env python3
"""Concurrent clients of two servers in front of one, on a table with a design: their histories are strictly serializable
(tests/history).

    tests/upstream/history_test.py PROGRAM [TEST ...]

TAVOLA_SECONDS is the time that the clients work (4), TAVOLA_SEED decides their operations.
"""
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "history"), str(HERE.parent)]

import run  # noqa: E402
from balancer import Balancer  # noqa: E402
from checker import report  # noqa: E402
from connection import Connection, address_of  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
SECONDS = float(os.environ.get("TAVOLA_SECONDS", "4"))
SEED = int(os.environ.get("TAVOLA_SEED", "7"))
ENVIRONMENT = os.environ | {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "local"}
DESIGN = """design: 1
name: history
table: { name: history, hash: pk, range: sk }
entities:
  Entry:
    key: { pk: <part>, sk: <name> }
    ids: { part: string, name: string }
    attributes:
      n: { type: integer, min: 0 }
      double: { type: integer, derive: "n + n" }
"""


class Histories(unittest.TestCase):
    def test_two_fronts_are_strictly_serializable(self):
        with tempfile.TemporaryDirectory() as folder:
            design = pathlib.Path(folder) / "history.yaml"
            design.write_text(DESIGN)
            with Server(PROGRAM, "--in-memory") as upstream, self.front(upstream, design) as first, \
                    self.front(upstream, design) as second:
                # The clients create the table: it must be missing. Both fronts know it again before they begin.
                Connection(*address_of(first.url)).must("DeleteTable", {"TableName": "history"})
                balancer = Balancer([address_of(first.url), address_of(second.url)])
                transactions, problems = run.verify(balancer.url, 8, SECONDS, SEED)
                balancer.listener.close()
            print(f"{len(transactions)} transactions: {run.summary(transactions)}", flush=True)
            report(problems)
            self.assertEqual(problems, [], f"kept in {run.keep(transactions, SEED)}" if problems else "")
            self.assertGreater(len(transactions), 200)

    def front(self, upstream, design):
        return Server(PROGRAM, "--upstream", upstream.url, "--design", design, environment=ENVIRONMENT)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

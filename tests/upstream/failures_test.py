#!/usr/bin/env python3
"""Answers of the upstream server that are lost on purpose, and requests that it throttles (`--fault`): nothing happens twice, nothing is
lost that a client was told of, and every counter is exact.

    tests/upstream/failures_test.py PROGRAM [TEST ...]

TAVOLA_CALLS is the number of calls of each client (60), TAVOLA_SEED decides the faults.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients"), str(HERE)]

import botocore.exceptions  # noqa: E402
from cluster_test import DESIGN, ENVIRONMENT, resource  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
CALLS = int(os.environ.get("TAVOLA_CALLS", "60"))
SEED = os.environ.get("TAVOLA_SEED", "7")
FAULTS = "lost=0.2,error500=0.02,throttle=0.05,conflict=0.05"
CLIENTS = 4


class LostAnswers(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.design = pathlib.Path(folder) / "shop.yaml"
        self.design.write_text(DESIGN)
        self.upstream = self.enterContext(Server(PROGRAM, "--in-memory"))
        self.fronts = [self.enterContext(Server(PROGRAM, "--upstream", self.upstream.url, "--design", self.design,
                                                environment=ENVIRONMENT)) for _ in range(2)]
        self.table = resource(self.fronts[0].url).Table("shop")
        self.table.put_item(Item={"PK": "SHOP#1", "SK": "META", "name": "s"})
        self.table.put_item(Item={"PK": "PRODUCT#1", "SK": "META", "sku": "s"})
        self.faults({"faults": FAULTS + f",seed={SEED}"})

    def faults(self, plan):
        request = urllib.request.Request(self.upstream.url + "/admin/faults", json.dumps(plan).encode() if plan else None,
                                         method="PUT" if plan else "DELETE")
        urllib.request.urlopen(request).close()

    def clients(self, work):
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            results = list(pool.map(lambda number: work(resource(self.fronts[number % 2].url), number), range(CLIENTS)))
        self.faults(None)
        done = subprocess.run([PROGRAM, "design", "drift", self.design, "--endpoint", self.fronts[0].url],
                              capture_output=True, text=True, check=False, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return results

    @staticmethod
    def outcome(call, **request):
        """True: done; False: refused, so it did not happen; None: unknown."""
        try:
            call(**request)
            return True
        except botocore.exceptions.ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            return None if status >= 500 else False

    def item(self, key):
        return self.table.get_item(Key=key, ConsistentRead=True)["Item"]

    def test_counters_of_items_that_are_put(self):
        def put(client, number):
            told = [self.outcome(client.Table("shop").put_item, Item={"PK": "SHOP#1", "SK": f"ORDER#{number}-{call}", "quantity": 2})
                    for call in range(CALLS)]
            return {f"ORDER#{number}-{call}": said for call, said in enumerate(told)}
        told = {name: said for one in self.clients(put) for name, said in one.items()}
        stored = {item["SK"] for item in self.table.scan()["Items"] if item["SK"].startswith("ORDER#")}
        self.assertEqual({name for name, said in told.items() if said} - stored, set())
        self.assertEqual({name for name, said in told.items() if said is False} & stored, set())
        shop = self.item({"PK": "SHOP#1", "SK": "META"})
        self.assertEqual((shop["orders"], shop["units"]), (len(stored), 2 * len(stored)))
        self.assertGreater(sum(said is True for said in told.values()), CALLS)

    def test_additions_by_transactions_that_clients_repeat(self):
        action = {"Update": {"TableName": "shop", "Key": {"PK": "PRODUCT#1", "SK": "META"}, "UpdateExpression": "ADD stock :one",
                             "ExpressionAttributeValues": {":one": 1}}}

        def add(client, number):
            done = 0
            for call in range(CALLS // 3):
                for _ in range(100):  # with the same token, as SDKs do
                    if self.outcome(client.meta.client.transact_write_items, TransactItems=[action], ClientRequestToken=f"{number}-{call}"):
                        done += 1
                        break
            return done
        self.assertEqual(sum(self.clients(add)), CLIENTS * (CALLS // 3))
        self.assertEqual(self.item({"PK": "PRODUCT#1", "SK": "META"})["stock"], CLIENTS * (CALLS // 3))

    def test_additions_by_single_writes(self):
        def add(client, number):
            return [self.outcome(client.Table("shop").update_item, Key={"PK": "PRODUCT#1", "SK": "META"}, UpdateExpression="ADD stock :one",
                                 ExpressionAttributeValues={":one": 1}) for _ in range(CALLS // 3)]
        told = [said for one in self.clients(add) for said in one]
        stock = self.item({"PK": "PRODUCT#1", "SK": "META"})["stock"]
        self.assertGreaterEqual(stock, told.count(True))
        self.assertLessEqual(stock, told.count(True) + told.count(None))  # a refused one was not done


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

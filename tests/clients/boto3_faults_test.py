#!/usr/bin/env python3
"""Fault injection from a client's view: AWS's errors and unprocessed items, random but reproducible, changed while
the server runs; and boto3's own retries recover.

    tests/clients/boto3_faults_test.py PATH/TO/tavola [TEST ...]
"""
import json
import pathlib
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import boto3
import botocore.config
import botocore.exceptions

import harness

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
OFTEN = botocore.config.Config(retries={"mode": "standard", "max_attempts": 10}, read_timeout=30)
THROTTLED = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
             "provisioning level with the UpdateTable API.")
SERVER = None
CLIENT = None


def setUpModule():
    global SERVER, CLIENT
    print(f"boto3 {boto3.__version__}, botocore {botocore.__version__}", flush=True)
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory"))
    CLIENT = boto3.client("dynamodb", endpoint_url=SERVER.url, config=ONCE)
    for table in ("orders", "users"):
        harness.create_table(SERVER, table)


def admin(method, body=None, server=None):
    """Returns the status and the JSON of /admin/faults."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request((server or SERVER).url + "/admin/faults", data, {"Content-Type": "application/json"},
                                     method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def key(number, pk="a"):
    return {"pk": {"S": pk}, "sk": {"N": str(number)}}


def failure(function, **request):
    """Returns the status, code and message of a call that must fail."""
    try:
        function(**request)
    except botocore.exceptions.ClientError as error:
        answer = error.response
        return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"], answer["Error"]["Message"]
    raise AssertionError("it succeeded")


class Faults(unittest.TestCase):
    def setUp(self):
        self.addCleanup(admin, "DELETE")

    def plan(self, text):
        status, told = admin("PUT", {"faults": text})
        self.assertEqual(status, 200, told)

    def test_errors_are_awss(self):
        cases = [("throttle=1", 400, "ProvisionedThroughputExceededException", THROTTLED),
                 ("conflict=1", 400, "TransactionConflictException", "Transaction is ongoing for the item"),
                 ("error500=1", 500, "InternalServerError", "Internal server error")]
        for plan, *told in cases:
            with self.subTest(plan):
                self.plan(plan)
                self.assertEqual(list(failure(CLIENT.put_item, TableName="orders", Item=key(1, "errors"))), told)
                admin("DELETE")
                self.assertNotIn("Item", CLIENT.get_item(TableName="orders", Key=key(1, "errors")))

    def test_transactions(self):
        puts = [{"Put": {"TableName": table, "Item": key(1, "transaction")}} for table in ("orders", "users")]
        for plan, code, message in [("conflict@users=1", "TransactionConflict", "Transaction is ongoing for the item"),
                                    ("throttle@users=1", "ProvisionedThroughputExceeded", THROTTLED)]:
            self.plan(plan)
            with self.assertRaises(CLIENT.exceptions.TransactionCanceledException) as caught:
                CLIENT.transact_write_items(TransactItems=puts)
            self.assertEqual(caught.exception.response["CancellationReasons"],
                             [{"Code": "None"}, {"Code": code, "Message": message}])
            self.assertNotIn("Item", CLIENT.get_item(TableName="orders", Key=key(1, "transaction")))
        admin("DELETE")
        CLIENT.transact_write_items(TransactItems=puts)

    def test_retries_get_over_them(self):
        often = boto3.client("dynamodb", endpoint_url=SERVER.url, config=OFTEN)
        self.plan("throttle=0.2,error500=0.2,seed=5")
        for number in range(20):
            often.put_item(TableName="orders", Item=key(number, "retries"))
        _, told = admin("GET")
        self.assertGreater(told["injected"]["throttle"], 0)
        self.assertGreater(told["injected"]["error500"], 0)
        admin("DELETE")
        found = CLIENT.query(TableName="orders", KeyConditionExpression="pk = :p",
                             ExpressionAttributeValues={":p": {"S": "retries"}})
        self.assertEqual(found["Count"], 20)

    def test_unprocessed_writes(self):
        self.plan("unprocessed=0.5,seed=2")
        left = {table: [{"PutRequest": {"Item": key(number, "batch")}} for number in range(10)]
                for table in ("orders", "users")}
        rounds = 0
        while left:
            sent = sum(map(len, left.values()))
            left = CLIENT.batch_write_item(RequestItems=left)["UnprocessedItems"]
            self.assertLess(sum(map(len, left.values())), sent)
            rounds += 1
        self.assertGreater(rounds, 1)
        admin("DELETE")
        for table in ("orders", "users"):
            self.assertEqual(CLIENT.query(TableName=table, KeyConditionExpression="pk = :p",
                                          ExpressionAttributeValues={":p": {"S": "batch"}})["Count"], 10)

    def test_a_batch_writer_sends_them_again(self):
        self.plan("unprocessed=0.7")
        resource = boto3.resource("dynamodb", endpoint_url=SERVER.url, config=ONCE)
        with resource.Table("orders").batch_writer() as batch:
            for number in range(60):
                batch.put_item(Item={"pk": "writer", "sk": number})
            batch.delete_item(Key={"pk": "writer", "sk": 1000})
        admin("DELETE")
        self.assertEqual(CLIENT.query(TableName="orders", KeyConditionExpression="pk = :p",
                                      ExpressionAttributeValues={":p": {"S": "writer"}})["Count"], 60)

    def test_unprocessed_keys(self):
        for table in ("orders", "users"):
            CLIENT.put_item(TableName=table, Item={**key(1, "keys"), "from": {"S": table}})
            CLIENT.put_item(TableName=table, Item={**key(2, "keys"), "from": {"S": table}})
        self.plan("unprocessed@orders=1")
        question = {table: {"Keys": [key(1, "keys"), key(2, "keys")], "ConsistentRead": True,
                            "ProjectionExpression": "#f", "ExpressionAttributeNames": {"#f": "from"}}
                    for table in ("orders", "users")}
        answer = CLIENT.batch_get_item(RequestItems=question)
        self.assertEqual(answer["UnprocessedKeys"], {"orders": question["orders"]})
        self.assertEqual(answer["Responses"], {"orders": [], "users": [{"from": {"S": "users"}}] * 2})
        answer = CLIENT.batch_get_item(RequestItems=answer["UnprocessedKeys"])
        self.assertEqual(len(answer["Responses"]["orders"]), 1)
        self.assertEqual(answer["UnprocessedKeys"]["orders"]["Keys"], [key(2, "keys")])

    def test_statements_meet_them(self):
        self.plan("conflict@orders/PutItem=1,throttle@orders/Query=1")
        self.assertEqual(failure(CLIENT.execute_statement, Statement="INSERT INTO orders VALUE {'pk': 's', 'sk': 1}"),
                         (400, "TransactionConflictException", "Transaction is ongoing for the item"))

    def test_a_seed_repeats(self):
        def sequence(plan):
            self.plan(plan)
            seen = []
            for number in range(50):
                try:
                    CLIENT.put_item(TableName="orders", Item=key(number, "seed"))
                    seen.append("")
                except botocore.exceptions.ClientError as error:
                    seen.append(error.response["Error"]["Code"])
                CLIENT.get_item(TableName="users", Key=key(number))  # does not affect the sequence
            return seen
        plan = "throttle@orders/PutItem=0.3,conflict@orders=0.2,seed="
        first = sequence(plan + "7")
        self.assertEqual(set(first), {"", "ProvisionedThroughputExceededException", "TransactionConflictException"})
        self.assertEqual(sequence(plan + "7"), first)
        self.assertNotEqual(sequence(plan + "8"), first)

    def test_latency(self):
        self.plan("latency@orders/GetItem=200ms")
        started = time.monotonic()
        CLIENT.get_item(TableName="orders", Key=key(1))
        self.assertGreaterEqual(time.monotonic() - started, 0.2)
        self.assertEqual(admin("GET")[1]["injected"]["latency"], 1)


class Switching(unittest.TestCase):
    def test_at_run_time(self):
        self.addCleanup(admin, "DELETE")
        self.assertEqual(admin("GET")[1]["faults"], "")
        status, told = admin("PUT", {"faults": "throttle@orders=1"})
        self.assertEqual((status, told["faults"]), (200, "throttle@orders=1,seed=1"))
        failure(CLIENT.get_item, TableName="orders", Key=key(1))
        CLIENT.get_item(TableName="users", Key=key(1))
        CLIENT.describe_table(TableName="orders")
        self.assertEqual(admin("DELETE")[1]["faults"], "")
        CLIENT.get_item(TableName="orders", Key=key(1))
        with urllib.request.urlopen(SERVER.url + "/metrics", timeout=30) as response:
            metrics = response.read().decode()
        self.assertRegex(metrics, r'\ntavola_faults_total\{kind="throttle"\} [1-9]')

    def test_mistakes_are_told(self):
        status, told = admin("PUT", {"faults": "throtle=1"})
        self.assertEqual(status, 400)
        self.assertIn("did you mean throttle?", told["detail"])
        self.assertEqual(admin("POST", {})[0], 405)

    def test_from_the_command_line(self):
        with harness.Server(harness.PROGRAM, "--in-memory", "--fault", "throttle=0.1", "--fault", "conflict@users=1",
                            "--fault-seed", "9") as server:
            self.assertEqual(admin("GET", server=server)[1]["faults"], "throttle=0.1,conflict@users=1,seed=9")
        refused = subprocess.run([harness.PROGRAM, "serve", "--in-memory", "--port", "0", "--fault", "gsi-lag=0.2"],
                                 capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("the time must be like 200ms or 2s", refused.stderr)

    def test_indexes_lag_behind(self):
        CLIENT.create_table(TableName="lagging", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "tag")],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                            GlobalSecondaryIndexes=[{"IndexName": "byTag", "Projection": {"ProjectionType": "ALL"},
                                                     "KeySchema": [{"AttributeName": "tag", "KeyType": "HASH"}]}])
        query = {"TableName": "lagging", "IndexName": "byTag", "KeyConditionExpression": "tag = :t",
                 "ExpressionAttributeValues": {":t": {"S": "t"}}}
        self.assertEqual(admin("PUT", {"faults": "gsi-lag@lagging=2s"})[1]["faults"], "gsi-lag@lagging=2000ms,seed=1")
        self.addCleanup(admin, "DELETE")
        began = time.monotonic()
        CLIENT.put_item(TableName="lagging", Item={"pk": {"S": "a"}, "tag": {"S": "t"}})
        seen = CLIENT.query(**query)["Count"]
        if time.monotonic() - began < 2:  # unless the machine is very busy
            self.assertEqual(seen, 0)
        self.assertEqual(CLIENT.scan(TableName="lagging", ConsistentRead=True)["Count"], 1)
        while CLIENT.query(**query)["Count"] == 0:
            self.assertLess(time.monotonic() - began, 60)
            time.sleep(0.1)
        self.assertGreaterEqual(time.monotonic() - began, 2)
        self.assertEqual(len(CLIENT.execute_statement(Statement='SELECT * FROM "lagging"."byTag"')["Items"]), 1)
        CLIENT.delete_item(TableName="lagging", Key={"pk": {"S": "a"}})
        admin("PUT", {"faults": "throttle=0"})
        self.assertEqual(CLIENT.query(**query)["Count"], 0)
        self.assertGreater(admin("GET")[1]["injected"]["gsi-lag"], 0)

    def test_keys(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        keys = pathlib.Path(folder, "credentials")
        keys.touch(mode=0o600)
        keys.write_text("AKIDADMIN secretOfAll\nAKIDORDERS secretOfOrders tables=orders\n")
        with harness.Server(harness.PROGRAM, "--in-memory", "--credentials", keys, "--fault", "unprocessed=1") as server:
            self.assertEqual(admin("PUT", {"faults": "throttle=1"}, server=server)[0], 401)
            everything, limited = (boto3.client("dynamodb", endpoint_url=server.url, config=ONCE, aws_access_key_id=key_id,
                                                aws_secret_access_key=secret)
                                   for key_id, secret in [("AKIDADMIN", "secretOfAll"), ("AKIDORDERS", "secretOfOrders")])
            everything.create_table(TableName="orders", BillingMode="PAY_PER_REQUEST",
                                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
            puts = [{"PutRequest": {"Item": {"pk": {"S": name}}}} for name in "abc"]
            left = limited.batch_write_item(RequestItems={"orders": puts})["UnprocessedItems"]
            self.assertEqual(left, {"orders": puts[1:]})
            self.assertEqual(failure(limited.batch_write_item, RequestItems={"users": puts})[1], "AccessDeniedException")


if __name__ == "__main__":
    harness.main()

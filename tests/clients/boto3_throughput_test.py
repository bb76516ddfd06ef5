#!/usr/bin/env python3
"""--enforce-throughput from a client's view: AWS's exceptions with their reasons, unprocessed items, cancelled
transactions; and boto3's own retries recover.

    tests/clients/boto3_throughput_test.py PATH/TO/tavola [TEST ...]
"""
import json
import re
import time
import unittest
import urllib.error
import urllib.request

import boto3
import botocore.config
import botocore.exceptions

import harness

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
OFTEN = botocore.config.Config(retries={"mode": "standard", "max_attempts": 12}, read_timeout=30)
TABLE_WORDS = ("The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
               "provisioning level with the UpdateTable API.")
SERVER = None
CLIENT = None


def setUpModule():
    global SERVER, CLIENT
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory", "--enforce-throughput"))
    CLIENT = boto3.client("dynamodb", endpoint_url=SERVER.url, config=ONCE)


def create(name, read, write, index_write=100):
    units = lambda r, w: {"ReadCapacityUnits": r, "WriteCapacityUnits": w}  # noqa: E731
    CLIENT.create_table(
        TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=units(read, write),
        AttributeDefinitions=[{"AttributeName": part, "AttributeType": "S"} for part in ("id", "group")],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[{"IndexName": "byGroup", "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"},
                                 "ProvisionedThroughput": units(100, index_write)}])


def item(number, **more):
    return {"id": {"S": str(number)}, **more}


class Throughput(unittest.TestCase):
    def refused(self, function, **request):
        """Returns the client's error once no units are left."""
        for _ in range(200):
            try:
                function(**request)
            except botocore.exceptions.ClientError as error:
                return error.response
        self.fail("nothing was refused")

    def test_a_table_out_of_units(self):
        create("slow", 1, 1)
        answer = self.refused(CLIENT.put_item, TableName="slow", Item=item(1))
        self.assertEqual(answer["Error"], {"Code": "ProvisionedThroughputExceededException", "Message": TABLE_WORDS})
        self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 400)
        self.refused(CLIENT.get_item, TableName="slow", Key=item(1), ConsistentRead=True)
        metrics = urllib.request.urlopen(SERVER.url + "/metrics", timeout=30).read().decode()
        for kind in ("read", "write"):
            self.assertGreater(int(re.search(rf'tavola_throttle_events_total{{kind="{kind}"}} (\d+)', metrics)[1]), 0)

    def test_the_reasons_stand_in_the_answer(self):
        create("reasoned", 100, 100, index_write=1)
        request = {"TableName": "reasoned", "Item": item(1, group={"S": "g"})}
        for number in range(200):
            request["Item"]["id"]["S"] = str(number)
            try:
                harness.call(SERVER, "PutItem", **request)
            except urllib.error.HTTPError as error:
                answer = json.load(error)
                break
        self.assertEqual(answer["__type"], "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException")
        self.assertIn("one or more global secondary indexes", answer["message"])
        (reason,) = answer["ThrottlingReasons"]
        self.assertEqual(reason["reason"], "IndexWriteProvisionedThroughputExceeded")
        self.assertTrue(reason["resource"].endswith(":table/reasoned/index/byGroup"), reason)

    def test_batches_leave_what_does_not_fit(self):
        create("batched", 3, 3)
        writes = [{"PutRequest": {"Item": item(number)}} for number in range(20)]
        answer = CLIENT.batch_write_item(RequestItems={"batched": writes})
        left = answer["UnprocessedItems"]["batched"]
        self.assertGreater(len(left), 0)
        self.assertEqual(left, writes[-len(left):])
        while left:
            time.sleep(0.5)
            try:
                left = CLIENT.batch_write_item(RequestItems={"batched": left})["UnprocessedItems"].get("batched", [])
            except CLIENT.exceptions.ProvisionedThroughputExceededException:
                pass  # no units yet
        self.assertEqual(CLIENT.describe_table(TableName="batched")["Table"]["ItemCount"], 20)

    def test_transactions_are_cancelled(self):
        create("together", 1, 1)
        actions = [{"Put": {"TableName": "together", "Item": item(number)}} for number in range(2)]
        answer = self.refused(CLIENT.transact_write_items, TransactItems=actions)
        self.assertEqual(answer["Error"]["Code"], "TransactionCanceledException")
        self.assertEqual([reason["Code"] for reason in answer["CancellationReasons"]], ["ProvisionedThroughputExceeded"] * 2)
        self.assertEqual(answer["CancellationReasons"][0]["Message"], TABLE_WORDS)

    def test_retries_get_over_it(self):
        create("patient", 5, 5)
        patient = boto3.client("dynamodb", endpoint_url=SERVER.url, config=OFTEN)
        for number in range(15):
            patient.put_item(TableName="patient", Item=item(number))
        self.assertEqual(CLIENT.describe_table(TableName="patient")["Table"]["ItemCount"], 15)

    def test_on_demand_is_not_limited_unless_it_says_so(self):
        harness.create_table(SERVER, "free")
        for number in range(300):
            CLIENT.put_item(TableName="free", Item={"pk": {"S": "a"}, "sk": {"N": str(number)}})
        # Debian's boto3 is older than OnDemandThroughput.
        harness.call(SERVER, "CreateTable", TableName="capped", BillingMode="PAY_PER_REQUEST",
                     OnDemandThroughput={"MaxWriteRequestUnits": 1},
                     AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                     KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        answer = self.refused(CLIENT.put_item, TableName="capped", Item=item(1))
        self.assertEqual(answer["Error"], {
            "Code": "ThrottlingException",
            "Message": "Throughput exceeds the maximum OnDemandThroughput configured on table or index"})
        answer = self.refused(CLIENT.transact_write_items, TransactItems=[{"Put": {"TableName": "capped", "Item": item(1)}}])
        self.assertEqual([reason["Code"] for reason in answer["CancellationReasons"]], ["ThrottlingError"])

    def test_statements(self):
        create("stated", 1, 1)
        CLIENT.execute_statement(Statement="INSERT INTO stated VALUE {'id': 'x'}")
        answer = self.refused(CLIENT.execute_statement, Statement="UPDATE stated SET n = 1 WHERE id = 'x'")
        self.assertEqual(answer["Error"]["Code"], "ProvisionedThroughputExceededException")


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""The requests that Terraform's provider for AWS and the resource AWS::DynamoDB::Table of CDK and CloudFormation send for a table with indexes,
time to live, tags, a stream and point-in-time recovery, in their order, and the members of the answers that they wait for.

Neither tool is run here. The sequences follow the provider's source (internal/service/dynamodb: table.go, wait.go) and AWS's documentation of the resource.

    tests/kit/infrastructure_test.py PROGRAM
"""
import json
import pathlib
import sys
import time
import unittest
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import harness  # noqa: E402

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60)
PATIENCE = 60  # seconds
NAME = "orders"
STRING, NUMBER = "S", "N"
ATTRIBUTES = [{"AttributeName": name, "AttributeType": kind}
              for name, kind in (("customer", STRING), ("day", STRING), ("id", STRING), ("total", NUMBER))]
KEYS = [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}]
BY_DAY = {"IndexName": "byDay", "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
          "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["total"]}}
BY_ID = {"IndexName": "byId", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
BY_TOTAL = {"IndexName": "byTotal", "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"},
                                                  {"AttributeName": "total", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"}}
TAGS = [{"Key": "Environment", "Value": "test"}, {"Key": "Name", "Value": "orders table"}]


class NotFound(Exception):
    """A ResourceNotFoundException, with its message."""


class Client:
    """Sends operations as JSON: `client.describe_table(TableName=...)`. Debian's boto3 does not know all of these members."""

    def __init__(self, server):
        self.server = server

    def __getattr__(self, name):
        operation = "".join(word.capitalize() for word in name.split("_"))

        def call(**request):
            try:
                return harness.call(self.server, operation, **request)
            except json.JSONDecodeError:
                return {}  # TagResource and UntagResource answer nothing
            except urllib.error.HTTPError as failed:
                with failed:
                    error = json.load(failed)
                if error["__type"].endswith("#ResourceNotFoundException"):
                    raise NotFound(error["message"]) from None
                raise AssertionError(f"{operation}: {error}") from None
        return call


class Infrastructure(unittest.TestCase):
    def setUp(self):
        server = self.enterContext(harness.Server(harness.PROGRAM, "--in-memory"))
        self.client = Client(server)
        self.sts = boto3.client("sts", endpoint_url=server.url, config=ONCE)

    def until(self, ask, wanted, pending):
        """Asks until the answer is `wanted`; only `pending` ones may come before."""
        end = time.monotonic() + PATIENCE
        while (answer := ask()) != wanted:
            self.assertIn(answer, pending)
            self.assertLess(time.monotonic(), end, f"still {answer}")
            time.sleep(0.05)

    def table(self):
        return self.client.describe_table(TableName=NAME)["Table"]

    def index(self, name):
        return next((one for one in self.table().get("GlobalSecondaryIndexes", []) if one["IndexName"] == name), None)

    def recovery(self):
        described = self.client.describe_continuous_backups(TableName=NAME)["ContinuousBackupsDescription"]
        self.assertEqual(described["ContinuousBackupsStatus"], "ENABLED")
        return described["PointInTimeRecoveryDescription"]

    def wait_until_active(self):
        for _ in range(2):  # the provider wants to see it twice
            self.until(lambda: self.table()["TableStatus"], "ACTIVE", {"CREATING", "UPDATING"})
        for index in self.table().get("GlobalSecondaryIndexes", []):
            self.until(lambda name=index["IndexName"]: self.index(name)["IndexStatus"], "ACTIVE", {"CREATING", "UPDATING"})

    def set_time_to_live(self, enabled):
        self.client.update_time_to_live(TableName=NAME, TimeToLiveSpecification={"AttributeName": "expires", "Enabled": enabled})
        wanted = "ENABLED" if enabled else "DISABLED"
        self.until(lambda: self.client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]["TimeToLiveStatus"], wanted,
                   {"ENABLING", "DISABLING", "ENABLED", "DISABLED"} - {wanted})

    def set_recovery(self, enabled):
        self.client.update_continuous_backups(TableName=NAME,
                                              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": enabled})
        wanted = "ENABLED" if enabled else "DISABLED"
        self.until(lambda: self.recovery()["PointInTimeRecoveryStatus"], wanted, {"ENABLING", "DISABLED"} - {wanted})

    def tags(self, arn):
        """All pages, as the provider reads them."""
        found, more = {}, {}
        while True:
            page = self.client.list_tags_of_resource(ResourceArn=arn, **more)
            found |= {tag["Key"]: tag["Value"] for tag in page["Tags"]}
            if "NextToken" not in page:
                return found
            more = {"NextToken": page["NextToken"]}

    def read(self):
        """What a refresh compares with the state: a difference here would be a change in the next plan, for ever."""
        table = self.table()
        live = self.client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]
        return {"attributes": sorted((one["AttributeName"], one["AttributeType"]) for one in table["AttributeDefinitions"]),
                "billing": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
                "keys": table["KeySchema"],
                "capacity": [table["ProvisionedThroughput"][kind] for kind in ("ReadCapacityUnits", "WriteCapacityUnits")],
                "global": sorted(one["IndexName"] for one in table.get("GlobalSecondaryIndexes", [])),
                "local": sorted(one["IndexName"] for one in table.get("LocalSecondaryIndexes", [])),
                "stream": table.get("StreamSpecification"),
                "arn": table["TableArn"],
                "protected": table["DeletionProtectionEnabled"],
                "live": (live["TimeToLiveStatus"], live.get("AttributeName")),
                "recovery": self.recovery()["PointInTimeRecoveryStatus"],
                "tags": self.tags(table["TableArn"])}

    def destroy(self):
        self.client.delete_table(TableName=NAME)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.assertIn(self.table()["TableStatus"], ("ACTIVE", "DELETING"))
            except NotFound as gone:
                self.assertIn("Requested resource not found: Table: ", str(gone))
                return
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_terraform(self):
        identity = self.sts.get_caller_identity()
        made = self.client.create_table(
            TableName=NAME, BillingMode="PAY_PER_REQUEST", KeySchema=KEYS, AttributeDefinitions=ATTRIBUTES,
            GlobalSecondaryIndexes=[BY_DAY], LocalSecondaryIndexes=[BY_TOTAL], Tags=TAGS, DeletionProtectionEnabled=False,
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        arn = made["TableDescription"]["TableArn"]
        self.assertIn(f":{identity['Account']}:table/{NAME}", arn)
        self.wait_until_active()
        self.set_time_to_live(True)
        self.set_recovery(True)
        state = self.read()
        self.assertEqual(state, {
            "attributes": sorted((one["AttributeName"], one["AttributeType"]) for one in ATTRIBUTES),
            "billing": "PAY_PER_REQUEST", "keys": KEYS, "capacity": [0, 0], "global": ["byDay"], "local": ["byTotal"],
            "stream": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}, "arn": arn, "protected": False,
            "live": ("ENABLED", "expires"), "recovery": "ENABLED", "tags": {tag["Key"]: tag["Value"] for tag in TAGS}})
        table = self.table()
        self.assertTrue(table["LatestStreamArn"].startswith(arn + "/stream/"))
        self.assertTrue(table["LatestStreamLabel"])
        self.assertEqual(self.read(), state)  # a second plan finds nothing to do

        # Indexes change one at a time, each before the next.
        self.client.update_table(TableName=NAME, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "byDay"}}])
        end = time.monotonic() + PATIENCE
        while (index := self.index("byDay")) is not None:
            self.assertIn(index["IndexStatus"], ("ACTIVE", "UPDATING", "DELETING"))
            self.assertLess(time.monotonic(), end)
        self.client.update_table(TableName=NAME, AttributeDefinitions=[one for one in ATTRIBUTES if one["AttributeName"] != "day"],
                                 GlobalSecondaryIndexUpdates=[{"Create": BY_ID}])
        self.wait_until_active()
        self.client.update_table(TableName=NAME, StreamSpecification={"StreamEnabled": False})
        self.wait_until_active()
        self.client.update_table(TableName=NAME, DeletionProtectionEnabled=True)
        self.wait_until_active()
        self.client.untag_resource(ResourceArn=arn, TagKeys=["Name"])
        self.client.tag_resource(ResourceArn=arn, Tags=[{"Key": "Environment", "Value": "production"}])
        self.set_recovery(False)
        changed = self.read()
        self.assertEqual((changed["global"], changed["recovery"], changed["protected"]), (["byId"], "DISABLED", True))
        self.assertEqual(changed["tags"], {"Environment": "production"})
        self.assertFalse((changed["stream"] or {}).get("StreamEnabled", False))

        self.client.update_table(TableName=NAME, DeletionProtectionEnabled=False)
        self.destroy()

    def test_terraform_with_capacity(self):
        capacity = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        self.client.create_table(TableName=NAME, BillingMode="PROVISIONED", ProvisionedThroughput=capacity, KeySchema=KEYS,
                                 AttributeDefinitions=[one for one in ATTRIBUTES if one["AttributeName"] in ("customer", "id")],
                                 GlobalSecondaryIndexes=[{**BY_ID, "ProvisionedThroughput": capacity}])
        self.wait_until_active()
        self.assertEqual(self.read()["capacity"], [5, 5])
        more = {"ReadCapacityUnits": 10, "WriteCapacityUnits": 7}
        self.client.update_table(TableName=NAME, ProvisionedThroughput=more,
                                 GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": "byId", "ProvisionedThroughput": more}}])
        self.wait_until_active()
        self.assertEqual(self.read()["capacity"], [10, 7])
        self.assertEqual(self.index("byId")["ProvisionedThroughput"]["ReadCapacityUnits"], 10)
        self.client.update_table(TableName=NAME, BillingMode="PAY_PER_REQUEST")
        self.wait_until_active()
        self.assertEqual(self.read()["billing"], "PAY_PER_REQUEST")
        self.destroy()

    def test_cloudformation(self):
        """The handler of AWS::DynamoDB::Table makes the table first, then sets what is not part of CreateTable."""
        self.client.create_table(TableName=NAME, BillingMode="PAY_PER_REQUEST", KeySchema=KEYS,
                                 AttributeDefinitions=[one for one in ATTRIBUTES if one["AttributeName"] != "total"],
                                 GlobalSecondaryIndexes=[BY_DAY, BY_ID],
                                 StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        self.wait_until_active()
        arn = self.table()["TableArn"]
        self.client.tag_resource(ResourceArn=arn, Tags=TAGS)
        self.set_recovery(True)
        self.set_time_to_live(True)
        state = self.read()
        self.assertEqual((state["global"], state["recovery"], state["live"]), (["byDay", "byId"], "ENABLED", ("ENABLED", "expires")))
        self.assertEqual(state["tags"], {tag["Key"]: tag["Value"] for tag in TAGS})
        self.destroy()


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""aws-cli 2 (Debian's awscli): every operation, waiters, paging, and its messages for refusals.

    tests/clients/aws_cli_test.py PATH/TO/tavola [TEST ...]

Every command is a process that takes most of a second to start, so each tests something that the others do not.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness

AWS = shutil.which("aws", path="/usr/bin" + os.pathsep + os.environ["PATH"])  # Debian's first: others may be version 1
TABLE = {
    "TableName": "music",
    "BillingMode": "PROVISIONED",
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"},
                             {"AttributeName": "song", "AttributeType": "S"},
                             {"AttributeName": "year", "AttributeType": "N"}],
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "byYear", "Projection": {"ProjectionType": "ALL"},
                                "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}],
                                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}],
    "Tags": [{"Key": "made", "Value": "with the table"}],
}


def song(number):
    return {"artist": {"S": "Bach"}, "song": {"S": f"{number:02}"}, "year": {"N": "1741"},
            "score": {"B": "AP8="}, "voices": {"NS": ["1", "2"]}}


class AwsCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if AWS is None:
            raise AssertionError("aws is missing: packaging/setup test installs it (awscli)")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.server = cls.enterClassContext(harness.Server(harness.PROGRAM, "--in-memory"))

    def run_aws(self, *words, **parameters):
        options = []
        for name, value in parameters.items():
            text = value if isinstance(value, str) else json.dumps(value)
            if len(text) > 1000:  # long texts come from a file
                path = self.folder / f"{name}.json"
                path.write_text(text)
                text = f"file://{path}"
            options += ["--" + name.replace("_", "-"), text]
        return subprocess.run([AWS, *words, *options, "--endpoint-url", self.server.url], text=True, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)

    def aws(self, *words, **parameters):
        """Returns the output of `aws dynamodb WORDS --PARAMETERS` as JSON."""
        outcome = self.run_aws("dynamodb", *words, **parameters)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""), words)
        return json.loads(outcome.stdout) if outcome.stdout.strip() else None

    def assert_refused(self, operation, exception, message, *words, **parameters):
        outcome = self.run_aws("dynamodb", *words, **parameters)
        self.assertEqual((outcome.returncode, outcome.stdout), (254, ""))
        self.assertEqual(outcome.stderr.strip(),
                         f"An error occurred ({exception}) when calling the {operation} operation: {message}")

    def test_a_day_in_the_shell(self):
        """The tests run in this order: each finds the results of the one before."""
        for act in (self.create, self.items, self.batches, self.pages, self.transactions, self.statements, self.settings,
                    self.account, self.streams, self.delete):
            with self.subTest(act.__name__):
                act()

    def create(self):
        self.aws("create-table", cli_input_json=TABLE)
        self.aws("wait", "table-exists", table_name="music")
        table = self.aws("describe-table", table_name="music")["Table"]
        self.assertEqual(table["TableStatus"], "ACTIVE")
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"], 5)
        type(self).arn = table["TableArn"]
        for name in ("other-1", "other-2", "zither"):
            harness.create_table(self.server, name)
        listed = self.aws("list-tables", page_size="2", max_items="3")
        self.assertEqual(listed["TableNames"], ["music", "other-1", "other-2"])
        self.assertIn("NextToken", listed)

    def items(self):
        put = self.aws("put-item", table_name="music", item=song(0), return_consumed_capacity="INDEXES")
        self.assertEqual(put["ConsumedCapacity"], {
            "TableName": "music", "CapacityUnits": 2.0, "Table": {"CapacityUnits": 1.0},
            "GlobalSecondaryIndexes": {"byYear": {"CapacityUnits": 1.0}}})
        self.assert_refused("PutItem", "ConditionalCheckFailedException", "The conditional request failed", "put-item",
                            table_name="music", item=song(0), condition_expression="attribute_not_exists(artist)")
        updated = self.aws("update-item", table_name="music", key={"artist": {"S": "Bach"}, "song": {"S": "00"}},
                           update_expression="SET title = :t REMOVE score", return_values="ALL_NEW",
                           expression_attribute_values={":t": {"S": "Aria 🎵"}})["Attributes"]
        expected = {**song(0), "title": {"S": "Aria 🎵"}}
        del expected["score"]
        self.assertEqual(updated, expected)
        got = self.aws("get-item", "--consistent-read", table_name=self.arn,
                       key={"artist": {"S": "Bach"}, "song": {"S": "00"}})
        self.assertEqual(got, {"Item": expected})
        deleted = self.aws("delete-item", table_name="music", return_values="ALL_OLD",
                           key={"artist": {"S": "Bach"}, "song": {"S": "00"}})
        self.assertEqual(deleted, {"Attributes": expected})

    def batches(self):
        written = self.aws("batch-write-item", request_items={
            "music": [{"PutRequest": {"Item": song(number)}} for number in range(1, 26)]})
        self.assertEqual(written, {"UnprocessedItems": {}})
        got = self.aws("batch-get-item", request_items={
            "music": {"Keys": [{"artist": {"S": "Bach"}, "song": {"S": f"{number:02}"}} for number in (3, 4, 99)]}})
        self.assertEqual(sorted(item["song"]["S"] for item in got["Responses"]["music"]), ["03", "04"])
        self.assertEqual(got["UnprocessedKeys"], {})

    def pages(self):
        condition = {"key_condition_expression": "artist = :a AND song > :s",
                     "expression_attribute_values": {":a": {"S": "Bach"}, ":s": {"S": "02"}}}
        everything = self.aws("query", table_name="music", page_size="4", **condition)  # six requests
        self.assertEqual([item["song"]["S"] for item in everything["Items"]], [f"{n:02}" for n in range(3, 26)])
        first = self.aws("query", table_name="music", page_size="4", max_items="10", **condition)
        rest = self.aws("query", table_name="music", starting_token=first["NextToken"], **condition)
        self.assertEqual(len(first["Items"]), 10)
        self.assertEqual(first["Items"] + rest["Items"], everything["Items"])
        scanned = self.aws("scan", table_name="music", index_name="byYear", page_size="6",
                           filter_expression="begins_with(song, :one)",
                           expression_attribute_values={":one": {"S": "1"}})
        self.assertEqual((scanned["Count"], scanned["ScannedCount"]), (10, 25))

    def transactions(self):
        key = {"artist": {"S": "Bach"}, "song": {"S": "01"}}
        self.aws("transact-write-items", client_request_token="a-day-in-the-shell", transact_items=[
            {"Put": {"TableName": "music", "Item": song(30)}}, {"Delete": {"TableName": "music", "Key": key}}])
        got = self.aws("transact-get-items", transact_items=[
            {"Get": {"TableName": "music", "Key": {"artist": {"S": "Bach"}, "song": {"S": "30"}}}},
            {"Get": {"TableName": "music", "Key": key}}])
        self.assertEqual(got["Responses"], [{"Item": song(30)}, {}])
        self.assert_refused("TransactWriteItems", "TransactionCanceledException",
                            "Transaction cancelled, please refer cancellation reasons for specific reasons "
                            "[None, ConditionalCheckFailed]", "transact-write-items", transact_items=[
                                {"Put": {"TableName": "music", "Item": song(31)}},
                                {"ConditionCheck": {"TableName": "music", "Key": key,
                                                    "ConditionExpression": "attribute_exists(artist)"}}])

    def statements(self):
        found = self.aws("execute-statement", statement="SELECT song FROM music WHERE artist = ? AND song IN ['02', '03']",
                         parameters=[{"S": "Bach"}])
        self.assertEqual(found, {"Items": [{"song": {"S": "02"}}, {"song": {"S": "03"}}]})
        page = self.aws("execute-statement", statement="SELECT song FROM music WHERE artist = 'Bach'", limit="2")
        self.assertEqual(page["LastEvaluatedKey"]["song"], page["Items"][1]["song"])
        rest = self.aws("execute-statement", statement="SELECT song FROM music WHERE artist = 'Bach'",
                        next_token=page["NextToken"])
        self.assertEqual(len(rest["Items"]), 23)
        self.assert_refused("ExecuteStatement", "DuplicateItemException", "Duplicate primary key exists in table",
                            "execute-statement", statement="INSERT INTO music VALUE {'artist': 'Bach', 'song': '02'}")
        batch = self.aws("batch-execute-statement", statements=[
            {"Statement": "UPDATE music SET n = 1 WHERE artist = 'Bach' AND song = '02'"},
            {"Statement": "DELETE FROM music"}])
        self.assertEqual([response.get("Error", {}).get("Code") for response in batch["Responses"]],
                         [None, "ValidationError"])
        read = self.aws("execute-transaction", transact_statements=[
            {"Statement": "SELECT n FROM music WHERE artist = 'Bach' AND song = '02'"}])
        self.assertEqual(read, {"Responses": [{"Item": {"n": {"N": "1"}}}]})

    def settings(self):
        asked = {"Enabled": True, "AttributeName": "until"}
        self.assertEqual(self.aws("update-time-to-live", table_name="music", time_to_live_specification=asked),
                         {"TimeToLiveSpecification": asked})
        described = self.aws("describe-time-to-live", table_name="music")["TimeToLiveDescription"]
        self.assertEqual(described["AttributeName"], "until")
        self.aws("tag-resource", resource_arn=self.arn, tags=[{"Key": "owner", "Value": "Anna Magdalena"}])
        self.aws("untag-resource", resource_arn=self.arn, tag_keys="made")
        self.assertEqual(self.aws("list-tags-of-resource", resource_arn=self.arn),
                         {"Tags": [{"Key": "owner", "Value": "Anna Magdalena"}]})
        changed = self.aws("update-table", table_name="music", billing_mode="PAY_PER_REQUEST")["TableDescription"]
        self.assertEqual(changed["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")

    def account(self):
        self.assertGreaterEqual(self.aws("describe-limits")["TableMaxReadCapacityUnits"], 1)
        self.assertIn(self.aws("describe-endpoints")["Endpoints"][0]["Address"], self.server.url)
        # The commands of version 2 that take and print YAML.
        outcome = self.run_aws("ddb", "put", "zither", "[{pk: a, sk: 1, tags: [x, 2.5, null, true]}, {pk: a, sk: 2}]")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        outcome = self.run_aws("ddb", "select", "zither", "--key-condition", 'pk = "a" AND sk < 2', "--output", "yaml")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertIn("Count: 1\n", outcome.stdout)
        self.assertIn("- 2.5\n", outcome.stdout)

    def streams(self):
        def ask(*words, **parameters):
            outcome = self.run_aws("dynamodbstreams", *words, **parameters)
            self.assertEqual((outcome.returncode, outcome.stderr), (0, ""), words)
            return json.loads(outcome.stdout)

        self.aws("update-table", table_name="music",
                 stream_specification="StreamEnabled=true,StreamViewType=KEYS_ONLY")
        stream = ask("list-streams", table_name="music")["Streams"][0]["StreamArn"]
        harness.call(self.server, "PutItem", TableName="music", Item=song(77))
        shards = ask("describe-stream", stream_arn=stream)["StreamDescription"]["Shards"]
        found = []
        for shard in shards:
            place = ask("get-shard-iterator", stream_arn=stream, shard_id=shard["ShardId"],
                        shard_iterator_type="TRIM_HORIZON")["ShardIterator"]
            found += ask("get-records", shard_iterator=place)["Records"]
        self.assertEqual([record["dynamodb"]["Keys"] for record in found],
                         [{"artist": {"S": "Bach"}, "song": {"S": "77"}}])

    def delete(self):
        self.aws("delete-table", table_name="music")
        self.aws("wait", "table-not-exists", table_name="music")
        self.assert_refused("DescribeTable", "ResourceNotFoundException",
                            "Requested resource not found: Table: music not found", "describe-table",
                            table_name="music")


if __name__ == "__main__":
    harness.main()

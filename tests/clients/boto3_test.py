#!/usr/bin/env python3
"""boto3: every operation through the client and the resources, with paginators, waiters, conditions and exceptions.

    tests/clients/boto3_test.py PATH/TO/tavola [TEST ...]

The clients retry nothing: a failure that botocore would hide (a wrong checksum, a broken connection) fails here.
"""
import concurrent.futures
import decimal
import pathlib
import tempfile
import time
import unittest
import urllib.request

import boto3
import botocore.config
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

import harness

CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
SERVER = None
CLIENT = None
QUICK = {"Delay": 1, "MaxAttempts": 20}


def setUpModule():
    global SERVER, CLIENT
    print(f"boto3 {boto3.__version__}, botocore {botocore.__version__}", flush=True)
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory"))
    CLIENT = new_client()


def new_client(server=None):
    return boto3.client("dynamodb", endpoint_url=(server or SERVER).url, config=CONFIG)


def new_resource():
    return boto3.resource("dynamodb", endpoint_url=SERVER.url, config=CONFIG)


def create_songs(name, client=None):
    """Creates a table with both kinds of index; returns its ARN."""
    client = client or CLIENT
    created = client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": attribute, "AttributeType": kind}
                              for attribute, kind in [("artist", "S"), ("song", "S"), ("year", "N"), ("plays", "N")]],
        KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[{
            "IndexName": "byYear", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"},
                          {"AttributeName": "plays", "KeyType": "RANGE"}]}],
        LocalSecondaryIndexes=[{
            "IndexName": "byPlays", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"},
                          {"AttributeName": "plays", "KeyType": "RANGE"}]}])
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=QUICK)
    return created["TableDescription"]["TableArn"]


def song(artist, title, plays=0, **more):
    return {"artist": {"S": artist}, "song": {"S": title}, "plays": {"N": str(plays)}, **more}


def key(artist, title):
    return {"artist": {"S": artist}, "song": {"S": title}}


class ClientTest(unittest.TestCase):
    def assert_refused(self, exception, message, call, **arguments):
        """Checks that the call fails with this class of exception and a message that has this part; returns the
        response."""
        with self.assertRaises(exception) as caught:
            call(**arguments)
        error = caught.exception.response
        self.assertIn(message, error["Error"]["Message"])
        self.assertEqual(error["ResponseMetadata"]["HTTPStatusCode"], 400)
        self.assertRegex(error["ResponseMetadata"]["RequestId"], "^[A-Z0-9]{52}$")
        return error


class Tables(ClientTest):
    def test_a_table_from_its_creation_to_its_end(self):
        arn = create_songs("life")
        table = CLIENT.describe_table(TableName="life")["Table"]
        self.assertEqual(table["TableStatus"], "ACTIVE")
        self.assertEqual(table["TableArn"], arn)
        self.assertEqual(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["IndexStatus"], "ACTIVE")
        self.assertEqual(table["LocalSecondaryIndexes"][0]["IndexArn"], arn + "/index/byPlays")
        self.assertLess(abs(table["CreationDateTime"].timestamp() - time.time()), 3600)

        self.assert_refused(CLIENT.exceptions.ResourceInUseException, "life", create_songs, name="life")
        CLIENT.delete_table(TableName="life")
        CLIENT.get_waiter("table_not_exists").wait(TableName="life", WaiterConfig=QUICK)
        self.assert_refused(CLIENT.exceptions.ResourceNotFoundException, "life", CLIENT.describe_table,
                            TableName="life")
        self.assert_refused(CLIENT.exceptions.ResourceNotFoundException, "", CLIENT.delete_table, TableName="life")

    def test_what_update_table_changes(self):
        create_songs("changing")
        index = {"IndexName": "byYear", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}
        CLIENT.update_table(TableName="changing", BillingMode="PROVISIONED",
                            ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
                            GlobalSecondaryIndexUpdates=[{"Update": index}])
        CLIENT.get_waiter("table_exists").wait(TableName="changing", WaiterConfig=QUICK)
        CLIENT.update_table(TableName="changing",
                            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        table = CLIENT.describe_table(TableName="changing")["Table"]
        self.assertEqual(table["ProvisionedThroughput"]["WriteCapacityUnits"], 4)
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"], 2)
        self.assertEqual(table["StreamSpecification"]["StreamViewType"], "NEW_AND_OLD_IMAGES")

        known = CLIENT.meta.service_model.operation_model("UpdateTable").input_shape.members
        if "DeletionProtectionEnabled" in known:  # Debian 12's botocore is older than that
            CLIENT.update_table(TableName="changing", DeletionProtectionEnabled=True)
            self.assert_refused(CLIENT.exceptions.ClientError, "deletion protection", CLIENT.delete_table,
                                TableName="changing")
            CLIENT.update_table(TableName="changing", DeletionProtectionEnabled=False)
        CLIENT.delete_table(TableName="changing")

    def test_lists_of_tables_come_in_pages(self):
        names = [f"listed-{i}" for i in range(7)]
        for name in names:
            create_songs(name)
        pages = list(CLIENT.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 3}))
        found = [name for page in pages for name in page["TableNames"]]
        self.assertTrue(all(len(page["TableNames"]) == 3 for page in pages[:-1]))
        self.assertEqual(found, sorted(found))
        self.assertEqual([name for name in found if name.startswith("listed-")], names)
        for name in names:
            CLIENT.delete_table(TableName=name)

    def test_tags_by_page(self):
        arn = create_songs("tagged")
        CLIENT.tag_resource(ResourceArn=arn, Tags=[{"Key": f"k{i:02}", "Value": str(i)} for i in range(30)])
        CLIENT.untag_resource(ResourceArn=arn, TagKeys=["k03", "never"])
        pages = CLIENT.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
        tags = {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]}
        self.assertEqual(tags, {f"k{i:02}": str(i) for i in range(30) if i != 3})
        CLIENT.delete_table(TableName="tagged")

    def test_time_to_live(self):
        create_songs("expiring")
        CLIENT.update_time_to_live(TableName="expiring",
                                   TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        described = CLIENT.describe_time_to_live(TableName="expiring")["TimeToLiveDescription"]
        self.assertEqual(described["AttributeName"], "until")
        self.assertIn(described["TimeToLiveStatus"], ("ENABLING", "ENABLED"))
        CLIENT.delete_table(TableName="expiring")

    def test_limits_and_endpoints(self):
        self.assertGreater(CLIENT.describe_limits()["AccountMaxReadCapacityUnits"], 0)
        endpoint, = CLIENT.describe_endpoints()["Endpoints"]
        self.assertIn(endpoint["Address"], SERVER.url)

    def test_an_operation_that_is_not_there(self):
        self.assert_refused(CLIENT.exceptions.ClientError, "", CLIENT.list_global_tables)


class Items(ClientTest):
    @classmethod
    def setUpClass(cls):
        cls.arn = create_songs("items")

    def test_put_get_update_delete(self):
        written = CLIENT.put_item(TableName="items", Item=song("Miles", "So What", 1), ReturnConsumedCapacity="TOTAL")
        self.assertEqual(written["ConsumedCapacity"]["TableName"], "items")
        replaced = CLIENT.put_item(TableName="items", Item=song("Miles", "So What", 2), ReturnValues="ALL_OLD")
        self.assertEqual(replaced["Attributes"], song("Miles", "So What", 1))
        updated = CLIENT.update_item(
            TableName="items", Key=key("Miles", "So What"), ReturnValues="UPDATED_NEW",
            UpdateExpression="SET #y = :y, tags = list_append(if_not_exists(tags, :none), :jazz) ADD plays :one",
            ExpressionAttributeNames={"#y": "year"},
            ExpressionAttributeValues={":y": {"N": "1959"}, ":one": {"N": "1"}, ":none": {"L": []},
                                       ":jazz": {"L": [{"S": "jazz"}]}})
        self.assertEqual(updated["Attributes"],
                         {"year": {"N": "1959"}, "plays": {"N": "3"}, "tags": {"L": [{"S": "jazz"}]}})
        got = CLIENT.get_item(TableName="items", Key=key("Miles", "So What"), ConsistentRead=True,
                              ProjectionExpression="plays, tags[0]")
        self.assertEqual(got["Item"], {"plays": {"N": "3"}, "tags": {"L": [{"S": "jazz"}]}})
        deleted = CLIENT.delete_item(TableName="items", Key=key("Miles", "So What"), ReturnValues="ALL_OLD",
                                     ReturnItemCollectionMetrics="SIZE")
        self.assertEqual(deleted["Attributes"]["plays"], {"N": "3"})
        self.assertIn("ItemCollectionMetrics", deleted)
        self.assertNotIn("Item", CLIENT.get_item(TableName="items", Key=key("Miles", "So What")))

    def test_every_type(self):
        values = {
            "s": {"S": "Città \u0000 \U0001f3b5 \"\\"}, "n": {"N": "-12345678901234567890.123456789012345678"},
            "b": {"B": bytes(range(256))}, "true": {"BOOL": True}, "null": {"NULL": True},
            "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["-1", "2.5"]}, "bs": {"BS": [b"\x00", b"\xff"]},
            "l": {"L": [{"S": ""}, {"L": []}, {"M": {}}]}, "m": {"M": {"deep": {"M": {"er": {"B": b""}}}}}}
        CLIENT.put_item(TableName="items", Item={**key("types", "all"), **values})
        item = CLIENT.get_item(TableName="items", Key=key("types", "all"))["Item"]
        for name, value in values.items():
            kind, = value
            found = {kind: sorted(item[name][kind])} if kind.endswith("S") and kind != "S" else item[name]
            self.assertEqual(found, value, name)

    def test_an_arn_is_a_table_name(self):
        CLIENT.put_item(TableName=self.arn, Item=song("arn", "1"))
        self.assertIn("Item", CLIENT.get_item(TableName=self.arn, Key=key("arn", "1")))
        self.assertEqual(CLIENT.query(TableName=self.arn, KeyConditionExpression="artist = :a",
                                      ExpressionAttributeValues={":a": {"S": "arn"}})["Count"], 1)
        self.assertEqual(CLIENT.describe_table(TableName=self.arn)["Table"]["TableName"], "items")

    def test_parameters_of_the_years_before_expressions(self):
        CLIENT.put_item(TableName="items", Item=song("old", "1", 5), Expected={"artist": {"Exists": False}})
        self.assert_refused(CLIENT.exceptions.ConditionalCheckFailedException, "The conditional request failed",
                            CLIENT.put_item, TableName="items", Item=song("old", "1"),
                            Expected={"plays": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}})
        CLIENT.update_item(TableName="items", Key=key("old", "1"),
                           AttributeUpdates={"plays": {"Action": "ADD", "Value": {"N": "2"}}})
        found = CLIENT.query(TableName="items", AttributesToGet=["plays"], KeyConditions={
            "artist": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "old"}]}})
        self.assertEqual(found["Items"], [{"plays": {"N": "7"}}])

    def test_refusals_by_class(self):
        exceptions = CLIENT.exceptions
        self.assert_refused(exceptions.ConditionalCheckFailedException, "The conditional request failed",
                            CLIENT.put_item, TableName="items", Item=song("none", "1"),
                            ConditionExpression="attribute_exists(artist)")
        self.assert_refused(exceptions.ResourceNotFoundException, "Requested resource not found", CLIENT.get_item,
                            TableName="nowhere", Key=key("a", "b"))
        error = self.assert_refused(exceptions.ClientError, "does not match the schema", CLIENT.get_item,
                                    TableName="items", Key={"artist": {"S": "a"}})
        self.assertEqual(error["Error"]["Code"], "ValidationException")
        error = self.assert_refused(exceptions.ClientError, "Item size has exceeded", CLIENT.put_item,
                                    TableName="items", Item=song("big", "1", note={"S": "x" * 410_000}))
        self.assertEqual(error["Error"]["Code"], "ValidationException")

    def test_one_connection_serves_many_calls(self):
        client = new_client()
        client.describe_limits()
        before = self.connections()
        for i in range(20):
            client.put_item(TableName="items", Item=song("connection", str(i)))
            with self.assertRaises(client.exceptions.ConditionalCheckFailedException):
                client.put_item(TableName="items", Item=song("connection", str(i)),
                                ConditionExpression="attribute_not_exists(artist)")
        self.assertEqual(self.connections() - before, 1)  # the one that asks for the figure

    @staticmethod
    def connections():
        with urllib.request.urlopen(SERVER.url + "/metrics") as response:
            lines = response.read().decode().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("tavola_http_connections_total ")))


class Reading(ClientTest):
    ARTISTS = 8
    SONGS = 40

    @classmethod
    def setUpClass(cls):
        create_songs("reading")
        table = new_resource().Table("reading")
        with table.batch_writer() as batch:  # 320 items, in requests of 25
            for artist in range(cls.ARTISTS):
                for number in range(cls.SONGS):
                    batch.put_item(Item={"artist": f"artist {artist}", "song": f"song {number:02}",
                                         "year": 1950 + number % 4, "plays": number, "text": "x" * 100})

    def test_query_by_page(self):
        pages = list(CLIENT.get_paginator("query").paginate(
            TableName="reading", KeyConditionExpression="artist = :a AND song BETWEEN :x AND :y",
            ExpressionAttributeValues={":a": {"S": "artist 3"}, ":x": {"S": "song 05"}, ":y": {"S": "song 34"}},
            PaginationConfig={"PageSize": 7}))
        self.assertEqual([page["Count"] for page in pages], [7, 7, 7, 7, 2])
        self.assertEqual([item["song"]["S"] for page in pages for item in page["Items"]],
                         [f"song {number:02}" for number in range(5, 35)])

    def test_a_page_is_resumed_where_it_ended(self):
        paginator = CLIENT.get_paginator("scan")
        found = []
        token = None
        while True:
            pages = paginator.paginate(TableName="reading", PaginationConfig={
                "PageSize": 50, "MaxItems": 90, "StartingToken": token})
            result = pages.build_full_result()
            found += [(item["artist"]["S"], item["song"]["S"]) for item in result["Items"]]
            token = result.get("NextToken")
            if token is None:
                break
        self.assertEqual(len(found), self.ARTISTS * self.SONGS)
        self.assertEqual(len(set(found)), self.ARTISTS * self.SONGS)

    def test_indexes(self):
        newest_first = CLIENT.get_paginator("query").paginate(
            TableName="reading", IndexName="byYear", ScanIndexForward=False, KeyConditionExpression="#y = :y",
            ExpressionAttributeNames={"#y": "year"}, ExpressionAttributeValues={":y": {"N": "1951"}},
            PaginationConfig={"PageSize": 9})
        plays = [int(item["plays"]["N"]) for page in newest_first for item in page["Items"]]
        self.assertEqual(plays, sorted((n for n in range(self.SONGS) if n % 4 == 1 for _ in range(self.ARTISTS)),
                                       reverse=True))
        local = CLIENT.query(TableName="reading", IndexName="byPlays", ConsistentRead=True,
                             KeyConditionExpression="artist = :a AND plays < :n",
                             ExpressionAttributeValues={":a": {"S": "artist 1"}, ":n": {"N": "2"}})
        self.assertEqual(local["Items"], [song("artist 1", "song 00", 0), song("artist 1", "song 01", 1)])
        self.assertEqual(CLIENT.scan(TableName="reading", IndexName="byYear", Select="COUNT")["Count"],
                         self.ARTISTS * self.SONGS)

    def test_conditions_of_the_builder(self):
        table = new_resource().Table("reading")
        found = table.query(KeyConditionExpression=Key("artist").eq("artist 2") & Key("song").begins_with("song 1"),
                            FilterExpression=Attr("plays").is_in([11, 13, 99]) | Attr("plays").gte(19),
                            ProjectionExpression="plays")
        self.assertEqual([item["plays"] for item in found["Items"]], [11, 13, 19])
        self.assertEqual((found["Count"], found["ScannedCount"]), (3, 10))
        odd = table.scan(FilterExpression=~Attr("plays").between(1, 100) & Attr("text").size().eq(100)
                         & Attr("artist").contains("7") & Attr("year").attribute_type("N")
                         & Attr("nothing").not_exists() & Attr("artist").ne("x"))
        self.assertEqual([(item["artist"], item["plays"]) for item in odd["Items"]], [("artist 7", 0)])

    def test_a_parallel_scan_by_threads(self):
        def scan(segment):
            pages = new_client().get_paginator("scan").paginate(TableName="reading", TotalSegments=4, Segment=segment,
                                                                PaginationConfig={"PageSize": 20})
            return [(item["artist"]["S"], item["song"]["S"]) for page in pages for item in page["Items"]]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = [item for items in pool.map(scan, range(4)) for item in items]
        self.assertEqual(len(found), self.ARTISTS * self.SONGS)
        self.assertEqual(len(set(found)), self.ARTISTS * self.SONGS)


class Batches(ClientTest):
    @classmethod
    def setUpClass(cls):
        create_songs("batches")

    def test_write_and_get(self):
        puts = [{"PutRequest": {"Item": song("batch", str(i), i)}} for i in range(25)]
        self.assertEqual(CLIENT.batch_write_item(RequestItems={"batches": puts})["UnprocessedItems"], {})
        deletes = [{"DeleteRequest": {"Key": key("batch", str(i))}} for i in range(5)]
        written = CLIENT.batch_write_item(RequestItems={"batches": deletes}, ReturnConsumedCapacity="INDEXES")
        self.assertEqual(written["ConsumedCapacity"][0]["TableName"], "batches")
        got = CLIENT.batch_get_item(RequestItems={"batches": {
            "Keys": [key("batch", str(i)) for i in range(25)], "ProjectionExpression": "plays"}})
        self.assertEqual(sorted(int(item["plays"]["N"]) for item in got["Responses"]["batches"]), list(range(5, 25)))
        self.assertEqual(got["UnprocessedKeys"], {})

    def test_what_is_too_much_for_one_answer_comes_with_the_next(self):
        for i in range(50):
            CLIENT.put_item(TableName="batches", Item=song("large", str(i), text={"S": "x" * 380_000}))
        asked = {"batches": {"Keys": [key("large", str(i)) for i in range(50)]}}
        counts = []
        while asked:
            got = CLIENT.batch_get_item(RequestItems=asked)
            counts.append(len(got["Responses"]["batches"]))
            asked = got["UnprocessedKeys"]
        self.assertEqual(sum(counts), 50)
        self.assertGreater(len(counts), 1)  # 19 MB, of which a response holds 16

    def test_refusals(self):
        puts = [{"PutRequest": {"Item": song("batch", str(i), i)}} for i in range(26)]
        error = self.assert_refused(CLIENT.exceptions.ClientError, "25", CLIENT.batch_write_item,
                                    RequestItems={"batches": puts})
        self.assertEqual(error["Error"]["Code"], "ValidationException")
        self.assert_refused(CLIENT.exceptions.ResourceNotFoundException, "", CLIENT.batch_get_item,
                            RequestItems={"nowhere": {"Keys": [key("a", "b")]}})


class Transactions(ClientTest):
    @classmethod
    def setUpClass(cls):
        create_songs("transactions")

    def test_all_actions_at_once(self):
        for title in ("updated", "deleted", "checked"):
            CLIENT.put_item(TableName="transactions", Item=song("all", title, 1))
        CLIENT.transact_write_items(TransactItems=[
            {"Put": {"TableName": "transactions", "Item": song("all", "put", 1)}},
            {"Update": {"TableName": "transactions", "Key": key("all", "updated"), "UpdateExpression": "ADD plays :n",
                        "ExpressionAttributeValues": {":n": {"N": "4"}}}},
            {"Delete": {"TableName": "transactions", "Key": key("all", "deleted")}},
            {"ConditionCheck": {"TableName": "transactions", "Key": key("all", "checked"),
                                "ConditionExpression": "attribute_exists(artist)"}}])
        got = CLIENT.transact_get_items(TransactItems=[
            {"Get": {"TableName": "transactions", "Key": key("all", title), "ProjectionExpression": "plays"}}
            for title in ("put", "updated", "deleted", "checked")])
        self.assertEqual(got["Responses"], [{"Item": {"plays": {"N": "1"}}}, {"Item": {"plays": {"N": "5"}}}, {},
                                            {"Item": {"plays": {"N": "1"}}}])

    def test_why_it_was_cancelled(self):
        CLIENT.put_item(TableName="transactions", Item=song("cancelled", "there", 1))
        error = self.assert_refused(
            CLIENT.exceptions.TransactionCanceledException, "[None, ConditionalCheckFailed, ConditionalCheckFailed]",
            CLIENT.transact_write_items, TransactItems=[
                {"Put": {"TableName": "transactions", "Item": song("cancelled", "new")}},
                {"Put": {"TableName": "transactions", "Item": song("cancelled", "there"),
                         "ConditionExpression": "attribute_not_exists(artist)",
                         "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
                {"Delete": {"TableName": "transactions", "Key": key("cancelled", "absent"),
                            "ConditionExpression": "attribute_exists(artist)"}}])
        self.assertEqual(error["CancellationReasons"], [
            {"Code": "None"},
            {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed",
             "Item": song("cancelled", "there", 1)},
            {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}])
        self.assertNotIn("Item", CLIENT.get_item(TableName="transactions", Key=key("cancelled", "new")))

    def test_a_token_is_good_for_one_transaction(self):
        def add(token, amount):
            return CLIENT.transact_write_items(ClientRequestToken=token, TransactItems=[
                {"Update": {"TableName": "transactions", "Key": key("token", "1"), "UpdateExpression": "ADD plays :n",
                            "ExpressionAttributeValues": {":n": {"N": str(amount)}}}}])

        add("once", 3)
        add("once", 3)
        self.assert_refused(CLIENT.exceptions.IdempotentParameterMismatchException, "", add, token="once", amount=4)
        item = CLIENT.get_item(TableName="transactions", Key=key("token", "1"))["Item"]
        self.assertEqual(item["plays"], {"N": "3"})


class Streams(ClientTest):
    def setUp(self):
        self.streams = boto3.client("dynamodbstreams", endpoint_url=SERVER.url, config=CONFIG)

    def create(self, name, view):
        created = CLIENT.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            StreamSpecification={"StreamEnabled": True, "StreamViewType": view})
        return created["TableDescription"]["LatestStreamArn"]

    def iterators(self, stream, kind="TRIM_HORIZON"):
        shards = self.streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
        return [self.streams.get_shard_iterator(StreamArn=stream, ShardId=shard["ShardId"],
                                                ShardIteratorType=kind)["ShardIterator"] for shard in shards]

    def records(self, iterators):
        """Returns all records from there on, and the next iterator of each shard."""
        found, rest = [], []
        for iterator in iterators:
            while iterator:
                page = self.streams.get_records(ShardIterator=iterator, Limit=7)
                found += page["Records"]
                iterator = page.get("NextShardIterator")
                if not page["Records"]:
                    break
            rest.append(iterator)
        return found, rest

    def test_a_consumer_keeps_a_copy(self):
        stream = self.create("followed", "NEW_AND_OLD_IMAGES")
        listed = self.streams.list_streams(TableName="followed")["Streams"]
        self.assertEqual([one["StreamArn"] for one in listed], [stream])
        iterators, copy = self.iterators(stream), {}

        def follow(iterators):
            found, rest = self.records(iterators)
            for record in found:
                self.assertEqual(record["eventSource"], "aws:dynamodb")
                change = record["dynamodb"]
                self.assertRegex(change["SequenceNumber"], "^[0-9]{21,40}$")
                self.assertEqual(copy.get(change["Keys"]["pk"]["S"]), change.get("OldImage"))
                copy[change["Keys"]["pk"]["S"]] = change.get("NewImage")
            return found, rest

        for number in range(50):
            CLIENT.put_item(TableName="followed", Item={"pk": {"S": str(number)}, "n": {"N": str(number)}})
        found, iterators = follow(iterators)
        self.assertEqual({record["eventName"] for record in found}, {"INSERT"})
        self.assertEqual(len(found), 50)
        CLIENT.transact_write_items(TransactItems=[
            {"Delete": {"TableName": "followed", "Key": {"pk": {"S": "7"}}}},
            {"Update": {"TableName": "followed", "Key": {"pk": {"S": "8"}}, "UpdateExpression": "SET n = :n",
                        "ExpressionAttributeValues": {":n": {"BOOL": True}}}}])
        found, iterators = follow(iterators)
        self.assertEqual(sorted(record["eventName"] for record in found), ["MODIFY", "REMOVE"])
        items = CLIENT.scan(TableName="followed")["Items"]
        self.assertEqual({item["pk"]["S"]: item for item in items}, {key: item for key, item in copy.items() if item})
        CLIENT.update_table(TableName="followed", StreamSpecification={"StreamEnabled": False})
        found, iterators = self.records(iterators)
        self.assertEqual((found, iterators), ([], [None] * 4))
        description = self.streams.describe_stream(StreamArn=stream)["StreamDescription"]
        self.assertEqual(description["StreamStatus"], "DISABLED")

    def test_what_expires_says_so(self):
        stream = self.create("fading", "KEYS_ONLY")
        CLIENT.update_time_to_live(TableName="fading",
                                   TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        iterators = self.iterators(stream)
        CLIENT.put_item(TableName="fading", Item={"pk": {"S": "a"}, "until": {"N": str(int(time.time()) - 1)}})
        deadline = time.monotonic() + 60
        found = []
        while len(found) < 2 and time.monotonic() < deadline:
            more, iterators = self.records(iterators)
            found += more
            time.sleep(0.2)
        self.assertEqual([record["eventName"] for record in found], ["INSERT", "REMOVE"])
        self.assertEqual(found[1]["userIdentity"], {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"})
        self.assertNotIn("userIdentity", found[0])

    def test_refusals_by_class(self):
        arn = "arn:aws:dynamodb:eu-south-1:000000000000:table/nobody/stream/2026-01-01T00:00:00.000"
        self.assert_refused(self.streams.exceptions.ResourceNotFoundException, "nobody",
                            self.streams.describe_stream, StreamArn=arn)
        self.assert_refused(self.streams.exceptions.ClientError, "Invalid ShardIterator",
                            self.streams.get_records, ShardIterator="nonsense")


class Restart(ClientTest):
    """On the disk, with a stop in between: clients notice only a closed connection."""

    def run_client(self, folder, use):
        with harness.Server(harness.PROGRAM, "--data", folder / "data") as server:
            return use(new_client(server))

    def test_everything_is_still_there(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        transaction = {"ClientRequestToken": "before and after", "TransactItems": [
            {"Update": {"TableName": "kept", "Key": key("token", "1"), "UpdateExpression": "ADD plays :n",
                        "ExpressionAttributeValues": {":n": {"N": "3"}}}}]}

        def before(client):
            arn = create_songs("kept", client)
            client.tag_resource(ResourceArn=arn, Tags=[{"Key": "a", "Value": "b"}])
            client.update_time_to_live(TableName="kept",
                                       TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
            client.put_item(TableName="kept", Item=song("kept", "1", 1, year={"N": "1990"}))
            client.transact_write_items(**transaction)
            return client.describe_table(TableName="kept")["Table"]

        def after(client):
            client.transact_write_items(**transaction)  # the token is remembered: nothing is added
            self.assertEqual(client.get_item(TableName="kept", Key=key("token", "1"))["Item"]["plays"], {"N": "3"})
            self.assertEqual(client.query(TableName="kept", IndexName="byYear", KeyConditionExpression="#y = :y",
                                          ExpressionAttributeNames={"#y": "year"},
                                          ExpressionAttributeValues={":y": {"N": "1990"}})["Count"], 1)
            table = client.describe_table(TableName="kept")["Table"]
            tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
            self.assertEqual(tags, [{"Key": "a", "Value": "b"}])
            time_to_live = client.describe_time_to_live(TableName="kept")["TimeToLiveDescription"]
            self.assertEqual(time_to_live["AttributeName"], "until")
            return table

        described = self.run_client(folder, before)
        self.assertEqual(self.run_client(folder, after), described)


class Resources(ClientTest):
    def test_tables(self):
        service = new_resource()
        table = service.create_table(
            TableName="resource", BillingMode="PROVISIONED",
            ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}], Tags=[{"Key": "of", "Value": "resources"}])
        table.wait_until_exists()
        self.assertIn("resource", [each.name for each in service.tables.all()])
        with table.batch_writer(overwrite_by_pkeys=["id"]) as batch:
            for i in range(60):
                batch.put_item(Item={"id": i % 40, "round": i // 40})
            batch.delete_item(Key={"id": 39})
        table.reload()
        self.assertEqual(table.item_count, 39)
        self.assertEqual(table.provisioned_throughput["ReadCapacityUnits"], 5)
        self.assertEqual(table.scan(FilterExpression=Attr("round").eq(1), Select="COUNT")["Count"], 20)
        many = service.batch_get_item(RequestItems={"resource": {"Keys": [{"id": i} for i in range(10)]}})
        self.assertEqual(sorted(item["id"] for item in many["Responses"]["resource"]), list(range(10)))
        table.update(ProvisionedThroughput={"ReadCapacityUnits": 6, "WriteCapacityUnits": 6})
        table.delete()
        table.wait_until_not_exists()

    def test_pythons_own_types(self):
        create_songs("python")
        table = new_resource().Table("python")
        # boto3 cannot read numbers of more than 38 digits, including zeros (its issue 2500), though AWS sends them.
        item = {"artist": "types", "song": "all", "exact": decimal.Decimal("0.12345678901234567890123456789012345678"),
                "small": decimal.Decimal("1E-130"), "large": decimal.Decimal("-" + "9" * 38),
                "bytes": Binary(b"\x00\xff"), "yes": True, "none": None, "texts": {"a", "b"},
                "numbers": {decimal.Decimal(1), decimal.Decimal("2.5")}, "binaries": {Binary(b"1"), Binary(b"2")},
                "list": [1, "two", [3, {"four": 5}]], "map": {"a": {"b": {"c": set("xyz")}}}}
        table.put_item(Item=item)
        self.assertEqual(table.get_item(Key={"artist": "types", "song": "all"})["Item"], item)
        updated = table.update_item(
            Key={"artist": "types", "song": "all"}, ReturnValues="ALL_NEW",
            UpdateExpression="SET #l[2][0] = #l[2][0] + :n REMOVE #l[0] ADD numbers :more DELETE texts :a",
            ConditionExpression=Attr("map.a.b.c").contains("x") & Attr("yes").eq(True),
            ExpressionAttributeNames={"#l": "list"},
            ExpressionAttributeValues={":n": decimal.Decimal("0.5"), ":more": {7}, ":a": {"a"}})["Attributes"]
        self.assertEqual(updated["list"], ["two", [decimal.Decimal("3.5"), {"four": 5}]])
        self.assertEqual(updated["numbers"], {1, decimal.Decimal("2.5"), 7})
        self.assertEqual(updated["texts"], {"b"})
        old = table.delete_item(Key={"artist": "types", "song": "all"}, ReturnValues="ALL_OLD",
                                ConditionExpression=Attr("small").lt(decimal.Decimal("1E-129")))["Attributes"]
        self.assertEqual(old["bytes"], b"\x00\xff")
        table.delete()


if __name__ == "__main__":
    harness.main()

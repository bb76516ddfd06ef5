#!/usr/bin/env python3
"""boto3 with PartiQL: statements, batches, transactions, pages, exceptions by class, and keys with limited permissions.

    tests/clients/boto3_partiql_test.py PATH/TO/tavola [TEST ...]

The clients retry nothing.
"""
import decimal
import pathlib
import tempfile
import unittest

import boto3
import botocore.config

import harness

CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
CREDENTIALS = "AKIDADMIN secretOfAll\nAKIDREADS secretOfReads read-only\nAKIDSONGS secretOfSongs tables=songs\n"
SECRETS = {line.split()[0]: line.split()[1] for line in CREDENTIALS.splitlines()}
SERVER = None
CLIENT = None


def setUpModule():
    global SERVER, CLIENT
    print(f"boto3 {boto3.__version__}, botocore {botocore.__version__}", flush=True)
    folder = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    keys = folder / "credentials"
    keys.touch(mode=0o600)
    keys.write_text(CREDENTIALS)
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory", "--credentials", keys))
    CLIENT = client("AKIDADMIN")
    for name in ("songs", "people"):
        CLIENT.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"},
                                  {"AttributeName": "song", "AttributeType": "N"},
                                  {"AttributeName": "label", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
            GlobalSecondaryIndexes=[{"IndexName": "byLabel", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "label", "KeyType": "HASH"}]}])
        CLIENT.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 20})


def client(key):
    return boto3.client("dynamodb", endpoint_url=SERVER.url, config=CONFIG, aws_access_key_id=key,
                        aws_secret_access_key=SECRETS[key])


def execute(statement, *parameters, **more):
    if parameters:
        more["Parameters"] = list(parameters)
    return CLIENT.execute_statement(Statement=statement, **more)


class Statements(unittest.TestCase):
    def test_an_item_from_its_insertion_to_its_end(self):
        self.assertEqual(execute("INSERT INTO songs VALUE {'artist': ?, 'song': ?, 'tags': <<'a', 'b'>>}",
                                 {"S": "life"}, {"N": "1"})["Items"], [])
        with self.assertRaises(CLIENT.exceptions.DuplicateItemException) as caught:
            execute("INSERT INTO songs VALUE {'artist': 'life', 'song': 1}")
        self.assertIn("Duplicate primary key exists in table", str(caught.exception))
        changed = execute("UPDATE songs SET plays = 1 SET tags = set_delete(tags, <<'a'>>) "
                          "WHERE artist = 'life' AND song = 1 RETURNING ALL NEW *")["Items"]
        self.assertEqual(changed, [{"artist": {"S": "life"}, "song": {"N": "1"}, "plays": {"N": "1"},
                                    "tags": {"SS": ["b"]}}])
        with self.assertRaises(CLIENT.exceptions.ConditionalCheckFailedException):
            execute("UPDATE songs SET plays = 2 WHERE artist = 'life' AND song = 1 AND plays > 1")
        self.assertEqual(len(execute("DELETE FROM songs WHERE artist = 'life' AND song = 1 RETURNING ALL OLD *")["Items"]), 1)
        self.assertEqual(execute("SELECT * FROM songs WHERE artist = 'life'")["Items"], [])

    def test_pages(self):
        for number in range(30):
            execute("INSERT INTO songs VALUE {'artist': 'pages', 'song': ?, 'label': 'L'}", {"N": str(number)})
        statement = 'SELECT song FROM songs WHERE artist = \'pages\' AND song >= ? ORDER BY song DESC'
        found, token, pages = [], {}, 0
        while True:
            page = execute(statement, {"N": "5"}, Limit=7, ReturnConsumedCapacity="TOTAL", **token)
            found += [int(item["song"]["N"]) for item in page["Items"]]
            self.assertGreater(page["ConsumedCapacity"]["CapacityUnits"], 0)
            pages += 1
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        self.assertEqual((found, pages), (list(range(29, 4, -1)), 4))
        indexed = execute('SELECT song FROM "songs"."byLabel" WHERE label = \'L\'')["Items"]
        self.assertEqual(len(indexed), 30)
        with self.assertRaises(CLIENT.exceptions.ClientError) as caught:
            execute("SELECT * FROM songs", **token)
        self.assertIn("NextToken does not match request", str(caught.exception))

    def test_pythons_own_types(self):
        resource = boto3.resource("dynamodb", endpoint_url=SERVER.url, config=CONFIG, aws_access_key_id="AKIDADMIN",
                                  aws_secret_access_key=SECRETS["AKIDADMIN"])
        own = resource.meta.client
        item = {"artist": "types", "song": decimal.Decimal("1.5"), "map": {"l": [1, "x", None, True]}, "s": {1, 2}}
        own.execute_statement(Statement="INSERT INTO songs VALUE ?", Parameters=[item])
        got = own.execute_statement(Statement="SELECT * FROM songs WHERE artist = ? AND s = ?",
                                    Parameters=["types", {2, 1}])["Items"]
        self.assertEqual(got, [item])


class Several(unittest.TestCase):
    def test_batches(self):
        written = CLIENT.batch_execute_statement(Statements=[
            {"Statement": "INSERT INTO songs VALUE {'artist': 'batch', 'song': ?}", "Parameters": [{"N": str(number)}]}
            for number in (1, 2, 2)])["Responses"]
        self.assertEqual([response.get("Error", {}).get("Code") for response in written], [None, None, "DuplicateItem"])
        read = CLIENT.batch_execute_statement(Statements=[
            {"Statement": "SELECT song FROM songs WHERE artist = 'batch' AND song = 2", "ConsistentRead": True},
            {"Statement": "SELECT * FROM songs WHERE artist = 'batch'"},
            {"Statement": "SELECT * FROM nowhere WHERE artist = 'batch'"}])["Responses"]
        self.assertEqual(read[0], {"Item": {"song": {"N": "2"}}, "TableName": "songs"})
        self.assertEqual([response["Error"]["Code"] for response in read[1:]], ["ValidationError", "ResourceNotFound"])

    def test_transactions(self):
        insert = {"Statement": "INSERT INTO songs VALUE {'artist': 'both', 'song': 1, 'n': 0}"}
        other = {"Statement": "INSERT INTO people VALUE {'artist': 'both', 'song': 1}"}
        self.assertEqual(CLIENT.execute_transaction(TransactStatements=[insert, other])["Responses"], [])
        count = [{"Statement": "UPDATE songs SET n = n + 1 WHERE artist = 'both' AND song = 1"},
                 {"Statement": "EXISTS(SELECT * FROM people WHERE artist = 'both' AND song = 1 AND n IS MISSING)"}]
        for _ in range(2):
            CLIENT.execute_transaction(TransactStatements=count, ClientRequestToken="count-once")
        read = CLIENT.execute_transaction(TransactStatements=[
            {"Statement": "SELECT n FROM songs WHERE artist = 'both' AND song = 1"},
            {"Statement": "SELECT * FROM people WHERE artist = 'both' AND song = 2"}])["Responses"]
        self.assertEqual(read, [{"Item": {"n": {"N": "1"}}}, {}])
        fresh = {"Statement": "INSERT INTO people VALUE {'artist': 'both', 'song': 3}"}
        with self.assertRaises(CLIENT.exceptions.TransactionCanceledException) as caught:
            CLIENT.execute_transaction(TransactStatements=[fresh, insert])
        self.assertEqual([reason["Code"] for reason in caught.exception.response["CancellationReasons"]],
                         ["None", "DuplicateItem"])
        self.assertEqual(execute("SELECT * FROM people WHERE artist = 'both' AND song = 3")["Items"], [])


class Access(unittest.TestCase):
    def refused(self, key, statement, action):
        with self.assertRaises(CLIENT.exceptions.ClientError) as caught:
            client(key).execute_statement(Statement=statement)
        error = caught.exception.response["Error"]
        self.assertEqual(error["Code"], "AccessDeniedException")
        self.assertIn(f"is not authorized to perform: dynamodb:{action} on resource: ", error["Message"])

    def test_a_key_that_reads(self):
        client("AKIDREADS").execute_statement(Statement="SELECT * FROM people WHERE artist = 'nobody'")
        self.refused("AKIDREADS", "INSERT INTO people VALUE {'artist': 'x', 'song': 1}", "PartiQLInsert")
        self.refused("AKIDREADS", "UPDATE people SET n = 1 WHERE artist = 'x' AND song = 1", "PartiQLUpdate")
        self.refused("AKIDREADS", "DELETE FROM people WHERE artist = 'x' AND song = 1", "PartiQLDelete")

    def test_a_key_for_some_tables(self):
        client("AKIDSONGS").execute_statement(Statement="SELECT * FROM songs WHERE artist = 'nobody'")
        self.refused("AKIDSONGS", "SELECT * FROM people", "PartiQLSelect")
        own = client("AKIDSONGS")
        answered = own.batch_execute_statement(Statements=[
            {"Statement": "DELETE FROM people WHERE artist = 'x' AND song = 1"},
            {"Statement": "DELETE FROM songs WHERE artist = 'x' AND song = 1"}])["Responses"]
        self.assertEqual(answered[0]["Error"]["Code"], "AccessDenied")
        self.assertEqual(answered[1], {"TableName": "songs"})
        with self.assertRaises(own.exceptions.ClientError) as caught:
            own.execute_transaction(TransactStatements=[
                {"Statement": "DELETE FROM songs WHERE artist = 'x' AND song = 1"},
                {"Statement": "DELETE FROM people WHERE artist = 'x' AND song = 1"}])
        self.assertEqual(caught.exception.response["Error"]["Code"], "AccessDeniedException")


if __name__ == "__main__":
    harness.main()

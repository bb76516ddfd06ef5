#!/usr/bin/env python3
"""AH14: a registry of shops moves from revision 000 to 001 during concurrent writes, the server is killed in the
middle, and both forms are correct. `tavola migrate` on a server and on a directory.

    tests/designs/migrate_test.py PROGRAM [--results FILE] [TEST ...]
"""
import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import boto3.dynamodb.types
import botocore.exceptions

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import governed  # noqa: E402
import harness  # noqa: E402
from access import Access  # noqa: E402
from governed import ClientError, Served, design_file, drift, environment  # noqa: E402

OLD, NEW = "aura-historia-data", "aura-historia-data-001"
DESIGN, OLD_DESIGN = design_file("aura-historia-data"), design_file("aura-historia-data.r000")
GONE = (botocore.exceptions.EndpointConnectionError, botocore.exceptions.ConnectionClosedError,
        botocore.exceptions.ReadTimeoutError)


def tavola(*words):
    return subprocess.run([harness.PROGRAM, *map(str, words)], text=True, capture_output=True, check=False,
                          env=environment())


def migrate(*words):
    return tavola("migrate", DESIGN, *words)


def start(*where):
    return migrate("--from", "000", "--old-design", OLD_DESIGN, *where)


def samples(seed):
    """Returns items of revision 000."""
    lines = tavola("design", "sample", OLD_DESIGN, "--size", "medium", "--seed", seed).stdout.splitlines()
    read = boto3.dynamodb.types.TypeDeserializer().deserialize
    return [{name: read(value) for name, value in json.loads(line).items()} for line in lines]


def expected(item):
    """Returns the common fields of both forms by AH14, computed independently of the program."""
    new = {"pk": item["PK"], "sk": item["SK"]}
    kind = item.get("type") or ("product" if item.get("is_product") else None)
    if kind:
        new |= {"type": kind, "gsi1_pk": item["PK"], "gsi1_sk": kind}
    return new | {name: item[name] for name in ("domain", "url", "standards_used") if name in item}


def asked(server, path):
    """Returns the status and the text of a page."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    try:
        connection.request("GET", path, headers=Access.signed("GET", server.url + path))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def create_old(resource):
    resource.create_table(TableName=OLD, BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"},
                                     {"AttributeName": "SK", "KeyType": "RANGE"}],
                          AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")])
    return resource.Table(OLD)


def scan(table):
    page = table.scan(ConsistentRead=True)
    items = page["Items"]
    while "LastEvaluatedKey" in page:
        page = table.scan(ConsistentRead=True, ExclusiveStartKey=page["LastEvaluatedKey"])
        items += page["Items"]
    return items


class Writer(threading.Thread):
    """Writes one page after the other until stopped; `pages` holds the acknowledged ones."""

    def __init__(self, name, server, write):
        super().__init__()
        self.name, self.server, self.write = name, server, write
        self.pages, self.failures = {}, []
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.is_set():
            url = f"https://{self.name}.example.com/{number}"
            try:
                self.write(self.server["now"], f"SHOP#{self.name}.example.com", url, number)
                self.pages[url] = number
                number += 1
            except GONE:
                self.stopping.wait(0.01)  # the server was killed: continue with the next one
            except ClientError as error:
                if error.response["Error"]["Code"] != "ResourceNotFoundException":  # it is being created
                    self.failures.append(error)

    def end(self):
        self.stopping.set()
        if self.is_alive():
            self.join()


def write_old(resource, shop, url, number):
    page = {"PK": shop, "SK": f"URL#{url}", "url": url, "is_product": number % 2 == 0}
    resource.Table(OLD).put_item(Item=page)
    resource.Table(OLD).update_item(Key={"PK": shop, "SK": f"URL#{url}"}, UpdateExpression="SET standards_used = :s",
                                    ExpressionAttributeValues={":s": ["rdfa"]})


def write_new(resource, shop, url, number):
    resource.Table(NEW).put_item(Item={"pk": shop, "sk": f"URL#{url}", "url": url,
                                       "type": "product" if number % 2 == 0 else "listing"})


class Migration(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name) / "data"

    def assert_same(self, resource):
        """Checks both forms of every item against AH14."""
        new = {(item["pk"], item["sk"]): item for item in scan(resource.Table(NEW))}
        old = scan(resource.Table(OLD))
        self.assertEqual(len(old), len(new))
        for item in old:
            found = new[item["PK"], item["SK"]]
            told = expected(item)
            self.assertEqual({name: found.get(name) for name in told}, told)
            self.assertNotIn("is_product", found)
            self.assertNotEqual(len(found.get("hash", "")), 32)

    def test_a_live_table_moves_though_the_server_is_killed(self):
        """Covers AH14."""
        first = Served([], data=self.data)
        self.addCleanup(first.folder.cleanup)
        self.addCleanup(first.server.kill)
        first.server.start()
        now = {"now": first.resource()}
        table = create_old(now["now"])
        with table.batch_writer(overwrite_by_pkeys=["PK", "SK"]) as batch:
            for item in samples(1) + samples(2):
                batch.put_item(Item=item)
        self.assertGreater(len(scan(table)), 2000)
        old, new = writers = [Writer("old", now, write_old), Writer("new", now, write_new)]
        for writer in writers:
            self.addCleanup(writer.end)
        old.start()
        self.kill_while_it_begins(first.server)
        with Served([], data=self.data) as served:
            now["now"] = resource = served.resource()
            where = ("--endpoint", served.server.url)
            done = start(*where)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("every write goes to both", done.stdout)
            new.start()  # clients of the newer form start when both are paired
            while len(new.pages) < 50 or len(old.pages) < 50:
                new.stopping.wait(0.01)
            for _ in range(3):  # while they write
                verified = migrate("verify", *where)
                self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
            for writer in writers:
                writer.end()
                self.assertEqual(writer.failures, [])
                self.assert_has(resource, writer)
            self.assert_same(resource)
            self.assertEqual(drift("aura-historia-data", *where, "--table", NEW), [])
            finished = migrate("finish", *where)
            self.assertEqual(finished.returncode, 0, finished.stdout + finished.stderr)
            self.assertIn(f"aws dynamodb delete-table --endpoint-url {where[1]} --table-name {OLD}", finished.stdout)
            resource.Table(OLD).delete()
            products = resource.Table(NEW).query(
                IndexName="GSI1", KeyConditionExpression="gsi1_pk = :p AND gsi1_sk = :t",
                ExpressionAttributeValues={":p": "SHOP#new.example.com", ":t": "product"})["Items"]
            self.assertGreaterEqual(len(products), 25)

    def kill_while_it_begins(self, server):
        """Kills the server as soon as the newer table exists, and long before it is complete."""
        begun = subprocess.Popen([harness.PROGRAM, "migrate", DESIGN, "--from", "000", "--old-design", OLD_DESIGN,
                                  "--endpoint", server.url], env=environment(),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        status = 0
        while status != 200:
            self.assertIsNone(begun.poll())
            status, page = asked(server, f"/admin/migrations/{OLD}")
        server.kill()
        begun.wait()
        self.assertTrue(json.loads(page)["copying"])

    def assert_has(self, resource, writer):
        """Checks that acknowledged writes exist, in both forms."""
        for url, number in writer.pages.items():
            keys = (f"SHOP#{writer.name}.example.com", f"URL#{url}")
            old = resource.Table(OLD).get_item(Key=dict(zip(("PK", "SK"), keys)))["Item"]
            new = resource.Table(NEW).get_item(Key=dict(zip(("pk", "sk"), keys)))["Item"]
            self.assertEqual((old["is_product"], new.get("type") == "product"), (number % 2 == 0,) * 2)

    def test_a_directory_moves_and_goes_back(self):
        """Covers AH14."""
        with Served([], data=self.data) as served:
            table = create_old(served.resource())
            for item in samples(1)[:50]:
                table.put_item(Item=item)
            before = sorted(map(str, scan(table)))
        where = ("--data", self.data)
        self.assertIn("is not being migrated", migrate("status", *where).stderr)
        self.assertEqual(start(*where).returncode, 0)
        status = json.loads(migrate("status", *where, "--format", "json").stdout)
        self.assertEqual((status["copying"], status["items"], status["newItems"]), (False, 50, 50))
        self.assertEqual(migrate("verify", *where).returncode, 0)
        self.assertEqual(drift("aura-historia-data", *where, "--table", NEW), [])
        aborted = migrate("abort", *where)
        self.assertEqual(aborted.returncode, 0, aborted.stderr)
        with Served([], data=self.data) as served:
            resource = served.resource()
            self.assertEqual(resource.meta.client.list_tables()["TableNames"], [OLD])
            self.assertEqual(sorted(map(str, scan(resource.Table(OLD)))), before)

    def test_what_cannot_be_copied_is_told(self):
        """Covers AH14."""
        with Served([], data=self.data) as served:
            table = create_old(served.resource())
            table.put_item(Item={"PK": "SHOP#a.com", "SK": "META#", "domain": "a.com", "standards_used": "many"})
            where = ("--endpoint", served.server.url)
            stopped = start(*where)
            self.assertEqual(stopped.returncode, 1)
            self.assertIn("some items cannot be copied", stopped.stdout)
            self.assertIn('{"PK":"SHOP#a.com","SK":"META#"}: Shop of revision 001: standards_used must be',
                          stopped.stdout)
            table.update_item(Key={"PK": "SHOP#a.com", "SK": "META#"}, UpdateExpression="REMOVE standards_used")
            self.assertEqual(start(*where).returncode, 0)
            self.assertEqual(migrate("finish", *where).returncode, 0)

    def test_mistakes_say_what_to_do(self):
        with Served([], data=self.data) as served:
            create_old(served.resource())
            where = ("--endpoint", served.server.url)
            for words, code, told in ((("strat",), 2, "Did you mean `start`?"),
                                      (("start",), 2, "--from is missing"),
                                      (("--from", "000"), 1, "with --old-design"),
                                      (("--from", "7", "--old-design", OLD_DESIGN), 1, 'has revision "000", not "7"'),
                                      (("abort",), 1, "is not being migrated"),
                                      (("status", "--old-table", "nobody"), 1, "not found")):
                done = migrate(*words, *where)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertIn(told, done.stderr)


if __name__ == "__main__":
    governed.main()

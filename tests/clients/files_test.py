#!/usr/bin/env python3
"""Exports and imports by boto3 and the AWS CLI, with folders as buckets; tavola dump and load between two databases,
and the state that a killed server leaves.

    tests/clients/files_test.py PATH/TO/tavola [TEST ...]
"""
import base64
import gzip
import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import boto3
import botocore.config

import harness

CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
KEYS = {"BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]}
ITEMS = 300
WAIT_SECONDS = 60


def client_of(server):
    return boto3.client("dynamodb", endpoint_url=server.url, config=CONFIG)


def run(*words, **more):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300, check=False,
                          **more)


def fill(client, table, count=ITEMS):
    client.create_table(TableName=table, **KEYS)
    for start in range(0, count, 25):
        client.batch_write_item(RequestItems={table: [
            {"PutRequest": {"Item": {"id": {"S": str(i)}, "n": {"N": str(i)}, "b": {"B": bytes([i % 256])},
                                     "m": {"M": {"x": {"SS": ["a", "b"]}}}}}} for i in range(start, min(start + 25, count))]})


def scanned(client, table):
    pages = client.get_paginator("scan").paginate(TableName=table)
    return sorted(json.dumps(item, sort_keys=True, default=str) for page in pages for item in page["Items"])


def awaited(describe, status):
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        description = describe()
        if description[status] != "IN_PROGRESS":
            return description
        if time.monotonic() > deadline:
            raise AssertionError(f"it does not end: {description}")
        time.sleep(0.05)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.buckets = self.folder / "buckets"
        (self.buckets / "mine").mkdir(parents=True)

    def server(self, *options):
        return harness.Server(harness.PROGRAM, "--data", self.folder / "data", "--buckets", self.buckets, *options)

    def exported(self, client, table, **more):
        arn = client.describe_table(TableName=table)["Table"]["TableArn"]
        begun = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="mine", **more)["ExportDescription"]
        return awaited(lambda: client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"], "ExportStatus")

    def imported(self, client, table, **more):
        begun = client.import_table(TableCreationParameters={"TableName": table, **KEYS}, **more)["ImportTableDescription"]
        return awaited(lambda: client.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"], "ImportStatus")

    def test_what_is_exported_comes_back(self):
        with self.server() as server:
            client = client_of(server)
            fill(client, "songs")
            with self.assertRaises(client.exceptions.PointInTimeRecoveryUnavailableException):
                self.exported(client, "songs")
            client.update_continuous_backups(TableName="songs",
                                             PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            export = self.exported(client, "songs", S3Prefix="some/where")
            self.assertEqual(export["ExportStatus"], "COMPLETED", export)
            self.assertEqual(export["ItemCount"], ITEMS)
            self.check_layout(export)
            data = str(pathlib.PurePath(export["ExportManifest"]).parent / "data") + "/"
            imported = self.imported(client, "again", S3BucketSource={"S3Bucket": "mine", "S3KeyPrefix": data},
                                     InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP")
            self.assertEqual((imported["ImportStatus"], imported["ImportedItemCount"], imported["ErrorCount"]),
                             ("COMPLETED", ITEMS, 0), imported)
            self.assertEqual(scanned(client, "again"), scanned(client, "songs"))
            pages = [client.list_exports(MaxResults=1)["ExportSummaries"], client.list_imports(PageSize=1)["ImportSummaryList"]]
            self.assertEqual([len(page) for page in pages], [1, 1])

    def check_layout(self, export):
        folder = (self.buckets / "mine" / export["ExportManifest"]).parent
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["_started", "data", "manifest-files.json", "manifest-files.md5", "manifest-summary.json",
                          "manifest-summary.md5"])
        for name in ("manifest-files", "manifest-summary"):
            digest = hashlib.md5((folder / f"{name}.json").read_bytes()).digest()
            self.assertEqual((folder / f"{name}.md5").read_text(), base64.b64encode(digest).decode())
        summary = json.loads((folder / "manifest-summary.json").read_text())
        self.assertEqual((summary["exportArn"], summary["itemCount"], summary["outputFormat"]),
                         (export["ExportArn"], ITEMS, "DYNAMODB_JSON"))
        count = 0
        for line in (self.buckets / "mine" / summary["manifestFilesS3Key"]).read_text().splitlines():
            file = json.loads(line)
            count += file["itemCount"]
            with gzip.open(self.buckets / "mine" / file["dataFileS3Key"], "rt") as lines:
                self.assertEqual(len([json.loads(item)["Item"]["id"]["S"] for item in lines]), file["itemCount"])
        self.assertEqual(count, ITEMS)

    def test_a_moment_in_the_past(self):
        with self.server() as server:
            client = client_of(server)
            fill(client, "songs", 10)
            client.update_continuous_backups(TableName="songs",
                                             PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            time.sleep(1.1)
            moment = time.time()
            time.sleep(1.1)
            client.delete_item(TableName="songs", Key={"id": {"S": "1"}, "n": {"N": "1"}})
            export = self.exported(client, "songs", ExportTime=moment)
            self.assertEqual((export["ExportStatus"], export.get("ItemCount")), ("COMPLETED", 10), export)
            self.assertEqual(client.list_tables()["TableNames"], ["songs"])

    def test_csv_and_what_is_wrong_in_it(self):
        (self.buckets / "mine" / "a.csv").write_text("id;n;text\n1;1;\"a;b\"\n2;two;c\n3;3;d\n")
        with self.server() as server:
            client = client_of(server)
            imported = self.imported(client, "rows", S3BucketSource={"S3Bucket": "mine", "S3KeyPrefix": "a"}, InputFormat="CSV",
                                     InputFormatOptions={"Csv": {"Delimiter": ";"}})
            self.assertEqual((imported["ImportStatus"], imported["FailureCode"], imported["ProcessedItemCount"],
                              imported["ImportedItemCount"], imported["ErrorCount"]),
                             ("FAILED", "ItemValidationError", 3, 2, 1), imported)
            self.assertIn("a.csv:3:", imported["FailureMessage"])
            item = client.get_item(TableName="rows", Key={"id": {"S": "1"}, "n": {"N": "1"}})["Item"]
            self.assertEqual(item["text"], {"S": "a;b"})
            self.assertEqual(client.describe_table(TableName="rows")["Table"]["TableStatus"], "ACTIVE")

    def test_an_import_outlives_the_server(self):
        lines = "".join(json.dumps({"Item": {"id": {"S": str(i)}, "n": {"N": "1"}, "t": {"S": "x" * 200}}}) + "\n"
                        for i in range(40000))
        (self.buckets / "mine" / "many.json.gz").write_bytes(gzip.compress(lines.encode(), 1))
        server = self.server()
        server.start()
        client = client_of(server)
        begun = client.import_table(TableCreationParameters={"TableName": "many", **KEYS}, InputFormat="DYNAMODB_JSON",
                                    InputCompressionType="GZIP", ClientToken="once",
                                    S3BucketSource={"S3Bucket": "mine", "S3KeyPrefix": "many"})["ImportTableDescription"]
        self.assertEqual(client.describe_table(TableName="many")["Table"]["TableStatus"], "CREATING")
        for refused, exception in [(lambda: client.scan(TableName="many"), client.exceptions.ResourceNotFoundException),
                                   (lambda: client.delete_table(TableName="many"), client.exceptions.ResourceInUseException)]:
            with self.assertRaises(exception):
                refused()
        server.kill()
        with self.server() as server:
            client = client_of(server)
            again = client.import_table(TableCreationParameters={"TableName": "many", **KEYS}, InputFormat="DYNAMODB_JSON",
                                        ClientToken="once", S3BucketSource={"S3Bucket": "mine"})["ImportTableDescription"]
            self.assertEqual(again["ImportArn"], begun["ImportArn"])
            done = awaited(lambda: client.describe_import(ImportArn=begun["ImportArn"])["ImportTableDescription"], "ImportStatus")
            self.assertEqual((done["ImportStatus"], done["ImportedItemCount"]), ("COMPLETED", 40000), done)
            self.assertEqual(client.describe_table(TableName="many")["Table"]["ItemCount"], 40000)

    def test_without_buckets_it_says_what_to_do(self):
        with harness.Server(harness.PROGRAM, "--in-memory") as server:
            client = client_of(server)
            fill(client, "songs", 1)
            with self.assertRaisesRegex(client.exceptions.ClientError, "start it with --buckets DIR"):
                self.exported(client, "songs")
            self.assertEqual(client.list_exports()["ExportSummaries"], [])

    def test_buckets_are_not_where_the_data_is(self):
        for data, buckets in ((self.folder / "data", self.folder), (self.folder / "data", self.folder / "data" / "buckets")):
            refused = run("serve", "--port", "0", "--data", data, "--buckets", buckets)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("may not be inside one another", refused.stderr)
            self.assertFalse((self.folder / "data").exists())

    def test_keys_that_may_not(self):
        keys = self.folder / "credentials"
        keys.touch(mode=0o600)
        keys.write_text("AKIDADMIN all\nAKIDREADS reads read-only\nAKIDOTHER other tables=other\n")
        with self.server("--credentials", keys) as server:
            def as_key(key, secret):
                return boto3.client("dynamodb", endpoint_url=server.url, config=CONFIG, aws_access_key_id=key,
                                    aws_secret_access_key=secret)
            admin = as_key("AKIDADMIN", "all")
            fill(admin, "songs", 1)
            admin.update_continuous_backups(TableName="songs",
                                            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            export = self.exported(admin, "songs")
            arn = admin.describe_table(TableName="songs")["Table"]["TableArn"]
            source = {"S3BucketSource": {"S3Bucket": "mine"}, "InputFormat": "CSV"}
            for key, secret in (("AKIDREADS", "reads"), ("AKIDOTHER", "other")):
                client = as_key(key, secret)
                with self.assertRaisesRegex(client.exceptions.ClientError, "AccessDenied.*ExportTableToPointInTime"):
                    client.export_table_to_point_in_time(TableArn=arn, S3Bucket="mine")
                with self.assertRaisesRegex(client.exceptions.ClientError, "AccessDenied.*ImportTable"):
                    client.import_table(TableCreationParameters={"TableName": "stolen", **KEYS}, **source)
            with self.assertRaisesRegex(client.exceptions.ClientError, "AccessDenied.*files may contain those of others"):
                client.import_table(TableCreationParameters={"TableName": "other", **KEYS}, **source)
            self.assertEqual(as_key("AKIDREADS", "reads").describe_export(ExportArn=export["ExportArn"])["ExportDescription"],
                             export)
            self.assertEqual(as_key("AKIDOTHER", "other").list_exports()["ExportSummaries"], [])
            with self.assertRaisesRegex(client.exceptions.ClientError, "AccessDenied.*DescribeExport"):
                as_key("AKIDOTHER", "other").describe_export(ExportArn=export["ExportArn"])

    def test_a_busy_server_is_asked_again(self):
        with self.server() as server:
            fill(client_of(server), "songs")
            self.assertEqual(run("dump", "songs", "-o", self.folder / "songs.jsonl", "--endpoint", server.url).returncode, 0)
        busy = ("--fault", "throttle=0.2,unprocessed=0.3", "--fault-seed", "7")
        with harness.Server(harness.PROGRAM, "--in-memory", *busy) as server:
            loaded = run("load", "songs", self.folder / "songs.jsonl", "--create", "--endpoint", server.url)
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
            self.assertIn(f"Loaded {ITEMS} items into songs", loaded.stderr)
            dumped = run("dump", "songs", "--endpoint", server.url)
            self.assertEqual(sorted(dumped.stdout.splitlines()),
                             sorted((self.folder / "songs.jsonl").read_text().splitlines()))

    @unittest.skipIf(shutil.which("aws") is None, "there is no AWS CLI")
    def test_the_aws_cli(self):
        with self.server() as server:
            client = client_of(server)
            fill(client, "songs", 10)
            client.update_continuous_backups(TableName="songs",
                                             PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            arn = client.describe_table(TableName="songs")["Table"]["TableArn"]
            said = subprocess.run(["aws", "dynamodb", "export-table-to-point-in-time", "--endpoint-url", server.url,
                                   "--table-arn", arn, "--s3-bucket", "mine", "--output", "json"],
                                  capture_output=True, text=True, check=False, timeout=120)
            self.assertEqual(said.returncode, 0, said.stderr)
            export = json.loads(said.stdout)["ExportDescription"]["ExportArn"]
            done = awaited(lambda: client.describe_export(ExportArn=export)["ExportDescription"], "ExportStatus")
            self.assertEqual(done["ItemCount"], 10)

    def test_dump_and_load(self):
        with self.server() as server:
            client = client_of(server)
            fill(client, "songs")
            client.update_time_to_live(TableName="songs", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
            for name in ("songs.jsonl", "songs.jsonl.gz", "songs.json.zst"):
                file = self.folder / name
                dumped = run("dump", "songs", "-o", file, "--endpoint", server.url)
                self.assertEqual(dumped.returncode, 0, dumped.stderr)
                self.assertIn(f"Dumped {ITEMS} items of songs", dumped.stderr)
                self.assertEqual(run("dump", "songs", "-o", file, "--endpoint", server.url).returncode, 1)
                copy = name.replace(".", "-")
                loaded = run("load", copy, file, "--create", "--endpoint", server.url)
                self.assertEqual(loaded.returncode, 0, loaded.stderr)
                self.assertEqual(scanned(client, copy), scanned(client, "songs"))
            piped = run("dump", "songs", "--endpoint", server.url)
            self.assertEqual(len(piped.stdout.splitlines()), ITEMS)
        other = self.folder / "other"
        loaded = run("load", "songs", self.folder / "songs.jsonl.gz", "--create", "--data", other)
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        back = run("dump", "songs", "--data", other)
        self.assertEqual(sorted(back.stdout.splitlines()), sorted(piped.stdout.splitlines()))

    def test_load_tells_what_is_wrong(self):
        good = json.dumps({"id": {"S": "1"}, "n": {"N": "1"}})
        file = self.folder / "mixed.jsonl"
        file.write_text(f"{good}\nnonsense\n" + json.dumps({"id": {"S": "2"}}) + "\n")
        definition = self.folder / "definition.json"
        definition.write_text(json.dumps({"TableName": "any", **KEYS}))
        data = self.folder / "other"
        stopped = run("load", "mixed", file, "--create", "--definition", definition, "--data", data)
        self.assertEqual(stopped.returncode, 1)
        self.assertIn("mixed.jsonl:2: the line is not an item", stopped.stderr)
        going = run("load", "mixed", file, "--keep-going", "--data", data)
        self.assertEqual(going.returncode, 1, going.stderr)
        self.assertIn("mixed.jsonl:3: One or more parameter values were invalid: Missing the key n in the item", going.stderr)
        self.assertIn("Loaded 1 item into mixed.\n2 items were invalid and are not in the table.", going.stderr)
        self.assertEqual(json.loads(run("dump", "mixed", "--data", data).stdout), {"Item": json.loads(good)})

    def test_a_load_that_is_killed_goes_on(self):
        count = 30000
        file = self.folder / "many.jsonl"
        file.write_text("".join(json.dumps({"id": {"S": str(i)}, "n": {"N": "1"}, "t": {"S": "x" * 300}}) + "\n"
                                for i in range(count)))
        with self.server() as server:
            client = client_of(server)
            client.create_table(TableName="many", **KEYS)
            words = [harness.PROGRAM, "load", "many", str(file), "--endpoint", server.url]
            with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
                while client.describe_table(TableName="many")["Table"]["ItemCount"] < 500 and process.poll() is None:
                    time.sleep(0.02)
                process.kill()
            loaded = run("load", "many", file, "--endpoint", server.url)
            self.assertEqual(loaded.returncode, 0, loaded.stderr)
            self.assertEqual(client.describe_table(TableName="many")["Table"]["ItemCount"], count)
            self.assertEqual(list(self.folder.glob("*.loading")), [])


if __name__ == "__main__":
    harness.main()

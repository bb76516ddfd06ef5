#!/usr/bin/env python3
"""boto3 and aws-cli 2 with backups and point-in-time recovery, across restarts of the server.

    tests/clients/backups_test.py PATH/TO/tavola [TEST ...]

The clients retry nothing.
"""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import boto3
import botocore.config

import harness

AWS = shutil.which("aws", path="/usr/bin" + os.pathsep + os.environ["PATH"])  # Debian's first: others may be version 1
CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=30)
CREDENTIALS = "AKIDADMIN secretOfAll\nAKIDREADS secretOfReads read-only\nAKIDOTHER secretOfOther tables=other\n"
SECRETS = {line.split()[0]: line.split()[1] for line in CREDENTIALS.splitlines()}


class Backups(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.keys = self.folder / "credentials"
        self.keys.touch(mode=0o600)
        self.keys.write_text(CREDENTIALS)

    def server(self):
        return harness.Server(harness.PROGRAM, "--data", self.folder / "data", "--credentials", self.keys)

    def client(self, server, key="AKIDADMIN"):
        return boto3.client("dynamodb", endpoint_url=server.url, config=CONFIG, aws_access_key_id=key,
                            aws_secret_access_key=SECRETS[key])

    def create_table(self, client, name, items):
        client.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"},
                                  {"AttributeName": "colour", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[{"IndexName": "byColour", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}]}])
        for first in range(0, items, 25):
            batch = [{"PutRequest": {"Item": self.thing(i)}} for i in range(first, min(first + 25, items))]
            client.batch_write_item(RequestItems={name: batch})

    @staticmethod
    def thing(number, colour=None):
        return {"id": {"N": str(number)}, "colour": {"S": colour or f"colour {number % 7}"}, "text": {"S": "x" * 200}}

    @staticmethod
    def scanned(client, **request):
        pages = client.get_paginator("scan").paginate(**request)
        return sorted((item for page in pages for item in page["Items"]), key=lambda item: int(item["id"]["N"]))

    @staticmethod
    def wait(client, table):
        deadline = time.monotonic() + 60
        while client.describe_table(TableName=table)["Table"]["TableStatus"] != "ACTIVE":
            if time.monotonic() > deadline:
                raise AssertionError(f"table {table} is not restored after a minute")
            time.sleep(0.01)

    def test_a_backup_outlives_its_table_and_the_server(self):
        with self.server() as server:
            client = self.client(server)
            self.create_table(client, "things", 3000)
            before = self.scanned(client, TableName="things")
            made = client.create_backup(TableName="things", BackupName="daily")["BackupDetails"]
            self.assertEqual((made["BackupName"], made["BackupType"]), ("daily", "USER"))
            client.delete_table(TableName="things")
        with self.server() as server:
            client = self.client(server)
            described = client.describe_backup(BackupArn=made["BackupArn"])["BackupDescription"]
            self.assertEqual(described["BackupDetails"]["BackupStatus"], "AVAILABLE")
            self.assertEqual(described["SourceTableDetails"]["ItemCount"], 3000)
            self.assertEqual([one["BackupArn"] for one in client.list_backups()["BackupSummaries"]],
                             [made["BackupArn"]])
            begun = client.restore_table_from_backup(TargetTableName="again", BackupArn=made["BackupArn"])
            self.assertEqual(begun["TableDescription"]["TableStatus"], "CREATING")
            self.assertTrue(begun["TableDescription"]["RestoreSummary"]["RestoreInProgress"])
        with self.server() as server:  # whether or not the request was done
            client = self.client(server)
            self.wait(client, "again")
            self.assertEqual(self.scanned(client, TableName="again"), before)
            self.assertEqual(self.scanned(client, TableName="again", IndexName="byColour"), before)
            with self.assertRaises(client.exceptions.TableAlreadyExistsException):
                client.restore_table_from_backup(TargetTableName="again", BackupArn=made["BackupArn"])
            deleted = client.delete_backup(BackupArn=made["BackupArn"])["BackupDescription"]["BackupDetails"]
            self.assertEqual(deleted["BackupStatus"], "DELETED")
            with self.assertRaises(client.exceptions.BackupNotFoundException):
                client.describe_backup(BackupArn=made["BackupArn"])
            self.assertEqual(list((self.folder / "data/backups").iterdir()), [])

    def test_a_table_as_it_was(self):
        with self.server() as server:
            client = self.client(server)
            self.create_table(client, "things", 100)
            off = client.describe_continuous_backups(TableName="things")["ContinuousBackupsDescription"]
            self.assertEqual(off["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "DISABLED")
            with self.assertRaises(client.exceptions.PointInTimeRecoveryUnavailableException):
                client.restore_table_to_point_in_time(SourceTableName="things", TargetTableName="new",
                                                      UseLatestRestorableTime=True)
            on = client.update_continuous_backups(
                TableName="things", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
            recovery = on["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
            self.assertEqual(recovery["PointInTimeRecoveryStatus"], "ENABLED")
            before = self.scanned(client, TableName="things")
            time.sleep(2.1 - time.time() % 1)  # clients send whole seconds: the next but one
            moment = datetime.datetime.fromtimestamp(int(time.time()), datetime.timezone.utc)
            for i in range(0, 100, 2):
                client.put_item(TableName="things", Item=self.thing(i, "other"))
            for i in range(1, 100, 4):
                client.delete_item(TableName="things", Key={"id": {"N": str(i)}})
            after = self.scanned(client, TableName="things")
            with self.assertRaises(client.exceptions.InvalidRestoreTimeException):
                client.restore_table_to_point_in_time(SourceTableName="things", TargetTableName="new",
                                                      RestoreDateTime=moment - datetime.timedelta(hours=1))
            client.restore_table_to_point_in_time(SourceTableName="things", TargetTableName="then",
                                                  RestoreDateTime=moment)
            client.restore_table_to_point_in_time(SourceTableName="things", TargetTableName="now",
                                                  UseLatestRestorableTime=True)
            for table, items in (("then", before), ("now", after)):
                self.wait(client, table)
                self.assertEqual(self.scanned(client, TableName=table), items, table)
                self.assertEqual(self.scanned(client, TableName=table, IndexName="byColour"), items, table)
            client.delete_table(TableName="things")
            left = client.list_backups(TableName="things", BackupType="SYSTEM")["BackupSummaries"]
            self.assertEqual([one["BackupName"] for one in left], ["things$DeletedTableBackup"])
            client.restore_table_from_backup(TargetTableName="things", BackupArn=left[0]["BackupArn"])
            self.wait(client, "things")
            self.assertEqual(self.scanned(client, TableName="things"), after)

    def test_restricted_keys(self):
        with self.server() as server:
            client = self.client(server)
            self.create_table(client, "things", 10)
            self.create_table(client, "other", 10)
            arn = client.create_backup(TableName="things", BackupName="daily")["BackupDetails"]["BackupArn"]
            reads, others = self.client(server, "AKIDREADS"), self.client(server, "AKIDOTHER")
            self.assertEqual(len(reads.list_backups()["BackupSummaries"]), 1)
            reads.describe_backup(BackupArn=arn)
            reads.describe_continuous_backups(TableName="things")
            self.assertEqual(others.list_backups()["BackupSummaries"], [])
            on = {"PointInTimeRecoveryEnabled": True}
            refused = [
                (reads.create_backup, {"TableName": "things", "BackupName": "daily"}),
                (reads.delete_backup, {"BackupArn": arn}),
                (reads.restore_table_from_backup, {"BackupArn": arn, "TargetTableName": "other2"}),
                (reads.update_continuous_backups, {"TableName": "things", "PointInTimeRecoverySpecification": on}),
                (reads.restore_table_to_point_in_time, {"SourceTableName": "things", "TargetTableName": "new",
                                                        "UseLatestRestorableTime": True}),
                (others.create_backup, {"TableName": "things", "BackupName": "daily"}),
                (others.describe_backup, {"BackupArn": arn}),
                (others.delete_backup, {"BackupArn": arn}),
                (others.restore_table_from_backup, {"BackupArn": arn, "TargetTableName": "other"}),
                (others.describe_continuous_backups, {"TableName": "things"}),
                (others.restore_table_to_point_in_time, {"SourceTableName": "things", "TargetTableName": "other",
                                                         "UseLatestRestorableTime": True}),
                (others.restore_table_to_point_in_time, {"SourceTableName": "other", "TargetTableName": "things2",
                                                         "UseLatestRestorableTime": True})]
            for operation, request in refused:
                with self.subTest(operation=operation.__name__, **request):
                    with self.assertRaises(botocore.exceptions.ClientError) as told:
                        operation(**request)
                    self.assertEqual(told.exception.response["Error"]["Code"], "AccessDeniedException")

    @unittest.skipUnless(AWS, "needs aws-cli")
    def test_the_aws_cli(self):
        with self.server() as server:
            self.create_table(self.client(server), "things", 10)
            environment = {**os.environ, "AWS_ACCESS_KEY_ID": "AKIDADMIN",
                           "AWS_SECRET_ACCESS_KEY": SECRETS["AKIDADMIN"]}

            def aws(*words):
                done = subprocess.run([AWS, "--endpoint-url", server.url, "dynamodb", *words], env=environment,
                                      check=False, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                return json.loads(done.stdout) if done.stdout.strip() else None

            arn = aws("create-backup", "--table-name", "things", "--backup-name", "daily")["BackupDetails"]["BackupArn"]
            self.assertEqual(aws("list-backups", "--table-name", "things")["BackupSummaries"][0]["BackupArn"], arn)
            self.assertEqual(aws("describe-backup", "--backup-arn", arn)["BackupDescription"]["BackupDetails"]
                             ["BackupStatus"], "AVAILABLE")
            aws("restore-table-from-backup", "--target-table-name", "restored", "--backup-arn", arn)
            aws("wait", "table-exists", "--table-name", "restored")
            aws("delete-backup", "--backup-arn", arn)
            aws("update-continuous-backups", "--table-name", "things", "--point-in-time-recovery-specification",
                "PointInTimeRecoveryEnabled=true")
            self.assertEqual(aws("describe-continuous-backups", "--table-name", "things")
                             ["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
                             ["PointInTimeRecoveryStatus"], "ENABLED")
            aws("restore-table-to-point-in-time", "--source-table-name", "things", "--target-table-name", "then",
                "--use-latest-restorable-time")
            aws("wait", "table-exists", "--table-name", "then")
            for table in ("restored", "then"):
                self.assertEqual(aws("scan", "--table-name", table, "--select", "COUNT")["Count"], 10)


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""boto3 against a server with access control: keys and their permissions, clocks, TLS, presigned URLs, a Unix socket.

    tests/clients/boto3_access_test.py PATH/TO/tavola [TEST ...]
"""
import contextlib
import datetime
import gzip
import hashlib
import http.client
import json
import pathlib
import socket
import subprocess
import tempfile
import unittest
import unittest.mock
import urllib.parse
import urllib.request
import zlib

import boto3
import botocore
import botocore.auth
import botocore.awsrequest
import botocore.config
import botocore.credentials
import botocore.exceptions

import harness

SECRETS = {"AKIDADMIN": "8fK1vYxQm2+admin/secret", "AKIDREPORTS": "x72bLw0pTc", "AKIDORDERS": "Qs0eRn5kVd"}
CREDENTIALS = f"""# access keys of this test
AKIDADMIN    {SECRETS["AKIDADMIN"]}
AKIDREPORTS  {SECRETS["AKIDREPORTS"]}   read-only
AKIDORDERS   {SECRETS["AKIDORDERS"]}    tables=orders,archive-*
"""
FOLDER = None
SERVER = None      # HTTP and a Unix socket, with keys
TLS_SERVER = None  # HTTPS, any key
TABLES = ("orders", "archive-2025", "people")
TARGET = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables"}


def setUpModule():
    global FOLDER, SERVER, TLS_SERVER
    print(f"boto3 {boto3.__version__}, botocore {botocore.__version__}", flush=True)
    FOLDER = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    keys = FOLDER / "credentials"
    keys.touch(mode=0o600)
    keys.write_text(CREDENTIALS)
    make_certificate()
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory", "--credentials", keys,
                                                        "--unix-socket", FOLDER / "socket"))
    TLS_SERVER = unittest.enterModuleContext(harness.Server(
        harness.PROGRAM, "--in-memory", "--tls-cert", FOLDER / "certificate.pem", "--tls-key", FOLDER / "key.pem"))
    for name in TABLES:
        client("AKIDADMIN").create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                                         AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                                         KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        client("AKIDADMIN").put_item(TableName=name, Item={"id": {"S": "1"}})


def make_certificate():
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-subj", "/CN=tavola", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                    "-keyout", FOLDER / "key.pem", "-out", FOLDER / "certificate.pem"], check=True, capture_output=True)


def client(access_key=harness.ACCESS_KEY, secret=None, server=None, **settings):
    config = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, **settings.pop("config", {}))
    return boto3.client("dynamodb", endpoint_url=(server or SERVER).url, config=config, aws_access_key_id=access_key,
                        aws_secret_access_key=secret or SECRETS.get(access_key, harness.SECRET_KEY), **settings)


class AccessTest(unittest.TestCase):
    def assert_refused(self, code, message, call, **arguments):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(**arguments)
        error = caught.exception.response
        self.assertEqual(error["Error"]["Code"], code)
        self.assertIn(message, error["Error"]["Message"])
        self.assertEqual(error["ResponseMetadata"]["HTTPStatusCode"], 400)


class Keys(AccessTest):
    def test_the_right_key_may_do_everything(self):
        admin = client("AKIDADMIN")
        admin.put_item(TableName="people", Item={"id": {"S": "città / 100% + à"}})
        self.assertEqual(admin.list_tables()["TableNames"], sorted(TABLES))
        self.assertIn("Item", admin.get_item(TableName="people", Key={"id": {"S": "città / 100% + à"}}))

    def test_a_key_for_some_tables_lists_those(self):
        orders = client("AKIDORDERS")
        self.assertEqual(orders.list_tables()["TableNames"], ["archive-2025", "orders"])
        pages = orders.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1})
        self.assertEqual([name for page in pages for name in page["TableNames"]], ["archive-2025", "orders"])

    def test_a_key_for_many_tables_lists_a_hundred(self):
        keys = FOLDER / "credentials"
        with harness.Server(harness.PROGRAM, "--in-memory", "--credentials", keys) as server:
            for i in range(102):
                client("AKIDADMIN", server=server).create_table(
                    TableName=f"archive-{i:03}", BillingMode="PAY_PER_REQUEST",
                    AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
            listed = client("AKIDORDERS", server=server).list_tables()
        self.assertEqual((len(listed["TableNames"]), listed["LastEvaluatedTableName"]), (100, "archive-099"))

    def test_refusals_are_counted_and_logged(self):
        self.assert_refused("InvalidSignatureException", "", client("AKIDADMIN", "wrong").list_tables)
        with urllib.request.urlopen(SERVER.url + "/metrics", timeout=30) as response:
            self.assertRegex(response.read().decode(), r"(?m)^tavola_access_refused_total [1-9]")
        self.assertIn("access refused", SERVER.log_text())

    def test_a_key_of_any_region(self):
        self.assertEqual(client("AKIDADMIN", region_name="ap-southeast-2").list_tables()["TableNames"], sorted(TABLES))

    def test_a_wrong_secret(self):
        self.assert_refused("InvalidSignatureException", "does not match the signature you provided",
                            client("AKIDADMIN", "wrong").list_tables)

    def test_an_unknown_key(self):
        self.assert_refused("UnrecognizedClientException", "security token included in the request is invalid",
                            client("AKIDNOBODY", "wrong").list_tables)

    def test_no_signature(self):
        anonymous = client(config={"signature_version": botocore.UNSIGNED})
        self.assert_refused("MissingAuthenticationTokenException", "", anonymous.list_tables)

    def test_a_read_only_key(self):
        reports = client("AKIDREPORTS")
        item = {"id": {"S": "1"}}
        for table in TABLES:
            self.assertEqual(reports.scan(TableName=table, Limit=1)["Count"], 1)
            self.assertIn("Item", reports.get_item(TableName=table, Key=item))
        arn = reports.describe_table(TableName="people")["Table"]["TableArn"]
        refused = "is not authorized to perform: dynamodb:"
        for operation, call, arguments in [
                ("PutItem", reports.put_item, {"Item": {"id": {"S": "2"}}}),
                ("UpdateItem", reports.update_item, {"Key": item}),
                ("DeleteItem", reports.delete_item, {"Key": item}),
                ("DeleteTable", reports.delete_table, {}),
                ("UpdateTimeToLive", reports.update_time_to_live,
                 {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}})]:
            with self.subTest(operation):
                self.assert_refused("AccessDeniedException", refused + operation, call, TableName="people", **arguments)
        self.assert_refused("AccessDeniedException", refused + "TagResource", reports.tag_resource, ResourceArn=arn,
                            Tags=[{"Key": "a", "Value": "b"}])
        self.assert_refused("AccessDeniedException", refused + "BatchWriteItem", reports.batch_write_item,
                            RequestItems={"people": [{"DeleteRequest": {"Key": item}}]})
        self.assert_refused("AccessDeniedException", refused, reports.transact_write_items,
                            TransactItems=[{"Delete": {"TableName": "people", "Key": item}}])
        self.assertEqual(client("AKIDADMIN").scan(TableName="orders", Select="COUNT")["Count"], 1)

    def test_a_key_for_some_tables(self):
        orders = client("AKIDORDERS")
        item = {"id": {"S": "1"}}
        for table in ("orders", "archive-2025"):
            orders.put_item(TableName=table, Item=item)
            self.assertEqual(orders.scan(TableName=table)["Count"], 1)
        people = client("AKIDADMIN").describe_table(TableName="people")["Table"]["TableArn"]
        refused = "is not authorized to perform: dynamodb:"
        for name in ("people", people):
            self.assert_refused("AccessDeniedException", refused + "GetItem", orders.get_item, TableName=name, Key=item)
            self.assert_refused("AccessDeniedException", refused + "Scan", orders.scan, TableName=name)
        self.assert_refused("AccessDeniedException", refused + "BatchGetItem", orders.batch_get_item,
                            RequestItems={"orders": {"Keys": [item]}, "people": {"Keys": [item]}})
        self.assert_refused("AccessDeniedException", refused, orders.transact_get_items, TransactItems=[
            {"Get": {"TableName": name, "Key": item}} for name in ("orders", "people")])
        self.assert_refused("AccessDeniedException", refused + "CreateTable", orders.create_table,
                            TableName="order", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])


class Clocks(AccessTest):
    """botocore signs with a clock that is wrong."""

    def test_some_minutes_do_not_matter(self):
        for minutes in (-14, 14):
            with self.subTest(minutes), clock_off_by(minutes):
                client("AKIDADMIN").list_tables()

    def test_a_quarter_of_an_hour_does(self):
        with clock_off_by(-16):
            self.assert_refused("InvalidSignatureException", "Signature expired: ", client("AKIDADMIN").list_tables)
        with clock_off_by(16):
            self.assert_refused("InvalidSignatureException", "Signature not yet current: ",
                                client("AKIDADMIN").list_tables)


@contextlib.contextmanager
def clock_off_by(minutes):
    """botocore's signer calls datetime.datetime.utcnow(), and in newer versions get_current_datetime()."""
    offset = datetime.timedelta(minutes=minutes)

    class WrongClock(datetime.datetime):
        @classmethod
        def utcnow(cls):
            return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) + offset

    with contextlib.ExitStack() as patches:
        if hasattr(botocore.auth, "get_current_datetime"):
            right = botocore.auth.get_current_datetime
            patches.enter_context(unittest.mock.patch.object(
                botocore.auth, "get_current_datetime", lambda *arguments, **named: right(*arguments, **named) + offset))
        else:
            patches.enter_context(unittest.mock.patch.object(botocore.auth.datetime, "datetime", WrongClock))
        yield


class SignedUrls(AccessTest):
    """The signature in the query, as in presigned URLs."""

    def post(self, url, headers, body):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("POST", f"{parts.path}?{parts.query}", body, headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def presign(self, secret, body):
        # botocore moves the body of a presigned request into the query; with the body's hash given, it does not.
        headers = {**TARGET, "X-Amz-Content-SHA256": hashlib.sha256(body.encode()).hexdigest()}
        request = botocore.awsrequest.AWSRequest("POST", SERVER.url + "/", headers=headers)
        key = botocore.credentials.Credentials("AKIDADMIN", secret)
        botocore.auth.SigV4QueryAuth(key, "dynamodb", harness.REGION, expires=60).add_auth(request)
        return request.url, headers

    def test_right_and_wrong(self):
        url, headers = self.presign(SECRETS["AKIDADMIN"], "{}")
        self.assertEqual(self.post(url, headers, "{}"), (200, {"TableNames": sorted(TABLES)}))
        status, answer = self.post(url, headers, '{"Limit": 1}')  # not what was signed
        self.assertEqual((status, answer["__type"].split("#")[1]), (400, "InvalidSignatureException"))
        url, headers = self.presign("wrong", "{}")
        status, answer = self.post(url, headers, "{}")
        self.assertEqual((status, answer["__type"].split("#")[1]), (400, "InvalidSignatureException"))


class Tls(AccessTest):
    def test_who_trusts_the_certificate_is_served(self):
        self.assertTrue(TLS_SERVER.url.startswith("https://"), TLS_SERVER.url)
        trusting = client(server=TLS_SERVER, verify=str(FOLDER / "certificate.pem"))
        trusting.create_table(TableName="secure", BillingMode="PAY_PER_REQUEST",
                              AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                              KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
        trusting.put_item(TableName="secure", Item={"id": {"S": "1"}, "text": {"S": "x" * 100_000}})
        self.assertEqual(len(trusting.scan(TableName="secure")["Items"][0]["text"]["S"]), 100_000)
        trusting.delete_table(TableName="secure")

    def test_who_does_not_is_not(self):
        with self.assertRaises(botocore.exceptions.SSLError):
            client(server=TLS_SERVER).list_tables()

    # A key that is stolen later must not decrypt earlier traffic. An RSA key could be used either way.
    def test_only_suites_with_forward_secrecy(self):
        key, certificate = FOLDER / "rsa.pem", FOLDER / "rsa-certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        with harness.Server(harness.PROGRAM, "--in-memory", "--tls-cert", certificate, "--tls-key", key) as server:
            address = urllib.parse.urlsplit(server.url).netloc
            for options, is_taken in (("-tls1_2 -cipher AES128-GCM-SHA256", False),
                                      ("-tls1_2 -cipher AES256-SHA256", False),
                                      ("-tls1_2 -cipher ECDHE-RSA-AES128-SHA256", False),
                                      ("-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", True),
                                      ("-tls1_2 -cipher ECDHE-RSA-CHACHA20-POLY1305", True),
                                      ("-tls1_2", True), ("-tls1_3", True)):
                with self.subTest(options):
                    done = subprocess.run(["openssl", "s_client", "-connect", address, *options.split()], input="",
                                          capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(done.returncode == 0, is_taken, done.stderr)

    def test_plain_http_is_not_answered(self):
        address = urllib.parse.urlsplit(TLS_SERVER.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        self.addCleanup(connection.close)
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            connection.request("GET", "/")
            connection.getresponse()


class Ipv6(AccessTest):
    def test_an_address_in_brackets(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError as problem:
            self.skipTest(f"this machine has no ::1: {problem}")
        keys = FOLDER / "credentials"
        with harness.Server(harness.PROGRAM, "--in-memory", "--host", "::1", "--credentials", keys) as server:
            self.assertRegex(server.url, r"^http://\[::1\]:\d+$")
            self.assertEqual(client("AKIDADMIN", server=server).list_tables()["TableNames"], [])


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(FOLDER / "socket"))


class UnixSocket(AccessTest):
    def setUp(self):
        self.connection = UnixConnection("localhost")
        self.addCleanup(self.connection.close)

    def call(self, operation, body, **headers):
        """Sends an operation, signed by botocore; returns its response and the bytes of its body."""
        request = botocore.awsrequest.AWSRequest("POST", "http://localhost/", data=json.dumps(body).encode(), headers={
            **TARGET, "X-Amz-Target": "DynamoDB_20120810." + operation, **headers})
        key = botocore.credentials.Credentials("AKIDADMIN", SECRETS["AKIDADMIN"])
        botocore.auth.SigV4Auth(key, "dynamodb", harness.REGION).add_auth(request)
        self.connection.request("POST", "/", request.data, dict(request.headers))
        response = self.connection.getresponse()
        return response, response.read()

    def test_operations(self):
        self.connection.request("GET", "/health")
        self.assertIn(b"healthy", self.connection.getresponse().read())
        item = {"id": {"S": "long"}, "text": {"S": "x" * 10_000}}
        response, answer = self.call("PutItem", {"TableName": "people", "Item": item})
        self.assertEqual(response.status, 200, answer)
        response, compressed = self.call("GetItem", {"TableName": "people", "Key": {"id": {"S": "long"}}},
                                         **{"Accept-Encoding": "gzip"})
        self.assertEqual(response.headers["Content-Encoding"], "gzip")
        self.assertEqual(response.headers["x-amz-crc32"], str(zlib.crc32(compressed)))
        self.assertEqual(json.loads(gzip.decompress(compressed))["Item"], item)

    def test_it_is_no_way_around_signatures(self):
        self.connection.request("POST", "/", "{}", TARGET)
        response = self.connection.getresponse()
        self.assertEqual(response.status, 400)
        self.assertIn(b"MissingAuthenticationTokenException", response.read())


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""A server in front of another one (`tavola serve --upstream`) that has no design: every request passes, and the front checks keys.

    tests/upstream/forwarding_test.py PROGRAM [TEST ...]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent / "clients"))

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import botocore.exceptions  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
CONFORMANCE = HERE.parent / "conformance/run"
KEYS = """AKIDADMIN    secret-of-admin
AKIDREPORTS  secret-of-reports   read-only
"""


DESIGN = """design: 1
name: shop
table: { name: shop, hash: PK, range: SK, ttl: expires }
entities:
  Order:
    key: { PK: ORDER#<order>, SK: META }
    ids: { order: string }
    attributes:
      note: string
      # more of Order
  Line:
    key: { PK: ORDER#<order>, SK: LINE#<line> }
    ids: { order: string, line: string }
    attributes: { expires: timestamp(epoch_s), of: { type: string, ref: Order, value: "<order>" } }
patterns:
  linesOf: { query: Line, via: table, hash: ORDER#<order>, range: begins_with LINE# }
"""
DESIGNS_REFUSED = {
    "number: { type: string, unique: true }\n      expires: { type: timestamp(epoch_s) }": "Order expires by expires",
    "size: integer\n    on_delete: { Line: { restrict: linesOf } }": "on_delete of Order restricts",
}


def client(url, key="x", secret="x"):
    return boto3.client("dynamodb", endpoint_url=url, region_name="local", aws_access_key_id=key,
                        aws_secret_access_key=secret,
                        config=botocore.config.Config(retries={"total_max_attempts": 1}))


def create(dynamodb, name):
    dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                          KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                          AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])


def send(url, operation, body):
    """Sends an operation as it is, signed in form only; returns the status and the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=x/20260101/local/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=0"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, json.load(refused)


class Conformance(unittest.TestCase):
    def passes(self, *options, topics=()):
        with tempfile.TemporaryDirectory() as folder, \
                Server(PROGRAM, "--in-memory", "--cors", "--buckets", f"{folder}/buckets") as upstream, \
                Server(PROGRAM, "--upstream", upstream.url, "--cors", *options) as front:
            command = [sys.executable, "-B", CONFORMANCE, "--strict", "--endpoint", front.url,
                       *(HERE.parent / "conformance" / topic for topic in topics)]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            failures = [line[:300] for line in done.stdout.splitlines() if not line.startswith("ok ")]
            self.assertEqual(done.returncode, 0, "\n".join(failures[:200]) + done.stderr[-2000:])

    def test_the_answers_of_forwarded_requests_are_those_of_the_upstream_server(self):
        self.passes()

    def test_so_are_those_of_requests_that_the_front_reads(self):
        # The fault has the front look at every request. Messages about names and ARNs of tables may differ.
        self.passes("--fault", "throttle@no-such-table-anywhere=1",
                    topics=["batch", "capacity", "expressions", "indexes", "items", "legacy", "partiql", "reading",
                            "transactions", "values"])


class Access(unittest.TestCase):
    def test_the_front_checks_keys_and_signs_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text(KEYS)
            keys.chmod(0o600)
            theirs = pathlib.Path(folder) / "upstream-keys"
            theirs.write_text("AKIDFRONT secret-of-front\n")
            theirs.chmod(0o600)
            front_key = {"AWS_ACCESS_KEY_ID": "AKIDFRONT", "AWS_SECRET_ACCESS_KEY": "secret-of-front", "PATH": "/usr/bin"}
            with Server(PROGRAM, "--in-memory", "--credentials", theirs) as upstream, \
                    Server(PROGRAM, "--upstream", upstream.url, "--credentials", keys, environment=front_key) as front:
                admin = client(front.url, "AKIDADMIN", "secret-of-admin")
                create(admin, "seen")
                admin.put_item(TableName="seen", Item={"pk": {"S": "a"}})
                reports = client(front.url, "AKIDREPORTS", "secret-of-reports")
                self.assertEqual(reports.get_item(TableName="seen", Key={"pk": {"S": "a"}})["Item"], {"pk": {"S": "a"}})
                with self.assertRaises(botocore.exceptions.ClientError) as refused:
                    reports.put_item(TableName="seen", Item={"pk": {"S": "b"}})
                self.assertEqual(refused.exception.response["Error"]["Code"], "AccessDeniedException")
                with self.assertRaises(botocore.exceptions.ClientError) as refused:
                    reports.describe_kinesis_streaming_destination(TableName="seen")
                self.assertEqual(refused.exception.response["Error"]["Code"], "AccessDeniedException")
                with self.assertRaises(botocore.exceptions.ClientError) as refused:
                    client(front.url, "AKIDFRONT", "secret-of-front").list_tables()
                self.assertEqual(refused.exception.response["Error"]["Code"], "UnrecognizedClientException")

    def test_operations_that_only_the_upstream_server_may_know_pass(self):
        with Server(PROGRAM, "--in-memory") as upstream, Server(PROGRAM, "--upstream", upstream.url) as front:
            body = {"TableName": "any"}
            for operation in ("DescribeKinesisStreamingDestination", "NoSuchOperation"):
                self.assertEqual(send(front.url, operation, body), send(upstream.url, operation, body))
            endpoint = client(front.url).describe_endpoints()["Endpoints"][0]["Address"]
            self.assertIn(endpoint, front.url)  # clients with endpoint discovery stay with the front

    def test_the_front_has_pages_of_its_own(self):
        with Server(PROGRAM, "--in-memory") as upstream, Server(PROGRAM, "--upstream", upstream.url) as front:
            create(client(front.url), "any")
            with urllib.request.urlopen(front.url + "/health") as health:
                self.assertEqual(json.load(health)["status"], "healthy")
            with urllib.request.urlopen(front.url + "/metrics") as metrics:
                self.assertIn('tavola_request_seconds_count{operation="CreateTable"} 1', metrics.read().decode())
            self.assertEqual(client(upstream.url).list_tables()["TableNames"], ["any"])


class Refusals(unittest.TestCase):
    def refusal(self, *options):
        done = subprocess.run([PROGRAM, "serve", "--port", "0", "--quiet", *options], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_options_that_need_data_of_the_servers_own_are_refused(self):
        for options in (["--in-memory"], ["--data", "elsewhere"], ["--buckets", "folder"], ["--enforce-throughput"],
                        ["--durability", "relaxed"], ["--fault", "gsi-lag=100ms"]):
            said = self.refusal("--upstream", "http://127.0.0.1:1", *options)
            self.assertIn(f"{options[0]}", said)
            self.assertIn("--upstream contradict each other", said)

    def test_a_design_that_cannot_be_kept_there_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, Server(PROGRAM, "--in-memory") as upstream:
            design = pathlib.Path(folder) / "shop.yaml"
            for rule, words in DESIGNS_REFUSED.items():
                design.write_text(DESIGN.replace("# more of Order", rule))
                said = self.refusal("--upstream", upstream.url, "--design", design)
                self.assertIn("a server with --upstream cannot keep this design: " + words, said)
            self.assertIn("--enforce is for", self.refusal("--in-memory", "--enforce", "warn"))
            design.write_text(DESIGN)
            with Server(PROGRAM, "--upstream", upstream.url, "--design", design):
                design.write_text(DESIGN.replace("name: shop", "name: other", 1))
                self.assertIn("is governed by another design", self.refusal("--upstream", upstream.url, "--design", design))

    def test_an_upstream_server_that_cannot_be_used_is_refused(self):
        self.assertIn("must be a URL", self.refusal("--upstream", "nowhere"))
        self.assertIn("cannot be reached", self.refusal("--upstream", "http://127.0.0.1:1"))
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text(KEYS)
            keys.chmod(0o600)
            with Server(PROGRAM, "--in-memory", "--credentials", keys) as upstream:
                self.assertIn("refuses the credentials", self.refusal("--upstream", upstream.url))


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

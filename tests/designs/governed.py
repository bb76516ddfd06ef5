"""The common parts of the tests of governed tables: a server with designs, boto3 without knowledge of them, /v1 and
drift.

A test names the requirements that it shows in its docstring:

    def test_one_worker_claims_a_file(self):
        \"\"\"Covers TA4.\"\"\"
"""
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import boto3
import botocore.config
import botocore.exceptions

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients"), str(ROOT / "tests/designs"), str(ROOT / "tests/upstream/dynoxide")]

import harness  # noqa: E402
from access import SECRETS, Access  # noqa: E402
from cases import to_json  # noqa: E402
from run_cases import Clock, create_request  # noqa: E402
from server import Server  # noqa: E402

ClientError = botocore.exceptions.ClientError
KEY = "AKIDTEST"  # roles do not limit it
NOW = "2026-01-15T10:00:00Z"
NEWS = ("pattern-unused", "request-unexplained")  # findings of drift that are no differences
COVERS = re.compile(r"\bCovers ([A-Z0-9, ]+)\.")


def design_file(name):
    return ROOT / (f"{name}.yaml" if "/" in name else f"designs/{name}.yaml")


# The tests of governed tables run on a server with data of its own; or, with --front, on one in front of another server, which has the
# tables and knows no design: Tavola's or, with --dynoxide, one by others.
HAS_FRONT = "--front" in sys.argv
HAS_DYNOXIDE = "--dynoxide" in sys.argv


def upstream():
    if not HAS_DYNOXIDE:
        return Server(harness.PROGRAM, "--in-memory")
    import dynoxide  # needs npm
    return dynoxide.Dynoxide()


class Served:
    """A server with designs, and its clients. Its time stands still unless the data is kept."""

    def __init__(self, designs, *options, data=None):
        self.folder = tempfile.TemporaryDirectory()
        self.upstream = upstream() if HAS_FRONT else None
        self.access = Access(harness.PROGRAM, self.folder.name)
        self.clock = Clock(self.folder.name)
        self.clock.set(NOW)
        said = [word for name in designs for word in ("--design", design_file(name))]
        where = ["--data", data] if data else ["--in-memory", "--clock", self.clock.file]
        if self.upstream:
            self.upstream.start()
            where = ["--upstream", self.upstream.url, "--clock", self.clock.file]
        access = self.access.options() if designs else ["--credentials", self.access.keys]  # tokens need a design
        self.server = Server(harness.PROGRAM, *where, *said, *options, *access, environment=environment())

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, kind, problem, trace):
        try:
            self.server.__exit__(kind, problem, trace)
            if self.upstream:
                self.upstream.__exit__(kind, problem, trace)
        finally:
            self.folder.cleanup()

    def resource(self, connections=10, key=KEY):
        """Returns boto3, which sends each request once, and does not know designs."""
        config = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60,
                                        max_pool_connections=connections)
        return boto3.resource("dynamodb", endpoint_url=self.server.url, config=config, region_name="local",
                              aws_access_key_id=key, aws_secret_access_key=SECRETS[key])

    def perform(self, path, parameters):
        """Calls an operation of a design under /v1; returns the status and the JSON."""
        return self.send("POST", path, to_json(parameters).encode())

    def send(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=60)
        try:
            headers = self.access.signed(method, f"{self.server.url}/v1/{path}", body, KEY)
            connection.request(method, f"/v1/{path}", body=body, headers=headers)
            response = connection.getresponse()
            text = response.read()
            return response.status, json.loads(text) if text else None
        finally:
            connection.close()

    def drift(self, name):
        return drift(name, "--endpoint", self.server.url)

    def repair(self, name):
        subprocess.run([harness.PROGRAM, "design", "drift", design_file(name), "--endpoint", self.server.url, "--repair"],
                       capture_output=True, check=True, env=environment())

    def enforce(self, name, how=None):
        """Sets the enforcement of the design's table. Returns the output of `tavola design status`."""
        return subprocess.run([harness.PROGRAM, "design", "status", design_file(name), "--endpoint", self.server.url,
                               *(("--enforce", how) if how else ())],
                              text=True, capture_output=True, check=True, env=environment()).stdout


def drift(name, *where):
    """Returns the findings of `tavola design drift` for a design's table, a line for each: "rule about: sample"."""
    done = subprocess.run([harness.PROGRAM, "design", "drift", design_file(name), *map(str, where), "--format", "json"],
                          text=True, capture_output=True, check=False, env=environment())
    if done.returncode not in (0, 1):
        raise AssertionError(f"drift of {name} ended with {done.returncode}: {done.stderr}")
    found = [finding for finding in json.loads(done.stdout)["findings"] if finding["rule"] not in NEWS]
    if bool(found) != bool(done.returncode):
        raise AssertionError(f"drift of {name} ended with {done.returncode}, and found {found}")
    return [f'{finding["rule"]} {finding["about"]}: {sample.get("key", "")} {sample["text"]}'
            for finding in found for sample in finding["samples"]]


def environment():
    """Returns an environment that names no table, with the keys of the tests."""
    return {name: value for name, value in os.environ.items() if name != "DYNAMODB_TABLE_NAME"} | {
        "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRETS[KEY], "AWS_REGION": "local"}


def tavola(*words, **more):
    """Runs the program as the key of the tests; `more` are options of subprocess.run."""
    return subprocess.run([harness.PROGRAM, *map(str, words)], text=True, capture_output=True, check=False,
                          env=environment() | more.pop("env", {}), **more)


class GovernedTest(unittest.TestCase):
    """Tests of one design's table, which boto3 creates again for each."""
    design = None
    options = ()
    keys = ("PK", "SK")

    @classmethod
    def setUpClass(cls):
        cls.served = cls.enterClassContext(Served([cls.design], *cls.options))
        cls.resource = cls.served.resource(connections=64)
        cls.client = cls.resource.meta.client
        cls.name = cls.client.list_tables()["TableNames"][0]
        cls.table = cls.resource.Table(cls.name)
        cls.definition = create_request(cls.client.describe_table(TableName=cls.name)["Table"])

    def setUp(self):
        self.client.delete_table(TableName=self.name)
        self.client.create_table(**self.definition)

    def tearDown(self):
        self.assertEqual(self.served.drift(self.design), [])

    # ---- As plain programs ----

    def key(self, hash_key, range_key):
        return dict(zip(self.keys, (hash_key, range_key)))

    def get(self, hash_key, range_key):
        """Returns the item; None if missing."""
        return self.table.get_item(Key=self.key(hash_key, range_key), ConsistentRead=True).get("Item")

    def put(self, hash_key, range_key, **attributes):
        return self.table.put_item(Item=self.key(hash_key, range_key) | attributes)

    def delete(self, hash_key, range_key):
        return self.table.delete_item(Key=self.key(hash_key, range_key))

    def update(self, at, expression, condition=None, **values):
        """Sends an UpdateItem of the item `at`, in which :name stands for the value of that name, and #name for
        itself."""
        return self.table.update_item(**self.update_request(at, expression, condition, **values))

    def update_request(self, at, expression, condition=None, **values):
        request = {"Key": self.key(*at), "UpdateExpression": expression}
        if condition:
            request["ConditionExpression"] = condition
        if values:
            request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
        names = set(re.findall(r"#(\w+)", expression + (condition or "")))
        if names:
            request["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
        return request

    def transact(self, *actions):
        """Sends a transaction. Each action is (kind, its members)."""
        return self.client.transact_write_items(
            TransactItems=[{kind: {"TableName": self.name} | action} for kind, action in actions])

    def scan(self):
        return self.table.scan(ConsistentRead=True)["Items"]

    def query(self, index, **keys):
        condition = " AND ".join(f"#{name} = :{name}" for name in keys)
        return self.table.query(KeyConditionExpression=condition, **({"IndexName": index} if index else {}),
                                ExpressionAttributeNames={f"#{name}": name for name in keys},
                                ExpressionAttributeValues={f":{name}": value for name, value in keys.items()})["Items"]

    # ---- By name ----

    def perform(self, operation, **parameters):
        status, body = self.served.perform(f"{self.design}/{operation}", parameters)
        self.assertIn(status, (200, 204), body)
        return body

    def refusal(self, operation, status=409, **parameters):
        got, body = self.served.perform(f"{self.design}/{operation}", parameters)
        self.assertEqual(got, status, body)
        return body["refusal"]

    # ---- Assertions ----

    def assert_item(self, at, **attributes):
        """The item has these attributes, and lacks those that are None."""
        item = self.get(*at)
        self.assertIsNotNone(item, f"there is no {at}")
        self.assertEqual({name: item.get(name) for name in attributes}, attributes)

    def assert_refused(self, code, words, call, *arguments, **parameters):
        """Returns the whole response."""
        with self.assertRaises(ClientError) as caught:
            call(*arguments, **parameters)
        answer = caught.exception.response
        self.assertEqual(answer["Error"]["Code"], code, answer["Error"])
        reasons = [f'{reason["Code"]} {reason.get("Message", "")}' for reason in answer.get("CancellationReasons", [])]
        self.assertIn(words, " ".join([answer["Error"]["Message"], *reasons]))
        return answer

    def assert_invalid(self, words, call, *arguments, **parameters):
        return self.assert_refused("ValidationException", words, call, *arguments, **parameters)

    def assert_cancelled(self, words, *actions):
        return self.assert_refused("TransactionCanceledException", words, self.transact, *actions)

    def assert_condition_failed(self, words, call, *arguments, **parameters):
        return self.assert_refused("ConditionalCheckFailedException", words, call, *arguments, **parameters)


# ---- Coverage ----

class Shown(unittest.TextTestResult):
    """Records the passed tests and their requirements, as run_cases.py does for cases."""
    results = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note(test, False)

    def addError(self, test, err):
        super().addError(test, err)
        self._note(test, False)

    def _note(self, test, passed):
        found = COVERS.search(getattr(test, "_testMethodDoc", None) or "")
        Shown.results.append({"case": f"governed: {test.id().removeprefix('__main__.')}",
                              "covers": found[1].replace(",", " ").split() if found else [], "passed": passed})


def main():
    """SCRIPT PROGRAM [--front [--dynoxide]] [--results FILE] [TEST ...]"""
    results = None
    if HAS_FRONT:
        sys.argv.remove("--front")
    if HAS_DYNOXIDE:
        sys.argv.remove("--dynoxide")
        import dynoxide
        dynoxide.install_once()
    if "--results" in sys.argv:
        at = sys.argv.index("--results")
        results = pathlib.Path(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.TextTestRunner.resultclass = Shown
    try:
        harness.main()
    finally:
        if results:
            results.parent.mkdir(parents=True, exist_ok=True)
            results.write_text(json.dumps(Shown.results, indent=1))

"""What the tests of the packages share: a server that is started by a command, and used as an application would."""
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import product  # noqa: E402

KEYS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "local", "AWS_DEFAULT_REGION": "local"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def ask(endpoint, operation, **request):
    """Sends an operation of DynamoDB, without any SDK."""
    headers = {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
               "X-Amz-Date": "20260101T000000Z",
               "Authorization": "AWS4-HMAC-SHA256 Credential=x/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0"}
    call = urllib.request.Request(endpoint, json.dumps(request).encode(), headers)
    with urllib.request.urlopen(call, timeout=30) as answer:
        return json.loads(answer.read())


def use(endpoint):
    """Creates a table, writes an item and reads it."""
    ask(endpoint, "CreateTable", TableName="Music", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "Artist", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "Artist", "KeyType": "HASH"}])
    item = {"Artist": {"S": "Nina Simone"}, "Songs": {"N": "40"}}
    ask(endpoint, "PutItem", TableName="Music", Item=item)
    assert ask(endpoint, "GetItem", TableName="Music", Key={"Artist": item["Artist"]}) == {"Item": item}
    return item


@contextlib.contextmanager
def server(*command, port, **settings):
    """Runs a command that starts a server on this port; ends it with SIGTERM, which must succeed."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings)
    endpoint = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            if process.poll() is not None:
                raise AssertionError(f"the server ended with {process.returncode}:\n{process.stdout.read()}")
            with contextlib.suppress(OSError):
                urllib.request.urlopen(endpoint + "/health/live", timeout=30).close()
                break
            time.sleep(0.05)
        else:
            raise AssertionError("the server does not answer")
        yield endpoint
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0, process.returncode


class PackageTest(unittest.TestCase):
    """A test with an empty folder."""
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_in(self, *command, **settings):
        return product.run(*command, **{"cwd": self.folder, **settings})


def package(pattern):
    return next(product.OUT.glob(pattern))

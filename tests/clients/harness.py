"""What the tests of clients share: the program under test, and surroundings in which this machine's own settings for
AWS do not count."""
import json
import os
import pathlib
import sys
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from server import Server  # noqa: E402,F401  (for those who import this)

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REGION = "eu-south-1"
ACCESS_KEY = "AKIDEXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
PROGRAM = None


def main():
    """Runs the tests of the script that was started: SCRIPT PROGRAM [TEST ...]."""
    global PROGRAM
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PATH/TO/tavola [TEST ...]")
    # Tests import this module by its name, while the script that was started is __main__.
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    os.environ.update(environment())
    for name in set(os.environ) - set(environment()):
        del os.environ[name]
    unittest.main(module="__main__", warnings="ignore")  # boto3 leaves its sockets to the garbage collector


def environment():
    """No profile, no proxy and no metadata service: only what is said here."""
    kept = {name: value for name, value in os.environ.items()
            if not name.upper().startswith("AWS_") and not name.upper().endswith("_PROXY")}
    return {**kept,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_DEFAULT_REGION": REGION, "AWS_REGION": REGION,
            "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "NO_PROXY": "*"}


def headers_of(operation):
    """Of a request that is signed by nobody."""
    scope = f"{ACCESS_KEY}/20260101/{REGION}/dynamodb/aws4_request"
    return {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature={'0' * 64}"}


def call(server, operation, **request):
    """An operation without a client, for what a test needs around it."""
    message = urllib.request.Request(server.url, json.dumps(request).encode(), headers_of(operation))
    with urllib.request.urlopen(message, timeout=30) as response:
        return json.load(response)


def create_table(server, name):
    """A table with a key of two parts, pk and sk."""
    call(server, "CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
         AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                               {"AttributeName": "sk", "AttributeType": "N"}],
         KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])

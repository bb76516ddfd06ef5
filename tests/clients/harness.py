"""The common parts of the client tests: the program under test, and an environment without this machine's own AWS
settings."""
import json
import os
import pathlib
import subprocess
import sys
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from server import Server  # noqa: E402,F401  (for importers of this module)

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
    """Removes profiles, proxies and the metadata service: only the settings made here apply."""
    kept = {name: value for name, value in os.environ.items()
            if not name.upper().startswith("AWS_") and not name.upper().endswith("_PROXY")}
    return {**kept,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_DEFAULT_REGION": REGION, "AWS_REGION": REGION,
            "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "NO_PROXY": "*"}


def headers_of(operation):
    """Returns the headers of an unsigned request."""
    scope = f"{ACCESS_KEY}/20260101/{REGION}/dynamodb/aws4_request"
    return {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810." + operation,
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature={'0' * 64}"}


def tokens(secret_file):
    """Returns tokens of four persons; anna is a manager."""
    def token(sub, *options):
        made = subprocess.run([PROGRAM, "token", "--sub", sub, *options, "--secret-file", str(secret_file)],
                              check=True, capture_output=True, text=True)
        return made.stdout.strip()
    return {"anna": token("anna", "--group", "manager"), **{sub: token(sub) for sub in ("ben", "cleo", "dora")}}


def call(server, operation, **request):
    """Calls an operation without a client, for the setup of a test."""
    message = urllib.request.Request(server.url, json.dumps(request).encode(), headers_of(operation))
    with urllib.request.urlopen(message, timeout=30) as response:
        return json.load(response)


def create_tables(server, designs):
    """Creates the tables of designs on a server that does not know the designs."""
    for design in designs:
        made = subprocess.run([PROGRAM, "design", "schema", design], check=True, capture_output=True)
        call(server, "CreateTable", **json.loads(made.stdout))


def drift_of(server, designs):
    """Returns where the tables differ from their designs."""
    reports = (subprocess.run([PROGRAM, "design", "drift", design, "--endpoint", server.url], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for design in designs)
    return "\n".join(report.stdout for report in reports if report.returncode != 0)


def create_table(server, name):
    """Creates a table with a key of two parts, pk and sk."""
    call(server, "CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
         AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                               {"AttributeName": "sk", "AttributeType": "N"}],
         KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])

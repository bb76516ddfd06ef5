"""The callers of the tests: an access key that roles do not limit, keys that stand for a person, and tokens."""
import functools
import http.client
import json
import pathlib
import subprocess
import unittest

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.config
import botocore.credentials
import botocore.exceptions

SECRETS = {"AKIDTEST": "a-secret-of-the-tests", "AKIDANNA": "annas-secret", "AKIDBEN": "bens-secret"}
KEYS = f"""AKIDTEST {SECRETS["AKIDTEST"]}
AKIDANNA {SECRETS["AKIDANNA"]} sub=anna
AKIDBEN  {SECRETS["AKIDBEN"]} sub=ben groups=manager
"""


class Access:
    def __init__(self, program, folder):
        self.program = program
        self.secret = pathlib.Path(folder) / "token-secret"
        self.keys = pathlib.Path(folder) / "keys"
        for file, text in ((self.secret, "of the tests, and longer than 32 bytes\n"), (self.keys, KEYS)):
            file.touch(mode=0o600)
            file.write_text(text)

    def options(self):
        """For the server."""
        return ["--credentials", self.keys, "--jwt-secret-file", self.secret]

    @functools.lru_cache(maxsize=None)
    def token(self, sub, groups=()):
        command = [self.program, "token", "--sub", sub, "--secret-file", self.secret]
        for group in groups:
            command += ["--group", group]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def bearer(self, who):
        """Returns the headers of {sub, groups}; none if nobody is logged in."""
        if "sub" not in who:
            return {}
        return {"Authorization": "Bearer " + self.token(who["sub"], tuple(who.get("groups", ())))}

    @staticmethod
    def signed(method, url, body=None, key="AKIDTEST", target=None):
        """Returns the headers of a request that is signed like those of AWS's clients. `target` names an operation
        of DynamoDB."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if target is not None:
            headers["X-Amz-Target"] = target
        request = botocore.awsrequest.AWSRequest(method, url, headers=headers, data=body)
        credentials = botocore.credentials.Credentials(key, SECRETS[key])
        botocore.auth.SigV4Auth(credentials, "dynamodb", "local").add_auth(request)
        return dict(request.headers.items())


def ask(server, method, path, headers, body=None):
    """Returns the status, the headers, and the JSON of the response."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=60)
    try:
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read()
        is_json = (response.getheader("Content-Type") or "").endswith("json")
        return response.status, dict(response.getheaders()), json.loads(text) if text and is_json else None
    finally:
        connection.close()


class WithKeys(unittest.TestCase):
    def client(self, key, service="dynamodb"):
        config = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0})
        return boto3.client(service, endpoint_url=self.server.url, config=config, region_name="local",
                            aws_access_key_id=key, aws_secret_access_key=SECRETS[key])

    def assert_refused(self, code, words, call, **request):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(**request)
        error = caught.exception.response["Error"]
        self.assertEqual(error["Code"], code, error["Message"])
        self.assertIn(words, error["Message"])
        return error["Message"]

    def assert_denied(self, words, call, **request):
        message = self.assert_refused("AccessDeniedException", words, call, **request)
        self.assertIn("is not authorized to perform: dynamodb:", message)

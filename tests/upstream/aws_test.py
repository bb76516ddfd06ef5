#!/usr/bin/env python3
"""A front before a server that answers as Amazon DynamoDB did: signatures are verified by botocore, AWS's own signer; the answers are
recorded (ERRORS). So credentials, wrong clocks and throttling behave as with the real service.

    tests/upstream/aws_test.py PROGRAM [TEST ...]
"""
import datetime
import email.utils
import http.server
import json
import pathlib
import re
import sys
import tempfile
import threading
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients")]

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import botocore.exceptions  # noqa: E402
from botocore.auth import SigV4Auth  # noqa: E402
from botocore.awsrequest import AWSRequest  # noqa: E402
from botocore.credentials import Credentials  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
REGION = "eu-central-1"
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
# Status, exception with its name space, the member of the message, and the message: as users of the service have reported them.
SERVICE, AVAILABILITY, DYNAMODB = "com.amazon.coral.service#", "com.amazon.coral.availability#", "com.amazonaws.dynamodb.v20120810#"
ERRORS = {
    "UnrecognizedClientException": (400, SERVICE, "message", "The security token included in the request is invalid."),
    "ExpiredTokenException": (400, SERVICE, "message", "The security token included in the request is expired"),
    "InvalidSignatureException": (400, SERVICE, "message", "The request signature we calculated does not match the signature you provided. "
                                  "Check your AWS Secret Access Key and signing method. Consult the service documentation for details."),
    "AccessDeniedException": (400, SERVICE, "Message", "User: arn:aws:iam::123456789012:user/u is not authorized to perform: "
                              "dynamodb:PutItem on resource: arn:aws:dynamodb:eu-central-1:123456789012:table/notes because no "
                              "identity-based policy allows the dynamodb:PutItem action"),
    "ResourceNotFoundException": (400, DYNAMODB, "message", "Requested resource not found"),
    "ProvisionedThroughputExceededException": (400, DYNAMODB, "message", "The level of configured provisioned throughput for the table was "
                                               "exceeded. Consider increasing your provisioning level with the UpdateTable API."),
    "ThrottlingException": (400, AVAILABILITY, "message", "Rate of requests exceeds the allowed throughput."),
    "RequestLimitExceeded": (400, DYNAMODB, "message", "Throughput exceeds the current throughput limit for your account. Please contact AWS "
                             "Support at https://aws.amazon.com/support request a limit increase"),
    "InternalServerError": (500, DYNAMODB, "message", "Internal server error"),
}
THROTTLED = ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded")
DESIGN = """design: 1
name: notes
table: { name: notes, hash: pk, range: sk }
entities:
  Note:
    key: { pk: NOTE#<note>, sk: META }
    ids: { note: string }
    attributes: { text: { type: string, required: true } }
"""


def error(name, message=None):
    status, space, member, words = ERRORS[name]
    return status, {"__type": space + name, member: message or words}


class Aws(http.server.ThreadingHTTPServer):
    """Answers by the script of an operation, then by the last answer of it; verifies every signature."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.script = {"ListTables": [(200, {"TableNames": []})]}
        self.seen = []       # (operation, body)
        self.secret, self.token = SECRET, None
        self.clock_offset = datetime.timedelta()
        self.wrong = []
        self.lock = threading.Lock()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def now(self):
        return datetime.datetime.now(datetime.timezone.utc) + self.clock_offset

    def answer(self, headers, body):
        refused = self.refusal(headers, body)
        if refused:
            self.wrong.append(refused)
            return refused
        operation = headers["X-Amz-Target"].rpartition(".")[2]
        with self.lock:
            self.seen.append((operation, json.loads(body)))
            answers = self.script.get(operation, [(200, {})])
            if callable(answers):
                return answers(self.seen[-1][1])
            return answers.pop(0) if len(answers) > 1 else answers[0]

    def refusal(self, headers, body):
        asked = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/dynamodb/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                             headers.get("Authorization", ""))
        if not asked or asked[1] != KEY or asked[3] != REGION or headers.get("X-Amz-Security-Token") != self.token:
            return error("UnrecognizedClientException")
        signed = asked[4].split(";")
        request = AWSRequest(method="POST", url=f"http://{headers['Host']}/", data=body, headers={name: headers[name] for name in signed})
        request.context["timestamp"] = headers["X-Amz-Date"]
        signer = SigV4Auth(Credentials(KEY, self.secret, self.token), "dynamodb", REGION)
        signer.credentials.token = None  # it is among the headers
        text = signer.string_to_sign(request, signer.canonical_request(request))
        if signer.signature(text, request) != asked[5]:
            return error("InvalidSignatureException")
        sent = datetime.datetime.strptime(headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if self.now() - sent > datetime.timedelta(minutes=15):
            earliest, now = self.now() - datetime.timedelta(minutes=15), self.now()
            return error("InvalidSignatureException", f"Signature expired: {sent:%Y%m%dT%H%M%SZ} is now earlier than "
                         f"{earliest:%Y%m%dT%H%M%SZ} ({now:%Y%m%dT%H%M%SZ} - 15 min.)")
        if sent - self.now() > datetime.timedelta(minutes=15):
            return error("InvalidSignatureException", f"Signature not yet current: {sent:%Y%m%dT%H%M%SZ} is still later than now")
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        status, answer = self.server.answer(self.headers, self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(answer).encode()
        self.send_response_only(status)
        self.send_header("Date", email.utils.format_datetime(self.server.now(), usegmt=True))
        for name, value in (("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", len(body)),
                            ("x-amz-crc32", zlib.crc32(body)), ("x-amzn-RequestId", "A" * 52)):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fronts(unittest.TestCase):
    def setUp(self):
        self.aws = self.enterContext(Aws())
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def front(self, *options, **variables):
        environment = {"PATH": "/usr/bin", "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION, **variables}
        server = self.enterContext(Server(PROGRAM, "--upstream", self.aws.url, *options, environment=environment))
        return boto3.client("dynamodb", endpoint_url=server.url, region_name=REGION, aws_access_key_id="any", aws_secret_access_key="any",
                            config=botocore.config.Config(retries={"total_max_attempts": 1}))

    def refusal(self, call, **request):
        with self.assertRaises(botocore.exceptions.ClientError) as refused:
            call(**request)
        answer = refused.exception.response
        return answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"], answer["Error"]["Message"]

    def get(self, client):
        return client.get_item(TableName="notes", Key={"pk": {"S": "a"}, "sk": {"S": "b"}})


class Forwarding(Fronts):
    def test_requests_are_signed_as_aws_wants_it(self):
        self.aws.token = "session/token+=="
        client = self.front(AWS_SESSION_TOKEN=self.aws.token)
        self.aws.script["GetItem"] = [(200, {"Item": {"pk": {"S": "ü"}}})]
        self.assertEqual(self.get(client)["Item"], {"pk": {"S": "ü"}})
        client.put_item(TableName="notes", Item={"pk": {"S": "räksmörgås 💾"}})
        self.assertEqual(self.aws.wrong, [])

    def test_a_wrong_clock_is_learned(self):
        for hours in (2, -2):
            self.aws.clock_offset = datetime.timedelta(hours=hours)
            self.aws.wrong.clear()
            client = self.front()
            for _ in range(3):
                self.get(client)
            self.assertIn(len(self.aws.wrong), (1, 2))  # once for what the front reads, and once for what it forwards

    def test_a_profile_has_the_credentials(self):
        file = self.folder / "credentials"
        profile = "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n"
        file.write_text(profile.format(KEY, "an-old-secret"))
        self.aws.secret = "an-old-secret"
        client = self.front(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="", AWS_SHARED_CREDENTIALS_FILE=str(file), HOME=str(self.folder))
        self.get(client)
        self.assertEqual(self.aws.wrong, [])

    def test_throttled_requests_are_sent_again(self):
        for name in THROTTLED:
            self.aws.seen.clear()
            self.aws.script["PutItem"] = [error(name), error(name), (200, {})]
            self.front().put_item(TableName="notes", Item={"pk": {"S": "a"}, "sk": {"S": "b"}})
            self.assertEqual([operation for operation, _ in self.aws.seen].count("PutItem"), 3, name)

    def test_errors_come_as_they_were(self):
        client = self.front()
        for name, (status, _, _, words) in ERRORS.items():
            self.aws.script["PutItem"] = [error(name)]
            self.assertEqual(self.refusal(client.put_item, TableName="notes", Item={"pk": {"S": "a"}}), (status, name, words))

    def test_a_write_that_may_have_happened_is_not_sent_again(self):
        client = self.front()
        self.aws.script["PutItem"] = [error("InternalServerError"), (200, {})]
        self.assertEqual(self.refusal(client.put_item, TableName="notes", Item={"pk": {"S": "a"}})[1], "InternalServerError")
        self.assertEqual([operation for operation, _ in self.aws.seen].count("PutItem"), 1)


class Governed(Fronts):
    """What a front with a design makes of the same errors: those that leave open whether a write happened are no others."""

    def setUp(self):
        super().setUp()
        self.record = None  # the design of the table
        self.design = self.folder / "notes.yaml"
        self.design.write_text(DESIGN)
        keys = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
        self.aws.script |= {
            "DescribeTable": [(200, {"Table": {
                "TableName": "notes", "TableStatus": "ACTIVE", "KeySchema": keys, "TableArn": f"arn:aws:dynamodb:{REGION}:123456789012:table/notes",
                "AttributeDefinitions": [{"AttributeName": key["AttributeName"], "AttributeType": "S"} for key in keys]}})],
            "GetItem": self.get_record, "PutItem": self.put_record, "Scan": [(200, {"Items": [], "Count": 0, "ScannedCount": 0})], "Query": [(200, {"Items": [], "Count": 0})],
            "UpdateItem": [(200, {})]}

    def put_record(self, request):
        self.record = request["Item"]
        return 200, {}

    def get_record(self, request):
        is_record = self.record and all(self.record[name] == value for name, value in request["Key"].items())
        return 200, {"Item": self.record} if is_record else {}

    def test_errors(self):
        client = self.front("--design", self.design)
        note = {"pk": {"S": "NOTE#1"}, "sk": {"S": "META"}, "text": {"S": "a"}}
        for name, (status, _, _, words) in ERRORS.items():
            self.aws.seen.clear()
            self.aws.script["PutItem"] = [error(name)]
            told = self.refusal(client.put_item, TableName="notes", Item=note)
            puts = [operation for operation, _ in self.aws.seen].count("PutItem")
            if status >= 500:
                self.assertEqual(told[:2], (500, "InternalServerError"))
                self.assertEqual(puts, 2)  # once more, with its condition
            elif name in THROTTLED:
                self.assertIn(told[1], THROTTLED)
                self.assertGreater(puts, 2)
            else:
                known = "UnrecognizedClientException" if name == "ExpiredTokenException" else name
                self.assertEqual(told, (400, known, words))
                self.assertEqual(puts, 1)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)

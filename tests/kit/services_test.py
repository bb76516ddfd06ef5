#!/usr/bin/env python3
"""With AWS_ENDPOINT_URL, the requests of other services arrive: STS answers GetCallerIdentity, others get an error in the form of
their protocol that says what to set.

    tests/kit/services_test.py PROGRAM
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "clients"))

import boto3  # noqa: E402
import botocore.config  # noqa: E402
import botocore.exceptions  # noqa: E402
import harness  # noqa: E402

ONCE = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60,
                              s3={"addressing_style": "path"})
# A service of each protocol, and a request to it.
OTHERS = {
    "s3": lambda client: client.list_buckets(),
    "sqs": lambda client: client.list_queues(),
    "iam": lambda client: client.list_users(),
    "lambda": lambda client: client.list_functions(),
    "cloudwatch": lambda client: client.list_metrics(),
    "ec2": lambda client: client.describe_regions(),
    "kms": lambda client: client.list_keys(),
    "secretsmanager": lambda client: client.list_secrets(),
    "ssm": lambda client: client.get_parameter(Name="x"),
    "sns": lambda client: client.list_topics(),
    "route53": lambda client: client.list_hosted_zones(),
}
SCOPES = {"cloudwatch": "monitoring"}  # where the name in signatures is another


class Services(unittest.TestCase):
    def start(self, *options):
        return self.enterContext(harness.Server(harness.PROGRAM, "--in-memory", *options))

    def client(self, server, service, **more):
        return boto3.client(service, endpoint_url=server.url, config=ONCE, **more)

    def test_who_am_i(self):
        server = self.start()
        told = self.client(server, "sts").get_caller_identity()
        self.assertEqual((told["Account"], told["UserId"]), ("000000000000", harness.ACCESS_KEY))
        self.assertEqual(told["Arn"], f"arn:aws:iam::000000000000:user/{harness.ACCESS_KEY}")
        self.assertEqual(self.client(server, "dynamodb").list_tables()["TableNames"], [])

    def test_who_am_i_from_the_command_line(self):
        server = self.start()
        command = ["aws", "sts", "get-caller-identity", "--query", "Account", "--output", "text", "--endpoint-url", server.url]
        told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((told.returncode, told.stdout), (0, "000000000000\n"), told.stderr)
        told = subprocess.run(["aws", "s3", "ls", "--endpoint-url", server.url], capture_output=True, text=True, timeout=120,
                              check=False, env={**os.environ, "AWS_MAX_ATTEMPTS": "1"})
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("AWS_ENDPOINT_URL_DYNAMODB", told.stderr)

    def test_other_services_say_what_to_set(self):
        server = self.start()
        for service, ask in OTHERS.items():
            with self.subTest(service):
                with self.assertRaises(botocore.exceptions.ClientError) as failed:
                    ask(self.client(server, service))
                error = failed.exception.response["Error"]
                self.assertEqual(error["Code"], "UnsupportedService")
                self.assertIn(f"for the service {SCOPES.get(service, service)}.", error["Message"])
                self.assertIn("AWS_ENDPOINT_URL_DYNAMODB", error["Message"])
                self.assertEqual(failed.exception.response["ResponseMetadata"]["HTTPStatusCode"], 400)
        with self.assertRaises(botocore.exceptions.ClientError) as failed:
            self.client(server, "sts").get_session_token()
        self.assertEqual(failed.exception.response["Error"]["Code"], "UnsupportedService")

    def test_paths_of_objects(self):
        server = self.start()
        s3 = self.client(server, "s3")
        for ask in (lambda: s3.put_object(Bucket="b", Key="v1/x", Body=b"x" * 100_000),
                    lambda: s3.get_object(Bucket="metrics", Key="k"),
                    lambda: s3.delete_object(Bucket="b", Key="k")):
            with self.assertRaises(botocore.exceptions.ClientError) as failed:
                ask()
            self.assertEqual(failed.exception.response["Error"]["Code"], "UnsupportedService")

    def test_with_credentials(self):
        with tempfile.TemporaryDirectory() as folder:
            keys = pathlib.Path(folder) / "keys"
            keys.write_text(f"{harness.ACCESS_KEY} {harness.SECRET_KEY}\n")
            keys.chmod(0o600)
            server = self.start("--credentials", keys)
            told = self.client(server, "sts").get_caller_identity()
            self.assertEqual(told["UserId"], harness.ACCESS_KEY)
            for key, secret in ((harness.ACCESS_KEY, "wrong"), ("NOBODY", harness.SECRET_KEY)):
                with self.assertRaises(botocore.exceptions.ClientError) as failed:
                    self.client(server, "sts", aws_access_key_id=key, aws_secret_access_key=secret).get_caller_identity()
                self.assertEqual(failed.exception.response["ResponseMetadata"]["HTTPStatusCode"], 403)
            with self.assertRaises(botocore.exceptions.ClientError) as failed:
                self.client(server, "iam").list_users()
            self.assertEqual(failed.exception.response["Error"]["Code"], "UnsupportedService")


if __name__ == "__main__":
    harness.main()

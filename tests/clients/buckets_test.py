#!/usr/bin/env python3
"""Buckets and objects over S3's protocol, by boto3 and the AWS CLI.

    tests/clients/buckets_test.py PATH/TO/tavola [TEST ...]
"""
import base64
import gzip
import hashlib
import hmac
import http.client
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.client
import botocore.credentials
import botocore.exceptions

import harness

NO_RETRIES = {"mode": "legacy", "max_attempts": 0}
BUCKET = "photos"
# Keys that are paths, and keys that no folder can hold beside them.
KEYS = ["a", "a/b", "a/b/c", "a.txt", "a//b", "/a", "a/", "./x", "x/../y", "..", ".", "ü/日本.txt", "with space+plus%2F&<>'\"",
        "n" * 300, "d/" * 200 + "x", "\x01control", "z" * 1024]


def s3(url, key=harness.ACCESS_KEY, secret=harness.SECRET_KEY, **config):
    return boto3.client("s3", endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=secret,
                        config=botocore.client.Config(**{"retries": NO_RETRIES, "signature_version": "s3v4",
                                                         "s3": {"addressing_style": "path"}, **config}))


def url_of(server):
    return re.search(r"serving buckets url=(\S+)", server.log_text())[1]


def fetch(url, method="GET", body=None, headers=None):
    """Returns the status, the headers and the body of an answer."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body, headers or {})
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, response.headers, text


class BucketsTest(unittest.TestCase):
    options = ()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.buckets = self.folder / "buckets"
        self.server = self.start_server()
        self.addCleanup(lambda: self.server.stop())
        self.url = url_of(self.server)
        self.s3 = s3(self.url)

    def start_server(self):
        server = harness.Server(harness.PROGRAM, *self.storage(), "--buckets", self.buckets, "--s3-port", "0",
                                *self.more_options())
        server.start()
        return server

    def storage(self):
        return ("--in-memory",)

    def more_options(self):
        return ()

    def create(self):
        self.s3.create_bucket(Bucket=BUCKET)

    def put(self, key, body=b"x", **more):
        return self.s3.put_object(Bucket=BUCKET, Key=key, Body=body, **more)

    def read(self, key, **more):
        return self.s3.get_object(Bucket=BUCKET, Key=key, **more)["Body"].read()

    def assert_refused(self, code, call, **arguments):
        with self.assertRaises(botocore.exceptions.ClientError) as caught:
            call(**arguments)
        self.assertEqual(caught.exception.response["Error"]["Code"], code, caught.exception)
        return caught.exception.response


class Objects(BucketsTest):
    def test_buckets(self):
        self.create()
        self.assertEqual([one["Name"] for one in self.s3.list_buckets()["Buckets"]], [BUCKET])
        self.s3.head_bucket(Bucket=BUCKET)
        self.assertEqual(self.s3.get_bucket_location(Bucket=BUCKET)["LocationConstraint"], "local")
        self.assert_refused("BucketAlreadyOwnedByYou", self.s3.create_bucket, Bucket=BUCKET)
        self.assert_refused("InvalidBucketName", self.s3.create_bucket, Bucket="Photos_1")
        self.assert_refused("NoSuchBucket", self.s3.list_objects_v2, Bucket="missing")
        self.assert_refused("404", self.s3.head_bucket, Bucket="missing")
        self.put("a/b")
        self.assert_refused("BucketNotEmpty", self.s3.delete_bucket, Bucket=BUCKET)
        self.s3.delete_object(Bucket=BUCKET, Key="a/b")
        self.s3.delete_bucket(Bucket=BUCKET)
        self.assertEqual(self.s3.list_buckets()["Buckets"], [])

    def test_an_object_is_a_file_and_a_file_is_an_object(self):
        self.create()
        put = self.put("reports/2024.csv", b"1;2", ContentType="text/csv", Metadata={"owner": "anna"}, CacheControl="no-cache")
        self.assertEqual(put["ETag"], '"' + hashlib.md5(b"1;2").hexdigest() + '"')
        self.assertEqual((self.buckets / BUCKET / "reports/2024.csv").read_bytes(), b"1;2")
        got = self.s3.get_object(Bucket=BUCKET, Key="reports/2024.csv")
        self.assertEqual((got["Body"].read(), got["ContentType"], got["Metadata"], got["CacheControl"], got["ETag"]),
                         (b"1;2", "text/csv", {"owner": "anna"}, "no-cache", put["ETag"]))
        (self.buckets / BUCKET / "mine").write_bytes(b"by hand")
        got = self.s3.get_object(Bucket=BUCKET, Key="mine")
        self.assertEqual((got["Body"].read(), got["ContentType"]), (b"by hand", "binary/octet-stream"))
        # Another program replaced the bytes: what was known of the old ones is not said of the new ones.
        (self.buckets / BUCKET / "reports/2024.csv").write_bytes(b"3;4;5")
        got = self.s3.get_object(Bucket=BUCKET, Key="reports/2024.csv")
        self.assertEqual((got["Body"].read(), got["Metadata"]), (b"3;4;5", {}))
        self.assertNotEqual(got["ETag"], put["ETag"])

    def test_any_key(self):
        self.create()
        for order in (KEYS, list(reversed(KEYS))):
            for key in order:
                self.put(key, key.encode() + b"1")
                self.put(key, key.encode(), Metadata={"n": str(len(key))})
            for key in order:
                with self.subTest(key=key):
                    got = self.s3.get_object(Bucket=BUCKET, Key=key)
                    self.assertEqual((got["Body"].read(), got["Metadata"]), (key.encode(), {"n": str(len(key))}))
            listed = [one["Key"] for one in self.s3.list_objects_v2(Bucket=BUCKET)["Contents"]]
            self.assertEqual(listed, sorted(KEYS, key=str.encode))
            for key in order:
                self.s3.delete_object(Bucket=BUCKET, Key=key)
                self.assert_refused("NoSuchKey", self.s3.get_object, Bucket=BUCKET, Key=key)
            self.assertNotIn("Contents", self.s3.list_objects_v2(Bucket=BUCKET))
            self.assertEqual(list((self.buckets / BUCKET).iterdir()), [])
        self.assert_refused("KeyTooLongError", self.s3.put_object, Bucket=BUCKET, Key="k" * 1025, Body=b"")

    def test_nothing_outside_of_the_bucket_is_reached(self):
        self.create()
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "file").write_text("secret")
        (self.buckets / BUCKET / "link").symlink_to(secret / "file")
        (self.buckets / BUCKET / "folder").symlink_to(secret)
        (self.buckets / "linked").symlink_to(secret)
        os.mkfifo(self.buckets / BUCKET / "pipe")
        for key in ("link", "folder/file", "pipe", "../../secret/file"):
            self.assert_refused("NoSuchKey", self.s3.get_object, Bucket=BUCKET, Key=key)
        self.assert_refused("NoSuchBucket", self.s3.get_object, Bucket="linked", Key="file")
        self.assertNotIn("Contents", self.s3.list_objects_v2(Bucket=BUCKET))
        self.put("folder/file", b"mine")
        self.put("../../secret/new", b"mine")
        self.assertEqual(self.read("folder/file"), b"mine")
        self.assertEqual([one.name for one in secret.iterdir()], ["file"])
        self.assertEqual((secret / "file").read_text(), "secret")
        for path in ("/.tavola-objects/photos", "/../x", "/%2e%2e/x", "/.tavola-objects"):
            status, _, _ = fetch(self.url + path)
            self.assertIn(status, (403, 404))
        self.assert_refused("NoSuchBucket", self.s3.list_objects_v2, Bucket=".tavola-objects")

    def test_ranges_and_conditions(self):
        self.create()
        etag = self.put("o", b"0123456789")["ETag"]
        for wanted, expected in (("bytes=2-4", b"234"), ("bytes=7-", b"789"), ("bytes=-3", b"789"), ("bytes=8-100", b"89"),
                                 ("bytes=-100", b"0123456789")):
            got = self.s3.get_object(Bucket=BUCKET, Key="o", Range=wanted)
            self.assertEqual((got["Body"].read(), got["ResponseMetadata"]["HTTPStatusCode"]), (expected, 206))
        self.assertEqual(self.s3.get_object(Bucket=BUCKET, Key="o", Range="bytes=2-4")["ContentRange"], "bytes 2-4/10")
        self.assertEqual(self.read("o", Range="bytes=5-2"), b"0123456789")
        self.assert_refused("InvalidRange", self.s3.get_object, Bucket=BUCKET, Key="o", Range="bytes=10-")
        get = {"Bucket": BUCKET, "Key": "o"}
        changed = self.s3.head_object(**get)["LastModified"]
        self.assertEqual(self.read("o", IfMatch=etag), b"0123456789")
        self.assertEqual(self.read("o", IfNoneMatch='"other"'), b"0123456789")
        self.assert_refused("PreconditionFailed", self.s3.get_object, **get, IfMatch='"other"')
        self.assert_refused("304", self.s3.get_object, **get, IfNoneMatch=etag)
        self.assert_refused("304", self.s3.get_object, **get, IfModifiedSince=changed)
        self.assertEqual(self.read("o", IfUnmodifiedSince=changed), b"0123456789")
        got = self.s3.get_object(**get, ResponseContentType="text/html", ResponseContentDisposition="attachment")
        self.assertEqual((got["ContentType"], got["ContentDisposition"]), ("text/html", "attachment"))

    def test_head_delete_and_copy(self):
        self.create()
        self.put("o", b"12345", ContentType="text/plain", Metadata={"a": "1"})
        head = self.s3.head_object(Bucket=BUCKET, Key="o")
        self.assertEqual((head["ContentLength"], head["ContentType"], head["Metadata"]), (5, "text/plain", {"a": "1"}))
        self.assert_refused("404", self.s3.head_object, Bucket=BUCKET, Key="missing")
        source = {"Bucket": BUCKET, "Key": "o"}
        copied = self.s3.copy_object(Bucket=BUCKET, Key="b/ü+c", CopySource=source)
        self.assertEqual(copied["CopyObjectResult"]["ETag"], head["ETag"])
        self.assertEqual(self.s3.head_object(Bucket=BUCKET, Key="b/ü+c")["Metadata"], {"a": "1"})
        self.s3.copy_object(Bucket=BUCKET, Key="o", CopySource=source, MetadataDirective="REPLACE", Metadata={"b": "2"})
        self.assertEqual(self.s3.head_object(Bucket=BUCKET, Key="o")["Metadata"], {"b": "2"})
        self.assert_refused("InvalidRequest", self.s3.copy_object, Bucket=BUCKET, Key="o", CopySource=source)
        self.assert_refused("NoSuchKey", self.s3.copy_object, Bucket=BUCKET, Key="o", CopySource=f"{BUCKET}/missing")
        deleted = self.s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": "o"}, {"Key": "missing"}]})
        self.assertEqual([one["Key"] for one in deleted["Deleted"]], ["o", "missing"])
        self.s3.delete_object(Bucket=BUCKET, Key="missing")
        self.assertEqual([one["Key"] for one in self.s3.list_objects_v2(Bucket=BUCKET)["Contents"]], ["b/ü+c"])

    # The SDK of Debian 12 has no parameters for newer headers.
    def with_header(self, operation, name, value):
        def put_header(request, **_):
            request.headers[name] = value
        client = s3(self.url)
        client.meta.events.register(f"before-sign.s3.{operation}", put_header)
        return client

    def test_conditional_writes(self):
        self.create()
        first = self.put("o", b"1")["ETag"]
        for header, value, code in (("If-None-Match", "*", "PreconditionFailed"), ("If-Match", '"other"', "PreconditionFailed")):
            client = self.with_header("PutObject", header, value)
            self.assert_refused(code, client.put_object, Bucket=BUCKET, Key="o", Body=b"2")
        self.with_header("PutObject", "If-Match", first).put_object(Bucket=BUCKET, Key="o", Body=b"3")
        self.with_header("PutObject", "If-None-Match", "*").put_object(Bucket=BUCKET, Key="new", Body=b"4")
        self.assertEqual((self.read("o"), self.read("new")), (b"3", b"4"))

    def test_conditional_deletions(self):
        self.create()
        etag = self.put("o", b"1")["ETag"]
        other = self.with_header("DeleteObject", "If-Match", '"other"')
        self.assert_refused("PreconditionFailed", other.delete_object, Bucket=BUCKET, Key="o")
        self.assert_refused("NoSuchKey", other.delete_object, Bucket=BUCKET, Key="missing")
        self.assertEqual(self.read("o"), b"1")
        self.with_header("DeleteObject", "If-Match", etag).delete_object(Bucket=BUCKET, Key="o")
        self.assert_refused("NoSuchKey", self.s3.get_object, Bucket=BUCKET, Key="o")

    def delete_list(self, *objects):
        body = "<Delete>" + "".join(f"<Object>{one}</Object>" for one in objects) + "</Delete>"
        request = botocore.awsrequest.AWSRequest("POST", f"{self.url}/{BUCKET}?delete=", data=body, headers={
            "Content-MD5": base64.b64encode(hashlib.md5(body.encode()).digest()).decode()})
        keys = botocore.credentials.Credentials(harness.ACCESS_KEY, harness.SECRET_KEY)
        botocore.auth.S3SigV4Auth(keys, "s3", "us-east-1").add_auth(request)
        status, _, text = fetch(request.url, "POST", body, dict(request.headers.items()))
        self.assertEqual(status, 200, text)
        return re.findall(r"<(Deleted|Error)><Key>(.*?)</Key>(?:<Code>(.*?)</Code>)?", text.decode())

    def test_a_list_of_deletions_has_conditions(self):
        self.create()
        etag = self.put("a")["ETag"]
        self.put("b")
        self.put("c")
        self.assertEqual(self.delete_list("<Key>a</Key><ETag>other</ETag>", "<Key>b</Key><VersionId>3sL4kqtJl</VersionId>"),
                         [("Error", "a", "PreconditionFailed"), ("Error", "b", "NoSuchVersion")])
        self.assertEqual(self.delete_list(f"<Key>a</Key><ETag>{etag}</ETag>", "<Key>c</Key><VersionId>null</VersionId>"),
                         [("Deleted", "a", ""), ("Deleted", "c", "")])
        self.assertEqual([one["Key"] for one in self.s3.list_objects_v2(Bucket=BUCKET)["Contents"]], ["b"])

    def test_headers_that_cannot_be_kept_are_refused(self):
        self.create()
        self.put("o", b"bytes")
        for operation, name, value in (("put_object", "x-amz-write-offset-bytes", "5"),
                                       ("put_object", "x-amz-object-lock-mode", "COMPLIANCE"),
                                       ("put_object", "x-amz-server-side-encryption-customer-algorithm", "AES256"),
                                       ("delete_object", "x-amz-if-match-size", "4")):
            with self.subTest(name):
                client = self.with_header(operation.title().replace("_", ""), name, value)
                more = {"Body": b"more"} if operation == "put_object" else {}
                self.assert_refused("NotImplemented", getattr(client, operation), Bucket=BUCKET, Key="o", **more)
        self.assertEqual(self.read("o"), b"bytes")

    def test_lists(self):
        self.create()
        keys = [f"{folder}/{n:02}" for folder in ("a", "b", "b/deep", "c") for n in range(7)] + ["a.x", "top", "b.y"]
        for key in keys:
            self.put(key)
        keys.sort()
        for size in (1, 2, 5, 1000):
            pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, PaginationConfig={"PageSize": size})
            self.assertEqual([one["Key"] for page in pages for one in page.get("Contents", [])], keys)
            pages = self.s3.get_paginator("list_objects").paginate(Bucket=BUCKET, PaginationConfig={"PageSize": size})
            self.assertEqual([one["Key"] for page in pages for one in page.get("Contents", [])], keys)
            for name in ("list_objects", "list_objects_v2"):
                pages = list(self.s3.get_paginator(name).paginate(Bucket=BUCKET, Delimiter="/", PaginationConfig={"PageSize": size}))
                self.assertEqual([one["Key"] for page in pages for one in page.get("Contents", [])], ["a.x", "b.y", "top"])
                self.assertEqual([one["Prefix"] for page in pages for one in page.get("CommonPrefixes", [])], ["a/", "b/", "c/"])
        listed = self.s3.list_objects_v2(Bucket=BUCKET, Prefix="b/", Delimiter="/")
        self.assertEqual([one["Prefix"] for one in listed["CommonPrefixes"]], ["b/deep/"])
        self.assertEqual((len(listed["Contents"]), listed["KeyCount"]), (7, 8))
        listed = self.s3.list_objects(Bucket=BUCKET, Prefix="c/", Delimiter="/", Marker="c/")
        self.assertEqual(len(listed["Contents"]), 7)
        listed = self.s3.list_objects_v2(Bucket=BUCKET, StartAfter="b/deep/03", MaxKeys=2)
        self.assertEqual([one["Key"] for one in listed["Contents"]], ["b/deep/04", "b/deep/05"])
        self.assertEqual(self.s3.list_objects_v2(Bucket=BUCKET, Delimiter="0")["CommonPrefixes"][0], {"Prefix": "a/0"})
        self.assert_refused("InvalidArgument", self.s3.list_objects_v2, Bucket=BUCKET, ContinuationToken="?")
        self.assertEqual(self.s3.list_objects_v2(Bucket=BUCKET, MaxKeys=0)["KeyCount"], 0)

    def test_checksums(self):
        self.create()
        body = bytes(range(256)) * 1000
        for algorithm in ("CRC32", "CRC32C", "SHA1", "SHA256"):
            try:
                put = self.put(algorithm, body, ChecksumAlgorithm=algorithm)
            except botocore.exceptions.MissingDependencyException:
                continue  # the SDK lacks CRC32C
            got = self.s3.get_object(Bucket=BUCKET, Key=algorithm, ChecksumMode="ENABLED")  # which the SDK compares
            self.assertEqual((got["Body"].read(), got[f"Checksum{algorithm}"]), (body, put[f"Checksum{algorithm}"]))
        wrong = base64.b64encode(b"\0" * 32).decode()
        self.assert_refused("BadDigest", self.s3.put_object, Bucket=BUCKET, Key="bad", Body=body, ChecksumSHA256=wrong)
        wrong = base64.b64encode(b"\0" * 16).decode()
        self.assert_refused("BadDigest", self.s3.put_object, Bucket=BUCKET, Key="bad", Body=body, ContentMD5=wrong)
        self.assert_refused("InvalidDigest", self.s3.put_object, Bucket=BUCKET, Key="bad", Body=body, ContentMD5="x")
        self.assert_refused("NoSuchKey", self.s3.get_object, Bucket=BUCKET, Key="bad")

    def test_what_does_not_exist_is_refused(self):
        self.create()
        self.put("o", b"bytes")
        self.assert_refused("NotImplemented", self.s3.put_object_tagging, Bucket=BUCKET, Key="o", Tagging={"TagSet": []})
        self.assert_refused("NotImplemented", self.s3.get_bucket_policy, Bucket=BUCKET)
        self.assertEqual(self.read("o"), b"bytes")

    def test_names_of_buckets_in_the_name_of_the_server(self):
        self.create()
        self.put("a/b", b"1")
        port = urllib.parse.urlsplit(self.url).port
        client = s3(f"http://localhost:{port}", s3={"addressing_style": "virtual"})
        url = client.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "a/b"})
        self.assertTrue(url.startswith(f"http://{BUCKET}.localhost:{port}/a/b?"), url)
        host = urllib.parse.urlsplit(url).netloc
        self.assertEqual(fetch(url.replace(host, f"127.0.0.1:{port}"), headers={"Host": host})[2], b"1")

    def test_a_large_object_is_streamed(self):
        self.create()
        path = self.folder / "large"
        piece = os.urandom(1 << 20)
        with path.open("wb") as file:
            for _ in range(150):
                file.write(piece)
        with path.open("rb") as file:
            self.put("large", file)
        body = self.s3.get_object(Bucket=BUCKET, Key="large")["Body"]
        count = sum(1 for got in body.iter_chunks(1 << 20) if got == piece)
        self.assertEqual(count, 150)
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        peak_kb = int(re.search(r"VmHWM:\s+(\d+)", status)[1])
        self.assertLess(peak_kb, 140_000, "an upload of 150 MB is not held in memory")


class Multipart(BucketsTest):
    def start(self, key="o", **more):
        self.create()
        return {"Bucket": BUCKET, "Key": key, "UploadId": self.s3.create_multipart_upload(Bucket=BUCKET, Key=key, **more)["UploadId"]}

    def test_upload_fileobj(self):
        self.create()
        body = os.urandom(20 << 20)
        with tempfile.TemporaryFile() as file:
            file.write(body)
            file.seek(0)
            self.s3.upload_fileobj(file, BUCKET, "large", ExtraArgs={"Metadata": {"a": "1"}, "ContentType": "text/plain"})
        got = self.s3.get_object(Bucket=BUCKET, Key="large")
        self.assertEqual((got["Body"].read() == body, got["Metadata"], got["ContentType"]), (True, {"a": "1"}, "text/plain"))
        digests = b"".join(hashlib.md5(body[at:at + (8 << 20)]).digest() for at in range(0, len(body), 8 << 20))
        self.assertEqual(got["ETag"], f'"{hashlib.md5(digests).hexdigest()}-3"')
        self.assertNotIn("Uploads", self.s3.list_multipart_uploads(Bucket=BUCKET))
        back = self.folder / "back"
        self.s3.download_file(BUCKET, "large", str(back))
        self.assertEqual(back.read_bytes(), body)

    def test_parts(self):
        upload = self.start(ChecksumAlgorithm="SHA256")
        large = b"x" * (5 << 20)
        self.put("source", b"0123456789")
        first = self.s3.upload_part(**upload, PartNumber=2, Body=b"older")
        second = self.s3.upload_part(**upload, PartNumber=7, Body=b"end", ChecksumAlgorithm="SHA256")
        first = self.s3.upload_part(**upload, PartNumber=2, Body=large, ChecksumAlgorithm="SHA256")
        copied = self.s3.upload_part_copy(**upload, PartNumber=9, CopySource=f"{BUCKET}/source", CopySourceRange="bytes=2-4")
        listed = self.s3.list_parts(**upload)["Parts"]
        self.assertEqual([(one["PartNumber"], one["Size"]) for one in listed], [(2, 5 << 20), (7, 3), (9, 3)])
        self.assertEqual(copied["CopyPartResult"]["ETag"], '"' + hashlib.md5(b"234").hexdigest() + '"')
        page = self.s3.list_parts(**upload, MaxParts=1, PartNumberMarker=2)
        self.assertEqual(([one["PartNumber"] for one in page["Parts"]], page["IsTruncated"]), ([7], True))
        self.assertEqual([one["Key"] for one in self.s3.list_multipart_uploads(Bucket=BUCKET)["Uploads"]], ["o"])
        self.assert_refused("NoSuchKey", self.s3.get_object, Bucket=BUCKET, Key="o")

        def complete(*parts):
            return {**upload, "MultipartUpload": {"Parts": [{"PartNumber": number, "ETag": etag} for number, etag in parts]}}
        one, two = (2, first["ETag"]), (7, second["ETag"])
        self.assert_refused("InvalidPartOrder", self.s3.complete_multipart_upload, **complete(two, one))
        self.assert_refused("InvalidPart", self.s3.complete_multipart_upload, **complete(one, (7, '"other"')))
        self.assert_refused("InvalidPart", self.s3.complete_multipart_upload, **complete(one, (8, two[1])))
        self.assert_refused("EntityTooSmall", self.s3.complete_multipart_upload, **complete(two, (9, copied["CopyPartResult"]["ETag"])))
        done = self.s3.complete_multipart_upload(**complete(one, two))
        self.assertTrue(done["ETag"].endswith('-2"'), done)
        self.assertTrue(done["ChecksumSHA256"].endswith("-2"), done)
        self.assertEqual(self.read("o"), large + b"end")
        again = self.s3.complete_multipart_upload(**complete(one, two))
        self.assertEqual(again["ETag"], done["ETag"])
        self.put("o", b"newer")
        self.assert_refused("NoSuchUpload", self.s3.complete_multipart_upload, **complete(one, two))
        self.assertEqual([path.name for path in self.buckets.rglob("0000*")], [])

    def test_abort(self):
        upload = self.start()
        self.s3.upload_part(**upload, PartNumber=1, Body=b"x")
        self.assert_refused("NoSuchUpload", self.s3.upload_part, **{**upload, "Key": "other"}, PartNumber=1, Body=b"x")
        self.assert_refused("InvalidArgument", self.s3.upload_part, **upload, PartNumber=10001, Body=b"x")
        self.s3.abort_multipart_upload(**upload)
        self.assert_refused("NoSuchUpload", self.s3.upload_part, **upload, PartNumber=1, Body=b"x")
        self.assert_refused("NoSuchUpload", self.s3.abort_multipart_upload, **{**upload, "UploadId": "../../x"})
        self.s3.delete_bucket(Bucket=BUCKET)
        self.assertEqual([path for path in self.buckets.rglob("*") if path.is_file()], [])


class Crashes(BucketsTest):
    def test_a_killed_server_leaves_whole_objects(self):
        self.create()
        sizes = {}
        for kill in range(4):
            stop = threading.Event()
            writes = []
            counted = writes.__len__

            def write(client=self.s3, stop=stop, kill=kill, writes=writes):
                for n in itertools.count():
                    key, size = f"k{n % 3}/o", 1 + (n * 97 + kill) % 300_000
                    letter = bytes([97 + n % 26])
                    try:
                        client.put_object(Bucket=BUCKET, Key=key, Body=letter * size, Metadata={"size": str(size)})
                    except botocore.exceptions.BotoCoreError:
                        return
                    sizes[key] = (letter, size)
                    writes.append(key)
                    if stop.is_set() and n >= 3:
                        return
            writer = threading.Thread(target=write)
            writer.start()
            while len(sizes) < 3 or counted() < 5 + 3 * kill:  # not always at the same step
                time.sleep(0.001)
            self.server.kill()
            stop.set()
            writer.join()
            self.server = self.start_server()
            self.s3 = s3(url_of(self.server))
            listed = self.s3.list_objects_v2(Bucket=BUCKET)["Contents"]
            self.assertEqual([one["Key"] for one in listed], ["k0/o", "k1/o", "k2/o"])
            for one in listed:
                got = self.s3.get_object(Bucket=BUCKET, Key=one["Key"])
                body = got["Body"].read()
                self.assertEqual((len(set(body)), str(len(body))), (1, got["Metadata"]["size"]))
                self.assertEqual(got["ETag"], '"' + hashlib.md5(body).hexdigest() + '"')
            self.assertEqual(list(self.buckets.rglob("drafts/*")), [])


class ExportsAndImports(BucketsTest):
    """The operations of tables and the clients of S3 use the same folders."""
    KEYS = {"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}

    def storage(self):
        return ("--data", self.folder / "data")

    def setUp(self):
        super().setUp()
        self.create()
        self.tables = boto3.client("dynamodb", endpoint_url=self.server.url, config=botocore.client.Config(retries=NO_RETRIES))

    def awaited(self, describe, status):
        deadline = time.monotonic() + 60
        while (described := describe())[status] == "IN_PROGRESS":
            self.assertLess(time.monotonic(), deadline, f"it does not end: {described}")
            time.sleep(0.05)
        self.assertEqual(described[status], "COMPLETED", described)
        return described

    def import_into(self, table, **source):
        begun = self.tables.import_table(S3BucketSource={"S3Bucket": BUCKET, **source}, InputFormat="DYNAMODB_JSON",
                                         TableCreationParameters={"TableName": table, **self.KEYS})["ImportTableDescription"]
        arn = begun["ImportArn"]
        return self.awaited(lambda: self.tables.describe_import(ImportArn=arn)["ImportTableDescription"], "ImportStatus")

    def test_what_an_export_writes_is_read_by_clients_of_s3(self):
        self.tables.create_table(TableName="songs", **self.KEYS)
        self.tables.put_item(TableName="songs", Item={"id": {"S": "one"}})
        self.tables.update_continuous_backups(TableName="songs",
                                              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        table = self.tables.describe_table(TableName="songs")["Table"]["TableArn"]
        begun = self.tables.export_table_to_point_in_time(TableArn=table, S3Bucket=BUCKET, S3Prefix="a/b")["ExportDescription"]
        arn = begun["ExportArn"]
        export = self.awaited(lambda: self.tables.describe_export(ExportArn=arn)["ExportDescription"], "ExportStatus")
        listed = {one["Key"]: one["Size"] for one in self.s3.list_objects_v2(Bucket=BUCKET, Prefix="a/b/")["Contents"]}
        self.assertIn(export["ExportManifest"], listed)
        summary = json.loads(self.read(export["ExportManifest"]))
        self.assertEqual(summary["itemCount"], 1)
        files = [json.loads(line) for line in self.read(summary["manifestFilesS3Key"]).splitlines()]
        lines = []
        for one in files:
            data = self.s3.get_object(Bucket=BUCKET, Key=one["dataFileS3Key"])
            self.assertEqual(data["ContentLength"], listed[one["dataFileS3Key"]])
            lines += gzip.decompress(data["Body"].read()).splitlines()
        self.assertEqual([json.loads(line) for line in lines], [{"Item": {"id": {"S": "one"}}}])

    def test_what_clients_of_s3_put_is_imported(self):
        self.put("new/songs.json", b'{"Item":{"id":{"S":"two"},"n":{"N":"2"}}}\n', ContentType="application/json")
        self.put("other/songs.json", b'{"Item":{"id":{"S":"three"}}}\n')
        imported = self.import_into("again", S3KeyPrefix="new/")
        self.assertEqual((imported["ImportedItemCount"], imported["ErrorCount"]), (1, 0), imported)
        self.assertEqual(self.tables.scan(TableName="again")["Items"], [{"id": {"S": "two"}, "n": {"N": "2"}}])

    def test_what_the_server_keeps_of_objects_is_no_bucket(self):
        self.put("o", b"1")
        for bucket in (f"file://{self.buckets}/.tavola-objects/{BUCKET}", f"file://{self.buckets}"):
            with self.assertRaisesRegex(botocore.exceptions.ClientError, "is not a bucket"):
                self.import_into("stolen", S3Bucket=bucket)


class PresignedUrls(BucketsTest):
    def more_options(self):
        keys = self.folder / "keys.txt"
        keys.write_text(f"{harness.ACCESS_KEY} {harness.SECRET_KEY}\nREADER readersecret read-only\n"
                        "TABLES tablessecret tables=Orders\n")
        keys.chmod(0o600)
        return ("--credentials", keys)

    def presign(self, operation, seconds=300, client=None, **parameters):
        return (client or self.s3).generate_presigned_url(operation, {"Bucket": BUCKET, **parameters}, ExpiresIn=seconds)

    def test_put_and_get(self):
        self.create()
        key = "files/ü a+b.txt"
        url = self.presign("put_object", Key=key)
        self.assertEqual(fetch(url, "PUT", b"text")[0], 200)
        self.assertEqual(self.read(key), b"text")
        self.assertEqual(fetch(self.presign("get_object", Key=key))[2], b"text")
        self.assertEqual(fetch(self.presign("get_object", Key=key, ResponseContentType="text/x"))[1]["Content-Type"], "text/x")
        self.assertEqual(fetch(self.presign("head_object", Key=key), "HEAD")[0], 200)
        self.assertEqual(fetch(self.presign("delete_object", Key=key), "DELETE")[0], 204)
        self.assertEqual(fetch(self.presign("list_objects_v2"))[0], 200)

    def assert_forbidden(self, words, url, method="GET", body=None, headers=None):
        status, _, text = fetch(url, method, body, headers)
        self.assertEqual(status, 403, text)
        self.assertIn(words, text)

    def test_what_the_signature_covers(self):
        self.create()
        self.put("o", b"1")
        url = self.presign("get_object", Key="o")
        self.assert_forbidden(b"SignatureDoesNotMatch", url, "PUT", b"2")
        self.assert_forbidden(b"SignatureDoesNotMatch", url.replace("/o?", "/p?"))
        self.assert_forbidden(b"SignatureDoesNotMatch", url + "&response-content-type=text/html")
        self.assert_forbidden(b"SignatureDoesNotMatch", url.replace("Expires=300", "Expires=900"))
        port = urllib.parse.urlsplit(self.url).port
        self.assert_forbidden(b"SignatureDoesNotMatch", url, headers={"Host": f"localhost:{port}"})
        self.assert_forbidden(b"not signed: x-amz-meta-a", self.presign("put_object", Key="o"), "PUT", b"2", {"x-amz-meta-a": "1"})
        typed = self.presign("put_object", Key="o", ContentType="text/plain")
        self.assert_forbidden(b"SignatureDoesNotMatch", typed, "PUT", b"2", {"Content-Type": "text/html"})
        self.assertEqual(fetch(typed, "PUT", b"2", {"Content-Type": "text/plain"})[0], 200)
        self.assert_forbidden(b"InvalidAccessKeyId", self.presign("get_object", Key="o", client=s3(self.url, "NOBODY")))
        self.assert_forbidden(b"SignatureDoesNotMatch", self.presign("get_object", Key="o", client=s3(self.url, secret="no")))
        self.assertIn(b"AWS4-HMAC-SHA256", fetch(self.presign("get_object", Key="o", client=s3(self.url, signature_version="s3")))[2])
        self.assert_forbidden(b"AccessDenied", self.url + "/photos/o")

    def test_expiry(self):
        self.create()
        self.put("o", b"1")
        self.assert_forbidden(b"Request has expired", expired_url(self.url))
        status, _, text = fetch(self.presign("get_object", 604801, Key="o"))
        self.assertEqual((status, b"AuthorizationQueryParametersError" in text), (400, True))

    def test_limited_keys(self):
        self.create()
        self.put("o", b"1")
        reader = s3(self.url, "READER", "readersecret")
        self.assertEqual(reader.get_object(Bucket=BUCKET, Key="o")["Body"].read(), b"1")
        self.assert_refused("AccessDenied", reader.put_object, Bucket=BUCKET, Key="o", Body=b"2")
        self.assert_refused("AccessDenied", reader.delete_object, Bucket=BUCKET, Key="o")
        tables = s3(self.url, "TABLES", "tablessecret")
        self.assert_refused("AccessDenied", tables.get_object, Bucket=BUCKET, Key="o")
        self.assert_refused("SignatureDoesNotMatch", s3(self.url, secret="wrong").get_object, Bucket=BUCKET, Key="o")
        self.assertEqual(self.read("o"), b"1")

    def signed_headers(self, method, url, body):
        request = botocore.awsrequest.AWSRequest(method, url, data=body)
        keys = botocore.credentials.Credentials(harness.ACCESS_KEY, harness.SECRET_KEY)
        botocore.auth.S3SigV4Auth(keys, "s3", "local").add_auth(request)
        return dict(request.headers)

    def test_the_body_is_covered(self):
        self.create()
        self.put("kept")

        def delete(key):
            return f"<Delete><Object><Key>{key}</Key></Object></Delete>".encode()
        # A body that is streamed to the disk, and one that is held in memory.
        for method, path, body, forged in (("PUT", "/o", b"signed", b"forged"), ("POST", "?delete=", delete("o"), delete("kept"))):
            url = f"{self.url}/{BUCKET}{path}"
            headers = self.signed_headers(method, url, body)
            status, _, text = fetch(url, method, forged, headers)
            self.assertEqual((status, b"XAmzContentSHA256Mismatch" in text), (400, True), text)
            status, _, text = fetch(url, method, body, headers)
            self.assertEqual(status, 200, text)
        self.assertEqual([one["Key"] for one in self.s3.list_objects_v2(Bucket=BUCKET)["Contents"]], ["kept"])


class SignedChunks(BucketsTest):
    """STREAMING-AWS4-HMAC-SHA256-PAYLOAD: each chunk of a body has a signature, which covers that of the one before."""
    CHUNKS = (b"a" * 65536, b"b" * 1024, b"")

    def more_options(self):
        keys = self.folder / "keys.txt"
        keys.write_text(f"{harness.ACCESS_KEY} {harness.SECRET_KEY}\n")
        keys.chmod(0o600)
        return ("--credentials", keys)

    def upload(self, key, damage=lambda chunks: chunks):
        """Puts an object in chunks of (bytes, signature), which `damage` may change after they were signed."""
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = f"{moment[:8]}/{harness.REGION}/s3/aws4_request"
        signing_key = ("AWS4" + harness.SECRET_KEY).encode()
        for part in scope.split("/"):
            signing_key = hmac.digest(signing_key, part.encode(), "sha256")

        def sign(*lines):
            return hmac.digest(signing_key, "\n".join(lines).encode(), "sha256").hex()
        headers = {"content-encoding": "aws-chunked", "host": urllib.parse.urlsplit(self.url).netloc,
                   "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "x-amz-date": moment,
                   "x-amz-decoded-content-length": str(sum(map(len, self.CHUNKS)))}
        names = ";".join(headers)
        canonical = "\n".join(("PUT", f"/{BUCKET}/{key}", "", *(f"{name}:{value}" for name, value in headers.items()), "",
                               names, headers["x-amz-content-sha256"]))
        signature = sign("AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest())
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={harness.ACCESS_KEY}/{scope}, SignedHeaders={names}, "
                                    f"Signature={signature}")
        signed = []
        for chunk in self.CHUNKS:
            signature = sign("AWS4-HMAC-SHA256-PAYLOAD", moment, scope, signature, hashlib.sha256(b"").hexdigest(),
                             hashlib.sha256(chunk).hexdigest())
            signed.append((chunk, signature))
        body = b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (len(chunk), signature.encode(), chunk)
                        for chunk, signature in damage(signed))
        return fetch(f"{self.url}/{BUCKET}/{key}", "PUT", body, headers)

    def test_whole_chunks_are_stored(self):
        self.create()
        status, headers, text = self.upload("good")
        self.assertEqual(status, 200, text)
        body = b"".join(self.CHUNKS)
        self.assertEqual(headers["ETag"], '"' + hashlib.md5(body).hexdigest() + '"')
        got = self.s3.get_object(Bucket=BUCKET, Key="good")
        self.assertEqual((got["Body"].read(), got.get("ContentEncoding")), (body, None))

    def test_damaged_chunks_are_refused(self):
        self.create()
        self.put("o", b"older")
        first, second, last = range(3)

        def other_bytes(at):
            return lambda chunks: [(b"x" + chunk[1:] if n == at else chunk, signature)
                                   for n, (chunk, signature) in enumerate(chunks)]
        damages = {"bytes of the first": other_bytes(first), "bytes of the second": other_bytes(second),
                   "signature": lambda chunks: [chunks[first], (chunks[second][0], "0" * 64), chunks[last]],
                   "signature of the last": lambda chunks: [*chunks[:last], (b"", "0" * 64)],
                   "order": lambda chunks: [chunks[second], chunks[first], chunks[last]]}
        for name, damage in damages.items():
            with self.subTest(damage=name):
                status, _, text = self.upload("o", damage)
                self.assertEqual((status, b"<Code>SignatureDoesNotMatch</Code>" in text), (403, True), text)
        for name, kept in (("the second", slice(0, 1)), ("the last", slice(0, 2))):
            with self.subTest(missing=name):
                status, _, text = self.upload("o", lambda chunks, kept=kept: chunks[kept])
                self.assertEqual((status, b"<Code>IncompleteBody</Code>" in text), (400, True), text)
        self.assertEqual(self.read("o"), b"older")
        self.assertEqual(list(self.buckets.rglob("drafts/*")), [])


def expired_url(url):
    """Returns a presigned URL for photos/o that was valid for a minute, an hour ago."""
    request = botocore.awsrequest.AWSRequest("GET", f"{url}/{BUCKET}/o")
    keys = botocore.credentials.Credentials(harness.ACCESS_KEY, harness.SECRET_KEY)
    auth = botocore.auth.S3SigV4QueryAuth(keys, "s3", harness.REGION, expires=60)
    hour_ago = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() - 3600))
    request.context["timestamp"] = hour_ago
    auth._inject_signature_to_request = lambda request, signature: None  # signed below, with the older time
    request.context["signing"] = {}
    auth._modify_request_before_signing(request)
    request.url = re.sub(r"X-Amz-Date=[0-9TZ]+", "X-Amz-Date=" + hour_ago, request.url)
    request.url = re.sub(r"%2F\d{8}%2F", "%2F" + hour_ago[:8] + "%2F", request.url)
    request.context["timestamp"] = hour_ago
    string_to_sign = auth.string_to_sign(request, auth.canonical_request(request))
    return request.url + "&X-Amz-Signature=" + auth.signature(string_to_sign, request)


class WithoutCredentials(BucketsTest):
    def test_any_signature_will_do_unless_the_url_has_expired(self):
        self.create()
        self.put("o", b"1")
        url = self.s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": "o"})
        self.assertEqual(fetch(url)[2], b"1")
        status, _, text = fetch(expired_url(self.url))
        self.assertEqual((status, b"Request has expired" in text), (403, True))
        self.assertEqual(fetch(f"{self.url}/{BUCKET}/o")[0], 403)
        without_lifetime = re.sub(r"X-Amz-Expires=\d+&", "", url)
        self.assertEqual(fetch(without_lifetime)[0], 400)

    def test_web_pages(self):
        self.create()
        url = self.s3.generate_presigned_url("put_object", {"Bucket": BUCKET, "Key": "o"})
        asked = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "PUT",
                 "Access-Control-Request-Headers": "content-type"}
        status, headers, _ = fetch(url, "OPTIONS", headers=asked)
        self.assertEqual((status, headers["Access-Control-Allow-Origin"], headers["Access-Control-Allow-Methods"]),
                         (200, "http://localhost:3000", "PUT"))
        status, headers, _ = fetch(url, "PUT", b"1", {"Origin": "http://localhost:3000"})
        self.assertEqual((status, headers["Access-Control-Expose-Headers"]), (200, "*"))
        self.assertEqual(fetch(url, "PUT", b"2", {"Origin": "https://evil.example"})[0], 403)
        self.assertEqual(self.read("o"), b"1")


class TheAwsCli(BucketsTest):
    def aws(self, *words, check=True):
        done = subprocess.run(["aws", "--endpoint-url", self.url, *map(str, words)], capture_output=True, text=True,
                              timeout=120, check=False, cwd=self.folder)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_cp_sync_and_presign(self):
        self.aws("s3", "mb", f"s3://{BUCKET}")
        tree = self.folder / "tree"
        for name in ("one.txt", "sub/two.txt", "sub/three ü.txt"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(name)
        self.aws("s3", "sync", "tree", f"s3://{BUCKET}/tree")
        self.assertEqual(self.aws("s3", "sync", "tree", f"s3://{BUCKET}/tree").stdout, "")
        (tree / "one.txt").unlink()
        self.aws("s3", "sync", "--delete", "tree", f"s3://{BUCKET}/tree")
        self.aws("s3", "sync", f"s3://{BUCKET}/tree", "back")
        self.assertEqual((self.folder / "back/sub/three ü.txt").read_text(), "sub/three ü.txt")
        self.assertFalse((self.folder / "back/one.txt").exists())
        self.assertIn("PRE tree/", self.aws("s3", "ls", f"s3://{BUCKET}").stdout)
        self.aws("s3", "mv", f"s3://{BUCKET}/tree/sub/two.txt", f"s3://{BUCKET}/two")
        self.assertEqual(self.aws("s3", "cp", f"s3://{BUCKET}/two", "-").stdout, "sub/two.txt")
        self.aws("s3", "rb", "--force", f"s3://{BUCKET}")


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""Signs requests with botocore, AWS's own signer, and prints them: for each its length, then its bytes as HTTP.

signature_test.cc runs it and verifies every one. Fails with 77 where there is no botocore.
"""
import sys

try:
    from botocore.auth import SigV4Auth, SigV4QueryAuth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
except ImportError:
    sys.exit(77)

BODY = b'{"TableName":"Music","Key":{"Artist":{"S":"No One You Know"}}}'
TARGET = {"X-Amz-Target": "DynamoDB_20120810.GetItem", "Content-Type": "application/x-amz-json-1.0"}


def requests():
    """(method, url, headers, body, session token, signer) of every request."""
    url = "http://localhost:8000/"
    yield "POST", url, TARGET, BODY, None, SigV4Auth
    yield "POST", url, TARGET, b"", None, SigV4Auth
    yield "POST", url, TARGET, "{\"x\":\"räksmörgås 💾\"}".encode(), None, SigV4Auth
    yield "POST", url, TARGET, bytes(range(256)), None, SigV4Auth
    yield "POST", url, {**TARGET, "X-Spaced": "  a   b \t c  "}, BODY, None, SigV4Auth
    yield "POST", url, TARGET, BODY, "a/session+token==", SigV4Auth
    yield "GET", url + "a%20b/%C3%BC/c+d/../e/./f//g/", {}, b"", None, SigV4Auth
    yield "GET", url + "?b=2&a=1&a=0&empty=&c=x%2Fy%20z~-._", {}, b"", None, SigV4Auth
    yield "POST", url, TARGET, BODY, None, SigV4QueryAuth
    yield "GET", url + "path?b=2&a=%2F", {}, b"", "a/session+token==", SigV4QueryAuth


def signed(method, url, headers, body, token, signer):
    request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
    signer(Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token), "dynamodb",
           "eu-central-1").add_auth(request)
    prepared = request.prepare()
    target = prepared.url.removeprefix("http://localhost:8000")
    lines = [f"{method} {target} HTTP/1.1".encode(), b"Host: localhost:8000"]
    for name, value in prepared.headers.items():
        if name.lower() not in ("host", "content-length"):
            value = value if isinstance(value, bytes) else value.encode()
            lines.append(name.encode() + b": " + value)
    body = prepared.body or b""  # of a presigned URL it went into the query
    lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def main():
    for request in requests():
        text = signed(*request)
        sys.stdout.buffer.write(b"%d\n" % len(text) + text)


if __name__ == "__main__":
    main()

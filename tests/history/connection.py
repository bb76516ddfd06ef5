"""A minimal persistent HTTP connection to a DynamoDB endpoint: clients of a test should cost less than the server.

    connection = Connection("127.0.0.1", 8000)
    answer = connection.call("GetItem", {"TableName": "t", "Key": {"pk": {"S": "a"}}})

Requests are not signed; the Authorization header only has the form of a signature.
"""
import json
import socket
import struct
import urllib.parse
from typing import NamedTuple

TIMEOUT_SECONDS = 60  # a server that takes longer hangs
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=test/20260101/local/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64)


class Broken(Exception):
    """The connection ended before the response was complete: the result of the request is unknown."""


class Answer(NamedTuple):
    status: int
    body: dict

    @property
    def error(self):
        """Returns the name of the exception; empty if there is none."""
        return self.body.get("__type", "").rpartition("#")[2] if self.status != 200 else ""


def address_of(url):
    parts = urllib.parse.urlsplit(url)
    return parts.hostname, parts.port


def request_bytes(operation, body):
    """Returns a whole request; `body` is a dict or JSON text."""
    text = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    return (f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
            f"X-Amz-Target: DynamoDB_20120810.{operation}\r\nX-Amz-Date: 20260101T000000Z\r\n"
            f"Authorization: {AUTHORIZATION}\r\nContent-Length: {len(text)}\r\n\r\n").encode() + text


def split_answer(data):
    """Returns (status, body, rest) of the first response in `data`; None while it is incomplete."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[:end].lower()
    at = head.find(b"content-length:")
    length = int(head[at + 15:].split(b"\r\n", 1)[0]) if at >= 0 else 0
    whole = end + 4 + length
    if len(data) < whole:
        return None
    return int(head[9:12]), data[end + 4:whole], data[whole:]


class Connection:
    def __init__(self, host, port):
        self.address = (host, port)
        self.socket = None
        self.unread = b""

    def open(self):
        if self.socket is None:
            try:
                self.socket = socket.create_connection(self.address, TIMEOUT_SECONDS)
            except OSError as problem:
                raise Broken(f"cannot connect: {problem}") from None
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.unread = b""
        return self.socket

    def close(self):
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def reset(self):
        """Vanishes: the server gets a reset instead of a proper end."""
        if self.socket is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close()

    def send(self, operation, body):
        try:
            self.open().sendall(request_bytes(operation, body))
        except OSError as problem:
            self.close()
            raise Broken(str(problem)) from None

    def receive(self):
        while (parts := split_answer(self.unread)) is None:
            try:
                data = self.socket.recv(1 << 18)
            except OSError as problem:
                self.close()
                raise Broken(str(problem)) from None
            if not data:
                self.close()
                raise Broken("the server closed the connection")
            self.unread += data
        status, body, self.unread = parts
        return Answer(status, json.loads(body))

    def call(self, operation, body):
        self.send(operation, body)
        return self.receive()

    def must(self, operation, body):
        """Returns the response's body; anything but success ends the program."""
        answer = self.call(operation, body)
        if answer.status != 200:
            raise SystemExit(f"{operation} was answered with {answer.status} {answer.body}")
        return answer.body

    def get(self, path):
        """Returns the text at a path, e.g. /metrics."""
        try:
            self.open().sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            while (parts := split_answer(self.unread)) is None:
                data = self.socket.recv(1 << 18)
                if not data:
                    raise Broken("the server closed the connection")
                self.unread += data
        except OSError as problem:
            self.close()
            raise Broken(str(problem)) from None
        _, body, self.unread = parts
        return body.decode()

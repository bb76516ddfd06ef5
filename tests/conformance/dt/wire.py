"""A small HTTP/1.1 client: it sends the request of a case, well formed or not, and reads the response."""
import datetime
import gzip
import socket
import ssl
import urllib.parse
from dataclasses import dataclass

TIMEOUT_SECONDS = 10
TARGET = "DynamoDB_20120810."
STREAMS_TARGET = "DynamoDBStreams_20120810."
STREAMS_OPERATIONS = ("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords")


class WireError(Exception):
    """The server could not be reached, or its response was not HTTP."""


@dataclass
class Response:
    status: int
    headers: dict  # names in lower case
    body: bytes


def default_headers(operation):
    """Returns the headers of an SDK. The signature has the right form only."""
    now = datetime.datetime.now(datetime.timezone.utc)
    scope = f"{now:%Y%m%d}/us-east-1/dynamodb/aws4_request"
    signed = "content-type;host;x-amz-date;x-amz-target"
    return {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": (STREAMS_TARGET if operation in STREAMS_OPERATIONS else TARGET) + (operation or "ListTables"),
        "x-amz-date": f"{now:%Y%m%dT%H%M%SZ}",
        "authorization": f"AWS4-HMAC-SHA256 Credential=conformance/{scope}, SignedHeaders={signed}, "
                         f"Signature={'0123456789abcdef' * 4}",
    }


class Connection:
    """One connection, opened on demand and kept as long as the server keeps it."""

    def __init__(self, endpoint):
        url = urllib.parse.urlsplit(endpoint)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise WireError(f"{endpoint} is no endpoint: expected http://HOST:PORT")
        self.secure = url.scheme == "https"
        self.host = url.hostname
        self.port = url.port or (443 if self.secure else 80)
        self.authority = url.netloc
        self.socket = None
        self.buffer = b""

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None
        self.buffer = b""

    def call(self, operation, body):
        """Sends an operation with its JSON text."""
        return self.send("POST", "/", default_headers(operation), body.encode())

    def send(self, method, path, headers, body, sending=()):
        """Sends one request and reads its response; retries once on a kept connection that was closed."""
        data, rest = self.compose(method, path, headers, body, sending)
        was_open = self.socket is not None
        try:
            return self.exchange(data, rest, "in-pieces" in sending)
        except (ConnectionError, EOFError) as problem:
            self.close()
            if not was_open:
                raise WireError(f"{self.authority} closed the connection: {problem or 'no answer'}") from None
        try:
            return self.exchange(data, rest, "in-pieces" in sending)
        except (ConnectionError, EOFError) as problem:
            self.close()
            raise WireError(f"{self.authority} closed the connection: {problem or 'no answer'}") from None

    def compose(self, method, path, headers, body, sending):
        """Returns the bytes of a request, and those that wait for "100 Continue"."""
        headers = {"host": self.authority, **headers}
        if "gzip" in sending:
            body = gzip.compress(body, mtime=0)
            headers["content-encoding"] = "gzip"
        if "chunked" in sending:
            headers["transfer-encoding"] = "chunked"
            pieces = [body[i:i + 7] for i in range(0, len(body), 7)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        elif method not in ("GET", "OPTIONS", "HEAD") or body:
            headers.setdefault("content-length", str(len(body)))
        if "100-continue" in sending:
            headers["expect"] = "100-continue"
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        data = head.encode() + b"\r\n"
        return (data, body) if "100-continue" in sending else (data + body, b"")

    def exchange(self, data, rest, in_pieces):
        self.open()
        if in_pieces:
            for i in range(0, len(data), 100):
                self.socket.sendall(data[i:i + 100])
        else:
            self.send_all(data)
        response = self.read_response()
        while response.status == 100:
            self.send_all(rest)
            response = self.read_response()
        if response.headers.get("connection", "").lower() == "close":
            self.close()
        return response

    def send_all(self, data):
        """A server may respond, and close, before it has read everything."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def open(self):
        if self.socket is not None:
            return
        try:
            self.socket = socket.create_connection((self.host, self.port), TIMEOUT_SECONDS)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.secure:
                self.socket = ssl.create_default_context().wrap_socket(self.socket, server_hostname=self.host)
        except OSError as problem:
            raise WireError(f"cannot connect to {self.authority}: {problem}") from None

    # ---- Reading ----

    def read_response(self):
        head = self.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        words = head[0].split(" ", 2)
        if not words[0].startswith("HTTP/1.") or len(words) < 2 or not words[1].isdigit():
            raise WireError(f"not an HTTP response: {head[0]!r}")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        status = int(words[1])
        return Response(status, headers, b"" if status in (100, 204, 304) else self.read_body(headers))

    def read_body(self, headers):
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.read_until(b"\r\n").split(b";")[0], 16):
                body += self.read_bytes(size)
                self.read_bytes(2)
            self.read_until(b"\r\n")
        elif "content-length" in headers:
            body = self.read_bytes(int(headers["content-length"]))
        else:
            body = self.read_rest()
        return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body

    def read_until(self, end):
        while end not in self.buffer:
            self.receive()
        line, self.buffer = self.buffer.split(end, 1)
        return line

    def read_bytes(self, size):
        while len(self.buffer) < size:
            self.receive()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def read_rest(self):
        try:
            while True:
                self.receive()
        except EOFError:
            data, self.buffer = self.buffer, b""
            self.close()
            return data

    def receive(self):
        try:
            data = self.socket.recv(1 << 16)
        except TimeoutError:
            self.close()
            raise WireError(f"{self.authority} did not answer within {TIMEOUT_SECONDS} s") from None
        if not data:
            raise EOFError
        self.buffer += data

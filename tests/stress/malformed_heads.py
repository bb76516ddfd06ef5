"""Requests that are broken as HTTP. Each maker takes a random.Random and returns a Case.

A case may be refused or cut off. If it hides a second request behind an ambiguous length, that request writes into the
table that must not change: this reveals request smuggling.
"""
from dataclasses import dataclass

from connection import AUTHORIZATION, request_bytes
from valid_requests import SMUGGLED, some_request


@dataclass
class Case:
    data: bytes
    kind: str
    must_be_refused: bool = False  # a response of 200 would be wrong
    must_be_answered: bool = False  # silence would be wrong
    answers_before: int = 0        # valid requests that come first on the same connection


def split(request):
    head, _, body = request.partition(b"\r\n\r\n")
    return head.split(b"\r\n"), body


def join(lines, body):
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def without(lines, name):
    return [line for line in lines if not line.lower().startswith(name.lower() + b":")]


def chunked(body, size=10):
    return b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + size]), body[i:i + size])
                    for i in range(0, len(body), size)) + b"0\r\n\r\n"


# ---- Heads ----

REQUEST_LINES = [
    b"", b" ", b"POST", b"POST /", b"POST / HTTP", b"POST / HTTP/", b"POST / HTTP/9.9", b"POST / HTTP/1.1 ",
    b"POST  /  HTTP/1.1", b"POST\t/\tHTTP/1.1", b"post / HTTP/1.1", b"P\x00ST / HTTP/1.1", b"POST / http/1.1",
    b"POST / HTTP/1.1\x00", b"POST /\x00 HTTP/1.1", b"POST /\xff HTTP/1.1", b"POST \xc3\xa9 HTTP/1.1",
    b"POST http:// HTTP/1.1", b"POST * HTTP/1.1", b"CONNECT a:1 HTTP/1.1", b"TRACE / HTTP/1.1", b"PRI * HTTP/2.0",
    b"GET / HTTP/0.9", b"GET /", b"M" * 10_000 + b" / HTTP/1.1", b"POST /" + b"a" * 60_000 + b" HTTP/1.1",
    b"POST / HTTP/1.1\r", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"HTTP/1.1 200 OK", b"POST / HTTP/1.10",
    b"POST / HTTP/-1.1", b"POST /../../etc/passwd HTTP/1.1", b"{\"TableName\":\"kept\"}",
]


def broken_request_line(random):
    lines, body = split(some_request(random))
    lines[0] = random.choice(REQUEST_LINES)
    return Case(join(lines, body), "request line")


HEADERS = [
    b"Host", b": value", b" : value", b"Name : value", b"\x00: value", b"Name: a\x00b", b"Name: a\rb", b"Name: a\nb: c",
    b" folded", b"\tfolded", b"Na me: x", b"Name\xff: x", b"(): x", b"Transfer-Encoding", b"Content-Length:",
    b"Host: a\r\nHost: b", b"X: " + b"y" * 40_000, b"y" * 40_000 + b": x", b"Content-Encoding: br",
    b"Expect: 200-maybe", b"Connection: close, keep-alive, upgrade", b"Upgrade: h2c\r\nHTTP2-Settings: AAAA",
    b"Range: bytes=0-", b"X-Amz-Target:", b"Content-Type: text/html", b"X: \x7f\x01\x02", b"Transfer-Encoding: gzip",
]


def broken_header(random):
    lines, body = split(some_request(random))
    lines.insert(random.randrange(1, len(lines) + 1), random.choice(HEADERS))
    return Case(join(lines, body), "header")


FOREIGN = [
    (b"Host", b"evil.example"), (b"Host", b"localhost.evil.example"), (b"Host", b"10.0.0.1:8000"), (b"Host", b""),
    (b"Origin", b"https://evil.example"), (b"Origin", b"null"), (b"Origin", b"http://localhost.evil.example:8000"),
]


def foreign_name(random):
    """A web page that calls the server by its own host name, or that comes from another machine."""
    lines, body = split(some_request(random))
    name, value = random.choice(FOREIGN)
    lines = [lines[0], name + b": " + value, *without(lines, name)[1:]]
    return Case(join(lines, body), "foreign " + name.decode(), must_be_refused=True, must_be_answered=True)


def many_headers(random):
    lines, body = split(some_request(random))
    lines[1:1] = [b"X-%d: y" % i for i in range(random.choice((150, 1000, 5000)))]
    return Case(join(lines, body), "many headers", must_be_refused=True)


def wrong_ends_of_lines(random):
    lines, body = split(some_request(random))
    end = random.choice((b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r", b"\x0b\r\n", b"\x85"))
    return Case(end.join(lines) + end + end + body, "ends of lines")


def wrong_authorization(random):
    lines, body = split(some_request(random))
    value = random.choice((
        b"", b"AWS4-HMAC-SHA256", b"Basic QWxhZGRpbg==", b"AWS4-HMAC-SHA256 Credential=, SignedHeaders=, Signature=",
        AUTHORIZATION.encode()[:random.randrange(len(AUTHORIZATION))], AUTHORIZATION.encode() * 3, b"\xff" * 50,
        b"AWS4-HMAC-SHA256 " + b"Credential=a/b/c/d/aws4_request," * 200))
    return Case(join([*without(lines, b"Authorization"), b"Authorization: " + value], body), "authorization")


def wrong_target(random):
    lines, body = split(some_request(random))
    value = random.choice((b"", b"DynamoDB_20120810", b"DynamoDB_20120810.", b".", b"DynamoDB_20120810.getitem",
                           b"DynamoDB_20111205.GetItem", b"DynamoDB_20120810.GetItem.GetItem", b"x" * 5000,
                           b"DynamoDB_20120810.G\xc3\xa9tItem", b"DynamoDBStreams_20120810.GetItem",
                           b"DynamoDB_20120810.DropAllTables"))
    return Case(join([*without(lines, b"X-Amz-Target"), b"X-Amz-Target: " + value], body), "target",
                must_be_refused=True, must_be_answered=True)


# ---- Lengths ----

LENGTHS = [b"-1", b"+5", b"0x10", b"1e2", b"5 5", b"5,6", b"", b" ", b"99999999999999999999999", b"18446744073709551616",
           b"9223372036854775808", b"4294967296", b"five", b"\xd9\xa1", b"1_0", b"5;", b"17000000", b"1.0"]


def wrong_length(random):
    lines, body = split(some_request(random))
    value = random.choice(LENGTHS)
    return Case(join([*without(lines, b"Content-Length"), b"Content-Length: " + value], body), "length",
                must_be_refused=True)


def longer_than_it_is(random):
    lines, body = split(some_request(random))
    length = len(body) + random.choice((1, 2, 10, 1000, 1_000_000))
    return Case(join([*without(lines, b"Content-Length"), b"Content-Length: %d" % length], body), "length too long",
                must_be_refused=True)


def shorter_than_it_is(random):
    lines, body = split(some_request(random))
    length = random.randrange(len(body))
    return Case(join([*without(lines, b"Content-Length"), b"Content-Length: %d" % length], body), "length too short")


CHUNKS = [
    b"5\r\nhello", b"5\r\nhello\r\n", b"5\r\nhelloo\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n",
    b"0x5\r\nhello\r\n0\r\n\r\n", b"g\r\nhello\r\n0\r\n\r\n", b"\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\nhello",
    b"10000000000000000\r\nhello", b"7fffffffffffffff\r\nhi", b"5\nhello\n0\n\n", b"5\r\nhello\r\n0\r\nTrailer\r\n\r\n",
    b"5;" + b"x" * 50_000 + b"\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n" + b"T: x\r\n" * 5000 + b"\r\n",
    b"1000001\r\n", b"0" * 40_000 + b"5\r\nhello\r\n0\r\n\r\n", b"5;a=\"\r\nhello\r\n0\r\n\r\n",
    b"5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n", b"5\rhello\r\n0\r\n\r\n",
]


def wrong_chunks(random):
    lines, _ = split(some_request(random))
    return Case(join([*without(lines, b"Content-Length"), b"Transfer-Encoding: chunked"], random.choice(CHUNKS)),
                "chunks", must_be_refused=True)


def broken_chunks(random):
    """A good body in chunks, with a few bytes changed."""
    lines, body = split(some_request(random))
    data = bytearray(chunked(body, random.choice((1, 7, 100))))
    for _ in range(random.randrange(1, 4)):
        data[random.randrange(len(data))] = random.randrange(256)
    return Case(join([*without(lines, b"Content-Length"), b"Transfer-Encoding: chunked"], bytes(data)), "chunks changed")


# ---- Two requests in one ----

AMBIGUOUS = [
    b"Content-Length: %(short)d\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: %(short)d",
    b"Content-Length: %(short)d\r\nContent-Length: %(long)d", b"Content-Length: %(long)d\r\nContent-Length: %(short)d",
    b"Content-Length: %(short)d\r\nContent-Length: %(short)d", b"Content-Length: %(short)d, %(short)d",
    b"Content-Length: %(short)d, %(long)d", b"Content-Length: %(short)d\r\nTransfer-Encoding : chunked",
    b"Content-Length: %(short)d\r\nTransfer-Encoding: xchunked", b"Content-Length: %(short)d\r\nTransfer-Encoding: identity",
    b"Content-Length: %(short)d\r\n Transfer-Encoding: chunked", b"Content-Length: %(short)d\r\nTransfer-Encoding:\x0bchunked",
    b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: identity, chunked", b"Transfer-Encoding: \"chunked\"", b"Transfer-Encoding: chunked;q=1",
    b"Content-Length: %(short)d\nTransfer-Encoding: chunked", b"Content-Length : %(short)d",
    b"Content-Length: %(short)d\r\nX: y\rTransfer-Encoding: chunked", b"Content-Length: +%(short)d",
    b"Content-Length: %(short)d\x00", b"Transfer-Encoding: \xe2\x85\xbdhunked\r\nContent-Length: %(short)d",
]


def ambiguous_length(random):
    lines, _ = split(some_request(random))
    first = b"0\r\n\r\n"
    lengths = {b"short": len(first), b"long": len(first + SMUGGLED)}
    head = random.choice(AMBIGUOUS) % lengths
    return Case(join([*without(lines, b"Content-Length"), head], first + SMUGGLED), "two lengths", must_be_refused=True)


# ---- Anything ----

def truncated(random):
    request = some_request(random)
    return Case(request[:random.randrange(len(request))], "truncated", must_be_refused=True)


def bytes_changed(random):
    data = bytearray(some_request(random))
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        at = random.randrange(len(data))
        change = random.randrange(4)
        if change == 0:
            data[at] = random.randrange(256)
        elif change == 1:
            del data[at:at + random.randrange(1, 10)]
        elif change == 2:
            data[at:at] = bytes(random.randrange(256) for _ in range(random.randrange(1, 10)))
        else:
            data[at:at] = data[at:at + random.randrange(1, 50)]
        if not data:
            data = bytearray(b"?")
    return Case(bytes(data), "bytes changed")


def noise(random):
    return Case(random.randbytes(random.choice((1, 10, 1000, 20_000))), "noise", must_be_refused=True)


def second_of_two(random):
    """A valid request, and a bad one on the same connection: the first gets its response."""
    good = request_bytes("ListTables", {})
    return Case(good + random.choice((broken_request_line, wrong_length, wrong_chunks, bytes_changed, noise))(random).data,
                "second of two", answers_before=1)


MAKERS = [broken_request_line, broken_header, foreign_name, many_headers, wrong_ends_of_lines, wrong_authorization,
          wrong_target, wrong_length, longer_than_it_is, shorter_than_it_is, wrong_chunks, broken_chunks, ambiguous_length, truncated,
          bytes_changed, noise, second_of_two]

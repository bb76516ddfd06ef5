"""The operations that are measured, and the requests that make them: signed as an SDK signs, made before the run."""
import datetime
import hashlib
import hmac
import json
import random
import string
from dataclasses import dataclass
from typing import Callable

TABLE = "bench"
PARTITIONS = 100
PARTITION_ITEMS = 100  # what a query returns
ITEM_BYTES = 1000
BATCH = 25
TRANSACTION = 4
REGION = "us-east-1"
# AWS's own example key. One of the peers verifies signatures, and knows this one; the others take any.
ACCESS_KEY, SECRET_KEY = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@dataclass
class Operation:
    name: str
    api: str
    body: Callable            # of a random.Random
    writes: bool = False
    variants: int = 1000      # requests that differ, replayed in turn
    many: bool = False        # of those that move many items: the higher goal


def key(chance):
    return {"pk": {"S": f"partition{chance.randrange(PARTITIONS):04}"},
            "sk": {"S": f"item{chance.randrange(PARTITION_ITEMS):04}"}}


def item(chance, of_key=None):
    """About a kilobyte: a few short attributes and a text."""
    text = "".join(chance.choices(string.ascii_letters + string.digits, k=ITEM_BYTES - 120))
    return {**(of_key or key(chance)), "n": {"N": str(chance.randrange(1_000_000))}, "flag": {"BOOL": True},
            "tags": {"SS": ["blue", "green"]}, "text": {"S": text}}


def keys(chance, count):
    chosen = {}
    while len(chosen) < count:
        one = key(chance)
        chosen[one["pk"]["S"] + one["sk"]["S"]] = one
    return list(chosen.values())


def update(chance, of_key=None):
    return {"TableName": TABLE, "Key": of_key or key(chance), "UpdateExpression": "SET flag = :f ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":f": {"BOOL": False}}}


OPERATIONS = [
    Operation("get", "GetItem", lambda chance: {"TableName": TABLE, "Key": key(chance)}),
    Operation("batch get of 25", "BatchGetItem",
              lambda chance: {"RequestItems": {TABLE: {"Keys": keys(chance, BATCH)}}}, many=True),
    Operation("query 100 x 1 KB", "Query", lambda chance: {
        "TableName": TABLE, "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": key(chance)["pk"]}}, many=True),
    Operation("scan page of 1 MB", "Scan", lambda chance: {"TableName": TABLE, "ExclusiveStartKey": key(chance)}
              if chance.random() < 0.5 else {"TableName": TABLE}, many=True, variants=100),
    Operation("put", "PutItem", lambda chance: {"TableName": TABLE, "Item": item(chance)}, writes=True),
    Operation("conditional put", "PutItem", lambda chance: {
        "TableName": TABLE, "Item": item(chance), "ConditionExpression": "attribute_exists(pk) AND n >= :zero",
        "ExpressionAttributeValues": {":zero": {"N": "0"}}}, writes=True),
    Operation("update", "UpdateItem", update, writes=True),
    Operation("batch write of 25", "BatchWriteItem", lambda chance: {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": item(chance, one)}} for one in keys(chance, BATCH)]}},
              writes=True, many=True, variants=200),
    Operation("transaction of 4", "TransactWriteItems", lambda chance: {
        "TransactItems": [{"Update": update(chance, one)} for one in keys(chance, TRANSACTION)]}, writes=True),
]


# ---- Requests ----

def digest(secret, text):
    return hmac.new(secret, text.encode(), hashlib.sha256).digest()


class Signer:
    """Signature Version 4, for one server."""

    def __init__(self, authority):
        now = datetime.datetime.now(datetime.timezone.utc)
        self.authority = authority
        self.time, day = f"{now:%Y%m%dT%H%M%SZ}", f"{now:%Y%m%d}"
        self.scope = f"{day}/{REGION}/dynamodb/aws4_request"
        self.secret = b"AWS4" + SECRET_KEY.encode()
        for part in (day, REGION, "dynamodb", "aws4_request"):
            self.secret = digest(self.secret, part)

    def request(self, api, body):
        """The bytes of a request."""
        text = json.dumps(body, separators=(",", ":"))
        target = f"DynamoDB_20120810.{api}"
        names = "content-type;host;x-amz-date;x-amz-target"
        canonical = (f"POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:{self.authority}\nx-amz-date:{self.time}\n"
                     f"x-amz-target:{target}\n\n{names}\n{hashlib.sha256(text.encode()).hexdigest()}")
        to_sign = f"AWS4-HMAC-SHA256\n{self.time}\n{self.scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = digest(self.secret, to_sign).hex()
        return (f"POST / HTTP/1.1\r\nHost: {self.authority}\r\nContent-Type: application/x-amz-json-1.0\r\n"
                f"X-Amz-Target: {target}\r\nX-Amz-Date: {self.time}\r\n"
                f"Authorization: AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{self.scope}, SignedHeaders={names}, "
                f"Signature={signature}\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode()


def write_requests(operation, authority, path):
    """The file that replay.lua reads; the same bodies for every server."""
    chance = random.Random(operation.name)
    signer = Signer(authority)
    with open(path, "wb") as out:
        for _ in range(operation.variants):
            request = signer.request(operation.api, operation.body(chance))
            out.write(b"%d\n%s" % (len(request), request))


def table_request():
    names = ("pk", "sk")
    return {"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]}


def loads():
    """BatchWriteItem bodies that fill the table."""
    chance = random.Random("load")
    everything = [{"pk": {"S": f"partition{partition:04}"}, "sk": {"S": f"item{number:04}"}}
                  for partition in range(PARTITIONS) for number in range(PARTITION_ITEMS)]
    for first in range(0, len(everything), BATCH):
        yield {"RequestItems": {TABLE: [{"PutRequest": {"Item": item(chance, one)}}
                                        for one in everything[first:first + BATCH]]}}

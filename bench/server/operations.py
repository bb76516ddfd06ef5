"""The measured operations and their requests: signed like those of an SDK, made before the run."""
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
PARTITION_ITEMS = 100  # the result of a query
ITEM_BYTES = 1000
BATCH = 25
TRANSACTION = 4
INSERTED = 400         # statements that insert, before as many that delete: so many that none overtakes its other one
STREAM_PAGE = 1000     # records, the most that GetRecords returns
REGION = "us-east-1"
# AWS's own example key. One of the peers verifies signatures, and knows this one; the others accept any.
ACCESS_KEY, SECRET_KEY = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@dataclass
class Operation:
    name: str
    api: str
    body: Callable            # of a random.Random, and of what `ready` returned, if there is one
    writes: bool = False
    variants: int = 1000      # requests that differ, replayed in turn
    many: bool = False        # of those that move many items: the higher goal
    warms_up: bool = True     # may be sent before it is measured
    ready: Callable = None    # of the server, before the first request; raises NotThere when the server does not have it


class NotThere(Exception):
    """The server does not have the operation."""


def ask(server, api, body):
    """Returns the response of a server; raises NotThere if it has none."""
    status, text = server.call(api, body)
    if status != 200:
        raise NotThere(f"{api}: {status} {text[:200]}")
    return json.loads(text)


def key(chance):
    return {"pk": {"S": f"partition{chance.randrange(PARTITIONS):04}"},
            "sk": {"S": f"item{chance.randrange(PARTITION_ITEMS):04}"}}


def item(chance, of_key=None):
    """Returns about a kilobyte: a few short attributes and a text."""
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


def has_statements(server):
    ask(server, "ExecuteStatement", {"Statement": f'SELECT * FROM "{TABLE}" WHERE pk = \'none\' AND sk = \'none\''})


def inserted_key(number):
    return {"pk": {"S": "inserted"}, "sk": {"S": f"item{number:04}"}}


def nothing_inserted(server):
    has_statements(server)
    for first in range(0, INSERTED, BATCH):
        ask(server, "BatchWriteItem", {"RequestItems": {TABLE: [
            {"DeleteRequest": {"Key": inserted_key(number)}} for number in range(first, first + BATCH)]}})


def statement(text, *parameters):
    return {"Statement": text, "Parameters": list(parameters)}


def select(chance, _):
    one = key(chance)
    return statement(f'SELECT * FROM "{TABLE}" WHERE pk = ? AND sk = ?', one["pk"], one["sk"])


def insert_and_delete():
    """Alternates inserts and deletions: an insert of an existing item would be refused."""
    number = 0

    def body(chance, _):
        nonlocal number
        turn, number = number, number + 1
        one = inserted_key(turn % INSERTED)
        if turn // INSERTED % 2:
            return statement(f'DELETE FROM "{TABLE}" WHERE pk = ? AND sk = ?', one["pk"], one["sk"])
        full = item(chance, one)
        fields = ", ".join(f"'{name}': ?" for name in full)
        return statement(f'INSERT INTO "{TABLE}" VALUE {{{fields}}}', *full.values())
    return body


def streamed_table(view):
    """Creates a second table, with a stream, and fills it like the first."""
    name = f"{TABLE}-{view.lower()}"

    def ready(server):
        if server.call("DescribeTable", {"TableName": name})[0] != 200:
            ask(server, "CreateTable", {**table_request(), "TableName": name, "StreamSpecification": {
                "StreamEnabled": True, "StreamViewType": view}})
            for body in loads(name):
                ask(server, "BatchWriteItem", body)
        return name
    return ready


def stream_pages(server):
    """Returns the iterators at the beginning of a stream's shards."""
    name = streamed_table("NEW_AND_OLD_IMAGES")(server)
    found = ask(server, "ListStreams", {"TableName": name})["Streams"]
    if not found:
        raise NotThere("ListStreams lists none")
    arn = found[0]["StreamArn"]
    shards = ask(server, "DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    return [ask(server, "GetShardIterator", {"StreamArn": arn, "ShardId": shard["ShardId"],
                                             "ShardIteratorType": "TRIM_HORIZON"})["ShardIterator"] for shard in shards]


def put_into(chance, table):
    return {"TableName": table, "Item": item(chance)}


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
    Operation("statement: select by key", "ExecuteStatement", select, ready=has_statements),
    Operation("statement: insert, delete", "ExecuteStatement", insert_and_delete(), writes=True, variants=2 * INSERTED,
              ready=nothing_inserted, warms_up=False),
    Operation("put, stream of keys", "PutItem", put_into, writes=True, ready=streamed_table("KEYS_ONLY")),
    Operation("put, stream of images", "PutItem", put_into, writes=True, ready=streamed_table("NEW_AND_OLD_IMAGES")),
    Operation("records, a page of 1 MB", "GetRecords", lambda chance, pages: {
        "ShardIterator": chance.choice(pages), "Limit": STREAM_PAGE}, many=True, variants=100, ready=stream_pages),
]

STREAMS = {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}  # of the streams service


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
        """Returns the bytes of a request."""
        text = json.dumps(body, separators=(",", ":"))
        target = f"{'DynamoDBStreams' if api in STREAMS else 'DynamoDB'}_20120810.{api}"
        names = "content-type;host;x-amz-date;x-amz-target"
        canonical = (f"POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:{self.authority}\nx-amz-date:{self.time}\n"
                     f"x-amz-target:{target}\n\n{names}\n{hashlib.sha256(text.encode()).hexdigest()}")
        to_sign = f"AWS4-HMAC-SHA256\n{self.time}\n{self.scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = digest(self.secret, to_sign).hex()
        return (f"POST / HTTP/1.1\r\nHost: {self.authority}\r\nContent-Type: application/x-amz-json-1.0\r\n"
                f"X-Amz-Target: {target}\r\nX-Amz-Date: {self.time}\r\n"
                f"Authorization: AWS4-HMAC-SHA256 Credential={ACCESS_KEY}/{self.scope}, SignedHeaders={names}, "
                f"Signature={signature}\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode()


def write_requests(operation, authority, path, context=None):
    """Writes the file that replay.lua reads, with equal bodies for every server. `context` is the result of
    operation.ready."""
    chance = random.Random(operation.name)
    signer = Signer(authority)
    with open(path, "wb") as out:
        for _ in range(operation.variants):
            body = operation.body(chance, context) if operation.ready else operation.body(chance)
            request = signer.request(operation.api, body)
            out.write(b"%d\n%s" % (len(request), request))


def table_request():
    names = ("pk", "sk")
    return {"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]}


def loads(table=TABLE):
    """Yields BatchWriteItem bodies that fill a table."""
    chance = random.Random("load")
    everything = [{"pk": {"S": f"partition{partition:04}"}, "sk": {"S": f"item{number:04}"}}
                  for partition in range(PARTITIONS) for number in range(PARTITION_ITEMS)]
    for first in range(0, len(everything), BATCH):
        yield {"RequestItems": {table: [{"PutRequest": {"Item": item(chance, one)}}
                                        for one in everything[first:first + BATCH]]}}

"""Valid requests, to be damaged. They write into a separate table, which may change."""
from connection import request_bytes

KEPT, SCRATCH = "kept", "scratch"
KEY = {"pk": {"S": "a"}}
ITEM = {**KEY, "text": {"S": "h\u00e9llo \u65e5\u672c \U0001f389"}, "number": {"N": "-12.50e3"}, "flag": {"BOOL": True},
        "nothing": {"NULL": True}, "bytes": {"B": "AAEC"}, "texts": {"SS": ["x", "y"]}, "numbers": {"NS": ["1", "2"]},
        "list": {"L": [{"N": "1"}, {"M": {"deep": {"L": [{"S": "er"}]}}}]}}
VALUES = {":v": {"N": "1"}}

BODIES = [
    ("GetItem", {"TableName": SCRATCH, "Key": KEY, "ConsistentRead": True, "ProjectionExpression": "#t, list[1].deep",
                 "ExpressionAttributeNames": {"#t": "text"}, "ReturnConsumedCapacity": "TOTAL"}),
    ("PutItem", {"TableName": SCRATCH, "Item": ITEM, "ReturnValues": "ALL_OLD",
                 "ConditionExpression": "attribute_not_exists(pk) OR #n < :v",
                 "ExpressionAttributeNames": {"#n": "number"}, "ExpressionAttributeValues": VALUES}),
    ("UpdateItem", {"TableName": SCRATCH, "Key": KEY, "ReturnValues": "UPDATED_NEW",
                    "UpdateExpression": "SET #c = if_not_exists(#c, :v) + :v, #l = list_append(#l, :l) REMOVE x",
                    "ConditionExpression": "attribute_exists(pk) AND size(#l) BETWEEN :v AND :n",
                    "ExpressionAttributeNames": {"#c": "count", "#l": "list"},
                    "ExpressionAttributeValues": {**VALUES, ":l": {"L": [{"S": "e"}]}, ":n": {"N": "100"}}}),
    ("DeleteItem", {"TableName": SCRATCH, "Key": {"pk": {"S": "b"}}, "Expected": {"v": {"Exists": False}}}),
    ("Query", {"TableName": SCRATCH, "KeyConditionExpression": "pk = :pk", "FilterExpression": "contains(texts, :x)",
               "ExpressionAttributeValues": {":pk": {"S": "a"}, ":x": {"S": "x"}}, "Limit": 10,
               "ExclusiveStartKey": KEY, "ScanIndexForward": False}),
    ("Scan", {"TableName": SCRATCH, "Limit": 5, "Segment": 0, "TotalSegments": 4, "Select": "COUNT"}),
    ("BatchWriteItem", {"RequestItems": {SCRATCH: [{"PutRequest": {"Item": ITEM}},
                                                   {"DeleteRequest": {"Key": {"pk": {"S": "b"}}}}]}}),
    ("BatchGetItem", {"RequestItems": {SCRATCH: {"Keys": [KEY, {"pk": {"S": "b"}}], "AttributesToGet": ["text"]}}}),
    ("TransactWriteItems", {"TransactItems": [
        {"Put": {"TableName": SCRATCH, "Item": ITEM}},
        {"ConditionCheck": {"TableName": SCRATCH, "Key": {"pk": {"S": "c"}}, "ConditionExpression": "number = :v",
                            "ExpressionAttributeValues": VALUES}}], "ClientRequestToken": "token"}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": SCRATCH, "Key": KEY}}]}),
    ("CreateTable", {"TableName": SCRATCH, "BillingMode": "PROVISIONED",
                     "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}),
    ("UpdateTable", {"TableName": SCRATCH, "BillingMode": "PAY_PER_REQUEST"}),
    ("DescribeTable", {"TableName": SCRATCH}),
    ("ListTables", {"Limit": 10, "ExclusiveStartTableName": "abc"}),
    ("UpdateTimeToLive", {"TableName": "absent", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}}),
    ("TagResource", {"ResourceArn": "arn:aws:dynamodb:local:000000000000:table/" + SCRATCH,
                     "Tags": [{"Key": "k", "Value": "v"}]}),
]

# The forbidden write into the table that must not change, hidden in another request.
SMUGGLED = request_bytes("PutItem", {"TableName": KEPT, "Item": {"pk": {"S": "smuggled"}}})


def some_request(random):
    return request_bytes(*random.choice(BODIES))

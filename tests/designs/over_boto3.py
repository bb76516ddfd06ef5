"""Patterns and operations request by request through boto3: `tavola design explain` gives the requests, AWS's own
client sends them, and the responses are interpreted without the server. So the designs run without Tavola.
"""
import collections
import decimal
import json
import pathlib
import re
import subprocess

import computed
from cases import Answer, plain_item, to_text

WISH = "ReturnValuesOnConditionCheckFailure"  # of a single write; boto3 knows it since 2023
TRIES_MAX = 10
KEYS_MAX = 100  # of a BatchGetItem
CALLS = {"GetItem": "get_item", "Query": "query", "Scan": "scan", "PutItem": "put_item", "UpdateItem": "update_item",
         "DeleteItem": "delete_item", "TransactWriteItems": "transact_write_items"}
USAGE_ERROR, REFUSED = 2, 3


class OverBoto3:
    """One table on which cases run, one after the other. Explanations are kept from case to case, because most of the time
    would go to starting the program; a second call in one case gets another explanation, with other generated ids."""

    name = "boto3"

    def __init__(self, program, client, case_file, clock):
        self.program = program
        self.client = client
        self.case_file = case_file
        self.clock = clock
        self.ignore = case_file.unstored()  # an item does not show fields that only its keys hold
        self.explained = {}  # the program's results, by call, time and number of the call in its case
        self.calls = collections.Counter()  # of the current case

    def begin(self):
        """Begins a case, with an empty table."""
        self.calls.clear()

    def close(self):
        pass

    def explain(self, name, parameters, found=None):
        """Returns the output of the program, or an Answer if it refuses."""
        command = [self.program, "design", "explain", self.case_file.design_file, name, "--format", "json",
                   "--clock", self.clock]
        command += [f"{parameter}={to_text(value)}" for parameter, value in parameters.items() if value is not None]
        if found is not None:
            command += ["--found", "-"]
        done = self.run_once(command, found)
        if done.returncode == 0:
            return json.loads(done.stdout, parse_float=decimal.Decimal)
        if done.returncode == REFUSED:
            return Answer(refused=re.match(r"refused: (\w+)", done.stderr)[1])
        if done.returncode == USAGE_ERROR:
            return Answer(invalid=done.stderr)
        raise AssertionError(f"{command}: {done.stderr}")

    def run_once(self, command, found):
        call = (*command, found, pathlib.Path(self.clock).read_text())
        self.calls[call] += 1
        key = call, self.calls[call]
        if key not in self.explained:
            self.explained[key] = subprocess.run(command, input=found, capture_output=True, text=True, check=False)
        return self.explained[key]

    def send(self, sent):
        request = dict(sent["request"])
        members = self.client.meta.service_model.operation_model(sent["operation"]).input_shape.members
        if WISH not in members:
            request.pop(WISH, None)
        return getattr(self.client, CALLS[sent["operation"]])(**request)

    # ---- Patterns ----

    def ask(self, name, parameters, limit):
        explained = self.explain(name, parameters)
        if isinstance(explained, Answer):
            return explained
        pattern = self.case_file.patterns()[name]
        if "aggregate" in pattern:
            items = [plain_item(item) for sent in explained["requests"] for item in self.read(sent)]
            return Answer(computed.rows(pattern, items, parameters, limit))
        if explained["requests"][0]["operation"] == "GetItem":
            item = self.send(explained["requests"][0]).get("Item")
            return Answer(plain_item(item) if item else None)
        items = []
        for sent in explained["requests"]:
            items += [plain_item(item) for item in self.pages(sent, limit)]
        if "follow" in pattern:
            return Answer(self.followed(pattern, items))
        if "get" in pattern:  # with a filter it is a query for one key
            return Answer(items[0] if items else None)
        return Answer(items)

    def followed(self, pattern, items):
        """Returns the items that the references of `items` name, without those that do not exist."""
        table = self.case_file.design["table"]["name"]
        keys = [computed.followed(pattern, self.case_file.design, item) for item in items]
        unique = [{name: {"S": value} for name, value in key} for key in {tuple(key.items()) for key in keys}]
        found = {}
        while unique:
            answer = self.client.batch_get_item(RequestItems={table: {"Keys": unique[:KEYS_MAX]}})
            for item in map(plain_item, answer["Responses"][table]):
                found[tuple(item[name] for name in self.keys())] = item
            unique = unique[KEYS_MAX:] + answer["UnprocessedKeys"].get(table, {}).get("Keys", [])
        wanted = [tuple(key[name] for name in self.keys()) for key in keys]
        return [found[key] for key in wanted if key in found]

    def pages(self, sent, limit=None):
        request = dict(sent["request"])
        if limit:
            request["Limit"] = int(limit)
        while True:
            page = self.send({"operation": sent["operation"], "request": request})
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    # ---- Operations ----

    def perform(self, name, parameters):
        for _ in range(TRIES_MAX):
            answer = self.attempt(name, parameters)
            if answer is not None:
                return answer
        raise AssertionError(f"{name} did not come to an end")

    def attempt(self, name, parameters):
        """One round of reads and writes; None if something changed between them."""
        # Without any parameter, the program would explain the operation in general.
        explained = self.explain(name, parameters, found=None if parameters else "[]")
        if isinstance(explained, Answer):
            return explained
        found = []
        while "reads" in explained:  # the second time for consequences
            found += [self.read(sent) for sent in explained["reads"]]
            explained = self.explain(name, parameters, found=json.dumps(found))
            if isinstance(explained, Answer):
                return explained
        return self.write(explained)

    def read(self, sent):
        if sent["operation"] == "GetItem":
            item = self.send(sent).get("Item")
            return [item] if item else []
        return list(self.pages(sent))

    def write(self, explained):
        while explained["writes"] is not None:
            cause = self.try_to_write(explained)
            if cause is None:
                break
            if cause["kind"] == "refusal":
                return Answer(refused=cause["name"])
            if cause["kind"] == "changed":
                return None
            leave_out(explained, cause["action"])  # a counter whose item is missing
        result = explained["result"]
        if explained.get("readBack"):
            result |= plain_item(self.send(explained["readBack"]).get("Item", {}))
        return Answer(result)

    def try_to_write(self, explained):
        """Returns the cause of the failure; None if it was written."""
        try:
            self.send(explained["writes"])
            return None
        except self.client.exceptions.ConditionalCheckFailedException:
            return self.cause(explained, 0, explained["writes"]["request"])
        except self.client.exceptions.TransactionCanceledException as error:
            reasons = error.response["CancellationReasons"]
        for number, reason in enumerate(reasons):
            if reason["Code"] == "ConditionalCheckFailed":
                (action,) = explained["writes"]["request"]["TransactItems"][number].values()
                return self.cause(explained, number, action)
        raise AssertionError(f"cancelled: {reasons}")

    def cause(self, explained, number, action):
        """Finds the part of an action's condition that fails: each is tested alone."""
        causes = [cause for cause in explained["causes"] if cause["action"] == number]
        for cause in causes[:-1]:
            if not self.holds(cause["condition"], action):
                return cause
        return causes[-1]

    def holds(self, condition, action):
        check = {"TableName": action["TableName"], "ConditionExpression": condition,
                 "Key": action.get("Key") or {key: action["Item"][key] for key in self.keys()}}
        for member, pattern in (("ExpressionAttributeNames", r"#\w+"), ("ExpressionAttributeValues", r":\w+")):
            used = {name: action[member][name] for name in set(re.findall(pattern, condition))}
            if used:
                check[member] = used
        try:
            self.send({"operation": "TransactWriteItems", "request": {"TransactItems": [{"ConditionCheck": check}]}})
            return True
        except self.client.exceptions.TransactionCanceledException:
            return False

    def keys(self):
        table = self.case_file.design["table"]
        parts = [table[part] for part in ("hash", "range") if part in table]
        return [part if isinstance(part, str) else part["name"] for part in parts]


def leave_out(explained, number):
    actions = explained["writes"]["request"]["TransactItems"]
    del actions[number]
    explained["causes"] = [dict(cause, action=cause["action"] - (cause["action"] > number))
                           for cause in explained["causes"] if cause["action"] != number]
    if not actions:
        explained["writes"] = None

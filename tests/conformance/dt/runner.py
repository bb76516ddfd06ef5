"""Runs the cases of a file against an endpoint.

The tables of a file are created before its first case and deleted after its last; their content is restored before
each case. Everything goes over one connection, so a file's cases see each other's effects in order.
"""
import json
import re
import time
import zlib
from dataclasses import dataclass, field

from dt import wire
from dt.match import describe, differences, message_fits, parse_json, show
from dt.notation import NotationError, Text, interpolate, to_json

WAIT_SECONDS = 300  # for a table, on a service that takes its time
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "ExecuteStatement",
          "BatchExecuteStatement", "ExecuteTransaction"}
READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "DescribeTable", "ListTables",
         "DescribeTimeToLive", "ListTagsOfResource"}


class SetUpError(Exception):
    """The tables of a file could not be created, filled, emptied or deleted."""


@dataclass
class Failure:
    place: str  # file:line
    name: str
    lines: list


@dataclass
class Outcome:
    """The result of a file."""
    path: object
    passed: int = 0
    failures: list = field(default_factory=list)
    problem: str = None  # why nothing could be run
    seconds: float = 0.0


@dataclass
class Settings:
    endpoint: str
    run_id: str
    filter: object = None
    patience_seconds: float = 0.0  # how long a read may take to see a write
    strict: bool = False  # of several messages only the first is accepted


class FileRun:
    def __init__(self, case_file, settings):
        self.file = case_file
        self.settings = settings
        self.connection = wire.Connection(settings.endpoint)
        names = [table.name for table in case_file.tables] + case_file.created
        self.table_names = {name: f"dt-{case_file.topic}-{name}" for name in names}
        self.keys = {}  # the names of the key attributes, by table
        self.items = {}  # the initial items of a case, by table and key

    def run(self):
        outcome = Outcome(self.file.path)
        started = time.monotonic()
        cases = [case for case in self.file.cases if self.is_wanted(case)]
        try:
            if cases:
                self.set_up()
                for case in cases:
                    self.run_and_reset(case, outcome)
        except (SetUpError, wire.WireError) as problem:
            outcome.problem = str(problem)
        finally:
            self.tear_down(outcome)
        outcome.seconds = time.monotonic() - started
        return outcome

    def is_wanted(self, case):
        return self.settings.filter is None or self.settings.filter.search(f"{self.file.topic}: {case.name}")

    def run_and_reset(self, case, outcome):
        variables = {**self.table_names, "run": self.settings.run_id, **case.variables}
        self.given(case, variables)
        failure = self.run_case(case, variables)
        if failure is None:
            outcome.passed += 1
        else:
            outcome.failures.append(failure)
        if case.given or any(step.request.operation in WRITES or step.request.text for step in case.steps):
            self.reset()
        for name in self.file.created:
            self.drop(self.table_names[name])

    # ---- Tables ----

    def call(self, operation, request):
        """Calls an operation for the runner itself; returns (None or the error's type, the JSON)."""
        response = self.connection.call(operation, request if isinstance(request, str) else json.dumps(request))
        body = parse_json(response.body.decode() or "{}")
        if response.status == 200:
            return None, body
        return str(body.get("__type", response.status)).split("#")[-1], body

    def must(self, operation, request):
        error, body = self.call(operation, request)
        if error:
            raise SetUpError(f"{self.file.path}: {operation} {show(request)} failed: {show(body)}")
        return body

    def set_up(self):
        for table in self.file.tables:
            name = self.table_names[table.name]
            self.drop(name)
            table_request = to_json(table.request, {})
            self.must("CreateTable", '{"TableName":' + json.dumps(name) + "," + table_request[1:])
            key = parse_json(table_request)["KeySchema"]
            self.keys[table.name] = [element["AttributeName"] for element in key]
            self.items[table.name] = {}
        for table in self.file.tables:
            self.wait_until_active(self.table_names[table.name])
        for table, item, _ in self.file.items:
            text = self.put(table, item, self.table_names)
            self.items[table][self.key_of(table, parse_json(text))] = text
        for name in self.file.created:
            self.drop(self.table_names[name])

    def tear_down(self, outcome):
        try:
            for name in self.table_names.values():
                self.drop(name, wait=False)
        except (SetUpError, wire.WireError) as problem:
            outcome.problem = outcome.problem or str(problem)
        self.connection.close()

    def wait_until_active(self, name):
        """Polls at once, then at growing intervals: a local server is not slowed down."""
        deadline = time.monotonic() + WAIT_SECONDS
        pause = 0.001
        while time.monotonic() < deadline:
            error, body = self.call("DescribeTable", {"TableName": name})
            if error:
                return
            table = body["Table"]
            indexes = table.get("GlobalSecondaryIndexes", [])
            states = [table["TableStatus"]] + [index.get("IndexStatus", "ACTIVE") for index in indexes]
            if all(state == "ACTIVE" for state in states):
                return
            time.sleep(pause)
            pause = min(pause * 2, 1.0)
        raise SetUpError(f"{self.file.path}: table {name} did not become ACTIVE")

    def drop(self, name, wait=True):
        """Deletes a table if it exists, protected or not."""
        error, body = self.call("DeleteTable", {"TableName": name})
        if error == "ValidationException" and "protect" in show(body):
            self.must("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
            error, body = self.call("DeleteTable", {"TableName": name})
        if error == "ResourceNotFoundException":
            return
        deadline = time.monotonic() + WAIT_SECONDS
        while error == "ResourceInUseException" and time.monotonic() < deadline:
            # An import may create the table only now: it was ACTIVE or missing shortly before.
            self.wait_until_active(name)
            time.sleep(0.001)
            error, body = self.call("DeleteTable", {"TableName": name})
        if error and error != "ResourceNotFoundException":
            raise SetUpError(f"{self.file.path}: table {name} cannot be deleted: {show(body)}")
        if wait:
            self.wait_until_gone(name)

    def wait_until_gone(self, name):
        deadline = time.monotonic() + WAIT_SECONDS
        pause = 0.001
        while self.call("DescribeTable", {"TableName": name})[0] is None:
            if time.monotonic() > deadline:
                raise SetUpError(f"{self.file.path}: table {name} is not gone")
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    # ---- Items ----

    def put(self, table, item, variables):
        text = to_json(item, variables)
        self.must("PutItem", '{"TableName":' + json.dumps(self.table_names[table]) + ',"Item":' + text + "}")
        return text

    def key_of(self, table, item):
        return json.dumps({name: item[name] for name in self.keys[table]})

    def given(self, case, variables):
        for table, item, _ in case.given:
            self.put(table, item, variables)

    def reset(self):
        """Restores every table to its state before the case."""
        for table, wanted in self.items.items():
            missing = dict(wanted)
            for item in self.all_items(table):
                key = self.key_of(table, item)
                text = missing.get(key)
                if text is not None and parse_json(text) == item:
                    del missing[key]
                elif text is None:
                    self.must("DeleteItem", {"TableName": self.table_names[table], "Key": json.loads(key)})
            for text in missing.values():
                self.must("PutItem", '{"TableName":' + json.dumps(self.table_names[table]) + ',"Item":' + text + "}")

    def all_items(self, table):
        """Returns the items of a table; the keys alone if nothing is to be kept."""
        request = {"TableName": self.table_names[table], "ConsistentRead": True}
        if not self.items[table]:
            names = {f"#k{i}": name for i, name in enumerate(self.keys[table])}
            request |= {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}
        items = []
        while True:
            page = self.must("Scan", request)
            items += page["Items"]
            if "LastEvaluatedKey" not in page:
                return items
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    # ---- Steps ----

    def run_case(self, case, variables):
        """Returns None, or the first failure."""
        for step in case.steps:
            line = step.expected.line if not case.variables else case.line
            place = f"{self.file.path}:{line}"
            try:
                found = self.run_step(step, variables)
            except (KeyError, NotationError, TypeError, wire.WireError) as problem:
                found = [f"{self.file.path}:{step.request.line}: {problem.args[0]}"]
            if found:
                return Failure(place, case.name, found)
        return None

    def run_step(self, step, variables):
        patience = self.settings.patience_seconds if step.request.operation in READS else 0
        deadline = time.monotonic() + patience
        while True:
            method, path, headers, body = self.compose(step.request, variables)
            response = self.connection.send(method, path, headers, body, step.request.sending)
            captured = dict(variables)
            found = check(step.expected, response, captured, self.settings.strict)
            if not found:
                variables.update(captured)
                if response.status == 200:
                    self.settle(step.request, variables)
                return []
            if time.monotonic() >= deadline:
                return found + self.describe(step, method, path, headers, body, response, variables)
            time.sleep(0.2)

    def compose(self, request, variables):
        headers = wire.default_headers(request.operation) if request.method == "POST" else {}
        for name, value in request.headers:
            headers[name] = interpolate(value, variables)
        for name in request.without:
            headers.pop(name, None)
        if request.text is not None:
            body = interpolate(request.text, variables)
        else:
            body = to_json(request.body, variables) if request.body is not None else ""
        return request.method, interpolate(request.path, variables), headers, body.encode()

    def settle(self, request, variables):
        """Waits until a table that a step created, changed or deleted has its final state."""
        member = {"CreateTable": "TableName", "UpdateTable": "TableName", "DeleteTable": "TableName",
                  "RestoreTableFromBackup": "TargetTableName",
                  "RestoreTableToPointInTime": "TargetTableName"}.get(request.operation)
        if member is None:
            return
        named = [value for name, value in request.body.pairs if name == member and isinstance(value, Text)]
        for name in named:
            table = interpolate(name.value, variables).split("/")[-1]
            if request.operation == "DeleteTable":
                self.wait_until_gone(table)
            else:
                self.wait_until_active(table)

    def describe(self, step, method, path, headers, body, response, variables):
        """Returns the request and the response, for people."""
        target = headers.get("x-amz-target", "").removeprefix(wire.TARGET)
        lines = [f"request   {target or method + ' ' + path} {shorten(body)}"]
        if step.expected.body is not None:
            lines.append("expected  " + describe(step.expected.body, variables))
        elif step.expected.error and response.status == 200:
            message = interpolate(" or ".join(step.expected.messages), variables)
            lines.append(f"expected  {step.expected.status} {step.expected.error}: {message}")
        lines.append(f"response  {response.status} {shorten(response.body)}")
        return lines


def shorten(data, length=1500):
    text = data.decode(errors="replace")
    return text if len(text) <= length else f"{text[:length]}… ({len(data)} bytes)"


# ---- A response ----

def check(expected, response, variables, strict=False):
    """Returns the problems of a response, as lines."""
    found = []
    if response.status != expected.status:
        found.append(f"status: expected {expected.status}, got {response.status}")
        if 200 in (response.status, expected.status):
            return found  # the rest differs too, of course
    found += check_headers(expected, response, variables)
    text = response.body.decode(errors="replace")
    if expected.text is not None:
        wanted = interpolate(expected.text, variables)
        fits = pattern_fits(wanted.rstrip(), text.rstrip())
        return found if fits else found + [f"body: expected {wanted!r}, got {text!r}"]
    if expected.body is None and expected.error is None:
        return found
    try:
        body = parse_json(text)
    except ValueError as problem:
        return found + [f"body: is no JSON ({problem}): {shorten(response.body)!r}"]
    if expected.error:
        return found + check_error(expected, body, variables, strict)
    return found + differences(expected.body, body, variables)


def check_error(expected, body, variables, strict):
    if not isinstance(body, dict):
        return [f"body: expected an error, got {show(body)}"]
    found = []
    kind = str(body.get("__type", "")).split("#")[-1]
    if kind != expected.error:
        found.append(f"__type: expected {expected.error}, got {body.get('__type')}")
    message = body.get("message", body.get("Message"))
    messages = expected.messages[:1] if strict else expected.messages
    wanted = [interpolate(text, variables) for text in messages]
    if wanted and not any(message_fits(text, message) for text in wanted):
        found.append("message: is another")
        found += [f"    expected  {text}" for text in wanted] + [f"    got       {message}"]
    rest = {name: value for name, value in body.items() if name not in ("__type", "message", "Message")}
    if expected.members is not None:
        found += differences(expected.members, rest, variables)
    else:
        found += [f"{name}: is not expected, got {show(value)}" for name, value in rest.items()]
    return found


def check_headers(expected, response, variables):
    found = []
    for name, wanted in expected.headers:
        actual = response.headers.get(name)
        wanted = interpolate(wanted, variables)
        if actual is None:
            found.append(f"header {name}: is missing")
        elif not header_fits(wanted, actual, response):
            found.append(f"header {name}: expected {wanted}, got {actual}")
    found += [f"header {name}: is not expected, got {response.headers[name]}"
              for name in expected.no_headers if name in response.headers]
    return found


def header_fits(wanted, actual, response):
    if wanted == "<crc32>":
        return actual == str(zlib.crc32(response.body))
    return pattern_fits(wanted, actual)


def pattern_fits(wanted, actual):
    """Returns whether text matches, where … stands for anything."""
    pattern = ".*".join(re.escape(piece) for piece in wanted.split("…"))
    return re.fullmatch(pattern, actual, re.DOTALL) is not None

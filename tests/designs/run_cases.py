#!/usr/bin/env python3
"""Runs the cases of a design twice against a server: by name through /v1, and request by request through boto3.

    tests/designs/run_cases.py PATH/TO/tavola designs/NAME.cases.yaml [--only WORDS] [--results FILE] [--front tavola|dynoxide]

With --front the server stands in front of another one, which knows no design.
Prints the failures, one line for each case and way. The results list the requirements (`covers`) that have passed.
"""
import argparse
import contextlib
import json
import os
import pathlib
import sys
import tempfile

import boto3
import botocore.config

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/designs"), str(ROOT / "tests/upstream/dynoxide")]

import cases  # noqa: E402
from access import SECRETS, Access  # noqa: E402
from over_boto3 import OverBoto3  # noqa: E402
from over_http import OverHttp  # noqa: E402
from server import Server  # noqa: E402

CONFIG = botocore.config.Config(retries={"mode": "legacy", "max_attempts": 0}, read_timeout=60)


class Clock:
    """The time that the server and the program read from a file."""

    def __init__(self, folder):
        self.file = pathlib.Path(folder) / "clock"

    def set(self, moment):
        draft = self.file.with_suffix(".new")
        draft.write_text(moment)
        os.replace(draft, self.file)


class Bench:
    """A table that is created again for every case."""

    def __init__(self, client, case_file, clock):
        self.client = client
        self.case_file = case_file
        self.clock = clock
        self.table = case_file.design["table"]["name"]
        description = client.describe_table(TableName=self.table)["Table"]
        self.definition = create_request(description)
        self.keys = [element["AttributeName"] for element in description["KeySchema"]]

    def clear(self):
        self.client.delete_table(TableName=self.table)
        self.client.create_table(**self.definition)
        self.clock.set(self.case_file.now)

    def raw(self, key):
        key = {name: {"N": str(value)} if not isinstance(value, str) else {"S": value} for name, value in key.items()}
        item = self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True).get("Item")
        return cases.Answer(cases.plain_item(item) if item else None)


def create_request(description):
    """Returns the CreateTable that creates the same table again."""
    request = {name: description[name] for name in ("TableName", "AttributeDefinitions", "KeySchema")}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if kind in description:
            request[kind] = [{name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                             for index in description[kind]]
    return request | {"BillingMode": "PAY_PER_REQUEST"}


# ---- One case ----

def run(case, bench, way):
    """Returns the failure; None if the case passes."""
    bench.clear()
    way.begin()
    problem = take(([] if case.get("empty") else bench.case_file.given) + case.get("given", []), bench, way)
    if problem:
        return f"given {problem}"
    if "when" in case:
        way.who = case.get("as")
        problem = look(case | case["when"], bench, way, *cases.call_of(case["when"]))
        way.who = None
        if problem:
            return problem
    problem = take(case.get("check", []), bench, way)
    return f"check {problem}" if problem else None


def take(steps, bench, way):
    """Takes the steps in order; returns the first failure."""
    for step in steps:
        if "now" in step:
            bench.clock.set(step["now"])
        elif problem := look(step, bench, way):
            return f"{cases.show(step)}: {problem}"
    return None


def look(expected, bench, way, name=None, parameters=None):
    if name is None:
        name, parameters = cases.call_of(expected)
    if name == "raw":
        return cases.why_not(expected, bench.raw(parameters))
    if name in bench.case_file.operations():
        return cases.why_not(expected, way.perform(name, parameters), way.ignore)
    if way.name == "boto3" and expected.get("invalid", name) not in (name, *parameters):
        return None  # a missing parameter stands as <name> in an explained pattern
    return cases.why_not(expected, way.ask(name, parameters, expected.get("limit")), way.ignore)


# ---- All cases ----

@contextlib.contextmanager
def store_options(program, front):
    """Where the server of the cases has its data."""
    if front is None:
        yield ["--in-memory"]
        return
    if front == "dynoxide":
        import dynoxide  # needs npm
        dynoxide.install_once()
        upstream = dynoxide.Dynoxide()
    else:
        upstream = Server(program, "--in-memory")
    with upstream:
        yield ["--upstream", upstream.url]


def run_all(program, case_file, only="", front=None):
    """Yields (case, way, the failure or None)."""
    with store_options(program, front) as store, tempfile.TemporaryDirectory() as folder:
        clock = Clock(folder)
        clock.set(case_file.now)
        environment = {name: value for name, value in os.environ.items()
                       if name != case_file.design["table"].get("name_env")}
        environment |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_REGION": "local"} if front else {}
        access = Access(program, folder)
        with Server(program, *store, "--design", case_file.design_file, "--clock", clock.file,
                    *access.options(), environment=environment) as server:
            client = boto3.client("dynamodb", endpoint_url=server.url, config=CONFIG, region_name="local",
                                  aws_access_key_id="AKIDTEST", aws_secret_access_key=SECRETS["AKIDTEST"])
            bench = Bench(client, case_file, clock)
            ways = [OverHttp(server, case_file, access), OverBoto3(program, client, case_file, str(clock.file))]
            for case in case_file.cases:
                if only not in case["name"]:
                    continue
                for way in ways[:1] if "as" in case else ways:  # tokens identify the caller
                    try:
                        yield case, way.name, run(case, bench, way)
                    except Exception as error:  # a broken case must not hide the others
                        way.close()
                        way.who = None
                        yield case, way.name, f"{type(error).__name__}: {error}"
            for way in ways:
                way.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cases whose name has these words")
    parser.add_argument("--results", type=pathlib.Path, help="where to write what passed, as JSON")
    parser.add_argument("--front", choices=["tavola", "dynoxide"], help="the server behind the one that has the design")
    options = parser.parse_args()
    case_file = cases.CaseFile(options.cases)
    results = []
    for case, way, problem in run_all(options.program.resolve(), case_file, options.only, options.front):
        results.append({"case": f"{case_file.name}: {case['name']} ({way})", "covers": case.get("covers", []),
                        "passed": problem is None})
        if problem:
            print(f"{case_file.name}: {case['name']} ({way}): {problem}", flush=True)
    failed = sum(not result["passed"] for result in results)
    print(f"{case_file.name}: {len(results) - failed} of {len(results)} passed")
    if options.results:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(results, indent=1))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())

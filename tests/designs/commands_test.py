#!/usr/bin/env python3
"""Designs on the command line and under /v1: messages, access, persistence.

    tests/designs/commands_test.py PROGRAM
"""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients")]

import botocore.auth  # noqa: E402
import botocore.awsrequest  # noqa: E402
import botocore.credentials  # noqa: E402

import harness  # noqa: E402
from server import Server  # noqa: E402

INVENTORY = ROOT / "designs/InventorySystem.yaml"
SHOP = {"shopId": "s1", "name": "Corner Shop", "ownerId": "anna"}


def run(*words, environment=None, text=None):
    return subprocess.run([harness.PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                          input=text, env={**os.environ, **(environment or {})})


def get(server, path):
    try:
        with urllib.request.urlopen(server.url + path) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def post(server, path, body, sign=None):
    data = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if sign:
        request = botocore.awsrequest.AWSRequest("POST", server.url + path, headers=headers, data=data)
        botocore.auth.SigV4Auth(botocore.credentials.Credentials(*sign), "dynamodb", "local").add_auth(request)
        headers = dict(request.headers)
    request = urllib.request.Request(server.url + path, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metrics(server):
    lines = get(server, "/metrics")[1].splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def references(part):
    """Returns every $ref in a JSON document."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        part = part.values()
    if not isinstance(part, str) and hasattr(part, "__iter__"):
        for member in part:
            yield from references(member)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_designs_have_no_lint_that_is_not_settled(self):
        done = run("design", "lint", *sorted(path for path in (ROOT / "designs").glob("*.yaml")
                                             if not path.name.endswith(".cases.yaml")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_designs_are_checked_and_formatted_as_the_help_says(self):
        files = sorted((ROOT / "designs").glob("*.yaml"))
        for words in (["check"], ["lint"], ["fmt", "--check"]):
            done = run("design", *words, *files)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("fus-main.cases.yaml, which holds test cases", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_breaking_changes_have_an_exit_code(self):
        older, newer = ROOT / "designs/aura-historia-data.r000.yaml", ROOT / "designs/aura-historia-data.yaml"
        self.assertEqual(run("design", "diff", older, newer).returncode, 1)
        self.assertEqual(run("design", "diff", newer, newer).returncode, 0)
        self.assertEqual(run("design", "diff", newer, self.folder / "none").returncode, 2)

    def test_mistakes_are_told_with_their_place_in_three_forms(self):
        broken = self.folder / "broken.yaml"
        broken.write_text(INVENTORY.read_text().replace("billing: PAY_PER_REQUEST", "biling: PAY_PER_REQUEST"))
        done = run("design", "check", broken)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"broken\.yaml:\d+:\d+")
        self.assertIn("billing", done.stdout)  # did you mean
        self.assertIn("unknown", run("design", "check", broken, "--format", "json").stdout)
        sarif = json.loads(run("design", "check", broken, "--format", "sarif").stdout)
        self.assertEqual(sarif["version"], "2.1.0")

    def test_mistakes_at_the_command_line_say_what_to_do(self):
        binary, empty = self.folder / "binary", self.folder / "empty"
        binary.write_bytes(b"\xff\xfe\x00")
        empty.write_text("")
        for code, said, *words in (
                (1, "cannot read nowhere: No such file", "design", "check", "nowhere"),
                (1, "is a directory", "design", "check", self.folder),
                (1, "UTF-8", "design", "docs", binary),
                (1, "UTF-8", "design", "fmt", binary),
                (1, "expected a map", "design", "docs", empty),
                (1, "is not a design", "design", "fmt", empty),
                (2, "Did you mean `getShop`", "design", "explain", INVENTORY, "getShp"),
                (2, "It has getShop, ", "run", INVENTORY, "xyzzy"),
                (2, "name=value", "run", INVENTORY, "getShop", "shopId", "--data", self.folder),
                (2, "did you mean shopId", "design", "explain", INVENTORY, "getShop", "shpId=s1"),
                (2, "Did you mean `check`", "design", "chek", INVENTORY),
                (2, "there is no command desing", "desing", "check"),
                (2, "--format must be text, json or sarif (was xml)", "design", "check", "--format", "xml", INVENTORY),
                (2, "give --data or --endpoint", "design", "infer", "table"),
                (2, "NAME is missing", "run", INVENTORY),
                (1, "there is no data in", "design", "infer", "table", "--data", self.folder / "none"),
                (1, "there is no data in", "run", INVENTORY, "getShop", "shopId=s", "--data", self.folder / "none")):
            done = run(*words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(said, done.stderr)
        self.assertEqual(binary.read_bytes(), b"\xff\xfe\x00")
        self.assertFalse((self.folder / "none").exists())

    def test_a_design_may_come_from_standard_input(self):
        text = INVENTORY.read_text()
        for words in (["gen", "cpp"], ["gen", "ts"], ["gen", "py"], ["design", "docs"], ["design", "export", "workbench"]):
            self.assertEqual(run(*words, "-", text=text).stdout, run(*words, INVENTORY).stdout, words)
        self.assertEqual(run("design", "fmt", "-", text="a:   1\n").stdout, "a: 1\n")
        self.assertEqual(run("design", "fmt", "--check", "-", text="a:   1\n").returncode, 1)
        self.assertEqual(run("design", "fmt", "--check", "-", text="a: 1\n").returncode, 0)

    def test_code_is_written_to_a_file(self):
        module = self.folder / "shop.py"
        self.assertEqual(run("gen", "py", INVENTORY, "-o", module).stdout, "")
        self.assertEqual(module.read_text(), run("gen", "py", INVENTORY).stdout)
        done = run("gen", "py", INVENTORY, "-o", self.folder / "none" / "shop.py")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file or directory", done.stderr)

    def test_output_that_is_lost_is_a_failure(self):
        for words in (["design", "docs", INVENTORY], ["man"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([harness.PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot write the output: No space left", done.stderr)

    def test_other_tools_take_the_table_and_the_samples(self):
        definition = json.loads(run("design", "schema", INVENTORY).stdout)
        samples = [json.loads(line) for line in run("design", "sample", INVENTORY).stdout.splitlines()]
        with Server(harness.PROGRAM, "--in-memory") as server:
            harness.call(server, "CreateTable", **definition)
            for item in samples:
                harness.call(server, "PutItem", TableName="InventorySystem", Item=item)
            found = run("run", INVENTORY, "lowStockScan", "--endpoint", server.url, "--format", "json")
            self.assertGreater(len(json.loads(found.stdout)["items"]), 0)
            inferred = run("design", "infer", "InventorySystem", "--endpoint", server.url)
            self.assertIn("PRODUCT#<", inferred.stdout)
            self.assertEqual(run("design", "check", "-", text=inferred.stdout).returncode, 0)
            elsewhere = run("run", INVENTORY, "getShop", "shopId=s1", "--endpoint", server.url, "--table", "other")
            self.assertEqual(elsewhere.returncode, 1)
            self.assertIn("there is no table other in http", elsewhere.stderr)

    def test_an_operation_that_returns_nothing_is_json_all_the_same(self):
        sites, here = ROOT / "designs/fus-main.yaml", ["--format", "json", "--data", self.folder / "data"]
        run("run", sites, "createSite", "site=mdn", "url=https://developer.mozilla.org", "title=MDN", *here)
        rating = run("run", sites, "rateSite", "user=anna", "site=mdn", "stars=5", *here)
        self.assertEqual(json.loads(rating.stdout)["stars"], 5)
        self.assertEqual(run("run", sites, "removeRating", "user=anna", "site=mdn", *here).stdout, "null\n")

    def test_an_endpoint_may_be_behind_tls(self):
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        with Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY, "--tls-cert", certificate,
                    "--tls-key", key) as server:
            words = ["run", INVENTORY, "shopsByOwner", "ownerId=anna", "--endpoint", server.url]
            done = run(*words, environment={"AWS_CA_BUNDLE": str(certificate)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(run(*words).returncode, 1)  # the certificate is not trusted

    def test_what_is_laid_out_is_the_same_design(self):
        for path in (ROOT / "designs").glob("*.yaml"):
            copy = self.folder / path.name
            copy.write_text(path.read_text())
            self.assertEqual(run("design", "fmt", copy).returncode, 0)
            self.assertEqual(run("design", "fmt", "--check", copy).stdout, "")

    def test_the_table_has_the_name_from_outside(self):
        schema = run("design", "schema", INVENTORY, environment={"DYNAMODB_TABLE_NAME": "elsewhere"})
        self.assertEqual(json.loads(schema.stdout)["TableName"], "elsewhere")
        server = Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY,
                        environment={**os.environ, "DYNAMODB_TABLE_NAME": "elsewhere"})
        with server:
            self.assertEqual(harness.call(server, "ListTables")["TableNames"], ["elsewhere"])

    def test_run_on_a_directory_and_on_an_endpoint_agree(self):
        words = [f"{name}={value}" for name, value in SHOP.items()]
        clock = ["--clock", "2026-01-15T10:00:00Z", "--format", "json"]
        here = run("run", INVENTORY, "createShop", *words, "--data", self.folder / "data", *clock)
        self.assertEqual(here.returncode, 0, here.stderr)
        with Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY) as server:
            there = run("run", INVENTORY, "createShop", *words, "--endpoint", server.url, *clock)
            self.assertEqual(there.returncode, 0, there.stderr)
            self.assertEqual(json.loads(here.stdout), json.loads(there.stdout))
            again = run("run", INVENTORY, "createShop", *words, "--endpoint", server.url, *clock)
            self.assertEqual((again.returncode, again.stdout), (3, ""))
            self.assertIn("ALREADY_EXISTS", again.stderr)
            shops = run("run", INVENTORY, "shopsByOwner", "ownerId=anna", "--endpoint", server.url)
            self.assertIn("Corner Shop", shops.stdout)
            missing = run("run", INVENTORY, "getShop", "shopId=none", "--endpoint", server.url)
            self.assertEqual(missing.returncode, 1)
        gone = run("run", INVENTORY, "getShop", "shopId=s1", "--endpoint", server.url)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("cannot reach", gone.stderr)

    def test_an_endpoint_with_keys_is_signed_for(self):
        keys = self.folder / "keys"
        keys.write_text("AKID secret1\nREADER secret2 read-only\n")
        keys.chmod(0o600)
        signer = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret1", "AWS_REGION": "local"}
        with Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY, "--credentials", keys) as server:
            words = [f"{name}={value}" for name, value in SHOP.items()]
            done = run("run", INVENTORY, "createShop", *words, "--endpoint", server.url, environment=signer)
            self.assertEqual(done.returncode, 0, done.stderr)
            wrong = run("run", INVENTORY, "getShop", "shopId=s1", "--endpoint", server.url,
                        environment=signer | {"AWS_SECRET_ACCESS_KEY": "other"})
            self.assertEqual(wrong.returncode, 1)
            self.assertEqual(get(server, "/v1/InventorySystem/getShop?shopId=s1")[0], 401)
            self.assertEqual(post(server, "/v1/InventorySystem/updateShop", {"shopId": "s1", "name": "New"},
                                  sign=("AKID", "secret1"))[0], 200)
            self.assertEqual(post(server, "/v1/InventorySystem/updateShop", {"shopId": "s1", "name": "Newer"},
                                  sign=("READER", "secret2"))[0], 403)
            # The wrong secret, the missing signature and the reader who tried to write.
            self.assertEqual(metrics(server)["tavola_access_refused_total"], 3)

    def test_a_server_with_a_broken_design_does_not_start(self):
        broken = self.folder / "broken.yaml"
        broken.write_text("design: 1\nname: x\ntabel: {}\n")
        done = run("serve", "--in-memory", "--port", 0, "--design", broken)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"broken\.yaml:3:1")
        twice = run("serve", "--in-memory", "--port", 0, "--design", INVENTORY, "--design", INVENTORY)
        self.assertEqual(twice.returncode, 1)
        self.assertIn("both called InventorySystem", twice.stderr)

    def test_what_differs_from_a_design_is_told_at_the_start(self):
        data = self.folder / "data"
        with Server(harness.PROGRAM, "--data", data) as server:
            harness.call(server, "CreateTable", TableName="InventorySystem", BillingMode="PAY_PER_REQUEST",
                         AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
                         KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}])
        done = run("serve", "--data", data, "--port", 0, "--design", INVENTORY)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the table has the keys PK HASH, not PK HASH, SK RANGE; index GSI1 is missing", done.stderr)
        self.assertIn("tavola migrate", done.stderr)

    def test_page_tokens_outlive_the_server(self):
        data = self.folder / "data"
        data.mkdir(mode=0o755)  # the secret is protected even if the directory is open
        with Server(harness.PROGRAM, "--data", data, "--design", INVENTORY) as server:
            for number in range(3):
                post(server, "/v1/InventorySystem/createShop", {"shopId": f"s{number}", "name": "x", "ownerId": "anna"})
            page = json.loads(get(server, "/v1/InventorySystem/shopsByOwner?ownerId=anna&limit=2")[1])
            self.assertEqual(len(page["items"]), 2)
        self.assertEqual((data / "page-secret").stat().st_mode & 0o777, 0o600)
        with Server(harness.PROGRAM, "--data", data, "--design", INVENTORY) as server:
            address = "/v1/InventorySystem/shopsByOwner?ownerId=anna&limit=2&page="
            status, body = get(server, address + page["next"])
            self.assertEqual((status, [shop["shopId"] for shop in json.loads(body)["items"]]), (200, ["s2"]))
            forged = page["next"][:-2] + ("AA" if not page["next"].endswith("AA") else "BB")
            self.assertEqual(get(server, address + forged)[0], 400)

    def test_people_and_programs_find_their_way(self):
        with Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY) as server:
            self.assertIn("InventorySystem", get(server, "/v1/")[1])
            self.assertIn("recordSale", get(server, "/v1/InventorySystem/")[1])
            self.assertIn("# ", get(server, "/v1/InventorySystem/docs.md")[1])
            document = json.loads(get(server, "/v1/openapi.json")[1])
            sale = document["paths"]["/v1/InventorySystem/recordSale"]["post"]
            self.assertIn("INSUFFICIENT_STOCK", json.dumps(sale["responses"]["409"]))
            self.assertEqual(get(server, "/v1/InventorySystem/getShp")[0], 404)
            connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
            connection.request("GET", "/v1/InventorySystem/recordSale")
            response = connection.getresponse()
            self.assertEqual((response.status, response.getheader("Allow")), (405, "POST"))
            connection.close()

    def test_metrics_tell_patterns_and_operations_apart(self):
        with Server(harness.PROGRAM, "--in-memory", "--design", INVENTORY) as server:
            post(server, "/v1/InventorySystem/createShop", SHOP)
            post(server, "/v1/InventorySystem/createShop", SHOP)
            get(server, "/v1/InventorySystem/getShop?shopId=s1")
            get(server, "/v1/InventorySystem/nothing")
            figures = metrics(server)
            seconds, errors = "tavola_design_request_seconds_count", "tavola_design_errors_total"
            create, find = ('{design="InventorySystem",name="%s"}' % name for name in ("createShop", "getShop"))
            self.assertEqual((figures[seconds + create], figures[errors + create]), (2, 1))
            self.assertEqual((figures[seconds + find], figures[errors + find]), (1, 0))
            self.assertEqual((figures[seconds], figures[errors]), (1, 1))

    def test_the_openapi_document_describes_what_is_answered(self):
        designs = [path for path in sorted((ROOT / "designs").glob("*.yaml"))
                   if not path.name.endswith((".cases.yaml", ".r000.yaml"))]
        options = [word for path in designs for word in ("--design", path)]
        with Server(harness.PROGRAM, "--in-memory", *options) as server:
            document = json.loads(get(server, "/v1/openapi.json")[1])
            shop = json.loads(post(server, "/v1/InventorySystem/createShop", SHOP)[1])
        self.assertTrue(document["openapi"].startswith("3.1."))
        operations = [operation for path in document["paths"].values() for operation in path.values()]
        ids = [operation["operationId"] for operation in operations]
        self.assertEqual(len(ids), len(set(ids)))
        for operation in operations:
            self.assertTrue({"200", "204"} & set(operation["responses"]))
            names = [parameter.get("name") for parameter in operation.get("parameters", []) if "name" in parameter]
            self.assertEqual(len(names), len(set(names)))
        for reference in references(document):
            part = document
            for step in reference.removeprefix("#/").split("/"):
                self.assertIn(step, part, reference)
                part = part[step]
        properties = document["components"]["schemas"]["InventorySystem.Shop"]["properties"]
        self.assertLessEqual(set(shop), set(properties))

    def test_explain_shows_the_request_of_a_pattern(self):
        explained = run("design", "explain", INVENTORY, "listProducts", "shopId=s1", "--format", "json")
        request = json.loads(explained.stdout)["requests"][0]
        self.assertEqual(request["operation"], "Query")
        self.assertIn({"S": "SHOP#s1"}, request["request"]["ExpressionAttributeValues"].values())
        self.assertEqual(run("design", "explain", INVENTORY, "listProduct").returncode, 2)


if __name__ == "__main__":
    harness.main()

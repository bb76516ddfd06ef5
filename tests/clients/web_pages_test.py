#!/usr/bin/env python3
"""Requests that a web page can make a browser send, and the host names that the server accepts: on every path, with and
without
--cors, --no-cors and --allowed-host.

    tests/clients/web_pages_test.py PATH/TO/tavola [TEST ...]
"""
import http.client
import json
import pathlib
import socket
import ssl
import subprocess
import tempfile
import unittest

import harness

DESIGN = harness.ROOT / "designs/InventorySystem.yaml"
EVIL = "https://evil.example"
PAGE = "http://localhost:3000"
SERVER = None


def setUpModule():
    global SERVER
    SERVER = unittest.enterModuleContext(harness.Server(harness.PROGRAM, "--in-memory", "--design", DESIGN))


def ask(server, method, path, body=None, **headers):
    """Returns the status, the headers and the text of a response. Names of headers are written with underscores."""
    scheme, _, address = server.url.partition("://")
    connection = (http.client.HTTPConnection(address, timeout=30) if scheme == "http" else
                  http.client.HTTPSConnection(address, timeout=30, context=ssl._create_unverified_context()))
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()
    finally:
        connection.close()


def list_tables(server, **headers):
    named = {name.replace("-", "_"): value for name, value in harness.headers_of("ListTables").items()}
    return ask(server, "POST", "/", "{}", **named, **headers)


# Every entry point: POST / has DynamoDB's operations.
DOORS = [("POST", "/"), ("GET", "/"), ("GET", "/health"), ("GET", "/metrics"), ("GET", "/v1/"), ("OPTIONS", "/"),
         ("POST", "/v1/InventorySystem/nothing"), ("GET", "/admin/faults"), ("PUT", "/admin/faults"),
         ("GET", "/admin/migrations/InventorySystem"), ("GET", "/admin/designs/InventorySystem"),
         ("GET", "/admin/designs/InventorySystem/requests")]


class Names(unittest.TestCase):
    def test_a_name_that_was_pointed_here_is_refused_on_every_door(self):
        for method, path in DOORS:
            for options in ({}, {"Origin": "http://evil.example:8000", "Sec_Fetch_Site": "same-origin"}):
                with self.subTest(method=method, path=path, options=options):
                    status, headers, text = ask(SERVER, method, path, "", Host="evil.example:8000", **options)
                    self.assertEqual(status, 403, text)
                    self.assertIn("--allowed-host evil.example", text)
                    self.assertNotIn("Access-Control-Allow-Origin", headers)

    def test_the_names_of_this_machine_are_served(self):
        port = SERVER.url.rpartition(":")[2]
        for name in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", "localhost:9999", f"[::1]:{port}",
                     f"123456789012.ddb.localhost:{port}"):
            with self.subTest(name):
                self.assertEqual(list_tables(SERVER, Host=name)[0], 200)
                self.assertEqual(ask(SERVER, "GET", "/health", Host=name)[0], 200)

    def test_a_further_name(self):
        with harness.Server(harness.PROGRAM, "--in-memory", "--allowed-host", "dynamodb-local",
                            "--allowed-host", ".db.internal") as server:
            for name, expected in (("dynamodb-local:8000", 200), ("eu.db.internal", 200), ("localhost", 200),
                                   ("db.internal", 403), ("dynamodb-local.evil.example", 403)):
                with self.subTest(name):
                    self.assertEqual(list_tables(server, Host=name)[0], expected)

    def test_the_names_in_the_certificate(self):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = pathlib.Path(folder) / "key.pem", pathlib.Path(folder) / "certificate.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                            "-subj", "/CN=x", "-addext", "subjectAltName=DNS:db.example,DNS:*.eu.example,IP:192.0.2.7",
                            "-days", "2", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            with harness.Server(harness.PROGRAM, "--in-memory", "--tls-cert", certificate, "--tls-key", key) as server:
                for name, expected in (("db.example:443", 200), ("a.eu.example", 200), ("192.0.2.7", 200),
                                       ("localhost", 200), ("evil.example", 403), ("a.b.eu.example", 403)):
                    with self.subTest(name):
                        self.assertEqual(ask(server, "GET", "/health", Host=name)[0], expected)

    def test_a_unix_socket_has_any_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "socket"
            with harness.Server(harness.PROGRAM, "--in-memory", "--unix-socket", path):
                connection = UnixConnection(path)
                self.addCleanup(connection.close)
                connection.request("GET", "/health", headers={"Host": "anything"})
                self.assertEqual(connection.getresponse().status, 200)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self.path))


class Pages(unittest.TestCase):
    def preflight(self, server, origin, path="/"):
        status, headers, _ = ask(server, "OPTIONS", path, Origin=origin, Access_Control_Request_Method="POST",
                                 Access_Control_Request_Headers="x-amz-target")
        return status, headers["Access-Control-Allow-Origin"]

    def test_pages_of_this_machine_may_use_the_server(self):
        for origin in (PAGE, "https://localhost", "http://127.0.0.1:5173", "http://[::1]:3000", "http://app.localhost"):
            with self.subTest(origin):
                self.assertEqual(self.preflight(SERVER, origin), (200, origin))
                status, headers, _ = list_tables(SERVER, Origin=origin)
                self.assertEqual((status, headers["Access-Control-Allow-Origin"], headers["Vary"]), (200, origin, "Origin"))

    def test_other_pages_may_not(self):
        for origin in (EVIL, "null", "http://localhost.evil.example", "http://192.0.2.7", "file://"):
            with self.subTest(origin):
                self.assertEqual(self.preflight(SERVER, origin), (403, None))
                status, headers, text = list_tables(SERVER, Origin=origin)
                self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (403, None))
                self.assertIn("--cors", text)

    def test_caches_keep_the_pages_apart(self):
        self.assertEqual(ask(SERVER, "GET", "/health")[1]["Vary"], "Origin")

    def test_cors_lets_an_origin_in_or_all(self):
        with harness.Server(harness.PROGRAM, "--in-memory", "--cors", "https://app.example") as server:
            self.assertEqual(self.preflight(server, "https://app.example"), (200, "https://app.example"))
            self.assertEqual(self.preflight(server, PAGE), (200, PAGE))
            self.assertEqual(self.preflight(server, EVIL), (403, None))
        with harness.Server(harness.PROGRAM, "--in-memory", "--cors") as server:
            self.assertEqual(self.preflight(server, EVIL), (200, "*"))
            self.assertEqual(list_tables(server, Origin=EVIL)[0], 200)
            self.assertEqual(self.preflight(server, EVIL, "/admin/faults"), (403, None))

    def test_no_cors_keeps_all_out(self):
        with harness.Server(harness.PROGRAM, "--in-memory", "--no-cors") as server:
            for origin in (PAGE, EVIL):
                self.assertEqual(self.preflight(server, origin), (403, None))
            self.assertEqual(list_tables(server, Origin=server.url)[0], 200)

    # Requests that a browser sends without a preflight: GET, HEAD and POST of a form or of plain text.
    def test_a_page_cannot_write_blindly(self):
        item = json.dumps({"TableName": "InventorySystem", "Item": {"PK": {"S": "x"}, "SK": {"S": "x"}}})
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json", ""):
            for origin in (EVIL, "null"):
                named = {name.replace("-", "_"): value for name, value in harness.headers_of("PutItem").items()}
                status, _, text = ask(SERVER, "POST", "/", item, **(named | {"Content_Type": kind, "Origin": origin}))
                self.assertEqual(status, 403, text)
                for path in ("/v1/InventorySystem/createShop", "/admin/faults"):
                    self.assertEqual(ask(SERVER, "POST", path, "{}", Content_Type=kind, Origin=origin)[0], 403)


class Admin(unittest.TestCase):
    """/admin has no credentials here: programs of this machine may use it, pages of other origins never."""

    def faults(self):
        return json.loads(ask(SERVER, "GET", "/admin/faults")[2])["faults"]

    def test_no_page_of_another_origin(self):
        body = json.dumps({"faults": "throttle=1"})
        for headers in ({"Origin": EVIL}, {"Origin": PAGE}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "same-site", "Origin": PAGE}):
            for method in ("OPTIONS", "GET", "POST", "PUT", "DELETE"):
                with self.subTest(method=method, headers=headers):
                    status, answered, _ = ask(SERVER, method, "/admin/faults", body, Content_Type="text/plain", **headers)
                    self.assertEqual(status, 403)
                    self.assertNotIn("Access-Control-Allow-Origin", answered)
        self.assertEqual(self.faults(), "")

    def test_programs_and_pages_of_the_server(self):
        for headers in ({}, {"Origin": SERVER.url}, {"Origin": SERVER.url, "Sec_Fetch_Site": "same-origin"},
                        {"Sec_Fetch_Site": "none"}):
            with self.subTest(headers):
                body = json.dumps({"faults": "throttle@nothing=1"})
                self.assertEqual(ask(SERVER, "PUT", "/admin/faults", body, **headers)[0], 200)
                self.assertIn("throttle", self.faults())
                self.assertEqual(ask(SERVER, "DELETE", "/admin/faults", **headers)[0], 200)


if __name__ == "__main__":
    harness.main()

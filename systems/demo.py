#!/usr/bin/env python3
"""Starts the database and the applications with sample data; Ctrl-C ends all of them.

    systems/demo.py BUILD [--shift N]

The database is on port 8000, its console on 8001 and its buckets on 8002, a page with links on 8010, the applications on 8011 and up; N is added to each of these ports. The data is
in memory. The crawler's shops are three small ones, served by this program: nothing leaves the machine. What the programs say is in
BUILD/demo.
"""
import argparse
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

DATABASE, CONSOLE, BUCKETS, PAGE, CRAWLER, ANALYZER, CATALOGUE, INVENTORY = PORTS = 8000, 8001, 8002, 8010, 8011, 8012, 8013, 8014
ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOPS = {"lamps.example.com": "DE", "books.example.org": "FR", "tea.example.net": "GB"}
SECONDS_TO_START = 30

LINKS = [
    (INVENTORY, "Inventory", "Shops, stock and sales. Log in as an <b>owner</b>."),
    (CATALOGUE, "Catalogue", "Sites with ratings and comments. Everybody reads; log in as <b>anna</b> to rate, as <b>root</b> for everything."),
    (ANALYZER, "Text analyzer", 'Drop texts on it and see their words. <a href="http://127.0.0.1:{port}/?owner=demo">Some are there</a>.'),
    (CRAWLER, "Crawler", "The state of a crawler that walks three shops of this demo again and again."),
    (CONSOLE, "Console", "The tables of all of them, with their items."),
    (DATABASE, "Database", "Answers the AWS SDKs: <code>aws dynamodb list-tables --endpoint-url http://127.0.0.1:{port}</code>"),
]

STYLE = """
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; --paper: #f6f5f2; --ink: #1d211f; --accent: #23614f; }
@media (prefers-color-scheme: dark) { :root { --paper: #141716; --ink: #eceeec; --accent: #7ccdb2; } }
body { max-width: 40rem; margin: 4rem auto; padding: 0 1.25rem; background: var(--paper); color: var(--ink); }
a { color: var(--accent); }
code { overflow-wrap: anywhere; }
li { margin: 1rem 0; }
ul { list-style: none; padding: 0; }
li > a:first-child { font-weight: 600; font-size: 1.2rem; }
"""


def page(shift):
    links = "".join(f'<li><a href="http://127.0.0.1:{port + shift}/">{name}</a><br>{text.format(port=port + shift)}</li>'
                    for port, name, text in LINKS)
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>Tavola's demo</title><style>{STYLE}</style><h1>Tavola's demo</h1>"
            f"<p>Four systems on one database, with sample data in memory.</p><ul>{links}</ul></html>").encode()


class Pages(http.server.ThreadingHTTPServer):
    """Answers every request with what `find(host, path)` returns: a page, or None."""
    daemon_threads = True

    def __init__(self, port, find):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = find(self.headers.get("Host", ""), self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # the reader has left
                    self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", port), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def shop_page(host, path):
    """A shop of twelve products, whose prices and stock change every minute."""
    host = host.partition(":")[0]
    if host not in SHOPS:
        return None
    if path == "/":
        links = "".join(f'<a href="/p/{number}">Product {number}</a> ' for number in range(1, 13))
        return f"<!doctype html><title>{host}</title><h1>{host}</h1>{links}".encode()
    if not path.startswith("/p/"):
        return None
    dice = random.Random(f"{host}{path}{int(time.time()) // 60}")
    product = {"@context": "https://schema.org", "@type": "Product", "name": f"Product {path[3:]}",
               "offers": {"@type": "Offer", "price": f"{dice.randint(5, 80)}.90", "priceCurrency": "EUR",
                          "availability": "https://schema.org/" + dice.choice(["InStock", "InStock", "InStock", "OutOfStock"])}}
    return (f"<!doctype html><title>{product['name']}</title><script type='application/ld+json'>{json.dumps(product)}</script>"
            f"<h1>{product['name']}</h1>").encode()


def upload_texts(app):
    """Uploads what is there to read: the documents of this project, and one that is no text."""
    texts = {path.name: path.read_bytes() for path in (ROOT / "LICENSE", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "README.md")}
    for name, content in {"noise.txt": bytes(range(256)), "cafe.txt": "Don't stop: e-mail 3rd naïve café Café".encode(), **texts}.items():
        announcement = {"ownerId": "demo", "name": name, "size": len(content), "fingerprint": hashlib.sha256(content).hexdigest()}
        with urllib.request.urlopen(urllib.request.Request(f"{app}/files", json.dumps(announcement).encode(), {"Content-Type": "application/json"}), timeout=10) as answer:
            url = json.load(answer)["upload"]["url"]
        urllib.request.urlopen(urllib.request.Request(url, content, method="PUT"), timeout=10).close()


class Programs:
    """Processes of their own groups: Ctrl-C reaches this program alone, which ends them in order."""

    def __init__(self, build):
        self.build = build
        self.logs = build / "demo"
        self.logs.mkdir(exist_ok=True)
        self.running = []
        self.environment = {**os.environ, "AWS_ACCESS_KEY_ID": "demo", "AWS_SECRET_ACCESS_KEY": "demo", "AWS_REGION": "local"}

    def start(self, name, *arguments):
        with open(self.logs / f"{name}.log", "wb") as log:
            self.running.append((name, subprocess.Popen([self.build / name, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                                        stdout=log, stderr=log, start_new_session=True)))

    def run(self, name, *arguments):
        subprocess.run([self.build / name, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def ended(self):
        return [name for name, process in self.running if process.poll() is not None]

    def stop(self):
        for _, process in reversed(self.running):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_for(port, programs):
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and not programs.ended():
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
            return
        except urllib.error.HTTPError:
            return  # it answers
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"nothing answers on port {port}; what the programs said is in {programs.logs}")


def start_everything(programs, shift, scratch):
    endpoint = f"http://127.0.0.1:{DATABASE + shift}"
    programs.start("tavola", "serve", "--in-memory", "--port", str(DATABASE + shift), "--console-port", str(CONSOLE + shift),
                   "--buckets", f"{scratch}/buckets", "--s3-port", str(BUCKETS + shift))
    wait_for(DATABASE + shift, programs)
    remote = ("--endpoint", endpoint)
    common = (*remote, "--sample", "small", "--dev-login")
    programs.start("tavola-inventory", *common, "--currency", "EUR", "--port", str(INVENTORY + shift))
    programs.start("tavola-catalogue", *common, "--port", str(CATALOGUE + shift))
    programs.start("tavola-text-analyzer", "serve", *remote, "--s3", f"http://127.0.0.1:{BUCKETS + shift}", "--port", str(ANALYZER + shift))
    shops = Pages(0, shop_page)
    for shop, country in SHOPS.items():
        programs.run("tavola-crawler", "register", shop, "--country", country, *remote)
    programs.start("tavola-crawler", "orchestrate", *remote, "--listen", f"127.0.0.1:{CRAWLER + shift}",
                   "--connect-to", f"::127.0.0.1:{shops.server_port}", "--scheme", "http", "--allow-private", "--delay", "200ms",
                   "--crawl-every", "1m", "--look-every", "5s", "--outbox", f"{scratch}/outbox",
                   *(word for country in SHOPS.values() for word in ("--country", country)))
    for port in (INVENTORY, CATALOGUE, CRAWLER, ANALYZER):
        wait_for(port + shift, programs)
    upload_texts(f"http://127.0.0.1:{ANALYZER + shift}")
    Pages(PAGE + shift, lambda host, path: page(shift) if path == "/" else None)


def refuse_taken_ports(build, shift):
    for port in PORTS:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port + shift))
            except OSError:
                raise SystemExit(f"port {port + shift} is taken: stop what listens there, or use other ports: python3 systems/demo.py {build} --shift 1000") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--shift", type=int, default=0, metavar="N", help="added to every port")
    options = parser.parse_args()
    refuse_taken_ports(options.build, options.shift)
    asked_to_stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked_to_stop.set())
    programs = Programs(options.build.resolve())
    with tempfile.TemporaryDirectory() as scratch:
        try:
            start_everything(programs, options.shift, scratch)
            print(f"Tavola's demo: http://127.0.0.1:{PAGE + options.shift}/ has the links. Ctrl-C ends it.", flush=True)
            while not asked_to_stop.wait(0.5) and not (ended := programs.ended()):
                pass
        finally:
            programs.stop()
    if not asked_to_stop.is_set():
        raise SystemExit(f"{', '.join(ended)} ended early; what it said is in {programs.logs}")


if __name__ == "__main__":
    main()

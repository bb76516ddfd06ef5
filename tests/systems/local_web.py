"""A web of shops on loopback, told apart by the Host header:

    web = LocalWeb()
    web.add("shop.example.com", make_shop(products=20))
    with web:
        run(…, "--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "--scheme", "http")
    web.requests("shop.example.com")    # [("/robots.txt", 200), …]

A shop is a dictionary from targets to pages. A page is a Page, or a function of the request's headers that returns one.
"""
import dataclasses
import gzip
import hashlib
import http.server
import json
import threading
import time

POLL_SECONDS = 0.02  # how long the end of a server may take
MEETING_SECONDS = 0.001  # every answer takes as long, so that requests at once are seen


@dataclasses.dataclass
class Page:
    body: bytes | str = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict = dataclasses.field(default_factory=dict)
    seconds: float = 0       # that the server waits
    cut: bool = False        # the connection ends within the body
    has_etag: bool = True

    def content(self):
        return self.body.encode() if isinstance(self.body, str) else self.body


class LocalWeb:
    def __init__(self):
        self.shops = {}      # by host: targets and pages, or a function of the target
        self.log = []        # (host, target, status), in order
        self.open = {}       # requests that are being answered, by host
        self.most_open = {}  # the most at once
        self.lock = threading.Lock()
        self.hold = None     # an Event: while it is set to be waited for, answers wait
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                web.answer(self)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass  # a client that went away

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=[POLL_SECONDS], daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def add(self, host, shop):
        self.shops[host] = shop

    def requests(self, host):
        with self.lock:
            return [(target, status) for one, target, status in self.log if one == host]

    def targets(self, host):
        return [target for target, _ in self.requests(host)]

    def forget(self):
        with self.lock:
            self.log.clear()

    def wait_for(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError("the web was not asked for what the test waits for")
            time.sleep(0.005)

    def answer(self, request):
        host = request.headers.get("Host", "").split(":")[0]
        with self.lock:
            self.open[host] = self.open.get(host, 0) + 1
            self.most_open[host] = max(self.most_open.get(host, 0), self.open[host])
        try:
            page = self.page_for(host, request)
            status, headers, body = self.prepare(request, host, page)
            time.sleep(MEETING_SECONDS)
        finally:
            with self.lock:
                self.open[host] -= 1  # before the client has the answer, and may ask again
        self.send(request, page, status, headers, body)

    def page_for(self, host, request):
        shop = self.shops.get(host, {})
        page = shop(request.path) if callable(shop) else shop.get(request.path)
        if callable(page):
            page = page(request.headers)
        return page or Page("not found", status=404)

    def prepare(self, request, host, page):
        body, headers, status = page.content(), dict(page.headers), page.status
        if status == 200 and page.has_etag:
            headers.setdefault("ETag", f'"{hashlib.md5(body).hexdigest()}"')
            if request.headers.get("If-None-Match") == headers["ETag"]:
                body, status = b"", 304
        with self.lock:
            self.log.append((host, request.path, status))
        if page.seconds:
            time.sleep(page.seconds)
        if self.hold is not None:
            self.hold.wait(60)
        return status, headers, body

    def send(self, request, page, status, headers, body):
        request.send_response(status)
        for name, value in {"Content-Type": page.content_type, **headers}.items():
            request.send_header(name, value)
        if status != 304:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if status != 304:
            request.wfile.write(body[:len(body) // 2] if page.cut else body)
        if page.cut:
            request.close_connection = True


# ---- Shops ----

def html(title, *links, head="", body=""):
    anchors = "".join(f'<li><a href="{link}">{link}</a>' for link in links)
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><ul>{anchors}</ul>{body}</body></html>"


def json_ld(**thing):
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **thing})}</script>'


def product_json_ld(name, price, availability="InStock", currency="EUR"):
    return json_ld(**{"@type": "Product", "name": name, "offers": {
        "@type": "Offer", "price": price, "priceCurrency": currency, "availability": f"https://schema.org/{availability}"}})


def product_microdata(name, price, availability="InStock", currency="EUR"):
    return (f'<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">{name}</span>'
            f'<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="{currency}">'
            f'<span itemprop="price" content="{price}">{price}</span>'
            f'<link itemprop="availability" href="http://schema.org/{availability}"></div></div>')


def product_rdfa(name, price, availability="InStock", currency="EUR"):
    return (f'<div vocab="https://schema.org/" typeof="Product"><span property="name">{name}</span>'
            f'<div property="offers" typeof="Offer"><meta property="priceCurrency" content="{currency}">'
            f'<span property="price">{price}</span><link property="availability" href="https://schema.org/{availability}"></div></div>')


def product_open_graph(name, price, availability="instock", currency="EUR"):
    return "".join(f'<meta property="{key}" content="{value}">' for key, value in {
        "og:type": "product", "og:title": name, "product:price:amount": price, "product:price:currency": currency,
        "product:availability": availability}.items())


STANDARDS = [product_json_ld, product_microdata, product_rdfa, product_open_graph]


def make_shop(host, products=8):
    """A well-behaved shop: a front page, a listing, and products in all four standards, which sitemaps do not name."""
    pages = {"/robots.txt": Page("User-agent: *\nDisallow: /private/\n", content_type="text/plain")}
    names = [f"/p/{n}" for n in range(products)]
    pages["/"] = Page(html(host, "/list", "/about", "/private/secret"))
    pages["/about"] = Page(html("About us"))
    pages["/list"] = Page(html("All", *names, head=json_ld(**{"@type": "ItemList", "itemListElement": [
        {"@type": "ListItem", "position": n, "url": f"http://{host}{name}"} for n, name in enumerate(names)]})))
    for n, name in enumerate(names):
        described = STANDARDS[n % len(STANDARDS)](f"Product {n}", f"{n + 1}.50")
        pages[name] = Page(html(f"Product {n}", "/list", head=described if n % 4 in (0, 3) else "",
                                body="" if n % 4 in (0, 3) else described))
    pages["/private/secret"] = Page(html("Secret"))
    return pages


def sitemap(*entries):
    return ('<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            + "".join(f"<url><loc>{loc}</loc>{f'<lastmod>{changed}</lastmod>' if changed else ''}</url>" for loc, changed in entries)
            + "</urlset>")


def sitemap_index(*locations):
    return ('<?xml version="1.0" encoding="UTF-8"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            + "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locations) + "</sitemapindex>")


def xml_page(text):
    return Page(text, content_type="application/xml")


def gzip_page(text):
    return Page(gzip.compress(text.encode()), content_type="application/gzip")


class Receiver:
    """A webhook: keeps what is posted, after `refusals` answers of 503."""

    def __init__(self, refusals=0):
        self.refusals = refusals
        self.posts = []      # (headers, body) of those that were accepted
        self.attempts = 0
        self.lock = threading.Lock()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.lock:
                    receiver.attempts += 1
                    refused = receiver.attempts <= receiver.refusals
                    if not refused:
                        receiver.posts.append((dict(self.headers), body))
                self.send_response(503 if refused else 204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/changed"
        self.thread = threading.Thread(target=self.server.serve_forever, args=[POLL_SECONDS], daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def changes(self):
        with self.lock:
            return [json.loads(body) for _, body in self.posts]

"""A web of many shops of every kind, with what a crawler must find in each:

    shops = web_of_shops(web, count=200)    # [Expected(host="s0.example.com", products={"/p/0": "1.5", …}), …]

Kinds alternate, so that every ten shops have one of each.
"""
import dataclasses

from local_web import Page, gzip_page, html, make_shop, product_json_ld, sitemap, sitemap_index, xml_page

COUNTRIES = ["DE", "FR", "GB", "US"]


@dataclasses.dataclass
class Expected:
    host: str
    country: str
    pages: dict          # the shop itself
    products: dict       # the paths of its products and their prices, as the scraper reports them
    outcome: str = "complete"


def product(number, price):
    return Page(html(f"Product {number}", "/list", head=product_json_ld(f"Product {number}", price)))


def priced(count):
    return {f"/p/{n}": f"{n + 1}.5" for n in range(count)}


def plain(host, count):
    return make_shop(host, products=count), priced(count), "complete"


def in_sitemaps(host, count):
    """No link leads to the products: an index of sitemaps does, one of which is compressed and one broken."""
    pages = {path: product(path, price) for path, price in priced(count).items()}
    urls = [(f"http://{host}{path}", None) for path in pages]
    return {"/": Page(html(host)), **pages, "/robots.txt": Page(f"Sitemap: http://{host}/maps.xml\n"),
            "/maps.xml": xml_page(sitemap_index(*(f"http://{host}/{name}" for name in ("a.xml.gz", "b.xml", "none.xml")))),
            "/a.xml.gz": gzip_page(sitemap(*urls[:count // 2])),
            "/b.xml": xml_page(sitemap(*urls[count // 2:]).replace("</urlset>", "<url>"))}, priced(count), "complete"


def with_rules(host, count):
    """The longest rule decides: /p/ is forbidden, but for the even products."""
    shop = make_shop(host, products=count)
    shop["/robots.txt"] = Page("User-agent: *\nDisallow: /\n\nUser-agent: tavola-crawler\nDisallow: /p/\nDisallow: /private\n"
                               + "".join(f"Allow: /p/{n}$\n" for n in range(0, count, 2)))
    return shop, {path: price for path, price in priced(count).items() if int(path[3:]) % 2 == 0}, "complete"


def with_redirects(host, count):
    """Links lead to old addresses, with parameters of campaigns and sessions; one leads in circles."""
    shop = {path: product(path, price) for path, price in priced(count).items()}
    shop.update({f"/old/{n}": Page("", status=301, headers={"Location": f"/p/{n}?utm_source=old"}) for n in range(count)})
    shop["/loop"] = Page("", status=302, headers={"Location": "/loop?again=1"})
    shop["/loop?again=1"] = Page("", status=302, headers={"Location": "/loop"})
    shop["/"] = Page(html(host, "/loop", *(f"/old/{n}?PHPSESSID={n}abc#top" for n in range(count))))
    return shop, priced(count), "complete"


def with_traps(host, count):
    """A calendar without end, and paths that grow."""
    shop = make_shop(host, products=count)

    def answer(target):
        if target in shop:
            return Page(html(host, "/list", "/calendar?month=0", "/deep")) if target == "/" else shop[target]
        if target.startswith("/calendar"):
            return Page(html("Month", f"/calendar?month={int(target.split('=')[1]) + 1}"))
        return Page(html("Deep", target + "/more")) if target.startswith("/deep") else None
    return answer, priced(count), "depth limit"


def slow(host, count):
    shop = make_shop(host, products=count)
    for path in ("/", "/p/0"):
        shop[path] = dataclasses.replace(shop[path], seconds=0.2)
    return shop, priced(count), "complete"


def flaky(host, count):
    """The first answers are 503 and half a page; the second ones are right."""
    shop = make_shop(host, products=count)
    for path, page in [(path, page) for path, page in shop.items() if path.startswith("/p/")]:
        answers = iter([Page("busy", status=503, headers={"Retry-After": "0"}), dataclasses.replace(page, cut=True)])
        shop[path] = lambda _, answers=answers, page=page: next(answers, page)
    return shop, priced(count), "complete"


def western(host, count):
    """Pages in ISO 8859-1, with links and prices that are not ASCII."""
    def page(text):
        return Page(text.encode("latin-1"), content_type="text/html; charset=ISO-8859-1")
    paths = [f"/größe/{n}" for n in range(count)]
    encoded = [f"/gr%C3%B6%C3%9Fe/{n}" for n in range(count)]
    shop = {"/": page(html("Größen", *paths))}
    for n, path in enumerate(encoded):
        shop[path] = page(html(f"Größe {n}", body='<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Schlüssel</b>'
                                                  '<p itemprop=offers itemscope itemtype="http://schema.org/Offer"><b itemprop=price>'
                                                  f'1.0{n:02},50 kr</b><link itemprop=availability href="http://schema.org/InStock"></p></div>'))
    return shop, {path: f"10{n:02}.5" for n, path in enumerate(encoded)}, "complete"


def closed(*_):
    return {"/": Page(html("Never read")), "/robots.txt": Page("", status=500)}, {}, "robots.txt is not available (500)"


def moved(*_):
    return ({"/": Page("", status=301, headers={"Location": "http://elsewhere.example.org/"})}, {},
            "moved to elsewhere.example.org, which is another shop: register it")


KINDS = [plain, in_sitemaps, with_rules, with_redirects, with_traps, slow, flaky, western, closed, moved]


def web_of_shops(web, count, products=10):
    """Adds the shops to a web."""
    shops = []
    for n in range(count):
        host = f"s{n}.example.com"
        pages, expected, outcome = KINDS[n % len(KINDS)](host, products)
        web.add(host, pages)
        shops.append(Expected(host, COUNTRIES[n % len(COUNTRIES)], pages, expected, outcome))
    return shops

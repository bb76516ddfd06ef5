// A shop for the benchmark: site PAGES serves a front page, lists of a hundred products each, and PAGES products of about 20 KB with JSON-LD,
// on a free port, which it prints, until its standard input ends.
#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include "http/server.h"

namespace {

constexpr unsigned kListed = 100;

std::string link(const std::string& target) { return "<li><a href=\"" + target + "\">" + target + "</a>"; }

std::string page(const std::string& title, const std::string& head, const std::string& body) {
  return "<!doctype html><html><head><title>" + title + "</title>" + head + "</head><body><h1>" + title +
         "</h1><nav><a href=\"/\">Home</a></nav>" + body + "</body></html>";
}

// Markup as pages of shops have it, so that parsing takes its usual time.
const std::string& filling() {
  static const std::string text = [] {
    std::string out;
    for (int i = 0; i < 120; ++i) {
      out += "<div class=\"row\"><div class=\"cell\"><span class=\"label\">Property " + std::to_string(i) +
             "</span><p>A sentence about it, with <b>bold</b> and <i>italic</i> words &amp; an "
             "entity.</p></div></div>\n";
    }
    return out;
  }();
  return text;
}

std::string front(unsigned products) {
  std::string links;
  for (unsigned list = 0; list * kListed < products; ++list) links += link("/list/" + std::to_string(list));
  return page("Shop", "", "<ul>" + links + "</ul>");
}

std::string list_page(unsigned list, unsigned products) {
  std::string links;
  for (unsigned n = list * kListed; n < std::min(products, (list + 1) * kListed); ++n)
    links += link("/p/" + std::to_string(n));
  return page("List " + std::to_string(list), "", "<ul>" + links + "</ul>");
}

std::string product_page(unsigned n) {
  const std::string number = std::to_string(n);
  const std::string json =
      R"(<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Product )" +
      number + R"(","offers":{"@type":"Offer","price":")" + number +
      R"(.99","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>)";
  return page("Product " + number, json, filling());
}

tavola::http::Response answer(std::string_view path, unsigned products) {
  const auto number_behind = [path](std::string_view prefix) {
    unsigned n = ~0U;
    if (path.starts_with(prefix)) std::from_chars(path.data() + prefix.size(), path.data() + path.size(), n);
    return n;
  };
  tavola::http::Response response{.content_type = "text/html; charset=utf-8"};
  const unsigned product = number_behind("/p/");
  const unsigned list = number_behind("/list/");
  if (path == "/") {
    response.body = front(products);
  } else if (product < products) {
    response.body = product_page(product);
  } else if (list < products) {
    response.body = list_page(list, products);
  } else {
    response = {.status = 404, .content_type = "text/plain", .body = "not found\n"};
  }
  return response;
}

}  // namespace

int main(int count, char** arguments) {
  const unsigned products = count > 1 ? static_cast<unsigned>(std::stoul(arguments[1])) : 20'000;
  tavola::http::ServerOptions options{.port = 0, .threads = 1};
  options.web.allowed_hosts = {"bench.example.com"};
  auto server = tavola::http::Server::start(
      std::move(options), [products](const tavola::http::Request& request, tavola::http::Reply reply) {
        reply(answer(request.path, products));
      });
  if (!server) {
    std::cerr << server.error().message() << '\n';
    return 1;
  }
  std::cout << (*server)->port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  return 0;
}

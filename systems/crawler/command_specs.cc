#include "command_specs.h"

#include <array>

namespace crawler {
namespace {

using Times = OptionSpec::Times;

constexpr auto kDatabase = std::to_array<OptionSpec>({
    {"--data", "DIR",
     "the registry is an embedded database in this directory, which one process at a time may have open "
     "(default: ./crawler-data)"},
    {"--in-memory", "", "the registry is in memory and ends with the program: to try things out"},
    {"--endpoint", "URL",
     "the registry is a table of a server, http://127.0.0.1:8000 or aws:eu-central-1: any number of crawlers "
     "on any machines share it; credentials are found as AWS's tools find them"},
    {"--table", "NAME", "the registry's table (default: DYNAMODB_TABLE_NAME, or aura-historia-data)"},
    {"--json", "", "prints one object of JSON per line"},
});

constexpr auto kCountries = std::to_array<OptionSpec>({
    {"--country", "CC",
     "only shops of this country (ISO 3166-1: DE); can be repeated (default: all countries)", Times::Often},
});

constexpr auto kFetching = std::to_array<OptionSpec>({
    {"--shops", "N", "shops that are worked on at the same time, each with one connection (default: 16)"},
    {"--at-most", "N", "ends after this many shops (default: all that are due)"},
    {"--delay", "TIME",
     "pause between two requests to a host; a longer Crawl-delay of its robots.txt counts (default: 1s)"},
    {"--timeout", "TIME", "of one request (default: 30s)"},
    {"--retries", "N", "after connections that fail, and the answers 429 and 5xx (default: 3)"},
    {"--retry-delay", "TIME",
     "before the first retry; each further pause is twice as long, and Retry-After counts (default: 2s)"},
    {"--time", "TIME", "for one shop, below 110m: after two hours its claim counts as stuck (default: 1h)"},
    {"--bytes", "SIZE", "for one shop (default: 2GB)"},
    {"--page-bytes", "SIZE", "of one page; the rest is not read (default: 4MB)"},
    {"--user-agent", "TEXT",
     "what the crawler calls itself; the part before the first / names it in robots.txt (default: "
     "tavola-crawler/0.1)"},
    {"--scheme", "https|http",
     "of a shop's first page; where https cannot be connected to, http is tried (default: https)"},
    {"--allow-private", "",
     "connects to addresses of private networks and of this machine, too, which are refused otherwise, also "
     "after redirects"},
    {"--connect-to", "HOST:PORT:ADDRESS:PORT",
     "connects to this address instead, as curl does; empty parts mean any: ::127.0.0.1:8080 sends every "
     "request to a local web; can be repeated",
     Times::Often},
    {"--ca-file", "FILE", "certificates (PEM) that are trusted instead of the system's"},
});

constexpr auto kCrawling = std::to_array<OptionSpec>({
    {"--older-than", "TIME", "a shop is due again this long after its last crawl (default: 7d)"},
    {"--pages", "N", "pages of one shop (default: 10000)"},
    {"--depth", "N", "links from the front page (default: 10)"},
});

constexpr auto kChanges = std::to_array<OptionSpec>({
    {"--on-change", "URL",
     "sends each change there, by POST, at least once, until it is answered with 200 to 299"},
    {"--secret-file", "FILE",
     "its text signs each delivery (default: the variable TAVOLA_CRAWLER_SECRET): X-Tavola-Signature is "
     "t=SECONDS,v1=HMAC-SHA256 of SECONDS.BODY"},
    {"--outbox", "DIR", "where changes wait to be delivered, across restarts (default: ./crawler-outbox)"},
    {"--deliver-for", "TIME",
     "how long the end of the command waits for deliveries; the rest is for the next run (default: 30s)"},
});

constexpr auto kScraping = std::to_array<OptionSpec>({
    {"--older-than", "TIME",
     "a shop that was crawled since its last scrape is due again this long after it (default: 0s)"},
});

constexpr auto kOrchestrating = std::to_array<OptionSpec>({
    {"--workers", "N", "threads that crawl, and as many that scrape (default: 1)"},
    {"--only", "crawl|scrape", "does only this work (default: both)"},
    {"--crawl-every", "TIME", "a shop is due again this long after its last crawl (default: 7d)"},
    {"--scrape-every", "TIME",
     "a shop that was crawled since its last scrape is due again this long after it (default: 0s)"},
    {"--look-every", "TIME", "how often workers look for due shops, and stuck ones are reset (default: 5s)"},
    {"--reset-stuck", "TIME", "resets work that began longer ago than this; more than --time (default: 2h)"},
    {"--listen", "HOST:PORT", "the address of the status page and of /metrics (default: 127.0.0.1:8011)"},
    {"--pages", "N", "pages of one shop (default: 10000)"},
    {"--depth", "N", "links from the front page (default: 10)"},
});

constexpr auto kRegistering = std::to_array<OptionSpec>({
    {"--country", "CC", "the shops' country (ISO 3166-1: DE); without one they are in no schedule"},
});

constexpr auto kListing = std::to_array<OptionSpec>({
    {"--type", "TYPE", "only pages of this type: product, category or listing"},
});

constexpr auto kResetting = std::to_array<OptionSpec>({
    {"--work", "crawl|scrape", "resets only this work (default: both)"},
    {"--stuck-for", "TIME",
     "resets what began longer ago than this (default: 2h; 0s: everything in progress)"},
    {"--reason", "TEXT", "recorded with the shop (default: says since when it was stuck)"},
    {"--by", "NAME", "recorded with the shop (default: the user and the host)"},
});

}  // namespace

std::span<const CommandSpec> all_commands() {
  static const auto kCommands = std::to_array<CommandSpec>({
      {"register",
       "DOMAIN…",
       "adds shops",
       "Adds shops to the registry. A domain is stored in one form, however it is written: "
       "https://WWW.Example.com:443/ is "
       "www.example.com. A shop that is known gets the country, if another one is given.",
       {kRegistering, kDatabase}},
      {"crawl",
       "[DOMAIN…]",
       "finds the pages of shops that are due",
       "Claims shops that were never crawled, or not for a while, and crawls each: robots.txt, sitemaps, and "
       "links by breadth. Pages are "
       "classified and stored. Ends when no shop is due, or when the shops that are named are done. Any "
       "number of crawlers can run at the "
       "same time on one registry.",
       {kCountries, kCrawling, kFetching, kDatabase}},
      {"scrape",
       "[DOMAIN…]",
       "reads product pages again and reports what changed",
       "Claims shops that were crawled since their last scrape, reads their product pages, and compares "
       "availability and price with what "
       "is known. A change is printed, recorded, and sent to a webhook. Ends when no shop is due, or when "
       "the shops that are named are "
       "done.",
       {kCountries, kScraping, kChanges, kFetching, kDatabase}},
      {"orchestrate",
       "",
       "crawls and scrapes without end",
       "Keeps crawling and scraping what is due, resets what is stuck, and serves a status page and metrics, "
       "until it is stopped. Start it "
       "on as many machines as you like with one --endpoint: the registry's table is all that they share.",
       {kCountries, kOrchestrating, kChanges, kFetching, kDatabase}},
      {"status",
       "[DOMAIN…]",
       "counts shops by country and state",
       "Counts the shops of each country by where their crawl and their scrape stand, and lists the work in "
       "progress. With domains, tells "
       "what is known of these shops.",
       {kCountries, kDatabase}},
      {"pages",
       "DOMAIN…",
       "lists the pages of shops",
       "Lists the stored pages of shops: address, type, hash of status and price, and the kinds of "
       "structured data.",
       {kListing, kDatabase}},
      {"reset",
       "[DOMAIN…]",
       "gives up work that is stuck",
       "Resets crawls and scrapes in progress whose worker died: the shop is then as before they began, and "
       "can be claimed again. The "
       "reason is recorded. With domains, only these are reset, however long ago their work began.",
       {kCountries, kResetting, kDatabase}},
      {"report",
       "",
       "lists shops that are in no schedule",
       "Lists the shops without a country, which are never crawled: \"not schedulable: no country\". "
       "`tavola-crawler register DOMAIN "
       "--country CC` adds it. Fails with exit code 1 if there are any.",
       {kDatabase}},
  });
  return kCommands;
}

}  // namespace crawler

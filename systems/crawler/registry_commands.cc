// register, status, reset, report.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "commands.h"
#include "web/url.h"
#include "work/times.h"

namespace crawler {
namespace {

using tavola::Error;
using tavola::Result;

std::string this_user_and_host() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const char* const user = std::getenv("USER");
  return std::string(user == nullptr ? "tavola-crawler" : user) + "@" + host.data();
}

// "COUNTRY#DE" → "DE"
std::string code_of(const std::optional<std::string>& country) {
  if (!country) return {};
  return country->starts_with("COUNTRY#") ? country->substr(8) : *country;
}

std::vector<std::string> countries_or_all(const GivenOptions& given) {
  std::vector<std::string> countries = countries_of(given);
  if (countries.empty()) countries.assign(all_countries().begin(), all_countries().end());
  return countries;
}

void add_counts(Record& record, Work work, const StateCounts& counts) {
  const std::string prefix = work == Work::Crawl ? "crawl_" : "scrape_";
  record.number(prefix + "never", counts.never);
  record.number(prefix + "in_progress", counts.in_progress);
  record.number(prefix + "done", counts.done);
}

const std::optional<std::string>& start_of(Work work, const Shop& shop) {
  return work == Work::Crawl ? shop.last_crawled_start : shop.last_scraped_start;
}

Record record_of(const Shop& shop) {
  Record record;
  record.text("event", "shop").text("domain", shop.domain);
  const auto optional = [&record](std::string_view name, const std::optional<std::string>& value) {
    value ? record.text(name, *value) : record.null(name);
  };
  record.text("country", code_of(shop.shop_country)).text("core_domain_name", shop.core_domain_name);
  record.text("crawl", to_text(shop.crawl)).text("scrape", to_text(shop.scrape));
  optional("crawl_outcome", shop.crawl_outcome);
  optional("last_crawled_start", shop.last_crawled_start);
  optional("last_crawled_end", shop.last_crawled_end);
  optional("last_scraped_start", shop.last_scraped_start);
  optional("last_scraped_end", shop.last_scraped_end);
  optional("crawl_reset_reason", shop.crawl_reset_reason);
  optional("scrape_reset_reason", shop.scrape_reset_reason);
  record.list("standards", shop.standards_used.value_or(std::vector<std::string>()));
  return record;
}

struct Resetting {
  const CommandContext& context;
  Registry::Reset reset;
};

Result<bool> reset_one(const Resetting& resetting, Work work, const Shop& shop) {
  Registry::Reset reset = resetting.reset;
  const std::string since = start_of(work, shop).value_or("an unknown time");
  if (reset.reason.empty())
    reset.reason = "the " + std::string(name_of(work)) + " was in progress since " + since;
  TAVOLA_TRY(const bool was_in_progress, resetting.context.registry.reset(work, shop.domain, reset));
  if (!was_in_progress) return false;
  resetting.context.print(Record()
                              .text("event", "reset")
                              .text("domain", shop.domain)
                              .text("work", name_of(work))
                              .text("since", since));
  return true;
}

// The shops that are named; otherwise those whose work began long enough ago.
Result<std::vector<Shop>> shops_to_reset(const CommandContext& context, Work work) {
  std::vector<Shop> shops;
  for (const std::string& domain : context.given.arguments()) {
    TAVOLA_TRY(auto shop, context.registry.shop(domain));
    if (!shop) return tavola::fail(Error::validation(domain + " is not registered"));
    const Shop::Crawl state = work == Work::Crawl ? shop->crawl : shop->scrape;
    if (state == Shop::Crawl::PROGRESS) shops.push_back(*std::move(shop));
  }
  if (!context.given.arguments().empty()) return shops;
  TAVOLA_TRY(const std::int64_t stuck_for, context.given.milliseconds("--stuck-for", "2h"));
  const std::string before = to_text(now() - std::chrono::milliseconds(stuck_for));
  for (const std::string& country : countries_or_all(context.given)) {
    TAVOLA_TRY(std::vector<Shop> stuck, context.registry.stuck(work, country, before));
    std::ranges::move(stuck, std::back_inserter(shops));
  }
  return shops;
}

}  // namespace

std::vector<std::string> countries_of(const GivenOptions& given) {
  std::vector<std::string> countries = given.texts("--country");
  for (std::string& country : countries) {
    if (country.starts_with("COUNTRY#")) country.erase(0, 8);
    std::ranges::transform(country, country.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  return countries;
}

Result<int> register_command(const CommandContext& context) {
  if (context.given.arguments().empty())
    return tavola::fail(
        Error::validation("register needs domains: tavola-crawler register example.com --country DE"));
  const std::vector<std::string> countries = countries_of(context.given);
  const auto country = countries.empty() ? std::nullopt : std::optional(countries.front());
  int code = 0;
  for (const std::string& domain : context.given.arguments()) {
    const auto registration = context.registry.register_shop(domain, country);
    if (!registration) {
      code = 1;
      context.print(Record()
                        .text("event", "refused")
                        .text("domain", domain)
                        .text("problem", registration.error().message()));
      continue;
    }
    constexpr std::array<std::string_view, 3> kEvents = {"registered", "changed", "known"};
    const Shop& shop = registration->shop;
    Record record;
    record.text("event", kEvents[static_cast<std::size_t>(registration->how)]).text("domain", shop.domain);
    record.text("country", code_of(shop.shop_country)).text("core_domain_name", shop.core_domain_name);
    context.print(record);
  }
  return code;
}

Result<int> status_command(const CommandContext& context) {
  for (const std::string& domain : context.given.arguments()) {
    TAVOLA_TRY(const auto shop, context.registry.shop(domain));
    if (!shop) return tavola::fail(Error::validation(domain + " is not registered"));
    context.print(record_of(*shop));
  }
  if (!context.given.arguments().empty()) return 0;
  constexpr std::array<Work, 2> kWorks = {Work::Crawl, Work::Scrape};
  std::vector<Record> running;
  for (const std::string& country : countries_or_all(context.given)) {
    Record record;
    record.text("event", "status").text("country", country);
    std::size_t shops = 0;
    for (const Work work : kWorks) {
      TAVOLA_TRY(const StateCounts counts, context.registry.counts(work, country));
      add_counts(record, work, counts);
      shops += counts.never + counts.in_progress + counts.done;
      if (counts.in_progress == 0) continue;
      TAVOLA_TRY(const std::vector<Shop> in_progress, context.registry.in_progress(work, country));
      for (const Shop& shop : in_progress) {
        running.push_back(Record()
                              .text("event", "in progress")
                              .text("work", name_of(work))
                              .text("domain", shop.domain)
                              .text("since", start_of(work, shop).value_or("")));
      }
    }
    if (shops > 0) context.print(record);
  }
  for (const Record& record : running) context.print(record);
  return 0;
}

Result<int> pages_command(const CommandContext& context) {
  if (context.given.arguments().empty())
    return tavola::fail(Error::validation("pages needs domains: tavola-crawler pages example.com"));
  const std::string type = context.given.text("--type");
  for (const std::string& domain : context.given.arguments()) {
    TAVOLA_TRY(const auto shop, context.registry.shop(domain));
    if (!shop) return tavola::fail(Error::validation(domain + " is not registered"));
    auto pages = type.empty() ? context.registry.pages(domain) : context.registry.pages_of_type(domain, type);
    for (const Result<KnownPage>& page : pages) {
      TAVOLA_CHECK(page);
      Record record;
      record.text("url", page->url).text("type", page->type.value_or(""));
      record.list("standards", page->standards_used.value_or(std::vector<std::string>()));
      if (page->hash) record.text("hash", *page->hash);
      context.print(record);
    }
  }
  return 0;
}

Result<int> reset_command(const CommandContext& context) {
  const std::string only = context.given.text("--work");
  if (!only.empty() && only != "crawl" && only != "scrape")
    return tavola::fail(Error::validation("--work must be crawl or scrape (was \"" + only + "\")"));
  const Resetting resetting{
      context,
      {.by = context.given.text("--by", this_user_and_host()), .reason = context.given.text("--reason")}};
  for (const Work work : {Work::Crawl, Work::Scrape}) {
    if (!only.empty() && only != name_of(work)) continue;
    TAVOLA_TRY(const std::vector<Shop> shops, shops_to_reset(context, work));
    for (const Shop& shop : shops) TAVOLA_CHECK(reset_one(resetting, work, shop));
  }
  return 0;
}

Result<int> report_command(const CommandContext& context) {
  TAVOLA_TRY(const std::vector<Shop> shops, context.registry.not_schedulable());
  for (const Shop& shop : shops) {
    context.print(Record()
                      .text("event", "not schedulable")
                      .text("domain", shop.domain)
                      .text("problem", "not schedulable: no country"));
  }
  return shops.empty() ? 0 : 1;
}

}  // namespace crawler

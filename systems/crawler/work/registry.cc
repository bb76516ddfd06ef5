#include "work/registry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include <tavola/items.h>

namespace crawler {
namespace {

namespace design = aura_historia_data;
using tavola::Error;
using tavola::ErrorCode;
using tavola::Result;

bool is_passing(const Error& error) {
  if (const auto* const cancelled = error.detail<tavola::TransactionCancellation>()) {
    return std::ranges::any_of(cancelled->reasons, [](const tavola::CancellationReason& reason) {
      return reason.code == "TransactionConflict" || reason.code == "ThrottlingError" ||
             reason.code == "ProvisionedThroughputExceeded";
    });
  }
  return error.code() == ErrorCode::TransactionConflict || error.code() == ErrorCode::TransactionInProgress ||
         error.code() == ErrorCode::Throttling || error.code() == ErrorCode::ProvisionedThroughputExceeded ||
         error.code() == ErrorCode::Internal || error.code() == ErrorCode::Io;
}

// Calls again, with growing pauses of about eight seconds altogether, what fails for a reason that passes.
template <class Call>
auto persistently(const Call& call) {
  constexpr int kAttempts = 9;
  std::chrono::milliseconds pause(16);
  for (int attempt = 1;; ++attempt, pause *= 2) {
    auto result = call();
    if (result || attempt == kAttempts || !is_passing(result.error())) return result;
    std::this_thread::sleep_for(pause);
  }
}

// Takes at most `limit` of the entities that a pattern finds.
Result<std::vector<Shop>> first_of(tavola::Entities<Shop> entities, std::size_t limit) {
  std::vector<Shop> shops;
  for (const Result<Shop>& shop : entities) {
    TAVOLA_CHECK(shop);
    shops.push_back(*shop);
    if (shops.size() >= limit) break;
  }
  return shops;
}

Result<std::size_t> count_of(tavola::Entities<Shop> entities) {
  std::size_t count = 0;
  for (const Result<Shop>& shop : entities) {
    TAVOLA_CHECK(shop);
    ++count;
  }
  return count;
}

// Returns the update that stores what a crawl saw, and nothing else: hash and other attributes stay. The keys of the index are written as
// the design says, also to tables that no design governs.
Result<tavola::UpdateItemRequest> update_of(const std::string& table, const std::string& domain,
                                            const SeenPage& page) {
  tavola::UpdateItemRequest update{.table_name = table};
  TAVOLA_TRY(update.key, tavola::pack(KnownPage::key(domain, page.url)));
  tavola::Item values{{":url", page.url}};
  std::string set = "SET #url = :url";
  std::string remove;
  const auto change = [&](std::string_view attribute, const std::string& value) {
    const std::string name(attribute);
    update.names["#" + name] = name;
    if (value.empty()) {
      remove += (remove.empty() ? " REMOVE #" : ", #") + name;
    } else {
      set += ", #" + name + " = :" + name;
      values.emplace(":" + name, value);
    }
  };
  update.names["#url"] = "url";
  const std::string type(page.kind == PageKind::Other ? "" : name_of(page.kind));
  change("type", type);
  change("gsi1_pk", type.empty() ? "" : "SHOP#" + domain);
  change("gsi1_sk", type);
  change("etag", page.etag.size() <= 300 ? page.etag : "");
  change("last_modified", page.last_modified.size() <= 100 ? page.last_modified : "");
  tavola::List standards;
  for (const std::string& standard : page.standards) standards.emplace_back(standard);
  update.names["#standards"] = "standards_used";
  set += ", #standards = :standards";
  values.emplace(":standards", std::move(standards));
  update.update_expression = set + remove;
  TAVOLA_TRY(update.values, tavola::pack(values));
  return update;
}

// The refusals that mean that somebody else was quicker, or that there is nothing to do.
template <class Refusal, class T>
bool is_refused(const Result<T>& result) {
  return !result && design::refusal<Refusal>(result.error()).has_value();
}

}  // namespace

std::string_view name_of(Work work) { return work == Work::Crawl ? "crawl" : "scrape"; }

Result<std::unique_ptr<Registry>> Registry::open(tavola::Database& database, std::string table) {
  const char* const in_environment = std::getenv("DYNAMODB_TABLE_NAME");
  if (table.empty() && in_environment != nullptr) table = in_environment;
  if (table.empty()) table = "aura-historia-data";
  TAVOLA_TRY(auto opened, design::AuraHistoriaData::open(
                              database, {.table_name = table, .file_name = "aura-historia-data.yaml"}));
  TAVOLA_TRY(const std::vector<std::string> differences,
             persistently([&] { return opened.prepare_table(); }));
  if (!differences.empty()) {
    return tavola::fail(Error::validation("The table " + table + " is not a registry of shops: " +
                                          differences.front() + ". Name another one with --table."));
  }
  return std::unique_ptr<Registry>(new Registry(database, std::move(table), std::move(opened)));
}

Result<Registry::Registration> Registry::register_shop(const std::string& domain,
                                                       const std::optional<std::string>& country) {
  auto added =
      persistently([&] { return design_.registerShop({.domain = domain, .shop_country = country}); });
  if (added) return Registration{Registered::New, *std::move(added)};
  if (!is_refused<design::RegisterShopRefusal>(added)) return tavola::fail(std::move(added).error());
  TAVOLA_TRY(auto known, design_.getShop({.domain = domain}));
  if (!known)
    return tavola::fail(Error::internal("The shop " + domain + " was removed while it was registered."));
  const bool is_as_before =
      !country || known->shop_country == country || known->shop_country == "COUNTRY#" + *country;
  if (is_as_before) return Registration{Registered::Known, *std::move(known)};
  TAVOLA_TRY(auto changed,
             persistently([&] { return design_.updateShop({.domain = domain, .shop_country = country}); }));
  const bool is_changed = changed.shop_country != known->shop_country;
  return Registration{is_changed ? Registered::Changed : Registered::Known, std::move(changed)};
}

Result<std::optional<Shop>> Registry::shop(const std::string& domain) const {
  return design_.getShop({.domain = domain});
}

Result<void> Registry::set_outcome(const std::string& domain, const std::string& outcome,
                                   const std::vector<std::string>& standards) {
  design::UpdateShop update{.domain = domain, .crawl_outcome = outcome.substr(0, 500)};
  if (!standards.empty()) update.standards_used = standards;
  TAVOLA_CHECK(persistently([&] { return design_.updateShop(update); }));
  return {};
}

Result<std::vector<Shop>> Registry::due(Work work, const std::string& country, const std::string& cutoff,
                                        std::size_t limit) const {
  return persistently([&] {
    return first_of(work == Work::Crawl
                        ? design_.shopsNeedingCrawl({.shop_country = country, .cutoff = cutoff})
                        : design_.shopsNeedingScrape({.shop_country = country, .cutoff = cutoff}),
                    limit);
  });
}

Result<std::vector<Shop>> Registry::in_progress(Work work, const std::string& country) const {
  return persistently([&] {
    return work == Work::Crawl ? design_.crawlsInProgress({.shop_country = country}).all()
                               : design_.scrapesInProgress({.shop_country = country}).all();
  });
}

Result<std::vector<Shop>> Registry::stuck(Work work, const std::string& country,
                                          const std::string& before) const {
  return persistently([&] {
    return work == Work::Crawl ? design_.stuckCrawls({.shop_country = country, .before = before}).all()
                               : design_.stuckScrapes({.shop_country = country, .before = before}).all();
  });
}

Result<StateCounts> Registry::counts(Work work, const std::string& country) const {
  constexpr const char* kFirst = "0000-01-01T00:00:00Z";
  constexpr const char* kLast = "9999-12-31T23:59:59Z";
  StateCounts counts;
  if (work == Work::Crawl) {
    TAVOLA_TRY(counts.never, count_of(design_.neverCrawled({.shop_country = country})));
    TAVOLA_TRY(counts.in_progress, count_of(design_.crawlsInProgress({.shop_country = country})));
    TAVOLA_TRY(counts.done,
               count_of(design_.crawledWithin({.shop_country = country, .start = kFirst, .end = kLast})));
  } else {
    TAVOLA_TRY(counts.never, count_of(design_.neverScraped({.shop_country = country})));
    TAVOLA_TRY(counts.in_progress, count_of(design_.scrapesInProgress({.shop_country = country})));
    TAVOLA_TRY(counts.done,
               count_of(design_.scrapedWithin({.shop_country = country, .start = kFirst, .end = kLast})));
  }
  return counts;
}

Result<std::vector<Shop>> Registry::not_schedulable() const { return design_.notSchedulable().all(); }

Result<std::optional<Shop>> Registry::claim(Work work, const std::string& domain) {
  // A conflict means that another worker claims the shop now: it is asked for again only to see who won.
  auto claimed = persistently([&] {
    return work == Work::Crawl ? design_.startCrawl({.domain = domain})
                               : design_.startScrape({.domain = domain});
  });
  const bool is_taken = work == Work::Crawl ? is_refused<design::StartCrawlRefusal>(claimed)
                                            : is_refused<design::StartScrapeRefusal>(claimed);
  if (is_taken) return std::optional<Shop>();
  if (!claimed) return tavola::fail(std::move(claimed).error());
  return std::optional<Shop>(*std::move(claimed));
}

Result<std::optional<Shop>> Registry::claim_due(Work work, const std::string& domain,
                                                const std::string& cutoff) {
  const auto end_of = [work](const Shop& shop) {
    return work == Work::Crawl ? shop.last_crawled_end : shop.last_scraped_end;
  };
  TAVOLA_TRY(const auto known, shop(domain));
  if (!known || end_of(*known).value_or("") > cutoff) return std::optional<Shop>();
  // A host gets one connection: its crawl and its scrape are not done at the same time.
  const Shop::Crawl other = work == Work::Crawl ? known->scrape : known->crawl;
  if (other == Shop::Crawl::PROGRESS) return std::optional<Shop>();
  TAVOLA_TRY(auto claimed, claim(work, domain));
  if (!claimed || end_of(*claimed).value_or("") <= cutoff) return claimed;
  // Another worker began and ended between the two requests: gives the claim back.
  TAVOLA_CHECK(reset(work, domain,
                     {.by = "tavola-crawler", .reason = "claimed just after another worker had finished"}));
  return std::optional<Shop>();
}

Result<bool> Registry::finish(Work work, const Shop& claimed) {
  const bool is_crawl = work == Work::Crawl;
  TAVOLA_TRY(const auto now, persistently([&] { return design_.getShop({.domain = claimed.domain}); }));
  const bool is_ours = now && (is_crawl ? now->crawl == Shop::Crawl::PROGRESS &&
                                              now->last_crawled_start == claimed.last_crawled_start
                                        : now->scrape == Shop::Crawl::PROGRESS &&
                                              now->last_scraped_start == claimed.last_scraped_start);
  if (!is_ours) return false;
  const auto done = persistently([&] {
    return is_crawl ? design_.finishCrawl({.domain = claimed.domain})
                    : design_.finishScrape({.domain = claimed.domain});
  });
  const bool is_reset =
      is_crawl ? is_refused<design::FinishCrawlRefusal>(done) : is_refused<design::FinishScrapeRefusal>(done);
  if (is_reset) return false;
  TAVOLA_CHECK(done);
  return true;
}

Result<bool> Registry::reset(Work work, const std::string& domain, const Reset& reset) {
  const auto done = persistently([&] {
    return work == Work::Crawl
               ? design_.resetCrawl({.domain = domain, .by = reset.by, .reason = reset.reason})
               : design_.resetScrape({.domain = domain, .by = reset.by, .reason = reset.reason});
  });
  const bool is_over = work == Work::Crawl ? is_refused<design::ResetCrawlRefusal>(done)
                                           : is_refused<design::ResetScrapeRefusal>(done);
  if (is_over) return false;
  TAVOLA_CHECK(done);
  return true;
}

tavola::Entities<KnownPage> Registry::pages(const std::string& domain) const {
  return design_.urlsOfShop({.domain = domain});
}

tavola::Entities<KnownPage> Registry::pages_of_type(const std::string& domain,
                                                    const std::string& type) const {
  return design_.urlsByType({.domain = domain, .type = type});
}

Result<void> Registry::store(const std::string& domain, std::span<const SeenPage> pages) {
  while (!pages.empty()) {
    const std::size_t count = std::min(pages.size(), kBatchMax);
    TAVOLA_CHECK(store_batch(domain, pages.first(count)));
    pages = pages.subspan(count);
  }
  return {};
}

Result<void> Registry::store_batch(const std::string& domain, std::span<const SeenPage> pages) {
  tavola::TransactWriteItemsRequest request;
  for (const SeenPage& page : pages) {
    TAVOLA_TRY(auto update, update_of(table_, domain, page));
    request.actions.emplace_back(std::move(update));
  }
  TAVOLA_CHECK(persistently([&] { return database_.transact_write_items(request); }));
  return {};
}

Result<void> Registry::remove(const std::string& domain, const std::string& url) {
  const auto removed = persistently([&] { return design_.removeUrl({.domain = domain, .url = url}); });
  if (is_refused<design::RemoveUrlRefusal>(removed)) return {};
  return removed;
}

Result<bool> Registry::record(const std::string& domain, const std::string& url, const std::string& status,
                              const std::optional<std::string>& price) {
  const auto recorded = persistently(
      [&] { return design_.recordHash({.domain = domain, .url = url, .status = status, .price = price}); });
  if (is_refused<design::RecordHashRefusal>(recorded)) return false;
  TAVOLA_CHECK(recorded);
  return true;
}

std::span<const std::string_view> all_countries() {
  static constexpr auto kCountries = std::to_array<std::string_view>(
      {"AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AQ", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA",
       "BB", "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BV",
       "BW", "BY", "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU",
       "CV", "CW", "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES",
       "ET", "FI", "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM",
       "GN", "GP", "GQ", "GR", "GS", "GT", "GU", "GW", "GY", "HK", "HM", "HN", "HR", "HT", "HU", "ID", "IE",
       "IL", "IM", "IN", "IO", "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM",
       "KN", "KP", "KR", "KW", "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY",
       "MA", "MC", "MD", "ME", "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT",
       "MU", "MV", "MW", "MX", "MY", "MZ", "NA", "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU",
       "NZ", "OM", "PA", "PE", "PF", "PG", "PH", "PK", "PL", "PM", "PN", "PR", "PS", "PT", "PW", "PY", "QA",
       "RE", "RO", "RS", "RU", "RW", "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM",
       "SN", "SO", "SR", "SS", "ST", "SV", "SX", "SY", "SZ", "TC", "TD", "TF", "TG", "TH", "TJ", "TK", "TL",
       "TM", "TN", "TO", "TR", "TT", "TV", "TW", "TZ", "UA", "UG", "UM", "US", "UY", "UZ", "VA", "VC", "VE",
       "VG", "VI", "VN", "VU", "WF", "WS", "YE", "YT", "ZA", "ZM", "ZW"});
  return kCountries;
}

}  // namespace crawler

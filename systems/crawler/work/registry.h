// The registry of shops and their pages: the design's patterns and operations by its generated code (designs/aura-historia-data.yaml), and
// pages stored in batches. Workers on any machine share nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>

#include "aura-historia-data.h"
#include "page/classify.h"

namespace crawler {

using aura_historia_data::Shop;
using KnownPage = aura_historia_data::Url;

enum class Work : std::uint8_t { Crawl, Scrape };
std::string_view name_of(Work work);  // "crawl"

// A page as a crawl saw it.
struct SeenPage {
  std::string url{};
  PageKind kind = PageKind::Other;
  std::vector<std::string> standards{};
  std::string etag{};
  std::string last_modified{};
};

struct StateCounts {
  std::size_t never = 0;
  std::size_t in_progress = 0;
  std::size_t done = 0;
};

// Thread safety: all methods. Requests that meet a conflict or are throttled are sent again for some seconds.
class Registry {
 public:
  // Borrows the database, and creates the table if it is missing. Empty `table`: DYNAMODB_TABLE_NAME, or the design's name. Fails with
  // Validation if there is another table of this name.
  static tavola::Result<std::unique_ptr<Registry>> open(tavola::Database& database, std::string table);

  enum class Registered : std::uint8_t { New, Changed, Known };
  struct Registration {
    Registered how = Registered::New;
    Shop shop{};
  };
  // Adds a shop. One that is known gets the country, if another one is given.
  tavola::Result<Registration> register_shop(const std::string& domain,
                                             const std::optional<std::string>& country);
  tavola::Result<std::optional<Shop>> shop(const std::string& domain) const;
  // Remembers how a crawl went. Called before finish(): a worker that dies in between leaves a claim that is reset.
  tavola::Result<void> set_outcome(const std::string& domain, const std::string& outcome,
                                   const std::vector<std::string>& standards);

  // Returns shops of a country that are due: never done, or done until the cutoff ("2026-01-15T10:00:00Z"). At most about `limit`.
  tavola::Result<std::vector<Shop>> due(Work work, const std::string& country, const std::string& cutoff,
                                        std::size_t limit) const;
  tavola::Result<std::vector<Shop>> in_progress(Work work, const std::string& country) const;
  // Returns shops whose work began until `before` and has not ended.
  tavola::Result<std::vector<Shop>> stuck(Work work, const std::string& country,
                                          const std::string& before) const;
  tavola::Result<StateCounts> counts(Work work, const std::string& country) const;
  tavola::Result<std::vector<Shop>> not_schedulable() const;

  // Claims a shop. Returns nullopt if another worker has it, or there is nothing to do.
  tavola::Result<std::optional<Shop>> claim(Work work, const std::string& domain);
  // Claims a shop only if it is still due, by the cutoff of due(): since the caller looked, another worker may have done it.
  tavola::Result<std::optional<Shop>> claim_due(Work work, const std::string& domain,
                                                const std::string& cutoff);
  // Ends a claim, unless it was reset since: then another worker may have the shop. Returns whether it was still ours.
  tavola::Result<bool> finish(Work work, const Shop& claimed);
  struct Reset {
    std::string by{};
    std::string reason{};
  };
  // Returns false if the shop is not in progress any more.
  tavola::Result<bool> reset(Work work, const std::string& domain, const Reset& reset);

  tavola::Entities<KnownPage> pages(const std::string& domain) const;
  tavola::Entities<KnownPage> pages_of_type(const std::string& domain, const std::string& type) const;
  // Stores pages, up to kBatchMax in one transaction; whatever else is known of a page, its hash among it, stays.
  static constexpr std::size_t kBatchMax = 100;
  tavola::Result<void> store(const std::string& domain, std::span<const SeenPage> pages);
  tavola::Result<void> remove(const std::string& domain, const std::string& url);
  // Remembers a page's status and price. Returns false if they are as before.
  tavola::Result<bool> record(const std::string& domain, const std::string& url, const std::string& status,
                              const std::optional<std::string>& price);

 private:
  Registry(tavola::Database& database, std::string table, aura_historia_data::AuraHistoriaData design)
      : database_(database), table_(std::move(table)), design_(std::move(design)) {}
  tavola::Result<void> store_batch(const std::string& domain, std::span<const SeenPage> pages);

  tavola::Database& database_;
  std::string table_;
  aura_historia_data::AuraHistoriaData design_;
};

// All countries (ISO 3166-1), as `DE`.
std::span<const std::string_view> all_countries();

}  // namespace crawler

#include "server/console/sample_designs.h"

#include <array>
#include <chrono>

#include "design/load.h"
#include "server/admin/sample_items.h"

namespace tavola::server {

// Files of designs/, made by CMakeLists.txt.
extern const char* const kSampleInventory;
extern const char* const kSampleInventoryCases;
extern const char* const kSampleCrawler;
extern const char* const kSampleCrawlerCases;
extern const char* const kSampleFiles;
extern const char* const kSampleFilesCases;
extern const char* const kSampleTexts;
extern const char* const kSampleTextsCases;

namespace {

constexpr std::chrono::seconds kTablesWaitMax{60};

}  // namespace

std::span<const SampleDesign> sample_designs() {
  static const std::array kAll{
      SampleDesign{"InventorySystem.yaml", kSampleInventory, kSampleInventoryCases},
      SampleDesign{"aura-historia-data.yaml", kSampleCrawler, kSampleCrawlerCases},
      SampleDesign{"fus-main.yaml", kSampleFiles, kSampleFilesCases},
      SampleDesign{"text-analyzer-history.yaml", kSampleTexts, kSampleTextsCases},
  };
  return kAll;
}

Result<void> load_sample_designs(const SampleDesignParts& parts) {
  TAVOLA_TRY(const ListTablesResponse tables, parts.database.list_tables({}));
  if (!tables.table_names.empty()) {
    return fail(Error(ErrorCode::ResourceInUse,
                      "the samples are for an empty database, and this one has tables already; start another "
                      "server with --in-memory to look at them"));
  }
  for (const SampleDesign& sample : sample_designs()) {
    design::Loaded loaded = design::load(sample.text, std::string(sample.file));
    if (!loaded.design) return fail(Error::internal(std::string(sample.file) + " has errors"));
    TAVOLA_CHECK(parts.changes.start(*loaded.design, {}));
  }
  parts.adoptions.wait(kTablesWaitMax);
  return fill_with_samples(
      *parts.served.service(), "small",
      {.database = parts.database, .adoptions = parts.adoptions, .clock = parts.clock, .log = parts.log});
}

}  // namespace tavola::server

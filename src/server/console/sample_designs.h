// The sample designs that the program has in it: the ones in designs/, with their test cases.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "base/clock.h"
#include "server/admin/design_changes.h"
#include "server/log/log.h"

namespace tavola::server {

struct SampleDesign {
  std::string_view file;
  std::string_view text;
  std::string_view cases;
};
std::span<const SampleDesign> sample_designs();

struct SampleDesignParts {
  Database& database;
  const ServedDesigns& served;
  Adoptions& adoptions;
  DesignChanges& changes;
  const Clock& clock;
  Log& log;
};
// Creates the tables of all sample designs, serves these, and fills the tables with sample data. Fails with ResourceInUse unless the
// database has no tables.
Result<void> load_sample_designs(const SampleDesignParts& parts);

}  // namespace tavola::server

// `serve --sample`: sample data in the empty tables of the designs that are served.
#pragma once

#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "server/admin/adoptions.h"
#include "server/log/log.h"
#include "server/v1/service.h"

namespace tavola::server {

// Fails with Validation unless `size` is small, medium, large, a number of items, or empty: no samples.
Result<void> check_sample_size(const std::string& size);

struct SampleParts {
  Database& database;
  Adoptions& adoptions;  // checks the tables that were filled
  const Clock& clock;
  Log& log;
};
// Fills the tables that have no items, if a size is given; the others stay as they are.
Result<void> fill_with_samples(const DesignService& service, const std::string& size,
                               const SampleParts& parts);

}  // namespace tavola::server

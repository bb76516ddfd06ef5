// The database that a case runs on: empty but for the table of its design.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <tavola/database.h>
#include <tavola/time.h>

#include "base/clock.h"
#include "cases/case_file.h"

namespace tavola::cases {

// Thread safety: none; each case has its own.
class CaseDatabase {
 public:
  virtual ~CaseDatabase() = default;
  virtual Database& database() = 0;
  virtual const Clock& clock() const = 0;
  virtual Result<void> set_time(WallTime time) = 0;
  // Finishes background work: expired items are removed, and large changes are complete.
  virtual Result<void> settle() = 0;
  // Removes the table. Must be called at the end of the case.
  virtual Result<void> close() = 0;
};

using OpenDatabase = std::function<Result<std::unique_ptr<CaseDatabase>>(const design::Design& design)>;

// Opens databases in memory. The table enforces its design as the design says, or as given here.
OpenDatabase in_memory(std::optional<Enforcement> enforcement = {});

// Opens the table of each case at this server, which has one at a time. The server gets the time of the case if it runs with
// --test-clock. Fails with ResourceInUse if the table of a file exists there already, or as the server does.
Result<OpenDatabase> at_server(const std::string& url, std::span<const CaseFile> files);

}  // namespace tavola::cases

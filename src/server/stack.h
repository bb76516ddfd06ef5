// The stack of Database layers between a request and the engine. It is built here and nowhere else.
//
//   for each request (RequestStack):      wire/ → ReadCountingDatabase → FaultyDatabase → AsIsDatabase → RestrictedDatabase → LaggingDatabase → …
//   shared by all requests (Stack):       … → TrafficDatabase → GoverningDatabase → EnforcedDatabase → MarkedImports → TableFiles → Engine
//   with --upstream:                      … → TrafficDatabase → GoverningDatabase → the upstream server
//
// A layer that nothing asks for is left out.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <tavola/database.h>

#include "access/permissions/restricted_database.h"
#include "base/clock.h"
#include "database/as_is_database.h"
#include "database/server_identity.h"
#include "drift/import_mark.h"
#include "engine/engine.h"
#include "engine/write/capacity.h"
#include "server/admin/adoptions.h"
#include "server/designs.h"
#include "server/layers/enforced_database.h"
#include "server/layers/faults.h"
#include "server/layers/faulty_database.h"
#include "server/layers/lagging_database.h"
#include "server/layers/past_views.h"
#include "server/layers/traffic_database.h"
#include "server/log/log.h"
#include "server/requests/read_counts.h"
#include "server/requests/recording.h"
#include "server/v1/served_designs.h"
#include "store/store.h"
#include "transfer/exports/table_files.h"

namespace tavola::server {

// Thread safety: all methods. Borrows all it is given.
class Stack {
 public:
  struct Parts {
    engine::Engine& engine;
    store::Store& store;
    const Clock& clock;
    Log& log;
    Database* upstream = nullptr;         // null: the engine has the data
    ServedDesigns* designs = nullptr;     // null: none are served
    Adoptions* adoptions = nullptr;       // null with `designs`
    std::filesystem::path buckets{};      // empty: exports and imports are refused
    std::filesystem::path files_state{};  // where exports and imports are recorded; empty: nowhere
    std::string region{};
    bool enforces_throughput = false;
  };
  static Result<std::unique_ptr<Stack>> open(const Parts& parts);

  // The database that requests are performed on.
  Database& top() { return *top_; }
  // Returns whether no export or import is running.
  bool is_idle() const { return files_ == nullptr || files_->is_idle(); }
  TrafficDatabase* traffic() { return traffic_ ? &*traffic_ : nullptr; }
  const EnforcedDatabase* enforced() const { return enforced_ ? &*enforced_ : nullptr; }

 private:
  Stack() = default;

  std::unique_ptr<transfer::TableFiles> files_;
  std::optional<drift::MarkedImports> marked_;
  std::optional<EnforcedDatabase> enforced_;
  std::optional<GoverningDatabase> governing_;
  std::optional<TrafficDatabase> traffic_;
  Database* top_ = nullptr;
};

// The faults that requests meet on purpose. Both null: none.
struct RequestFaults {
  Faults* faults = nullptr;
  const PastViews* past = nullptr;  // for indexes that lag behind
};

// Lives as long as one request: borrows all it is given.
class RequestStack {
 public:
  explicit RequestStack(Database& shared, const RequestFaults& faults = {});

  // Puts the permissions of the sender on top.
  void restrict_to(const access::Permissions& permissions, const ServerIdentity& server);
  // Writes and scans of the request are as they are (database/as_is_database.h), as far as the sender may do this.
  void take_as_is();
  // Puts the faults on top, outermost: what permissions look up meets none.
  void add_faults();

  // Measures what the request reads and uses. Called on the thread that performs it.
  void measure();

  Database& top() { return *top_; }
  // Returns what the request cost since measure(), which is nothing if nobody measures.
  RequestCost cost() const;
  // How late the answer shall be.
  std::chrono::milliseconds delay() const;
  bool failed_on_purpose() const { return faulty_ && faulty_->failed_on_purpose(); }

 private:
  RequestFaults faults_;
  std::optional<LaggingDatabase> lagging_;
  std::optional<access::RestrictedDatabase> restricted_;
  std::optional<AsIsDatabase> as_is_;
  std::optional<FaultyDatabase> faulty_;
  std::optional<ReadCountingDatabase> counting_;
  engine::CapacityTotals used_before_{};
  Database* top_;
};

}  // namespace tavola::server

// The limits of tables and global indexes, and the units that each has left.
//
//   provisioned   the throughput of the table, and of each of its global indexes
//   on demand     OnDemandThroughput if set; otherwise no limit
//
// A local index uses the units of its table.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/requests.h>

#include "base/clock.h"
#include "base/locks.h"
#include "database/throttling.h"
#include "server/layers/bucket.h"

namespace tavola::server {

using UnitKind = Throttled::Kind;

// The certain consumption of a request in a table. A read is of the table or one of its indexes; a write also uses
// global indexes, by an amount that is known only afterwards.
struct Need {
  std::string_view table;
  UnitKind kind = UnitKind::Read;
  double units = 0;
  std::string_view index{};  // the index read
};

// Thread safety: all methods.
class Meters {
 public:
  explicit Meters(const Clock& clock) : clock_(clock) {}

  // Returns whether the table's limits are unknown or may be outdated: the caller should call learn().
  bool should_look(std::string_view table) const;
  // A table that was deleted and created again starts again.
  void learn(const TableDescription& table);
  void forget(std::string_view table);

  // Returns whether the table or one of its indexes has a limit.
  bool is_metered(std::string_view table) const;

  // Takes the units if the table has some left and, for a write, all its global indexes do; otherwise takes none and
  // returns what is exhausted.
  std::optional<Throttled> admit(const Need& need);
  // Settles a finished request: takes the consumption beyond the units taken in advance.
  void settle(const Need& need, const ConsumedCapacity& used);
  // Returns the units of a request that was not performed.
  void give_back(const Need& need);

 private:
  struct Pair {
    std::optional<Bucket> read{};
    std::optional<Bucket> write{};
    std::optional<Bucket>& of(UnitKind kind) { return kind == UnitKind::Read ? read : write; }
    bool has_any() const { return read || write; }
  };
  struct TableMeters {
    std::string id{};
    WallTime looked_at{};
    bool is_on_demand = false;
    Pair own{};
    std::map<std::string, Pair, std::less<>> global{};
  };
  // Returns the bucket for a read of this index or the table; null if it has no limit.
  static Bucket* read_from(TableMeters& table, const Need& need);
  static Bucket* first_of(TableMeters& table, const Need& need);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, TableMeters, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server

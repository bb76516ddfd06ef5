// Which tables and global indexes have a limit, and how many units each has left.
//
//   provisioned   the throughput of the table, and of each of its global indexes
//   on demand     OnDemandThroughput, where it is given; nothing otherwise
//
// A local index uses what its table has.
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

// What a request is sure to use of a table. A read is of the table or of one of its indexes; a write also of the global indexes,
// nobody knows how much before it is done.
struct Need {
  std::string_view table;
  UnitKind kind = UnitKind::Read;
  double units = 0;
  std::string_view index{};  // that is read
};

// Thread safety: all methods.
class Meters {
 public:
  explicit Meters(const Clock& clock) : clock_(clock) {}

  // What is known of the table is nothing, or may be old: somebody should look, and say it.
  bool should_look(std::string_view table) const;
  // A table that was deleted and created again begins anew.
  void learn(const TableDescription& table);
  void forget(std::string_view table);

  // Something of the table has a limit.
  bool is_metered(std::string_view table) const;

  // Takes the units when the table has some left and so have, of a write, all its global indexes; otherwise nothing, and says who
  // has none.
  std::optional<Throttled> admit(const Need& need);
  // The request is done, and used so much: takes what it did not take before.
  void settle(const Need& need, const ConsumedCapacity& used);
  // It was not done.
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
  // The bucket that a read of this index, or of the table, is taken from; null when that has no limit.
  static Bucket* read_from(TableMeters& table, const Need& need);
  static Bucket* first_of(TableMeters& table, const Need& need);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::map<std::string, TableMeters, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
};

}  // namespace tavola::server

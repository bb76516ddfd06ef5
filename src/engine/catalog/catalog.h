// The catalog of tables. Records are in the store; decoded schemas are cached in memory.
//
// A schema may be outdated as soon as it is returned: a write passes its record as a guard to Store::transact, gets
// Stale if it changed, calls forget() and looks it up again. A read checks is_current() afterwards. Where other processes
// change tables, too, both compare the stamp that the read saw with that of the cache (store/read_stamp.h).
//
// Thread safety: all methods.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/locks.h"
#include "engine/records/schema.h"
#include "store/read_stamp.h"
#include "store/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

using SchemaPtr = std::shared_ptr<const TableSchema>;

// The tables of one request, by name.
using Schemas = std::map<std::string, SchemaPtr, std::less<>>;

// Appends to `also` what is written with a new table. Called again if `reads` waits.
using TableBeginning =
    std::function<Result<void>(TableId id, store::RuleReads& reads, std::vector<store::Write>& also)>;

// Adds to a schema what its table's record does not contain: the rules of its design, and the table it is paired with.
// An interface, because the catalog does not know designs (governed/governed_schemas.h).
class SchemaCompletion {
 public:
  virtual ~SchemaCompletion() = default;
  // Completes a schema that was decoded from `snapshot`, which may be older than the latest state: it shows what is durable
  // (Store::snapshot_for_answer). The design of a table changes with its record, and is read from `snapshot`. A paired table has its
  // own record, which may not be durable yet: the implementation reads that one from the latest state, and fails with Stale if the table
  // itself has changed since.
  virtual Result<void> complete(const store::Snapshot& snapshot, TableSchema& schema) = 0;
  // Called when the table is deleted.
  virtual void forget(TableId table) = 0;
};

// Appends the removal of all items of a table and of everything that follows from them, except its change log.
void append_emptying(const TableSchema& table, std::vector<store::Write>& writes);

class Catalog {
 public:
  // Without a completion, schemas contain only their records.
  explicit Catalog(store::Store& store, const Clock& clock = Clock::system(),
                   SchemaCompletion* completion = nullptr)
      : store_(store), clock_(clock), completion_(completion) {}

  // Returns null if there is no such table. In a store with several processes it asks the store whether what is cached still holds.
  Result<SchemaPtr> find(std::string_view table_name);
  void forget(std::string_view table_name);
  // Forgets `stale` only, not a newer schema: many writers may notice at once that theirs is stale.
  void forget(std::string_view table_name, const SchemaPtr& stale);
  // Forgets all: the store has returned to another state, which is durable.
  void forget_all();
  // Returns whether the table still is what find() returned: otherwise a read must be repeated. The progress of an
  // index build does not count: the index is not read before it is complete.
  bool is_current(std::string_view table_name, const SchemaPtr& schema, const store::ReadStamp& reads);

  // For requests on items: fails with ResourceNotFound, or with what is wrong with the name.
  Result<SchemaPtr> find_existing(const std::string& table_name);

  // Looks up the table (or tables) and calls `attempt` with the result, again if Stale shows that a table changed
  // concurrently. A write passes the schema's record as a guard, so its attempt can detect that.
  template <class Names, class Attempt>
  auto for_write(const Names& names, const Attempt& attempt);
  // For reads, which have no guard: calls `attempt` again if a table was replaced by its end.
  template <class Names, class Attempt>
  auto for_read(const Names& names, const Attempt& attempt);

  // Returns names in byte order, greater than `after`, at most `limit`.
  Result<std::vector<std::string>> names(std::string_view after, std::size_t limit) const;

  // Stores a new table; fails with ResourceInUse if the name is taken.
  Result<SchemaPtr> create(const TableDescription& description, const Tags& tags,
                           const TableBeginning& beginning = {});

  // A change of a table. Its global indexes may be added and removed (index_build.h). While it is decided, no write to the table is
  // running.
  struct TableChange {
    const TableSchema& table;          // before the change
    store::RuleReads& reads;           // if they wait, the change is decided again
    TableRecord description;           // after the change
    std::vector<store::Write> also{};  // is written with it
  };
  using Change = std::function<Result<void>(TableChange&)>;
  // Replaces a table's description by the result of `change`. Fails with ResourceNotFound for a table that is being restored.
  Result<SchemaPtr> update(std::string_view table_name, const Change& change);
  // Also changes a table that is being restored.
  Result<SchemaPtr> update_any(std::string_view table_name, const Change& change);

  // The two tables of a migration, which change together. The descriptions changed by `change` are stored.
  struct Pair {
    store::RuleReads& reads;  // if they wait, the change is decided again
    SchemaPtr older{};
    SchemaPtr newer{};
    TableRecord older_description{};
    TableRecord newer_description{};
    bool removes_newer = false;        // with all its data, instead of changing it
    std::vector<store::Write> also{};  // is written with them
  };
  using PairChange = std::function<Result<void>(Pair&)>;
  Result<void> update_pair(const std::string& older, const std::string& newer, const PairChange& change);

  // Removes the table with all its data, in one step. Returns its last schema. `before` is called once no write to it
  // is running, again if `reads` waits; what it appends to `also` is written with the removal.
  using BeforeRemoval = std::function<Result<void>(const TableSchema& table, store::RuleReads& reads,
                                                   std::vector<store::Write>& also)>;
  Result<SchemaPtr> remove(std::string_view table_name, const BeforeRemoval& before = {});

  // Tags are stored beside the record: they may be large, and writers compare records.
  Result<Tags> tags(std::string_view table_name) const;
  using TagChange = std::function<Result<void>(Tags&)>;
  Result<void> update_tags(std::string_view table_name, const TagChange& change);

 private:
  template <class Attempt>
  static auto call(const Attempt& attempt, const SchemaPtr& schema) {
    return attempt(*schema);
  }
  template <class Attempt>
  static auto call(const Attempt& attempt, const Schemas& schemas) {
    return attempt(schemas);
  }
  void forget_all(const std::string& name, const SchemaPtr& stale) { forget(name, stale); }
  void forget_all(std::span<const std::string>, const Schemas& stale) {
    for (const auto& [name, schema] : stale) forget(name, schema);
  }
  bool all_current(const std::string& name, const SchemaPtr& schema, const store::ReadStamp& reads) {
    return is_current(name, schema, reads);
  }
  bool all_current(std::span<const std::string>, const Schemas& schemas, const store::ReadStamp& reads) {
    return std::ranges::all_of(schemas, [&](const auto& s) { return is_current(s.first, s.second, reads); });
  }

  // As find() and find_existing(), but may return a schema that another process has replaced: who uses it finds out afterwards.
  Result<SchemaPtr> find_recent(std::string_view table_name);
  Result<SchemaPtr> recent(const std::string& table_name);
  Result<Schemas> recent(std::span<const std::string> table_names);
  Result<void> drop_what_others_changed();
  void keep_only(const std::string& stamp) TAVOLA_REQUIRES(mutex_);

  // Exists while changes of records are committed: from the end of the rule on, when they are known. The tables are not
  // cached then: the cache would have the old ones after the change is done, and a read that finds a deleted table
  // empty would take it for the table.
  class Changing;

  store::Store& store_;
  const Clock& clock_;  // the time when streams are switched on and off
  SchemaCompletion* const completion_;
  SharedMutex mutex_;
  std::map<std::string, SchemaPtr, std::less<>> schemas_ TAVOLA_GUARDED_BY(mutex_);
  std::multiset<std::string, std::less<>> changing_ TAVOLA_GUARDED_BY(mutex_);  // tables
  // Tables whose record was changed, with the position of the last change, until that is durable.
  std::map<std::string, store::Store::Position, std::less<>> unsettled_ TAVOLA_GUARDED_BY(mutex_);
  std::uint64_t changes_ TAVOLA_GUARDED_BY(mutex_) = 0;  // of what is cached
  std::string stamp_ TAVOLA_GUARDED_BY(mutex_);  // of a shared store, when every schema in schemas_ was read
};

template <class Names, class Attempt>
auto Catalog::for_write(const Names& names, const Attempt& attempt) {
  using Found = typename decltype(recent(names))::value_type;
  using Response = decltype(call(attempt, std::declval<const Found&>()));
  for (;;) {
    const Result<Found> found = recent(names);
    if (!found) return Response(fail(found.error()));
    const store::ReadStamp reads;
    Response response = call(attempt, *found);
    if (response) return response;
    // A refusal may come from the schema alone, before the store compared it.
    const bool is_stale = response.error().code() == ErrorCode::Stale ||
                          (store_.is_shared() && !all_current(names, *found, reads));
    if (!is_stale) return response;
    forget_all(names, *found);
  }
}

template <class Names, class Attempt>
auto Catalog::for_read(const Names& names, const Attempt& attempt) {
  using Found = typename decltype(recent(names))::value_type;
  using Response = decltype(call(attempt, std::declval<const Found&>()));
  for (;;) {
    const Result<Found> found = recent(names);
    if (!found) return Response(fail(found.error()));
    const store::ReadStamp reads;
    Response response = call(attempt, *found);
    if (all_current(names, *found, reads)) return response;
  }
}

}  // namespace tavola::engine

// The tables that exist. Records live in the store; decoded schemas are cached in memory.
//
// What was found may be out of date the next moment: whoever writes with it passes its record as a guard to
// Store::transact, gets Stale when it changed, calls forget() and looks again. Whoever reads asks is_current() afterwards.
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
#include "store/store.h"

namespace tavola::engine {

using SchemaPtr = std::shared_ptr<const TableSchema>;

// The tables of one request, by name.
using Schemas = std::map<std::string, SchemaPtr, std::less<>>;

// What a new table begins with, beside its record: `rule` sees `keys`, and what it appends to `also` is written with the table.
struct TableBeginning {
  std::vector<std::string> keys{};
  std::function<Result<void>(TableId id, std::span<const std::optional<std::string_view>> values,
                             std::vector<store::Write>& also)>
      rule{};
};

// Adds to a schema what its table's record does not hold: the rules of its design, and the table it is paired with. An interface,
// because a catalog knows no designs (governed/governed_schemas.h).
class SchemaCompletion {
 public:
  virtual ~SchemaCompletion() = default;
  // Completes a schema that was decoded from `snapshot`. Fails with Stale when the table has changed since.
  virtual Result<void> complete(const store::Snapshot& snapshot, TableSchema& schema) = 0;
  // Called when the table was deleted.
  virtual void forget(TableId table) = 0;
};

class Catalog {
 public:
  // Without a completion, schemas are what their records say.
  explicit Catalog(store::Store& store, const Clock& clock = Clock::system(),
                   SchemaCompletion* completion = nullptr)
      : store_(store), clock_(clock), completion_(completion) {}

  // Null when there is no such table.
  Result<SchemaPtr> find(std::string_view table_name);
  void forget(std::string_view table_name);
  // The same, unless another schema was found meanwhile: many writers may notice at once that theirs is stale.
  void forget(std::string_view table_name, const SchemaPtr& stale);
  // Whether the table still is what find() returned: a read that used another one must be repeated. How far an index is built
  // makes no other table: it is not read before it is whole.
  bool is_current(std::string_view table_name, const SchemaPtr& schema);

  // For requests on items: fails with ResourceNotFound, or says what is wrong with the name.
  Result<SchemaPtr> find_existing(const std::string& table_name);
  Result<Schemas> find_existing(std::span<const std::string> table_names);

  // Looks the table (or tables) up and calls `attempt` with what it found, again when Stale says that a table
  // changed meanwhile. A write passes the schema's record as a guard, so its attempt can say so.
  template <class Names, class Attempt>
  auto for_write(const Names& names, const Attempt& attempt);
  // The same for reads, which have no guard: again when a table is another one by the end of `attempt`.
  template <class Names, class Attempt>
  auto for_read(const Names& names, const Attempt& attempt);

  // Names in byte order, greater than `after`, at most `limit`.
  Result<std::vector<std::string>> names(std::string_view after, std::size_t limit) const;

  // Stores a new table; ResourceInUse when the name is taken.
  Result<SchemaPtr> create(const TableDescription& description, const Tags& tags,
                           const TableBeginning& beginning = {});

  // Replaces a table's description by what `change` makes of it. Its global indexes may come and go (index_build.h). What
  // `change` appends to `also` is written with it.
  using Change =
      std::function<Result<void>(TableId id, TableRecord& description, std::vector<store::Write>& also)>;
  // `digest` is of a new design.
  Result<SchemaPtr> update(std::string_view table_name, const Change& change,
                           const std::optional<std::string>& digest = std::nullopt);
  // The same for whoever needs the table's indexes. While `change` runs, nobody writes to the table.
  using SchemaChange = std::function<Result<void>(const TableSchema& table, TableRecord& description,
                                                  std::vector<store::Write>& also)>;
  Result<SchemaPtr> update_schema(std::string_view table_name, const SchemaChange& change,
                                  const std::optional<std::string>& digest = std::nullopt);

  // The two tables of a migration, which change together. What `change` makes of the descriptions is stored.
  struct Pair {
    SchemaPtr older;
    SchemaPtr newer;
    TableRecord older_description;
    TableRecord newer_description;
    bool removes_newer = false;        // with all its data, instead of changing it
    std::vector<store::Write> also{};  // is written with them
  };
  using PairChange = std::function<Result<void>(Pair&)>;
  Result<void> update_pair(const std::string& older, const std::string& newer, const PairChange& change);

  // Removes the table with all its data, in one step. Returns what it was. `before` is called when nobody writes to it any more;
  // what it appends to `also` is written with the removal.
  using BeforeRemoval =
      std::function<Result<void>(const TableSchema& table, std::vector<store::Write>& also)>;
  Result<SchemaPtr> remove(std::string_view table_name, const BeforeRemoval& before = {});

  // Tags live beside the record: they may be large, and writers compare records.
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
  bool all_current(const std::string& name, const SchemaPtr& schema) { return is_current(name, schema); }
  bool all_current(std::span<const std::string>, const Schemas& schemas) {
    return std::ranges::all_of(schemas, [this](const auto& s) { return is_current(s.first, s.second); });
  }

  // Alive while changes of records are committed: from the end of the rule on, when it is known what they are. The tables are not
  // in the cache then: it would still have what they were when the change is done already, and a read that finds a deleted table
  // empty would take it for the table.
  class Changing;

  store::Store& store_;
  const Clock& clock_;  // says when streams begin and end
  SchemaCompletion* const completion_;
  SharedMutex mutex_;
  std::map<std::string, SchemaPtr, std::less<>> schemas_ TAVOLA_GUARDED_BY(mutex_);
  std::multiset<std::string, std::less<>> changing_ TAVOLA_GUARDED_BY(mutex_);  // tables
  // Tables whose record was changed, with the position of the last change, until that is durable.
  std::map<std::string, store::Store::Position, std::less<>> unsettled_ TAVOLA_GUARDED_BY(mutex_);
  std::uint64_t changes_ TAVOLA_GUARDED_BY(mutex_) = 0;  // of what is cached
};

template <class Names, class Attempt>
auto Catalog::for_write(const Names& names, const Attempt& attempt) {
  using Found = typename decltype(find_existing(names))::value_type;
  using Response = decltype(call(attempt, std::declval<const Found&>()));
  for (;;) {
    const Result<Found> found = find_existing(names);
    if (!found) return Response(fail(found.error()));
    Response response = call(attempt, *found);
    if (response || response.error().code() != ErrorCode::Stale) return response;
    forget_all(names, *found);
  }
}

template <class Names, class Attempt>
auto Catalog::for_read(const Names& names, const Attempt& attempt) {
  using Found = typename decltype(find_existing(names))::value_type;
  using Response = decltype(call(attempt, std::declval<const Found&>()));
  for (;;) {
    const Result<Found> found = find_existing(names);
    if (!found) return Response(fail(found.error()));
    Response response = call(attempt, *found);
    if (all_current(names, *found)) return response;
  }
}

}  // namespace tavola::engine

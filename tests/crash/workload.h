// The workload of the crash test, shared by the writing and the checking process: the tables, the operations,
// and the effect of each operation on an item. Everything an operation writes follows from its id; a journal
// line with the id is therefore enough to know the bytes that must be stored.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <tavola/database.h>

namespace tavola::crash {

inline constexpr const char* kMainTable = "main";
inline constexpr const char* kScratchTable = "scratch";  // created and deleted repeatedly

// Names of attributes.
inline constexpr const char* kPartition = "pk";
inline constexpr const char* kSort = "sk";
inline constexpr const char* kOperation = "op";  // the id of the last operation that wrote the item
inline constexpr const char* kGroup = "group";   // sometimes absent: the index by it is sparse
inline constexpr const char* kRank = "rank";
inline constexpr const char* kPayload = "payload";
inline constexpr const char* kCount = "count";

struct Key {
  std::string partition;
  std::int64_t sort = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Operation {
  // PutNew has a condition: no such item yet. Count adds one to an attribute that several threads increment.
  enum class Kind : std::uint8_t { Put, PutNew, Update, Delete, Count, CreateTable, DeleteTable };
  std::uint64_t id = 0;  // never used twice in one run of the test
  Kind kind = Kind::Put;
  std::string table{};
  Key key{};
};

// The writers of a key. Owned: one thread. Shared: several threads put and delete. Counter: several threads
// count.
enum class KeyRole : std::uint8_t { Owned, Shared, Counter };
Key owned_key(int thread, std::int64_t sort);
Key shared_key(std::int64_t sort);
Key counter_key(std::int64_t sort);
KeyRole role_of(const Key& key);

// Both tables: two global indexes (one sparse with everything, one with keys only), a local one (INCLUDE), and a stream.
CreateTableRequest table_definition(const std::string& name);

// Returns the item after the operation on `before`; nullopt after a Delete. Not for table operations.
std::optional<Item> item_after(const Operation& operation, const std::optional<Item>& before);

// The result of an operation that ended.
struct Outcome {
  bool applied = true;     // false: refused by its condition, or the table did (not) exist; nothing changed
  std::int64_t value = 0;  // Count: the counter's new value
};

// Performs the operation. Fails with an error that no healthy database returns.
Result<Outcome> perform(Database& database, const Operation& operation);

Item key_item(const Key& key);
Key key_of(const Item& item);

}  // namespace tavola::crash

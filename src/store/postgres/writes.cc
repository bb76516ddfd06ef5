// The writes of a transaction as statements.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/counters.h"
#include "store/postgres/stored_key.h"
#include "store/postgres/transact.h"

namespace tavola::store {
namespace {

// The change of one key.
struct Change {
  std::optional<std::string_view> put{};
  bool erased = false;  // before the counters are added
  std::string added{};
};

// Writes without a range between them, by key: every transaction changes rows in the order of their keys, so that two that change the same
// rows wait for each other only one way.
class Group {
 public:
  void take(const Write& write) {
    if (write.kind == Write::Kind::Append) {
      appends_.push_back(&write);
      return;
    }
    Change& change = changes_[write.key];
    if (write.kind == Write::Kind::Put) change = {.put = write.value};
    if (write.kind == Write::Kind::Erase) change = {.erased = true};
    if (write.kind == Write::Kind::Add) static_cast<void>(add_counters(change.added, write.value));
  }

  void send(Connection& connection, std::int16_t slot) {
    send_puts(connection);
    send_erasures(connection);
    for (const auto& [key, change] : changes_) {
      if (change.added.empty()) continue;
      const StoredKey stored = stored_key(key);
      connection.add(Statement::Add, {std::string(stored.head), stored.hash, std::string(stored.rest),
                                      binary_int16(slot), counters_to_array(change.added)});
    }
    send_appends(connection);
    changes_.clear();
    appends_.clear();
  }

 private:
  void send_puts(Connection& connection) const {
    std::vector<std::string_view> heads, rests, values;
    std::vector<std::string> hashes;
    for (const auto& [key, change] : changes_) {
      if (!change.put) continue;
      StoredKey stored = stored_key(key);
      heads.push_back(stored.head);
      hashes.push_back(std::move(stored.hash));
      rests.push_back(stored.rest);
      values.push_back(*change.put);
    }
    if (heads.empty()) return;
    const std::vector<std::string_view> hash_views(hashes.begin(), hashes.end());
    connection.add(Statement::Put, {binary_bytes_array(heads), binary_bytes_array(hash_views),
                                    binary_bytes_array(rests), binary_bytes_array(values)});
  }

  void send_erasures(Connection& connection) const {
    std::vector<std::string_view> heads;
    std::vector<std::string> hashes;
    for (const auto& [key, change] : changes_) {
      if (!change.erased) continue;
      StoredKey stored = stored_key(key);
      heads.push_back(stored.head);
      hashes.push_back(std::move(stored.hash));
    }
    if (heads.empty()) return;
    const std::vector<std::string_view> hash_views(hashes.begin(), hashes.end());
    connection.add(Statement::Erase, {binary_bytes_array(heads), binary_bytes_array(hash_views)});
  }

  void send_appends(Connection& connection) const {
    if (appends_.empty()) return;
    std::vector<std::string_view> prefixes, values;
    std::uint64_t least = 0;
    for (const Write* append : appends_) {
      const std::string_view key = append->key;
      prefixes.push_back(key.substr(0, key.size() - sizeof(std::uint64_t)));
      values.emplace_back(append->value);
      least = std::max(least, appended_number(key));
    }
    connection.add(Statement::Append, {binary_bytes_array(prefixes), binary_bytes_array(values),
                                       binary_int64(static_cast<std::int64_t>(least))});
  }

  std::map<std::string_view, Change> changes_;
  std::vector<const Write*> appends_;
};

}  // namespace

void add_writes(Connection& connection, std::span<const Write> writes, std::int16_t slot) {
  Group group;
  for (const Write& write : writes) {
    if (write.kind != Write::Kind::EraseRange) {
      group.take(write);
      continue;
    }
    group.send(connection, slot);
    const std::string end = end_of({write.key, write.value});
    const StoredKey from = stored_key(write.key);
    const StoredKey to = stored_key(end);
    connection.add(Statement::EraseRange, {std::string(from.head), std::string(from.rest),
                                           std::string(to.head), std::string(to.rest)});
  }
  group.send(connection, slot);
}

}  // namespace tavola::store

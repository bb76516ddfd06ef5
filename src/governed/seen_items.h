// The items that one request has seen on the other server, or guesses to be there: what its rule decides from, and what its write
// compares. A guess costs nothing if it is right, because the write compares it like anything else.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "governed/item_places.h"
#include "store/store.h"

namespace tavola::governed {

struct SeenItem {
  std::string store_key;
  ItemPlace place;
  std::optional<PackedItem> item{};  // nothing: there is none
  enum class Source : std::uint8_t { None, Guess, Read } source = Source::None;
  bool is_of_client = false;  // the request is about it
};

class SeenItems {
 public:
  explicit SeenItems(Database& remote) : remote_(remote) {}  // borrows it

  // Adds the item with this store key, unless it is known. Returns its position.
  Result<std::size_t> add(const TransactionTables& tables, const std::string& store_key, bool is_of_client);

  std::size_t size() const { return items_.size(); }
  SeenItem& operator[](std::size_t at) { return items_[at]; }
  const SeenItem& operator[](std::size_t at) const { return items_[at]; }
  // Returns the position of a store key; nothing if it was never added.
  std::optional<std::size_t> find(std::string_view store_key) const;

  void guess_missing(std::size_t at);
  void learn(std::size_t at, std::optional<PackedItem> item);
  void forget(std::size_t at) { items_[at].source = SeenItem::Source::None; }
  // Forgets what was guessed.
  void forget_guesses();

  // Reads what is neither known nor guessed, strongly consistent.
  Result<void> read_missing();
  // Reads these items again, as of one moment. Returns whether they are as they were seen.
  Result<bool> are_as_seen(std::span<const std::size_t> positions);

 private:
  Result<void> read_one(SeenItem& seen);
  Result<void> read_some(std::span<const std::size_t> positions);
  const SchemaPtr& schema_of(std::string_view table_name, std::span<const std::size_t> positions) const;
  Result<std::vector<std::optional<PackedItem>>> read_at_once(std::span<const std::size_t> positions) const;

  Database& remote_;
  std::vector<SeenItem> items_;
  std::map<std::string, std::size_t, std::less<>> positions_;  // by store key
};

// The view of a rule: values by their position, and entries of ranges. Notes at which it looks.
class SeenView final : public store::View {
 public:
  SeenView(std::vector<std::optional<std::string>> values, std::vector<store::RangeEntries> ranges);

  std::optional<std::string_view> operator[](std::size_t index) const override;
  std::size_t size() const override { return values_.size(); }
  bool has_settled_ranges() const override { return false; }
  bool was_looked_at(std::size_t index) const { return looked_at_[index]; }

 private:
  const std::vector<std::optional<std::string>> values_;
  mutable std::vector<bool> looked_at_;
};

}  // namespace tavola::governed

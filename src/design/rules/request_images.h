// The items that one request touches: those that it writes, and those that change with them. Each is held as it was and as the rules
// have decided so far.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/rules/govern.h"
#include "design/rules/table_lookup.h"

namespace tavola::design {

struct RequestImage {
  PackedItem key;
  std::optional<Item> before{};
  std::optional<Item> wanted{};        // by the client
  std::optional<Item> now{};           // the decision so far
  std::optional<std::size_t> write{};  // of the request; nothing: an item that changes with one
  std::size_t cause = 0;               // the write of the request that it changes for
  bool is_written = false;             // by the client, or because something else was deleted
  bool expires = false;
  const Consequence* consequence = nullptr;  // the item is one
  const AskedUpdate* asked = nullptr;
  Governed governed{};
};

// As a TableLookup, shows the items that are written as they were, and all others as the table has them.
class RequestImages final : public TableLookup {
 public:
  explicit RequestImages(const TableLookup& table) : table_(table) {}  // borrows it

  // References stay valid while images are added.
  std::size_t size() const { return images_.size(); }
  RequestImage& operator[](std::size_t at) { return images_[at]; }
  auto begin() { return images_.begin(); }
  auto end() { return images_.end(); }

  bool contains(const PackedItem& key) const { return by_key_.contains(key.bytes()); }
  RequestImage& at(const PackedItem& key) { return images_[by_key_.find(key.bytes())->second]; }
  // Returns the item that the write of the request is of.
  const RequestImage& of_write(std::size_t write) const;

  void add(RequestImage image);
  // Adds the stored item with this key, unless there is an image of it or it was not read yet.
  void look_up(const PackedItem& key, std::size_t cause);

  // Returns the item in the table. Returns null if it was not read yet; then nothing can be decided.
  const std::optional<Item>* stored(const PackedItem& key);
  // Returns whether the item exists after this request. If it was not read yet, the answer is not used.
  bool exists(const PackedItem& key);

  // Returns whether something was not read yet.
  bool is_waiting() const { return is_waiting_; }
  void wait() { is_waiting_ = true; }

  const std::optional<Item>* find(const PackedItem& key) const override;
  Result<std::optional<FoundItems>> ask(const Pattern& pattern, const Item& parameters,
                                        std::size_t limit) const override {
    return table_.ask(pattern, parameters, limit);
  }
  Room room() const override { return table_.room(); }

 private:
  const TableLookup& table_;
  std::deque<RequestImage> images_;
  std::map<std::string, std::size_t, std::less<>> by_key_;  // positions in images_, by the bytes of the keys
  bool is_waiting_ = false;
};

}  // namespace tavola::design

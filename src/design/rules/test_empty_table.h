// A table without items, for tests of the write rules.
#pragma once

#include <cstddef>
#include <optional>

#include "design/rules/table_lookup.h"

namespace tavola::design {

class EmptyTable final : public TableLookup {
 public:
  const std::optional<Item>* find(const PackedItem&) const override { return &nothing_; }
  Result<std::optional<FoundItems>> ask(const Pattern&, const Item&, std::size_t) const override {
    return FoundItems();
  }

 private:
  std::optional<Item> nothing_;
};

}  // namespace tavola::design

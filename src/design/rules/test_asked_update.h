// An update as a test describes it: what it assigns, and what its condition demands. Include in tests only.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "design/language/reading.h"
#include "design/model/field_value.h"
#include "design/rules/asked_update.h"
#include "yaml/node.h"

namespace tavola::design {

class DescribedUpdate final : public AskedUpdate {
 public:
  explicit DescribedUpdate(std::set<std::string, std::less<>> assigned, Item demanded = {})
      : assigned_(std::move(assigned)), demanded_(std::move(demanded)) {}

  bool assigns(std::string_view attribute) const override { return assigned_.contains(attribute); }
  bool would_hold(const ItemView& item) const override {
    const Item found = item.unpack();
    return std::ranges::all_of(demanded_, [&](const auto& one) {
      const auto value = found.find(one.first);
      return value != found.end() && value->second == one.second;
    });
  }

 private:
  std::set<std::string, std::less<>> assigned_;
  Item demanded_;
};

}  // namespace tavola::design

#include "design/items/masked.h"

#include <algorithm>
#include <string_view>

#include "design/model/secrets.h"

namespace tavola::design {
namespace {

constexpr std::string_view kMask = "***";

}  // namespace

Value masked(const Attribute& field, const Value& value) {
  if (field.sensitive) return kMask;
  if (!holds_secret(field)) return value;
  if (value.type() == Type::Map) return Value(Map(masked(field.of, value.map())));
  if (value.type() != Type::List) return kMask;
  List all;
  for (const Value& one : value.list())
    all.push_back(one.type() == Type::Map ? Value(Map(masked(field.of, one.map()))) : Value(kMask));
  return all;
}

Item masked(const std::vector<Attribute>& fields, const Item& values) {
  Item all;
  for (const Attribute& field : fields) {
    const auto found = values.find(field.name);
    if (found != values.end()) all.emplace(field.name, masked(field, found->second));
  }
  return all;
}

}  // namespace tavola::design

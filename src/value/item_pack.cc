// Conversion between trees and packed items: pack() checks what a caller built; the writer accepts whole trees.
#include <algorithm>

#include <tavola/packed.h>

#include "base/overloaded.h"
#include "value/attribute_name.h"
#include "value/item_format.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola {

namespace {

// A set can only be empty after a move. Set::of has the message for an empty set.
template <class T>
Result<void> check_not_empty(const Set<T>& set) {
  if (set.size() == 0) TAVOLA_CHECK(Set<T>::of({}));
  return {};
}

// `attribute` is the top-level attribute that holds the value.
Result<void> check_value(const Value& value, std::string_view attribute, std::size_t level) {
  if (level > limits::kNestingLevelsMax) return fail(nesting_too_deep());
  switch (value.type()) {
    case Type::String:
      return check_text(value.string(), attribute);
    case Type::StringSet:
      TAVOLA_CHECK(check_not_empty(value.string_set()));
      for (const std::string& element : value.string_set()) TAVOLA_CHECK(check_text(element, attribute));
      return {};
    case Type::NumberSet:
      return check_not_empty(value.number_set());
    case Type::BinarySet:
      return check_not_empty(value.binary_set());
    case Type::List:
      for (const Value& element : value.list()) TAVOLA_CHECK(check_value(element, attribute, level + 1));
      return {};
    case Type::Map:
      for (const auto& [name, element] : value.map()) {
        TAVOLA_CHECK(check_attribute_name(name));
        TAVOLA_CHECK(check_value(element, attribute, level + 1));
      }
      return {};
    default:
      return {};
  }
}

// Whether `value` has at most `allowed` levels; a scalar or a set is one level.
bool nests_within(ValueView value, std::size_t allowed) {
  if (allowed == 0) return false;
  const auto inside = [allowed](ValueView element) { return nests_within(element, allowed - 1); };
  switch (value.type()) {
    case Type::List:
      return std::ranges::all_of(value.list(), inside);
    case Type::Map:
      return std::ranges::all_of(value.map(), [&](const auto& entry) { return inside(entry.second); });
    default:
      return true;
  }
}

}  // namespace

// Measured against AWS: a value inside 31 maps is accepted, inside 32 refused (dynoxide issue 110).
Error nesting_too_deep() {
  return Error::validation(
      "Nesting Levels have exceeded supported limits: "
      "Attributes in the item have nested levels beyond supported limit");
}

Result<void> check_nesting(const ItemView& item) {
  for (const auto& [name, value] : item) {
    if (!nests_within(value, limits::kNestingLevelsMax)) return fail(nesting_too_deep());
  }
  return {};
}

Result<PackedItem> pack(const Item& item) {
  ItemWriter writer;
  for (const auto& [name, value] : item) {
    TAVOLA_CHECK(check_attribute_name(name));
    TAVOLA_CHECK(check_value(value, name, 1));
    writer.name(name);
    writer.value(value);
  }
  return std::move(writer).finish();
}

void ItemWriter::value(const Value& value) {
  const auto write_set = [this, &value](const auto& set, auto payload) {
    begin_set(value.type());
    for (const auto& element : set) set_element(payload(element));
    end();
  };
  std::visit(
      Overloaded{
          [this](Null) { null(); },
          [this](bool truth) { boolean(truth); },
          [this](const Number& decimal) { number(decimal); },
          [this](const std::string& text) { string(text); },
          [this](const Binary& bytes) { binary(bytes.bytes); },
          [this](const List& list) {
            begin_list();
            for (const Value& element : list) this->value(element);
            end();
          },
          [this](const Map& map) {
            begin_map();
            for (const auto& [key, element] : map) {
              name(key);
              this->value(element);
            }
            end();
          },
          [&](const StringSet& set) { write_set(set, [](const std::string& text) { return text; }); },
          [&](const BinarySet& set) { write_set(set, [](const Binary& bytes) { return bytes.bytes; }); },
          [&](const NumberSet& set) {
            write_set(set, [](const Number& decimal) {
              std::string bytes;
              append_ordered_number(bytes, decimal);
              return bytes;
            });
          },
      },
      value.variant());
}

}  // namespace tavola

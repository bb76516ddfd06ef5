// Reads packed items in place. item_writer.cc draws the format. Every step is bounds-checked and a violation stops the
// process: we wrote these bytes, and the store has verified their checksums.
#include <tavola/packed.h>

#include "base/assert.h"
#include "value/item_format.h"
#include "value/key_codec.h"
#include "value/limits.h"
#include "value/varint.h"

namespace tavola {

namespace {

// Returns the value at the front of `in`. Takes a copy, so that callers keep theirs in registers.
ValueView first_value(std::string_view in) {
  const std::string_view bytes = take_sized(in);
  TAVOLA_ASSERT(!bytes.empty());
  return ValueView(bytes);
}

std::string_view payload_of(const ValueView& value, Type type) {
  TAVOLA_ASSERT(!value.bytes().empty() && value.type() == type);
  return value.bytes().substr(1);
}

Number decode_number(std::string_view payload) {
  const Result<Number> number = read_ordered_number(payload);
  TAVOLA_ASSERT(number.has_value() && payload.empty());
  return *number;
}

std::string_view item_payload(std::string_view bytes) {
  TAVOLA_ASSERT(bytes.size() >= kEmptyItem.size() && bytes.front() == kItemFormatVersion);
  return bytes.substr(1);
}

}  // namespace

bool ValueView::boolean() const {
  const std::string_view payload = payload_of(*this, Type::Bool);
  TAVOLA_ASSERT(payload.size() == 1);
  return payload.front() != 0;
}

Number ValueView::number() const { return decode_number(payload_of(*this, Type::Number)); }
std::string_view ValueView::string() const { return payload_of(*this, Type::String); }
std::string_view ValueView::binary() const { return payload_of(*this, Type::Binary); }
ListView ValueView::list() const { return ListView(payload_of(*this, Type::List)); }
MapView ValueView::map() const { return MapView(payload_of(*this, Type::Map)); }

SetView ValueView::set() const {
  TAVOLA_ASSERT(!bytes_.empty() && is_set(type()));
  return SetView(type(), payload());
}

std::string_view ValueView::ordered_bytes() const {
  TAVOLA_ASSERT(!bytes_.empty());
  TAVOLA_ASSERT(type() == Type::String || type() == Type::Number || type() == Type::Binary);
  return payload();
}

ListView::ListView(std::string_view payload) : count_(take_varint(payload)), elements_(payload) {}

ValueView ListView::Iterator::operator*() const {
  std::string_view rest = rest_;
  return first_value(rest);
}

ListView::Iterator& ListView::Iterator::operator++() {
  take_sized(rest_);
  return *this;
}

ListView::Iterator ListView::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

std::optional<ValueView> ListView::at(std::size_t index) const {
  if (index >= count_) return std::nullopt;
  std::string_view rest = elements_;
  while (index-- > 0) take_sized(rest);
  return first_value(rest);
}

SetView::SetView(Type set_type, std::string_view payload)
    : type_(set_type), count_(take_varint(payload)), elements_(payload) {}

Type SetView::element_type() const {
  switch (type_) {
    case Type::StringSet:
      return Type::String;
    case Type::NumberSet:
      return Type::Number;
    default:
      return Type::Binary;
  }
}

std::string_view SetView::Iterator::operator*() const {
  std::string_view rest = rest_;
  return take_sized(rest);
}

SetView::Iterator& SetView::Iterator::operator++() {
  take_sized(rest_);
  return *this;
}

SetView::Iterator SetView::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

bool SetView::contains(std::string_view element_payload) const {
  for (std::string_view rest = elements_; !rest.empty();) {
    if (take_sized(rest) == element_payload) return true;
  }
  return false;
}

MapView::MapView(std::string_view payload) : count_(take_varint(payload)), entries_(payload) {}

MapView::Entry MapView::Iterator::operator*() const {
  std::string_view rest = rest_;
  const std::string_view name = take_sized(rest);
  return {name, first_value(rest)};
}

MapView::Iterator& MapView::Iterator::operator++() {
  take_sized(rest_);
  take_sized(rest_);
  return *this;
}

MapView::Iterator MapView::Iterator::operator++(int) {
  const Iterator before = *this;
  ++*this;
  return before;
}

// Compares for equality only, which is mostly a comparison of sizes: faster than stopping early by order.
std::optional<ValueView> MapView::find(std::string_view name) const {
  for (std::string_view rest = entries_; !rest.empty();) {
    const bool found = take_sized(rest) == name;
    if (found) return first_value(rest);
    take_sized(rest);
  }
  return std::nullopt;
}

ItemView::ItemView() : ItemView(kEmptyItem) {}
ItemView::ItemView(std::string_view bytes) : MapView(item_payload(bytes)), bytes_(bytes) {}

PackedItem::PackedItem() : bytes_(kEmptyItem) {}

namespace {

Map unpack_map(const MapView& view) {
  Map map;
  for (const auto& [name, value] : view) map.emplace_hint(map.end(), name, value.unpack());
  return map;
}

template <class T, class Decode>
Value unpack_set(const SetView& view, Decode decode) {
  std::vector<T> elements;
  elements.reserve(view.size());
  for (const std::string_view payload : view) elements.push_back(decode(payload));
  Result<Set<T>> set = Set<T>::of(std::move(elements));
  TAVOLA_ASSERT(set.has_value());
  return *std::move(set);
}

}  // namespace

Value ValueView::unpack() const {
  TAVOLA_ASSERT(!bytes_.empty());
  switch (type()) {
    case Type::Null:
      return Null();
    case Type::Bool:
      return boolean();
    case Type::Number:
      return number();
    case Type::String:
      return string();
    case Type::Binary:
      return Binary{std::string(binary())};
    case Type::List: {
      const ListView view = list();
      List elements;
      elements.reserve(view.size());
      for (const ValueView element : view) elements.push_back(element.unpack());
      return elements;
    }
    case Type::Map:
      return unpack_map(map());
    case Type::StringSet:
      return unpack_set<std::string>(set(), [](std::string_view payload) { return std::string(payload); });
    case Type::NumberSet:
      return unpack_set<Number>(set(), decode_number);
    case Type::BinarySet:
      return unpack_set<Binary>(set(), [](std::string_view payload) { return Binary{std::string(payload)}; });
  }
  assertion_failed("a packed value has one of the ten types", __FILE__, __LINE__);
}

Item ItemView::unpack() const { return unpack_map(*this); }

}  // namespace tavola

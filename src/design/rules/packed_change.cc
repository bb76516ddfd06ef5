#include "design/rules/packed_change.h"

#include <algorithm>
#include <optional>
#include <string>

#include "design/model/placeholder_text.h"
#include "design/model/timestamps.h"
#include "value/key_codec.h"

namespace tavola::design {
namespace {

bool may_stand(const KeyPlan::Part& part, std::string_view text) {
  return !text.empty() && check_place(*part.placeholder, part.form.raw, text, part.behind);
}

// Returns the text of a part of a key, whose value may be a number. Returns nothing if it may not stand there.
std::optional<std::string> rendered_part(const KeyPlan::Part& part, Bytes value) {
  if (part.placeholder == nullptr) return part.literal;
  const Result<std::string> text = write_placeholder(*part.placeholder, part.form, ValueView(value).unpack());
  return text && may_stand(part, *text) ? std::optional(*text) : std::nullopt;
}

}  // namespace

bool has_all(const KeyPlan& key, const FieldBytes& fields) {
  return std::ranges::none_of(key.parts, [&](const KeyPlan::Part& part) {
    return part.placeholder != nullptr && fields[part.field].empty();
  });
}

Item PackedChange::unpacked(const std::vector<std::size_t>& wanted) const {
  Item item;
  for (const std::size_t i : wanted) {
    if (!fields[i].empty()) item.emplace(plan.fields[i].attribute->name, ValueView(fields[i]).unpack());
  }
  return item;
}

Item PackedChange::old_unpacked(const std::vector<std::size_t>& wanted) const {
  Item item;
  for (const std::size_t i : wanted) {
    if (old_fields[i].empty()) continue;
    const Attribute& field = *plan.fields[i].attribute;
    Value value = ValueView(old_fields[i]).unpack();
    if (field.type.is_timestamp()) value = normal_time(field.type, value);
    item.emplace(field.name, std::move(value));
  }
  return item;
}

Bytes PackedChange::keep_text(std::string_view text) {
  char* const bytes = scratch.allocate(1 + text.size());
  bytes[0] = static_cast<char>(Type::String);
  text.copy(bytes + 1, text.size());
  return {bytes, 1 + text.size()};
}

Bytes PackedChange::kept(std::string_view bytes) {
  char* const copy = scratch.allocate(bytes.size());
  bytes.copy(copy, bytes.size());
  return {copy, bytes.size()};
}

Bytes PackedChange::keep_number(const Number& number) {
  std::string bytes(1, static_cast<char>(Type::Number));
  append_ordered_number(bytes, number);
  return kept(bytes);
}

bool PackedChange::keep(const Value& value, Bytes& out) {
  const std::optional<std::string> packed = packed_value(value);
  if (packed) out = kept(*packed);
  return packed.has_value();
}

bool PackedChange::take_part(const KeyPlan::Part& part, std::string_view text) {
  if (!may_stand(part, text)) return false;
  Bytes& field = fields[part.field];
  if (part.is_text) {
    if (field.empty()) field = keep_text(text);
    return is_text(field) && text_of(field) == text;
  }
  const std::optional<Value> read = read_placeholder(*part.placeholder, part.form, text);
  Bytes value;
  if (!read || !keep(*read, value) || (!field.empty() && field != value)) return false;
  field = value;
  return true;
}

bool PackedChange::read_key(const KeyPlan& key, Bytes value) {
  if (!is_text(value)) return false;
  std::string_view rest = text_of(value);
  for (const KeyPlan::Part& part : key.parts) {
    if (part.placeholder == nullptr) {
      if (!rest.starts_with(part.literal)) return false;
      rest.remove_prefix(part.literal.size());
      continue;
    }
    const std::size_t end = part.behind.empty() ? rest.size() : rest.find(part.behind);
    if (end == 0 || end == std::string_view::npos || !take_part(part, rest.substr(0, end))) return false;
    rest.remove_prefix(end);
  }
  return rest.empty();
}

bool PackedChange::render_key(const KeyPlan& key, const FieldBytes& of, Bytes& out) {
  out = {};
  if (key.type == Type::String && key.is_text) return join_texts(key, of, out);
  if (!has_all(key, of)) return true;
  if (key.type == Type::String) return join_parts(key, of, out);
  out = of[key.parts.front().field];
  return ValueView(out).type() == key.type;
}

bool PackedChange::join_texts(const KeyPlan& key, const FieldBytes& of, Bytes& out) {
  std::size_t size = 0;
  for (const KeyPlan::Part& part : key.parts) {
    if (part.placeholder == nullptr) {
      size += part.literal.size();
      continue;
    }
    const Bytes value = of[part.field];
    if (value.empty()) return true;
    if (!is_text(value) || !may_stand(part, text_of(value))) return false;
    size += value.size() - 1;
  }
  if (size > key.bytes_max) return false;
  char* const bytes = scratch.allocate(1 + size);
  bytes[0] = static_cast<char>(Type::String);
  char* end = bytes + 1;
  for (const KeyPlan::Part& part : key.parts)
    end += (part.placeholder == nullptr ? part.literal : text_of(of[part.field])).copy(end, size);
  out = {bytes, 1 + size};
  return true;
}

bool PackedChange::join_parts(const KeyPlan& key, const FieldBytes& of, Bytes& out) {
  std::string joined;
  for (const KeyPlan::Part& part : key.parts) {
    const std::optional<std::string> text =
        rendered_part(part, part.placeholder == nullptr ? Bytes() : of[part.field]);
    if (!text) return false;
    joined += *text;
  }
  if (joined.size() > key.bytes_max) return false;
  out = keep_text(joined);
  return true;
}

}  // namespace tavola::design

#include "design/rules/packed_change.h"

#include <algorithm>
#include <optional>

#include "design/model/placeholder_text.h"
#include "design/model/timestamps.h"

namespace tavola::design {
namespace {

bool may_stand(const KeyPlan::Part& part, std::string_view text) {
  return !text.empty() && check_place(*part.placeholder, part.form.raw, text, part.behind);
}

bool read_part(PackedChange& change, const KeyPlan::Part& part, std::string_view text) {
  if (!may_stand(part, text)) return false;
  Bytes value;
  if (part.is_text()) {
    std::string bytes(1, static_cast<char>(Type::String));
    value = change.keep(bytes.append(text));
  } else {
    const std::optional<Value> read = read_placeholder(*part.placeholder, part.form, text);
    if (!read || !change.keep(*read, value)) return false;
  }
  Bytes& field = change.fields[part.field];
  if (!field.empty() && field != value) return false;
  field = value;
  return true;
}

bool append_part(const KeyPlan::Part& part, Bytes value, std::string& key) {
  if (part.is_text()) {
    if (!is_text(value) || !may_stand(part, text_of(value))) return false;
    key += text_of(value);
    return true;
  }
  const Result<std::string> text = write_placeholder(*part.placeholder, part.form, ValueView(value).unpack());
  if (!text || !may_stand(part, *text)) return false;
  key += *text;
  return true;
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

bool PackedChange::keep(const Value& value, Bytes& out) {
  std::optional<std::string> bytes = packed_value(value);
  if (!bytes) return false;
  out = keep(*std::move(bytes));
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
    if (end == 0 || end == std::string_view::npos || !read_part(*this, part, rest.substr(0, end)))
      return false;
    rest.remove_prefix(end);
  }
  return rest.empty();
}

bool PackedChange::render_key(const KeyPlan& key, Bytes& out) {
  out = {};
  if (!has_all(key, fields)) return true;
  if (key.type != Type::String) {
    out = fields[key.parts.front().field];
    return ValueView(out).type() == key.type;
  }
  std::string rendered(1, static_cast<char>(Type::String));
  for (const KeyPlan::Part& part : key.parts) {
    if (part.placeholder == nullptr) {
      rendered += part.literal;
    } else if (!append_part(part, fields[part.field], rendered)) {
      return false;
    }
  }
  if (rendered.size() - 1 > key.bytes_max) return false;
  out = keep(std::move(rendered));
  return true;
}

}  // namespace tavola::design

#include "workshop/gen/gen_ts_types.h"

#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_ts_rules.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using Kind = AttributeType::Kind;

std::string type_of(const Attribute& field, const AttributeType& type) {
  switch (type.kind) {
    case Kind::Integer:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return "number";
    case Kind::Number:
      return "NumberValue";
    case Kind::Boolean:
      return "boolean";
    case Kind::Binary:
      return "Uint8Array";
    case Kind::List: {
      const std::string element = type_of(field, type.element.front());
      return element.find(' ') == std::string::npos ? element + "[]" : "Array<" + element + ">";
    }
    case Kind::Set:
      return "Set<" + type_of(field, type.element.front()) + ">";
    case Kind::Map: {
      if (field.of.empty()) return "Record<string, unknown>";
      std::string text;
      for (const Attribute& one : field.of) {
        text +=
            (text.empty() ? "" : "; ") + ts_property(one.name) + (one.required ? ": " : "?: ") + ts_type(one);
      }
      return "{ " + text + " }";
    }
    case Kind::Any:
      return "unknown";
    default:
      break;
  }
  std::string text;
  for (const std::string& value : field.values) text += (text.empty() ? "" : " | ") + ts_literal(value);
  return text.empty() ? "string" : text;
}

std::string_view form_type(const AttributeType& type) {
  if (type.text == AttributeType::Text::Domain) return "domain";
  if (type.text == AttributeType::Text::Country) return "country";
  switch (type.kind) {
    case Kind::Number:
      return "number";
    case Kind::Integer:
      return "integer";
    case Kind::Boolean:
      return "boolean";
    case Kind::Binary:
      return "binary";
    case Kind::Uuid:
    case Kind::Ulid:
      return "id";
    case Kind::Url:
      return "url";
    case Kind::Email:
      return "email";
    case Kind::Phone:
      return "phone";
    case Kind::Date:
      return "date";
    case Kind::Sha256:
      return "sha256";
    case Kind::Md5:
      return "md5";
    case Kind::TimestampIso:
      return "iso";
    case Kind::TimestampMs:
      return "ms";
    case Kind::TimestampS:
      return "s";
    case Kind::List:
      return "list";
    case Kind::Set:
      return "set";
    case Kind::Map:
      return "map";
    case Kind::Any:
      return "any";
    default:
      return "text";
  }
}

std::string_view auto_text(Attribute::Auto automatic) {
  switch (automatic) {
    case Attribute::Auto::Create:
      return "create";
    case Attribute::Auto::Update:
      return "update";
    case Attribute::Auto::Transition:
      return "transition";
    case Attribute::Auto::No:
      break;
  }
  return {};
}

// Returns ["COUNTRY#", ""]: the text around the placeholder of a format.
std::string around(const design::Template& format) {
  std::string before;
  std::string after;
  bool behind = false;
  for (const design::Template::Part& part : format.parts()) {
    const auto* literal = std::get_if<std::string>(&part);
    behind = behind || literal == nullptr;
    if (literal != nullptr) (behind ? after : before) += *literal;
  }
  return "[" + ts_literal(before) + ", " + ts_literal(after) + "]";
}

class FormText {
 public:
  void say(std::string_view name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(name) + ": " + value;
  }
  void say_if(std::string_view name, const std::optional<Number>& value) {
    if (value) say(name, ts_literal(value->to_string()));
  }
  void say_if(std::string_view name, const std::optional<std::uint64_t>& value) {
    if (value) say(name, std::to_string(*value));
  }
  std::string take() { return "{ " + text_ + " }"; }

 private:
  std::string text_;
};

std::string forms_of(const std::vector<Attribute>& fields) {
  std::string text;
  for (const Attribute& field : fields)
    text += (text.empty() ? "" : ", ") + ts_property(field.name) + ": " + ts_form(field);
  return "{ " + text + " }";
}

}  // namespace

std::string ts_comment(std::string_view text, const std::string& indent) {
  if (text.empty()) return {};
  std::string safe(text);
  for (std::size_t at = safe.find("*/"); at != std::string::npos; at = safe.find("*/", at))
    safe.replace(at, 2, "* /");
  for (char& c : safe) {
    if (c == '\n') c = ' ';
  }
  return indent + "/** " + safe + " */\n";
}

std::string ts_type(const Attribute& field) { return type_of(field, field.type); }

std::string ts_field(const Attribute& field, const std::string& indent) {
  return ts_comment(said_about(field.notes), indent) + indent + ts_property(field.name) +
         (field.required ? ": " : "?: ") + ts_type(field) + ";\n";
}

std::string ts_form(const Attribute& field, const TsFormExtras& extras) {
  FormText form;
  form.say("type", ts_literal(form_type(field.type)));
  if (field.type.digits > 0) form.say("digits", std::to_string(field.type.digits));
  if (!field.type.element.empty()) form.say("element", ts_literal(form_type(field.type.element.front())));
  if (!field.of.empty()) form.say("of", forms_of(field.of));
  if (!field.stored) form.say("stored", "false");
  if (field.required) form.say("required", "true");
  if (!extras.in_key.empty()) form.say("inKey", ts_literal(extras.in_key));
  if (!extras.otherwise.empty()) {
    form.say("default", extras.otherwise);
  } else if (field.otherwise) {
    form.say("default", ts_value(*field.otherwise));
  }
  if (field.sensitive) form.say("sensitive", "true");
  if (field.generate != Attribute::Generate::No) {
    form.say("generate", field.generate == Attribute::Generate::Uuid ? "\"uuid\"" : "\"ulid\"");
  }
  if (const std::string_view automatic = auto_text(field.automatic); !automatic.empty())
    form.say("auto", ts_literal(automatic));
  if (!field.values.empty()) {
    std::string values;
    for (const std::string& value : field.values) values += (values.empty() ? "" : ", ") + ts_literal(value);
    form.say("values", "[" + values + "]");
  }
  form.say_if("min", field.min);
  form.say_if("max", field.max);
  form.say_if("minLength", field.min_length);
  form.say_if("maxLength", field.max_length);
  form.say_if("maxItems", field.max_items);
  if (!field.pattern.empty())
    form.say("pattern", "new RegExp(" + ts_literal("^(?:" + field.pattern.text() + ")$") + ")");
  if (field.format) form.say("format", around(*field.format));
  return form.take();
}

bool has_bounds(const Attribute& field) {
  return !field.values.empty() || field.min || field.max || field.min_length || field.max_length ||
         field.max_items || !field.pattern.empty() || field.format || field.otherwise;
}

}  // namespace tavola::workshop

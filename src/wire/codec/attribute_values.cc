#include "wire/codec/attribute_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/encoding.h"
#include "base/joined.h"
#include "value/attribute_name.h"
#include "value/key_codec.h"
#include "value/limits.h"

namespace tavola::wire {
namespace {

using Members = std::vector<std::pair<std::string_view, JsonValue>>;

Error invalid(std::string_view what) {
  return Error::validation("One or more parameter values were invalid: " + std::string(what));
}

// Prints the elements as the newer layer does: in order up to the first duplicate, then as given.
template <class Element>
std::vector<Element> up_to_the_first_repeated(std::vector<Element> elements) {
  std::set<Element> seen;
  const auto repeated = std::ranges::find_if(
      elements, [&seen](const Element& element) { return !seen.insert(element).second; });
  std::sort(elements.begin(), repeated);
  return elements;
}

Error newer_duplicates(std::vector<std::string> elements) {
  const auto quoted = [](const std::string& element) { return '"' + element + '"'; };
  return invalid("Input collection " + bracketed(up_to_the_first_repeated(std::move(elements)), quoted) +
                 " contains duplicates.");
}
Error newer_duplicates(const std::vector<Number>&) {
  return invalid("Input collection contains duplicates.");
}
// Without blanks, as on AWS.
Error newer_duplicates(std::vector<Binary> elements) {
  std::string listed;
  for (const Binary& element : up_to_the_first_repeated(std::move(elements))) {
    listed += (listed.empty() ? "\"" : ",\"") + to_base64(element.bytes) + '"';
  }
  return invalid("Input collection [" + listed + "]of type BS contains duplicates.");
}

// Reads attribute values into a writer. After a problem it continues with a harmless value, so that all wrong types are
// found; the written item is then never used.
class ValueReader {
 public:
  ValueReader(ItemWriter& writer, Problems& problems) : writer_(writer), problems_(problems) {}

  void attributes(Members members, std::size_t level) {
    // Names ascend in the packed format. The last of equal names counts, as in AWS's parser: the texts of a document
    // are in memory in its order.
    std::ranges::sort(members, [](const auto& one, const auto& other) {
      const auto order = one.first <=> other.first;
      return order == 0 ? std::less<>()(one.first.data(), other.first.data()) : order < 0;
    });
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i + 1 < members.size() && members[i].first == members[i + 1].first) continue;
      const auto& [name, json] = members[i];
      if (json.is_null()) continue;
      if (level == 1) problems_.set_key(name);
      if (const auto checked = check_attribute_name(name); !checked) {
        problems_.bad_value(name.empty() && problems_.is_transaction()
                                ? Error::validation("Empty attribute name")
                                : checked.error());
        continue;
      }
      writer_.name(name);
      value(json, level);
    }
  }

  void value(JsonValue json, std::size_t level) {
    if (!is_structure(json, "AttributeValue", problems_)) return writer_.null();
    deepest_ = std::max(deepest_, level);
    std::optional<Member> only;
    std::size_t given = 0;
    for (const auto& [type, content] : json.members()) {
      const auto known = std::ranges::find(kReaders, type, &Reader::type);
      if (known == kReaders.end() || content.is_null()) continue;
      if (++given == 1) {
        only = Member{known->read, content};
        continue;
      }
      ItemWriter unused;  // only the type of a second one is checked
      unused.name("x");
      (ValueReader(unused, problems_).*known->read)(content, level);
    }
    if (!only) {
      problems_.bad_value(Error::validation(
          "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"));
      return writer_.null();
    }
    (this->*only->read)(only->content, level);
    if (given > 1) {
      problems_.bad_value(
          Error::validation("Supplied AttributeValue has more than one datatypes set, must contain exactly "
                            "one of the supported "
                            "datatypes"));
    }
  }

  bool is_too_deep() const { return deepest_ > limits::kNestingLevelsMax; }

 private:
  using Read = void (ValueReader::*)(JsonValue, std::size_t);
  struct Reader {
    std::string_view type;
    Read read;
  };
  struct Member {
    Read read;
    JsonValue content;
  };
  static const std::array<Reader, 10> kReaders;

  std::optional<std::string_view> text(JsonValue json) {
    if (json.type() == JsonType::String) return json.text();
    static_cast<void>(text_of(json, problems_));
    return std::nullopt;
  }

  std::optional<std::string> bytes(JsonValue json) {
    if (json.type() != JsonType::String) {
      const bool list = json.type() == JsonType::List;
      const bool collection = list || json.type() == JsonType::Object;
      problems_.wrong_type(!collection ? "only base-64-encoded strings are convertible to bytes"
                           : list      ? "Unrecognized collection type class java.nio.ByteBuffer"
                                       : "Start of structure or map found where not expected");
      return std::nullopt;
    }
    const std::string_view encoded = json.text();
    if (encoded.size() % 4 != 0) {
      problems_.wrong_type("Base64 encoded length is expected a multiple of 4 bytes but found: " +
                           std::to_string(encoded.size()));
      return std::nullopt;
    }
    std::optional<std::string> decoded = from_base64(encoded);
    // "dectected" is AWS's own spelling.
    if (!decoded) problems_.wrong_type("Invalid last non-pad Base64 character dectected");
    return decoded;
  }

  std::optional<Number> number(JsonValue json) {
    const auto digits = text(json);
    if (!digits) return std::nullopt;
    const auto parsed = Number::parse(*digits);
    if (parsed) return *parsed;
    const bool has_no_message = digits->empty() && problems_.has_newer_layer();
    problems_.bad_content(has_no_message ? Error::validation(parsed.error().message() + ": ")
                                         : parsed.error());
    return std::nullopt;
  }

  std::optional<std::vector<JsonValue>> elements(JsonValue json) {
    if (json.type() == JsonType::List) return json.elements();
    problems_.wrong_type(json.type() == JsonType::Object
                             ? "Start of structure or map found where not expected"
                             : "Unexpected field type");
    return std::nullopt;
  }

  void read_text(JsonValue json, std::size_t) {
    if (const auto content = text(json)) return writer_.string(*content);
    writer_.null();
  }
  void read_number(JsonValue json, std::size_t) {
    if (const auto content = number(json)) return writer_.number(*content);
    writer_.null();
  }
  void read_binary(JsonValue json, std::size_t) {
    if (const auto content = bytes(json)) return writer_.binary(*content);
    writer_.null();
  }
  void read_bool(JsonValue json, std::size_t) {
    if (const auto content = boolean_of(json, problems_)) return writer_.boolean(*content);
    writer_.null();
  }
  void read_null(JsonValue json, std::size_t) {
    if (boolean_of(json, problems_) == false) {
      problems_.bad_value(invalid("Null attribute value types must have the value of true"));
    }
    writer_.null();
  }
  void read_list(JsonValue json, std::size_t level) {
    writer_.begin_list();
    for (const JsonValue element : elements(json).value_or(std::vector<JsonValue>()))
      value(element, level + 1);
    writer_.end();
  }
  void read_map(JsonValue json, std::size_t level) {
    writer_.begin_map();
    if (json.type() == JsonType::Object) {
      attributes(json.members(), level + 1);
    } else {
      problems_.wrong_type(json.type() == JsonType::List
                               ? "Unrecognized collection type java.util.Map<java.lang.String, "
                                 "com.amazonaws.dynamodb.v20120810.AttributeValue>"
                               : "Unexpected field type");
    }
    writer_.end();
  }

  // Returns all of them, read by `read`; nullopt if one cannot be read.
  template <class Element, class ReadElement>
  static std::optional<std::vector<Element>> read_each(const std::vector<JsonValue>& list, ReadElement read) {
    std::vector<Element> elements;
    elements.reserve(list.size());
    bool whole = true;
    for (const JsonValue element : list) {
      auto content = read(element);
      whole = whole && content.has_value();
      if (content) elements.push_back(*std::move(content));
    }
    return whole ? std::optional(std::move(elements)) : std::nullopt;
  }

  // Reads the elements of a set by `read`; a Set checks and sorts them, with its messages or those of the newer layer.
  template <class Element, class ReadElement>
  void read_set(JsonValue json, ReadElement read) {
    const auto list = elements(json);
    if (!list) return writer_.null();
    auto read_elements = read_each<Element>(*list, read);
    if (!read_elements) return writer_.null();
    auto set = Set<Element>::of(*std::move(read_elements));
    if (set) return writer_.value(Value(*std::move(set)));
    const auto again = read_each<Element>(*list, read);
    if (again && !again->empty() && problems_.has_newer_layer()) {
      problems_.bad_content(newer_duplicates(*again));
    } else {
      problems_.bad_value(set.error());
    }
    writer_.null();
  }
  void read_string_set(JsonValue json, std::size_t) {
    read_set<std::string>(json, [this](JsonValue element) -> std::optional<std::string> {
      const auto content = text(element);
      return content ? std::optional<std::string>(*content) : std::nullopt;
    });
  }
  void read_number_set(JsonValue json, std::size_t) {
    read_set<Number>(json, [this](JsonValue element) { return number(element); });
  }
  void read_binary_set(JsonValue json, std::size_t) {
    read_set<Binary>(json, [this](JsonValue element) -> std::optional<Binary> {
      auto content = bytes(element);
      return content ? std::optional(Binary{*std::move(content)}) : std::nullopt;
    });
  }

  ItemWriter& writer_;
  Problems& problems_;
  std::size_t deepest_ = 0;  // deepest level so far
};

const std::array<ValueReader::Reader, 10> ValueReader::kReaders{{{"S", &ValueReader::read_text},
                                                                 {"N", &ValueReader::read_number},
                                                                 {"B", &ValueReader::read_binary},
                                                                 {"BOOL", &ValueReader::read_bool},
                                                                 {"NULL", &ValueReader::read_null},
                                                                 {"L", &ValueReader::read_list},
                                                                 {"M", &ValueReader::read_map},
                                                                 {"SS", &ValueReader::read_string_set},
                                                                 {"NS", &ValueReader::read_number_set},
                                                                 {"BS", &ValueReader::read_binary_set}}};

PackedItem read_members(Members members, Problems& problems) {
  ItemWriter writer;
  ValueReader reader(writer, problems);
  reader.attributes(std::move(members), 1);
  PackedItem item = std::move(writer).finish();
  if (reader.is_too_deep()) {
    if (const auto checked = check_nesting(item.view()); !checked) problems.bad_value(checked.error());
  }
  return item;
}

std::optional<Value> read_value(JsonValue json, Problems& problems) {
  ItemWriter writer;
  writer.name("x");
  ValueReader reader(writer, problems);
  reader.value(json, 1);
  const PackedItem item = std::move(writer).finish();
  if (reader.is_too_deep()) {
    if (const auto checked = check_nesting(item.view()); !checked) problems.bad_value(checked.error());
  }
  const auto value = item.find("x");
  return value ? std::optional(value->unpack()) : std::nullopt;
}

// ---- Writing ----

void append_value(std::string& out, ValueView value);

void append_quoted_base64(std::string& out, std::string_view bytes) {
  out.push_back('"');
  append_base64(out, bytes);
  out.push_back('"');
}

void append_quoted_number(std::string& out, const Number& number) {
  out.push_back('"');
  number.append_to(out);
  out.push_back('"');
}

void append_members(std::string& out, const MapView& map) {
  out.push_back('{');
  bool first = true;
  for (const auto& [name, value] : map) {
    if (!first) out.push_back(',');
    first = false;
    json::append_text(out, name);
    out.push_back(':');
    append_value(out, value);
  }
  out.push_back('}');
}

void append_list(std::string& out, const ListView& list) {
  out.push_back('[');
  bool first = true;
  for (const ValueView element : list) {
    if (!first) out.push_back(',');
    first = false;
    append_value(out, element);
  }
  out.push_back(']');
}

void append_set(std::string& out, const SetView& set) {
  out.push_back('[');
  bool first = true;
  for (std::string_view element : set) {
    if (!first) out.push_back(',');
    first = false;
    switch (set.element_type()) {
      case Type::String:
        json::append_text(out, element);
        break;
      case Type::Binary:
        append_quoted_base64(out, element);
        break;
      default:
        if (const auto number = read_ordered_number(element)) append_quoted_number(out, *number);
    }
  }
  out.push_back(']');
}

void append_value(std::string& out, ValueView value) {
  out.append("{\"");
  out.append(type_name(value.type()));
  out.append("\":");
  switch (value.type()) {
    case Type::Null:
      out.append("true");
      break;
    case Type::Bool:
      out.append(value.boolean() ? "true" : "false");
      break;
    case Type::Number:
      append_quoted_number(out, value.number());
      break;
    case Type::String:
      json::append_text(out, value.string());
      break;
    case Type::Binary:
      append_quoted_base64(out, value.binary());
      break;
    case Type::List:
      append_list(out, value.list());
      break;
    case Type::Map:
      append_members(out, value.map());
      break;
    default:
      append_set(out, value.set());
  }
  out.push_back('}');
}

}  // namespace

PackedItem read_item(JsonValue map, Problems& problems) {
  if (map.type() == JsonType::Object) return read_members(map.members(), problems);
  problems.wrong_type(map.type() == JsonType::List
                          ? "Unrecognized collection type java.util.Map<java.lang.String, "
                            "com.amazonaws.dynamodb.v20120810.AttributeValue>"
                          : "Unexpected value type in payload");
  return {};
}

std::optional<PackedItem> read_item(const Fields& in, std::string_view name, Presence presence) {
  const auto map = in.map(name, "AttributeValue", presence);
  if (!map) return std::nullopt;
  return read_members(map->members(), in.problems());
}

PackedItem read_item_or_empty(const Fields& in, std::string_view name, Presence presence) {
  return read_item(in, name, presence).value_or(PackedItem());
}

PackedItem read_expression_values(const Fields& in) {
  if (!in.problems().has_newer_layer()) {
    in.problems().set_frame(
        {{.before = "ExpressionAttributeValues contains invalid value: ", .names_key = true}});
  }
  const auto values = read_item(in, "ExpressionAttributeValues");
  in.problems().set_frame(std::nullopt);
  if (values && values->empty()) {
    in.problems().bad_value(Error::validation("ExpressionAttributeValues must not be empty"));
  }
  return values.value_or(PackedItem());
}

std::optional<PackedItem> read_start_key(const Fields& in) {
  in.problems().set_frame({{.before = "The provided starting key is invalid: ", .leaves_content = true}});
  auto key = read_item(in, "ExclusiveStartKey");
  in.problems().set_frame(std::nullopt);
  return key;
}

std::optional<Value> read_value(const Fields& in, std::string_view name) {
  const auto json = in.find(name);
  if (!json || !in.structure(name, "AttributeValue"))
    return std::nullopt;  // the message then names the other type
  return read_value(*json, in.problems());
}

std::optional<std::vector<Value>> read_values(const Fields& in, std::string_view name) {
  const auto list = in.list(name);
  if (!list) return std::nullopt;
  std::vector<Value> values;
  values.reserve(list->size());
  for (const JsonValue json : *list) {
    if (auto value = read_value(json, in.problems())) values.push_back(*std::move(value));
  }
  return values;
}

void append_item(std::string& out, const ItemView& item) { append_members(out, item); }
void write_item(json::Writer& json, const ItemView& item) { append_members(json.raw(), item); }

}  // namespace tavola::wire

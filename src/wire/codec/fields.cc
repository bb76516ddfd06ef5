#include "wire/codec/fields.h"

#include <algorithm>
#include <cctype>

#include "database/names.h"

namespace tavola::wire {
namespace {

constexpr std::string_view kModel = "com.amazonaws.dynamodb.v20120810.";
constexpr std::string_view kOneError = "1 validation error detected: ";
// "UPDATE_NEW" is AWS's own spelling: paritysuite/dynamodb-conformance, cross-region captures.
constexpr std::string_view kBadReturnValues =
    "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, "
    "UPDATE_NEW, NONE]";

void unexpected_collection(JsonValue value, std::string_view java_type, Problems& problems) {
  problems.wrong_type(value.type() == JsonType::List
                          ? "Unrecognized collection type class " + std::string(java_type)
                          : "Start of structure or map found where not expected");
}

bool is_collection(JsonValue value) {
  return value.type() == JsonType::List || value.type() == JsonType::Object;
}

// For a list or a map.
bool has_too_many(JsonValue value, std::string_view path, Problems& problems) {
  if (value.size() <= kElementsMax) return false;
  problems.constraints().add_broken(value.type() == JsonType::List ? "[...]" : "{...}", path,
                                    "have length less than or equal to " + std::to_string(kElementsMax));
  return true;
}

// Takes the text up to the next ':' off the front of `text`, with the ':'.
std::string_view take_part(std::string_view& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool is_account(std::string_view text) {
  return text.size() == 12 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "aws", and the other partitions "aws-cn", "aws-us-gov", …
bool is_partition(std::string_view text) {
  return text.starts_with("aws") &&
         std::ranges::all_of(text.substr(3), [](char c) { return c == '-' || (c >= 'a' && c <= 'z'); });
}

std::string cannot_convert(JsonValue value, std::string_view type) {
  return std::string(token_name(value)) + " cannot be converted to " + std::string(type);
}

}  // namespace

void Problems::wrong_type(std::string message) {
  if (!wrong_type_) wrong_type_.emplace(ErrorCode::Serialization, std::move(message));
}

void Problems::report_alone(Error error) {
  if (!reported_alone_) reported_alone_ = std::move(error);
}

// Both as captured from AWS in October 2026: paritysuite/dynamodb-conformance, captures and UpdateItem's ordering.
void Problems::empty_table() {
  has_empty_table_ = true;
  constraints_.add_broken("", "tableName", "have length greater than or equal to 1");
}

void Problems::bad_return_values(std::string_view given, Reported reported) {
  constraints_.add_broken(given, "returnValues",
                          "satisfy enum value set: " + listed_enum_names<ReturnValues>(), kBadReturnValues);
  reports_return_values_alone_ = reported == Reported::Alone;
}

void Problems::bad_value(Error error) {
  if (bad_value_) return;
  if (!frame_) {
    bad_value_ = std::move(error);
    return;
  }
  std::string message = std::string(frame_->before) + error.message();
  if (frame_->names_key) message += " for key " + std::string(frame_->key);
  bad_value_.emplace(error.code(), std::move(message));
}

void Problems::bad_content(Error error) {
  const std::optional<Frame> frame = frame_;
  if (frame_ && frame_->leaves_content) frame_.reset();
  bad_value(std::move(error));
  frame_ = frame;
}

Result<void> Problems::check() const {
  if (wrong_type_) return fail(*wrong_type_);
  if (reported_alone_) return fail(*reported_alone_);
  if (has_empty_table_ && !constraints_.has_missing()) return fail(empty_table_name());
  if (reports_return_values_alone_ && !constraints_.has_missing()) {
    return fail(Error::validation(std::string(kOneError) + std::string(kBadReturnValues)));
  }
  TAVOLA_CHECK(constraints_.check());
  if (!bad_value_) return {};
  if (layer_ != ValueLayer::NewerPrefixed) return fail(*bad_value_);
  return fail(Error(bad_value_->code(), std::string(kOneError) + bad_value_->message()));
}

std::string_view token_name(JsonValue value) {
  switch (value.type()) {
    case JsonType::Bool:
      return value.boolean() ? "TRUE_VALUE" : "FALSE_VALUE";
    case JsonType::Integer:
      return "NUMBER_VALUE";
    case JsonType::Decimal:
      return "DECIMAL_VALUE";
    default:
      return "STRING_VALUE";
  }
}

std::string lower_first(std::string_view name) {
  std::string lower(name);
  if (!lower.empty()) lower[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(lower[0])));
  return lower;
}

std::optional<std::string> text_of(JsonValue value, Problems& problems) {
  if (value.type() == JsonType::String) return std::string(value.text());
  if (is_collection(value)) {
    unexpected_collection(value, "java.lang.String", problems);
  } else {
    problems.wrong_type(cannot_convert(value, "String"));
  }
  return std::nullopt;
}

// AWS accepts some words as a boolean, in any case.
std::optional<bool> boolean_of(JsonValue value, Problems& problems) {
  if (value.type() == JsonType::Bool) return value.boolean();
  if (value.type() == JsonType::String) {
    const std::string_view text = value.text();
    const auto is = [text](std::string_view word) {
      return std::ranges::equal(text, word,
                                [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
    };
    if (is("true") || is("1") || is("yes")) return true;
    if (is("false") || is("0") || is("no")) return false;
    problems.wrong_type("Unexpected token received from parser");
    return std::nullopt;
  }
  if (is_collection(value)) {
    unexpected_collection(value, "java.lang.Boolean", problems);
  } else {
    problems.wrong_type(cannot_convert(value, "Boolean"));
  }
  return std::nullopt;
}

bool is_structure(JsonValue value, std::string_view type, Problems& problems) {
  if (value.type() == JsonType::Object) return true;
  problems.wrong_type(value.type() == JsonType::List
                          ? "Unrecognized collection type class " + std::string(kModel) + std::string(type)
                          : "Unexpected value type in payload");
  return false;
}

std::optional<std::vector<JsonValue>> list_of(JsonValue value, std::string_view path, Problems& problems) {
  if (value.type() == JsonType::List) {
    return has_too_many(value, path, problems) ? std::nullopt : std::optional(value.elements());
  }
  problems.wrong_type(value.type() == JsonType::Object ? "Start of structure or map found where not expected"
                                                       : "Unexpected field type");
  return std::nullopt;
}

std::string_view table_in_arn(std::string_view name_or_arn) {
  constexpr std::string_view kTable = "table/";
  std::string_view rest = name_or_arn;
  if (take_part(rest) != "arn" || !is_partition(take_part(rest)) || take_part(rest) != "dynamodb" ||
      take_part(rest).empty() || !is_account(take_part(rest)) || !rest.starts_with(kTable)) {
    return name_or_arn;
  }
  const std::string_view name = rest.substr(kTable.size());
  return is_name(name) ? name : name_or_arn;
}

std::string Fields::path_of(std::string_view name) const {
  return path_.empty() ? lower_first(name) : path_ + "." + lower_first(name);
}

std::optional<JsonValue> Fields::find(std::string_view name, Presence presence) const {
  const std::optional<JsonValue> value = object_.find(name);
  if (value && !value->is_null()) return value;
  if (presence == Presence::Required) problems_.constraints().add_missing(path_of(name));
  return std::nullopt;
}

std::optional<std::string> Fields::text(std::string_view name, Presence presence) const {
  const auto value = find(name, presence);
  return value ? text_of(*value, problems_) : std::nullopt;
}

std::string Fields::expression(std::string_view name) const {
  std::optional<std::string> given = text(name);
  if (given && given->empty()) given = " ";
  return std::move(given).value_or(std::string());
}

std::optional<bool> Fields::boolean(std::string_view name) const {
  const auto value = find(name);
  return value ? boolean_of(*value, problems_) : std::nullopt;
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::string_view java_type, Range range,
                                            Presence presence) const {
  const auto value = find(name, presence);
  if (!value) return std::nullopt;
  if (is_collection(*value)) {
    unexpected_collection(*value, "java.lang." + std::string(java_type), problems_);
    return std::nullopt;
  }
  if (value->type() != JsonType::Integer && value->type() != JsonType::Decimal) {
    problems_.wrong_type(cannot_convert(*value, java_type));
    return std::nullopt;
  }
  const std::int64_t number = value->integer();
  if (number < range.least) {
    problems_.constraints().add_broken(std::to_string(number), path_of(name),
                                       "have value greater than or equal to " + std::to_string(range.least));
  } else if (number > range.most) {
    problems_.constraints().add_broken(std::to_string(number), path_of(name),
                                       "have value less than or equal to " + std::to_string(range.most));
  }
  return number;
}

std::optional<std::vector<JsonValue>> Fields::list(std::string_view name, Presence presence) const {
  const auto value = find(name, presence);
  return value ? list_of(*value, path_of(name), problems_) : std::nullopt;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name) const {
  const auto values = list(name);
  if (!values) return std::nullopt;
  std::vector<std::string> texts;
  for (const JsonValue value : *values) {
    if (auto text = text_of(value, problems_)) texts.push_back(*std::move(text));
  }
  return texts;
}

std::optional<JsonValue> Fields::map(std::string_view name, std::string_view value_type,
                                     Presence presence) const {
  const auto value = find(name, presence);
  if (!value) return std::nullopt;
  if (value->type() == JsonType::Object) {
    return has_too_many(*value, path_of(name), problems_) ? std::nullopt : value;
  }
  const bool is_java = value_type.find('.') != std::string_view::npos;
  problems_.wrong_type(value->type() == JsonType::List
                           ? "Unrecognized collection type java.util.Map<java.lang.String, " +
                                 std::string(is_java ? "" : kModel) + std::string(value_type) + ">"
                           : "Unexpected field type");
  return std::nullopt;
}

std::optional<Fields> Fields::structure(std::string_view name, std::string_view type,
                                        Presence presence) const {
  const auto value = find(name, presence);
  if (!value) return std::nullopt;
  if (value->type() == JsonType::Object) return Fields(*value, problems_, path_of(name));
  problems_.wrong_type(value->type() == JsonType::List
                           ? "Unrecognized collection type class " + std::string(kModel) + std::string(type)
                           : "Unexpected field type");
  return std::nullopt;
}

std::optional<std::vector<Fields>> Fields::structures(std::string_view name, std::string_view type,
                                                      Presence presence) const {
  const auto values = list(name, presence);
  if (!values) return std::nullopt;
  std::vector<Fields> all;
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (!is_structure((*values)[i], type, problems_)) continue;
    all.emplace_back((*values)[i], problems_, path_of(name) + "." + std::to_string(i + 1) + ".member");
  }
  return all;
}

std::optional<std::vector<std::pair<std::string, Fields>>> Fields::structure_map(
    std::string_view name, std::string_view type) const {
  const auto members = map(name, type);
  if (!members) return std::nullopt;
  std::vector<std::pair<std::string, Fields>> all;
  for (const auto& [key, value] : members->distinct_members()) {
    if (!is_structure(value, type, problems_)) continue;
    all.emplace_back(std::string(key),
                     Fields(value, problems_, path_of(name) + "." + std::string(key) + ".member"));
  }
  return all;
}

std::optional<std::string> Fields::name(std::string_view member, Presence presence) const {
  auto given = text(member, presence);
  if (given) check_name(problems_.constraints(), *given, path_of(member));
  return given;
}

std::string Fields::table_name() const {
  const auto given = text("TableName", Presence::Required);
  if (!given) return {};
  if (given->empty() && path_.empty()) {
    problems_.empty_table();
    return {};
  }
  return resolved_table(*given);
}

std::string Fields::managed_table_name() const {
  if (has("TableName")) return resolved_table(text("TableName").value_or(std::string()));
  problems_.report_alone(
      Error::validation("The parameter 'TableName' is required but was not present in the request"));
  return {};
}

std::string Fields::resolved_table(const std::string& given) const {
  const std::string table(table_in_arn(given));
  if (table == given && given.starts_with("arn:")) {
    problems_.constraints().add_broken_arn(given, path_of("TableName"));
  } else {
    check_name(problems_.constraints(), table, path_of("TableName"));
  }
  return table;
}

}  // namespace tavola::wire

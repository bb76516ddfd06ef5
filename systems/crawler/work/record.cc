#include "work/record.h"

#include "json/writer.h"

namespace crawler {

Record& Record::text(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, std::string(value));
  return *this;
}

Record& Record::boolean(std::string_view name, bool value) {
  fields_.emplace_back(name, value);
  return *this;
}

Record& Record::list(std::string_view name, std::vector<std::string> values) {
  fields_.emplace_back(name, std::move(values));
  return *this;
}

Record& Record::null(std::string_view name) {
  fields_.emplace_back(name, Nothing{});
  return *this;
}

std::string Record::to_json() const {
  std::string out;
  tavola::json::Writer json(out);
  json.begin_object();
  for (const auto& [name, value] : fields_) {
    json.name(name);
    if (const auto* const text = std::get_if<std::string>(&value)) {
      json.text(*text);
    } else if (const auto* const number = std::get_if<std::int64_t>(&value)) {
      json.integer(*number);
    } else if (const auto* const boolean = std::get_if<bool>(&value)) {
      json.boolean(*boolean);
    } else if (const auto* const list = std::get_if<std::vector<std::string>>(&value)) {
      json.begin_list();
      for (const std::string& element : *list) json.text(element);
      json.end_list();
    } else {
      json.raw() += "null";
    }
  }
  json.end_object();
  return out;
}

std::string Record::to_text() const {
  std::string out;
  bool is_front = true;
  for (const auto& [name, value] : fields_) {
    std::string shown;
    if (const auto* const text = std::get_if<std::string>(&value)) shown = *text;
    if (const auto* const number = std::get_if<std::int64_t>(&value); number != nullptr && *number != 0)
      shown = std::to_string(*number);
    if (const auto* const boolean = std::get_if<bool>(&value)) shown = *boolean ? "yes" : "no";
    if (const auto* const list = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& element : *list) shown += (shown.empty() ? "" : " ") + element;
    }
    if (shown.empty()) continue;
    is_front = is_front && std::holds_alternative<std::string>(value);
    if (!out.empty()) out += is_front ? "  " : ", ";
    out += is_front ? shown : name + " " + shown;
  }
  return out;
}

}  // namespace crawler

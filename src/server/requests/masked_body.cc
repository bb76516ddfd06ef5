#include "server/requests/masked_body.h"

#include <algorithm>
#include <array>
#include <set>

#include "design/model/secrets.h"
#include "json/reader.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

using json::Node;

constexpr int kDepthMax = 256;  // a value of DynamoDB has two levels of JSON for each of its own 32
constexpr std::string_view kMask = "***";

using Names = std::set<std::string, std::less<>>;

// Fields that hold something sensitive, of any entity.
Names sensitive_names(const DesignsOfTables& designs) {
  Names names;
  for (const std::shared_ptr<const design::Design>& design : designs) {
    for (const design::Entity& entity : design->entities) {
      for (const design::Attribute& field : entity.fields) {
        if (design::holds_secret(field)) names.insert(field.name);
      }
    }
  }
  return names;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether the name stands in the text as a word.
bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

// Members whose text may name attributes.
constexpr std::array<std::string_view, 6> kTexts = {
    "ConditionExpression", "FilterExpression", "KeyConditionExpression",
    "UpdateExpression",    "Statement",        "ExpressionAttributeNames"};
// Members whose values belong to attributes that those texts name.
constexpr std::array<std::string_view, 2> kValues = {"ExpressionAttributeValues", "Parameters"};

// Masks what is sensitive while it copies a body. Numbers keep their digits.
class Masking {
 public:
  Masking(const Names& names, std::string& out) : names_(names), json_(out) {}

  void copy(const Node& value) {
    if (value.is_object()) return copy_object(value);
    if (value.is_text()) return json_.text(value.text);
    if (!value.is_list()) {
      json_.raw() += value.kind == Node::Kind::Null ? "null" : value.text;
      return;
    }
    json_.begin_list();
    for (const Node& one : value.elements) copy(one);
    json_.end_list();
  }
  const Names& masked() const { return masked_; }

 private:
  void copy_object(const Node& object) {
    const Names named = names_in(object);
    json_.begin_object();
    for (const auto& [name, value] : object.members) {
      json_.name(name);
      if (names_.contains(name)) {
        masked_.emplace(name);
        mask(value);
      } else if (!named.empty() && std::ranges::find(kValues, name) != kValues.end()) {
        masked_.insert(named.begin(), named.end());
        mask(value);
      } else if (!named.empty() && name == "Statement" && value.is_text()) {
        json_.text(without_literals(value.text));
      } else {
        copy(value);
      }
    }
    json_.end_object();
  }

  // Returns the sensitive attributes that the texts of a request, or of an action of a transaction, name.
  Names names_in(const Node& object) const {
    Names found;
    for (const std::string_view member : kTexts) {
      const Node* const text = object.find(member);
      if (text == nullptr) continue;
      for (const std::string& name : names_) {
        if (names_word(*text, name)) found.insert(name);
      }
    }
    return found;
  }

  // Whether the name is a word anywhere in the value.
  static bool names_word(const Node& value, std::string_view name) {
    return has_word(value.text, name) ||
           std::ranges::any_of(value.elements, [&](const Node& one) { return names_word(one, name); }) ||
           std::ranges::any_of(value.members, [&](const auto& member) {
             return has_word(member.first, name) || names_word(member.second, name);
           });
  }

  // 'text' and numbers of a statement.
  static std::string without_literals(std::string_view statement) {
    std::string out;
    for (std::size_t at = 0; at < statement.size();) {
      const char c = statement[at];
      if (c == '\'') {
        std::size_t end = statement.find('\'', at + 1);
        while (end != std::string_view::npos && statement.substr(end + 1).starts_with('\''))
          end = statement.find('\'', end + 2);
        out.append("'").append(kMask).append("'");
        at = end == std::string_view::npos ? statement.size() : end + 1;
      } else if (c == '"') {
        const std::size_t end = std::min(statement.find('"', at + 1), statement.size() - 1);
        out += statement.substr(at, end + 1 - at);
        at = end + 1;
      } else if (c >= '0' && c <= '9' && (at == 0 || !is_letter(statement[at - 1]))) {
        while (at < statement.size() && (is_letter(statement[at]) || statement[at] == '.')) ++at;
        out += kMask;
      } else {
        out += c;
        ++at;
      }
    }
    return out;
  }

  // Replaces the texts and numbers in a value, and keeps its shape: {"S": "a"} becomes {"S": "***"}.
  void mask(const Node& value) {
    if (value.is_object()) {
      json_.begin_object();
      for (const auto& [name, one] : value.members) {
        json_.name(name);
        mask(one);
      }
      return json_.end_object();
    }
    if (!value.is_list()) return json_.text(kMask);
    json_.begin_list();
    for (const Node& one : value.elements) mask(one);
    json_.end_list();
  }

  const Names& names_;
  json::Writer json_;
  Names masked_;
};

}  // namespace

MaskedBody mask_body(std::string_view body, const DesignsOfTables& designs) {
  const Names names = sensitive_names(designs);
  if (names.empty() || body.empty()) return {std::string(body), {}};
  const auto document = json::parse(body, kDepthMax);
  if (!document) return {std::string(), {names.begin(), names.end()}};
  MaskedBody result;
  Masking masking(names, result.body);
  masking.copy(*document);
  result.masked.assign(masking.masked().begin(), masking.masked().end());
  return result;
}

MaskedBody mask_target(std::string_view target, const DesignsOfTables& designs) {
  const Names names = sensitive_names(designs);
  const std::size_t question = target.find('?');
  if (names.empty() || question == std::string_view::npos) return {std::string(target), {}};
  MaskedBody result{std::string(target.substr(0, question)), {}};
  std::string_view rest = target.substr(question + 1);
  for (char before = '?'; !rest.empty(); before = '&') {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), parameter.size() + 1));
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const bool is_sensitive = names.contains(name);
    result.body += before;
    result.body += is_sensitive ? std::string(name) + "=" + std::string(kMask) : std::string(parameter);
    if (is_sensitive) result.masked.emplace_back(name);
  }
  return result;
}

}  // namespace tavola::server

#include "design/model/template.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "design/model/nearest.h"
#include "design/model/placeholder_text.h"

namespace tavola::design {
namespace {

using Format = Placeholder::Format;

constexpr unsigned kWidthMax = 38;  // digits of a DynamoDB number

constexpr std::array<std::pair<std::string_view, Format>, 5> kFormats{{
    {"number", Format::Number},
    {"iso", Format::Iso},
    {"ms", Format::Milliseconds},
    {"desc", Format::Descending},
    {"date", Format::Date},
}};

// "06" → 6. Without the leading zero it would look like a width filled with blanks.
std::optional<unsigned> parse_width(std::string_view format) {
  if (!is_digits(format) || !format.starts_with('0') || format.size() > 3) return std::nullopt;
  unsigned width = 0;
  for (const char c : format) width = width * 10 + static_cast<unsigned>(c - '0');
  return width >= 1 && width <= kWidthMax ? std::optional(width) : std::nullopt;
}

std::string format_advice(std::string_view format) {
  if (is_digits(format) && !format.starts_with('0') && parse_width("0" + std::string(format))) {
    return "Did you mean `0" + std::string(format) + "`?";
  }
  std::vector<std::string> names;
  names.reserve(kFormats.size());
  for (const auto& [name, meaning] : kFormats) names.emplace_back(name);
  return did_you_mean(format, names,
                      "Formats are 06 (a number, padded to 6 digits), number, iso, ms, desc and date.");
}

// Parses the text between '<' and '>'; `offset` is the position of the '<'.
std::expected<Placeholder, TextProblem> parse_placeholder(std::string_view inside, std::size_t offset) {
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  Placeholder placeholder{.field = std::string(inside.substr(0, colon)), .offset = offset};
  if (placeholder.field.empty()) {
    return std::unexpected(TextProblem{offset, inside.size() + 2, "A placeholder without a name.",
                                       "Name a field between < and >."});
  }
  if (colon == inside.size()) return placeholder;
  const std::string_view format = inside.substr(colon + 1);
  if (const auto width = parse_width(format)) {
    placeholder.format = Format::Padded;
    placeholder.width = *width;
    return placeholder;
  }
  const auto* const known = std::ranges::find(kFormats, format, &std::pair<std::string_view, Format>::first);
  if (known == kFormats.end()) {
    return std::unexpected(TextProblem{offset + 2 + colon, format.size(),
                                       "There is no format \"" + std::string(format) + "\".",
                                       format_advice(format)});
  }
  placeholder.format = known->second;
  return placeholder;
}

const Placeholder* as_placeholder(const Template::Part& part) { return std::get_if<Placeholder>(&part); }

// Returns the literal after part `i`; empty if it is the last.
std::string_view literal_behind(const std::vector<Template::Part>& parts, std::size_t i) {
  return i + 1 < parts.size() ? std::string_view(std::get<std::string>(parts[i + 1])) : std::string_view();
}

}  // namespace

Result<void> check_place(const Placeholder& placeholder, bool raw, std::string_view text,
                         std::string_view behind) {
  if (!(raw && behind.empty()) && text.find('#') != std::string_view::npos) {
    return fail(
        bad_part(placeholder.field, placeholder.field +
                                        " may not contain '#', which separates the parts of a key (was \"" +
                                        std::string(text) + "\")"));
  }
  if (behind.empty() || behind.front() == '#') return {};  // and the text does not contain '#'
  if (std::string(text).append(behind).find(behind) != text.size()) {
    return fail(bad_part(placeholder.field, placeholder.field + " may not contain \"" + std::string(behind) +
                                                "\", which follows it in the key (was \"" +
                                                std::string(text) + "\")"));
  }
  return {};
}

std::expected<Template, TextProblem> Template::parse(std::string_view text) {
  if (text.empty()) {
    return std::unexpected(
        TextProblem{0, 0, "An empty template.", "Write text, placeholders like <field>, or both."});
  }
  Template result;
  result.text_ = text;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      const std::size_t end = std::min(text.find('<', at), text.size());
      result.parts_.emplace_back(std::string(text.substr(at, end - at)));
      at = end;
      continue;
    }
    const std::size_t end = text.find_first_of("<>", at + 1);
    if (end == std::string_view::npos || text[end] == '<') {
      return std::unexpected(TextProblem{at, std::min(end, text.size()) - at, "A '<' without its '>'.",
                                         "Close the placeholder: <field>."});
    }
    auto placeholder = parse_placeholder(text.substr(at + 1, end - at - 1), at);
    if (!placeholder) return std::unexpected(placeholder.error());
    if (!result.parts_.empty() && as_placeholder(result.parts_.back()) != nullptr) {
      return std::unexpected(TextProblem{at, end + 1 - at, "Two adjacent placeholders cannot be separated.",
                                         "Put text between them: <a>#<b>."});
    }
    result.parts_.emplace_back(*std::move(placeholder));
    at = end + 1;
  }
  return result;
}

std::vector<std::string> Template::fields() const {
  std::vector<std::string> fields;
  std::set<std::string_view> seen;
  for (const Part& part : parts_) {
    const auto* const placeholder = as_placeholder(part);
    if (placeholder != nullptr && seen.insert(placeholder->field).second)
      fields.push_back(placeholder->field);
  }
  return fields;
}

bool Template::is_literal() const { return parts_.size() == 1 && as_placeholder(parts_.front()) == nullptr; }

const Placeholder* Template::whole() const {
  const auto* const placeholder = parts_.size() == 1 ? as_placeholder(parts_.front()) : nullptr;
  const bool as_it_is = placeholder != nullptr &&
                        (placeholder->format == Format::Plain || placeholder->format == Format::Number);
  return as_it_is ? placeholder : nullptr;
}

std::string_view Template::prefix() const {
  const auto* const literal = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.front());
  return literal == nullptr ? std::string_view() : *literal;
}

Result<std::optional<Value>> Template::render(const Item& fields, const FieldForms& forms, Type type) const {
  const bool has_all = std::ranges::all_of(parts_, [&](const Part& part) {
    const auto* const placeholder = as_placeholder(part);
    return placeholder == nullptr || fields.contains(placeholder->field);
  });
  if (!has_all) return std::nullopt;
  if (type != Type::String) {
    const Placeholder* const only = whole();
    if (only == nullptr || fields.find(only->field)->second.type() != type) {
      return fail(Error::validation(text_ + " gives no key of type " + std::string(type_name(type))));
    }
    return fields.find(only->field)->second;
  }
  std::string key;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto* const placeholder = as_placeholder(parts_[i]);
    if (placeholder == nullptr) {
      key += std::get<std::string>(parts_[i]);
      continue;
    }
    const FieldForm form = forms(placeholder->field);
    TAVOLA_TRY(const std::string text, write_placeholder(*placeholder, form, fields.at(placeholder->field)));
    TAVOLA_CHECK(check_place(*placeholder, form.raw, text, literal_behind(parts_, i)));
    key += text;
  }
  return Value(std::move(key));
}

std::optional<Item> Template::read(const Value& key, const FieldForms& forms) const {
  if (!key.is_string()) {
    const Placeholder* const only = whole();
    if (only == nullptr || stored_type(forms(only->field).type).value_or(key.type()) != key.type())
      return std::nullopt;
    return Item{{only->field, key}};
  }
  Item fields;
  std::string_view rest = key.string();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto* const placeholder = as_placeholder(parts_[i]);
    if (placeholder == nullptr) {
      const std::string& literal = std::get<std::string>(parts_[i]);
      if (!rest.starts_with(literal)) return std::nullopt;
      rest.remove_prefix(literal.size());
      continue;
    }
    const std::string_view behind = literal_behind(parts_, i);
    const std::size_t end = behind.empty() ? rest.size() : rest.find(behind);
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    const FieldForm form = forms(placeholder->field);
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end);
    if (placeholder->format == Format::Date) {  // it shows the day of a field, not its value
      if (!is_day(text)) return std::nullopt;
      continue;
    }
    auto value = read_placeholder(*placeholder, form, text);
    if (!value || !check_place(*placeholder, form.raw, text, behind)) return std::nullopt;
    const auto [at, added] = fields.try_emplace(placeholder->field, *value);
    if (!added && at->second != *value) return std::nullopt;  // the field occurs twice
  }
  return rest.empty() ? std::optional(std::move(fields)) : std::nullopt;
}

}  // namespace tavola::design

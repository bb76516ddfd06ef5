#include "policy/condition.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/ascii.h"
#include "base/timestamps.h"

namespace tavola::policy {
namespace {

struct NamedOperator {
  std::string_view name;
  Comparing comparing;
  Order order = Order::Equal;
  bool negated = false;
};

// "Null" and the other operators of the IAM guide, except BinaryEquals: no key here is binary.
constexpr NamedOperator kOperators[] = {
    {"StringEquals", Comparing::Text},
    {"StringNotEquals", Comparing::Text, Order::Equal, true},
    {"StringEqualsIgnoreCase", Comparing::TextIgnoringCase},
    {"StringNotEqualsIgnoreCase", Comparing::TextIgnoringCase, Order::Equal, true},
    {"StringLike", Comparing::Like},
    {"StringNotLike", Comparing::Like, Order::Equal, true},
    {"ArnEquals", Comparing::Arn},
    {"ArnLike", Comparing::Arn},
    {"ArnNotEquals", Comparing::Arn, Order::Equal, true},
    {"ArnNotLike", Comparing::Arn, Order::Equal, true},
    {"NumericEquals", Comparing::Number},
    {"NumericNotEquals", Comparing::Number, Order::Equal, true},
    {"NumericLessThan", Comparing::Number, Order::Less},
    {"NumericLessThanEquals", Comparing::Number, Order::LessOrEqual},
    {"NumericGreaterThan", Comparing::Number, Order::Greater},
    {"NumericGreaterThanEquals", Comparing::Number, Order::GreaterOrEqual},
    {"DateEquals", Comparing::Time},
    {"DateNotEquals", Comparing::Time, Order::Equal, true},
    {"DateLessThan", Comparing::Time, Order::Less},
    {"DateLessThanEquals", Comparing::Time, Order::LessOrEqual},
    {"DateGreaterThan", Comparing::Time, Order::Greater},
    {"DateGreaterThanEquals", Comparing::Time, Order::GreaterOrEqual},
    {"Bool", Comparing::Boolean},
    {"IpAddress", Comparing::Address},
    {"NotIpAddress", Comparing::Address, Order::Equal, true},
    {"Null", Comparing::Absence},
};

// Returns whether values of this key can be compared in this way.
bool can_compare(Comparing comparing, const KeyInfo& key) {
  switch (comparing) {
    case Comparing::Absence:
      return true;
    case Comparing::Text:
    case Comparing::TextIgnoringCase:
    case Comparing::Like:
      return key.type == KeyType::Text || key.type == KeyType::Arn;
    case Comparing::Arn:
      return key.type == KeyType::Arn;
    case Comparing::Number:
      return key.key == Key::EpochTime;
    case Comparing::Time:
      return key.type == KeyType::Time;
    case Comparing::Boolean:
      return key.type == KeyType::Boolean;
    case Comparing::Address:
      return key.type == KeyType::Address;
  }
  return false;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns seconds since 1970, from a date, a time or that number itself.
std::optional<double> moment_of(std::string_view text) {
  std::optional<WallTime> moment = parse_iso8601(text);
  if (!moment) moment = parse_date(text);
  if (!moment) return number_of(text);
  return static_cast<double>(moment->time_since_epoch().count()) / 1000;
}

bool in_order(double value, Order order, double operand) {
  switch (order) {
    case Order::Equal:
      return value == operand;
    case Order::Less:
      return value < operand;
    case Order::LessOrEqual:
      return value <= operand;
    case Order::Greater:
      return value > operand;
    case Order::GreaterOrEqual:
      return value >= operand;
  }
  return false;
}

constexpr std::size_t kArnParts = 6;

// Splits at colons; the sixth part may contain some. Returns fewer parts if it is not an ARN.
std::vector<std::string_view> arn_parts(std::string_view arn) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < kArnParts) {
    const std::size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    parts.push_back(arn.substr(0, colon));
    arn.remove_prefix(colon + 1);
  }
  parts.push_back(arn);
  return parts;
}

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::optional<std::array<std::uint8_t, 16>> address_bytes(const std::string& text, bool is_v6) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text.c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

}  // namespace

std::expected<Operator, std::string> parse_operator(std::string_view text) {
  Operator op;
  std::string_view name = text;
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    const std::string_view word = name.substr(0, colon);
    if (same_text(word, "ForAllValues")) {
      op.quantifier = Quantifier::ForAllValues;
    } else if (same_text(word, "ForAnyValue")) {
      op.quantifier = Quantifier::ForAnyValue;
    } else {
      return std::unexpected(in_quotes(text) + " must start with ForAllValues: or ForAnyValue:");
    }
    name.remove_prefix(colon + 1);
  }
  constexpr std::string_view kIfExists = "IfExists";
  if (name.size() > kIfExists.size() && same_text(name.substr(name.size() - kIfExists.size()), kIfExists)) {
    op.if_exists = true;
    name.remove_suffix(kIfExists.size());
  }
  const auto* const found = std::ranges::find_if(
      kOperators, [&](const NamedOperator& known) { return same_text(known.name, name); });
  if (found == std::end(kOperators))
    return std::unexpected("Tavola does not know the operator " + in_quotes(text));
  if (found->comparing == Comparing::Absence && (op.if_exists || op.quantifier != Quantifier::One)) {
    return std::unexpected("the operator Null cannot be combined: " + in_quotes(text));
  }
  op.comparing = found->comparing;
  op.order = found->order;
  op.negated = found->negated;
  return op;
}

std::expected<AddressRange, std::string> parse_address_range(std::string_view text) {
  AddressRange range;
  const std::size_t slash = text.find('/');
  range.is_v6 = text.contains(':');
  const unsigned bits_max = range.is_v6 ? 128 : 32;
  range.bits = bits_max;
  const auto wrong = [&] {
    return std::unexpected(in_quotes(text) + " is neither an address nor a range like 10.0.0.0/8");
  };
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), range.bits);
    if (error != std::errc() || end != digits.data() + digits.size() || range.bits > bits_max) return wrong();
  }
  const auto bytes = address_bytes(std::string(text.substr(0, slash)), range.is_v6);
  if (!bytes) return wrong();
  range.bytes = *bytes;
  return range;
}

bool AddressRange::contains(std::string_view address) const {
  // An IPv4 client of an IPv6 socket appears as ::ffff:10.1.2.3.
  constexpr std::string_view kMapped = "::ffff:";
  if (!is_v6 && address.starts_with(kMapped)) address.remove_prefix(kMapped.size());
  if (address.contains(':') != is_v6) return false;
  const auto other = address_bytes(std::string(address), is_v6);
  if (!other) return false;
  const unsigned whole = bits / 8;
  if (std::memcmp(bytes.data(), other->data(), whole) != 0) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((bytes[whole] ^ (*other)[whole]) >> (8 - rest)) == 0;
}

std::expected<Condition, std::string> Condition::parse(std::string_view operator_text,
                                                       std::string_view key_text,
                                                       std::vector<std::string> values, bool has_variables) {
  Condition condition;
  const auto op = parse_operator(operator_text);
  if (!op) return std::unexpected(op.error());
  const KeyInfo* const key = find_key(key_text);
  if (key == nullptr) {
    return std::unexpected("Tavola does not know the condition key " + in_quotes(key_text) + "; it knows " +
                           all_key_names());
  }
  if (!can_compare(op->comparing, *key)) {
    return std::unexpected("the values of " + std::string(key->name) + " cannot be compared with " +
                           std::string(operator_text));
  }
  if (key->has_several_values && op->quantifier == Quantifier::One && op->comparing != Comparing::Absence) {
    return std::unexpected(std::string(key->name) + " may have several values: use ForAllValues:" +
                           std::string(operator_text) + " or ForAnyValue:" + std::string(operator_text));
  }
  if (values.empty()) return std::unexpected(in_quotes(key_text) + " has no value to compare with");
  condition.op_ = *op;
  condition.key_ = key->key;
  condition.operator_text_ = operator_text;
  condition.key_text_ = key_text;
  for (const std::string& value : values) {
    auto operand = condition.parse_operand(value, has_variables);
    if (!operand) return std::unexpected(operand.error());
    condition.operands_.push_back(*std::move(operand));
  }
  condition.values_ = std::move(values);
  return condition;
}

std::expected<Condition::Operand, std::string> Condition::parse_operand(std::string_view text,
                                                                        bool has_variables) const {
  switch (op_.comparing) {
    case Comparing::Text:
    case Comparing::TextIgnoringCase:
    case Comparing::Like:
      return Pattern::parse(text, {.wildcards = op_.comparing == Comparing::Like,
                                   .variables = has_variables,
                                   .ignores_case = op_.comparing == Comparing::TextIgnoringCase});
    case Comparing::Arn: {
      ArnParts patterns;
      for (const std::string_view part : arn_parts(text)) {
        auto pattern = Pattern::parse(part, {.variables = has_variables});
        if (!pattern) return std::unexpected(pattern.error());
        patterns.push_back(*std::move(pattern));
      }
      if (patterns.empty()) return std::unexpected(in_quotes(text) + " is not an ARN");
      return patterns;
    }
    case Comparing::Number:
      if (const auto number = number_of(text)) return *number;
      return std::unexpected(in_quotes(text) + " is not a number");
    case Comparing::Time:
      if (const auto moment = moment_of(text)) return *moment;
      return std::unexpected(in_quotes(text) + " is not a time like 2026-11-16T12:00:00Z");
    case Comparing::Boolean:
    case Comparing::Absence:
      if (same_text(text, "true")) return true;
      if (same_text(text, "false")) return false;
      return std::unexpected(in_quotes(text) + " is neither \"true\" nor \"false\"");
    case Comparing::Address: {
      auto range = parse_address_range(text);
      if (!range) return std::unexpected(range.error());
      return *range;
    }
  }
  return std::unexpected("");
}

bool Condition::fits(const Operand& operand, std::string_view value, const Context& context) const {
  if (const auto* const pattern = std::get_if<Pattern>(&operand)) return pattern->matches(value, context);
  if (const auto* const patterns = std::get_if<ArnParts>(&operand)) {
    const std::vector<std::string_view> parts = arn_parts(value);
    return std::ranges::equal(*patterns, parts, [&](const Pattern& pattern, std::string_view part) {
      return pattern.matches(part, context);
    });
  }
  if (const auto* const number = std::get_if<double>(&operand)) {
    const auto given = moment_of(value);
    return given && in_order(*given, op_.order, *number);
  }
  if (const auto* const range = std::get_if<AddressRange>(&operand)) return range->contains(value);
  return same_text(value, std::get<bool>(operand) ? "true" : "false");
}

// The IAM guide, "Condition operators" and "Set operators", defines the result if the key is absent.
bool Condition::holds(const Context& context) const {
  const std::vector<std::string>* const values = context.find(key_);
  if (op_.comparing == Comparing::Absence) {
    return std::ranges::any_of(
        operands_, [&](const Operand& absent) { return std::get<bool>(absent) == (values == nullptr); });
  }
  if (values == nullptr) {
    if (op_.if_exists || op_.quantifier == Quantifier::ForAllValues) return true;
    return op_.quantifier == Quantifier::One && op_.negated;
  }
  const auto passes = [&](const std::string& value) {
    const bool any =
        std::ranges::any_of(operands_, [&](const Operand& operand) { return fits(operand, value, context); });
    return any != op_.negated;
  };
  return op_.quantifier == Quantifier::ForAnyValue ? std::ranges::any_of(*values, passes)
                                                   : std::ranges::all_of(*values, passes);
}

void Condition::add_keys(KeySet& keys) const {
  keys.set(std::to_underlying(key_));
  for (const Operand& operand : operands_) {
    if (const auto* const pattern = std::get_if<Pattern>(&operand)) pattern->add_keys(keys);
    if (const auto* const parts = std::get_if<ArnParts>(&operand)) {
      for (const Pattern& part : *parts) part.add_keys(keys);
    }
  }
}

bool Condition::names_callers() const {
  const bool is_about_callers = key_ == Key::PrincipalAccount || key_ == Key::PrincipalArn ||
                                key_ == Key::UserId || key_ == Key::UserName || key_ == Key::SourceIp;
  if (!is_about_callers || op_.negated || op_.if_exists || op_.comparing == Comparing::Absence ||
      op_.quantifier == Quantifier::ForAllValues) {
    return false;
  }
  return std::ranges::none_of(values_, [](std::string_view value) {
    return value.contains('*') || value.contains("${") || value.ends_with("/0");
  });
}

}  // namespace tavola::policy

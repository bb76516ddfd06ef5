#include "expr/rules/rule_functions.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <tavola/packed.h>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/time_zone.h"
#include "base/timestamps.h"
#include "base/url_host.h"
#include "expr/evaluate/condition_evaluator.h"
#include "expr/rules/periods.h"
#include "expr/rules/public_suffix.h"

namespace tavola::expr {

namespace {

using Outcome = Result<std::optional<Value>>;

std::string_view kind_of(const Value& value) {
  switch (value.type()) {
    case Type::Null:
      return "null";
    case Type::Bool:
      return "a boolean";
    case Type::Number:
      return "a number";
    case Type::String:
      return "a text";
    case Type::Binary:
      return "binary";
    case Type::List:
      return "a list";
    case Type::Map:
      return "a map";
    default:
      return "a set";
  }
}

Error wrong_type(Function function, std::string_view needed, const Value& given) {
  return Error::validation(std::string(info(function).name)
                               .append(" needs ")
                               .append(needed)
                               .append(" but got ")
                               .append(kind_of(given)));
}

Result<Number> number_in(Function function, const Value& value) {
  if (value.is_number()) return value.number();
  return fail(wrong_type(function, "a number", value));
}

Result<std::string> text_in(Function function, const Value& value) {
  if (value.is_string()) return value.string();
  return fail(wrong_type(function, "a text", value));
}

// Texts unchanged, numbers and booleans as written.
Result<std::string> as_text(Function function, const Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_number()) return value.number().to_string();
  if (value.type() == Type::Bool) return value.boolean() ? "true" : "false";
  return fail(wrong_type(function, "a text, a number or a boolean", value));
}

Result<std::string> as_bytes(Function function, const Value& value) {
  if (value.type() == Type::Binary) return value.binary().bytes;
  return as_text(function, value);
}

Result<std::string> joined(Function function, std::string_view separator, std::span<const Value> parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TAVOLA_TRY(const std::string part, as_text(function, parts[i]));
    if (i > 0) text += separator;
    text += part;
  }
  return text;
}

// Changes only ASCII letters, so that the result never varies, as keys require.
std::string with_case(std::string text, Function function) {
  for (char& c : text) {
    if (function == Function::Lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (function == Function::Upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

Result<Number> calculated(Function function, std::span<const Value> operands) {
  TAVOLA_TRY(const Number left, number_in(function, operands[0]));
  if (function == Function::Negate) return calculate(function, left, left);
  TAVOLA_TRY(const Number right, number_in(function, operands[1]));
  return calculate(function, left, right);
}

Result<std::string> iso(const Value& value) {
  TAVOLA_TRY(const Number number, number_in(Function::Iso, value));
  // Timestamps are whole milliseconds; a fraction of one is dropped.
  const std::optional<std::int64_t> count = number.to_int64();
  if (!count) return fail(Error::validation("iso needs whole milliseconds but got " + number.to_string()));
  return iso8601(WallTime(std::chrono::milliseconds(*count)));
}

Result<WallTime> time_in(Function function, const std::string& text) {
  std::optional<WallTime> time = parse_any_iso8601(text);
  if (!time) time = parse_date(text);
  if (time) return *time;
  return fail(Error::validation(std::string(info(function).name) +
                                " needs a time such as 2024-01-31T12:00:00Z but got \"" + text + '"'));
}

Outcome ms(const Value& value) {
  TAVOLA_TRY(const std::string text, text_in(Function::Ms, value));
  TAVOLA_TRY(const WallTime time, time_in(Function::Ms, text));
  return static_cast<std::int64_t>(time.time_since_epoch().count());
}

Result<std::shared_ptr<const TimeZone>> zone_in(Function function, std::span<const Value> operands) {
  if (operands.size() < 2) return TimeZone::find("UTC");
  TAVOLA_TRY(const std::string name, text_in(function, operands[1]));
  return TimeZone::find(name);
}

// day(time), day(time, zone), day(time, zone, shift); also week and month.
Result<std::string> period(Function function, std::span<const Value> operands) {
  std::string text;
  if (operands[0].is_number()) {
    TAVOLA_TRY(text, iso(operands[0]));
  } else {
    TAVOLA_TRY(text, text_in(function, operands[0]));
  }
  TAVOLA_TRY(const WallTime time, time_in(function, text));
  TAVOLA_TRY(const std::shared_ptr<const TimeZone> zone, zone_in(function, operands));
  if (operands.size() < 3) return period_at(function, time, *zone, 0);
  constexpr std::int64_t kShiftMax = 100'000;
  TAVOLA_TRY(const Number number, number_in(function, operands[2]));
  const std::optional<std::int64_t> shift = number.to_int64();
  if (!shift || *shift > kShiftMax || *shift < -kShiftMax) {
    return fail(Error::validation(std::string(info(function).name) +
                                  " needs a whole number up to 100000 but got " + number.to_string()));
  }
  return period_at(function, time, *zone, *shift);
}

// The first or the last millisecond of a period in a time zone.
Outcome moment_of(Function function, std::span<const Value> operands) {
  TAVOLA_TRY(const std::string text, text_in(function, operands[0]));
  const std::optional<Period> period = parse_period(text);
  if (!period) {
    return fail(Error::validation(
        std::string(info(function).name) +
        " needs a day, a week or a month such as 2024-01-31, 2024-W05 or 2024-01 but got \"" + text + '"'));
  }
  TAVOLA_TRY(const std::shared_ptr<const TimeZone> zone, zone_in(function, operands));
  const WallTime moment = function == Function::StartOf
                              ? zone->start_of(period->first)
                              : zone->start_of(period->after) - std::chrono::milliseconds(1);
  return static_cast<std::int64_t>(moment.time_since_epoch().count());
}

// https://user@Example.com:8080/path → example.com, as the type `domain` finds it.
std::string hostname(std::string_view url) { return with_case(std::string(host_in(url)), Function::Lower); }

// Returns `length` characters of the text from the character `start` on, counted from 0; fewer at its end.
Result<std::string> substring(std::span<const Value> operands) {
  TAVOLA_TRY(const std::string text, text_in(Function::Substring, operands[0]));
  std::size_t bounds[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    TAVOLA_TRY(const Number number, number_in(Function::Substring, operands[i + 1]));
    const std::optional<std::int64_t> count = number.to_int64();
    if (!count || *count < 0)
      return fail(Error::validation("substring needs whole numbers from 0 on but got " + number.to_string()));
    bounds[i] = static_cast<std::size_t>(*count);
  }
  std::string part;
  std::size_t character = 0;
  for (const char byte : text) {
    const bool begins = (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    character += begins ? 1 : 0;
    if (character > bounds[0] && character - bounds[0] <= bounds[1]) part += byte;
  }
  return part;
}

Result<Number> rounded(std::span<const Value> operands) {
  TAVOLA_TRY(const Number number, number_in(Function::Round, operands[0]));
  TAVOLA_TRY(const Number places, number_in(Function::Round, operands[1]));
  const std::optional<std::int64_t> count = places.to_int64();
  constexpr std::int64_t kPlacesMax = 130;  // a number of DynamoDB has no more
  if (!count || *count < 0 || *count > kPlacesMax) {
    return fail(
        Error::validation("round needs a number of places from 0 to 130 but got " + places.to_string()));
  }
  return number.rounded(static_cast<int>(*count));
}

Outcome number(const Value& value) {
  if (value.is_number()) return value;
  TAVOLA_TRY(const std::string text, text_in(Function::Number, value));
  TAVOLA_TRY(const Number parsed, Number::parse(text));
  return parsed;
}

Outcome size(const Value& value) {
  TAVOLA_TRY(const PackedItem packed, pack(Item{{"v", value}}));
  const auto stored = packed.find("v");
  const std::optional<std::size_t> found = stored ? size_of(*stored) : std::nullopt;
  if (!found) return std::nullopt;
  return Number(*found);
}

Outcome list_append(std::span<const Value> operands) {
  List all;
  for (const Value& operand : operands) {
    if (operand.type() != Type::List) return fail(wrong_type(Function::ListAppend, "lists", operand));
    all.insert(all.end(), operand.list().begin(), operand.list().end());
  }
  return all;
}

// Functions from texts to a text.
Result<std::string> transformed(Function function, std::span<const Value> operands) {
  const Value& first = operands.front();
  switch (function) {
    case Function::Join: {
      TAVOLA_TRY(const std::string separator, text_in(function, first));
      return joined(function, separator, operands.subspan(1));
    }
    case Function::Concat:
      return joined(function, "", operands);
    case Function::CoreDomain: {
      TAVOLA_TRY(const std::string domain, text_in(function, first));
      return core_domain(domain);
    }
    case Function::Sha256: {
      TAVOLA_TRY(const std::string bytes, as_bytes(function, first));
      return to_hex(sha256({bytes}));
    }
    case Function::Md5: {
      TAVOLA_TRY(const std::string bytes, as_bytes(function, first));
      return to_hex(md5(bytes));
    }
    case Function::Text:
      return as_text(function, first);
    case Function::Iso:
      return iso(first);
    case Function::Day:
    case Function::Week:
    case Function::Month:
      return period(function, operands);
    case Function::Hostname: {
      TAVOLA_TRY(const std::string url, text_in(function, first));
      return hostname(url);
    }
    case Function::Substring:
      return substring(operands);
    default: {  // Lower and Upper
      TAVOLA_TRY(std::string text, text_in(function, first));
      return with_case(std::move(text), function);
    }
  }
}

}  // namespace

Result<Number> calculate(Function function, const Number& left, const Number& right) {
  switch (function) {
    case Function::Negate:
      return -left;
    case Function::Plus:
      return left + right;
    case Function::Minus:
      return left - right;
    case Function::Times:
      return left * right;
    default:
      return left / right;
  }
}

Outcome apply_function(Function function, std::span<const Value> operands, const RuleInputs& inputs) {
  switch (function) {
    case Function::Plus:
    case Function::Minus:
    case Function::Times:
    case Function::Divide:
    case Function::Negate: {
      TAVOLA_TRY(const Number result, calculated(function, operands));
      return result;
    }
    case Function::Round: {
      TAVOLA_TRY(const Number result, rounded(operands));
      return result;
    }
    case Function::Now:
      return static_cast<std::int64_t>(inputs.now.time_since_epoch().count());
    case Function::Caller:
      return inputs.caller.empty() ? Outcome(std::nullopt) : Outcome(Value(inputs.caller));
    case Function::Ms:
      return ms(operands[0]);
    case Function::StartOf:
    case Function::EndOf:
      return moment_of(function, operands);
    case Function::Number:
      return number(operands[0]);
    case Function::Size:
      return size(operands[0]);
    case Function::ListAppend:
      return list_append(operands);
    case Function::Uuid:
    case Function::Ulid: {
      Random& random = inputs.random != nullptr ? *inputs.random : Random::system();
      return function == Function::Uuid ? make_uuid(random) : make_ulid(inputs.now, random);
    }
    default: {
      TAVOLA_TRY(std::string text, transformed(function, operands));
      return text;
    }
  }
}

}  // namespace tavola::expr

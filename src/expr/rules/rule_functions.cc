#include "expr/rules/rule_functions.h"

#include <cstdint>
#include <string>
#include <utility>

#include <tavola/packed.h>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/timestamps.h"
#include "expr/evaluate/condition_evaluator.h"
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

Result<Number> calculate(Function function, std::span<const Value> operands) {
  TAVOLA_TRY(const Number left, number_in(function, operands[0]));
  if (function == Function::Negate) return -left;
  TAVOLA_TRY(const Number right, number_in(function, operands[1]));
  switch (function) {
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

Result<std::string> iso(const Value& value) {
  TAVOLA_TRY(const Number number, number_in(Function::Iso, value));
  // Timestamps are whole milliseconds; a fraction of one is dropped.
  const std::optional<std::int64_t> count = number.to_int64();
  if (!count) return fail(Error::validation("iso needs whole milliseconds but got " + number.to_string()));
  return iso8601(WallTime(std::chrono::milliseconds(*count)));
}

Outcome ms(const Value& value) {
  TAVOLA_TRY(const std::string text, text_in(Function::Ms, value));
  std::optional<WallTime> moment = parse_iso8601(text);
  if (!moment) moment = parse_date(text);
  if (!moment) {
    return fail(Error::validation("ms needs a time such as 2024-01-31T12:00:00Z but got \"" + text + '"'));
  }
  return static_cast<std::int64_t>(moment->time_since_epoch().count());
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
    default: {  // Lower and Upper
      TAVOLA_TRY(std::string text, text_in(function, first));
      return with_case(std::move(text), function);
    }
  }
}

}  // namespace

Outcome apply_function(Function function, std::span<const Value> operands, const RuleInputs& inputs) {
  switch (function) {
    case Function::Plus:
    case Function::Minus:
    case Function::Times:
    case Function::Divide:
    case Function::Negate: {
      TAVOLA_TRY(const Number result, calculate(function, operands));
      return result;
    }
    case Function::Now:
      return static_cast<std::int64_t>(inputs.now.time_since_epoch().count());
    case Function::Caller:
      return inputs.caller.empty() ? Outcome(std::nullopt) : Outcome(Value(inputs.caller));
    case Function::Ms:
      return ms(operands[0]);
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

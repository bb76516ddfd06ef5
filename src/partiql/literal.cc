#include "partiql/literal.h"

#include <algorithm>

#include "base/overloaded.h"
#include "partiql/messages.h"
#include "value/limits.h"

namespace tavola::partiql {
namespace {

constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

// AWS's name for an expression that cannot be a value.
std::string kind_of(const Expr& expr) {
  return std::visit(Overloaded{
                        [](const Call& call) { return call.function; },
                        [](const Path& path) { return path.steps.front().name; },
                        [](const Operation& operation) { return std::string(to_text(operation.op)); },
                        [](const TypeTest&) { return std::string("IS"); },
                        [](const Parameter&) { return std::string("Parameter"); },
                        [](const Missing&) { return std::string("MISSING"); },
                        [](const auto&) { return std::string("UNKNOWN"); },
                    },
                    expr.form);
}

class Reader {
 public:
  explicit Reader(Parameters parameters) : parameters_(parameters) {}

  Result<Value> parameter(const Parameter& parameter) const {
    if (parameter.position >= parameters_.size()) return fail(messages::parameters_missing());
    return parameters_[parameter.position];
  }

  // `path` is its position, and `level` the number of lists and maps around it.
  Result<Value> value(const Expr& expr, const std::string& path, std::size_t level) const {
    if (level >= limits::kNestingLevelsMax) {
      return fail(messages::refused("Nesting Levels have exceeded supported limits under " + path));
    }
    if (const auto* text = std::get_if<Text>(&expr.form)) return Value(text->text);
    if (const auto* boolean = std::get_if<Boolean>(&expr.form)) return Value(boolean->value);
    if (std::holds_alternative<NullValue>(expr.form)) return Value(Null());
    if (const auto* number = std::get_if<NumberText>(&expr.form)) return number_value(*number, path);
    if (const auto* ion = std::get_if<Ion>(&expr.form)) {
      return fail(messages::refused("Ion Literals are not supported: " + ion->text + " under key " + path,
                                    expr.place));
    }
    if (const auto* one = std::get_if<Parameter>(&expr.form); one != nullptr && level == 0)
      return parameter(*one);
    if (const auto* sequence = std::get_if<Sequence>(&expr.form)) {
      if (sequence->kind == Sequence::Kind::Bag) return bag(*sequence, path);
      return list(*sequence, path, level);
    }
    if (const auto* tuple = std::get_if<Tuple>(&expr.form)) {
      TAVOLA_TRY(Map members, map(*tuple, path, level));
      return Value(std::move(members));
    }
    return fail(
        messages::refused("Unsupported data type: " + kind_of(expr) + " under key " + path, expr.place));
  }

  // Every attribute of an item is a root of its own.
  Result<Map> map(const Tuple& tuple, const std::string& path, std::optional<std::size_t> level) const {
    Map members;
    for (std::size_t i = 0; i < tuple.names.size(); ++i) {
      const auto* name = std::get_if<Text>(&tuple.names[i].form);
      if (name == nullptr) {
        return fail(messages::refused(
            "Tuple keys must be of type String. Actual type: " + kind_of(tuple.names[i]) + " under " + path));
      }
      TAVOLA_TRY(Value member, level ? value(tuple.values[i], path + "." + name->text, *level + 1)
                                     : value(tuple.values[i], path, 0));
      if (!members.emplace(name->text, std::move(member)).second) {
        return fail(messages::refused("Duplicate keys in tuple. Key: " + name->text + " under " + path));
      }
    }
    return members;
  }

 private:
  static Result<Value> number_value(const NumberText& number, const std::string& path) {
    const Result<tavola::Number> parsed = tavola::Number::parse(number.text);
    if (!parsed) return fail(messages::refused(parsed.error().message() + " under " + path));
    return Value(*parsed);
  }

  Result<Value> list(const Sequence& sequence, const std::string& path, std::size_t level) const {
    List elements;
    for (std::size_t i = 0; i < sequence.elements.size(); ++i) {
      TAVOLA_TRY(Value element, value(sequence.elements[i], path + "[" + std::to_string(i) + "]", level + 1));
      elements.push_back(std::move(element));
    }
    return Value(std::move(elements));
  }

  static Result<Value> bag(const Sequence& sequence, const std::string& path) {
    if (sequence.elements.empty()) return fail(messages::refused("Empty bags are not supported"));
    std::vector<std::string> texts;
    std::vector<tavola::Number> numbers;
    std::string written;
    for (const Expr& element : sequence.elements) {
      const auto* text = std::get_if<Text>(&element.form);
      const auto* number = std::get_if<NumberText>(&element.form);
      if (text != nullptr) texts.push_back(text->text);
      if (number != nullptr) {
        TAVOLA_TRY(const Value read, number_value(*number, path));
        numbers.push_back(read.number());
      }
      const bool mixed = !texts.empty() && !numbers.empty();
      if (mixed || (text == nullptr && number == nullptr)) {
        return fail(messages::refused(
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"));
      }
      written.append(written.empty() ? "" : ", ").append(text != nullptr ? text->text : number->text);
    }
    if (!texts.empty()) {
      if (Result<StringSet> made = StringSet::of(std::move(texts))) return Value(*std::move(made));
      return fail(messages::refused(std::string(kInvalid) + "Input collection [" + written +
                                    "] contains duplicates."));
    }
    if (Result<NumberSet> made = NumberSet::of(std::move(numbers))) return Value(*std::move(made));
    return fail(messages::refused(std::string(kInvalid) + "Input collection [" + written +
                                  "] contains duplicates! under " + path));
  }

  Parameters parameters_;
};

constexpr std::string_view kRoot = "root";

}  // namespace

bool is_value(const Expr& expr) {
  return std::visit(Overloaded{
                        [](const Path&) { return false; },
                        [](const Call&) { return false; },
                        [](const Operation&) { return false; },
                        [](const TypeTest&) { return false; },
                        [](const Missing&) { return false; },
                        [](const auto&) { return true; },
                    },
                    expr.form);
}

Result<Value> value_of(const Expr& expr, Parameters parameters) {
  return Reader(parameters).value(expr, std::string(kRoot), 0);
}

Result<Item> item_of(const Expr& expr, Parameters parameters) {
  const Reader reader(parameters);
  if (const auto* tuple = std::get_if<Tuple>(&expr.form)) {
    return reader.map(*tuple, std::string(kRoot), std::nullopt);
  }
  if (const auto* parameter = std::get_if<Parameter>(&expr.form)) {
    TAVOLA_TRY(Value given, reader.parameter(*parameter));
    if (given.type() == Type::Map) return std::move(given.map());
  }
  return fail(
      messages::refused("Unsupported format in item expression. Please use struct format {...} to express "
                        "item values for insert "
                        "statement."));
}

}  // namespace tavola::partiql

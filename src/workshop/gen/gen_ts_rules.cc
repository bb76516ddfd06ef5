#include "workshop/gen/gen_ts_rules.h"

#include <algorithm>
#include <array>

#include "base/overloaded.h"
#include "design/model/vocabulary.h"
#include "expr/language/ast.h"
#include "expr/language/parse.h"
#include "expr/rules/rule_words.h"
#include "json/writer.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_ts_runtime.h"

namespace tavola::workshop {
namespace {

using design::Placeholder;
using expr::Function;
using expr::ast::Call;
using expr::ast::Node;
using expr::ast::Operand;
using expr::ast::Path;
using expr::ast::Placeholders;
using expr::ast::ValueSlot;

std::string_view comparator_text(expr::ast::Comparator comparator) {
  constexpr auto kTexts = std::to_array<std::string_view>({"=", "<>", "<", "<=", ">", ">="});
  return kTexts[static_cast<std::size_t>(comparator)];
}

// Returns the functions that have equal names and operands in the runtime.
std::string_view runtime_name(Function function) {
  switch (function) {
    case Function::BeginsWith:
      return "beginsWith";
    case Function::Contains:
      return "contains";
    case Function::Size:
      return "size";
    case Function::IfNotExists:
    case Function::First:
      return "first";
    case Function::Plus:
      return "plus";
    case Function::Minus:
      return "minus";
    case Function::Times:
      return "times";
    case Function::Divide:
      return "over";
    case Function::Iso:
      return "iso";
    case Function::Ms:
      return "ms";
    case Function::Join:
      return "join";
    case Function::Concat:
      return "concat";
    case Function::Text:
      return "text";
    case Function::Number:
      return "number";
    case Function::Hostname:
      return "hostname";
    case Function::Substring:
      return "substring";
    case Function::Round:
      return "round";
    case Function::Day:
      return "day";
    case Function::Week:
      return "week";
    case Function::Month:
      return "month";
    case Function::StartOf:
      return "startOf";
    case Function::EndOf:
      return "endOf";
    default:
      return {};
  }
}

class Translation {
 public:
  Translation(const TsScope& scope, const Placeholders& placeholders)
      : scope_(scope), placeholders_(placeholders) {}

  std::string operand(const Operand& operand) const {
    return std::visit(Overloaded{[&](const Path& path) { return this->path(path); },
                                 [&](const ValueSlot& slot) { return value(slot); },
                                 [&](const Call& call) { return this->call(call); }},
                      operand.form);
  }

  std::string node(const Node& node) const {
    namespace ast = expr::ast;
    return std::visit(Overloaded{[&](const ast::Comparison& one) {
                                   return "is(" + operand(one.left) + ", \"" +
                                          std::string(comparator_text(one.comparator)) + "\", " +
                                          operand(one.right) + ")";
                                 },
                                 [&](const ast::Between& one) {
                                   const std::string between = operand(one.value);
                                   return "(is(" + between + ", \">=\", " + operand(one.low) + ") && is(" +
                                          between + ", \"<=\", " + operand(one.high) + "))";
                                 },
                                 [&](const ast::In& one) {
                                   return "[" + operands(one.candidates) + "].some((one) => is(" +
                                          operand(one.value) + ", \"=\", one))";
                                 },
                                 [&](const Call& one) { return call(one); },
                                 [&](const ast::And& one) { return joined(one.terms, " && "); },
                                 [&](const ast::Or& one) { return "(" + joined(one.terms, " || ") + ")"; },
                                 [&](const ast::Not& one) { return "!" + negatable(one.term.front()); }},
                      node.form);
  }

  bool reads_fields(const Operand& operand) const {
    return std::visit(
        Overloaded{[&](const Path& path) { return is_field(path); }, [](const ValueSlot&) { return false; },
                   [&](const Call& call) {
                     return std::ranges::any_of(call.operands,
                                                [&](const Operand& one) { return reads_fields(one); });
                   }},
        operand.form);
  }

 private:
  bool is_field(const Path& path) const {
    return scope_.entity != nullptr && !is_variable(path) &&
           design::has_field(*scope_.entity, path.elements.front().name);
  }
  bool is_variable(const Path& path) const {
    const std::string& name = path.elements.front().name;
    return scope_.others.contains(name) || scope_.locals.contains(name);
  }

  std::string path(const Path& path) const {
    const std::string& name = path.elements.front().name;
    if (!is_field(path) && !is_variable(path)) return name == "now" ? scope_.now : ts_literal(name);
    std::string text = is_variable(path) ? ts_variable(name) : ts_member("it", name);
    const bool is_other = scope_.others.contains(name);
    for (std::size_t i = 1; i < path.elements.size(); ++i) {
      const expr::ast::PathElement& element = path.elements[i];
      if (element.kind == expr::ast::PathElement::Kind::Index) {
        text += "?.[" + std::to_string(element.number) + "]";
      } else if (is_other && i == 1) {
        text = ts_member(text, element.name);
      } else {
        text += is_identifier(element.name) ? "?." + element.name : "?.[" + ts_literal(element.name) + "]";
      }
    }
    return text;
  }

  std::string value(const ValueSlot& slot) const {
    const std::optional<Value>& literal = placeholders_.literals[slot.slot];
    if (literal) return ts_value(*literal);
    return ts_member("p", std::string_view(placeholders_.values[slot.slot]).substr(1));
  }

  std::string operands(const std::vector<Operand>& all) const {
    std::string text;
    for (const Operand& one : all) text += (text.empty() ? "" : ", ") + operand(one);
    return text;
  }

  static bool is_sum(const Call& call) {
    return call.function == Function::Plus || call.function == Function::Minus;
  }

  // Returns whether a sum contains a field that counts seconds: then its durations are in seconds, too.
  bool counts_seconds(const Call& sum) const {
    return std::ranges::any_of(sum.operands, [this](const Operand& one) {
      if (const auto* path = std::get_if<Path>(&one.form)) {
        return is_field(*path) && path->elements.size() == 1 &&
               design::Vocabulary(scope_.entity).counts_seconds(path->elements.front().name);
      }
      const auto* inner = std::get_if<Call>(&one.form);
      return inner != nullptr && is_sum(*inner) && counts_seconds(*inner);
    });
  }

  std::string in_seconds(const Operand& one) const {
    const auto* slot = std::get_if<ValueSlot>(&one.form);
    if (slot == nullptr || !expr::is_duration(placeholders_.values[slot->slot])) return operand(one);
    const std::optional<Value>& literal = placeholders_.literals[slot->slot];
    const Result<Number> seconds = literal ? literal->number() / Number(1000) : Number(0);
    return seconds ? ts_value(*seconds) : operand(one);
  }

  std::string call(const Call& call) const {
    if (is_sum(call) && counts_seconds(call)) {
      return std::string(runtime_name(call.function)) + "(" + in_seconds(call.operands[0]) + ", " +
             in_seconds(call.operands[1]) + ")";
    }
    const std::string all = operands(call.operands);
    if (const std::string_view name = runtime_name(call.function); !name.empty())
      return std::string(name) + "(" + all + ")";
    switch (call.function) {
      case Function::AttributeExists:
        return "has(" + all + ")";
      case Function::AttributeNotExists:
        return "!has(" + all + ")";
      case Function::Negate:
        return "minus(0, " + all + ")";
      case Function::Now:
        return scope_.now;
      case Function::Caller:
        return "db.caller";
      case Function::Lower:
        return "lower(" + all + ")";
      case Function::Upper:
        return "upper(" + all + ")";
      case Function::CoreDomain:
        return "coreDomain(db, " + all + ")";
      case Function::Sha256:
        return "hashed(\"sha256\", " + all + ")";
      case Function::Md5:
        return "hashed(\"md5\", " + all + ")";
      case Function::ListAppend:
        return "[...elements(" + operand(call.operands[0]) + "), ...elements(" + operand(call.operands[1]) +
               ")]";
      case Function::Uuid:
        return "randomUUID()";
      case Function::Ulid:
        return "ulid(" + scope_.now + ")";
      default:
        return "undefined /* " + std::string(expr::info(call.function).name) + "() is not supported here */";
    }
  }

  std::string joined(const std::vector<Node>& terms, std::string_view by) const {
    std::string text;
    for (const Node& term : terms) text += (text.empty() ? "" : std::string(by)) + node(term);
    return text;
  }
  std::string negatable(const Node& term) const {
    const bool simple = std::holds_alternative<expr::ast::Comparison>(term.form) ||
                        (std::holds_alternative<Call>(term.form) &&
                         std::get<Call>(term.form).function != Function::AttributeNotExists);
    return simple ? node(term) : "(" + node(term) + ")";
  }

  const TsScope& scope_;
  const Placeholders& placeholders_;
};

// ---- Filters ----

class FilterText {
 public:
  FilterText(const TsScope& scope, const Placeholders& placeholders) : translation_(scope, placeholders) {}

  TsFilter take(const Node& root) && {
    filter_.text = node(root);
    return std::move(filter_);
  }

 private:
  std::string node(const Node& node) {
    namespace ast = expr::ast;
    return std::visit(
        Overloaded{
            [&](const ast::Comparison& one) {
              return operand(one.left) + " " + std::string(comparator_text(one.comparator)) + " " +
                     operand(one.right);
            },
            [&](const ast::Between& one) {
              return operand(one.value) + " BETWEEN " + operand(one.low) + " AND " + operand(one.high);
            },
            [&](const ast::In& one) { return operand(one.value) + " IN (" + operands(one.candidates) + ")"; },
            [&](const Call& one) { return call(one); },
            [&](const ast::And& one) { return joined(one.terms, " AND "); },
            [&](const ast::Or& one) { return "(" + joined(one.terms, " OR ") + ")"; },
            [&](const ast::Not& one) { return "NOT (" + this->node(one.term.front()) + ")"; }},
        node.form);
  }

  std::string operand(const Operand& operand) {
    if (!translation_.reads_fields(operand)) {
      filter_.values.emplace_back(":f" + std::to_string(filter_.values.size()),
                                  translation_.operand(operand));
      return filter_.values.back().first;
    }
    if (const auto* called = std::get_if<Call>(&operand.form)) return call(*called);
    std::string text;
    for (const expr::ast::PathElement& element : std::get<Path>(operand.form).elements) {
      if (element.kind == expr::ast::PathElement::Kind::Index) {
        text += "[" + std::to_string(element.number) + "]";
        continue;
      }
      filter_.names.insert(element.name);
      text += (text.empty() ? "#" : ".#") + ts_identifier(element.name);
    }
    return text;
  }

  std::string operands(const std::vector<Operand>& all) {
    std::string text;
    for (const Operand& one : all) text += (text.empty() ? "" : ", ") + operand(one);
    return text;
  }
  std::string call(const Call& call) {
    return std::string(expr::info(call.function).name) + "(" + operands(call.operands) + ")";
  }
  std::string joined(const std::vector<Node>& terms, std::string_view by) {
    std::string text;
    for (const Node& term : terms) text += (text.empty() ? "" : std::string(by)) + node(term);
    return text;
  }

  Translation translation_;
  TsFilter filter_;
};

std::string escaped(std::string_view literal, std::string_view special) {
  std::string text;
  for (const char c : literal) {
    if (special.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// Returns the text of a field: "${padded(item.number, "number", 6)}".
std::string ts_part(const Placeholder& placeholder, const design::FieldForm& form, std::string value) {
  using Format = Placeholder::Format;
  using TypeKind = design::AttributeType::Kind;
  const bool is_time = placeholder.format == Format::Iso || placeholder.format == Format::Milliseconds;
  if (is_time && form.type.kind == TypeKind::TimestampS) value.insert(0, "times(1000, ").append(")");
  if (placeholder.format == Format::Iso && form.type.kind != TypeKind::TimestampIso)
    value.insert(0, "iso(").append(")");
  if (placeholder.format == Format::Milliseconds && form.type.kind == TypeKind::TimestampIso)
    value.insert(0, "ms(").append(")");
  if (placeholder.format == Format::Date) {
    // A day may stand for a time in the parameters of a pattern.
    const bool in_seconds = form.type.kind == TypeKind::TimestampS;
    if (in_seconds)
      value = "typeof " + value + " === \"string\" ? " + value + " : times(1000, " + value + ")";
    value.insert(0, "day(").append(")");
  }
  const std::string name = ts_literal(placeholder.field);
  if (placeholder.format == Format::Padded)
    return "${padded(" + value + ", " + name + ", " + std::to_string(placeholder.width) + ")}";
  return (placeholder.format == Format::Descending ? "${descending(" : "${part(") + value + ", " + name +
         (form.raw ? ", true)}" : ")}");
}

}  // namespace

std::string ts_literal(std::string_view text) {
  std::string literal;
  json::append_text(literal, text);
  return literal;
}

std::string ts_value(const Value& value) {
  return std::visit(
      Overloaded{[](const Null&) { return std::string("undefined"); },
                 [](bool one) { return std::string(one ? "true" : "false"); },
                 [](const Number& one) {
                   const auto whole = one.to_int64();
                   constexpr std::int64_t kSafe = (std::int64_t{1} << 53) - 1;
                   const bool safe = whole && *whole <= kSafe && *whole >= -kSafe;
                   return safe ? one.to_string() : "NumberValue.from(\"" + one.to_string() + "\")";
                 },
                 [](const std::string& one) { return ts_literal(one); },
                 [](const List& list) {
                   std::string text;
                   for (const Value& one : list) text += (text.empty() ? "" : ", ") + ts_value(one);
                   return "[" + text + "]";
                 },
                 [](const Map& map) {
                   std::string text;
                   for (const auto& [name, one] : map) {
                     text += (text.empty() ? " " : ", ") + ts_property(name) + ": " + ts_value(one);
                   }
                   return text.empty() ? std::string("{}") : "{" + text + " }";
                 },
                 [](const auto&) { return std::string("undefined"); }},
      value.variant());
}

std::string ts_member(const std::string& of, std::string_view name) {
  return is_identifier(name) ? of + "." + std::string(name) : of + "[" + ts_literal(name) + "]";
}

std::string ts_property(std::string_view name) {
  return is_identifier(name) ? std::string(name) : ts_literal(name);
}

std::string ts_variable(std::string_view name) {
  std::string variable = ts_identifier(name);
  return is_runtime_name(variable) ? variable + "_" : variable;
}

std::string ts_type_name(std::string_view name) {
  std::string type = pascal_case(name);
  return is_runtime_name(type) ? type + "Entity" : type;
}

std::string ts_condition(const design::Rule& rule, const TsScope& scope) {
  const auto parsed = expr::parse_condition(rule.text(), expr::ExpressionKind::Rule);
  return parsed ? Translation(scope, parsed->placeholders).node(parsed->root) : "false";
}

std::string ts_value_of(const design::Rule& rule, const TsScope& scope) {
  const auto parsed = expr::parse_formula(rule.text());
  return parsed ? Translation(scope, parsed->placeholders).operand(parsed->root) : "undefined";
}

TsFilter ts_filter(const design::Rule& rule, const TsScope& scope) {
  const auto parsed = expr::parse_condition(rule.text(), expr::ExpressionKind::Rule);
  return parsed ? FilterText(scope, parsed->placeholders).take(parsed->root) : TsFilter();
}

std::string ts_template(const design::Template& from, const design::FieldForms& forms, const std::string& of,
                        Type type) {
  if (from.is_literal()) return ts_literal(from.text());
  std::string text;
  for (const design::Template::Part& each : from.parts()) {
    if (const auto* literal = std::get_if<std::string>(&each)) {
      text += escaped(*literal, "`$\\");
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(each);
    std::string value = ts_member(of, placeholder.field);
    if (type != Type::String) return value;
    text += ts_part(placeholder, forms(placeholder.field), std::move(value));
  }
  return "`" + text + "`";
}

std::string ts_pattern(const design::Template& from, const design::FieldForms& forms) {
  std::string text;
  std::set<std::string> seen;
  for (const design::Template::Part& each : from.parts()) {
    if (const auto* literal = std::get_if<std::string>(&each)) {
      text += escaped(*literal, "/\\^$.|?*+()[]{}");
      continue;
    }
    const auto& placeholder = std::get<Placeholder>(each);
    if (placeholder.format == Placeholder::Format::Date) {  // the day of a field, not its value
      text += R"(\d{4}-\d\d-\d\d)";
      continue;
    }
    const std::string& field = placeholder.field;
    const std::string any = forms(field).raw ? ".+" : "[^#]+";
    if (!is_identifier(field)) {
      text += any;
    } else if (seen.insert(field).second) {
      text.append("(?<").append(field).append(">").append(any).append(")");
    } else {
      text += "\\k<" + field + ">";
    }
  }
  return "/^" + text + "$/s";
}

}  // namespace tavola::workshop

#include "workshop/gen/rule_tree.h"

#include <algorithm>
#include <array>

#include "base/overloaded.h"
#include "design/model/plain_json.h"
#include "design/model/vocabulary.h"
#include "expr/language/ast.h"
#include "expr/language/parse.h"
#include "expr/rules/rule_words.h"

namespace tavola::workshop {
namespace {

namespace ast = expr::ast;
using expr::Function;

class Tree {
 public:
  Tree(json::Writer& json, const TreeScope& scope, const ast::Placeholders& placeholders)
      : json_(json), scope_(scope), placeholders_(placeholders) {}

  // Returns whether a sum is in seconds already.
  bool is_in_seconds(const ast::Operand& operand) const {
    const auto* call = std::get_if<ast::Call>(&operand.form);
    return call != nullptr && is_sum(*call) && counts_seconds(*call);
  }

  void operand(const ast::Operand& operand) {
    std::visit(Overloaded{[&](const ast::Path& path) { this->path(path); },
                          [&](const ast::ValueSlot& slot) { value(slot); },
                          [&](const ast::Call& one) { call(one); }},
               operand.form);
  }

  void node(const ast::Node& node) {
    std::visit(Overloaded{[&](const ast::Comparison& one) {
                            constexpr auto kTexts =
                                std::to_array<std::string_view>({"=", "<>", "<", "<=", ">", ">="});
                            begin("is");
                            json_.text(kTexts[static_cast<std::size_t>(one.comparator)]);
                            operand(one.left);
                            operand(one.right);
                            json_.end_list();
                          },
                          [&](const ast::Between& one) {
                            begin("between");
                            operand(one.value);
                            operand(one.low);
                            operand(one.high);
                            json_.end_list();
                          },
                          [&](const ast::In& one) {
                            begin("in");
                            operand(one.value);
                            for (const ast::Operand& candidate : one.candidates) operand(candidate);
                            json_.end_list();
                          },
                          [&](const ast::Call& one) { call(one); },
                          [&](const ast::And& one) { terms("and", one.terms); },
                          [&](const ast::Or& one) { terms("or", one.terms); },
                          [&](const ast::Not& one) { terms("not", one.term); }},
               node.form);
  }

 private:
  void begin(std::string_view kind) {
    json_.begin_list();
    json_.text(kind);
  }

  void terms(std::string_view kind, const std::vector<ast::Node>& all) {
    begin(kind);
    for (const ast::Node& one : all) node(one);
    json_.end_list();
  }

  bool is_name(const ast::Path& path) const { return scope_.names.contains(path.elements.front().name); }
  bool is_field(const ast::Path& path) const {
    return scope_.entity != nullptr && !is_name(path) &&
           design::has_field(*scope_.entity, path.elements.front().name);
  }

  void path(const ast::Path& path) {
    const std::string& name = path.elements.front().name;
    if (!is_field(path) && !is_name(path)) {  // a bare word
      begin(name == "now" ? "call" : "value");
      json_.text(name);
      return json_.end_list();
    }
    const bool is_other = is_name(path) || !scope_.entity_is.empty();
    begin(is_other ? "name" : "it");
    if (is_other && !is_name(path)) json_.text(scope_.entity_is);
    for (const ast::PathElement& element : path.elements) {
      if (element.kind == ast::PathElement::Kind::Index) {
        json_.integer(element.number);
      } else {
        json_.text(element.name);
      }
    }
    json_.end_list();
  }

  void value(const ast::ValueSlot& slot) {
    const std::optional<Value>& literal = placeholders_.literals[slot.slot];
    if (literal) return this->literal(*literal);
    begin("param");
    json_.text(std::string_view(placeholders_.values[slot.slot]).substr(1));
    json_.end_list();
  }
  void literal(const Value& value) {
    begin("value");
    json_.raw() += design::to_plain_json(value);
    json_.end_list();
  }

  static bool is_sum(const ast::Call& call) {
    return call.function == Function::Plus || call.function == Function::Minus;
  }

  // Returns whether a sum contains a field that counts seconds: then its durations are in seconds, too.
  bool counts_seconds(const ast::Call& sum) const {
    return std::ranges::any_of(sum.operands, [this](const ast::Operand& one) {
      if (const auto* path = std::get_if<ast::Path>(&one.form)) {
        return is_field(*path) && path->elements.size() == 1 &&
               design::Vocabulary(scope_.entity).counts_seconds(path->elements.front().name);
      }
      const auto* inner = std::get_if<ast::Call>(&one.form);
      return inner != nullptr && is_sum(*inner) && counts_seconds(*inner);
    });
  }

  void in_seconds(const ast::Operand& one) {
    const auto* slot = std::get_if<ast::ValueSlot>(&one.form);
    if (slot == nullptr || !expr::is_duration(placeholders_.values[slot->slot])) return operand(one);
    const std::optional<Value>& literal = placeholders_.literals[slot->slot];
    const Result<Number> seconds = literal ? literal->number() / Number(1000) : Number(0);
    if (seconds) return this->literal(Value(*seconds));
    operand(one);
  }

  void call(const ast::Call& call) {
    begin("call");
    json_.text(call.function == Function::Negate ? "negate" : expr::info(call.function).name);
    const bool seconds = is_sum(call) && counts_seconds(call);
    for (const ast::Operand& one : call.operands) {
      if (seconds) {
        in_seconds(one);
      } else {
        operand(one);
      }
    }
    json_.end_list();
  }

  json::Writer& json_;
  const TreeScope& scope_;
  const ast::Placeholders& placeholders_;
};

std::string_view format_name(design::Placeholder::Format format) {
  using Format = design::Placeholder::Format;
  switch (format) {
    case Format::Padded:
      return "padded";
    case Format::Iso:
      return "iso";
    case Format::Milliseconds:
      return "ms";
    case Format::Descending:
      return "desc";
    case Format::Date:
      return "date";
    default:
      return {};
  }
}

}  // namespace

void write_condition(json::Writer& json, const design::Rule& rule, const TreeScope& scope) {
  // The rules of a design that was read do parse.
  if (const auto parsed = expr::parse_condition(rule.text(), expr::ExpressionKind::Rule))
    Tree(json, scope, parsed->placeholders).node(parsed->root);
}

void write_value(json::Writer& json, const ValueTree& value, const TreeScope& scope) {
  const auto parsed = expr::parse_formula(value.rule.text());
  if (!parsed) return;
  Tree tree(json, scope, parsed->placeholders);
  if (!value.in_seconds || tree.is_in_seconds(parsed->root)) return tree.operand(parsed->root);
  json.begin_list();
  json.text("call");
  json.text("seconds");
  tree.operand(parsed->root);
  json.end_list();
}

void write_template(json::Writer& json, const design::Template& from, const design::FieldForms& forms) {
  json.begin_list();
  for (const design::Template::Part& part : from.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      json.text(*literal);
      continue;
    }
    const auto& placeholder = std::get<design::Placeholder>(part);
    const design::FieldForm form = forms(placeholder.field);
    json.begin_object();
    json.name("field").text(placeholder.field);
    if (const std::string_view format = format_name(placeholder.format); !format.empty())
      json.name("as").text(format);
    if (placeholder.width > 0) json.name("width").integer(placeholder.width);
    if (form.type.is_timestamp()) json.name("type").text(design::type_text(form.type));
    if (form.raw) json.name("raw").boolean(true);
    json.end_object();
  }
  json.end_list();
}

}  // namespace tavola::workshop

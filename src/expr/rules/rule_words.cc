#include "expr/rules/rule_words.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "expr/language/rule_problem.h"
#include "value/limits.h"

namespace tavola::expr {

namespace {

using ast::Operand;
using ast::PathElement;

// Returns the names of a path up to its first index: {"product", "name"}.
std::vector<std::string> names_of(const ast::Path& path) {
  std::vector<std::string> names;
  for (const PathElement& element : path.elements) {
    if (element.kind != PathElement::Kind::Name) break;
    names.push_back(element.name);
  }
  return names;
}

std::string dotted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ".").append(name);
  return text;
}

}  // namespace

bool is_duration(std::string_view literal) {
  return is_digit(literal.front()) && std::string_view("smhd").contains(literal.back());
}

namespace {

template <class T>
void add_once(std::vector<T>& all, T one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

class Resolver {
 public:
  Resolver(ast::Placeholders& placeholders, const Vocabulary& vocabulary)
      : placeholders_(placeholders), vocabulary_(vocabulary) {}

  Result<void> resolve(ast::Node& node) {
    return std::visit([this](auto& form) { return resolve(form); }, node.form);
  }

  // Resolves a formula: words may be values of the field it is for.
  Result<void> resolve_formula(Operand& operand) {
    auto* call = std::get_if<ast::Call>(&operand.form);
    const bool chooses =
        call != nullptr && (call->function == Function::First || call->function == Function::IfNotExists);
    if (!chooses) {
      take_word(operand, "");
      return resolve(operand, "");
    }
    for (Operand& choice : call->operands) TAVOLA_CHECK(resolve_formula(choice));
    return {};
  }

  RuleWords words() && { return std::move(words_); }

 private:
  Result<void> resolve(ast::And& all) { return resolve_terms(all.terms); }
  Result<void> resolve(ast::Or& any) { return resolve_terms(any.terms); }
  Result<void> resolve(ast::Not& negated) { return resolve_terms(negated.term); }
  Result<void> resolve_terms(std::vector<ast::Node>& terms) {
    for (ast::Node& term : terms) TAVOLA_CHECK(resolve(term));
    return {};
  }

  Result<void> resolve(ast::Comparison& comparison) {
    Operand* const operands[] = {&comparison.left, &comparison.right};
    return resolve_compared(operands);
  }
  Result<void> resolve(ast::Between& between) {
    Operand* const operands[] = {&between.value, &between.low, &between.high};
    return resolve_compared(operands);
  }
  Result<void> resolve(ast::In& in) {
    std::vector<Operand*> operands{&in.value};
    for (Operand& candidate : in.candidates) operands.push_back(&candidate);
    return resolve_compared(operands);
  }
  Result<void> resolve(ast::Call& call) {
    note(call.function);
    if (call.function == Function::Contains) {
      Operand* const operands[] = {&call.operands[0], &call.operands[1]};
      return resolve_compared(operands);
    }
    for (Operand& operand : call.operands) TAVOLA_CHECK(resolve(operand, ""));
    if (is_sum(call) && counts_seconds(call)) {
      for (Operand& operand : call.operands) make_seconds(operand);
    }
    return {};
  }

  void note(Function function) {
    words_.uses_caller = words_.uses_caller || function == Function::Caller;
    words_.asks_exists = words_.asks_exists || function == Function::AttributeExists ||
                         function == Function::AttributeNotExists;
    words_.changes_by_itself = words_.changes_by_itself || function == Function::Now ||
                               function == Function::Uuid || function == Function::Ulid;
  }

  static bool is_sum(const ast::Call& call) {
    return call.function == Function::Plus || call.function == Function::Minus;
  }

  bool counts_seconds(const ast::Call& sum) const {
    return std::ranges::any_of(sum.operands, [this](const Operand& operand) {
      if (const auto* path = std::get_if<ast::Path>(&operand.form))
        return vocabulary_.counts_seconds(dotted(names_of(*path)));
      const auto* inner = std::get_if<ast::Call>(&operand.form);
      return inner != nullptr && is_sum(*inner) && counts_seconds(*inner);
    });
  }

  // Turns 90d in milliseconds into 90d in seconds: in a new literal, because the same text may occur elsewhere.
  void make_seconds(Operand& operand) {
    const auto* value = std::get_if<ast::ValueSlot>(&operand.form);
    if (value == nullptr || !is_duration(placeholders_.values[value->slot])) return;
    const std::optional<Value>& duration = placeholders_.literals[value->slot];
    if (!duration) return;
    const Result<Number> seconds = duration->number() / Number(1000);
    if (!seconds) return;
    operand.form = ast::ValueSlot{static_cast<std::uint32_t>(placeholders_.values.size())};
    placeholders_.values.push_back(seconds->to_string());
    placeholders_.literals.emplace_back(*seconds);
  }

  // Words in a comparison are values of the fields in it.
  Result<void> resolve_compared(std::span<Operand* const> operands) {
    std::string fields;  // for the problem: fields whose value the word could have been
    for (const Operand* other : operands) {
      const auto* path = std::get_if<ast::Path>(&other->form);
      if (path == nullptr || !vocabulary_.is_name(path->elements.front().name)) continue;
      fields = dotted(names_of(*path));
      for (Operand* operand : operands) take_word(*operand, fields);
    }
    for (Operand* operand : operands) TAVOLA_CHECK(resolve(*operand, fields));
    return {};
  }

  // Turns the word `operand` into a literal, if it is a value of `field`.
  void take_word(Operand& operand, std::string_view field) {
    const auto* path = std::get_if<ast::Path>(&operand.form);
    if (path == nullptr || path->elements.size() != 1) return;
    const std::string word = path->elements.front().name;
    if (vocabulary_.is_name(word) || !vocabulary_.is_value_of(field, word)) return;
    auto& values = placeholders_.values;
    const auto found = std::ranges::find(values, word);
    const auto slot = static_cast<std::uint32_t>(found - values.begin());
    if (found == values.end()) {
      values.push_back(word);
      placeholders_.literals.emplace_back(word);
    }
    operand.form = ast::ValueSlot{slot};
  }

  // `compared` is the field that `operand` is compared with, if there is one.
  Result<void> resolve(Operand& operand, std::string_view compared) {
    if (auto* call = std::get_if<ast::Call>(&operand.form)) return resolve(*call);
    if (const auto* value = std::get_if<ast::ValueSlot>(&operand.form)) {
      const std::string& name = placeholders_.values[value->slot];
      if (!placeholders_.literals[value->slot]) add_once(words_.parameters, name.substr(1));
      return {};
    }
    const auto& path = std::get<ast::Path>(operand.form);
    const std::string& word = path.elements.front().name;
    if (path.elements.size() > limits::kNestingLevelsMax) {
      return fail(rule_error({operand.source.offset, operand.source.length,
                              "the path has more than 32 parts, but values have at most 32 levels",
                              "leave some out"}));
    }
    if (vocabulary_.is_name(word)) {
      add_once(words_.paths, names_of(path));
      return {};
    }
    if (word != info(Function::Now).name || path.elements.size() > 1) {
      return fail(rule_error(unknown(word, operand.source.offset, compared)));
    }
    operand.form = ast::Call{Function::Now, {}};
    note(Function::Now);
    return {};
  }

  RuleProblem unknown(const std::string& word, std::size_t offset, std::string_view compared) const {
    std::string message = word + " is not a field";
    if (!compared.empty()) message.append(" nor a value of ").append(compared);
    const std::string nearest = vocabulary_.nearest(word);
    return {offset, word.size(), std::move(message),
            nearest.empty()
                ? "put a text in quotes: '" + word + "'; a parameter begins with a colon: :" + word
                : "did you mean " + nearest + '?'};
  }

  ast::Placeholders& placeholders_;
  const Vocabulary& vocabulary_;
  RuleWords words_;
};

}  // namespace

Result<RuleWords> resolve_words(ast::Condition& tree, const Vocabulary& vocabulary) {
  Resolver resolver(tree.placeholders, vocabulary);
  TAVOLA_CHECK(resolver.resolve(tree.root));
  return std::move(resolver).words();
}

Result<RuleWords> resolve_words(ast::Formula& tree, const Vocabulary& vocabulary) {
  Resolver resolver(tree.placeholders, vocabulary);
  TAVOLA_CHECK(resolver.resolve_formula(tree.root));
  return std::move(resolver).words();
}

}  // namespace tavola::expr

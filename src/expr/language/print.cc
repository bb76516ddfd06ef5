#include "expr/language/print.h"

#include <array>
#include <string_view>

namespace tavola::expr {

namespace {

// How tightly a condition binds: one that binds looser than its context needs parentheses.
enum class Binding : std::uint8_t { Or, And, Not, Relation };

Binding binding(const ast::Node& node) {
  if (std::holds_alternative<ast::Or>(node.form)) return Binding::Or;
  if (std::holds_alternative<ast::And>(node.form)) return Binding::And;
  if (std::holds_alternative<ast::Not>(node.form)) return Binding::Not;
  return Binding::Relation;
}

class Printer {
 public:
  explicit Printer(const ast::Placeholders& placeholders) : placeholders_(placeholders) {}

  void write(const ast::Node& node) {
    std::visit([this](const auto& form) { write(form); }, node.form);
  }

  void write(const ast::Path& path) {
    std::string_view separator;
    for (const ast::PathElement& element : path.elements) {
      if (element.kind == ast::PathElement::Kind::Index) {
        text_ += '[' + std::to_string(element.number) + ']';
        continue;
      }
      text_ += separator;
      text_ +=
          element.kind == ast::PathElement::Kind::Name ? element.name : placeholders_.names[element.number];
      separator = ".";
    }
  }

  void write(const ast::Operand& operand) {
    std::visit([this](const auto& form) { write(form); }, operand.form);
  }

  void write(std::string_view text) { text_ += text; }

  template <class Range>
  void write_list(const Range& range, std::string_view separator) {
    std::string_view before;
    for (const auto& element : range) {
      text_ += before;
      write(element);
      before = separator;
    }
  }

  std::string finish() && { return std::move(text_); }

 private:
  void write(const ast::ValueSlot& value) { text_ += placeholders_.values[value.slot]; }

  void write(const ast::Call& call) {
    if (call.function == Function::Plus || call.function == Function::Minus) {
      write(call.operands[0]);
      text_ += call.function == Function::Plus ? " + " : " - ";
      return write(call.operands[1]);
    }
    text_ += info(call.function).name;
    text_ += '(';
    write_list(call.operands, ", ");
    text_ += ')';
  }

  void write(const ast::Comparison& comparison) {
    static constexpr std::array<std::string_view, 6> kNames{" = ", " <> ", " < ", " <= ", " > ", " >= "};
    write(comparison.left);
    text_ += kNames[static_cast<std::size_t>(comparison.comparator)];
    write(comparison.right);
  }

  void write(const ast::Between& between) {
    write(between.value);
    text_ += " BETWEEN ";
    write(between.low);
    text_ += " AND ";
    write(between.high);
  }

  void write(const ast::In& in) {
    write(in.value);
    text_ += " IN (";
    write_list(in.candidates, ", ");
    text_ += ')';
  }

  void write(const ast::And& all) { write_terms(all.terms, " AND ", Binding::Not); }
  void write(const ast::Or& any) { write_terms(any.terms, " OR ", Binding::And); }
  void write(const ast::Not& negated) {
    text_ += "NOT ";
    write_term(negated.term.front(), Binding::Not);
  }

  // Terms that bind no tighter than the whole get parentheses.
  void write_terms(const std::vector<ast::Node>& terms, std::string_view separator, Binding least) {
    std::string_view before;
    for (const ast::Node& term : terms) {
      text_ += before;
      write_term(term, least);
      before = separator;
    }
  }

  void write_term(const ast::Node& term, Binding least) {
    if (binding(term) >= least) return write(term);
    text_ += '(';
    write(term);
    text_ += ')';
  }

  const ast::Placeholders& placeholders_;
  std::string text_;
};

}  // namespace

std::string print(const ast::Condition& tree) {
  Printer printer(tree.placeholders);
  printer.write(tree.root);
  return std::move(printer).finish();
}

std::string print(const ast::Formula& tree) {
  Printer printer(tree.placeholders);
  printer.write(tree.root);
  return std::move(printer).finish();
}

std::string print(const ast::Projection& tree) {
  Printer printer(tree.placeholders);
  printer.write_list(tree.paths, ", ");
  return std::move(printer).finish();
}

std::string print(const ast::Update& tree) {
  static constexpr std::array<std::string_view, 4> kNames{"SET ", "REMOVE ", "ADD ", "DELETE "};
  Printer printer(tree.placeholders);
  const ast::Action* before = nullptr;
  for (const ast::Action& action : tree.actions) {
    const bool same_section = before != nullptr && before->section == action.section;
    if (before != nullptr) printer.write(same_section ? ", " : " ");
    if (!same_section) printer.write(kNames[static_cast<std::size_t>(action.section)]);
    printer.write(action.path);
    if (action.section == ast::Section::Set) {
      printer.write(" = ");
    } else if (action.value) {
      printer.write(" ");
    }
    if (action.value) printer.write(*action.value);
    before = &action;
  }
  return std::move(printer).finish();
}

}  // namespace tavola::expr

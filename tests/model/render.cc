#include "tests/model/render.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace tavola::model {
namespace {

// Returns whether the attribute name is a reserved word or not an identifier.
bool must_be_escaped(const std::string& attribute) {
  static const std::set<std::string> all_escaped{"Status", "data", "d.ot", "blob"};
  return all_escaped.contains(attribute);
}

}  // namespace

std::string_view text_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::Equal:
      return "=";
    case Comparison::NotEqual:
      return "<>";
    case Comparison::Less:
      return "<";
    case Comparison::LessOrEqual:
      return "<=";
    case Comparison::Greater:
      return ">";
    default:
      return ">=";
  }
}

std::string Renderer::keyword(std::string upper) {
  if (!random_.chance(20)) return upper;
  for (char& letter : upper) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return upper;
}

std::string Renderer::name(const std::string& attribute) {
  if (!must_be_escaped(attribute) && random_.chance(60)) return attribute;
  for (const auto& [placeholder, escaped] : names_) {
    if (escaped == attribute) return placeholder;
  }
  std::string placeholder = "#n" + std::to_string(names_.size());
  names_[placeholder] = attribute;
  return placeholder;
}

std::string Renderer::value(const Value& value) {
  std::string placeholder = ":v" + std::to_string(values_.size());
  values_[placeholder] = value;
  return placeholder;
}

std::string Renderer::path(const Path& path) {
  std::string text = name(path.head);
  for (const Path::Step& step : path.steps) {
    if (const auto* member = std::get_if<std::string>(&step)) {
      text += "." + name(*member);
    } else {
      text += "[" + std::to_string(std::get<std::size_t>(step)) + "]";
    }
  }
  return text;
}

std::string Renderer::condition(const Condition& condition) {
  using Kind = Condition::Kind;
  const auto function = [&](const char* name) {
    std::string text = std::string(name) + "(" + path(condition.path);
    if (!condition.values.empty()) text += ", " + value(condition.values[0]);
    return text + ")";
  };
  switch (condition.kind) {
    case Kind::And:
    case Kind::Or: {
      std::string text;
      for (const Condition& inner : condition.operands) {
        if (!text.empty()) text += " " + keyword(condition.kind == Kind::And ? "AND" : "OR") + " ";
        text += "(" + this->condition(inner) + ")";
      }
      return text;
    }
    case Kind::Not:
      return keyword("NOT") + " (" + this->condition(condition.operands.front()) + ")";
    case Kind::Compare:
      return path(condition.path) + " " + std::string(text_of(condition.comparison)) + " " +
             value(condition.values[0]);
    case Kind::ComparePaths:
      return path(condition.path) + std::string(text_of(condition.comparison)) + path(condition.other);
    case Kind::CompareSize:
      return "size(" + path(condition.path) + ") " + std::string(text_of(condition.comparison)) + " " +
             value(condition.values[0]);
    case Kind::Between: {
      std::string text = path(condition.path) + " " + keyword("BETWEEN") + " " + value(condition.values[0]);
      return text + " " + keyword("AND") + " " + value(condition.values[1]);
    }
    case Kind::In: {
      std::string text = path(condition.path) + " " + keyword("IN") + " (";
      for (std::size_t i = 0; i < condition.values.size(); ++i) {
        text += (i == 0 ? "" : ", ") + value(condition.values[i]);
      }
      return text + ")";
    }
    case Kind::Exists:
      return function("attribute_exists");
    case Kind::NotExists:
      return function("attribute_not_exists");
    case Kind::TypeIs:
      return function("attribute_type");
    case Kind::BeginsWith:
      return function("begins_with");
    case Kind::Contains:
      return function("contains");
  }
  return {};
}

std::string Renderer::operand(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Literal:
      return value(operand.value);
    case Operand::Kind::Attribute:
      return path(operand.path);
    default: {
      std::string text = "if_not_exists(" + path(operand.path);
      return text + ", " + value(operand.value) + ")";
    }
  }
}

std::string Renderer::set_right_side(const Action& action) {
  std::string left = operand(action.left);
  if (action.kind == Action::Kind::Set) return left;
  std::string right = operand(action.right);
  if (action.kind == Action::Kind::SetAppend) return "list_append(" + left + ", " + right + ")";
  return left + (action.kind == Action::Kind::SetSum ? " + " : " - ") + right;
}

std::string Renderer::update(const Update& update) {
  struct Clause {
    std::string word;
    std::vector<std::string> actions{};
  };
  std::vector<Clause> clauses{{"SET"}, {"REMOVE"}, {"ADD"}, {"DELETE"}};
  for (const Action& action : update) {
    std::string target = path(action.path);
    switch (action.kind) {
      case Action::Kind::Remove:
        clauses[1].actions.push_back(std::move(target));
        break;
      case Action::Kind::Add:
        clauses[2].actions.push_back(target + " " + value(action.left.value));
        break;
      case Action::Kind::DeleteFrom:
        clauses[3].actions.push_back(target + " " + value(action.left.value));
        break;
      default:
        clauses[0].actions.push_back(target + " = " + set_right_side(action));
        break;
    }
  }
  random_.shuffle(clauses);
  std::string text;
  for (const Clause& clause : clauses) {
    for (std::size_t i = 0; i < clause.actions.size(); ++i) {
      if (i == 0) text += (text.empty() ? "" : " ") + keyword(clause.word);
      text += (i == 0 ? " " : ", ") + clause.actions[i];
    }
  }
  return text;
}

std::string Renderer::projection(const std::vector<Path>& paths) {
  std::string text;
  for (const Path& wanted : paths) text += (text.empty() ? "" : ", ") + path(wanted);
  return text;
}

}  // namespace tavola::model

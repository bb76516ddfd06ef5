#include "design/language/language_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tavola/number.h>

#include "base/joined.h"
#include "design/model/attribute_type.h"
#include "design/model/nearest.h"
#include "design/model/text_pattern.h"

namespace tavola::design {
namespace {

using yaml::Node;
using ShapeKind = Shape::Kind;

// Returns whether the value is taken as written, even if YAML reads it as a number or a boolean.
bool is_as_written(ShapeKind kind) {
  return kind == ShapeKind::Template || kind == ShapeKind::Range || kind == ShapeKind::Word ||
         kind == ShapeKind::Enum;
}

// Returns the type that was probably meant, or empty: "integr" and "int" are `integer`.
std::string nearest_type(const std::string& word) {
  constexpr std::size_t kPrefixMin = 3;
  std::string near = nearest(word, type_names());
  if (!near.empty() || word.size() < kPrefixMin) return near;
  for (const std::string& type : type_names()) {
    if (type.starts_with(word) && (near.empty() || type.size() < near.size())) near = type;
  }
  return near;
}

// Returns whether YAML's kind is right; the content is checked afterwards.
bool takes(const Shape& shape, yaml::Kind kind) {
  switch (shape.kind) {
    case ShapeKind::Any:
      return true;
    case ShapeKind::Bool:
      return kind == yaml::Kind::Bool;
    case ShapeKind::Number:
    case ShapeKind::Count:
      return kind == yaml::Kind::Number;
    case ShapeKind::Map:
      return kind == yaml::Kind::Map;
    case ShapeKind::List:
      return kind == yaml::Kind::List;
    case ShapeKind::OneOf:
      return std::ranges::any_of(shape.choices, [&](const Shape* choice) { return takes(*choice, kind); });
    case ShapeKind::Rule:
      return kind != yaml::Kind::List && kind != yaml::Kind::Map;
    default:
      return kind == yaml::Kind::Text ||
             (is_as_written(shape.kind) && (kind == yaml::Kind::Number || kind == yaml::Kind::Bool));
  }
}

std::string kind_text(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::Bool:
      return "true or false";
    case ShapeKind::Number:
    case ShapeKind::Count:
      return "a number";
    case ShapeKind::Map:
      return "a map";
    case ShapeKind::List:
      return "a list";
    case ShapeKind::Type:
      return "a type";
    case ShapeKind::Template:
      return "a template";
    case ShapeKind::Rule:
      return "an expression";
    case ShapeKind::Range:
      return "a condition on the sort key";
    case ShapeKind::Duration:
      return "a duration";
    case ShapeKind::Regex:
      return "a regular expression";
    case ShapeKind::OneOf: {
      std::string text;
      for (const Shape* choice : shape.choices) text += (text.empty() ? "" : " or ") + kind_text(*choice);
      return text;
    }
    default:
      return "a text";
  }
}

class Checker {
 public:
  explicit Checker(Problems& problems) : problems_(problems) {}

  void check(Node& node, const Shape& shape) {
    if (!takes(shape, node.kind)) return wrong_kind(node, shape);
    switch (shape.kind) {
      case ShapeKind::Map:
        if (is_too_many(node, node.entries.size(), kEntriesMax)) return;
        return check_map(node, shape);
      case ShapeKind::List:
        if (is_too_many(node, node.items.size(), items_max(*shape.of))) return;
        for (Node& item : node.items) check(item, *shape.of);
        return;
      case ShapeKind::OneOf:
        return check(node, **std::ranges::find_if(shape.choices, [&](const Shape* choice) {
                       return takes(*choice, node.kind);
                     }));
      case ShapeKind::Rule:
        if (node.text.empty()) wrong_kind(node, shape);
        return;
      case ShapeKind::Enum:
        return check_enum(node, shape);
      case ShapeKind::Type:
        return check_type(node);
      case ShapeKind::Regex:
        return check_regex(node);
      case ShapeKind::Duration:
        if (!parse_duration(node.text)) {
          damage("unknown-value", node.span, "`" + node.text + "` is not a duration",
                 "Write a whole number and ms, s, m, h, d or w: 2h, 90d.");
        }
        return;
      case ShapeKind::Number:
      case ShapeKind::Count:
        return check_number(node, shape);
      case ShapeKind::Template:
        return check_template(node, 1);
      case ShapeKind::Range:
        return check_template(node, 2);
      default:
        return;
    }
  }

  bool is_whole() const { return is_whole_ && !problems_.is_cut(); }

 private:
  // Reports a problem that leaves a hole in the design.
  void damage(std::string_view code, const Span& at, std::string message, std::string advice) {
    is_whole_ = false;
    problems_.error(code, at, std::move(message), std::move(advice));
  }

  bool is_too_many(const Node& node, std::size_t count, std::size_t count_max) {
    return count > count_max &&
           problems_.too_large(beginning(node),
                               "there are " + std::to_string(count) + " parts here; at most " +
                                   std::to_string(count_max) + " are allowed",
                               "Split them up.");
  }

  // Checks the text of `templates` templates: a sort key condition holds up to two.
  void check_template(const Node& node, std::size_t templates) {
    template_bytes_ += node.text.size();
    const auto placeholders = static_cast<std::size_t>(std::ranges::count(node.text, '<'));
    const auto said = [](std::size_t found, std::string_view what, std::size_t most) {
      return "the template has " + std::to_string(found) + " " + std::string(what) + "; at most " +
             std::to_string(most) + " are allowed";
    };
    const std::string advice =
        "Shorten it: DynamoDB's partition keys have at most 2048 bytes, sort keys 1024.";
    if (node.text.size() > kTemplateBytesMax * templates) {
      too_large(node, said(node.text.size(), "bytes", kTemplateBytesMax * templates), advice);
    } else if (placeholders > kPlaceholdersMax * templates) {
      too_large(node, said(placeholders, "placeholders", kPlaceholdersMax * templates), advice);
    } else if (template_bytes_ > kAllTemplatesBytesMax && !problems_.is_cut()) {
      too_large(node,
                "the templates up to here have more than " + std::to_string(kAllTemplatesBytesMax >> 10U) +
                    " KiB in all",
                "Shorten them, or split the design.");
    }
  }

  // Reports a part that is too large for a design, and continues with the next part.
  void too_large(const Node& node, std::string message, std::string advice) {
    static_cast<void>(problems_.too_large(node.span, std::move(message), std::move(advice)));
  }

  void wrong_kind(const Node& node, const Shape& shape) {
    std::string advice = "Write " + kind_text(shape) + ".";
    const bool scalar = node.kind == yaml::Kind::Number || node.kind == yaml::Kind::Bool;
    if (scalar && takes(shape, yaml::Kind::Text)) advice = "Write it in quotes: \"" + node.text + "\".";
    damage("wrong-kind", node.span,
           "expected " + kind_text(shape) + ", found " + std::string(kind_name(node.kind)),
           std::move(advice));
  }

  void check_map(Node& node, const Shape& shape) {
    const std::vector<Member> members = all_members(shape);
    std::vector<std::string> missing;  // keys that the map may have and lacks
    for (const Member& member : members) {
      if (node.find(member.key) == nullptr) missing.emplace_back(member.key);
    }
    for (yaml::Entry& entry : node.entries) {
      const auto member = std::ranges::find(members, entry.key.text, &Member::key);
      if (member != members.end()) {
        check(entry.value, *member->shape);
      } else if (shape.of != nullptr) {
        check(entry.value, *shape.of);
      } else {
        unknown_key(entry, members, missing);
      }
    }
    for (const Member& member : members) {
      if (member.need == Need::Required && std::ranges::count(missing, member.key) > 0) {
        damage("missing-key", beginning(node), "`" + std::string(member.key) + "` is missing",
               "Add `" + std::string(member.key) + "`: " + std::string(member.doc));
      }
    }
  }

  // Moves the entry to the missing key that was probably meant.
  void unknown_key(yaml::Entry& entry, const std::vector<Member>& members,
                   std::vector<std::string>& missing) {
    if (problems_.is_full()) return;
    const std::string near = nearest(entry.key.text, missing);
    problems_.error("unknown-key", entry.key.span, "unknown key `" + entry.key.text + "`",
                    near.empty() ? "The possible keys are: " + joined(members, &Member::key) + "."
                                 : "Did you mean `" + near + "`?");
    if (near.empty()) return;
    std::erase(missing, near);
    entry.key.text = near;
    check(entry.value, *std::ranges::find(members, near, &Member::key)->shape);
  }

  void check_enum(Node& node, const Shape& shape) {
    if (std::ranges::count(shape.values, node.text) > 0) return;
    const std::vector<std::string> values(shape.values.begin(), shape.values.end());
    const std::string near = nearest(node.text, values);
    problems_.error("unknown-value", node.span, "`" + node.text + "` is not one of " + joined(shape.values),
                    near.empty() ? "Write one of these values." : "Did you mean `" + near + "`?");
    if (near.empty()) is_whole_ = false;
    node.text = near;
  }

  void check_type(Node& node) {
    if (parse_type(node.text)) return;
    const std::string near = nearest_type(node.text);
    problems_.error(
        "unknown-type", node.span, "`" + node.text + "` is not a type",
        near.empty() ? "The types are " + joined(type_names()) + "." : "Did you mean `" + near + "`?");
    if (near.empty() || !parse_type(near)) is_whole_ = false;
    node.text = near;
  }

  void check_number(const Node& node, const Shape& shape) {
    const auto number = Number::parse(node.text);
    if (!number) {
      damage("wrong-kind", node.span, "`" + node.text + "` is not a DynamoDB number",
             "Write a decimal number of up to 38 digits.");
    } else if (shape.kind == ShapeKind::Count && (number->is_negative() || !number->to_int64())) {
      damage("wrong-kind", node.span, "`" + node.text + "` is not a count",
             "Write a whole number, 0 or greater.");
    }
  }

  void check_regex(const Node& node) {
    if (instructions_ > kInstructionsMax) return;
    const TextPattern pattern(node.text);
    if (auto problem = pattern.problem()) {
      problems_.error("bad-regex", node.span, "this pattern cannot be used: " + std::move(problem->message),
                      std::move(problem->advice));
      return;
    }
    instructions_ += pattern.instructions();
    if (instructions_ <= kInstructionsMax) return;
    too_large(node, "the compiled patterns up to here are too large",
              "Repeat less; `min_length` and `max_length` bound the length.");
  }

  // Returns the beginning of a map, as the position of a map of many lines.
  static Span beginning(const Node& node) {
    if (node.entries.empty()) return node.span;
    return node.style == yaml::Style::Flow
               ? Span{node.span.begin, {node.span.begin.line, node.span.begin.column + 1}}
               : node.entries.front().key.span;
  }

  // Parts of a map are compared with one another: entities by their keys, fields by what they are made from.
  static constexpr std::size_t kEntriesMax = 1'000;
  static constexpr std::size_t kValuesMax = 10'000;
  static std::size_t items_max(const Shape& of) {
    return takes(of, yaml::Kind::Text) ? kValuesMax : kEntriesMax;
  }
  static constexpr std::size_t kTemplateBytesMax = 2048;
  static constexpr std::size_t kPlaceholdersMax = 32;  // with the texts between them, 64 parts
  // The limit for all templates of a design together, which are compared with one another.
  static constexpr std::size_t kAllTemplatesBytesMax = std::size_t{128} << 10U;
  // The limit for all patterns of a design together; one pattern has about 16,000 at most.
  static constexpr std::size_t kInstructionsMax = 250'000;

  Problems& problems_;
  bool is_whole_ = true;
  std::size_t instructions_ = 0;
  std::size_t template_bytes_ = 0;
};

}  // namespace

CheckedTree check_language(yaml::Node root, const Shape& shape, Problems& problems) {
  Checker checker(problems);
  checker.check(root, shape);
  return {.tree = std::move(root), .is_whole = checker.is_whole()};
}

}  // namespace tavola::design

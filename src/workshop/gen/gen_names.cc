#include "workshop/gen/gen_names.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "design/model/dependencies.h"
#include "design/model/refusal.h"
#include "design/requests/pattern_request.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using design::Operation;
using design::Step;

char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

constexpr auto kCppKeywords = std::to_array<std::string_view>(
    {"alignas",  "alignof",     "and",       "and_eq",      "asm",       "auto",      "bitand",
     "bitor",    "bool",        "break",     "case",        "catch",     "char",      "char8_t",
     "class",    "compl",       "concept",   "const",       "consteval", "constexpr", "continue",
     "co_await", "co_return",   "co_yield",  "decltype",    "default",   "delete",    "do",
     "double",   "else",        "enum",      "explicit",    "export",    "extern",    "false",
     "float",    "for",         "friend",    "goto",        "if",        "inline",    "int",
     "long",     "mutable",     "namespace", "new",         "noexcept",  "not",       "not_eq",
     "nullptr",  "operator",    "or",        "or_eq",       "private",   "protected", "public",
     "register", "requires",    "return",    "short",       "signed",    "sizeof",    "static",
     "struct",   "switch",      "template",  "this",        "throw",     "true",      "try",
     "typedef",  "typeid",      "typename",  "union",       "unsigned",  "using",     "virtual",
     "void",     "volatile",    "while",     "xor",         "xor_eq",    "fields",    "key",
     "texts",    "static_cast", "wchar_t",   "thread_local"});

constexpr auto kTsKeywords = std::to_array<std::string_view>(
    {"await",   "break",  "case",     "catch",  "class",  "const",  "continue",   "debugger",
     "default", "delete", "do",       "else",   "enum",   "export", "extends",    "false",
     "finally", "for",    "function", "if",     "import", "in",     "instanceof", "let",
     "new",     "null",   "return",   "static", "super",  "switch", "this",       "throw",
     "true",    "try",    "typeof",   "var",    "void",   "while",  "with",       "yield"});

// Returns whether an identifier cannot begin so.
bool needs_letter(std::string_view name) { return name.empty() || is_digit(name.front()); }

std::string identifier(std::string_view name, std::span<const std::string_view> keywords) {
  std::string result(needs_letter(name) ? "_" : "");
  for (const char c : name) result += is_word(c) ? c : '_';
  if (std::ranges::find(keywords, result) != keywords.end()) result += '_';
  return result;
}

// Returns whether a step may change a unique field.
bool sets(const Step& step, const std::string& name, const std::vector<std::string>& within) {
  return std::ranges::any_of(step.set, [&](const design::Assignment& one) {
    return one.field == name || std::ranges::find(within, one.field) != within.end();
  });
}

// Returns whether a step may name another item, which must exist.
bool sets_reference(const Entity& entity, const Step& step) {
  return std::ranges::any_of(entity.fields, [&](const Attribute& field) {
    return !field.ref.empty() && (step.kind == Step::Kind::Put || sets(step, field.name, {}));
  });
}

// A refusal, and the status with which /v1 answers it: an item is missing, the design allows no such item, or another conflict.
struct NamedRefusal {
  std::string name;
  int status;
};
constexpr int kMissing = 404;
constexpr int kConflict = 409;
constexpr int kRuledOut = 422;

void add_step_refusals(const Design& design, const Step& step, std::vector<NamedRefusal>& names) {
  const auto named = [&step](std::string_view usual) {
    return step.otherwise.empty() ? std::string(usual) : step.otherwise;
  };
  const bool is_put = step.kind == Step::Kind::Put;
  if (step.exists.value_or(!is_put && step.element.empty())) names.push_back({named("NOT_FOUND"), kMissing});
  if (step.exists == false) names.push_back({named("ALREADY_EXISTS"), kConflict});
  if (step.kind == Step::Kind::Transition) names.push_back({named("WRONG_STATE"), kConflict});
  for (const design::Requirement& requirement : step.require) {
    names.push_back({requirement.otherwise.empty() ? named("REFUSED") : requirement.otherwise, kConflict});
  }
  if (!step.each.empty()) names.push_back({"TOO_MANY", kConflict});
  const bool writes = step.kind != Step::Kind::Delete && step.kind != Step::Kind::Check;
  for (const design::EntityRule& rule : design.find_entity(step.entity.text)->rules) {
    if (writes) names.push_back({rule.name, kRuledOut});
  }
  if (writes && sets_reference(*design.find_entity(step.entity.text), step))
    names.push_back({std::string(design::kUnknownReference), kRuledOut});
  if (!is_put && step.kind != Step::Kind::Update) return;
  for (const Attribute& field : design.find_entity(step.entity.text)->fields) {
    if (!field.unique) continue;
    const design::Unique& unique = *field.unique;
    if (is_put || sets(step, field.name, unique.within)) names.push_back({unique.otherwise, kConflict});
  }
  for (const design::Copy& copy : design.copies) {
    const bool counts =
        copy.kind == design::Copy::Kind::Counter && copy.from.text == step.entity.text && !copy.creates;
    if (counts) names.push_back({"NOT_FOUND", kMissing});
  }
  const Entity& entity = *design.find_entity(step.entity.text);
  const auto has_consequence = [&](const design::Consequence& one) { return design::is_of(one, entity); };
  if (std::ranges::any_of(design.consequences, has_consequence))
    names.push_back({"ALREADY_EXISTS", kConflict});
}

std::vector<NamedRefusal> named_refusals(const Design& design, const Operation& operation) {
  std::vector<NamedRefusal> all;
  for (const design::ReadFirst& read : operation.reads) {
    if (read.required) all.push_back({"NOT_FOUND", kMissing});
  }
  for (const Step& step : operation.steps) add_step_refusals(design, step, all);
  if (!operation.idempotent_by.empty()) all.push_back({"DIFFERENT_REQUEST", kConflict});
  return all;
}

}  // namespace

std::string pascal_case(std::string_view name) {
  std::string result(needs_letter(name) ? "_" : "");
  bool begins = true;
  for (const char c : name) {
    if (!is_word(c)) {
      begins = true;
      continue;
    }
    result += begins ? upper(c) : c;
    begins = false;
  }
  return result;
}

std::string snake_case(std::string_view name) {
  std::string result;
  char before = '_';
  for (const char c : name) {
    if (!is_word(c)) {
      if (before != '_') result += '_';
      before = '_';
      continue;
    }
    if (is_upper(c) && before != '_' && !is_upper(before)) result += '_';
    result += ascii_lower(c);
    before = c;
  }
  return cpp_identifier(result);
}

std::string camel_case(std::string_view name) {
  std::string result = pascal_case(name);
  result.front() = ascii_lower(result.front());
  return result;
}

std::string cpp_identifier(std::string_view name) { return identifier(name, kCppKeywords); }
std::string ts_identifier(std::string_view name) { return identifier(name, kTsKeywords); }

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_word(c) || c == '_'; });
}

design::Attribute field_of(const design::Parameter& parameter) {
  Attribute field = parameter.form;
  field.name = parameter.name;
  field.required = parameter.required && !parameter.otherwise;
  return field;
}

std::vector<std::string> refusals_of(const Design& design, const Operation& operation) {
  std::vector<std::string> names;
  for (NamedRefusal& one : named_refusals(design, operation)) {
    if (std::ranges::find(names, one.name) == names.end()) names.push_back(std::move(one.name));
  }
  return names;
}

std::vector<std::string> refusals_of(const Design& design, const Operation& operation, int status) {
  std::vector<std::string> names;
  for (NamedRefusal& one : named_refusals(design, operation)) {
    if (one.status == status && std::ranges::find(names, one.name) == names.end())
      names.push_back(std::move(one.name));
  }
  return names;
}

std::string deleted_by(const Design& design, const Entity& entity) {
  const design::Retention* const retention = design.find_retention(entity.name);
  const bool is_soft = retention != nullptr && retention->kind == design::Retention::Kind::SoftDelete;
  return is_soft ? retention->attribute : "";
}

const Entity* returned_by(const Design& design, const Operation& operation) {
  for (const Step& step : operation.steps) {
    if (!step.as.empty() && step.as == operation.returns) return design.find_entity(step.entity.text);
  }
  for (const design::ReadFirst& read : operation.reads) {
    if (read.name == operation.returns) return design.find_entity(read.entity.text);
  }
  return nullptr;
}

const Entity* answered_by(const Design& design, const design::Pattern& pattern) {
  if (pattern.form == design::Pattern::Form::Aggregate) return pattern.row.get();
  const Entity* answer = nullptr;
  for (const design::Pattern* part : design::parts_of(design, pattern)) {
    const Entity* entity = design::found_by(design, *part);
    if (answer != nullptr && entity != answer) return nullptr;
    answer = entity;
  }
  return answer;
}

std::vector<std::string> other_counters(const Design& design, const design::Copy& copy) {
  std::vector<std::string> names;
  for (const design::Copy& other : design.copies) {
    if (!copy.creates || &other == &copy || !other.creates || other.to.text != copy.to.text) continue;
    if (!other.count.empty()) names.push_back(other.count);
    for (const design::Assignment& sum : other.sum) names.push_back(sum.field);
  }
  const auto is_own = [&](const std::string& name) {
    return name == copy.count ||
           std::ranges::find(copy.sum, name, &design::Assignment::field) != copy.sum.end();
  };
  std::erase_if(names, is_own);
  return names;
}

std::vector<const Entity*> rows_of(const Design& design) {
  std::vector<const Entity*> rows;
  for (const design::Pattern& pattern : design.patterns) {
    if (pattern.row != nullptr && !pattern.planned) rows.push_back(pattern.row.get());
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> followed_key(const design::Pattern& pattern,
                                                              const Entity& from, const Entity& target) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const std::string& name : target.key_fields())
    fields.emplace_back(name, from.find_field(name) != nullptr ? name : pattern.follow.text);
  return fields;
}

std::string mark_of_deleted(const Design& design, const Entity& entity) {
  const design::Retention* const retention = design.find_retention(entity.name);
  const bool is_soft = retention != nullptr && retention->kind == design::Retention::Kind::SoftDelete;
  return is_soft ? retention->attribute : std::string();
}

bool is_always_there(const Entity& entity, const Attribute& field) {
  const std::vector<std::string> keys = entity.key_fields();
  return field.required || std::ranges::find(keys, field.name) != keys.end();
}

bool is_always_stored(const Entity& entity, const Attribute& field) {
  const auto is_stored = [&entity](const std::string& name) {
    const Attribute* const found = entity.find_field(name);
    return found == nullptr || is_always_stored(entity, *found);
  };
  if (is_always_there(entity, field)) return true;
  if (field.when) return false;
  if (field.otherwise || field.generate != Attribute::Generate::No || field.automatic != Attribute::Auto::No)
    return true;
  if (std::ranges::find(entity.lifecycles, field.name, &design::Lifecycle::attribute) !=
      entity.lifecycles.end())
    return true;
  if (field.value) return std::ranges::all_of(field.value->fields(), is_stored);
  return field.derive &&
         std::ranges::all_of(field.derive->paths(), [&](const std::vector<std::string>& path) {
           return path.size() == 1 && is_stored(path.front());
         });
}

std::optional<std::vector<std::string>> always_projected(const Design& design,
                                                         const design::Pattern& pattern) {
  const design::Index* const index = design.find_index(pattern.via.text);
  if (index == nullptr || index->projection.type == ProjectionType::All) return std::nullopt;
  if (!pattern.follow.empty() || pattern.row != nullptr) return std::nullopt;
  const Entity& entity = *design.find_entity(pattern.entity.text);
  const std::vector<std::string> keys = entity.key_fields();
  std::vector<std::string> names;
  for (const Attribute& field : entity.fields) {
    const auto& projected = index->projection.attributes;
    const bool in_index = std::ranges::find(keys, field.name) != keys.end() ||
                          std::ranges::find(projected, field.name) != projected.end() ||
                          field.name == index->hash.name ||
                          (index->range && field.name == index->range->name);
    if (in_index && is_always_stored(entity, field)) names.push_back(field.name);
  }
  for (const design::Lifecycle& lifecycle : entity.lifecycles) {
    if (lifecycle.attribute.empty() && lifecycle.index == index->name) names.push_back(lifecycle.name);
  }
  return names;
}

std::string said_about(const design::Notes& notes) {
  const auto sentence = [](std::string text) {
    if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!') text += '.';
    return text;
  };
  const std::string title = sentence(notes.title);
  const std::string doc = sentence(notes.doc);
  return title.empty() || doc.empty() ? title + doc : title + " " + doc;
}

std::vector<std::vector<std::string>> hidden_paths(const std::vector<Attribute>& fields) {
  std::vector<std::vector<std::string>> paths;
  for (const Attribute& field : fields) {
    if (field.sensitive) paths.push_back({field.name});
    if (field.sensitive) continue;
    for (std::vector<std::string>& inner : hidden_paths(field.of)) {
      inner.insert(inner.begin(), field.name);
      paths.push_back(std::move(inner));
    }
  }
  return paths;
}

}  // namespace tavola::workshop

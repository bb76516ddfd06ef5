#include "workshop/gen/gen_ts.h"

#include <algorithm>
#include <set>

#include "base/joined.h"
#include "design/items/entity_mark.h"
#include "design/model/dependencies.h"
#include "design/model/key_templates.h"
#include "design/model/vocabulary.h"
#include "design/requests/aggregate.h"
#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_ts_operations.h"
#include "workshop/gen/gen_ts_rules.h"
#include "workshop/gen/gen_ts_runtime.h"
#include "workshop/gen/gen_ts_types.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;
using design::Index;
using design::IndexEntry;
using design::KeySource;
using design::Parameter;
using design::Pattern;
using design::RangeCondition;

constexpr std::string_view kTsTop = R"(//
// Written by `tavola gen ts`: change the design, not this file. It needs @aws-sdk/client-dynamodb and @aws-sdk/lib-dynamodb.
//
//   const db = connect(new DynamoDBClient({}));               // direct requests to the table
//   const db = connect({ v1: "http://127.0.0.1:8000" });      // by name, to a server of Tavola
//
// Numbers are exact: an integer and a timestamp in milliseconds or seconds is a number and must be a safe integer; any other
// number is the SDK's NumberValue, made by NumberValue.from("29.99"). A timestamp of ISO 8601 is a string. What an index does
// not project is undefined. Operations are tried again when others were faster.
)";

std::string section(std::string_view name) { return "\n// ---- " + std::string(name) + " ----\n"; }

// ---- Entities ----

std::string interface_of(const Entity& entity) {
  std::string text =
      "\n" + ts_comment(said_about(entity.notes)) + "export interface " + ts_type_name(entity.name) + " {\n";
  for (Attribute field : entity.fields) {
    field.required = is_always_stored(entity, field);
    text += ts_field(field, "  ");
  }
  for (const design::Lifecycle& lifecycle : entity.lifecycles) {
    if (!lifecycle.attribute.empty()) continue;
    std::string states;
    for (const design::State& state : lifecycle.states)
      states += (states.empty() ? "" : " | ") + ts_literal(state.name);
    text += ts_comment(said_about(lifecycle.notes), "  ") + "  " + ts_property(lifecycle.name) + ": " +
            states + ";\n";
  }
  return text + "}\n";
}

std::string key_function(const Entity& entity) {
  const std::string name = ts_type_name(entity.name);
  std::string fields;
  for (const std::string& field : entity.key_fields())
    fields += (fields.empty() ? "" : " | ") + ts_literal(field);
  const std::string argument = fields.empty() ? "" : "it: Pick<" + name + ", " + fields + ">";
  return "export const " + camel_case(entity.name) + "Key = (" + argument + "): Fields => " +
         kind_name(entity) + ".key(" + (fields.empty() ? "{}" : "it") + ");\n";
}

class KindText {
 public:
  KindText(const Design& design, const Entity& entity) : design_(design), entity_(entity) {}

  std::string take() {
    const std::string name = ts_type_name(entity_.name);
    text_ = "\nconst " + kind_name(entity_) + ": Kind<" + name +
            "> = {\n  name: " + ts_literal(entity_.name) + ",\n  fields: {\n";
    for (Attribute field : entity_.fields) {
      field.required = is_always_there(entity_, field);
      text_ += "    " + ts_property(field.name) + ": " + ts_form(field, {.in_key = in_key(field)}) + ",\n";
    }
    text_ += "  },\n";
    write_keys();
    write_computed();
    write_entity_rules();
    write_states();
    write_indexes();
    write_rest();
    return std::move(text_) + "};\n";
  }

 private:
  std::string key(const design::Template& from, Type type) const {
    return ts_template(from, entity_.forms(), "it", type);
  }

  // Returns how the keys write a field that only they hold, if that differs from its type.
  std::string in_key(const Attribute& field) const {
    using Format = design::Placeholder::Format;
    if (field.stored) return {};
    const auto look = [&field](const design::Template& in) -> std::string {
      for (const design::Template::Part& part : in.parts()) {
        const auto* placeholder = std::get_if<design::Placeholder>(&part);
        if (placeholder == nullptr || placeholder->field != field.name) continue;
        if (placeholder->format == Format::Descending) return "desc";
        if (placeholder->format == Format::Iso) return "iso";
        if (placeholder->format == Format::Milliseconds) return "ms";
      }
      return {};
    };
    const std::string found = look(entity_.hash);
    return found.empty() && entity_.range ? look(*entity_.range) : found;
  }

  void write_keys() {
    const design::Table& table = design_.table;
    std::string keys = ts_property(table.hash.name) + ": " + key(entity_.hash, table.hash.type);
    std::string patterns = ts_property(table.hash.name) + ": " + ts_pattern(entity_.hash, entity_.forms());
    if (entity_.range && table.range) {
      keys += ", " + ts_property(table.range->name) + ": " + key(*entity_.range, table.range->type);
      patterns += ", " + ts_property(table.range->name) + ": " + ts_pattern(*entity_.range, entity_.forms());
    }
    std::string days;
    for (const std::string& field : entity_.key_fields()) {
      if (design::is_shown_as_day(entity_, field)) days += (days.empty() ? "" : ", ") + ts_literal(field);
    }
    if (!days.empty()) text_ += "  days: [" + days + "],\n";
    const bool literal = entity_.key_fields().empty();
    text_ += "  key: " + std::string(literal ? "()" : "(it)") + " => ({ " + keys + " }),\n  pattern: { " +
             patterns + " },\n";
  }

  void write_computed() {
    const TsScope scope{.entity = &entity_, .now = "db.now()"};
    std::string computed;
    std::string when;
    for (const Attribute& field : entity_.fields) {
      std::string rule;
      if (field.value) {
        const std::string there = all_there(field.value->fields());
        const std::string value = key(*field.value, design::stored_type(field.type).value_or(Type::String));
        rule = there;
        rule += there.empty() ? "" : " ? ";
        rule += value;
        rule += there.empty() ? "" : " : undefined";
      } else if (field.derive) {
        rule = ts_value_of(*field.derive, scope);
        // A computed time is in milliseconds.
        const bool in_seconds =
            field.type.kind == design::AttributeType::Kind::TimestampS && field.derive->gives_moment();
        if (in_seconds) rule.insert(0, "seconds(").append(")");
      }
      if (!rule.empty())
        computed += "    " + ts_property(field.name) + ": " + arguments_for(rule) + " => " + rule + ",\n";
      if (field.when)
        when += "    " + ts_property(field.name) + ": (it) => " + ts_condition(*field.when, scope) + ",\n";
    }
    if (!computed.empty()) text_ += "  computed: {\n" + computed + "  },\n";
    if (!when.empty()) text_ += "  when: {\n" + when + "  },\n";
  }

  void write_entity_rules() {
    if (entity_.rules.empty()) return;
    text_ += "  rules: [\n";
    for (const design::EntityRule& rule : entity_.rules) {
      std::string needed;  // the rule is checked if they all have values
      if (!rule.that.asks_exists()) {
        for (const auto& path : rule.that.paths())
          needed += (needed.empty() ? "" : ", ") + ts_literal(path.front());
      }
      const std::string message = rule.message.empty() ? rule.that.text() + " does not hold" : rule.message;
      text_ += "    { name: " + ts_literal(rule.name) + ", message: " + ts_literal(message) + ", needs: [" +
               needed + "], holds: (it) => " +
               ts_condition(rule.that, {.entity = &entity_, .now = "Date.now()"}) + " },\n";
    }
    text_ += "  ],\n";
  }

  // Returns only the arguments that a rule uses.
  static std::string arguments_for(const std::string& rule) {
    const bool uses_db = rule.find("db.") != std::string::npos || rule.find("(db,") != std::string::npos;
    const bool uses_it = rule.find("it.") != std::string::npos || rule.find("it[") != std::string::npos;
    if (uses_db) return uses_it ? "(it, db)" : "(_, db)";
    return uses_it ? "(it)" : "()";
  }

  // Returns the condition that the optional fields exist.
  std::string all_there(const std::vector<std::string>& fields) const {
    std::string text;
    for (const std::string& field : fields) {
      const Attribute* found = entity_.find_field(field);
      if (found != nullptr && is_always_there(entity_, *found)) continue;
      text += (text.empty() ? "" : " && ") + ("has(" + ts_member("it", field) + ")");
    }
    return text;
  }

  void write_states() {
    std::string initial;
    std::string states;
    for (const design::Lifecycle& lifecycle : entity_.lifecycles) {
      const bool in_key = lifecycle.attribute.empty();
      initial += (initial.empty() ? "" : ", ") + ts_property(in_key ? lifecycle.name : lifecycle.attribute) +
                 ": " + ts_literal(lifecycle.initial().name);
      if (!in_key) continue;
      std::string keys;
      for (const design::State& state : lifecycle.states) {
        if (!state.key) continue;
        keys += (keys.empty() ? "" : ", ") + ts_property(state.name) + ": " +
                ts_pattern(*state.key, entity_.forms());
      }
      const std::optional<design::KeyAttribute>& held_by = design_.find_index(lifecycle.index)->range;
      states += "    " + ts_property(lifecycle.name) +
                ": { attribute: " + ts_literal(held_by ? held_by->name : std::string()) + ", keys: { " +
                keys + " } },\n";
    }
    if (!initial.empty()) text_ += "  initial: { " + initial + " },\n";
    if (!states.empty()) text_ += "  states: {\n" + states + "  },\n";
  }

  // it.crawl === "NEVER" ? "NEVER#" : …
  std::string state_key(const design::Lifecycle& lifecycle) const {
    std::string text;
    for (const design::State& state : lifecycle.states) {
      if (!state.key) continue;
      text += ts_member("it", lifecycle.name) + " === " + ts_literal(state.name) + " ? " +
              key(*state.key, Type::String) + " : ";
    }
    return text + "undefined";
  }

  void write_indexes() {
    if (entity_.indexes.empty()) return;
    text_ += "  indexes: [\n";
    for (const IndexEntry& entry : entity_.indexes) write_index(*design_.find_index(entry.index), entry);
    text_ += "  ],\n";
  }

  void write_index(const Index& index, const IndexEntry& entry) {
    std::vector<std::string> needed =
        entry.hash.from ? entry.hash.from->fields() : std::vector<std::string>();
    std::string keys = ts_property(index.hash.name) + ": " +
                       (entry.hash.from ? key(*entry.hash.from, index.hash.type) : "undefined");
    std::string attributes = ts_literal(index.hash.name);
    std::string state;
    if (entry.range && index.range) {
      attributes += ", " + ts_literal(index.range->name);
      if (entry.range->from) {
        keys += ",\n          " + ts_property(index.range->name) + ": " +
                key(*entry.range->from, index.range->type);
        for (const std::string& field : entry.range->from->fields()) {
          if (std::ranges::find(needed, field) == needed.end()) needed.push_back(field);
        }
      } else {
        state = ts_property(index.range->name) + ": " +
                state_key(*entity_.find_lifecycle(entry.range->lifecycle));
      }
    }
    std::string condition = all_there(needed);
    if (entry.when) {
      condition += (condition.empty() ? "" : " && ") +
                   ts_condition(*entry.when, {.entity = &entity_, .now = "Date.now()"});
    }
    std::string body;
    if (condition.empty()) {
      body = "        " + keys + ",\n";
    } else {
      body = "        ...(" + condition + " && {\n          " + keys + ",\n        }),\n";
    }
    if (!state.empty()) body += "        " + state + ",\n";
    text_ += "    {\n      attributes: [" + attributes + "],\n      keys: " + arguments_for(body) +
             " => ({\n" + body + "      }),\n    },\n";
  }

  void write_rest() {
    if (const std::string& mark = design_.table.entity_attribute; !mark.empty()) {
      text_ += "  mark: { " + ts_property(mark) + ": " + ts_literal(design::entity_mark(design_, entity_)) +
               " },\n";
    }
    std::string unique;
    for (const Attribute& field : entity_.fields) {
      if (!field.unique) continue;
      std::string within;
      for (const std::string& name : field.unique->within)
        within += (within.empty() ? "" : ", ") + ts_literal(name);
      unique += (unique.empty() ? "{ field: " : ", { field: ") + ts_literal(field.name) + ", within: [" +
                within + "], otherwise: " + ts_literal(field.unique->otherwise) + " }";
    }
    if (!unique.empty()) text_ += "  unique: [" + unique + "],\n";
  }

  const Design& design_;
  const Entity& entity_;
  std::string text_;
};

// ---- Copies ----

std::string assignments(const std::vector<design::Assignment>& all, const TsScope& scope) {
  std::string text;
  for (const design::Assignment& one : all) {
    text += (text.empty() ? " " : ", ") + ts_property(one.field) + ": " + ts_value_of(one.value, scope);
  }
  return text.empty() ? "{}" : "{" + text + " }";
}

std::string copy_text(const Design& design, const Copy& copy) {
  const Entity& from = *design.find_entity(copy.from.text);
  const Entity& to = *design.find_entity(copy.to.text);
  TsScope scope{.entity = &from, .now = "Date.now()"};
  if (!copy.element.empty()) scope.locals.insert(copy.element);
  const std::string condition = copy.when ? ts_condition(*copy.when, scope) : std::string();
  std::string text =
      "  { name: " + ts_literal(copy.name) + ", from: " + kind_name(from) + ", to: " + kind_name(to);
  if (copy.kind == Copy::Kind::Counter) {
    std::string counted = copy.count.empty() ? "" : ts_literal(copy.count);
    std::string numbers = copy.count.empty() ? "" : " " + ts_property(copy.count) + ": 1";
    for (const design::Assignment& sum : copy.sum) {
      counted += (counted.empty() ? "" : ", ") + ts_literal(sum.field);
      numbers +=
          (numbers.empty() ? " " : ", ") + ts_property(sum.field) + ": " + ts_value_of(sum.value, scope);
    }
    for (const std::string& other : other_counters(design, copy))
      numbers += ", " + ts_property(other) + ": 0";
    if (copy.creates) text += ", creates: true";
    const std::string made = "{ key: " + assignments(copy.key, scope) + ", numbers: {" + numbers + " } }";
    return text + ",\n    counted: [" + counted + "],\n    counts: (it) => " +
           (condition.empty() ? "(" + made + ")" : condition + " ? " + made + " : undefined") + " },\n";
  }
  std::vector<design::Assignment> fields = copy.key;
  for (const design::Assignment& one : copy.carry) {
    const bool said = std::ranges::any_of(
        fields, [&](const design::Assignment& other) { return other.field == one.field; });
    if (!said) fields.push_back(one);
  }
  const std::string made = assignments(fields, scope);
  const std::string all = copy.kind == Copy::Kind::Mirror
                              ? "[" + made + "]"
                              : "elements(" + ts_member("it", copy.each) + ").map((" +
                                    ts_variable(copy.element) + ") => (" + made + "))";
  return text + ",\n    targets: (it) => " + (condition.empty() ? all : condition + " ? " + all + " : []") +
         " },\n";
}

std::string copies_text(const Design& design) {
  std::string text = "\nconst copies: Copy[] = [\n";
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Snapshot && copy.mode == Copy::Mode::Transaction)
      text += copy_text(design, copy);
  }
  return text + "];\n";
}

// ---- Consequences ----

class ConsequenceText {
 public:
  ConsequenceText(const Design& design, const design::Consequence& consequence)
      : design_(design), consequence_(consequence) {
    scope_.entity = design.find_entity(consequence.of.front().text);
    for (const std::string_view name : {design::kBeforeName, design::kAfterName, design::kChangeName})
      scope_.others.emplace(name);
    for (const design::ReadFirst& read : consequence.reads) scope_.others.insert(read.name);
  }

  std::string take() const {
    std::string kinds;
    std::string hidden;
    for (const design::Word& name : consequence_.of) {
      const Entity& entity = *design_.find_entity(name.text);
      kinds += (kinds.empty() ? "" : ", ") + kind_name(entity);
      const std::string paths = listed(hidden_paths(entity.fields), [](const auto& path) {
        return listed(path, [](const std::string& part) { return ts_literal(part); });
      });
      if (paths != "[]") hidden += (hidden.empty() ? " " : ", ") + ts_property(entity.name) + ": " + paths;
    }
    std::string text =
        "  {\n    name: " + ts_literal(consequence_.name) + ", of: [" + kinds + "], on: " + changes() +
        ", to: " + kind_name(*design_.find_entity(consequence_.entity.text)) + ",\n    deciding: " +
        listed(design::deciding_fields(consequence_),
               [](const std::string& name) { return ts_literal(name); }) +
        ", hidden: {" + hidden + (hidden.empty() ? "" : " ") +
        "}, readsFirst: " + (design::decides_by_reads(consequence_) ? "true" : "false") + ",\n";
    text += "    reads: {";
    for (const design::ReadFirst& read : consequence_.reads) {
      text += " " + ts_property(read.name) + ": { of: " + kind_name(*design_.find_entity(read.entity.text)) +
              ", key: " + object(read.key) + " },";
    }
    text += consequence_.reads.empty() ? "},\n" : " },\n";
    if (consequence_.when) {
      const std::string condition = ts_condition(*consequence_.when, scope_);
      text += "    when: " + function(condition, {*consequence_.when}) + ",\n";
    }
    std::vector<design::Assignment> parts;
    std::vector<design::Assignment> wholes;
    for (const design::Assignment& one : consequence_.set)
      (design::uses_whole_image(one.value) ? wholes : parts).push_back(one);
    return text + "    set: " + object(parts) + ",\n    setWhole: " + object(wholes) + ",\n  },\n";
  }

 private:
  template <class All, class ToText>
  static std::string listed(const All& all, const ToText& to_text) {
    return "[" + joined(all, to_text) + "]";
  }

  std::string changes() const {
    std::vector<std::string> words;
    if (consequence_.on_create) words.emplace_back("create");
    if (consequence_.on_update) words.emplace_back("update");
    if (consequence_.on_delete) words.emplace_back("delete");
    return listed(words, [](const std::string& word) { return ts_literal(word); });
  }

  std::string object(const std::vector<design::Assignment>& all) const {
    std::string text;
    std::vector<design::Rule> rules;
    const Entity* const made = design_.find_entity(consequence_.entity.text);
    for (const design::Assignment& one : all) {
      const Attribute* const field = made->find_field(one.field);
      const bool in_seconds = field != nullptr &&
                              field->type.kind == design::AttributeType::Kind::TimestampS &&
                              one.value.gives_moment();
      const std::string value = ts_value_of(one.value, scope_);
      text += (text.empty() ? " " : ", ") + ts_property(one.field) + ": " +
              (in_seconds ? "seconds(" + value + ")" : value);
      rules.push_back(one.value);
    }
    return function(text.empty() ? "({})" : "({" + text + " })", rules);
  }

  // Returns a function of the names that the text uses.
  std::string function(const std::string& text, const std::vector<design::Rule>& rules) const {
    std::set<std::string> names;
    for (const design::Rule& rule : rules) {
      for (const std::vector<std::string>& path : rule.paths())
        names.insert(scope_.others.contains(path.front()) ? ts_variable(path.front()) : "it");
    }
    if (text.contains("t.now")) names.insert("t");
    if (text.contains("db.")) names.insert("db");
    return names.empty() ? "() => " + text : "({ " + joined(names) + " }) => " + text;
  }

  const Design& design_;
  const design::Consequence& consequence_;
  TsScope scope_;
};

std::string consequences_text(const Design& design) {
  std::string text = "\nconst consequences: Consequence[] = [\n";
  for (const design::Consequence& consequence : design.consequences)
    text += ConsequenceText(design, consequence).take();
  return text + "];\n";
}

// ---- Patterns ----

class PatternText {
 public:
  PatternText(const Design& design, const Pattern& pattern) : design_(design), pattern_(pattern) {}

  std::string take() const {
    if (pattern_.form == Pattern::Form::Aggregate) return aggregate();
    const Entity* entity = answered_by(design_, pattern_);
    const std::string type = found_type(entity);
    const std::string notes = "\n" + ts_comment(said_about(pattern_.notes));
    const std::string arguments = ts_arguments(pattern_.parameters);
    const std::string given = arguments.empty() ? "" : ", " + given_name();
    const std::string name = ts_variable(pattern_.name);
    if (pattern_.form == Pattern::Form::Get) {
      return notes + "export async function " + name + "(db: Connection" + arguments + "): Promise<" + type +
             " | undefined> {\n" + get(*entity) + "}\n";
    }
    return notes + "export function " + name + "(db: Connection" + arguments + "): AsyncGenerator<" + type +
           "> {\n  return everyPage((page) => " + page_name() + "(db" + given + ", page));\n}\n\n" +
           "/** Returns a page of " + name + ". */\nexport async function " + page_name() +
           "(db: Connection" + arguments + ", page: PageRequest = {}): Promise<Page<" + type + ">> {\n" +
           (pattern_.form == Pattern::Form::Union ? union_page() : query_page(*entity)) + "}\n";
  }

 private:
  // A pattern on an index reads only the fields that the index projects.
  std::string found_type(const Entity* entity) const {
    if (entity == nullptr) return "unknown";
    const std::string type = ts_type_name(entity->name);
    const auto names = always_projected(design_, *design::parts_of(design_, pattern_).front());
    if (!names) return type;
    std::string fields;
    for (const std::string& name : *names) fields += (fields.empty() ? "" : " | ") + ts_literal(name);
    return "Partial<" + type + ">" + (fields.empty() ? "" : " & Pick<" + type + ", " + fields + ">");
  }

  std::string aggregate() const {
    const std::string row = ts_type_name(pattern_.row->name);
    const std::string forms = camel_case(pattern_.row->name) + "Forms";
    std::string text = "\nconst " + forms + ": Forms = {";
    for (const Attribute& field : pattern_.row->fields)
      text += " " + ts_property(field.name) + ": " + ts_form(field, {}) + ",";
    text += " };\n\n" + ts_comment(said_about(pattern_.notes)) + "export async function " +
            ts_variable(pattern_.name) + "(db: Connection" + ts_arguments(pattern_.parameters) +
            ", limit?: number): Promise<" + row + "[]> {\n";
    text += "  if (\"v1\" in db) return servedRows(db, " + ts_literal(pattern_.name) + ", " + forms + ", " +
            given_or_none() + ", limit);\n" + ts_accepting(pattern_.parameters, "db.now()");
    return text + "  return aggregated<" + row + ">(" + aggregated_items() + ", {\n" + measures() +
           "    row: " + forms + ",\n  }, limit);\n}\n";
  }

  // Everything that the aggregated pattern finds.
  std::string aggregated_items() const {
    const Pattern& over = *design_.find_pattern(pattern_.over.text);
    std::string given;
    for (const Parameter& one : over.parameters)
      given += (given.empty() ? "" : ", ") + ts_property(one.name) + ": " + ts_member("p", one.name);
    const std::string arguments = "(db" + (given.empty() ? "" : ", { " + given + " }");
    if (over.form == Pattern::Form::Get) return "atMostOne(" + ts_variable(over.name) + arguments + "))";
    return ts_variable(over.name) + arguments + ")";
  }

  std::string measures() const {
    const Entity* const entity =
        design::aggregated_entity(design_, *design_.find_pattern(pattern_.over.text));
    const TsScope scope{.entity = entity, .now = "db.now()"};
    const auto function = [&](const expr::Rule& rule) {
      return (rule.paths().empty() ? "() => " : "(it) => ") + ts_value_of(rule, scope);
    };
    std::string by;
    for (const design::Assignment& group : pattern_.by)
      by += (by.empty() ? " " : ", ") + ts_property(group.field) + ": " + function(group.value);
    std::string text = "    by: {" + by + (by.empty() ? "},\n" : " },\n") + "    compute: [\n";
    for (const design::Measure& measure : pattern_.measures) {
      text += "      { name: " + ts_literal(measure.name) +
              ", function: " + ts_literal(std::string(design::measure_name(measure.function)));
      if (measure.of) text += ", of: " + function(*measure.of);
      if (measure.per) text += ", per: " + function(*measure.per);
      if (measure.digits) text += ", digits: " + std::to_string(*measure.digits);
      text += " },\n";
    }
    text += "    ],\n";
    if (!pattern_.order_by.empty()) text += "    order: " + ts_literal(pattern_.order_by.text) + ",\n";
    if (pattern_.backwards) text += "    backwards: true,\n";
    if (pattern_.limit) text += "    limit: " + std::to_string(*pattern_.limit) + ",\n";
    return text;
  }

  // The name of the pattern's parameters.
  std::string given_name() const { return ts_accepting(pattern_.parameters, "").empty() ? "p" : "given"; }
  std::string given_or_none() const { return pattern_.parameters.empty() ? "{}" : given_name(); }
  std::string page_name() const { return ts_variable(pattern_.name) + "Page"; }

  std::string get(const Entity& entity) const {
    const std::string kind = kind_name(entity);
    const std::string found = "decode(" + kind + ", await getItem(db, " + kind + ".key(" +
                              (pattern_.parameters.empty() ? "{}" : "p") + "), " +
                              (pattern_.consistent ? "true" : "false") + "))";
    std::string text = "  if (\"v1\" in db) return servedGet(db, " + ts_literal(pattern_.name) + ", " + kind +
                       ", " + given_or_none() + ");\n" + ts_accepting(pattern_.parameters, "db.now()");
    if (!pattern_.filter) return text + "  return " + found + ";\n";
    return text + "  const it = " + found + ";\n  return it !== undefined && (" +
           ts_condition(*pattern_.filter, {.entity = &entity, .now = "db.now()"}) + ") ? it : undefined;\n";
  }

  std::string query_page(const Entity& found) const {
    const std::string kind = kind_name(found);
    const Entity& entity = *design_.find_entity(pattern_.entity.text);
    std::string direct = "queryPage(db, " + kind_name(entity) + ", " + request(entity) + ", page)";
    if (!pattern_.follow.empty()) direct = followed("await " + direct, entity, found);
    return "  if (\"v1\" in db) return servedPage(db, " + ts_literal(pattern_.name) + ", " + kind + ", " +
           given_or_none() + ", page);\n" + ts_accepting(pattern_.parameters, "db.now()") + "  return " +
           direct + ";\n";
  }

  // followed(db, …, kindSite, (it) => ({ site: it.site }))
  std::string followed(const std::string& page, const Entity& from, const Entity& target) const {
    std::string key;
    for (const auto& [field, source] : followed_key(pattern_, from, target))
      key += (key.empty() ? "" : ", ") + ts_property(field) + ": " + ts_member("it", source);
    const std::string hidden = mark_of_deleted(design_, target);
    return "followed(db, " + page + ", { kind: " + kind_name(target) + ", reference: (it) => " +
           ts_member("it", pattern_.follow.text) + ", key: (it) => ({ " + key +
           " }), consistent: " + (pattern_.consistent ? "true" : "false") +
           ", hidden: " + (hidden.empty() ? "undefined" : ts_literal(hidden)) + " })";
  }

  std::string union_page() const {
    std::string parts;
    for (const design::Word& part : pattern_.parts) {
      const std::vector<Parameter>& needed = design_.find_pattern(part.text)->parameters;
      std::string given;
      for (const Parameter& one : needed)
        given +=
            (given.empty() ? " " : ", ") + ts_property(one.name) + ": " + ts_member(given_name(), one.name);
      if (needed.size() == pattern_.parameters.size())
        given = given_name();
      else if (!given.empty())
        given = "{" + given + " }";
      parts += "    (page) => " + ts_variable(part.text) + "Page(db" + (needed.empty() ? "" : ", " + given) +
               ", page),\n";
    }
    return "  return unionPage([\n" + parts + "  ], page);\n";
  }

  std::string rendered(const design::Template& of, Type type) const {
    const auto forms = [this](std::string_view name) -> design::FieldForm {
      const auto found = std::ranges::find(pattern_.parameters, name, &Parameter::name);
      if (found == pattern_.parameters.end()) return {};
      return {found->form.type, found->form.raw};
    };
    return ts_template(of, forms, "p", type);
  }

  std::string request(const Entity& entity) const {
    const Index* index = design_.find_index(pattern_.via.text);
    std::string text = "{\n";
    std::string names;
    std::string values;
    const auto add = [](std::string& to, const std::string& name, const std::string& value) {
      to += (to.empty() ? " " : ", ") + ts_literal(name) + ": " + value;
    };
    if (index != nullptr) text += "    IndexName: " + ts_literal(index->name) + ",\n";
    if (pattern_.form == Pattern::Form::Query && pattern_.hash) {
      const design::KeyAttribute& hash = index != nullptr ? index->hash : design_.table.hash;
      const auto& range = index != nullptr ? index->range : design_.table.range;
      add(names, "#hash", ts_literal(hash.name));
      add(values, ":hash", rendered(*pattern_.hash, hash.type));
      std::string condition = "#hash = :hash";
      if (pattern_.range && range) {
        add(names, "#range", ts_literal(range->name));
        condition += " AND " + range_condition(*pattern_.range, range->type, values);
      }
      text += "    KeyConditionExpression: " + ts_literal(condition) + ",\n";
    }
    if (pattern_.filter) {
      const TsFilter filter = ts_filter(*pattern_.filter, {.entity = &entity, .now = "db.now()"});
      text += "    FilterExpression: " + ts_literal(filter.text) + ",\n";
      for (const std::string& name : filter.names) add(names, "#" + ts_identifier(name), ts_literal(name));
      for (const auto& [name, value] : filter.values) add(values, name, value);
    }
    if (!names.empty()) text += "    ExpressionAttributeNames: {" + names + " },\n";
    if (!values.empty()) text += "    ExpressionAttributeValues: {" + values + " },\n";
    if (pattern_.backwards) text += "    ScanIndexForward: false,\n";
    if (pattern_.consistent) text += "    ConsistentRead: true,\n";
    if (pattern_.limit) text += "    Limit: " + std::to_string(*pattern_.limit) + ",\n";
    return text + "  }";
  }

  std::string range_condition(const RangeCondition& range, Type type, std::string& values) const {
    using Operator = RangeCondition::Operator;
    values += ", \":from\": " + rendered(range.first, type);
    switch (range.op) {
      case Operator::BeginsWith:
        return "begins_with(#range, :from)";
      case Operator::Less:
        return "#range < :from";
      case Operator::LessEqual:
        return "#range <= :from";
      case Operator::Greater:
        return "#range > :from";
      case Operator::GreaterEqual:
        return "#range >= :from";
      case Operator::Equal:
        return "#range = :from";
      case Operator::Between:
      case Operator::Through:
        break;
    }
    // No text with the same beginning sorts after the greatest character.
    const bool through = range.op == Operator::Through && type == Type::String;
    values += ", \":to\": " + rendered(range.second ? *range.second : range.first, type) +
              (through ? " + \"\\u{10FFFF}\"" : "");
    return "#range BETWEEN :from AND :to";
  }

  const Design& design_;
  const Pattern& pattern_;
};

std::string table_name(const design::Table& table) {
  const std::string name = ts_literal(table.name);
  return table.name_env.empty() ? name : "process.env[" + ts_literal(table.name_env) + "] ?? " + name;
}

}  // namespace

std::string gen_ts(const Design& design) {
  std::string body = section("Entities");
  for (const Entity& entity : design.entities) body += interface_of(entity);
  for (const Entity* row : rows_of(design)) body += interface_of(*row);
  body += "\n";
  for (const Entity& entity : design.entities) body += key_function(entity);
  body += section("Patterns");
  for (const Pattern& pattern : design.patterns) {
    if (design::is_served(pattern)) body += PatternText(design, pattern).take();
  }
  body += section("Operations");
  for (const design::Operation& operation : design.operations) body += ts_operation(design, operation);
  body += section("Entities as items, and their dependent writes");
  for (const Entity& entity : design.entities) body += KindText(design, entity).take();

  const std::string said = said_about(design.notes);
  const std::string top =
      "// " + design.name + (said.empty() ? "" : ": " + said) + "\n" + std::string(kTsTop);
  const std::string names =
      "const designName = " + ts_literal(design.name) + ";\nconst tableName = " + table_name(design.table) +
      ";\nconst hashKey = " + ts_literal(design.table.hash.name) +
      ";\nconst rangeKey = " + ts_literal(design.table.range ? design.table.range->name : "") +
      " as string;\n";
  return ts_module(
      {.top = top, .names = names, .body = body, .copies = copies_text(design) + consequences_text(design)});
}

}  // namespace tavola::workshop

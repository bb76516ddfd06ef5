#include "workshop/gen/design_json.h"

#include <algorithm>
#include <functional>

#include "design/items/entity_mark.h"
#include "design/model/dependencies.h"
#include "design/model/vocabulary.h"
#include "design/requests/aggregate.h"
#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "design/requests/step_plan.h"
#include "workshop/gen/field_json.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/rule_tree.h"

namespace tavola::workshop {
namespace {

using design::Assignment;
using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;
using design::Pattern;
using design::Step;
using json::Writer;

// ---- Entities ----

class EntityJson {
 public:
  EntityJson(const Design& design, const Entity& entity, std::string& out)
      : design_(design), entity_(entity), scope_{.entity = &entity}, json_(out) {}

  void write() {
    json_.begin_object();
    write_entity_fields();
    write_template(json_.name("hash"), entity_.hash, entity_.forms());
    if (entity_.range) write_template(json_.name("range"), *entity_.range, entity_.forms());
    write_computed();
    write_entity_rules();
    write_states();
    write_indexes();
    write_rest();
    json_.end_object();
  }

 private:
  void write_entity_fields() {
    json_.name("fields").begin_object();
    for (Attribute field : entity_.fields) {
      field.required = is_always_there(entity_, field);
      json_.name(field.name).begin_object();
      write_form(json_, field);
      if (!field.stored) json_.name("stored").boolean(false);
      if (const std::string_view form = in_key(field); !form.empty()) json_.name("in_key").text(form);
      if (field.generate != Attribute::Generate::No)
        json_.name("generate").text(field.generate == Attribute::Generate::Uuid ? "uuid" : "ulid");
      if (field.automatic != Attribute::Auto::No) {
        json_.name("auto").text(field.automatic == Attribute::Auto::Create   ? "create"
                                : field.automatic == Attribute::Auto::Update ? "update"
                                                                             : "transition");
      }
      json_.end_object();
    }
    json_.end_object();
  }

  // Returns how the keys write a field that only they hold, if that differs from its type.
  std::string_view in_key(const Attribute& field) const {
    using Format = design::Placeholder::Format;
    if (field.stored) return {};
    for (const design::Template* in : {&entity_.hash, entity_.range ? &*entity_.range : nullptr}) {
      if (in == nullptr) continue;
      for (const design::Template::Part& part : in->parts()) {
        const auto* const placeholder = std::get_if<design::Placeholder>(&part);
        if (placeholder == nullptr || placeholder->field != field.name) continue;
        if (placeholder->format == Format::Descending) return "desc";
        if (placeholder->format == Format::Iso) return "iso";
        if (placeholder->format == Format::Milliseconds) return "ms";
      }
    }
    return {};
  }

  void write_computed() {
    json_.name("computed").begin_object();
    for (const Attribute& field : entity_.fields) {
      if (!field.value && !field.derive) continue;
      json_.name(field.name).begin_object();
      if (field.value) {
        write_template(json_.name("template"), *field.value, entity_.forms());
        json_.name("type").text(type_letter(design::stored_type(field.type).value_or(Type::String)));
      } else {
        write_value(
            json_.name("rule"),
            {.rule = *field.derive, .in_seconds = counts_seconds(&field) && field.derive->gives_moment()},
            scope_);
      }
      json_.end_object();
    }
    json_.end_object();
    json_.name("when").begin_object();
    for (const Attribute& field : entity_.fields) {
      if (field.when) write_condition(json_.name(field.name), *field.when, scope_);
    }
    json_.end_object();
  }

  void write_entity_rules() {
    if (entity_.rules.empty()) return;
    json_.name("rules").begin_list();
    for (const design::EntityRule& rule : entity_.rules) {
      json_.begin_object();
      json_.name("name").text(rule.name);
      json_.name("message").text(rule.message.empty() ? rule.that.text() + " does not hold" : rule.message);
      write_condition(json_.name("that"), rule.that, scope_);
      std::vector<std::string> needed;  // the rule is checked if they all have values
      if (!rule.that.asks_exists()) {
        for (const auto& path : rule.that.paths()) needed.push_back(path.front());
      }
      write_texts(json_, "needs", needed);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_states() {
    json_.name("initial").begin_object();
    for (const design::Lifecycle& lifecycle : entity_.lifecycles)
      json_.name(lifecycle.field()).text(lifecycle.initial().name);
    json_.end_object();
    json_.name("states").begin_object();
    for (const design::Lifecycle& lifecycle : entity_.lifecycles) {
      if (!lifecycle.attribute.empty()) continue;
      const auto& held_by = design_.find_index(lifecycle.index)->range;
      json_.name(lifecycle.name).begin_object();
      json_.name("attribute").text(held_by ? held_by->name : std::string());
      json_.name("keys").begin_object();
      for (const design::State& state : lifecycle.states) {
        if (state.key) write_template(json_.name(state.name), *state.key, entity_.forms());
      }
      json_.end_object();
      json_.end_object();
    }
    json_.end_object();
  }

  void write_key(const design::KeyAttribute& attribute, const design::Template& from) {
    json_.begin_list();
    json_.text(attribute.name);
    json_.text(type_letter(attribute.type));
    write_template(json_, from, entity_.forms());
    json_.end_list();
  }

  void write_indexes() {
    json_.name("indexes").begin_list();
    for (const design::IndexEntry& entry : entity_.indexes) {
      const design::Index& index = *design_.find_index(entry.index);
      const bool has_range = entry.range && index.range;
      json_.begin_object();
      std::vector<std::string> attributes{index.hash.name};
      if (has_range) attributes.push_back(index.range->name);
      write_texts(json_, "attributes", attributes);
      json_.name("keys").begin_list();
      if (entry.hash.from) write_key(index.hash, *entry.hash.from);
      if (has_range && entry.range->from) write_key(*index.range, *entry.range->from);
      json_.end_list();
      if (has_range && !entry.range->from)
        write_texts(json_, "state", {index.range->name, entry.range->lifecycle});
      if (entry.when) write_condition(json_.name("when"), *entry.when, scope_);
      json_.end_object();
    }
    json_.end_list();
  }

  void write_rest() {
    json_.name("mark").begin_object();
    if (const std::string& mark = design_.table.entity_attribute; !mark.empty())
      json_.name(mark).text(design::entity_mark(design_, entity_));
    json_.end_object();
    json_.name("unique").begin_list();
    for (const Attribute& field : entity_.fields) {
      if (!field.unique) continue;
      json_.begin_object();
      json_.name("field").text(field.name);
      write_texts(json_, "within", field.unique->within);
      json_.name("otherwise").text(field.unique->otherwise);
      json_.end_object();
    }
    json_.end_list();
  }

  const Design& design_;
  const Entity& entity_;
  TreeScope scope_;
  Writer json_;
};

// ---- Copies ----

void write_copy(Writer json, const Design& design, const Copy& copy) {
  TreeScope scope{.entity = design.find_entity(copy.from.text)};
  if (!copy.element.empty()) scope.names.insert(copy.element);
  json.begin_object();
  json.name("name").text(copy.name);
  json.name("from").text(copy.from.text);
  json.name("to").text(copy.to.text);
  if (copy.when) write_condition(json.name("when"), *copy.when, scope);
  std::vector<Assignment> fields = copy.key;
  if (copy.kind == Copy::Kind::Counter) {
    json.name("numbers").begin_object();
    if (!copy.count.empty()) json.name(copy.count).raw() += R"(["value",1])";
    for (const Assignment& sum : copy.sum) write_value(json.name(sum.field), {sum.value}, scope);
    for (const std::string& other : other_counters(design, copy)) json.name(other).raw() += R"(["value",0])";
    json.end_object();
    if (copy.creates) json.name("creates").boolean(true);
  } else {
    for (const Assignment& one : copy.carry) {
      if (std::ranges::find(fields, one.field, &Assignment::field) == fields.end()) fields.push_back(one);
    }
  }
  write_assignments(json.name("fields"), fields, scope);
  if (copy.kind == Copy::Kind::Fanout) {
    json.name("each").text(copy.each);
    json.name("element").text(copy.element);
  }
  json.end_object();
}

// ---- Consequences ----

class ConsequenceJson {
 public:
  ConsequenceJson(const Design& design, const design::Consequence& consequence, std::string& out)
      : design_(design), consequence_(consequence), json_(out) {
    scope_.entity = design.find_entity(consequence.of.front().text);
    for (const std::string_view name : {design::kBeforeName, design::kAfterName, design::kChangeName})
      scope_.names.emplace(name);
    for (const design::ReadFirst& read : consequence.reads) scope_.names.insert(read.name);
  }

  void write() {
    json_.begin_object();
    json_.name("name").text(consequence_.name);
    json_.name("of").begin_list();
    for (const design::Word& name : consequence_.of) json_.text(name.text);
    json_.end_list();
    json_.name("on").begin_list();
    if (consequence_.on_create) json_.text("create");
    if (consequence_.on_update) json_.text("update");
    if (consequence_.on_delete) json_.text("delete");
    json_.end_list();
    json_.name("to").text(consequence_.entity.text);
    json_.name("deciding").begin_list();
    for (const std::string& name : design::deciding_fields(consequence_)) json_.text(name);
    json_.end_list();
    write_hidden();
    json_.name("reads_first").boolean(design::decides_by_reads(consequence_));
    write_reads();
    if (consequence_.when) write_condition(json_.name("when"), *consequence_.when, scope_);
    write_set();
    json_.end_object();
  }

 private:
  void write_hidden() {
    json_.name("hidden").begin_object();
    for (const design::Word& name : consequence_.of) {
      json_.name(name.text).begin_list();
      for (const std::vector<std::string>& path : hidden_paths(design_.find_entity(name.text)->fields)) {
        json_.begin_list();
        for (const std::string& part : path) json_.text(part);
        json_.end_list();
      }
      json_.end_list();
    }
    json_.end_object();
  }

  void write_reads() {
    json_.name("reads").begin_list();
    for (const design::ReadFirst& read : consequence_.reads) {
      json_.begin_object();
      json_.name("name").text(read.name);
      json_.name("entity").text(read.entity.text);
      write_assignments(json_.name("key"), read.key, scope_);
      json_.end_object();
    }
    json_.end_list();
  }

  // Writes [field, value, whether it sees whole images].
  void write_set() {
    const Entity& made = *design_.find_entity(consequence_.entity.text);
    json_.name("set").begin_list();
    for (const Assignment& one : consequence_.set) {
      json_.begin_list();
      json_.text(one.field);
      const bool in_seconds = counts_seconds(made.find_field(one.field)) && one.value.gives_moment();
      write_value(json_, {.rule = one.value, .in_seconds = in_seconds}, scope_);
      json_.boolean(design::uses_whole_image(one.value));
      json_.end_list();
    }
    json_.end_list();
  }

  const Design& design_;
  const design::Consequence& consequence_;
  TreeScope scope_;
  Writer json_;
};

// ---- Patterns ----

std::string_view operator_text(design::RangeCondition::Operator op) {
  using Operator = design::RangeCondition::Operator;
  switch (op) {
    case Operator::BeginsWith:
      return "begins_with";
    case Operator::Less:
      return "<";
    case Operator::LessEqual:
      return "<=";
    case Operator::Greater:
      return ">";
    case Operator::GreaterEqual:
      return ">=";
    case Operator::Equal:
      return "=";
    case Operator::Between:
      return "between";
    case Operator::Through:
      break;
  }
  return "through";
}

void write_query(Writer& json, const Design& design, const Pattern& pattern) {
  const design::Index* const index = design.find_index(pattern.via.text);
  const design::KeyAttribute& hash = index != nullptr ? index->hash : design.table.hash;
  const auto& range = index != nullptr ? index->range : design.table.range;
  json.name("hash").begin_list();
  json.text(hash.name);
  json.text(type_letter(hash.type));
  write_template(json, *pattern.hash, pattern.forms());
  json.end_list();
  if (!pattern.range || !range) return;
  json.name("range").begin_object();
  json.name("name").text(range->name);
  json.name("type").text(type_letter(range->type));
  json.name("op").text(operator_text(pattern.range->op));
  write_template(json.name("first"), pattern.range->first, pattern.forms());
  if (pattern.range->second) write_template(json.name("second"), *pattern.range->second, pattern.forms());
  json.end_object();
}

// {"entity": "Site", "key": {"site": "site"}}: the item that a reference names, and which field each field of its key is.
void write_follow(Writer& json, const Design& design, const Pattern& pattern, const Entity& from) {
  const Entity& target = *design::found_by(design, pattern);
  json.name("follow").begin_object();
  json.name("entity").text(target.name);
  json.name("field").text(pattern.follow.text);
  json.name("key").begin_object();
  for (const auto& [field, source] : followed_key(pattern, from, target)) json.name(field).text(source);
  json.end_object();
  if (const std::string hidden = mark_of_deleted(design, target); !hidden.empty())
    json.name("hidden").text(hidden);
  json.end_object();
}

void write_aggregate(Writer& json, const Design& design, const Pattern& pattern) {
  const Entity* const entity = design::aggregated_entity(design, *design.find_pattern(pattern.over.text));
  json.name("over").text(pattern.over.text);
  write_assignments(json.name("by"), pattern.by, {.entity = entity});
  json.name("compute").begin_list();
  for (const design::Measure& measure : pattern.measures) {
    json.begin_object();
    json.name("name").text(measure.name);
    json.name("function").text(design::measure_name(measure.function));
    if (measure.of) write_value(json.name("of"), {*measure.of}, {.entity = entity});
    if (measure.per) write_value(json.name("per"), {*measure.per}, {.entity = entity});
    if (measure.digits) json.name("digits").integer(*measure.digits);
    json.end_object();
  }
  json.end_list();
  if (!pattern.order_by.empty()) json.name("order").text(pattern.order_by.text);
  json.name("row").begin_object();
  for (const Attribute& field : pattern.row->fields) {
    json.name(field.name).begin_object();
    write_form(json, field);
    json.end_object();
  }
  json.end_object();
}

void write_pattern(Writer json, const Design& design, const Pattern& pattern) {
  json.begin_object();
  write_parameters(json, pattern.parameters);
  if (pattern.form == Pattern::Form::Union) {
    json.name("parts").begin_list();
    for (const design::Word& part : pattern.parts) json.text(part.text);
    json.end_list();
    return json.end_object();
  }
  if (pattern.form == Pattern::Form::Aggregate) {
    write_aggregate(json, design, pattern);
    if (pattern.backwards) json.name("backwards").boolean(true);
    if (pattern.limit) json.name("limit").integer(*pattern.limit);
    return json.end_object();
  }
  const Entity* const entity = design.find_entity(pattern.entity.text);
  json.name("entity").text(pattern.entity.text);
  if (pattern.form == Pattern::Form::Get) json.name("get").boolean(true);
  if (design.find_index(pattern.via.text) != nullptr) json.name("index").text(pattern.via.text);
  if (pattern.form == Pattern::Form::Query && pattern.hash) write_query(json, design, pattern);
  if (pattern.filter) write_condition(json.name("filter"), *pattern.filter, {.entity = entity});
  if (!pattern.follow.empty() && entity != nullptr) write_follow(json, design, pattern, *entity);
  if (pattern.backwards) json.name("backwards").boolean(true);
  if (pattern.consistent) json.name("consistent").boolean(true);
  if (pattern.limit) json.name("limit").integer(*pattern.limit);
  json.end_object();
}

// ---- Operations ----

class OperationJson {
 public:
  OperationJson(const Design& design, const design::Operation& operation, std::string& out)
      : design_(design), operation_(operation), json_(out) {
    for (const design::ReadFirst& read : operation.reads) scope_.names.insert(read.name);
    for (const Step& step : operation.steps) {
      if (!step.as.empty()) scope_.names.insert(step.as);
      if (!step.element.empty()) scope_.names.insert(step.element);
    }
  }

  void write() {
    json_.begin_object();
    write_parameters(json_, operation_.parameters);
    if (!operation_.idempotent_by.empty()) json_.name("once").text(operation_.idempotent_by);
    if (!operation_.idempotent_within.empty()) {
      json_.name("within").begin_list();
      for (const design::Word& scope : operation_.idempotent_within) json_.text(scope.text);
      json_.end_list();
    }
    if (const Entity* const returned = returned_by(design_, operation_)) {
      json_.name("returns").text(operation_.returns);
      json_.name("entity").text(returned->name);
    }
    json_.name("reads").begin_list();
    for (const design::ReadFirst& read : operation_.reads) {
      json_.begin_object();
      json_.name("name").text(read.name);
      json_.name("entity").text(read.entity.text);
      write_assignments(json_.name("key"), read.key, scope_);
      json_.name("required").boolean(read.required);
      json_.end_object();
    }
    json_.end_list();
    json_.name("steps").begin_list();
    for (const Step& step : operation_.steps) write_step(step);
    json_.end_list();
    json_.end_object();
  }

 private:
  void write_step(const Step& step) {
    scope_.entity = nullptr;
    json_.begin_object();
    json_.name("kind").text(kind_text(step.kind));
    json_.name("occasion").text(step.kind == Step::Kind::Transition ? "transition" : "update");
    json_.name("entity").text(step.entity.text);
    if (!step.as.empty()) json_.name("as").text(step.as);
    if (!step.each.empty()) {
      json_.name("each").text(step.each.text);
      json_.name("element").text(step.element);
      if (step.implied) write_assignments(json_.name("given"), step.given, scope_);
    }
    if (step.when) write_condition(json_.name("when"), *step.when, scope_);
    write_assignments(json_.name("key"), step.key, scope_);
    scope_.entity = design_.find_entity(step.entity.text);
    write_requirements(step);
    write_changes(step);
    const bool is_usual = step.kind != Step::Kind::Put && step.exists == true;
    if (step.exists && !is_usual) json_.name("exists").boolean(*step.exists);
    if (!step.exists && !step.element.empty()) json_.name("exists").boolean(false);
    if (step.returns_existing) write_if_exists(*scope_.entity);
    if (!step.otherwise.empty()) json_.name("otherwise").text(step.otherwise);
    json_.end_object();
  }

  // Writes how the existing item is recognized as the one that the step would put.
  void write_if_exists(const Entity& entity) {
    json_.name("if_exists").begin_object();
    json_.name("same").begin_list();
    for (const std::string& name : design::distinguishing_fields(design_, entity)) json_.text(name);
    json_.end_list();
    const std::string deleted = deleted_by(design_, entity);
    if (!deleted.empty()) json_.name("deleted").text(deleted);
    json_.end_object();
  }

  static std::string_view kind_text(Step::Kind kind) {
    switch (kind) {
      case Step::Kind::Put:
        return "put";
      case Step::Kind::Delete:
        return "delete";
      case Step::Kind::Check:
        return "check";
      default:
        return "update";
    }
  }

  struct Moved {
    const design::Lifecycle* lifecycle;
    const design::Transition* transition;
  };
  Moved moved_by(const Step& step) const {
    for (const design::Lifecycle& lifecycle : scope_.entity->lifecycles) {
      for (const design::Transition& transition : lifecycle.transitions) {
        if (transition.name == step.transition.text) return {&lifecycle, &transition};
      }
    }
    return {};
  }

  // Writes [condition, refusal, reason] for each.
  void write_requirements(const Step& step) {
    json_.name("require").begin_list();
    if (step.kind == Step::Kind::Transition) {
      const auto& [lifecycle, transition] = moved_by(step);
      std::string names;
      json_.begin_list();
      json_.begin_list();
      json_.text("in");
      json_.begin_list();
      json_.text("it");
      json_.text(lifecycle->field());
      json_.end_list();
      for (const design::Word& from : transition->from) {
        names += (names.empty() ? "" : " or ") + from.text;
        json_.begin_list();
        json_.text("value");
        json_.text(from.text);
        json_.end_list();
      }
      json_.end_list();
      json_.text(step.otherwise.empty() ? "WRONG_STATE" : step.otherwise);
      json_.text(lifecycle->name + ": " + transition->name + " is possible from " + names);
      json_.end_list();
    }
    if (step.kind == Step::Kind::Transition) write_needs(step, *moved_by(step).transition);
    for (const design::Requirement& requirement : step.require) {
      const std::string& name = requirement.otherwise.empty() ? step.otherwise : requirement.otherwise;
      json_.begin_list();
      write_condition(json_, requirement.that, scope_);
      json_.text(name.empty() ? "REFUSED" : name);
      json_.text(requirement.that.text() + " does not hold");
      json_.end_list();
    }
    json_.end_list();
  }

  // Writes the requirements of the fields that a transition needs: assigned by it or the step, or stored.
  void write_needs(const Step& step, const design::Transition& transition) {
    for (const design::Word& needed : transition.require) {
      json_.begin_list();
      for (const std::string_view function : {"attribute_exists", "first"}) {
        json_.begin_list();
        json_.text("call");
        json_.text(function);
      }
      for (const std::vector<Assignment>* all : {&step.set, &transition.set}) {
        const auto found = std::ranges::find(*all, needed.text, &Assignment::field);
        if (found == all->end()) continue;
        write_value(json_, {found->value}, scope_);
        break;
      }
      json_.begin_list();
      json_.text("it");
      json_.text(needed.text);
      json_.end_list();
      json_.end_list();
      json_.end_list();
      json_.text(step.otherwise.empty() ? "REFUSED" : step.otherwise);
      json_.text(transition.name + " needs " + needed.text);
      json_.end_list();
    }
  }

  // Writes [field, value]: snapshots and the assignments of the transition, then those of the step, which win.
  void write_changes(const Step& step) {
    json_.name("set").begin_list();
    if (step.kind == Step::Kind::Transition) {
      const auto& [lifecycle, transition] = moved_by(step);
      json_.begin_list();
      json_.text(lifecycle->field());
      json_.begin_list();
      json_.text("value");
      json_.text(transition->to.text);
      json_.end_list();
      json_.end_list();
      for (const Assignment& one : transition->set) write_change(one, scope_);
    }
    if (step.kind == Step::Kind::Put) write_snapshots(step);
    for (const Assignment& one : step.set) write_change(one, scope_);
    json_.end_list();
    json_.name("remove").begin_list();
    for (const design::Word& word : step.remove) json_.text(word.text);
    json_.end_list();
  }

  void write_change(const Assignment& one, const TreeScope& scope) {
    json_.begin_list();
    json_.text(one.field);
    const bool in_seconds = counts_seconds(scope_.entity->find_field(one.field)) && one.value.gives_moment();
    write_value(json_, {.rule = one.value, .in_seconds = in_seconds}, scope);
    json_.end_list();
  }

  // Writes the values that a snapshot takes from an item that was read: `product.name`.
  void write_snapshots(const Step& step) {
    for (const Copy& copy : design_.copies) {
      if (copy.kind != Copy::Kind::Snapshot || copy.to.text != step.entity.text) continue;
      for (const design::ReadFirst& read : operation_.reads) {
        if (read.entity.text != copy.from.text) continue;
        const TreeScope scope{.entity = design_.find_entity(copy.from.text), .entity_is = read.name};
        for (const Assignment& one : copy.carry) write_change(one, scope);
      }
    }
  }

  const Design& design_;
  const design::Operation& operation_;
  TreeScope scope_;
  Writer json_;
};

// ---- The whole ----

// Writes one member or element for each of all, on a line of its own, between two brackets.
template <class All, class Write>
void write_lines(std::string& out, const All& all, std::string_view brackets, const Write& write) {
  out += brackets.front();
  std::string_view before = "\n";
  for (const auto& one : all) {
    const std::string line = write(one);
    if (line.empty()) continue;
    out.append(before).append(line);
    before = ",\n";
  }
  out.append("\n") += brackets.back();
}

std::string member(std::string_view name, const std::function<void(std::string&)>& write) {
  std::string text;
  json::append_text(text, name);
  text += ": ";
  write(text);
  return text;
}

std::string table_json(const Design& design) {
  std::string out;
  Writer json(out);
  json.begin_object();
  json.name("name").text(design.table.name);
  if (!design.table.name_env.empty()) json.name("name_env").text(design.table.name_env);
  json.name("keys").begin_list();
  const auto key = [&json](const design::KeyAttribute& attribute, std::string_view of) {
    json.begin_object();
    json.name("name").text(attribute.name);
    json.name("type").text(type_letter(attribute.type));
    json.name("of").text(of);
    json.end_object();
  };
  key(design.table.hash, "hash");
  if (design.table.range) key(*design.table.range, "range");
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace

std::string design_json(const Design& design) {
  std::string out = "{\"name\": ";
  json::append_text(out, design.name);
  out += ",\n\"table\": " + table_json(design) + ",\n\"entities\": ";
  write_lines(out, design.entities, "{}", [&](const Entity& entity) {
    return member(entity.name, [&](std::string& text) { EntityJson(design, entity, text).write(); });
  });
  out += ",\n\"copies\": ";
  write_lines(out, design.copies, "[]", [&](const Copy& copy) {
    std::string text;
    if (copy.kind != Copy::Kind::Snapshot && copy.mode == Copy::Mode::Transaction)
      write_copy(Writer(text), design, copy);
    return text;
  });
  out += ",\n\"consequences\": ";
  write_lines(out, design.consequences, "[]", [&](const design::Consequence& consequence) {
    std::string text;
    ConsequenceJson(design, consequence, text).write();
    return text;
  });
  out += ",\n\"patterns\": ";
  write_lines(out, design.patterns, "{}", [&](const Pattern& pattern) {
    return design::is_served(pattern)
               ? member(pattern.name,
                        [&](std::string& text) { write_pattern(Writer(text), design, pattern); })
               : std::string();
  });
  out += ",\n\"operations\": ";
  write_lines(out, design.operations, "{}", [&](const design::Operation& operation) {
    return member(operation.name, [&](std::string& text) { OperationJson(design, operation, text).write(); });
  });
  return out + "}\n";
}

}  // namespace tavola::workshop

#include "server/console/design_json.h"

#include <algorithm>

#include "design/load.h"
#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "json/writer.h"
#include "workshop/docs/docs.h"
#include "workshop/gen/gen_names.h"

namespace tavola::server {
namespace {

using design::Design;
using design::Entity;
using design::Lifecycle;
using design::Parameter;
using design::Pattern;

void write_notes(json::Writer& json, const design::Notes& notes) {
  json.name("title").text(notes.title);
  json.name("doc").text(notes.doc);
}

void write_texts(json::Writer& json, const std::vector<std::string>& texts) {
  json.begin_list();
  for (const std::string& text : texts) json.text(text);
  json.end_list();
}

void write_parameters(json::Writer& json, const std::vector<Parameter>& parameters) {
  json.name("parameters").begin_list();
  for (const Parameter& one : parameters) {
    json.begin_object();
    json.name("name").text(one.name);
    json.name("type").text(design::type_text(one.form.type));
    json.name("required").boolean(one.required && !one.otherwise);
    if (!one.form.notes.doc.empty()) json.name("doc").text(one.form.notes.doc);
    if (!one.form.values.empty()) write_texts(json.name("values"), one.form.values);
    if (one.otherwise) json.name("default").text(one.otherwise->text());
    json.end_object();
  }
  json.end_list();
}

std::string_view kind_of(const Pattern& pattern) {
  if (!design::is_served(pattern)) return "none";
  switch (pattern.form) {
    case Pattern::Form::Get:
      return "get";
    case Pattern::Form::Query:
      return "query";
    case Pattern::Form::Scan:
      return "scan";
    case Pattern::Form::Union:
      return "union";
    case Pattern::Form::Aggregate:
      return "aggregate";
    case Pattern::Form::None:
    case Pattern::Form::Transition:
      break;
  }
  return "none";
}

void write_pattern(json::Writer& json, const Design& design, const Pattern& pattern) {
  json.begin_object();
  json.name("name").text(pattern.name);
  write_notes(json, pattern.notes);
  json.name("kind").text(kind_of(pattern));
  json.name("index").text(pattern.via.text == "table" ? "" : pattern.via.text);
  const bool is_request = pattern.form == Pattern::Form::Get || pattern.form == Pattern::Form::Query ||
                          pattern.form == Pattern::Form::Scan;
  if (is_request) json.name("entity").text(design::found_by(design, pattern)->name);
  json.name("planned").boolean(pattern.planned);
  write_parameters(json, pattern.parameters);
  json.end_object();
}

void write_operation(json::Writer& json, const Design& design, const design::Operation& operation) {
  json.begin_object();
  json.name("name").text(operation.name);
  write_notes(json, operation.notes);
  write_parameters(json, operation.parameters);
  write_texts(json.name("refusals"), workshop::refusals_of(design, operation));
  json.end_object();
}

void write_state(json::Writer& json, const Lifecycle& lifecycle, const design::State& state) {
  json.begin_object();
  json.name("name").text(state.name);
  write_notes(json, state.notes);
  json.name("initial").boolean(&state == &lifecycle.initial());
  json.name("terminal").boolean(state.terminal);
  json.name("stuckAfter");
  if (state.stuck_after) {
    json.integer(state.stuck_after->count());
  } else {
    json.raw() += "null";
  }
  json.end_object();
}

void write_lifecycle(json::Writer& json, const Lifecycle& lifecycle) {
  json.begin_object();
  json.name("name").text(lifecycle.name);
  json.name("states").begin_list();
  for (const design::State& state : lifecycle.states) write_state(json, lifecycle, state);
  json.end_list();
  json.name("transitions").begin_list();
  for (const design::Transition& transition : lifecycle.transitions) {
    json.begin_object();
    json.name("name").text(transition.name);
    write_notes(json, transition.notes);
    json.name("from").begin_list();
    for (const design::Word& from : transition.from) json.text(from.text);
    json.end_list();
    json.name("to").text(transition.to.text);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

// The keys of states differ: the template is shown as the state that it follows.
std::string source_text(const design::KeySource& source) {
  return source.from ? source.from->text() : "<" + source.lifecycle + ">";
}

void write_keys(json::Writer& json, const Design& design, const Entity& entity) {
  json.name("key").begin_object();
  json.name(design.table.hash.name).text(entity.hash.text());
  if (design.table.range && entity.range) json.name(design.table.range->name).text(entity.range->text());
  json.end_object();
  json.name("indexes").begin_object();
  for (const design::IndexEntry& entry : entity.indexes) {
    json.name(entry.index).begin_object();
    json.name("hash").text(source_text(entry.hash));
    if (entry.range) json.name("range").text(source_text(*entry.range));
    json.end_object();
  }
  json.end_object();
}

void write_entity(json::Writer& json, const Design& design, const Entity& entity) {
  json.begin_object();
  json.name("name").text(entity.name);
  write_notes(json, entity.notes);
  write_keys(json, design, entity);
  json.name("fields").begin_list();
  for (const design::Attribute& field : entity.fields) {
    json.begin_object();
    json.name("name").text(field.name);
    json.name("type").text(design::type_text(field.type));
    json.name("doc").text(field.notes.doc);
    json.name("required").boolean(field.required);
    json.name("sensitive").boolean(field.sensitive);
    json.name("derived").boolean(field.is_computed());
    json.end_object();
  }
  json.end_list();
  json.name("lifecycles").begin_list();
  for (const Lifecycle& lifecycle : entity.lifecycles) write_lifecycle(json, lifecycle);
  json.end_list();
  json.end_object();
}

}  // namespace

std::string to_json(const ShownDesign& shown) {
  const Design& design = shown.design;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("name").text(design.name);
  json.name("table").text(design.table.name);
  write_notes(json, design.notes);
  json.name("file").text(design.file);
  json.name("text").text(design.text);
  json.name("docs").text(workshop::docs(design));
  if (!shown.cases.empty()) json.name("cases").text(shown.cases);
  json.name("entities").begin_list();
  for (const Entity& entity : design.entities) write_entity(json, design, entity);
  json.end_list();
  json.name("patterns").begin_list();
  for (const Pattern& pattern : design.patterns) write_pattern(json, design, pattern);
  json.end_list();
  json.name("operations").begin_list();
  for (const design::Operation& operation : design.operations) write_operation(json, design, operation);
  json.end_list();
  json.name("lints").raw() += design::to_json(design::load(design.text, design.file).diagnostics);
  json.name("governance").raw() += shown.governance;
  json.end_object();
  return out;
}

}  // namespace tavola::server

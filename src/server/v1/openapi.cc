#include "server/v1/openapi.h"

#include <algorithm>

#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "design/roles/access.h"
#include "json/writer.h"
#include "server/v1/field_schema.h"
#include "server/v1/problem.h"
#include "workshop/gen/gen_names.h"

namespace tavola::server {
namespace {

using design::Design;
using design::Entity;
using design::Operation;
using design::Pattern;
using Kind = design::AttributeType::Kind;

std::string schema_name(const Design& design, std::string_view entity) {
  return design.name + "." + std::string(entity);
}

void write_reference(json::Writer& json, std::string_view kind, std::string_view name) {
  json.begin_object();
  json.name("$ref").text("#/components/" + std::string(kind) + "/" + std::string(name));
  json.end_object();
}

// Begins the content of a body; the caller writes the schema and ends two objects.
void begin_content(json::Writer& json, std::string_view type) {
  json.name("content").begin_object();
  json.name(type).begin_object();
}
void end_content(json::Writer& json) {
  json.end_object();
  json.end_object();
}

void write_summary(json::Writer& json, const Design& design, std::string_view name,
                   const design::Notes& notes) {
  json.name("operationId").text(schema_name(design, name));
  json.name("tags").begin_list();
  json.text(design.name);
  json.end_list();
  if (!notes.title.empty()) json.name("summary").text(notes.title);
  if (!notes.doc.empty()) json.name("description").text(notes.doc);
}

// Describes the security of a design with roles: the permitted callers, and the responses to others.
void write_security(json::Writer& json, const Design& design, std::string_view name) {
  if (design.roles.empty()) return;
  json.name("security").begin_list();
  if (design::may_run(design, {}, name, {})) {  // possible without a token, too
    json.begin_object();
    json.end_object();
  }
  json.begin_object();
  json.name("token").begin_list();
  json.end_list();
  json.end_object();
  json.end_list();
}

void write_refused_people(json::Writer& json, const Design& design) {
  if (design.roles.empty()) return;
  json.name("401");
  write_reference(json, "responses", "Unauthorized");
  json.name("403");
  write_reference(json, "responses", "Forbidden");
}

// Describes all other responses: a missing signature, a full disk, ….
void write_default(json::Writer& json) {
  json.name("default");
  write_reference(json, "responses", "Problem");
}

// ---- Patterns ----

// Returns the fields of an entity, and the states that keys hold.
std::vector<design::Attribute> fields_in_responses(const Entity& entity) {
  std::vector<design::Attribute> fields = entity.fields;
  for (const design::Lifecycle& lifecycle : entity.lifecycles) {
    if (!lifecycle.attribute.empty()) continue;
    design::Attribute& state = fields.emplace_back();
    state.name = lifecycle.name;
    state.notes = lifecycle.notes;
    for (const design::State& one : lifecycle.states) state.values.push_back(one.name);
  }
  return fields;
}

bool is_whole(const Design& design, const Pattern& pattern) {
  const design::Index* index = design.find_index(pattern.via.text);
  return index == nullptr || !pattern.follow.empty() || pattern.row != nullptr ||
         index->projection.type == ProjectionType::All;
}

// Writes the entity that a pattern other than a union returns.
void write_entity(json::Writer& json, const Design& design, const Pattern& pattern) {
  const Entity* entity = design::found_by(design, pattern);
  if (entity == nullptr || is_whole(design, pattern)) {
    return write_reference(json, "schemas",
                           schema_name(design, entity == nullptr ? pattern.entity.text : entity->name));
  }
  json.begin_object();
  json.name("description").text("The part of " + entity->name + " in the index " + pattern.via.text);
  write_object_schema(json, fields_in_responses(*entity), Whole::No);
  json.end_object();
}

void write_page(json::Writer& json, const Design& design, const Pattern& pattern) {
  json.begin_object();
  json.name("type").text("object");
  json.name("properties").begin_object();
  json.name("items").begin_object();
  json.name("type").text("array");
  json.name("items").begin_object();
  json.name("anyOf").begin_list();
  if (pattern.form == Pattern::Form::Aggregate) {
    write_entity(json, design, pattern);
  } else {
    for (const Pattern* part : design::parts_of(design, pattern)) write_entity(json, design, *part);
  }
  json.end_list();
  json.end_object();
  json.end_object();
  json.name("next").begin_object();
  json.name("type").begin_list();
  json.text("string");
  json.text("null");
  json.end_list();
  json.name("description").text("The parameter `page` of the next page; null at the end");
  json.end_object();
  if (pattern.form == Pattern::Form::Aggregate) {
    json.name("itemsRead").begin_object();
    json.name("type").text("integer");
    json.name("description").text("The items that the rows were computed from");
    json.end_object();
  }
  if (!pattern.follow.empty()) {
    json.name("missing").begin_object();
    json.name("type").text("integer");
    json.name("description")
        .text("References of this page whose item does not exist; left out if there is none");
    json.end_object();
  }
  json.end_object();
  json.name("required").begin_list();
  json.text("items");
  json.text("next");
  json.end_list();
  json.end_object();
}

// A day may stand for a time in some parameters.
void write_parameter_schema(json::Writer& json, const design::Parameter& parameter) {
  if (!parameter.may_be_day) return write_schema(json, parameter.form);
  design::Attribute day = parameter.form;
  day.type.kind = Kind::Date;
  json.begin_object();
  json.name("anyOf").begin_list();
  write_schema(json, parameter.form);
  write_schema(json, day);
  json.end_list();
  json.end_object();
}

void write_parameter(json::Writer& json, const design::Parameter& parameter) {
  json.begin_object();
  json.name("name").text(parameter.name);
  json.name("in").text("query");
  json.name("required").boolean(parameter.required && !parameter.otherwise);
  if (!parameter.form.notes.doc.empty()) json.name("description").text(parameter.form.notes.doc);
  // A query string holds texts: lists and maps are written as JSON.
  const bool is_json = !parameter.form.type.element.empty() || parameter.form.type.kind == Kind::Map;
  if (is_json) begin_content(json, "application/json");
  json.name("schema");
  write_parameter_schema(json, parameter);
  if (is_json) end_content(json);
  json.end_object();
}

void write_pattern(json::Writer& json, const Design& design, const Pattern& pattern) {
  const bool is_get = pattern.form == Pattern::Form::Get;
  const bool is_aggregate = pattern.form == Pattern::Form::Aggregate;
  json.name("/v1/" + design.name + "/" + pattern.name).begin_object();
  json.name("get").begin_object();
  write_summary(json, design, pattern.name, pattern.notes);
  write_security(json, design, pattern.name);
  json.name("parameters").begin_list();
  for (const design::Parameter& parameter : pattern.parameters) write_parameter(json, parameter);
  if (!is_get) {
    write_reference(json, "parameters", is_aggregate ? "rows" : "limit");
    if (!is_aggregate) write_reference(json, "parameters", "page");
  }
  json.end_list();
  json.name("responses").begin_object();
  json.name("200").begin_object();
  json.name("description").text(is_get ? "The entity" : is_aggregate ? "The rows" : "One page");
  begin_content(json, "application/json");
  json.name("schema");
  if (is_get) {
    write_entity(json, design, pattern);
  } else {
    write_page(json, design, pattern);
  }
  end_content(json);
  json.end_object();
  json.name("400");
  write_reference(json, "responses", "BadParameter");
  write_refused_people(json, design);
  if (is_get) {
    json.name("404");
    write_reference(json, "responses", "NotFound");
  }
  write_default(json);
  json.end_object();
  json.end_object();
  json.end_object();
}

// ---- Operations ----

void write_body(json::Writer& json, const Operation& operation) {
  std::vector<design::Attribute> fields;
  for (const design::Parameter& parameter : operation.parameters) {
    design::Attribute& field = fields.emplace_back(parameter.form);
    field.name = parameter.name;
    field.required = parameter.required && !parameter.otherwise;
  }
  json.name("requestBody").begin_object();
  json.name("required").boolean(true);
  begin_content(json, "application/json");
  json.name("schema").begin_object();
  write_object_schema(json, fields, Whole::Yes);
  json.name("additionalProperties").boolean(false);
  json.end_object();
  end_content(json);
  json.end_object();
}

void write_refusals(json::Writer& json, int status, const std::vector<std::string>& names) {
  json.name(std::to_string(status)).begin_object();
  json.name("description").text("Refused without any change; `refusal` is the reason");
  begin_content(json, kProblemType);
  json.name("schema");
  write_reference(json, "schemas", "Problem");
  json.name("examples").begin_object();
  for (const std::string& name : names) {
    json.name(name).begin_object();
    json.name("value").raw() += to_json(refused(name, status));
    json.end_object();
  }
  json.end_object();
  end_content(json);
  json.end_object();
}

// Writes the answer of an operation whose deletions others follow (`on_delete`).
void write_unfinished(json::Writer& json, const Design& design, const Operation& operation) {
  const bool follow = std::ranges::any_of(operation.steps, [](const design::Step& step) {
    return step.implied && step.kind != design::Step::Kind::Check;
  });
  if (!follow) return;
  json.name("202").begin_object();
  json.name("description")
      .text(
          "Done, except for items that follow what was deleted and are too many for one transaction: they "
          "are "
          "deleted or changed in the background. /admin/designs/" +
          design.name + " shows whether that is done");
  json.end_object();
}

// Writes the head of the answer of an operation that happened; the header distinguishes one that had happened before.
void write_done(json::Writer& json, const Operation& operation) {
  const bool finds = std::ranges::any_of(operation.steps, &design::Step::returns_existing);
  json.name("description").text(finds ? "Done, or the item existed and is returned as it is" : "Done");
  if (!finds && operation.idempotent_by.empty()) return;
  json.name("headers").raw() +=
      R"({"Idempotency-Replayed":{"description":"true if this request changed nothing","schema":{"type":"string","enum":["true"]}}})";
}

void write_operation(json::Writer& json, const Design& design, const Operation& operation) {
  json.name("/v1/" + design.name + "/" + operation.name).begin_object();
  json.name("post").begin_object();
  write_summary(json, design, operation.name, operation.notes);
  write_security(json, design, operation.name);
  write_body(json, operation);
  json.name("responses").begin_object();
  if (const Entity* entity = workshop::returned_by(design, operation)) {
    json.name("200").begin_object();
    write_done(json, operation);
    begin_content(json, "application/json");
    json.name("schema");
    write_reference(json, "schemas", schema_name(design, entity->name));
    end_content(json);
    json.end_object();
  } else {
    json.name("204").begin_object();
    write_done(json, operation);
    json.end_object();
  }
  write_unfinished(json, design, operation);
  json.name("400");
  write_reference(json, "responses", "BadParameter");
  write_refused_people(json, design);
  for (const int status : {404, 409, 422}) {
    const auto names = workshop::refusals_of(design, operation, status);
    if (!names.empty()) write_refusals(json, status, names);
  }
  json.name("503");
  write_reference(json, "responses", "Busy");
  write_default(json);
  json.end_object();
  json.end_object();
  json.end_object();
}

// ---- The document ----

// The components that every design refers to.
constexpr std::string_view kParameters =
    R"({"limit":{"name":"limit","in":"query","description":"At most so many items are looked at for this page","schema":{"type":"integer","minimum":1}},)"
    R"("rows":{"name":"limit","in":"query","description":"At most so many rows are returned","schema":{"type":"integer","minimum":1}},)"
    R"("page":{"name":"page","in":"query","description":"`next` of the page before","schema":{"type":"string"}}})";
constexpr std::string_view kSecuritySchemes =
    R"({"token":{"type":"http","scheme":"bearer","bearerFormat":"JWT","description":"Tells who asks: `sub`, and `groups` or `cognito:groups`"}})";
constexpr std::string_view kProblemSchema =
    R"({"type":"object","description":"RFC 9457","properties":{"type":{"type":"string"},"title":{"type":"string"},)"
    R"("status":{"type":"integer"},"detail":{"type":"string"},"refusal":{"type":"string"},"parameter":{"type":"string"}},)"
    R"("required":["type","title","status"]})";

void write_problem_response(json::Writer& json, std::string_view name, std::string_view description) {
  json.name(name).begin_object();
  json.name("description").text(description);
  begin_content(json, kProblemType);
  json.name("schema");
  write_reference(json, "schemas", "Problem");
  end_content(json);
  json.end_object();
}

void write_components(json::Writer& json, std::span<const Design> designs) {
  json.name("components").begin_object();
  json.name("parameters").raw() += kParameters;
  json.name("responses").begin_object();
  write_problem_response(json, "BadParameter",
                         "A parameter is missing, unknown or wrong; `parameter` names it");
  write_problem_response(json, "NotFound", "There is no such entity");
  write_problem_response(json, "Unauthorized", "The token is missing or wrong; `detail` is the reason");
  write_problem_response(json, "Forbidden", "The role does not allow it; `detail` names the role that does");
  write_problem_response(json, "Problem", "Any other problem; `detail` describes it");
  write_problem_response(json, "Busy", "Too many concurrent writes to the same items; try again");
  json.end_object();
  if (std::ranges::any_of(designs, [](const Design& design) { return !design.roles.empty(); })) {
    json.name("securitySchemes").raw() += kSecuritySchemes;
  }
  json.name("schemas").begin_object();
  json.name("Problem").raw() += kProblemSchema;
  for (const Design& design : designs) {
    for (const Entity& entity : design.entities) {
      json.name(schema_name(design, entity.name)).begin_object();
      if (!entity.notes.doc.empty()) json.name("description").text(entity.notes.doc);
      write_object_schema(json, fields_in_responses(entity), Whole::Yes);
      json.end_object();
    }
    for (const Entity* row : workshop::rows_of(design)) {
      json.name(schema_name(design, row->name)).begin_object();
      json.name("description").text(row->notes.doc);
      write_object_schema(json, row->fields, Whole::Yes);
      json.end_object();
    }
  }
  json.end_object();
  json.end_object();
}

}  // namespace

std::string openapi(std::span<const Design> designs) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("openapi").text("3.1.0");
  json.name("info").begin_object();
  json.name("title").text("Designs");
  json.name("version").text("1");
  json.end_object();
  json.name("tags").begin_list();
  for (const Design& design : designs) {
    json.begin_object();
    json.name("name").text(design.name);
    if (!design.notes.title.empty()) json.name("description").text(design.notes.title);
    json.end_object();
  }
  json.end_list();
  json.name("paths").begin_object();
  for (const Design& design : designs) {
    for (const Pattern& pattern : design.patterns) {
      if (design::is_served(pattern)) write_pattern(json, design, pattern);
    }
    for (const Operation& operation : design.operations) write_operation(json, design, operation);
  }
  json.end_object();
  write_components(json, designs);
  json.end_object();
  return out + "\n";
}

}  // namespace tavola::server

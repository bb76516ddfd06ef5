#include "workshop/gen/gen_ts_v1.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "design/requests/pattern_request.h"
#include "design/requests/served_patterns.h"
#include "workshop/gen/gen_names.h"
#include "workshop/gen/gen_ts_rules.h"
#include "workshop/gen/gen_ts_runtime.h"
#include "workshop/gen/gen_ts_types.h"

namespace tavola::workshop {

extern const char* const kV1Ts;  // a file of runtime/, made by CMakeLists.txt

namespace {

using design::Attribute;
using design::AttributeType;
using design::Design;
using design::Entity;
using design::Parameter;
using design::Pattern;

constexpr std::string_view kV1Top = R"(//
// Written by `tavola gen ts --v1`: change the design, not this file. It imports nothing, and needs fetch alone.
//
//   const server = {};                                                       // the server that the page came from
//   const server = { url: "http://127.0.0.1:8000", headers: () => ({ Authorization: `Bearer ${token}` }) };
//
// Numbers are exact: each is a Decimal. Sets are lists, and binary values are texts in base64, as in the server's JSON.

)";

// A number that is read is a Decimal; one that is sent may be a bigint, or a number that is a safe integer.
enum class Direction : std::uint8_t { Read, Sent };

std::string v1_object(const std::vector<Attribute>& fields, Direction direction);

std::string v1_list_of(const std::string& element) {
  return element.find(' ') == std::string::npos ? element + "[]" : "Array<" + element + ">";
}

std::string v1_type(const Attribute& field, const AttributeType& type, Direction direction) {
  using enum AttributeType::Kind;
  switch (type.kind) {
    case Integer:
    case Number:
    case TimestampMs:
    case TimestampS:
      return direction == Direction::Read ? "Decimal" : "Numeric";
    case Boolean:
      return "boolean";
    case Binary:
      return "string";
    case List:
    case Set:
      return v1_list_of(v1_type(field, type.element.front(), direction));
    case Map:
      return field.of.empty() ? "Record<string, unknown>" : v1_object(field.of, direction);
    case Any:
      return "unknown";
    default:
      break;
  }
  std::string text;
  for (const std::string& value : field.values) text += (text.empty() ? "" : " | ") + ts_literal(value);
  return text.empty() ? "string" : text;
}

std::string v1_member(const Attribute& field, Direction direction) {
  // Null removes a field where an update takes it.
  const bool may_be_null = direction == Direction::Sent && !field.required;
  return ts_property(field.name) + (field.required ? ": " : "?: ") + v1_type(field, field.type, direction) +
         (field.required ? ""
          : may_be_null  ? " | null | undefined"
                         : " | undefined");
}

std::string v1_object(const std::vector<Attribute>& fields, Direction direction) {
  std::string text;
  for (const Attribute& one : fields) text += (text.empty() ? "" : "; ") + v1_member(one, direction);
  return "{ " + text + " }";
}

std::string v1_parameters(const std::vector<Parameter>& parameters) {
  std::vector<Attribute> fields;
  for (const Parameter& one : parameters) fields.push_back(field_of(one));
  return v1_object(fields, Direction::Sent);
}

class V1Module {
 public:
  explicit V1Module(const Design& design) : design_(design), runtime_(kV1Ts) {
    runtime_.erase(0,
                   runtime_.find("// ----"));  // the import of the design's name, which this module declares
  }

  std::string take() {
    const std::string said = said_about(design_.notes);
    out_ = "// " + design_.name + (said.empty() ? "" : ": " + said) + "\n" + std::string(kV1Top) +
           "const designName = " + ts_literal(design_.name) + ";\n\n// ---- Entities ----\n";
    for (const Entity& entity : design_.entities) write_entity(entity);
    for (const Entity* row : rows_of(design_)) write_entity(*row);
    out_ += "\n// ---- Patterns ----\n";
    for (const Pattern& pattern : design_.patterns) {
      if (design::is_served(pattern)) write_pattern(pattern);
    }
    out_ += "\n// ---- Operations ----\n";
    for (const design::Operation& operation : design_.operations) write_operation(operation);
    return std::move(out_) + "\n" + runtime_;
  }

 private:
  // A name of the runtime is not one of an entity.
  std::string type_name(const Entity& entity) const {
    const std::string name = pascal_case(entity.name);
    const bool is_taken = is_runtime_name(name) || name == "Decimal" || name == "Numeric" ||
                          name == "Service" || name == "Unanswered" || name == "Request" ||
                          name == "Response";
    return is_taken ? name + "Entity" : name;
  }

  std::string function_name(std::string_view name) const {
    const std::string variable = ts_variable(name);
    const bool is_taken = runtime_.contains("function " + variable + "(") ||
                          runtime_.contains("function " + variable + "<") ||
                          runtime_.contains("function* " + variable + "<");
    return is_taken ? variable + "_" : variable;
  }

  void write_entity(const Entity& entity) {
    out_ += "\n" + ts_comment(said_about(entity.notes)) + "export interface " + type_name(entity) + " {\n";
    for (Attribute field : entity.fields) {
      field.required = is_always_stored(entity, field);
      out_ += ts_comment(said_about(field.notes), "  ") + "  " + v1_member(field, Direction::Read) + ";\n";
    }
    for (const design::Lifecycle& lifecycle : entity.lifecycles) {
      if (!lifecycle.attribute.empty()) continue;
      std::string states;
      for (const design::State& state : lifecycle.states)
        states += (states.empty() ? "" : " | ") + ts_literal(state.name);
      out_ += "  " + ts_property(lifecycle.name) + ": " + states + ";\n";
    }
    out_ += "}\n";
  }

  // Returns the type of the entities that a pattern finds: one on an index reads only what the index projects.
  std::string found_type(const Pattern& pattern) const {
    if (const Entity* entity = answered_by(design_, pattern)) {
      const std::string type = type_name(*entity);
      const auto names = always_projected(design_, *design::parts_of(design_, pattern).front());
      if (!names) return type;
      std::string fields;
      for (const std::string& name : *names) fields += (fields.empty() ? "" : " | ") + ts_literal(name);
      return "Partial<" + type + ">" + (fields.empty() ? "" : " & Pick<" + type + ", " + fields + ">");
    }
    std::set<std::string> types;
    for (const Pattern* part : design::parts_of(design_, pattern)) types.insert(found_type(*part));
    std::string text;
    for (const std::string& type : types) text += (text.empty() ? "" : " | ") + type;
    return text;
  }

  void write_pattern(const Pattern& pattern) {
    const std::string name = function_name(pattern.name);
    const std::string what = ts_literal(pattern.name);
    const bool bare = pattern.parameters.empty();
    const std::string arguments =
        "(to: Service" + (bare ? std::string() : ", p: " + v1_parameters(pattern.parameters));
    const std::string given = bare ? "{}" : "p";
    out_ += "\n" + ts_comment(said_about(pattern.notes)) + "export function " + name + arguments;
    if (pattern.form == Pattern::Form::Aggregate) {
      const std::string row = type_name(*pattern.row);
      out_ += ", limit?: number): Promise<" + row + "[]> {\n  return askRows(to, " + what + ", " + given +
              ", limit);\n}\n";
      return;
    }
    const std::string type = found_type(pattern);
    if (pattern.form == Pattern::Form::Get) {
      out_ +=
          "): Promise<" + type + " | undefined> {\n  return askEntity(to, " + what + ", " + given + ");\n}\n";
      return;
    }
    out_ += "): AsyncGenerator<" + type + "> {\n  return everyPage((page) => " + name + "Page(to" +
            (bare ? "" : ", p") + ", page));\n}\n\n/** Returns a page of " + name + ". */\nexport function " +
            name + "Page" + arguments + ", page: PageRequest = {}): Promise<Page<" + type +
            ">> {\n  return askPage(to, " + what + ", " + given + ", page);\n}\n";
  }

  void write_operation(const design::Operation& operation) {
    const std::string name = pascal_case(operation.name);
    const bool is_taken = design_.find_entity(name) != nullptr;
    const std::string parameters = name + (is_taken ? "Parameters" : "");
    const bool bare = operation.parameters.empty();
    if (!bare) {
      out_ += "\nexport interface " + parameters + " {\n";
      for (const Parameter& one : operation.parameters) {
        const Attribute field = field_of(one);
        out_ += ts_comment(said_about(field.notes), "  ") + "  " + v1_member(field, Direction::Sent) + ";\n";
      }
      out_ += "}\n";
    }
    std::string refusals;
    for (const std::string& refusal : refusals_of(design_, operation))
      refusals += (refusals.empty() ? "" : " | ") + ts_literal(refusal);
    const Entity* const returned = returned_by(design_, operation);
    out_ += "\nexport type " + name + "Refusal = " + (refusals.empty() ? "never" : refusals) + ";\n" +
            ts_comment(said_about(operation.notes)) + "export function " + function_name(operation.name) +
            "(to: Service" + (bare ? "" : ", p: " + parameters) + "): Promise<" +
            (returned == nullptr ? "void" : type_name(*returned)) + "> {\n  return performOperation(to, " +
            ts_literal(operation.name) + ", " + (bare ? "{}" : "p") + ");\n}\n";
  }

  const Design& design_;
  std::string runtime_;
  std::string out_;
};

}  // namespace

std::string gen_ts_v1(const Design& design) { return V1Module(design).take(); }

}  // namespace tavola::workshop

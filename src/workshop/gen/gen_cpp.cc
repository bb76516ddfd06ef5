#include "workshop/gen/gen_cpp.h"

#include <set>

#include "design/requests/served_patterns.h"
#include "workshop/gen/gen_cpp_types.h"
#include "workshop/gen/gen_names.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::Design;
using design::Entity;
using design::Operation;
using design::Parameter;
using design::Pattern;
using design::Placeholder;
using design::Template;

// Compilers need not accept longer literals.
constexpr std::size_t kLiteralMax = 12'000;

constexpr std::string_view kCppTop =
    R"(//
// Written by `tavola gen cpp`: change the design, not this file.
//
// Types: an integer and a timestamp in milliseconds or seconds is a std::int64_t, any other number a tavola::Number, which is
// exact; a timestamp of ISO 8601 is the std::string that is stored, "2024-01-31T12:00:00Z". What need not be there is a
// std::optional. What an index does not project is left empty. Names are those of the design, with '_' behind a word of C++.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/detail/typed_design.h>
)";

// Returns the names of the structs of entities and rows.
std::vector<std::string> struct_names(const Design& design) {
  std::vector<std::string> names;
  for (const Entity& entity : design.entities) names.push_back(pascal_case(entity.name));
  for (const Entity* row : rows_of(design)) names.push_back(pascal_case(row->name));
  return names;
}

CppTypes::Struct struct_of_row(const Entity& row) {
  return {.name = pascal_case(row.name), .doc = said_about(row.notes), .fields = row.fields, .more = {}};
}

class Header {
 public:
  Header(const Design& design, std::string_view text) : design_(design), design_text_(text) {
    space_ = snake_case(design.name) == "tavola" ? "tavola_design" : snake_case(design.name);
    taken_.insert(space_);
    for (std::string& name : struct_names(design)) taken_.insert(std::move(name));
    class_ = free_name(pascal_case(design.name), "Design");
  }

  std::string write() {
    const std::string title = said_about(design_.notes);
    out_ = cpp_comment(design_.name + (title.empty() ? "" : ": " + title)) + std::string(kCppTop);
    out_ += "\nnamespace " + space_ +
            " {\n\nusing tavola::from_text;\nusing tavola::refusal;\nusing tavola::to_text;\n";
    if (!design_.entities.empty()) section("Entities");
    for (const Entity& entity : design_.entities) write_entity(entity);
    if (!rows_of(design_).empty()) section("Rows of aggregates");
    for (const Entity* row : rows_of(design_)) out_ += "\n" + types_.write(struct_of_row(*row));
    write_patterns();
    write_operations();
    write_class();
    write_text();
    return std::move(out_) + "\n}  // namespace " + space_ + "\n";
  }

 private:
  void section(const std::string& name) { out_ += "\n// ---- " + name + " ----\n"; }

  std::string free_name(std::string name, std::string_view suffix) {
    if (taken_.contains(name)) name += suffix;
    taken_.insert(name);
    return name;
  }

  // ---- Entities

  void write_entity(const Entity& entity) {
    CppTypes::Struct what{.name = pascal_case(entity.name),
                          .doc = said_about(entity.notes),
                          .fields = entity.fields,
                          .more = {}};
    for (Attribute& field : what.fields) field.required = is_always_there(entity, field);
    for (const design::Lifecycle& lifecycle : entity.lifecycles) {
      if (!lifecycle.attribute.empty()) continue;
      Attribute& state = what.fields.emplace_back();
      state.name = lifecycle.name;
      state.type.kind = design::AttributeType::Kind::Enum;
      for (const design::State& each : lifecycle.states) state.values.push_back(each.name);
      state.required = true;
      state.notes = lifecycle.notes;
    }
    what.more = key_builder(entity);
    out_ += "\n" + types_.write(what);
  }

  // static tavola::Item key(std::string_view shopId) { return {{"PK", "SHOP#" + tavola::typed::text(shopId)}, …}; }
  std::string key_builder(const Entity& entity) const {
    std::string arguments;
    for (const std::string& name : entity.key_fields()) {
      const Attribute* field = entity.find_field(name);
      if (field == nullptr) return {};
      arguments += (arguments.empty() ? "" : ", ") + types_.argument(*field) + " " + cpp_identifier(name);
    }
    const std::optional<std::string> hash = rendered(entity, entity.hash, design_.table.hash.type);
    std::string pairs = "{" + cpp_literal(design_.table.hash.name) + ", " + hash.value_or("") + "}";
    if (!hash) return {};
    const std::optional<design::KeyAttribute>& range_key = design_.table.range;
    if (entity.range && range_key) {
      const std::optional<std::string> range = rendered(entity, *entity.range, range_key->type);
      if (!range) return {};
      pairs += ",\n            {" + cpp_literal(range_key->name) + ", " + *range + "}";
    }
    return "\n  // Returns the key of its item.\n  static tavola::Item key(" + arguments +
           ") {\n    return {" + pairs + "};\n  }\n";
  }

  // Returns nullopt for keys that only the library can write: descending times, or a form other than the field's.
  static std::optional<std::string> rendered(const Entity& entity, const Template& of, Type type) {
    std::string text;
    const auto append = [&text](const std::string& part) { text += (text.empty() ? "" : " + ") + part; };
    for (const Template::Part& part : of.parts()) {
      if (const auto* literal = std::get_if<std::string>(&part)) {
        append(cpp_literal(*literal));
        continue;
      }
      const auto& placeholder = std::get<Placeholder>(part);
      const std::string name = cpp_identifier(placeholder.field);
      const bool is_time = entity.find_field(placeholder.field)->type.is_timestamp();
      if (placeholder.format == Placeholder::Format::Descending ||
          (is_time && placeholder.format != Placeholder::Format::Plain)) {
        return std::nullopt;
      }
      if (type == Type::Number) return "tavola::Value(" + name + ")";
      append(placeholder.format == Placeholder::Format::Padded
                 ? "tavola::typed::padded(" + name + ", " + std::to_string(placeholder.width) + ")"
                 : "tavola::typed::text(" + name + ")");
    }
    return text;
  }

  // ---- Patterns and operations: parameters

  std::string write_parameters(const std::string& function, const std::vector<Parameter>& parameters,
                               const std::string& doc) {
    if (parameters.empty()) return {};
    std::string name = pascal_case(function);
    if (name == cpp_identifier(function)) name += "Parameters";
    name = free_name(std::move(name), "Parameters");
    CppTypes::Struct what{.name = name, .doc = doc, .fields = {}, .more = {}, .is_given = true};
    for (const Parameter& parameter : parameters) {
      Attribute& field = what.fields.emplace_back(parameter.form);
      field.name = parameter.name;
      field.required = parameter.required && !parameter.otherwise;
    }
    out_ += "\n" + types_.write(what);
    return name;
  }

  std::string argument(const std::string& parameters) {
    return parameters.empty() ? "()" : "(const " + parameters + "& parameters)";
  }
  static std::string given(const std::string& parameters) {
    return parameters.empty() ? "tavola::Item()" : "tavola::typed::to_item(parameters)";
  }

  void write_patterns() {
    section("Parameters of patterns");
    for (const Pattern& pattern : design_.patterns) {
      if (design::is_served(pattern)) write_pattern(pattern);
    }
  }

  void write_pattern(const Pattern& pattern) {
    const std::string parameters = write_parameters(pattern.name, pattern.parameters, {});
    const Entity* entity = answered_by(design_, pattern);
    const std::string type = entity == nullptr ? "tavola::NamedEntity" : pascal_case(entity->name);
    const std::string call =
        "(design_, " + cpp_literal(pattern.name) + ", " + given(parameters) + ");\n  }\n";
    methods_ += "\n" + cpp_comment(said_about(pattern.notes), "  ");
    if (pattern.form == Pattern::Form::Get) {
      methods_ += "  tavola::Result<std::optional<" + type + ">> " + cpp_identifier(pattern.name) +
                  argument(parameters) + " const {\n    return tavola::typed::get<" + type + ">" + call;
    } else {
      methods_ += "  [[nodiscard]] tavola::Entities<" + type + "> " + cpp_identifier(pattern.name) +
                  argument(parameters) + " const {\n    return tavola::Entities<" + type + ">" + call;
    }
  }

  void write_operations() {
    section("Parameters and refusals of operations");
    for (const Operation& operation : design_.operations) write_operation(operation);
  }

  void write_operation(const Operation& operation) {
    const std::string parameters = write_parameters(operation.name, operation.parameters, {});
    write_refusals(operation);
    const Entity* entity = returned_by(design_, operation);
    methods_ += "\n" + cpp_comment(said_about(operation.notes), "  ");
    const std::string type = entity == nullptr ? "void" : pascal_case(entity->name);
    methods_ += "  tavola::Result<" + type + "> " + cpp_identifier(operation.name) + argument(parameters) +
                " const {\n";
    const std::string what = cpp_literal(operation.name) + ", " + given(parameters);
    methods_ += entity == nullptr
                    ? "    TAVOLA_CHECK(design_.perform(" + what + "));\n    return {};\n  }\n"
                    : "    return tavola::typed::perform<" + type + ">(design_, " + what + ");\n  }\n";
  }

  void write_refusals(const Operation& operation) {
    const std::vector<std::string> refusals = refusals_of(design_, operation);
    if (refusals.empty()) return;
    const std::string name = free_name(pascal_case(operation.name) + "Refusal", "Reason");
    std::string names;
    std::string texts;
    for (const std::string& refusal : refusals) {
      names += "  " + cpp_identifier(refusal) + ",\n";
      texts += (texts.empty() ? "" : ", ") + cpp_literal(refusal);
    }
    out_ += "\nenum class " + name + " : std::uint8_t {\n" + names + "};\n";
    out_ += "constexpr auto texts(" + name + ") {\n  return std::to_array<std::string_view>({" + texts +
            "});\n}\n";
  }

  // ---- The class

  void write_class() {
    section("The design");
    out_ += R"(
// Thread safety: all methods; the result of a pattern belongs to one thread. A refused operation fails with
// ConditionalCheckFailed, and refusal<…Refusal>(error) returns the reason.
class )" + class_ +
            R"( {
 public:
  // Borrows the database, which must outlive this.
  static tavola::Result<)" +
            class_ + R"(> open(
      tavola::Database& database, const tavola::RunningDesignOptions& options = {}) {
    TAVOLA_TRY(tavola::RunningDesign design, tavola::RunningDesign::open(database, text(), options));
    return )" +
            class_ + R"((std::move(design));
  }
  // Returns the design's file, from which this header was made.
  static std::string text();

  // Creates the table if missing; otherwise returns its differences from the design, one line each.
  tavola::Result<std::vector<std::string>> prepare_table() { return design_.prepare_table(); }

  // Returns this design for one person: its roles limit them, and caller() is their `sub`.
  )" + class_ +
            R"( as(tavola::Caller caller) const { return )" + class_ +
            R"((design_.as(std::move(caller))); }
)" + methods_ +
            R"(
 private:
  explicit )" +
            class_ + R"((tavola::RunningDesign design) : design_(std::move(design)) {}

  tavola::RunningDesign design_;
};
)";
  }

  void write_text() {
    // The design may not contain the end mark of the literal.
    std::string mark = "design";
    while (design_text_.find(")" + mark + "\"") != std::string_view::npos) mark += "_";
    const std::string begin = "  text += R\"" + mark + "(";
    const std::string end = ")" + mark + "\";\n";
    out_ += "\ninline std::string " + class_ + "::text() {\n  std::string text;\n";
    for (std::string_view rest = design_text_; !rest.empty();) {
      std::size_t length = rest.size();
      if (length > kLiteralMax) {
        const std::size_t line = rest.rfind('\n', kLiteralMax);
        length = line == std::string_view::npos ? kLiteralMax : line + 1;
      }
      out_.append(begin).append(rest.substr(0, length)).append(end);
      rest.remove_prefix(length);
    }
    out_ += "  return text;\n}\n";
  }

  const Design& design_;
  std::string_view design_text_;
  std::string space_;
  std::string class_;
  std::set<std::string, std::less<>> taken_;  // names of the namespace
  CppTypes types_;
  std::string methods_;
  std::string out_;
};

}  // namespace

std::string gen_cpp(const Design& design, std::string_view design_text) {
  return Header(design, design_text).write();
}

}  // namespace tavola::workshop

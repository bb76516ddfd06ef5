#include "design/language/json_schema.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "design/language/language.h"
#include "design/model/text_pattern.h"
#include "json/writer.h"

namespace tavola::design {
namespace {

using ShapeKind = Shape::Kind;

// Defines named shapes once, under $defs, and refers to them.
class SchemaWriter {
 public:
  explicit SchemaWriter(std::string& out) : json_(out) {}

  void write(const Shape& root) {
    collect(root);
    json_.begin_object();
    json_.name("$schema").text("https://json-schema.org/draft/2020-12/schema");
    json_.name("title").text("A single-table design of Tavola");
    write_body(root);
    json_.name("$defs").begin_object();
    for (const Shape* shape : defined_) {
      json_.name(shape->name).begin_object();
      write_body(*shape);
      json_.end_object();
    }
    json_.end_object();
    json_.end_object();
  }

 private:
  void collect(const Shape& shape) {
    if (!shape.name.empty()) {
      if (std::ranges::count(defined_, &shape) > 0) return;
      defined_.push_back(&shape);
    }
    for (const Member& member : all_members(shape)) collect(*member.shape);
    for (const Shape* choice : shape.choices) collect(*choice);
    if (shape.of != nullptr) collect(*shape.of);
  }

  void write_reference(const Shape& shape, std::string_view doc = {}) {
    json_.begin_object();
    if (!doc.empty()) json_.name("description").text(doc);
    if (shape.name.empty()) {
      write_body(shape);
    } else {
      json_.name("$ref").text("#/$defs/" + std::string(shape.name));
    }
    json_.end_object();
  }

  void write_body(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::Any:
        return;
      case ShapeKind::Bool:
        return json_.name("type").text("boolean");
      case ShapeKind::Number:
        return json_.name("type").text("number");
      case ShapeKind::Count:
        json_.name("type").text("integer");
        return json_.name("minimum").integer(0);
      case ShapeKind::Duration:
        json_.name("type").text("string");
        return json_.name("pattern").text("^[0-9]+(ms|s|m|h|d|w)$");
      case ShapeKind::Regex:
        json_.name("type").text("string");
        json_.name("format").text("regex");
        return json_.name("maxLength").integer(static_cast<std::int64_t>(TextPattern::kBytesMax));
      case ShapeKind::Text:
      case ShapeKind::Type:
        return json_.name("type").text("string");
      case ShapeKind::Word:
      case ShapeKind::Template:
      case ShapeKind::Rule:
      case ShapeKind::Range:
        return write_scalar_types();
      case ShapeKind::Enum:
        return write_enum(shape);
      case ShapeKind::Map:
        return write_map(shape);
      case ShapeKind::List:
        json_.name("type").text("array");
        json_.name("items");
        return write_reference(*shape.of);
      case ShapeKind::OneOf:
        json_.name("anyOf").begin_list();
        for (const Shape* choice : shape.choices) write_reference(*choice);
        return json_.end_list();
    }
  }

  // A text may look like a number or a boolean: SK: 2024.
  void write_scalar_types() {
    json_.name("type").begin_list();
    for (const std::string_view type : {"string", "number", "boolean"}) json_.text(type);
    json_.end_list();
  }

  void write_enum(const Shape& shape) {
    json_.name("enum").begin_list();
    for (const std::string_view value : shape.values) {
      if (value.find_first_not_of("0123456789") == std::string_view::npos) {
        json_.raw().append(value);  // design: 1
      } else {
        json_.text(value);
      }
    }
    json_.end_list();
  }

  void write_map(const Shape& shape) {
    const std::vector<Member> members = all_members(shape);
    json_.name("type").text("object");
    if (!members.empty()) {
      json_.name("properties").begin_object();
      for (const Member& member : members) {
        json_.name(member.key);
        write_reference(*member.shape, member.doc);
      }
      json_.end_object();
    }
    if (std::ranges::count(members, Need::Required, &Member::need) > 0) {
      json_.name("required").begin_list();
      for (const Member& member : members) {
        if (member.need == Need::Required) json_.text(member.key);
      }
      json_.end_list();
    }
    json_.name("additionalProperties");
    if (shape.of == nullptr) {
      json_.boolean(false);
    } else {
      write_reference(*shape.of);
    }
  }

  json::Writer json_;
  std::vector<const Shape*> defined_;
};

}  // namespace

std::string json_schema() {
  std::string out;
  SchemaWriter(out).write(design_shape());
  return out;
}

}  // namespace tavola::design

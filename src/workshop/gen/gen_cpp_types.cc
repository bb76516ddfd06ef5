#include "workshop/gen/gen_cpp_types.h"

#include <algorithm>
#include <set>

#include "json/writer.h"
#include "workshop/gen/gen_names.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using Kind = AttributeType::Kind;

constexpr std::size_t kLineMax = 110;

// Only texts become enums: other values are rarely few.
bool is_enum(const Attribute& field) {
  if (field.values.empty() || (field.type.kind != Kind::Enum && field.type.kind != Kind::String))
    return false;
  std::set<std::string> names;
  return std::ranges::all_of(
      field.values, [&](const std::string& value) { return names.insert(cpp_identifier(value)).second; });
}

bool has_struct(const Attribute& field) { return !field.of.empty(); }

// Returns the type of a field: `Status` for `status`. A field with that spelling keeps its name.
std::string type_name_of(const Attribute& field, std::string_view suffix) {
  std::string name = pascal_case(field.name);
  return name == cpp_identifier(field.name) ? name.append(suffix) : name;
}

std::string enum_declaration(const std::string& name, const std::vector<std::string>& values,
                             const std::string& indent) {
  std::string names;
  std::string texts;
  for (const std::string& value : values) {
    names += (names.empty() ? "" : ", ") + cpp_identifier(value);
    texts += (texts.empty() ? "" : ", ") + cpp_literal(value);
  }
  return indent + "enum class " + name + " : std::uint8_t { " + names + " };\n" +  //
         indent + "friend constexpr auto texts(" + name + ") {\n" +                //
         indent + "  return std::to_array<std::string_view>({" + texts + "});\n" + indent + "}\n";
}

}  // namespace

std::string cpp_comment(std::string_view text, const std::string& indent) {
  std::string lines;
  std::string line;
  const auto end_line = [&] {
    if (!line.empty()) lines += indent + "//" + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (indent.size() + line.size() + word.size() + 3 > kLineMax) end_line();
    if (!word.empty()) line += " " + std::string(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  end_line();
  return lines;
}

std::string cpp_literal(std::string_view text) {
  std::string literal;
  json::append_text(literal, text);
  return literal;
}

std::string CppTypes::type_of(const Attribute& field, const AttributeType& type) const {
  switch (type.kind) {
    case Kind::Integer:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return "std::int64_t";
    case Kind::Number:
      return "tavola::Number";
    case Kind::Boolean:
      return "bool";
    case Kind::Binary:
      return "tavola::Binary";
    case Kind::List:
    case Kind::Set:
      return "std::vector<" + type_of(field, type.element.front()) + ">";
    case Kind::Map: {
      const auto found = structs_.find(&field);
      return found == structs_.end() ? "tavola::Map" : found->second;
    }
    case Kind::Any:
      return "tavola::Value";
    default: {
      const auto found = is_enum(field) ? enums_.find(field.values) : enums_.end();
      return found == enums_.end() ? "std::string" : found->second;
    }
  }
}

std::string CppTypes::argument(const Attribute& field) const {
  const std::string type = type_of(field, field.type);
  if (type == "std::string") return "std::string_view";
  return type == "std::int64_t" || type == "bool" || is_enum(field) ? type : "const " + type + "&";
}

// Returns the enums and structs that the fields need and that are not declared yet.
std::string CppTypes::declarations(const Struct& what, const std::string& indent, const std::string& outer) {
  const std::string own = outer + what.name + "::";
  std::string text;
  for (const Attribute& field : what.fields) {
    if (is_enum(field) && !enums_.contains(field.values)) {
      const std::string name = type_name_of(field, "Value");
      text += enum_declaration(name, field.values, indent);
      enums_[field.values] = own + name;
    }
    if (has_struct(field)) {
      const std::string name = type_name_of(field, "Map") + (field.type.kind == Kind::Map ? "" : "Element");
      text += write({.name = name, .doc = {}, .fields = field.of, .more = {}, .is_given = what.is_given},
                    indent, own);
      structs_[&field] = own + name;
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string CppTypes::member(const Struct& what, const Attribute& field, const std::string& indent,
                             const std::string& outer) const {
  const std::string name = cpp_identifier(field.name);
  std::string type = type_of(field, field.type);
  const std::string own = outer + what.name + "::";  // a declaration in the same scope needs only its name
  if (const std::size_t at = type.find(own); at != std::string::npos) type.erase(at, own.size());
  if (!field.required) type.insert(0, "std::optional<").append(">");
  const std::string doc = said_about(field.notes);
  const std::string line = indent + type + " " + name + (field.required && what.is_given ? ";" : "{};");
  if (line.size() + doc.size() + 5 > kLineMax) return cpp_comment(doc, indent) + line + "\n";
  return line + (doc.empty() ? "" : "  // " + doc) + "\n";
}

std::string CppTypes::write(const Struct& what, const std::string& indent, const std::string& outer) {
  const std::string inner = indent + "  ";
  std::string text = cpp_comment(what.doc, indent) + indent + "struct " + what.name + " {\n";
  text += declarations(what, inner, outer);
  std::string visits;
  for (const Attribute& field : what.fields) {
    text += member(what, field, inner, outer);
    visits += inner + "  each(" + cpp_literal(field.name) + ", it." + cpp_identifier(field.name) + ");\n";
  }
  text += what.more;
  const bool empty = what.fields.empty();
  text += "\n" + inner + "static void fields(" +
          (empty ? "const auto&, const auto&" : "auto& it, const auto& each") + ") {" +
          (empty ? "" : "\n" + visits + inner) + "}\n";
  return text + indent + "};\n";
}

}  // namespace tavola::workshop

#include "workshop/gen/gen_py_types.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "json/writer.h"
#include "workshop/gen/gen_names.h"

namespace tavola::workshop {
namespace {

using design::Attribute;
using design::AttributeType;
using Kind = AttributeType::Kind;

// Keywords, types that annotations name, and names of every method.
constexpr auto kTaken = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    "bool",
     "bytes", "dict",     "int",   "list",   "set",  "str",    "self",   "limit",    "token"});
// Classes that the module defines or imports.
constexpr auto kClasses = std::to_array<std::string_view>(
    {"Any",     "AsyncIterator", "Awaitable", "Callable",  "Decimal", "Exception", "Fields",
     "Generic", "Invalid",       "Iterable",  "Iterator",  "Literal", "Mapping",   "NotRequired",
     "Page",    "Refused",       "TypeVar",   "TypedDict", "False",   "None",      "True"});

bool is_in(std::string_view name, auto& names) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

std::string py_identifier(std::string_view name) {
  std::string result(name.empty() || is_digit(name.front()) ? "_" : "");
  for (const char c : name) result += is_letter(c) || is_digit(c) ? c : '_';
  if (result.starts_with('_')) result.insert(0, "x");  // would be private
  return is_in(result, kTaken) ? result + "_" : result;
}

std::string py_class_name(std::string_view name) {
  std::string result = pascal_case(name);
  return is_in(result, kClasses) ? result + "Entity" : result;
}

std::string py_literal(std::string_view text) {
  std::string literal;
  json::append_text(literal, text);  // whose escapes Python has, too
  return literal;
}

std::string py_doc(std::string_view text, std::string_view indent) {
  if (text.empty()) return {};
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '"') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return std::string(indent) + "\"\"\"" + safe + "\"\"\"\n";
}

std::string PyTypes::type_of(const Attribute& field, const std::string& owner) {
  return type_of(field, field.type, owner);
}

std::string PyTypes::type_of(const Attribute& field, const AttributeType& type, const std::string& owner) {
  switch (type.kind) {
    case Kind::Integer:
    case Kind::TimestampMs:
    case Kind::TimestampS:
      return "int";
    case Kind::Number:
      return "Decimal";
    case Kind::Boolean:
      return "bool";
    case Kind::Binary:
      return "bytes";
    case Kind::List:
      return "list[" + type_of(field, type.element.front(), owner) + "]";
    case Kind::Set:
      return "set[" + type_of(field, type.element.front(), owner) + "]";
    case Kind::Map:
      return field.of.empty() ? "dict[str, Any]" : typed_dict(field, owner);
    case Kind::Any:
      return "Any";
    default:
      break;
  }
  std::string values;
  for (const std::string& value : field.values) values += (values.empty() ? "" : ", ") + py_literal(value);
  return values.empty() ? "str" : "Literal[" + values + "]";
}

std::string PyTypes::typed_dict(const Attribute& field, const std::string& owner) {
  const std::string name = owner + pascal_case(field.name);
  std::string members;
  for (const Attribute& one : field.of) {
    const std::string type = type_of(one, name);
    members +=
        "    " + py_literal(one.name) + ": " + (one.required ? type : "NotRequired[" + type + "]") + ",\n";
  }
  const std::string definition = name + " = TypedDict(" + py_literal(name) + ", {\n" + members + "})\n";
  if (definitions_.find("\n" + name + " = ") == std::string::npos) definitions_ += "\n" + definition;
  return name;
}

}  // namespace tavola::workshop

// Values as DynamoDB JSON, for people and logs.
#include <tavola/value.h>

#include "base/encoding.h"

namespace tavola {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          out.push_back(c);
        } else {
          const auto code = static_cast<unsigned char>(c);
          out.append("\\u00").push_back(kHex[code >> 4]);
          out.push_back(kHex[code & 15]);
        }
    }
  }
  out.push_back('"');
}

void append_value(std::string& out, const Value& value);

void append_content(std::string& out, Null) { out.append("true"); }
void append_content(std::string& out, bool value) { out.append(value ? "true" : "false"); }
void append_content(std::string& out, const std::string& text) { append_quoted(out, text); }

void append_content(std::string& out, const Number& number) {
  out.push_back('"');
  number.append_to(out);
  out.push_back('"');
}

void append_content(std::string& out, const Binary& binary) {
  out.push_back('"');
  append_base64(out, binary.bytes);
  out.push_back('"');
}

// Calls `append` for each element and writes commas between them.
template <class Elements, class Append>
void append_joined(std::string& out, const Elements& elements, Append append) {
  bool first = true;
  for (const auto& element : elements) {
    if (!first) out.push_back(',');
    first = false;
    append(element);
  }
}

void append_content(std::string& out, const List& list) {
  out.push_back('[');
  append_joined(out, list, [&out](const Value& element) { append_value(out, element); });
  out.push_back(']');
}

void append_content(std::string& out, const Map& map) {
  out.push_back('{');
  append_joined(out, map, [&out](const auto& entry) {
    append_quoted(out, entry.first);
    out.push_back(':');
    append_value(out, entry.second);
  });
  out.push_back('}');
}

template <class T>
void append_content(std::string& out, const Set<T>& set) {
  out.push_back('[');
  append_joined(out, set, [&out](const T& element) { append_content(out, element); });
  out.push_back(']');
}

void append_value(std::string& out, const Value& value) {
  out.append("{\"").append(type_name(value.type())).append("\":");
  std::visit([&out](const auto& content) { append_content(out, content); }, value.variant());
  out.push_back('}');
}

}  // namespace

std::string to_json(const Value& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string to_json(const Item& item) {
  std::string out;
  append_content(out, item);
  return out;
}

}  // namespace tavola

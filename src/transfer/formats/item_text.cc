#include "transfer/formats/item_text.h"

#include "base/encoding.h"
#include "transfer/formats/csv_records.h"
#include "wire/codec/attribute_values.h"

namespace tavola::transfer {
namespace {

std::string text_of(ValueView value) {
  switch (value.type()) {
    case Type::Null:
      return "null";
    case Type::Bool:
      return value.boolean() ? "true" : "false";
    case Type::Number:
      return value.number().to_string();
    case Type::String:
      return std::string(value.string());
    case Type::Binary:
      return to_base64(value.binary());
    default:
      return to_json(value.unpack());
  }
}

}  // namespace

void append_line(std::string& out, const ItemView& item) {
  out += R"({"Item":)";
  wire::append_item(out, item);
  out += "}\n";
}

void append_csv_header(std::string& out, const std::vector<std::string>& columns, char delimiter) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += delimiter;
    append_csv_field(out, columns[i], delimiter);
  }
  out += '\n';
}

bool append_csv_record(std::string& out, const ItemView& item, const std::vector<std::string>& columns,
                       char delimiter) {
  std::size_t written = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out += delimiter;
    const auto value = item.find(columns[i]);
    if (!value) continue;
    append_csv_field(out, text_of(*value), delimiter);
    ++written;
  }
  out += '\n';
  return written == item.size();
}

}  // namespace tavola::transfer

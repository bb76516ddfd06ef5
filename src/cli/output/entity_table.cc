#include "cli/output/entity_table.h"

#include <algorithm>

#include "design/model/plain_json.h"

namespace tavola::cli {
namespace {

constexpr std::size_t kCellMax = 48;  // characters

struct Column {
  std::string name;
  std::size_t width = 0;
  bool right = true;  // all of its values are numbers
  std::vector<std::string> cells{};
};

bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_inside_character));
}

// In one line, and not too long.
std::string cut(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (characters(text) <= kCellMax) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; seen < kCellMax; ++end) seen += is_inside_character(text[end]) ? 0 : 1;
  --end;  // of the last character there is the first byte: its place is the ellipsis's
  return text.substr(0, end) + "…";
}

std::string cell_text(const Value& value) {
  return cut(value.is_string() ? value.string() : design::to_plain_json(value));
}

std::vector<std::string> column_names(const std::vector<runner::Found::One>& entities) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const runner::Found::One& one : entities) {
    if (one.entity == nullptr) continue;
    for (const design::Attribute& field : one.entity->fields) {
      if (one.fields.contains(field.name)) add(field.name);
    }
  }
  for (const runner::Found::One& one : entities) {  // states that are keys
    for (const auto& [name, value] : one.fields) add(name);
  }
  return names;
}

Column make_column(const std::string& name, const std::vector<runner::Found::One>& entities) {
  Column column{.name = name, .width = characters(name)};
  for (const runner::Found::One& one : entities) {
    const auto found = one.fields.find(name);
    const bool is_there = found != one.fields.end();
    if (is_there && !found->second.is_number()) column.right = false;
    column.cells.push_back(is_there ? cell_text(found->second) : std::string());
    column.width = std::max(column.width, characters(column.cells.back()));
  }
  return column;
}

void append_cell(std::string& line, std::string_view text, const Column& column) {
  if (!line.empty()) line += "  ";
  const std::string blanks(column.width - characters(text), ' ');
  line += column.right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string entity_table(const std::vector<runner::Found::One>& entities) {
  std::vector<Column> columns;
  for (const std::string& name : column_names(entities)) columns.push_back(make_column(name, entities));
  std::string head;
  for (const Column& column : columns) append_cell(head, column.name, column);
  std::string out = trimmed(std::move(head));
  for (std::size_t row = 0; row < entities.size(); ++row) {
    std::string line;
    for (const Column& column : columns) append_cell(line, column.cells[row], column);
    out += trimmed(std::move(line));
  }
  return out;
}

}  // namespace tavola::cli

#include "workshop/texts/markdown.h"

#include <algorithm>

namespace tavola::workshop {
namespace {

// Escapes bars and line ends, which would end the cell or the row.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string_view without_line_ends(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// Escapes placeholders (<shopId>), which HTML would drop as tags. Text in backticks is safe already.
std::string escaped(std::string_view text) {
  std::string out;
  bool is_code = false;
  bool is_open = false;  // a '>' that closes nothing may begin a quotation
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (c == '<' && !is_code) {
      out += "&lt;";
      is_open = true;
    } else if (c == '>' && is_open && !is_code) {
      out += "&gt;";
      is_open = false;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string code(std::string_view text) {
  if (text.empty()) return "";
  if (!text.contains('`')) return "`" + std::string(text) + "`";
  return "`` " + std::string(text) + " ``";
}

void Markdown::begin_part() {
  if (!text_.empty()) text_ += '\n';
}

void Markdown::heading(int level, std::string_view text) {
  begin_part();
  text_.append(static_cast<std::size_t>(level), '#').append(" ").append(escaped(text)) += '\n';
}

void Markdown::paragraph(std::string_view text) {
  if (text.empty()) return;
  begin_part();
  text_.append(escaped(without_line_ends(text))) += '\n';
}

void Markdown::bullets(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  begin_part();
  for (const std::string& line : lines) text_.append("- ").append(escaped(without_line_ends(line))) += '\n';
}

void Markdown::table(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::ranges::any_of(rows, [i](const auto& row) { return !row[i].empty(); })) columns.push_back(i);
  }
  const auto add_row = [&](const std::vector<std::string>& cells) {
    text_ += '|';
    for (const std::size_t i : columns) text_ += " " + escaped(cell(cells[i])) + " |";
    text_ += '\n';
  };
  begin_part();
  add_row(header);
  text_ += '|';
  for (std::size_t i = 0; i < columns.size(); ++i) text_ += "---|";
  text_ += '\n';
  for (const auto& row : rows) add_row(row);
}

void Markdown::code_block(std::string_view language, std::string_view text) {
  begin_part();
  text_.append("```").append(language).append("\n").append(without_line_ends(text)).append("\n```\n");
}

}  // namespace tavola::workshop

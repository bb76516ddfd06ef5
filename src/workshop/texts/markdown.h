// Markdown, part by part: headings, paragraphs, lists, tables and blocks of code, with one empty line between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tavola::workshop {

// Returns `text` as code: in backticks, even if it contains one. Empty text stays empty.
std::string code(std::string_view text);

class Markdown {
 public:
  void heading(int level, std::string_view text);
  void paragraph(std::string_view text);  // nothing if empty
  void bullets(const std::vector<std::string>& lines);
  // Leaves out columns that are empty in all rows; without rows there is no table.
  void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);
  void code_block(std::string_view language, std::string_view text);

  std::string take() { return std::move(text_); }

 private:
  void begin_part();
  std::string text_;
};

}  // namespace tavola::workshop

// Reads files of cases: comments and empty lines are skipped; a line that ends in `\` continues on the next. For tests
// only.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tavola::expr {

struct CaseLine {
  std::string where;  // file:line
  std::string text;
};

inline std::vector<CaseLine> read_case_file(const std::filesystem::path& path) {
  std::vector<CaseLine> lines;
  std::ifstream file(path);
  std::string pending;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (pending.empty() && (line.empty() || line == "#" || line.starts_with("# "))) continue;
    pending += line;
    if (pending.ends_with('\\')) {
      pending.pop_back();
      continue;
    }
    lines.push_back({path.filename().string() + ':' + std::to_string(number), std::exchange(pending, {})});
  }
  return lines;
}

inline std::vector<std::filesystem::path> case_files(const std::filesystem::path& folder,
                                                     std::string_view extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

inline std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

}  // namespace tavola::expr

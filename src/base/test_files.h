// Reads the data files of tests. For tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tavola {

inline std::string text_of_file(const std::filesystem::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace tavola

// `tavola dump` and `tavola load`: tables into files and back (docs/FILES.md).
#pragma once

#include <string>
#include <vector>

#include "cli/design_commands.h"

namespace tavola::cli {

struct DumpOptions {
  std::string table{};
  std::string file = "-";
  std::string data = "tavola-data";
  std::string endpoint{};  // instead of the directory
  std::string format{};    // empty: by the file's name
  std::string compression{};
  std::string delimiter{};
  unsigned segments = 4;
  bool overwrite = false;
};

struct LoadOptions {
  std::string table{};
  std::vector<std::string> files{};
  std::string data = "tavola-data";
  std::string endpoint{};
  std::string format{};
  std::string compression{};
  std::string delimiter{};
  std::vector<std::string> header{};
  bool create = false;
  std::string definition{};
  std::string design{};
  std::string entity{};
  bool keep_going = false;
  unsigned threads = 8;
};

Output run(const DumpOptions& options);
Output run(const LoadOptions& options);

}  // namespace tavola::cli

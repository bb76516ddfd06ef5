// `tavola design init`: a first design, from a few answers, a table, or samples.
#pragma once

#include <string>
#include <vector>

#include "cli/design_commands.h"

namespace tavola::cli {

struct InitOptions {
  std::string file{};                  // to write
  std::string from{};                  // table or samples; empty: from answers
  std::vector<std::string> sources{};  // the table, or the files of samples
  std::string name{};
  std::string hash{};
  std::string range{};  // "-": none
  std::vector<std::string> entities{};
  bool force = false;  // replace the file
  std::string data{};
  std::string endpoint{};
};

// Exit code 0: the file was written; 1: it exists, or a source cannot be read; 2: the command line is wrong.
Output run(const InitOptions& options);

}  // namespace tavola::cli

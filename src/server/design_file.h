// Designs as the command line meets them: files, read and checked, and the name that their table has here.
#pragma once

#include <string>

#include <tavola/error.h>

#include "design/load.h"

namespace tavola::server {

struct DesignFile {
  std::string text;
  design::Loaded loaded;
};

// All of a file, or of standard input when it is "-". Fails with Io, or with Validation when it is not UTF-8.
Result<std::string> read_text(const std::string& file);
Result<DesignFile> read_design_file(const std::string& file);

// What is wrong with the design and what will surprise, for people.
std::string problems_text(const DesignFile& file);

// A design that can run. The error tells everything that is wrong with it. The table has the name `table`; when that is
// empty, the one in the environment variable that the design names; when that is not set, the one in the design.
Result<design::Design> runnable_design(const std::string& file, const std::string& table = {});
// The same with its text, which of standard input can be read but once.
struct RunnableFile {
  std::string text;
  design::Design design;
};
Result<RunnableFile> runnable_file(const std::string& file, const std::string& table = {});

}  // namespace tavola::server

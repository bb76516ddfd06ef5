// Reads and checks the files of designs for commands, and decides the name of the table.
#pragma once

#include <string>

#include <tavola/error.h>

#include "design/load.h"

namespace tavola::server {

struct DesignFile {
  std::string text;
  design::Loaded loaded;
};

// Returns the content of a file, or of standard input if it is "-". Fails with Io, or with Validation if it is not UTF-8.
Result<std::string> read_text(const std::string& file);
Result<DesignFile> read_design_file(const std::string& file);

// Returns the errors and lints of the design for people: the first twenty, and how many more there are.
std::string problems_text(const DesignFile& file);

// Returns a design without errors; fails with all its errors. The table gets the name `table`; if that is empty, the one in the
// environment variable that the design names; if that is not set, the one in the design.
Result<design::Design> runnable_design(const std::string& file, const std::string& table = {});
// Also returns the text of the design, because standard input can be read only once.
struct RunnableFile {
  std::string text;
  design::Design design;
};
Result<RunnableFile> runnable_file(const std::string& file, const std::string& table = {});

}  // namespace tavola::server

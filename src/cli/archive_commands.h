// `tavola archive …`: what a design's retention archives, done by hand; and what is in an archive.
#pragma once

#include <string>

#include "cli/design_commands.h"

namespace tavola::cli {

// Where the archive is.
struct ArchivePlace {
  std::string to{};           // a folder, or s3://bucket/prefix; also where items are read from
  std::string from_place{};   // --from, until the command line is checked: then it is `to`
  std::string s3_endpoint{};  // a URL
};

struct ArchiveRunOptions : ArchivePlace {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};
  std::string table{};
  std::string clock{};
};
struct ArchiveListOptions : ArchivePlace {
  std::string table{};
  std::string entity{};
  std::string since{};
  std::string through{};
  std::string format = "text";  // or json
};
struct ArchiveVerifyOptions : ArchivePlace {
  std::string table{};
  std::string entity{};
};
struct ArchiveRestoreOptions : ArchivePlace {
  std::string file{};
  std::string data = "tavola-data";
  std::string endpoint{};
  std::string table{};  // that was archived
  std::string into{};   // another one to put it into
  std::string entity{};
  std::string since{};
  std::string through{};
};

Output run(const ArchiveRunOptions& options);
Output run(const ArchiveListOptions& options);
Output run(const ArchiveVerifyOptions& options);
Output run(const ArchiveRestoreOptions& options);

}  // namespace tavola::cli

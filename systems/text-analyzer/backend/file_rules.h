// Which files may be uploaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tavola::text_analyzer {

struct FileRules {
  std::uint64_t size_bytes_max = std::uint64_t{5} << 30U;
  // The last parts of names, in small letters. A name without a dot is accepted, too: the worker looks at the bytes anyway.
  std::vector<std::string> types = {"txt", "text", "md",   "markdown", "rst", "adoc", "org", "tex",
                                    "csv", "tsv",  "json", "jsonl",    "xml", "html", "htm", "yaml",
                                    "yml", "toml", "ini",  "log",      "srt", "vtt",  "eml"};
};

// A refusal of a file: the HTTP status, and words for people.
struct FileRefusal {
  int status;
  std::string why;
};

struct OfferedFile {
  std::string_view name;
  std::uint64_t size_bytes;
};
std::optional<FileRefusal> refuse(const FileRules& rules, const OfferedFile& file);

// "5 GB", "700 KB", "12 bytes": rounded down to a whole number of the largest unit.
std::string readable_size(std::uint64_t bytes);

}  // namespace tavola::text_analyzer

// The format of a file of items: by its name, or given.
//
//   orders.jsonl.gz   lines of DynamoDB JSON, compressed with gzip
//   orders.csv        CSV
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/error.h>

namespace tavola::transfer {

enum class Format : std::uint8_t {
  Lines,      // {"Item": {"PK": {"S": "x"}}}: an item a line, as DynamoDB exports them
  Csv,        // a header, then an item a line, as DynamoDB imports them
  Workbench,  // the sample data in a model of NoSQL Workbench
};
enum class Compression : std::uint8_t { None, Gzip, Zstd };

struct FileKind {
  Format format = Format::Lines;
  Compression compression = Compression::None;
  friend bool operator==(const FileKind&, const FileKind&) = default;
};

// Return "jsonl", "csv", "workbench"; "none", "gzip", "zstd".
std::string_view format_name(Format format);
std::string_view compression_name(Compression compression);

// Determines the kind by the end of a file's name: .csv, .jsonl, .ndjson or .json, followed by .gz, .gzip, .zst or
// .zstd. Given names take precedence; empty: not given. Fails with Validation if the kind is unknown, or a given name
// is not a format.
Result<FileKind> kind_of(std::string_view file_name, std::string_view format = {},
                         std::string_view compression = {});

}  // namespace tavola::transfer

// The progress of a dump or a load, in a small file beside it: the same command resumes there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "transfer/formats/file_kind.h"
#include "transfer/walk/table_scan.h"

namespace tavola::transfer {

// FILE.part.json, of FILE.part.
struct DumpState {
  std::string table_name{};
  std::string table_id{};  // a dump of another table of that name is not resumed
  std::string from{};      // the database as the user named it
  FileKind kind{};
  std::string delimiter{};
  std::vector<std::string> columns{};  // of CSV
  std::uint64_t bytes = 0;             // valid bytes of the file
  std::uint64_t items = 0;
  std::vector<SegmentPlace> places{};
};
std::string to_json(const DumpState& state);
Result<DumpState> read_dump_state(std::string_view json);

// FILE.TABLE.loading
struct LoadState {
  std::string table_id{};
  std::string into{};  // the database as the user named it
  std::uint64_t file_bytes = 0;
  std::int64_t file_time = 0;  // modification time, in nanoseconds of the system's file clock
  // The kind it was read as: another kind gives other records.
  FileKind kind{};
  std::string delimiter{};
  std::vector<std::string> header{};
  std::uint64_t records = 0;  // finished records
  std::uint64_t wrong = 0;    // of them: not in the table
  bool is_done = false;
};
std::string to_json(const LoadState& state);
Result<LoadState> read_load_state(std::string_view json);

}  // namespace tavola::transfer

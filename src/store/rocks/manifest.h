// Reads the part of RocksDB's manifest that Tavola needs: the data files of the store, and their sizes.
//
// A manifest is a log (torn_log.h) of changes, each a row of [tag] [fields], all numbers varints (what RocksDB 7.8 calls a
// VersionEdit). Most tags are skipped:
//
//   6     a file is gone      [level] [number]
//   103   a file is there     [level] [number] [bytes] [smallest key] [largest key] [smallest sequence] [largest sequence]
//                             { [field] [bytes] } …, ended by the field 1
//
// Keys and the bytes of fields are preceded by their size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tavola::store {

using DataFiles = std::map<std::uint64_t, std::uint64_t>;  // from a file's number to its bytes

// Returns nullopt if the manifest cannot be read to its end.
std::optional<DataFiles> data_files_of(std::string_view manifest);

// Returns "000012.sst" for 12.
std::string data_file_name(std::uint64_t number);

}  // namespace tavola::store

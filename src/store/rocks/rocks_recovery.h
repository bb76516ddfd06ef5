// Opens RocksDB's database after any end of the previous process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tavola/error.h>

namespace rocksdb {
class DB;
class WalFilter;
struct Options;
}  // namespace rocksdb

namespace tavola::store {

// RocksDB's: the random name of the database.
inline constexpr const char* kIdentityFile = "IDENTITY";

struct OpenedDatabase {
  std::unique_ptr<rocksdb::WalFilter> watch;  // RocksDB keeps a pointer to it
  std::unique_ptr<rocksdb::DB> db;
};

// The losses that the opener accepts.
struct AcceptedLosses {
  std::vector<std::uint64_t> logs{};             // numbers of missing logs with acknowledged writes
  std::vector<std::string>* given_up = nullptr;  // null: a missing acknowledged write is an error
};

// Replays the logs. An end that a kill or a power cut tore off is dropped: it was never acknowledged, and the rest is a
// state that existed before. Missing acknowledged writes are reported as Corrupt.
Result<OpenedDatabase> open_database(rocksdb::Options options, const std::filesystem::path& directory,
                                     const AcceptedLosses& losses);

// Reads all data files that the manifest names. Fails with Corrupt, naming one, if it is damaged or missing.
Result<void> verify_data_files(const rocksdb::Options& options, const std::filesystem::path& directory);

}  // namespace tavola::store

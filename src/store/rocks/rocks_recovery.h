// Opening RocksDB's database after whatever ended the last process that had it.
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

// What the one who opens gives up.
struct AcceptedLosses {
  std::vector<std::uint64_t> logs{};  // the numbers of logs that are missing, with acknowledged writes
  std::vector<std::string>* given_up = nullptr;  // null: what was acknowledged and is missing is an error
};

// Replays the logs. What a kill or a power cut tore off their end is dropped: it was acknowledged to nobody, and what is
// left is a state that once was. What was acknowledged and is missing is told as Corrupt.
Result<OpenedDatabase> open_database(rocksdb::Options options, const std::filesystem::path& directory,
                                     const AcceptedLosses& losses);

// Reads all data files that the manifest names. Fails with Corrupt, naming one, when it is damaged or missing.
Result<void> verify_data_files(const rocksdb::Options& options, const std::filesystem::path& directory);

}  // namespace tavola::store

// SYNCED: how much of RocksDB's manifest and logs was written, and must therefore exist when the store is opened.
//
//   00000000000000000004 00000000000000005120 00000000000000005120 2C26B46B   the newest log, bytes synced, written
//   opened 0c6f…b2 917-1183-1789999.25 3A0C11FF     boot of the machine, identity of the directory
//   manifest MANIFEST-000005 168 9F86D081 77A01C5E  bytes synced, their CRC-32C
//   current MANIFEST-000005 5D41402A                CURRENT names it; older manifests do not count
//   log 000004.log 0 0 1B2C3D4E                     bytes synced, bytes written
//   gone 000003.log 7D793037                        its writes are in data files
//   closed 0F1E2D3C                                 nothing was open when it was written
//
// The reason: RocksDB takes the first half of a manifest for a complete one (one flipped bit in the length of a record
// suffices); the store then opens with older data, and deletes the rest because no manifest names it. A log that ends
// early, or is missing, opens without its writes. Both kinds of file only grow, so a prefix that was once on disk must
// always be found.
//
// The first line is overwritten in place after each sync of the log, without a sync of its own: a kill leaves it as it
// is, and a power cut leaves an older one, which promises less. The other lines are appended. Each line ends with the
// CRC-32C of its text. A line that forbids or allows the next step (the manifest before CURRENT names it, a log before
// it is deleted) is synced first, one at a time. So SYNCED never promises more than is on disk; if it cannot be written
// (a full disk) it is removed, and there is no promise. Bytes written and not synced are recorded only in a relaxed
// store, where they are acknowledged, and count until the machine is restarted.
//
// A directory without SYNCED is new, or an older Tavola wrote it (closed_mark.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>

namespace tavola::store {

inline constexpr const char* kSyncedFile = "SYNCED";

// The required contents of a directory's files.
struct SyncedFacts {
  struct Manifest {
    std::uint64_t bytes = 0;
    std::uint32_t checksum = 0;  // CRC-32C of that many bytes
  };
  struct Log {  // the ends of complete records
    std::uint64_t synced = 0;
    std::uint64_t written = 0;
  };
  std::string boot{};
  std::string directory{};
  bool is_closed = false;
  std::map<std::string, Manifest> manifests{};  // that CURRENT may name
  std::string current{};                        // certainly named by CURRENT, or empty
  std::map<std::uint64_t, Log> logs{};          // by number

  // Records that CURRENT certainly names this manifest: older ones no longer count. A newer one stays, because CURRENT
  // may have been renamed just before a kill, which a power cut would undo.
  void set_current(std::string name);
};

// The result of comparing the files with SYNCED.
struct FileCheck {
  SyncedFacts facts{};          // to continue with
  std::vector<Error> losses{};  // Corrupt, each naming a file: acknowledged writes are, or may be, missing
  std::vector<std::uint64_t> missing_logs{};  // their numbers
  std::vector<std::uint64_t> cut_logs{};      // those that are there and end too early
  bool is_copy_of_open_store = false;         // or may be one: its files may be from different times
};

// Compares, and changes nothing. Fails with Corrupt, naming the file, if the manifest is not what was written or
// CURRENT is damaged: then it is unknown what else is missing.
Result<FileCheck> check_files(const std::filesystem::path& directory);

// Syncs the existing files that the facts describe, and their names.
Result<void> sync_files_of(const std::filesystem::path& directory, const SyncedFacts& facts);

// Writes SYNCED for a complete checkpoint, from the current files.
Result<void> write_synced_file(const std::filesystem::path& directory);

// Returns the text and its checksum, as a line of SYNCED.
std::string synced_line(std::string_view text);

// The parts of SYNCED.
std::string to_text(const SyncedFacts& facts);
std::string first_line(const SyncedFacts& facts);  // of constant length
std::string manifest_line(const std::string& name, const SyncedFacts::Manifest& manifest);
std::string log_line(std::uint64_t number, const SyncedFacts::Log& log);

// Returns the number of "000004.log", and the name of a number.
std::uint64_t log_number(std::string_view name);
std::string log_name(std::uint64_t number);

// Returns the manifest that CURRENT names; empty if it cannot be read.
std::string current_manifest(const std::filesystem::path& directory);

}  // namespace tavola::store

// SYNCED: how much of RocksDB's manifest and logs was written, and must therefore be there when the store is opened.
//
//   00000000000000000004 00000000000000005120 00000000000000005120 2C26B46B   the newest log, bytes synced, written
//   opened 0c6f…b2 917-1183-1789999.25 3A0C11FF     boot of the machine, identity of the directory
//   manifest MANIFEST-000005 168 9F86D081 77A01C5E  bytes synced, their CRC-32C
//   current MANIFEST-000005 5D41402A                CURRENT names it; older manifests do not count
//   log 000004.log 0 0 1B2C3D4E                     bytes synced, bytes written
//   gone 000003.log 7D793037                        its writes are in data files
//   closed 0F1E2D3C                                 nothing was open when it was written
//
// Why: RocksDB takes the first half of a manifest for a whole one (one flipped bit in the length of a record is enough);
// the store then opens with the data that it had before, and deletes the rest because no manifest knows it. A log that
// ends early, or is missing, opens without its writes. Both kinds of file only grow, so a beginning that was once on the
// disk must always be found.
//
// The first line is overwritten in place after each sync of the log, without a sync of its own: a kill leaves it as it
// is, and a power cut leaves an older one, which promises less. The other lines are appended. Each line ends with the CRC-32C
// of its text. A line that forbids or allows what happens next (the manifest before CURRENT names it, a log before it is
// deleted) is synced first, one at a time. So SYNCED never promises what is not on the disk; when it cannot be written (a full disk) it
// is removed, and there is no promise. Bytes written and not synced are noted in a relaxed store alone, where
// they are acknowledged, and count as long as the machine was not started anew.
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

// What the files of a directory must hold.
struct SyncedFacts {
  struct Manifest {
    std::uint64_t bytes = 0;
    std::uint32_t checksum = 0;  // CRC-32C of so many bytes
  };
  struct Log {  // the ends of whole records
    std::uint64_t synced = 0;
    std::uint64_t written = 0;
  };
  std::string boot{};
  std::string directory{};
  bool is_closed = false;
  std::map<std::string, Manifest> manifests{};  // that CURRENT may name
  std::string current{};                        // that it certainly names, or empty
  std::map<std::uint64_t, Log> logs{};          // by number

  // Notes that CURRENT names this manifest for certain: older ones do not count any more. A newer one may have been named just
  // before a kill, which a power cut would take back, and stays.
  void set_current(std::string name);
};

// The result of comparing the files with SYNCED.
struct FileCheck {
  SyncedFacts facts{};          // to go on with
  std::vector<Error> losses{};  // Corrupt, each naming a file: acknowledged writes are missing, or may be
  std::vector<std::uint64_t> lost_logs{};  // the numbers of logs that are missing
  bool is_copy_of_open_store = false;      // or may be one: its files may be from different moments
};

// Compares, and changes nothing. Fails with Corrupt, naming the file, when the manifest is not what was written or CURRENT
// is damaged: then nobody knows what else is missing.
Result<FileCheck> check_files(const std::filesystem::path& directory);

// Syncs the files that the facts are about, as far as they are there, and their names.
Result<void> sync_files_of(const std::filesystem::path& directory, const SyncedFacts& facts);

// Writes SYNCED for a checkpoint that is whole: all that its files hold now.
Result<void> write_synced_file(const std::filesystem::path& directory);

// The text and its checksum, as a line of SYNCED.
std::string synced_line(std::string_view text);

// The parts of SYNCED.
std::string to_text(const SyncedFacts& facts);
std::string first_line(const SyncedFacts& facts);  // always of the same length
std::string manifest_line(const std::string& name, const SyncedFacts::Manifest& manifest);
std::string log_line(std::uint64_t number, const SyncedFacts::Log& log);

// The number of "000004.log", and its name.
std::uint64_t log_number(std::string_view name);
std::string log_name(std::uint64_t number);

// The manifest that CURRENT names; empty when it cannot be read.
std::string current_manifest(const std::filesystem::path& directory);

}  // namespace tavola::store

// How far a copy is: a file that the same command finds when it is started again.
//
//   {"from": "http://…", "to": "data", "tables": [{"name": "music", "from_id": "…", "to_id": "…",
//     "segments": [{"items": 1200, "refused": 0, "done": false, "place": {"Artist": {"S": "…"}}}, …]}]}
//
// A segment's place is the last key whose page is written whole on the other side: what comes after it is copied (again).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tavola/packed.h>

#include "base/locks.h"

namespace tavola::transfer {

struct SegmentState {
  std::optional<PackedItem> place{};  // nothing: at its beginning
  bool done = false;
  std::uint64_t items = 0;
  std::uint64_t refused = 0;
  friend bool operator==(const SegmentState&, const SegmentState&) = default;
};

struct TableState {
  // A table that was deleted and created again is another table: then nothing of what was done counts.
  std::string from_id{};
  std::string to_id{};
  std::vector<SegmentState> segments{};
  friend bool operator==(const TableState&, const TableState&) = default;

  bool is_done() const;
  std::uint64_t items() const;
  std::uint64_t refused() const;
};

// Thread safety: all methods.
class CopyState {
 public:
  // The state in the file, or a new one when there is none. Fails with Validation when the file tells of another copy.
  static Result<std::unique_ptr<CopyState>> open(std::filesystem::path file, std::string from,
                                                 std::string to);

  const std::filesystem::path& file() const { return file_; }
  std::optional<TableState> find(const std::string& table) const;
  // Where the table begins, or goes on; written at once.
  Result<void> begin(const std::string& table, TableState state);
  // Written within a second.
  Result<void> advance(const std::string& table, std::size_t segment, SegmentState state);
  Result<void> save();
  // These are copied. The file goes with the last of them.
  Result<void> forget(std::span<const std::string> tables);

 private:
  CopyState(std::filesystem::path file, std::string from, std::string to)
      : file_(std::move(file)), from_(std::move(from)), to_(std::move(to)) {}
  std::string to_json() const TAVOLA_REQUIRES(mutex_);
  Result<void> read(const std::string& text);
  Result<void> write() TAVOLA_REQUIRES(mutex_);

  const std::filesystem::path file_;
  const std::string from_;
  const std::string to_;
  mutable Mutex mutex_;
  std::map<std::string, TableState, std::less<>> tables_ TAVOLA_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point written_at_ TAVOLA_GUARDED_BY(mutex_){};
};

}  // namespace tavola::transfer

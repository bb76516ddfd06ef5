// The progress of a copy: a file that the same command finds when it is started again.
//
//   {"from": "http://…", "to": "data", "tables": [{"name": "music", "from_id": "…", "to_id": "…",
//     "segments": [{"items": 1200, "refused": 0, "done": false, "place": {"Artist": {"S": "…"}}}, …]}]}
//
// A segment's place is the last key whose page is completely written on the other side: later items are copied (again).
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
  std::optional<PackedItem> place{};  // nullopt: the beginning
  bool done = false;
  std::uint64_t items = 0;
  std::uint64_t refused = 0;
  friend bool operator==(const SegmentState&, const SegmentState&) = default;
};

struct TableState {
  // A table that was deleted and created again is another table: then the progress does not count.
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
  // Returns the state in the file, or a new one if there is none. Fails with Validation if the file belongs to another
  // copy.
  static Result<std::unique_ptr<CopyState>> open(std::filesystem::path file, std::string from,
                                                 std::string to);

  const std::filesystem::path& file() const { return file_; }
  std::optional<TableState> find(const std::string& table) const;
  // Sets the starting state of a table; written at once.
  Result<void> begin(const std::string& table, TableState state);
  // Written within a second.
  Result<void> advance(const std::string& table, std::size_t segment, SegmentState state);
  Result<void> save();
  // Removes finished tables. The file is deleted with the last of them.
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

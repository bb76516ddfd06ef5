// `archive` of a design's retention: old items are written to a destination, read back, compared, and only then removed
// from the table.
//
//   TAVOLA_TRY(const auto destination, open_destination({.to = "/var/archive"}));
//   TAVOLA_TRY(const Archived done, run_archive({.database = *db, .design = design, .destination = *destination}));
//
// The steps of a batch (batch.h): write the items; read them back; write the manifest; read it back; remove each item
// that is unchanged since; record that this is done. A run that is interrupted between any two of them is resumed by
// the next: no item is removed that is not in the archive, and no item is archived twice.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "base/clock.h"
#include "design/model/model.h"
#include "transfer/archive/batch.h"
#include "transfer/archive/destination.h"

namespace tavola::transfer {

// The current step, for progress reports.
struct ArchiveProgress {
  std::string entity{};
  std::uint64_t looked_at = 0;
  std::uint64_t archived = 0;
  std::uint64_t removed = 0;
};
using ArchiveWatch = std::function<void(const ArchiveProgress&)>;

inline constexpr std::size_t kBatchItems = 1'000;
inline constexpr std::size_t kBatchBytes = std::size_t{4} << 20U;

struct ArchiveParts {
  Database& database;
  const design::Design& design;
  Destination& destination;
  const Clock& clock = Clock::system();
  std::size_t batch_items = kBatchItems;
  ArchiveWatch watch = nullptr;
  std::function<bool()> should_stop =
      nullptr;  // checked between batches: the next run resumes an interrupted one
};

struct Archived {
  std::uint64_t batches = 0;   // written by this run
  std::uint64_t finished = 0;  // of earlier runs, whose items remained to be removed
  std::uint64_t items = 0;     // written by this run
  Removal removal{};
};

// Every entity with `archive`. Fails as the database or the destination does; what was done until then counts.
Result<Archived> run_archive(const ArchiveParts& parts);

// One batch of an archive, by its manifest.
struct ListedBatch {
  std::string name{};
  Manifest manifest{};
  bool is_removed = false;  // false: an earlier run ended before all items were removed
};
struct ArchiveSelection {
  std::string table{};   // empty: all
  std::string entity{};  // empty: all
  std::optional<WallTime> from{};
  std::optional<WallTime> through{};
};
// The batches that may hold something of the selection, in the order of their names. Fails with Corrupt, naming the object,
// when a manifest is none.
Result<std::vector<ListedBatch>> list_archive(Destination& destination, const ArchiveSelection& selection);

// The problems of an archive, one line each: missing, damaged or unfinished objects.
struct Verified {
  std::uint64_t batches = 0;
  std::uint64_t items = 0;
  std::vector<std::string> problems{};    // batches that cannot be restored
  std::vector<std::string> unfinished{};  // left by an earlier run; nothing is lost
};
Result<Verified> verify_archive(Destination& destination, const ArchiveSelection& selection,
                                const ArchiveWatch& watch = nullptr);

struct Restored {
  std::uint64_t restored = 0;
  std::uint64_t present = 0;  // already in the table, unchanged
  std::vector<std::string>
      different{};  // already in the table, and different: their keys; they are not changed
};
// Puts archived items back where nothing is. Each batch is checked before anything of it is written; one that is damaged ends
// it with Corrupt. `into` names another table; empty: the design's.
Result<Restored> restore_archive(const ArchiveParts& parts, const ArchiveSelection& selection,
                                 const std::string& into = {});

// Returns the items of a batch, checked.
Result<std::vector<PackedItem>> read_batch(Destination& destination, const std::string& name,
                                           const Manifest& manifest);

}  // namespace tavola::transfer

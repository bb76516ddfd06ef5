#include "transfer/archive/archive.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "design/items/table_schema.h"
#include "transfer/archive/old_items.h"
#include "transfer/archive/removing.h"

namespace tavola::transfer {
namespace {

Error not_as_written(const Destination& destination, const std::string& name) {
  return Error::corrupt(
      destination.described() + " gave " + name +
      " back differently than it was written; none of its items were removed from the table");
}

// The work on one entity.
class Run {
 public:
  Run(const ArchiveParts& parts, const design::Retention& retention, Archived& done)
      : parts_(parts),
        retention_(retention),
        entity_(*parts.design.find_entity(retention.entity)),
        folder_(parts.design.table.name + "/" + retention.entity + "/"),
        done_(done),
        progress_{.entity = retention.entity} {}

  Result<void> all() {
    TAVOLA_CHECK(finish_earlier());
    TAVOLA_ASSERT(retention_.after.has_value());  // a design with `archive` gives the age
    OldItems old(parts_.database, parts_.design, retention_, parts_.clock.now() - *retention_.after);
    std::size_t bytes = 0;
    while (!stops()) {
      TAVOLA_TRY(std::optional<OldItems::Page> page, old.next());
      if (!page) break;
      progress_.looked_at += page->looked_at;
      for (OldItem& item : page->items) {
        bytes += item.item.bytes().size();
        waiting_.push_back(std::move(item));
        if (waiting_.size() < parts_.batch_items && bytes < kBatchBytes) continue;
        TAVOLA_CHECK(archive_waiting());
        bytes = 0;
      }
      report_progress();
    }
    return waiting_.empty() ? Result<void>() : archive_waiting();
  }

 private:
  // Finishes the batches of earlier runs.
  Result<void> finish_earlier() {
    TAVOLA_TRY(const std::vector<std::string> names, parts_.destination.list(folder_));
    for (const std::string& name : names) {
      if (name.ends_with(kRemovedEnding)) {
        removed_.insert(name.substr(0, name.size() - kRemovedEnding.size()));
      }
    }
    for (const std::string& name : names) {
      if (!name.ends_with(kDataEnding)) continue;
      const std::string batch = name.substr(0, name.size() - kDataEnding.size());
      if (removed_.contains(batch)) continue;
      if (stops()) return {};
      TAVOLA_CHECK(finish(batch));
    }
    return {};
  }

  Result<void> finish(const std::string& batch) {
    const std::string name = batch + std::string(kManifestEnding);
    TAVOLA_TRY(const std::optional<std::string> text, parts_.destination.read(name));
    const Result<Manifest> manifest = text ? read_manifest(*text) : fail(Error::corrupt("it is missing"));
    if (!manifest && manifest.error().code() == ErrorCode::Corrupt) return finish_without_manifest(batch);
    if (!manifest) {
      return fail(Error(manifest.error().code(), name + " in " + parts_.destination.described() +
                                                     " cannot be used: " + manifest.error().message()));
    }
    TAVOLA_TRY(const std::vector<PackedItem> items, read_batch(parts_.destination, batch, *manifest));
    ++done_.finished;
    return remove(batch, items);
  }

  // Finishes a batch of a run that ended before its manifest was complete, so nothing was removed. If the items match
  // the batch's name, the batch is rebuilt from them. Otherwise it is left alone: its items are in the table, and go
  // into another batch.
  Result<void> finish_without_manifest(const std::string& batch) {
    TAVOLA_TRY(const std::optional<std::string> compressed,
               parts_.destination.read(batch + std::string(kDataEnding)));
    const std::optional<std::vector<PackedItem>> items =
        compressed ? items_named(batch, *compressed) : std::nullopt;
    if (!items) return {};
    for (const PackedItem& item : *items) {
      const std::optional<WallTime> moment = moment_of(parts_.design, retention_, item);
      if (!moment) {
        waiting_.clear();
        return {};
      }
      waiting_.push_back({item, *moment});
    }
    ++done_.finished;
    return archive_waiting();
  }

  Result<void> archive_waiting() {
    const design::Design& design = parts_.design;
    Batch batch = make_batch({.design = design.name,
                              .revision = design.revision,
                              .table = design.table.name,
                              .entity = retention_.entity,
                              .by = retention_.by,
                              .archived_at = parts_.clock.now()},
                             std::exchange(waiting_, {}), design::key_schema_of(design));
    // These items were archived and removed before, and restored since: they are a new batch.
    const std::string first_name = batch.name;
    for (int again = 2; removed_.contains(batch.name); ++again) {
      batch.name = first_name + "-" + std::to_string(again);
    }
    TAVOLA_TRY(const std::vector<PackedItem> items, written(batch));
    ++done_.batches;
    done_.items += items.size();
    progress_.archived += items.size();
    return remove(batch.name, items);
  }

  // Writes a batch, reads it back, and returns its items as read.
  Result<std::vector<PackedItem>> written(const Batch& batch) {
    Destination& destination = parts_.destination;
    const std::string data = batch.name + std::string(kDataEnding);
    TAVOLA_CHECK(destination.write(data, batch.compressed));
    TAVOLA_TRY(const std::optional<std::string> compressed, destination.read(data));
    if (compressed != batch.compressed) return fail(not_as_written(destination, data));
    TAVOLA_TRY(const std::string plain, plain_of(batch.manifest, *compressed));
    if (plain != batch.plain) return fail(not_as_written(destination, data));
    TAVOLA_TRY(std::vector<PackedItem> items, items_of(batch.manifest, plain));
    const std::string name = batch.name + std::string(kManifestEnding);
    const std::string manifest = to_json(batch.manifest);
    TAVOLA_CHECK(destination.write(name, manifest));
    TAVOLA_TRY(const std::optional<std::string> again, destination.read(name));
    if (again != manifest) return fail(not_as_written(destination, name));
    return items;
  }

  Result<void> remove(const std::string& batch, const std::vector<PackedItem>& items) {
    Removal removal;
    for (const PackedItem& item : items) {
      TAVOLA_CHECK(remove_as_archived(parts_, entity_, item, removal));
      ++progress_.removed;
      report_progress();
    }
    TAVOLA_CHECK(
        parts_.destination.write(batch + std::string(kRemovedEnding), to_json(removal, parts_.clock.now())));
    removed_.insert(batch);
    done_.removal.removed += removal.removed;
    done_.removal.gone += removal.gone;
    done_.removal.kept += removal.kept;
    return {};
  }

  bool stops() const { return parts_.should_stop && parts_.should_stop(); }
  void report_progress() const {
    if (parts_.watch) parts_.watch(progress_);
  }

  const ArchiveParts& parts_;
  const design::Retention& retention_;
  const design::Entity& entity_;
  const std::string folder_;
  Archived& done_;
  ArchiveProgress progress_;
  std::vector<OldItem> waiting_;
  std::set<std::string, std::less<>> removed_;  // finished batches
};

}  // namespace

Result<std::vector<PackedItem>> read_batch(Destination& destination, const std::string& name,
                                           const Manifest& manifest) {
  const std::string data = name + std::string(kDataEnding);
  const auto damaged = [&](const std::string& why) {
    return fail(Error::corrupt(data + " in " + destination.described() + " is damaged: " + why +
                               "; restore it from a copy"));
  };
  TAVOLA_TRY(const std::optional<std::string> compressed, destination.read(data));
  if (!compressed) return damaged("it is missing");
  const Result<std::string> plain = plain_of(manifest, *compressed);
  if (!plain) return damaged(plain.error().message());
  Result<std::vector<PackedItem>> items = items_of(manifest, *plain);
  if (!items) return damaged(items.error().message());
  return items;
}

Result<Archived> run_archive(const ArchiveParts& parts) {
  Archived done;
  for (const design::Retention& retention : parts.design.retention) {
    if (retention.kind != design::Retention::Kind::Archive) continue;
    TAVOLA_CHECK(Run(parts, retention, done).all());
  }
  return done;
}

}  // namespace tavola::transfer

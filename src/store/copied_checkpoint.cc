#include "store/copied_checkpoint.h"

#include <memory>

#include "store/directory.h"

namespace tavola::store {

Result<void> copy_to_directory(const Snapshot& snapshot, const std::filesystem::path& directory) {
  constexpr std::size_t kBatchBytes = std::size_t{1024} * 1024;
  TAVOLA_TRY(const CheckpointDirectory target, CheckpointDirectory::prepare(directory));
  {
    TAVOLA_TRY(const std::unique_ptr<Store> copy,
               open_rocks(target.building(), {.durability = Durability::Relaxed}));
    const std::unique_ptr<Cursor> cursor = snapshot.range({}, Direction::Forward);
    while (cursor->valid()) {
      Decision batch;
      for (std::size_t bytes = 0; cursor->valid() && bytes < kBatchBytes; cursor->next()) {
        batch.writes.push_back(Write::put(std::string(cursor->key()), std::string(cursor->value())));
        bytes += cursor->key().size() + cursor->value().size();
      }
      TAVOLA_CHECK(copy->transact({}, {}, [&](const View&) -> Result<Decision> { return batch; }));
    }
    TAVOLA_CHECK(cursor->status());
    TAVOLA_CHECK(copy->sync());
  }
  return target.publish();
}

}  // namespace tavola::store

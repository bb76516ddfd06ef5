// Puts items into a table, many at a time. Items with equal keys are put in the order in which they were added, so that
// the last one remains, as with one thread.
//
//   ItemLoader loader({.database = db, .table = table, .report = …});
//   TAVOLA_CHECK(loader.add({std::move(item), {"orders.jsonl", 7}}));
//   TAVOLA_CHECK(loader.drain());   // now they are in the table
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tavola/database.h>

#include "base/locks.h"
#include "transfer/walk/patience.h"

namespace tavola::transfer {

// The origin of an item. The name is borrowed.
struct Origin {
  std::string_view file{};
  std::uint64_t line = 0;
};
// Returns "orders.jsonl:7: …".
std::string at_origin(const Origin& origin, std::string_view what);

struct LoadedItem {
  PackedItem item{};
  Origin origin{};
};

// Thread safety: add() and drain() from one thread at a time.
class ItemLoader {
 public:
  struct Parts {
    Database& database;
    TableDescription table;
    unsigned threads = 8;
    bool keeps_going = false;  // a refused item is reported, and does not end the loading
    // Called for each refused item; from any thread, one at a time.
    std::function<void(const Origin&, const Error&)> report{};
    Pause pause = sleep();
  };
  explicit ItemLoader(Parts parts);
  ~ItemLoader();
  ItemLoader(const ItemLoader&) = delete;
  ItemLoader& operator=(const ItemLoader&) = delete;

  // May wait until there is room. Fails with the error that ended the loading, of this or of an earlier item.
  Result<void> add(LoadedItem item);
  // Reports and counts an item that is already known to be wrong, like those that the table refuses.
  Result<void> refuse(const Origin& origin, const Error& error);
  // Waits until every added item is in the table, or refused.
  Result<void> drain();

  std::uint64_t put() const { return put_.load(); }
  std::uint64_t refused() const { return refused_.load(); }

 private:
  struct Worker {
    std::deque<LoadedItem> waiting;
    std::size_t waiting_bytes = 0;
    bool is_busy = false;
    std::thread thread;
  };
  void work(Worker& worker);
  // Returns the first items that may form a batch; none when the loader ends.
  std::vector<LoadedItem> next_batch(Worker& worker);
  Result<void> put(const std::vector<LoadedItem>& batch);
  std::string key_bytes(const PackedItem& item) const;
  void fail_with(const Error& error);
  Result<void> state() TAVOLA_REQUIRES(mutex_);

  Parts parts_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::unique_ptr<Worker>> workers_;  // content guarded by mutex_
  bool is_ending_ TAVOLA_GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ TAVOLA_GUARDED_BY(mutex_);
  Mutex reporting_;
  std::atomic<std::uint64_t> put_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace tavola::transfer

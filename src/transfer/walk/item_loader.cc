#include "transfer/walk/item_loader.h"

#include <algorithm>
#include <set>

#include "database/item_key.h"
#include "transfer/walk/put_items.h"
#include "value/limits.h"

namespace tavola::transfer {
namespace {

// The maximum of waiting items for each thread: two or three batches of ordinary items.
constexpr std::size_t kWaitingItemsMax = 3 * limits::kBatchWritesMax;
constexpr std::size_t kWaitingBytesMax = std::size_t{4} * 1024 * 1024;

}  // namespace

std::string at_origin(const Origin& origin, std::string_view what) {
  return std::string(origin.file) + ":" + std::to_string(origin.line) + ": " + std::string(what);
}

ItemLoader::ItemLoader(Parts parts) : parts_(std::move(parts)) {
  for (unsigned i = 0; i < std::max(parts_.threads, 1U); ++i) {
    workers_.push_back(std::make_unique<Worker>());
  }
  for (const auto& worker : workers_) {
    worker->thread = std::thread([this, &one = *worker] { work(one); });
  }
}

ItemLoader::~ItemLoader() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (const auto& worker : workers_) worker->thread.join();
}

std::string ItemLoader::key_bytes(const PackedItem& item) const {
  return key_of_item(parts_.table.key_schema, item.view()).bytes();
}

Result<void> ItemLoader::state() {
  if (failed_) return fail(*failed_);
  return {};
}

void ItemLoader::fail_with(const Error& error) {
  {
    const MutexLock lock(mutex_);
    if (!failed_) failed_ = error;
  }
  changed_.notify_all();
}

Result<void> ItemLoader::add(LoadedItem item) {
  Worker& worker = *workers_[std::hash<std::string>()(key_bytes(item.item)) % workers_.size()];
  const std::size_t bytes = item.item.bytes().size();
  {
    const MutexLock lock(mutex_);
    while (!failed_ && !worker.waiting.empty() &&
           (worker.waiting.size() >= kWaitingItemsMax || worker.waiting_bytes + bytes > kWaitingBytesMax)) {
      changed_.wait(mutex_);
    }
    TAVOLA_CHECK(state());
    worker.waiting.push_back(std::move(item));
    worker.waiting_bytes += bytes;
  }
  changed_.notify_all();
  return {};
}

Result<void> ItemLoader::drain() {
  const MutexLock lock(mutex_);
  const auto is_done = [](const std::unique_ptr<Worker>& worker) {
    return worker->waiting.empty() && !worker->is_busy;
  };
  while (!failed_ && !std::ranges::all_of(workers_, is_done)) changed_.wait(mutex_);
  return state();
}

std::vector<LoadedItem> ItemLoader::next_batch(Worker& worker) {
  const MutexLock lock(mutex_);
  if (worker.is_busy) {
    worker.is_busy = false;
    changed_.notify_all();
  }
  while (worker.waiting.empty() && !is_ending_ && !failed_) changed_.wait(mutex_);
  std::vector<LoadedItem> batch;
  if (is_ending_ || failed_) return batch;
  // A batch has no key twice: the second waits for the next batch.
  std::set<std::string> keys;
  while (!worker.waiting.empty() && batch.size() < limits::kBatchWritesMax &&
         keys.insert(key_bytes(worker.waiting.front().item)).second) {
    worker.waiting_bytes -= worker.waiting.front().item.bytes().size();
    batch.push_back(std::move(worker.waiting.front()));
    worker.waiting.pop_front();
  }
  worker.is_busy = true;
  changed_.notify_all();
  return batch;
}

void ItemLoader::work(Worker& worker) {
  for (;;) {
    const std::vector<LoadedItem> batch = next_batch(worker);
    if (batch.empty()) return;
    if (const Result<void> done = put(batch); !done) {
      fail_with(done.error());
      return;
    }
  }
}

Result<void> ItemLoader::put(const std::vector<LoadedItem>& batch) {
  std::vector<PackedItem> items;
  items.reserve(batch.size());
  for (const LoadedItem& one : batch) items.push_back(one.item);
  const auto refuse_item = [&](const PackedItem& item, const Error& error) {
    const auto is_same = [&](const LoadedItem& one) { return key_bytes(one.item) == key_bytes(item); };
    const auto found = std::ranges::find_if(batch, is_same);
    return refuse(found == batch.end() ? Origin() : found->origin, error);
  };
  TAVOLA_TRY(
      const std::uint64_t put,
      put_items({.database = parts_.database, .table_name = parts_.table.table_name, .pause = parts_.pause},
                items, refuse_item));
  put_ += put;
  return {};
}

Result<void> ItemLoader::refuse(const Origin& origin, const Error& error) {
  ++refused_;
  if (parts_.report) {
    const MutexLock lock(reporting_);
    parts_.report(origin, error);
  }
  if (parts_.keeps_going) return {};
  return fail(Error(error.code(), at_origin(origin, error.message())));
}

}  // namespace tavola::transfer

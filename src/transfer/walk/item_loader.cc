#include "transfer/walk/item_loader.h"

#include <algorithm>
#include <set>

#include "value/limits.h"

namespace tavola::transfer {
namespace {

// Of items that wait, for each thread: two or three batches of ordinary items.
constexpr std::size_t kWaitingItemsMax = 3 * limits::kBatchWritesMax;
constexpr std::size_t kWaitingBytesMax = std::size_t{4} * 1024 * 1024;

// It is the item that is wrong: others may be taken.
bool is_of_the_item(const Error& error) {
  switch (error.code()) {
    case ErrorCode::Validation:
    case ErrorCode::ConditionalCheckFailed:
    case ErrorCode::TransactionCanceled:
    case ErrorCode::ItemCollectionSizeLimitExceeded:
    case ErrorCode::Serialization:
      return true;
    default:
      return false;
  }
}

Error no_progress(const Error& error) {
  return {error.code(), error.message() + " (the same command goes on where it was; try it later)"};
}

}  // namespace

std::string told_at(const Origin& origin, std::string_view what) {
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

std::string ItemLoader::key_of(const PackedItem& item) const {
  std::string key;
  for (const KeySchemaElement& element : parts_.table.key_schema) {
    if (const auto value = item.find(element.name)) key += value->bytes();
    key += '\0';
  }
  return key;
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
  Worker& worker = *workers_[std::hash<std::string>()(key_of(item.item)) % workers_.size()];
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
  // A batch has no key twice: the second waits for the next one.
  std::set<std::string> keys;
  while (!worker.waiting.empty() && batch.size() < limits::kBatchWritesMax &&
         keys.insert(key_of(worker.waiting.front().item)).second) {
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
    std::vector<LoadedItem> batch = next_batch(worker);
    if (batch.empty()) return;
    if (const Result<void> done = put(batch); !done) {
      fail_with(done.error());
      return;
    }
  }
}

Result<void> ItemLoader::put(std::vector<LoadedItem>& batch) {
  Patience patience(parts_.pause);
  while (!batch.empty()) {
    BatchWriteItemRequest request;
    TableWrites& writes = request.tables.emplace_back(TableWrites{.table_name = parts_.table.table_name});
    for (const LoadedItem& one : batch) writes.writes.push_back({.item = one.item});
    const Result<BatchWriteItemResponse> response = parts_.database.batch_write_item(request);
    if (!response) {
      if (is_of_the_item(response.error())) return put_one_by_one(batch);
      if (!is_passing(response.error())) return fail(response.error());
      if (!patience.wait_after(response.error())) return fail(no_progress(response.error()));
      continue;
    }
    const std::size_t had = batch.size();
    std::set<std::string> left;
    for (const TableWrites& table : response->unprocessed_items) {
      for (const BatchWrite& write : table.writes) left.insert(key_of(write.item));
    }
    std::erase_if(batch, [&](const LoadedItem& one) { return !left.contains(key_of(one.item)); });
    put_ += had - batch.size();
    if (batch.size() < had) patience.made_progress();
    if (!batch.empty() && !patience.wait()) {
      return fail(no_progress(
          Error(ErrorCode::Throttling, parts_.table.table_name + " takes no more items at this time")));
    }
  }
  return {};
}

Result<void> ItemLoader::put_one_by_one(std::vector<LoadedItem>& batch) {
  for (const LoadedItem& one : batch) {
    Patience patience(parts_.pause);
    for (;;) {
      const Result<PutItemResponse> response =
          parts_.database.put_item({.table_name = parts_.table.table_name, .item = one.item});
      if (response) {
        ++put_;
        break;
      }
      if (is_of_the_item(response.error())) {
        TAVOLA_CHECK(refuse(one.origin, response.error()));
        break;
      }
      if (!is_passing(response.error())) return fail(response.error());
      if (!patience.wait_after(response.error())) return fail(no_progress(response.error()));
    }
  }
  batch.clear();
  return {};
}

Result<void> ItemLoader::refuse(const Origin& origin, const Error& error) {
  ++refused_;
  if (parts_.tell) {
    const MutexLock lock(telling_);
    parts_.tell(origin, error);
  }
  if (parts_.keeps_going) return {};
  return fail(Error(error.code(), told_at(origin, error.message())));
}

}  // namespace tavola::transfer

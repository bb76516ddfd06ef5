// The store in memory: one Tree, its locks, and copies of the tree as snapshots.
#include <filesystem>
#include <vector>

#include "base/assert.h"
#include "base/locks.h"
#include "store/copied_checkpoint.h"
#include "store/counters.h"
#include "store/fair_mutex.h"
#include "store/key_locks.h"
#include "store/memory/tree.h"
#include "store/store.h"
#include "store/transaction.h"

namespace tavola::store {
namespace {

class MemoryCursor final : public Cursor {
 public:
  MemoryCursor(const Tree& tree, const KeyRange& range, Direction direction)
      : range_(range),
        direction_(direction),
        walk_(direction == Direction::Forward ? Tree::Walk::forward(tree, range.from)
                                              : Tree::Walk::backward(tree, range.to)) {
    settle();
  }

  bool valid() const override { return entry_ != nullptr; }
  std::string_view key() const override { return entry_->key(); }
  std::string_view value() const override { return entry_->value(); }
  void next() override {
    direction_ == Direction::Forward ? walk_.next() : walk_.previous();
    settle();
  }
  Result<void> status() const override { return {}; }

 private:
  void settle() {
    entry_ = walk_.entry();
    if (entry_ == nullptr) return;
    const bool inside = entry_->key() >= range_.from && (range_.to.empty() || entry_->key() < range_.to);
    if (!inside) entry_ = nullptr;
  }

  KeyRange range_;
  Direction direction_;
  Tree::Walk walk_;
  const Entry* entry_;  // owned by the snapshot's tree
};

std::optional<std::string> value_of(const Entry* entry) {
  if (entry == nullptr) return std::nullopt;
  return std::string(entry->value());
}

class MemorySnapshot final : public Snapshot {
 public:
  explicit MemorySnapshot(Tree tree) : tree_(std::move(tree)) {}

  Result<std::optional<std::string>> get(std::string_view key) const override {
    return value_of(tree_.find(key));
  }
  std::unique_ptr<Cursor> range(const KeyRange& range, Direction direction) const override {
    return std::make_unique<MemoryCursor>(tree_, range, direction);
  }

 private:
  Tree tree_;
};

struct MemoryBranch final : Branch {
  explicit MemoryBranch(Tree state) : tree(std::move(state)) {}
  const Tree tree;
};

class MemoryView final : public View {
 public:
  explicit MemoryView(std::vector<EntryRef> entries) : entries_(std::move(entries)) {}

  std::optional<std::string_view> operator[](std::size_t index) const override {
    TAVOLA_ASSERT(index < entries_.size());
    if (!entries_[index]) return std::nullopt;
    return entries_[index]->value();
  }
  std::size_t size() const override { return entries_.size(); }

 private:
  std::vector<EntryRef> entries_;
};

// Invariants: (1) tree_ changes only in commit(), which makes all writes of a transaction visible at once.
// (2) Readers hold tree_mutex_ only to find or copy, never while a caller's code runs.
class MemoryStore final : public Store {
 public:
  Result<std::optional<std::string>> get(std::string_view key) const override {
    const FairSharedLock lock(tree_mutex_);
    return value_of(tree_.find(key));
  }

  std::unique_ptr<Snapshot> snapshot() const override {
    const FairSharedLock lock(tree_mutex_);
    return std::make_unique<MemorySnapshot>(tree_);
  }

  Result<void> transact(std::span<const std::string> keys, std::span<const Guard> guards,
                        const WriteRule& rule, Contention contention) override {
    const FairSharedLock lock(transactions_);
    return run_transaction(*this, order_, {keys, guards, rule, contention});
  }
  std::unique_ptr<Branch> branch() override {
    const FairSharedLock lock(tree_mutex_);
    return std::make_unique<MemoryBranch>(tree_);
  }
  Result<void> return_to(Branch* branch, const KeyRange& kept) override;
  Result<std::uint64_t> settled(std::string_view prefix) override { return order_.appends.settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override { done({}); }

  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return copy_to_directory(*snapshot(), directory);
  }
  Result<void> sync() override { return {}; }  // nothing outlives the process

  // The parts of run_transaction.
  Result<bool> holds(const Guard& guard) const;
  Result<MemoryView> read(std::span<const std::string> keys) const;
  Result<void> commit(std::span<const Write> writes);

 private:
  FairSharedMutex transactions_;  // held exclusively while the store returns to a branch
  TransactionOrder order_{.locks = {}, .appends = AppendOrder([this](std::string_view prefix) {
                                         return first_free_number(*this, prefix);
                                       })};
  mutable FairSharedMutex tree_mutex_;
  Tree tree_ TAVOLA_GUARDED_BY(tree_mutex_);
};

Result<bool> MemoryStore::holds(const Guard& guard) const {
  const FairSharedLock lock(tree_mutex_);
  const Entry* entry = tree_.find(guard.key);
  return guard.expected.empty() ? entry == nullptr : entry != nullptr && entry->value() == guard.expected;
}

Result<MemoryView> MemoryStore::read(std::span<const std::string> keys) const {
  std::vector<EntryRef> entries;
  entries.reserve(keys.size());
  const FairSharedLock lock(tree_mutex_);
  for (const std::string& key : keys) entries.push_back(EntryRef::share(tree_.find(key)));
  return MemoryView(std::move(entries));
}

// Adds to the counters of `key`, like RocksDB's merge operator.
EntryRef sum_of(const Entry* before, std::string_view key, std::string_view deltas) {
  std::string total(before == nullptr ? std::string_view{} : before->value());
  const bool added = add_counters(total, deltas);
  TAVOLA_ASSERT(added);  // check_writes checked the deltas, and only add() writes such a key
  return Entry::make(key, total);
}

Result<void> MemoryStore::commit(std::span<const Write> writes) {
  std::vector<EntryRef> entries(writes.size());  // made before the lock, which blocks the whole store
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (writes[i].kind == Write::Kind::Put) entries[i] = Entry::make(writes[i].key, writes[i].value);
  }
  const FairExclusiveLock lock(tree_mutex_);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const Write& write = writes[i];
    switch (write.kind) {
      case Write::Kind::Put:
        tree_.put(std::move(entries[i]));
        break;
      case Write::Kind::Erase:
        tree_.erase(write.key);
        break;
      case Write::Kind::EraseRange:
        tree_.erase_range(write.key, write.value);
        break;
      case Write::Kind::Add:
        tree_.put(sum_of(tree_.find(write.key), write.key, write.value));
        break;
      case Write::Kind::Append:
        TAVOLA_ASSERT(false);  // transaction.h turned it into a Put
    }
  }
  return {};
}

Result<void> MemoryStore::return_to(Branch* branch, const KeyRange& kept) {
  TAVOLA_ASSERT(!kept.to.empty());
  const FairExclusiveLock alone(transactions_);
  Tree next = branch == nullptr ? Tree() : static_cast<MemoryBranch&>(*branch).tree;
  next.erase_range(kept.from, kept.to);
  const std::unique_ptr<Snapshot> now = snapshot();
  for (const auto cursor = now->range(kept, Direction::Forward); cursor->valid(); cursor->next())
    next.put(Entry::make(cursor->key(), cursor->value()));
  const FairExclusiveLock lock(tree_mutex_);
  std::swap(tree_, next);  // the old tree ends after the lock
  return {};
}

}  // namespace

std::unique_ptr<Store> open_memory() { return std::make_unique<MemoryStore>(); }

}  // namespace tavola::store

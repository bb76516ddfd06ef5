#include "store/frozen.h"

#include <limits>

#include "store/durable_reads.h"

namespace tavola::store {
namespace {

Error refusal() {
  return Error::validation("this is a read-only view of an earlier state and cannot be written");
}

class SharedSnapshot final : public Snapshot {
 public:
  explicit SharedSnapshot(std::shared_ptr<const Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  Result<std::optional<std::string>> get(std::string_view key) const override { return snapshot_->get(key); }
  std::unique_ptr<Cursor> range(const KeyRange& range, Direction direction) const override {
    return snapshot_->range(range, direction);
  }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
};

class FrozenStore final : public Store {
 public:
  explicit FrozenStore(std::unique_ptr<Snapshot> snapshot) : snapshot_(std::move(snapshot)) {}

  // The frozen state need not be durable yet.
  Result<std::optional<std::string>> get(std::string_view key) const override {
    DurableReads::end();
    return snapshot_->get(key);
  }
  std::unique_ptr<Snapshot> snapshot() const override {
    DurableReads::end();
    return std::make_unique<SharedSnapshot>(snapshot_);
  }
  Result<void> transact(std::span<const std::string>, std::span<const Guard>, const WriteRule&,
                        Contention) override {
    return fail(refusal());
  }
  Result<std::uint64_t> settled(std::string_view) override {
    return std::numeric_limits<std::uint64_t>::max();  // no more appends
  }
  void when_durable(std::function<void(Result<void>)> done) override { done({}); }
  Result<void> checkpoint(const std::filesystem::path&) override { return fail(refusal()); }
  Result<void> sync() override { return {}; }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace

std::unique_ptr<Store> freeze(const Store& store) { return std::make_unique<FrozenStore>(store.snapshot()); }

}  // namespace tavola::store

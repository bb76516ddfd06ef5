// A store in memory that watches the rules passed to it: what they read besides their view, and whether they decide the same when they
// are called again. It can let another writer come first. For tests only.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "store/store.h"

namespace tavola::engine {

class WatchedStore final : public store::Store {
 public:
  struct Watch {
    int reads_in_rules = 0;
    std::size_t further_keys = 0;
    std::size_t further_ranges = 0;
    int changed_decisions = 0;  // of rules that were called again with the same view
    // Runs once, after the next rule has decided and before anything is committed: then the rule is called again. A store that
    // does not lock calls rules like this. The rule may ask for further keys, but not for ranges.
    std::function<void()> meanwhile{};
  };
  explicit WatchedStore(Watch& watch) : store_(store::open_memory()), watch_(watch) {}

  Result<std::optional<std::string>> get(std::string_view key) const override {
    if (in_rule_) ++watch_.reads_in_rules;
    return store_->get(key);
  }
  std::unique_ptr<store::Snapshot> snapshot() const override {
    if (in_rule_) ++watch_.reads_in_rules;
    return store_->snapshot();
  }
  Result<void> transact(std::span<const std::string> keys, std::span<const store::Guard> guards,
                        const store::WriteRule& rule, store::Contention contention) override {
    std::vector<std::string> all(keys.begin(), keys.end());
    if (watch_.meanwhile) {
      const std::function<void()> meanwhile = std::exchange(watch_.meanwhile, nullptr);
      const auto lost = [&](const store::View& view) -> Result<store::Decision> {
        Result<store::Decision> decision = rule(view);
        if (!decision || !decision->is_incomplete())
          return fail(Error::internal("another writer came first"));
        EXPECT_TRUE(decision->further_ranges.empty());
        all.insert(all.end(), decision->further_keys.begin(), decision->further_keys.end());
        return decision;
      };
      EXPECT_FALSE(store_->transact(keys, guards, lost, contention));
      meanwhile();
    }
    const auto watched = [&](const store::View& view) { return call(rule, view); };
    return store_->transact(all, guards, watched, contention);
  }
  Result<std::uint64_t> settled(std::string_view prefix) override { return store_->settled(prefix); }
  void when_durable(std::function<void(Result<void>)> done) override {
    store_->when_durable(std::move(done));
  }
  Result<void> checkpoint(const std::filesystem::path& directory) override {
    return store_->checkpoint(directory);
  }
  Result<void> sync() override { return store_->sync(); }

 private:
  Result<store::Decision> call(const store::WriteRule& rule, const store::View& view) {
    in_rule_ = true;
    Result<store::Decision> decision = rule(view);
    if (decision && !decision->is_incomplete()) {
      const Result<store::Decision> again = rule(view);
      if (!again || !is_same(decision->writes, again->writes)) ++watch_.changed_decisions;
    }
    in_rule_ = false;
    if (decision) watch_.further_keys += decision->further_keys.size();
    if (decision) watch_.further_ranges += decision->further_ranges.size();
    return decision;
  }

  static bool is_same(std::span<const store::Write> some, std::span<const store::Write> others) {
    return std::ranges::equal(some, others, [](const store::Write& a, const store::Write& b) {
      return a.kind == b.kind && a.key == b.key && a.value == b.value;
    });
  }

  const std::unique_ptr<store::Store> store_;
  Watch& watch_;
  bool in_rule_ = false;
};

}  // namespace tavola::engine

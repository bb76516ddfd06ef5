// The writes of one request, decided together and committed, all or none. PutItem is one such write, a batch, a transaction or the
// expiry of some items is several.
//
//   stored items ─▶ conditions and changes ─▶ the rules of governed tables: final items, and others that change with them ─▶ store::Write
//                                                ▲ further keys and ranges are read in the same transaction
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "engine/write/item_write.h"
#include "engine/write/table_rules.h"
#include "store/rule_reads.h"
#include "store/store.h"

namespace tavola::engine {

// The steps of a request in the transaction besides its writes. All are optional. The rule calls the functions, possibly several times;
// each call must reset its results.
struct RequestSteps {
  // A key that is locked and read alone, before the items are locked with it.
  std::string first_key{};
  // Whether the value of `first_key` says that the request was done before: then nothing is written.
  std::function<Result<bool>(const std::optional<std::string_view>& stored)> is_done{};
  // Returns the error of the request from the results of its writes, of which one failed. Without it, the first failure is returned.
  std::function<Error(std::span<const Result<WrittenItem>> outcomes)> failure{};
  // Appends further writes. `images` has one entry for each write.
  std::function<void(std::span<const WantedImages> images, std::vector<store::Write>& writes)> also{};
  store::Contention contention = store::Contention::Wait;
};

class RequestWrites {
 public:
  // There is at least one write. Borrows all of them, and the steps.
  RequestWrites(std::span<const ItemWrite> writes, const WriteContext& context, const RequestSteps& steps);
  RequestWrites(std::span<const ItemWrite> writes, const WriteContext& context);  // without further steps
  RequestWrites(const RequestWrites&) = delete;
  RequestWrites& operator=(const RequestWrites&) = delete;

  // Fails as the writes or the steps do, and with Stale when a table changed since its schema was looked up.
  Result<void> run(store::Store& store);

  // The result of a write, once run() has committed it.
  WrittenItem& written(std::size_t write) { return *outcomes_[write]; }

 private:
  // The keys of the writes, and those that their rules begin with.
  std::span<const std::string> item_keys() const;
  // One for each table.
  std::vector<store::Guard> guards() const;
  // The rule of the transaction.
  Result<store::Decision> decide(const store::View& view);
  Result<store::Decision> decide_changes(const store::View& view);
  // Decides the writes; the results are in outcomes_. `first` is where their keys begin in the view.
  Result<store::Decision> decide_writes(const store::View& view, std::size_t first);
  bool is_first_ruled(std::size_t write) const;
  Result<void> check_outcomes() const;
  Result<void> decide_by_rules(const TableSchema& table, store::Decision& decision);
  Result<void> decide_by_rules(const TableSchema& table, std::span<const WantedChange> wanted,
                               store::Decision& decision);
  void append_ruled(std::span<const WantedChange> wanted, RuledChanges ruled, store::Decision& decision);
  void append_as_wanted(std::size_t write, store::Decision& decision);
  void fail_write(std::size_t write, const Error& error);
  void count_and_report() const;

  struct Warnings {
    const TableSchema* table;
    std::vector<RuledChanges::Warning> warnings;
  };

  const std::span<const ItemWrite> writes_;
  RecordedRandom random_;  // the rules draw the same values in every call
  const WriteContext context_;
  const RequestSteps& steps_;
  std::vector<std::string> keys_;  // for item_keys(); empty: the key of the only write
  store::RuleReads reads_;
  // Results of the last call of the rule.
  std::vector<WantedImages> images_;
  std::vector<Result<WrittenItem>> outcomes_;
  std::vector<Warnings> warnings_;
  bool left_job_ = false;
};

// Commits one write. Fails as RequestWrites::run() does.
Result<WrittenItem> write_item(store::Store& store, ItemWrite write, const WriteContext& context);

}  // namespace tavola::engine

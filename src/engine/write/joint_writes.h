// The writes of one request, decided together: what each does to its item, and what the designs of governed tables make of it
// (design/rules/govern_writes.h). PutItem is one such write, a batch or a transaction is several.
//
//   stored items ─▶ conditions and changes ─▶ the design: final items, and others that change with them ─▶ store::Write
//                                                  ▲ further keys are looked up in the same transaction
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "design/roles/groups.h"
#include "design/rules/govern_writes.h"
#include "engine/write/write.h"
#include "store/store.h"

namespace tavola::engine {

// What every write needs to know.
struct WriteContext {
  design::Moment moment;
  std::function<void()>
      on_unfinished{};  // called when a write left something to do in the background (jobs.h)
};

// The rule of one Store::transact. It may be called again and again: it remembers only which further keys it asked for.
class JointWrites {
 public:
  // Borrows all of them.
  JointWrites(const store::Store& store, std::span<const ItemWrite> writes, const WriteContext& context);
  ~JointWrites();
  JointWrites(const JointWrites&) = delete;
  JointWrites& operator=(const JointWrites&) = delete;

  // `first` is where the keys of the writes begin in the view; the further keys follow them. When a write fails, outcomes()
  // tells, and the decision is not to be used.
  Result<store::Decision> decide(const store::View& view, std::size_t first);

  // Of each write, after the last decide().
  std::span<Result<WrittenItem>> outcomes() { return outcomes_; }
  // The first of them that failed, or nothing.
  Result<void> first_failure() const;

  // Once the decision is committed: counts what broke a design that only warns, and tells of work that is left.
  void committed() const;

 private:
  class TableView;

  bool is_governed(const ItemWrite& write) const;
  Result<void> govern(const TableSchema& table, const store::View& view, std::size_t first,
                      store::Decision& decision);
  Result<bool> has_cascade(const TableSchema& table, std::string_view item_key) const;
  // An item whose cascade is not done yet does not come back: what is written under it would go, too.
  Result<void> wait_for_cascades(const TableSchema& table, std::vector<std::size_t>& positions);
  // The short way (design/rules/compiled_rules.h), when it knows the answer for all of these writes. Whether it did.
  Result<bool> decide_by_plan(const TableSchema& table, const std::vector<std::size_t>& positions,
                              store::Decision& decision);
  Result<void> append(const TableSchema& table, const design::GovernedWrites& governed,
                      const std::vector<std::size_t>& positions, store::Decision& decision);
  Result<void> append_rests(const TableSchema& table, const design::GovernedWrites& governed,
                            store::Decision& decision);
  static Result<std::string> key_of_job(const TableSchema& table, const design::GovernedWrites::Rest& rest,
                                        const std::string& id);
  void note_violations(const TableSchema& table, const design::GovernedWrites& governed,
                       const std::vector<std::size_t>& positions);
  void append_as_wanted(std::size_t write, store::Decision& decision);
  // What somebody may write, if the request is made for somebody: no other name where the design wants the caller's, and no
  // permission that they do not have (design/roles/groups.h). Also where the design is not enforced: who somebody is and what they may
  // do does not depend on that.
  Result<void> check_caller(const TableSchema& table, const std::optional<Item>& before,
                            const std::optional<Item>& after);
  // The fields of all that a pattern finds about a person or a group.
  struct AboutSomebody {
    const design::Pattern& pattern;
    const std::string& about;
  };
  Result<std::vector<Item>> ask_about(const TableSchema& table, const design::Design& design,
                                      const AboutSomebody& question) const;
  void fail_write(std::size_t write, const Error& error);
  // What changed in a table that is being migrated, for its twin.
  void note_for_twin(std::size_t write, const std::optional<ItemView>& before,
                     const std::optional<ItemView>& after);
  Result<void> write_twins(const store::View& view, std::size_t first, store::Decision& decision);

  struct Broken {
    const TableSchema* table;
    Error error;
    std::string key;
  };

  struct ForTwin {
    std::size_t write;  // that it changed with
    std::optional<Item> before;
    std::optional<Item> after;
  };

  const store::Store& store_;
  const std::span<const ItemWrite> writes_;
  const WriteContext& context_;
  std::vector<std::string> asked_;  // the further keys, in the order of the view
  std::vector<WantedImages> images_;
  std::vector<Result<WrittenItem>> outcomes_;
  std::vector<Broken> broken_;
  std::vector<ForTwin> for_twins_;
  std::map<const TableSchema*, design::Giver> givers_;  // the caller, by the table with their groups
  bool left_work_ = false;
};

// Commits one write. Fails as its rule does, or with Stale when the schema changed.
Result<WrittenItem> write_item(store::Store& store, ItemWrite write, const WriteContext& context);

}  // namespace tavola::engine

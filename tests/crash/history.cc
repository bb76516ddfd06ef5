#include "tests/crash/history.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <variant>

namespace tavola::crash {

namespace {

std::string name_of(const Key& key) { return "(" + key.partition + ", " + std::to_string(key.sort) + ")"; }

std::string text_of(const std::optional<Item>& item) { return item ? shorten(*item) : "nothing"; }

std::optional<Item> find_item(const Stored& stored, const std::string& table, const Key& key) {
  const auto at = stored.find(table);
  if (at == stored.end()) return std::nullopt;
  const auto item = at->second.items.find(key);
  return item == at->second.items.end() ? std::nullopt : std::optional(item->second);
}

std::int64_t count_in(const std::optional<Item>& item) {
  if (!item || !item->contains(kCount)) return 0;
  return item->at(kCount).number().to_int64().value_or(-1);
}

std::string text_of_under_way(const std::vector<std::uint64_t>& operations) {
  if (operations.empty()) return "";
  return " with operation " + std::to_string(operations.front()) + " under way" +
         (operations.size() > 1 ? " and " + std::to_string(operations.size() - 1) + " behind it" : "");
}

// Returns whether an operation with a condition must be applied to `before`.
bool must_apply(const Operation& operation, const std::optional<Item>& before) {
  return operation.kind != Operation::Kind::PutNew || !before;
}

// The scratch table as a whole: nullopt if it does not exist.
using TableState = std::optional<std::map<Key, Item>>;

// Returns the table after an applied operation.
TableState table_after(const Operation& operation, TableState before) {
  if (operation.kind == Operation::Kind::CreateTable) return std::map<Key, Item>{};
  if (operation.kind == Operation::Kind::DeleteTable || !before) return std::nullopt;
  const auto at = before->find(operation.key);
  auto item = item_after(operation, at == before->end() ? std::nullopt : std::optional(at->second));
  if (item) {
    before->insert_or_assign(operation.key, *std::move(item));
  } else {
    before->erase(operation.key);
  }
  return before;
}

// Returns whether the database must apply the operation to the current table, rather than refuse it.
bool must_apply(const Operation& operation, const TableState& before) {
  if (operation.kind == Operation::Kind::CreateTable) return !before;
  if (operation.kind == Operation::Kind::DeleteTable) return before.has_value();
  return operation.kind != Operation::Kind::PutNew || (before && !before->contains(operation.key));
}

TableState state_of(const Stored& stored, const std::string& table) {
  const auto at = stored.find(table);
  return at == stored.end() ? std::nullopt : TableState(at->second.items);
}

}  // namespace

void History::record(const JournalRecord& record) {
  ++position_;
  if (const auto* attempt = std::get_if<Attempt>(&record)) {
    const Operation& operation = attempt->operation;
    ++attempted_;
    by_id_[operation.id] = events_.size();
    Events& events = operation.table == kScratchTable                 ? scratch_
                     : operation.kind == Operation::Kind::CreateTable ? main_table_
                                                                      : main_[operation.key];
    events.push_back(events_.size());
    events_.push_back({.operation = operation, .began = position_, .ended = std::nullopt});
  } else if (const auto* end = std::get_if<Acknowledged>(&record)) {
    ++acknowledged_;
    Event& event = events_.at(by_id_.at(end->id));
    event.ended = position_;
    event.outcome = end->outcome;
  } else if (const auto* failed = std::get_if<Failed>(&record)) {
    failures_.push_back(*failed);
  }
}

Violations History::violations(const Stored& stored) const {
  Violations found;
  for (const Failed& failed : failures_) {
    found.push_back("operation " + std::to_string(failed.id) + " failed: " + failed.message);
  }
  check_main(stored, found);
  check_scratch(stored, found);
  for (const auto& [name, table] : stored) {
    if (name != kMainTable && name != kScratchTable) found.push_back("nobody created the table " + name);
  }
  return found;
}

void History::settle(const Stored& stored) {
  base_ = stored;
  events_.clear();
  by_id_.clear();
  main_.clear();
  main_table_.clear();
  scratch_.clear();
  failures_.clear();
}

void History::check_main(const Stored& stored, Violations& found) const {
  const auto table = stored.find(kMainTable);
  if (table == stored.end()) {
    const bool created =
        std::ranges::any_of(main_table_, [&](std::size_t at) { return events_[at].ended.has_value(); });
    if (base_.contains(kMainTable) || created) found.emplace_back("the main table is gone");
    return;
  }
  if (!base_.contains(kMainTable) && main_table_.empty()) found.emplace_back("nobody created the main table");
  std::map<Key, std::optional<Item>> keys;
  for (const auto& [key, events] : main_) keys[key];
  if (const auto base = base_.find(kMainTable); base != base_.end()) {
    for (const auto& [key, item] : base->second.items) keys[key];
  }
  for (const auto& [key, item] : table->second.items) keys[key] = item;
  for (const auto& [key, item] : keys) {
    switch (role_of(key)) {
      case KeyRole::Owned:
        check_owned(key, item, found);
        break;
      case KeyRole::Shared:
        check_shared(key, item, found);
        break;
      case KeyRole::Counter:
        check_counter(key, item, found);
        break;
    }
  }
}

void History::check_owned(const Key& key, const std::optional<Item>& stored, Violations& found) const {
  std::optional<Item> acknowledged = base_of(key);
  std::vector<std::uint64_t> under_way;
  std::optional<Item> state = acknowledged;
  bool possible = stored == state;
  for (const std::size_t at : events_of(key)) {
    const Event& event = events_[at];
    const bool applies = must_apply(event.operation, state);
    if (event.ended && event.outcome.applied != applies) {
      found.push_back("the condition of operation " + std::to_string(event.operation.id) + " on " +
                      name_of(key) + " was judged wrongly");
    }
    if (applies) state = item_after(event.operation, state);
    if (event.ended) {
      acknowledged = state;
    } else {
      under_way.push_back(event.operation.id);
    }
    possible = stored == state || (possible && !event.ended);
  }
  if (possible) return;
  found.push_back(name_of(key) + " is " + text_of(stored) + ", acknowledged was " + text_of(acknowledged) +
                  text_of_under_way(under_way));
}

// Returns whether an acknowledged operation began after the position `ended`.
bool History::superseded(std::size_t ended, const Events& events) const {
  return std::ranges::any_of(events, [&](std::size_t at) {
    return events_[at].ended && events_[at].outcome.applied && events_[at].began > ended;
  });
}

void History::check_shared(const Key& key, const std::optional<Item>& stored, Violations& found) const {
  const Events& events = events_of(key);
  if (stored == base_of(key) && !superseded(0, events)) return;
  for (const std::size_t at : events) {
    const Event& event = events_[at];
    if (stored != item_after(event.operation, std::nullopt)) continue;
    if (!event.ended || (event.outcome.applied && !superseded(*event.ended, events))) return;
  }
  found.push_back(name_of(key) + " is " + text_of(stored) +
                  ", which nobody wrote or an acknowledged write came after");
}

void History::check_counter(const Key& key, const std::optional<Item>& stored, Violations& found) const {
  const std::int64_t base = count_in(base_of(key));
  const std::int64_t now = count_in(stored);
  std::int64_t acknowledged = 0;
  std::map<std::int64_t, std::uint64_t> given_out;
  for (const std::size_t at : events_of(key)) {
    const Event& event = events_[at];
    if (!event.ended) continue;
    ++acknowledged;
    const auto [other, fresh] = given_out.emplace(event.outcome.value, event.operation.id);
    if (!fresh) {
      found.push_back("operations " + std::to_string(other->second) + " and " +
                      std::to_string(event.operation.id) + " both counted " + name_of(key) + " to " +
                      std::to_string(event.outcome.value));
    }
    if (event.outcome.value <= base || event.outcome.value > now) {
      found.push_back("operation " + std::to_string(event.operation.id) + " counted " + name_of(key) +
                      " to " + std::to_string(event.outcome.value) + ", which is not between " +
                      std::to_string(base) + " and " + std::to_string(now));
    }
  }
  const auto attempted = static_cast<std::int64_t>(events_of(key).size());
  if (now < base + acknowledged || now > base + attempted) {
    found.push_back(name_of(key) + " counts " + std::to_string(now) + ": was " + std::to_string(base) + ", " +
                    std::to_string(acknowledged) + " acknowledged, " + std::to_string(attempted) +
                    " attempted");
  }
}

void History::check_scratch(const Stored& stored, Violations& found) const {
  const TableState now = state_of(stored, kScratchTable);
  TableState state = state_of(base_, kScratchTable);
  TableState acknowledged = state;
  std::vector<std::uint64_t> under_way;
  bool possible = now == state;
  for (const std::size_t at : scratch_) {
    const Event& event = events_[at];
    const bool applies = must_apply(event.operation, state);
    if (event.ended && event.outcome.applied != applies) {
      found.push_back("operation " + std::to_string(event.operation.id) + " on the scratch table was " +
                      (event.outcome.applied ? "applied" : "refused") + ", wrongly");
    }
    if (applies) state = table_after(event.operation, std::move(state));
    if (event.ended) {
      acknowledged = state;
    } else {
      under_way.push_back(event.operation.id);
    }
    possible = now == state || (possible && !event.ended);
  }
  if (possible) return;
  const auto size = [](const TableState& table) {
    return table ? "has " + std::to_string(table->size()) + " items" : std::string("does not exist");
  };
  found.push_back("the scratch table " + size(now) + ", but by what was acknowledged it " +
                  size(acknowledged) + " (or an item of it differs)" + text_of_under_way(under_way));
}

void History::allow_lost_end(const Stored& stored) {
  const std::size_t last = last_seen(stored);
  for (Event& event : events_) {
    if (event.ended && *event.ended >= last) event.ended.reset();
  }
}

// Returns the position at which the latest operation began that `stored` shows; 0 if it shows none.
std::size_t History::last_seen(const Stored& stored) const {
  std::size_t last = 0;
  for (const auto& table : stored | std::views::values) {
    for (const auto& item : table.items | std::views::values) {
      const auto id = item.find(kOperation);
      if (id == item.end()) continue;
      const auto event = by_id_.find(static_cast<std::uint64_t>(id->second.number().to_int64().value_or(0)));
      if (event != by_id_.end()) last = std::max(last, events_[event->second].began);
    }
  }
  return last;
}

std::optional<Item> History::base_of(const Key& key) const { return find_item(base_, kMainTable, key); }

const History::Events& History::events_of(const Key& key) const {
  static const Events none;
  const auto at = main_.find(key);
  return at == main_.end() ? none : at->second;
}

}  // namespace tavola::crash

// The states that the journals allow. Takes the records of the killed writers in their order, and compares a database
// read after the kill with every state that the acknowledgements leave possible:
//
//  * a key of one thread: exactly what its acknowledged operations made of it, or that and, in their order, operations
//    that were under way when the process died (one, unless allow_lost_end() made them more);
//  * a key of several threads: what some attempted operation wrote, unless an acknowledged operation began after that
//    one had been acknowledged;
//  * a counter: at least as many as acknowledged, at most as many as attempted, and no value given out twice;
//  * the scratch table: as a whole, what its one thread's acknowledged operations made of it, or that and those under
//    way;
//  * any other item or table was never written, and must not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/crash/agreement.h"
#include "tests/crash/journal.h"
#include "tests/crash/stored.h"

namespace tavola::crash {

class History {
 public:
  void record(const JournalRecord& record);

  // Returns what `stored` has and must not have, or lacks and must have.
  Violations violations(const Stored& stored) const;

  // Handles a power cut that removed acknowledged but unsynced writes: finds the latest operation that `stored` shows,
  // and from then on treats every operation that had not ended when that one began as never acknowledged. The others
  // must be stored: only the end of the history may be missing.
  void allow_lost_end(const Stored& stored);

  // Takes `stored` as the new base. A pending operation has either happened or never will.
  void settle(const Stored& stored);

  std::size_t acknowledged() const { return acknowledged_; }
  std::size_t attempted() const { return attempted_; }

 private:
  struct Event {
    Operation operation;
    std::size_t began = 0;
    std::optional<std::size_t> ended;  // both are positions in the journal
    Outcome outcome{};
  };
  using Events = std::vector<std::size_t>;  // positions in events_

  void check_main(const Stored& stored, Violations& found) const;
  void check_scratch(const Stored& stored, Violations& found) const;
  void check_owned(const Key& key, const std::optional<Item>& stored, Violations& found) const;
  void check_shared(const Key& key, const std::optional<Item>& stored, Violations& found) const;
  void check_counter(const Key& key, const std::optional<Item>& stored, Violations& found) const;
  std::size_t last_seen(const Stored& stored) const;
  bool superseded(std::size_t ended, const Events& events) const;
  std::optional<Item> base_of(const Key& key) const;
  const Events& events_of(const Key& key) const;

  Stored base_;  // the content at the last check
  std::vector<Event> events_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
  std::map<Key, Events> main_;
  Events main_table_;  // creations of the main table
  Events scratch_;
  std::vector<Failed> failures_;
  std::size_t position_ = 0;
  std::size_t acknowledged_ = 0;
  std::size_t attempted_ = 0;
};

}  // namespace tavola::crash

// The writes of one request on a governed table, together: each is governed (govern.h), what changes with it is applied to the
// other items, and what the request wrote of those itself is compared. Pure: who calls it looks up what is unknown.
//
//   Put Rating ──▶ govern ──▶ add 1 to Site.ratingCount ─┐
//   Update Site (title) ──▶ govern ──────────────────────┴─▶ Site with the title and the count
//
// A request may write copies, counters and guards itself, as programs do that know nothing of the design, if it writes what
// the design makes of them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/rules/govern.h"

namespace tavola::design {

// One write: the item as it is, and as the client wants it.
struct WantedChange {
  std::optional<Item> before;
  std::optional<Item> after;
  bool expires = false;  // it goes because its time has come; so does a copy
};

// What the rule must know of the rest of the table.
class Surroundings : public Neighbours {
 public:
  // The items that a pattern answers (a query, in which the design's entities are told apart), at most `limit`.
  virtual Result<std::vector<Item>> ask(const Pattern& pattern, const Item& parameters,
                                        std::size_t limit) const = 0;
};

struct GovernedWrites {
  // An item that the request changes, or one that changes with it.
  struct Change {
    Item key;
    std::optional<Item> before;
    std::optional<Item> after;
    std::optional<std::size_t> write;  // of the request
    std::size_t cause = 0;             // the write that it changes with
    std::optional<std::int64_t> stuck_before;
    std::optional<std::int64_t> stuck_after;
  };
  // What breaks the design. The writes it concerns stand as the client wants them.
  struct Violation {
    std::size_t write;
    Error error;
  };
  // What is left to do when it is too much for one transaction.
  struct Rest {
    Item source;                   // the key of the item whose copies are these, or that was deleted
    std::vector<Item> copies;      // their keys
    const Entity* gone = nullptr;  // an entity that was deleted, and what goes with it is still there:
    Item fields;                   // its fields
  };
  std::vector<Change> changes;  // those of the request first, in their order
  std::vector<Violation> violations;
  std::vector<Rest> rests;
  std::vector<Item> unknown;  // keys to look up; when there are any, the rest is not decided yet
};

// So many other items change in one transaction; the others are left in `rests`.
inline constexpr std::size_t kCompanionsMax = 100;

Result<GovernedWrites> govern_writes(const Design& design, std::span<const WantedChange> writes,
                                     const Moment& moment, const Surroundings& surroundings);

// The key of what goes with a deleted entity, by what the pattern of the cascade found: that, or what it is a copy of. Nothing when it
// is something else, or has lost what the key is made of.
std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found);

// The copies that an item must have now: each as Companion::Kind::Put. For what was left in `rests`.
Result<std::vector<Companion>> copies_of(const Design& design, const Item& source, const Moment& moment);

}  // namespace tavola::design

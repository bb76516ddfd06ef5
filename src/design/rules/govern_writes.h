// The writes of one request on a governed table, together: each is governed (govern.h), its dependent writes are
// applied to the other items, and the request's own writes of those are compared with them. Pure: the caller reads the
// unknown items.
//
//   Put Rating ──▶ govern ──▶ add 1 to Site.ratingCount ─┐
//   Update Site (title) ──▶ govern ──────────────────────┴─▶ Site with the title and the count
//
// A request may write copies, counters and guards itself, as programs do that do not know the design, if the values
// equal those of the design.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "design/rules/govern.h"

namespace tavola::design {

// One write: the current item, and the item that the client wants.
struct WantedChange {
  std::optional<Item> before;
  std::optional<Item> after;
  bool expires = false;  // deleted by expiry; so are its copies
};

// The parts of the table that the rule must know.
class Surroundings : public Neighbours {
 public:
  // Returns the items that a pattern finds (a query, with the entities of the design distinguished), at most
  // `limit`.
  virtual Result<std::vector<Item>> ask(const Pattern& pattern, const Item& parameters,
                                        std::size_t limit) const = 0;
};

struct GovernedWrites {
  // An item that the request changes, or a dependent one.
  struct Change {
    Item key;
    std::optional<Item> before;
    std::optional<Item> after;
    std::optional<std::size_t> write;  // of the request
    std::size_t cause = 0;             // the write that it changes with
    std::optional<std::int64_t> stuck_before;
    std::optional<std::int64_t> stuck_after;
  };
  // A violation of the design. The writes it concerns stand as the client wants them.
  struct Violation {
    std::size_t write;
    Error error;
  };
  // The rest of the work, if it is too much for one transaction.
  struct Rest {
    Item source;                   // the key of the item with these copies, or of the deleted one
    std::vector<Item> copies;      // their keys
    const Entity* gone = nullptr;  // set for an unfinished cascade: the deleted entity
    Item fields;                   // its fields
  };
  std::vector<Change> changes;  // those of the request first, in their order
  std::vector<Violation> violations;
  std::vector<Rest> rests;
  std::vector<Item> unknown;  // keys to look up; when there are any, the rest is not decided yet
};

// The maximum number of dependent items in one transaction; the others are left in `rests`.
inline constexpr std::size_t kCompanionsMax = 100;

Result<GovernedWrites> govern_writes(const Design& design, std::span<const WantedChange> writes,
                                     const Moment& moment, const Surroundings& surroundings);

// Returns the key of an item that cascades from a deleted entity, given what the pattern of the cascade found: that
// item, or the source of a copy. Returns nullopt if it is something else, or lacks a field of the key.
std::optional<Item> gone_along(const Design& design, const Cascade& cascade, const Item& found);

// Returns the copies that an item must have now, each as Companion::Kind::Put. Completes the work left in
// `rests`.
Result<std::vector<Companion>> copies_of(const Design& design, const Item& source, const Moment& moment);

}  // namespace tavola::design

// The decision of the write rules (write_rules.h) on the writes of one request.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <tavola/error.h>
#include <tavola/packed.h>
#include <tavola/value.h>

#include "design/model/model.h"

namespace tavola::design {

struct RuledWrites {
  // An item that the request changes, or one that changes with it.
  struct Change {
    std::optional<std::size_t> write;  // of the request; nothing: an item that changes with one
    std::size_t cause = 0;             // the write that it changes with
    PackedItem key;  // of an item that changes with a write; otherwise empty: the write has it
    std::optional<PackedItem> after;
    // The keys of the design's indexes are certainly right: each is as the client sent it, which the engine has checked, or was made of
    // the template of its index, which checks its type and its length.
    bool has_checked_index_keys = false;
  };
  // A violation of the design. The writes that it concerns stay as the client sent them.
  struct Violation {
    std::size_t write;
    Error error;
  };
  // Changes that are too many for one transaction and are left to do afterwards.
  struct Remainder {
    PackedItem source;               // the key of the item whose copies are these, or that was deleted
    std::vector<PackedItem> copies;  // their keys
    const Entity* gone = nullptr;    // set for an unfinished cascade: the deleted entity
    Item fields;                     // its fields
  };
  std::vector<Change> changes;  // those of the request first, in their order
  std::vector<Violation> violations;
  std::vector<Remainder> remainders;
  bool is_waiting = false;  // something was not read yet (TableLookup): nothing is decided

  void violate(std::size_t write, Error error) { violations.push_back({write, std::move(error)}); }
};

}  // namespace tavola::design

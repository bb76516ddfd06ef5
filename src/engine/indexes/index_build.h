// Global indexes that are created and deleted while their table is used (UpdateTable).
//
// The record of a table says which index is being built, and up to which position in the store: items up to it are in
// the index, the others are not. A writer carries the record as a guard, so it knows the position for certain, and
// maintains the index for an item that is in it. A step of the build names the record as a key, so no write is running:
// it puts the entries of the next items and moves the position behind them. So the index is correct at all times, even
// if the program crashes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/records/schema.h"

namespace tavola::engine {

// The size of one step. Every writer of the table waits for it, so it is short (5 µs an item, tests/backfill).
struct BuildStep {
  std::size_t items = 500;
  std::size_t bytes = std::size_t{512} * 1024;
};

// Adds the next items to the index that is being built. Returns true if there is none, or it is complete.
Result<bool> build_some(Catalog& catalog, const std::string& table_name, const BuildStep& step = {});

}  // namespace tavola::engine

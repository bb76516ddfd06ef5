// Global indexes that come and go while their table is used (UpdateTable).
//
// The record of a table says which index is being built, and up to which place in the store: items at or before it are in the
// index, the others are not. A writer carries the record as a guard, so it knows the place for certain, and keeps the index of
// an item that is in it. A step of the build names the record as a key, so no writer is at work meanwhile: it puts the entries of
// the next items and moves the place behind them. So the index is right at every moment, whatever ends the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/records/schema.h"
#include "store/store.h"

namespace tavola::engine {

// How much one step does. Every writer of the table waits for it: so it is short (5 µs an item, tests/backfill).
struct BuildStep {
  std::size_t items = 500;
  std::size_t bytes = std::size_t{512} * 1024;
};

// The next items of the index that is being built. True when none is: it has all of them.
Result<bool> build_some(store::Store& store, Catalog& catalog, const std::string& table_name,
                        const BuildStep& step = {});

}  // namespace tavola::engine

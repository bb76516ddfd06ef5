// A database with one deliberate flaw, to show that the checker finds it.
#pragma once

#include <cstdint>
#include <memory>

#include <tavola/database.h>

namespace tavola::model {

enum class Flaw : std::uint8_t {
  None,
  LosesIndexEntry,    // after every 50th put the item is missing in index reads
  SkipsItemInPage,    // every 20th page lacks one of its items
  RepeatsLastItem,    // every 20th next page starts one item too early
  DropsUpdate,        // every 50th update is acknowledged, not performed
  IgnoresCondition,   // every 10th condition is ignored
  ReturnsNewForOld,   // ALL_OLD and UPDATED_OLD of updates return the new attributes
  ForgetsLastKey,     // every 20th page lacks its LastEvaluatedKey
  MiscountsScanned,   // every 20th filtered page counts only the matches
  OverchargesReads,   // half a unit too much for every 20th get
  ReversesBackwards,  // every 10th backward query goes forward
  HalvesTransaction,  // every 10th transaction of several actions skips its last one
};

// Owns the sound database it wraps.
std::unique_ptr<Database> with_flaw(std::unique_ptr<Database> sound, Flaw flaw);

}  // namespace tavola::model

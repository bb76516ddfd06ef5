// The schema in PostgreSQL (stored_key.h has its table), and every statement that is ever sent to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tavola::store {

// In the order of all_statements().
enum class Statement : std::uint8_t {
  Begin,
  BeginSnapshot,
  Commit,
  Rollback,
  Lock,  // $1 bigint[]: keys, $2 boolean[]: whether each is shared; in this order. Waits
  LockOrRefuse,  // the same, and $3 bigint[]: positions; returns the position of a key that another transaction holds, or -1
  Read,  // $1, $2: keys, $3, $4, $5: guards and their values → (n, slot, v, c, same): n is 0 for the transaction itself, positive for keys, negative for guards
  Get,   // $1, $2: a key → (slot, v, c, stamp); at least one row, whose slot is null if there is no such key
  Stamp,             // → (stamp)
  Forward,           // $1, $2, $3: after this row, $4: below this p, $5: rows at most → (p, h, slot, r, v, c)
  Backward,          // $1, $2, $3: before this row, $4: from this p on, $5
  ForwardLong,       // $1, $2, $3: after this p, r, slot, $4, $5: below this p, r, $6
  BackwardLong,      // $1, $2, $3: before this p, r, slot, $4, $5: from this p, r on, $6
  Put,               // $1, $2, $3: keys, $4: values
  Erase,             // $1, $2: keys
  EraseRange,        // $1, $2: from, $3, $4: to
  Add,               // $1, $2, $3: key, $4: slot, $5: counters
  Append,            // $1: prefixes, $2: values, $3: the least number
  MarkAppends,       // → (the latest number, a transaction that began after it)
  Settled,           // $1: from, $2: to → (the oldest transaction that runs, p of the last append)
  Lead,              // $1: a lock → whether this session has it, for good
  TransactionState,  // $1: a transaction → its state, null if PostgreSQL does not remember it
};

struct StatementText {
  Statement statement;
  const char* sql;
};
std::span<const StatementText> all_statements();

// The settings of every connection, and the statements that make a missing schema.
std::string session_settings(const std::string& name);
std::string make_schema(const std::string& name);
inline constexpr int kSchemaVersion = 1;

}  // namespace tavola::store

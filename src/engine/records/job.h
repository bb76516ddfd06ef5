// The records of jobs: background work that a change left to be done (docs/FORMAT.md, "Jobs").
//
// A record is a packed item. Its attributes `table` and `kind` identify the table and the worker; the other attributes
// belong to the kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/error.h>
#include <tavola/value.h>

namespace tavola::engine {

// Written to disk. Never renumber; append only.
enum class JobKind : std::uint8_t {
  Copies = 1,      // copies of a changed item that are not yet written
  Cascade = 2,     // items that are deleted with another one
  Adoption = 3,    // a table that got a design
  Migration = 4,   // a table that moves to the next revision of its design
  IndexBuild = 5,  // an index of a table that has items
  Restore = 6,     // a table that is filled from a backup
};

// Returns the record of a job with these further attributes.
Result<std::string> encode_job(JobKind kind, const std::string& table_name, Item attributes = {});

struct Job {
  JobKind kind;
  std::string table_name;
  Item attributes;  // all of the record
};
// Fails with Corrupt if the record is not that of a job, or lacks attributes of its kind.
Result<Job> decode_job(std::string_view record);

}  // namespace tavola::engine

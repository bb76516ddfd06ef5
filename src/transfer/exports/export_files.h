// The files of an export, as DynamoDB writes them (Developer Guide, "DynamoDB table export output format"):
//
//   <prefix>/AWSDynamoDB/<id>/_started
//                             data/<name>.json.gz …       lines of DynamoDB JSON
//                             manifest-files.json, .md5    a line for each of them
//                             manifest-summary.json, .md5  written last: marks a complete export
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "transfer/walk/patience.h"
#include "wire/codec/operations.h"

namespace tavola::transfer {

struct ExportedFiles {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;  // size of the items, as DynamoDB counts
  std::string manifest{};   // the key of manifest-summary.json
};

struct ExportJob {
  Database& database;        // a view of the export's time
  std::string table_name{};  // the name of the table in it
  ExportDescription description{};
  std::filesystem::path bucket{};
  const ServerIdentity& place;
  const Clock& clock;
  Random& random;
  const std::atomic<bool>& is_stopping;
  Pause pause = sleep();
};
// Fails with Io, or as Scan does. Written files stay; without a manifest they are not an export.
Result<ExportedFiles> write_export(const ExportJob& job);

}  // namespace tavola::transfer

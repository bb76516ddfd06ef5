// The records of exports and imports, in files of a folder: exports/<id>.json and imports/<id>.json. Without a folder
// they are lost at the end.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/exports.h>

#include "base/clock.h"

namespace tavola::transfer {

struct ExportRecord {
  ExportDescription description{};
  std::string scratch_table{};  // the restored table, while it is exported
};
struct ImportRecord {
  ImportDescription description{};
};

std::string to_json(const ExportRecord& record);
std::string to_json(const ImportRecord& record);
Result<ExportRecord> read_export_record(std::string_view json);
Result<ImportRecord> read_import_record(std::string_view json);

// By id, which begins with the time.
using Exports = std::map<std::string, ExportRecord, std::less<>>;
using Imports = std::map<std::string, ImportRecord, std::less<>>;

// Thread safety: none.
class JobRecords {
 public:
  // With an empty folder nothing is written.
  static Result<JobRecords> open(const std::filesystem::path& folder, WallTime now);

  Exports exports{};
  Imports imports{};

  // Writes the current record of that id.
  Result<void> save_export(const std::string& id) const;
  Result<void> save_import(const std::string& id) const;
  void forget_import(const std::string& id);

 private:
  Result<void> save(const std::string& kind, const std::string& id, const std::string& json) const;

  std::filesystem::path folder_;
};

}  // namespace tavola::transfer

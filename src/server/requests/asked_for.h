// The meaning of a recorded request: its tables and index, and the patterns of the design that explain its reads. It is found by taking the
// request apart as the server does, without performing it; so nobody pays for it but those who look.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "server/layers/traffic_database.h"
#include "server/requests/recorder.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

using DesignsOfTables = std::vector<std::shared_ptr<const design::Design>>;

struct AskedFor {
  std::vector<std::string> tables;
  std::string index;
  // Each once; nullopt if it reads nothing of a table that has a design. Empty: no pattern explains it.
  std::optional<std::vector<std::string>> patterns;
  bool is_scan = false;  // it reads a table or an index from its beginning
};

// Thread safety: all methods. Borrows all parts.
class AskedReader {
 public:
  struct Parts {
    Database& database;
    bool describes_tables = true;              // false: that takes long, so statements are not taken apart
    const TrafficDatabase* traffic = nullptr;  // null: no designs are served
    const ServedDesigns* designs = nullptr;    // null with `traffic`
  };
  explicit AskedReader(const Parts& parts) : parts_(parts) {}

  AskedFor read(const RecordedRequest& request) const;
  // Returns the designs that are served for the tables, and those that govern them.
  DesignsOfTables designs_of(const AskedFor& asked) const;

 private:
  AskedFor read_design_path(std::string_view target) const;

  Parts parts_;
};

}  // namespace tavola::server

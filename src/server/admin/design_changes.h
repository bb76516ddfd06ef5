// Changes of designs while the server runs, by `tavola design apply` and --watch: the design takes over its table (adoptions.h), and
// is served under /v1 from then on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tavola/database.h>

#include "design/model/model.h"
#include "server/admin/adoptions.h"
#include "server/log/log.h"
#include "server/v1/served_designs.h"

namespace tavola::server {

// Logs what differs from the design that governs the table now, a line for each difference; nothing if no design does.
void log_differences(const design::Design& design, Database& database, Log& log);

// Thread safety: all methods. Borrows all it is given.
class DesignChanges {
 public:
  struct Parts {
    Database& database;
    Adoptions& adoptions;
    Log& log;
    ServedDesigns* served = nullptr;  // null: the server serves no designs
  };
  explicit DesignChanges(const Parts& parts) : parts_(parts) {}

  struct Wishes {
    bool delete_indexes = false;
  };
  // Fails with Validation if the design cannot take over the table; then nothing changes.
  Result<void> start(const design::Design& design, const Wishes& wishes);

  struct State {
    bool table_exists = false;
    std::shared_ptr<const design::Design> design{};  // null: none, or none that can be read
    bool is_adopting = false;
    std::string served_from{};  // the file of the design that the server was started with for the table
    std::optional<Adoptions::Status> adoption{};
  };
  Result<State> state_of(std::string_view table) const;

 private:
  Result<void> check_others(const design::Design& design) const;

  const Parts parts_;
};

}  // namespace tavola::server

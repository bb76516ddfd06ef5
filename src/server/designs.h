// The designs of `tavola serve --design`: they are read before anything is opened, and their tables are made ready before
// anybody is answered.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>

#include "database/forwarding_database.h"
#include "design/model/model.h"
#include "server/admin/adoptions.h"
#include "server/log/log.h"
#include "server/v1/served_designs.h"
#include "server/v1/service.h"
#include "store/store.h"

namespace tavola::server {

// Loads a design to be served beside others. Fails with everything that is wrong if it cannot run, when another one has the same name,
// and when two are of one table and one of them has roles.
Result<void> add_design(const std::string& file, std::vector<design::Design>& designs);
// Fails as add_design() does, with the first one that cannot be added.
Result<std::vector<design::Design>> load_designs(const std::vector<std::string>& files);

// The secret that seals page tokens: kept in the data directory, so that a token outlives the server.
Result<std::string> page_secret(const std::filesystem::path& directory);
// Returns that of a store which servers share: all of them have the same secret.
Result<std::string> page_secret(store::Store& store);
// Returns a secret that is not stored.
std::string new_secret();

struct TableParts {
  Database& database;
  Adoptions& adoptions;
  Log& log;
  std::string data{};      // the data directory, for commands in messages
  std::string endpoint{};  // the server's URL, for the same
};
// Creates the tables that are missing, and logs how the others differ from their designs. A table that its design does not govern
// yet, or whose index is missing, is taken over (adoptions.h), in the background if that takes longer than some seconds; the log shows how
// its design has changed. Fails with the command to run if a table or an index has other keys than the design.
Result<void> prepare_tables(const DesignService& service, const TableParts& parts);

// Serves the designs of all other governed tables besides: those that were applied while an earlier server ran. One that cannot be served
// beside the others is left out.
Result<void> serve_stored_designs(ServedDesigns& served, Database& database);

// Returns the command that moves the items of a table to one with other keys. `stored` is the design of the table; null: none.
// `where` is "--data DIR" or "--endpoint URL".
std::string migrate_command(const design::Design& design, const design::Design* stored,
                            const std::string& where);

// How the server knows people.
struct Logins {
  bool by_token = false;
  bool by_key = false;  // --credentials: keys may stand for persons
};
// Warns in the log where roles and logins do not go together.
void warn_about_roles(std::span<const design::Design> designs, const Logins& logins, Log& log);

// A database in front of another one, which governs a new or restored table if it is the table of a design, for every client that makes one.
// Thread safety: all methods. Borrows the database.
class GoverningDatabase final : public ForwardingDatabase {
 public:
  // Reports why a table that was created is not governed: it does not fit its design.
  using Report = std::function<void(const design::Design& design, const Error& why)>;
  // Has the design take over a table as soon as it is restored.
  using Adopt = std::function<void(const design::Design& design)>;
  using Designs = std::function<DesignList()>;  // returns those that are served now
  // Told of a table that was deleted.
  using Forget = std::function<void(const std::string& table)>;
  GoverningDatabase(Database& database, Designs designs, Report report, Adopt adopt = {}, Forget forget = {})
      : ForwardingDatabase(database),
        designs_(std::move(designs)),
        report_(std::move(report)),
        adopt_(std::move(adopt)),
        forget_(std::move(forget)) {}

  // Fails if the database does, also after the table was created: clients must not take it for governed.
  Result<CreateTableResponse> create_table(const CreateTableRequest& request) override;
  Result<DeleteTableResponse> delete_table(const DeleteTableRequest& request) override;
  Result<RestoreTableFromBackupResponse> restore_table_from_backup(
      const RestoreTableFromBackupRequest& request) override;
  Result<RestoreTableToPointInTimeResponse> restore_table_to_point_in_time(
      const RestoreTableToPointInTimeRequest& request) override;

 private:
  void adopt(const std::string& table) const;

  Designs designs_;
  Report report_;
  Adopt adopt_;
  Forget forget_;
};

}  // namespace tavola::server

#include "server/designs.h"

#include <algorithm>
#include <chrono>

#include "base/files.h"
#include "base/random.h"
#include "drift/adopt.h"
#include "drift/import_mark.h"
#include "engine/records/keys.h"
#include "server/admin/design_changes.h"
#include "server/design_file.h"

namespace tavola::server {
namespace {

constexpr std::size_t kSecretBytes = 32;
// Most tables of a developer are taken over within this time, so that the first request finds them ready.
constexpr std::chrono::seconds kAdoptionWaitMax{3};

// Fails with the command to run if the design cannot take over the table.
Result<void> check_table(const design::Design& design, const TableParts& parts) {
  const Result<void> can = drift::check_can_adopt(design, parts.database, {});
  if (can) return {};
  const std::string where = "--data " + parts.data;
  if (drift::check_can_adopt(design, parts.database, {.delete_indexes = true})) {
    return fail(Error(can.error().code(), can.error().message() + ":\n  tavola design apply " + design.file +
                                              " " + where + " --delete-indexes"));
  }
  const auto stored = parts.database.governing_design(design.table.name);
  return fail(Error(
      can.error().code(),
      can.error().message() + ":\n  " + migrate_command(design, stored ? stored->get() : nullptr, where)));
}

// Logs the command that makes the indexes of a table those of its design, if the server has left some as they are.
void log_index_command(const design::Design& design, const TableParts& parts) {
  const auto table = parts.database.describe_table({.table_name = design.table.name});
  if (!table) return;
  const Result<drift::IndexChanges> changes = drift::index_changes(design, table->table);
  if (!changes || (changes->unused.empty() && changes->replaced.empty())) return;
  parts.log.warning("the table has indexes that the design does not have, or has otherwise",
                    {{"design", design.name},
                     {"command", "tavola design apply " + design.file + " --endpoint " + parts.endpoint +
                                     " --delete-indexes"}});
}

// Checks the items that a load brought in before the load or the server was killed.
Result<void> resume_check(const design::Design& design, const TableParts& parts) {
  TAVOLA_TRY(const std::optional<drift::ImportMark> mark, drift::import_mark(design, parts.database));
  if (!mark) return {};
  parts.log.warning("items were brought in and not checked; this is done now",
                    {{"design", design.name}, {"table", design.table.name}, {"since", mark->since}});
  parts.adoptions.check(design);
  return {};
}

}  // namespace

Result<void> add_design(const std::string& file, std::vector<design::Design>& designs) {
  TAVOLA_TRY(design::Design design, runnable_design(file));
  const auto same = std::ranges::find(designs, design.name, &design::Design::name);
  if (same != designs.end()) {
    return fail(Error::validation(file + " and " + same->file + " are both called " + design.name +
                                  "; designs that are served together need different names"));
  }
  TAVOLA_CHECK(check_one_decides(designs, design));
  designs.push_back(std::move(design));
  return {};
}

Result<std::vector<design::Design>> load_designs(const std::vector<std::string>& files) {
  std::vector<design::Design> designs;
  for (const std::string& file : files) TAVOLA_CHECK(add_design(file, designs));
  return designs;
}

std::string new_secret() {
  std::string secret;
  while (secret.size() < kSecretBytes) {
    const std::uint64_t bits = Random::system().next();
    for (unsigned shift = 0; shift < 64; shift += 8) secret += static_cast<char>(bits >> shift);
  }
  return secret;
}

Result<std::string> page_secret(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "page-secret";
  std::error_code ignored;  // a failure here shows when the file is written
  if (std::filesystem::exists(path, ignored)) {
    TAVOLA_TRY(std::string secret, read_small_file(path));
    if (secret.size() == kSecretBytes) return secret;
    // No secret of ours: whatever was sealed with it is refused from now on.
  }
  std::string secret = new_secret();
  TAVOLA_CHECK(replace_file(path, secret));
  return secret;
}

Result<std::string> page_secret(store::Store& store) {
  const std::string keys[] = {engine::page_secret_key()};
  const std::string made = new_secret();
  std::string secret;
  TAVOLA_CHECK(store.transact(keys, {}, [&](const store::View& view) -> Result<store::Decision> {
    secret = std::string(view[0].value_or(made));
    if (view[0]) return store::Decision{};
    return store::Decision{{store::Write::put(keys[0], made)}};
  }));
  return secret;
}

std::string migrate_command(const design::Design& design, const design::Design* stored,
                            const std::string& where) {
  const bool has_revision = stored != nullptr && !stored->revision.empty();
  return "tavola migrate " + design.file + " --from " + (has_revision ? stored->revision : "REVISION") + " " +
         where + (stored != nullptr ? "" : " --old-design OLD.yaml");
}

Result<void> prepare_tables(const DesignService& service, const TableParts& parts) {
  for (const design::Design& design : service.designs()) {
    const Result<bool> must_adopt = drift::needs_adoption(design, parts.database);
    if (must_adopt && *must_adopt) {
      TAVOLA_CHECK(check_table(design, parts));
      log_differences(design, parts.database, parts.log);
      parts.adoptions.start(design, {});
      continue;
    }
    if (must_adopt) TAVOLA_CHECK(resume_check(design, parts));
    if (!must_adopt && must_adopt.error().code() != ErrorCode::ResourceNotFound)
      return fail(must_adopt.error());
    TAVOLA_TRY(const std::vector<std::string> differences,
               service.runner(design, parts.database).prepare_table());
    for (const std::string& difference : differences) {
      parts.log.warning("the table is not as its design says",
                        {{"design", design.name}, {"table", design.table.name}, {"difference", difference}});
    }
  }
  parts.adoptions.wait(kAdoptionWaitMax);
  for (const design::Design& design : service.designs()) log_index_command(design, parts);
  return {};
}

Result<void> serve_stored_designs(ServedDesigns& served, Database& database) {
  ListTablesRequest request;
  do {
    TAVOLA_TRY(ListTablesResponse page, database.list_tables(request));
    for (const std::string& table : page.table_names) {
      const DesignList designs = served.designs();
      if (std::ranges::any_of(*designs, [&](const design::Design& one) { return one.table.name == table; }))
        continue;
      const auto governing = database.governing_design(table);
      if (!governing || *governing == nullptr) continue;
      design::Design design = **governing;
      design.table.name = table;
      served.add(design);
    }
    request.exclusive_start_table_name = page.last_evaluated_table_name;
  } while (!request.exclusive_start_table_name.empty());
  return {};
}

void warn_about_roles(std::span<const design::Design> designs, const Logins& logins, Log& log) {
  const auto has_roles = [](const design::Design& design) { return !design.roles.empty(); };
  if (logins.by_token && std::ranges::none_of(designs, has_roles)) {
    log.warning("no design that is served has roles: tokens are not asked for");
  }
  if (logins.by_token || logins.by_key) return;
  for (const design::Design& design : designs) {
    if (!has_roles(design)) continue;
    log.warning(
        "the design has roles and nobody can log in: under /v1 everyone may do what everybody may, and no "
        "more; "
        "--jwt-secret-file or --jwks verifies tokens, `tavola token` makes them for development; with "
        "--credentials, keys with sub= stand for people",
        {{"design", design.name}});
  }
}

Result<CreateTableResponse> GoverningDatabase::create_table(const CreateTableRequest& request) {
  TAVOLA_TRY(CreateTableResponse created, database().create_table(request));
  const DesignList designs = designs_();
  for (const design::Design& design : *designs) {
    if (design.table.name != request.table_name) continue;
    const auto governed = database().govern_table(
        {.table_name = request.table_name, .design = design.text, .file_name = design.file});
    if (governed) continue;
    const Error& why = governed.error();
    if (why.code() >= ErrorCode::Internal) {
      return fail(
          Error(why.code(), "the table " + request.table_name +
                                " was created, but cannot be governed by its design: " + why.message() +
                                ". Delete the table and create it again, or restart the server"));
    }
    report_(design, why);
  }
  return created;
}

Result<DeleteTableResponse> GoverningDatabase::delete_table(const DeleteTableRequest& request) {
  TAVOLA_TRY(DeleteTableResponse deleted, database().delete_table(request));
  if (forget_) forget_(request.table_name);
  return deleted;
}

void GoverningDatabase::adopt(const std::string& table) const {
  const DesignList designs = designs_();
  for (const design::Design& design : *designs) {
    if (design.table.name == table && adopt_) adopt_(design);
  }
}

Result<RestoreTableFromBackupResponse> GoverningDatabase::restore_table_from_backup(
    const RestoreTableFromBackupRequest& request) {
  TAVOLA_TRY(RestoreTableFromBackupResponse restored, database().restore_table_from_backup(request));
  adopt(request.target_table_name);
  return restored;
}

Result<RestoreTableToPointInTimeResponse> GoverningDatabase::restore_table_to_point_in_time(
    const RestoreTableToPointInTimeRequest& request) {
  TAVOLA_TRY(RestoreTableToPointInTimeResponse restored, database().restore_table_to_point_in_time(request));
  adopt(request.target_table_name);
  return restored;
}

}  // namespace tavola::server

#include "cli/tables/migrate_command.h"

#include <chrono>
#include <memory>
#include <thread>

#include "cli/command/open_database.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "design/model/nearest.h"
#include "json/reader.h"
#include "remote/remote_database.h"
#include "server/admin/migration_page.h"
#include "server/design_file.h"

namespace tavola::cli {
namespace {

using Action = MigrateTableRequest::Action;

constexpr std::chrono::milliseconds kPause{100};
constexpr std::size_t kSamplesMax = 10;

// The database with the tables: a directory, or a server, which is asked on its page.
class Migrator {
 public:
  static Result<Migrator> open(const MigrateOptions& options) {
    Migrator migrator(options.endpoint);
    if (options.endpoint.empty()) {
      TAVOLA_TRY(migrator.database_, open_database({.data = options.data, .endpoint = {}, .create = false}));
    }
    return migrator;
  }

  Result<MigrateTableResponse> ask(const MigrateTableRequest& request) const {
    if (database_) return database_->migrate_table(request);
    const remote::Target endpoint = remote::from_environment(endpoint_);
    TAVOLA_TRY(const remote::HttpAnswer answer,
               remote::put(endpoint, server::migration_path(request.table_name), server::to_json(request)));
    if (answer.status == 200) return server::parse_migration_response(answer.body);
    const auto problem = json::parse(answer.body);
    const json::Node* const detail = problem ? problem->find("detail") : nullptr;
    if (detail != nullptr) return fail(Error::validation(detail->text));
    return fail(Error(ErrorCode::Io, "the server at " + endpoint_ + " answered " +
                                         std::to_string(answer.status) + "; is it a Tavola server?"));
  }

 private:
  explicit Migrator(std::string endpoint) : endpoint_(std::move(endpoint)) {}

  std::string endpoint_;
  std::unique_ptr<Database> database_;
};

Result<MigrateTableRequest> request_of(const MigrateOptions& options) {
  const std::optional<Action> action = server::migration_action(options.action);
  if (!action) {
    const std::vector<std::string> words{"start", "status", "verify", "finish", "abort"};
    return fail(bad_parameter(
        "action", "there is no step " + options.action + ". " + design::did_you_mean(options.action, words)));
  }
  TAVOLA_TRY(const server::RunnableFile file, server::runnable_file(options.file, options.old_table));
  const design::Design& design = file.design;
  MigrateTableRequest request{.action = *action,
                              .table_name = design.table.name,
                              .new_table_name = options.new_table,
                              .from = options.from,
                              .design = file.text,
                              .file_name = options.file};
  if (request.new_table_name.empty())
    request.new_table_name = request.table_name + "-" + (design.revision.empty() ? "new" : design.revision);
  if (*action != Action::Start) return request;
  if (options.from.empty())
    return fail(bad_parameter("from", "--from is missing: the revision of the existing table"));
  if (!options.old_design.empty()) {
    TAVOLA_TRY(server::RunnableFile old_file, server::runnable_file(options.old_design));
    request.old_design = std::move(old_file.text);
    request.old_file_name = options.old_design;
  }
  return request;
}

MigrateTableRequest with(MigrateTableRequest request, Action action) {
  request.action = action;
  return request;
}

// Until everything is copied that can be.
Result<MigrateTableResponse> start(const Migrator& migrator, const MigrateTableRequest& request) {
  ProgressBar bar;
  TAVOLA_TRY(MigrateTableResponse now, migrator.ask(request));
  while (now.copying && !now.stopped) {
    bar.show("copying", now.items_copied, static_cast<std::uint64_t>(now.items));
    std::this_thread::sleep_for(kPause);
    TAVOLA_TRY(now, migrator.ask(with(request, Action::Describe)));
  }
  return now;
}

// All pages, as one.
Result<MigrateTableResponse> verify(const Migrator& migrator, const MigrateTableRequest& request) {
  ProgressBar bar;
  TAVOLA_TRY(MigrateTableResponse all, migrator.ask(with(request, Action::Describe)));
  if (all.copying) return all;
  const auto expected = static_cast<std::uint64_t>(all.items + all.new_items);
  MigrateTableRequest page_request = with(request, Action::Verify);
  do {
    TAVOLA_TRY(const MigrateTableResponse page, migrator.ask(page_request));
    all.items_checked += page.items_checked;
    all.differences += page.differences;
    for (const MigrationDifference& one : page.samples) {
      if (all.samples.size() < kSamplesMax) all.samples.push_back(one);
    }
    page_request.after = page.next;
    bar.show("comparing", all.items_checked, expected);
  } while (!page_request.after.empty());
  return all;
}

Result<MigrateTableResponse> finish(const Migrator& migrator, const MigrateTableRequest& request) {
  TAVOLA_TRY(MigrateTableResponse verified, verify(migrator, request));
  if (verified.differences > 0) return verified;
  TAVOLA_CHECK(migrator.ask(request));
  return verified;
}

Result<MigrateTableResponse> done(const MigrateOptions& options, const MigrateTableRequest& request) {
  TAVOLA_TRY(const Migrator migrator, Migrator::open(options));
  switch (request.action) {
    case Action::Start:
      return start(migrator, request);
    case Action::Verify:
      return verify(migrator, request);
    case Action::Finish:
      return finish(migrator, request);
    case Action::Describe:
    case Action::Abort:
      break;
  }
  return migrator.ask(request);
}

// ---- For people

std::string state_of(const MigrateTableResponse& now) {
  if (now.stopped)
    return "stopped: some items cannot be copied. Change or delete them, then start again or abort";
  if (now.copying)
    return "copying: " + std::to_string(now.items_copied) + " of " + std::to_string(now.items) + " items";
  return "both tables are in use, and every write goes to both. Next: verify, then finish or abort";
}

// How the table that is left over is deleted: on the server, or, of a data directory, on one that is started for it.
std::string how_to_delete(const MigrateOptions& options, const std::string& table) {
  const bool is_served = !options.endpoint.empty();
  const std::string endpoint = is_served ? options.endpoint : "http://127.0.0.1:8000";
  return (is_served ? "delete it with:\n"
                    : "delete it with:\n  tavola serve --data " + options.data + " &\n") +
         "  aws dynamodb delete-table --endpoint-url " + endpoint + " --table-name " + table;
}

std::string result_text(const MigrateOptions& options, Action action, const MigrateTableResponse& now) {
  const bool is_same = now.differences == 0 && !now.copying;
  const std::string compared = "compared " + std::to_string(now.items_checked) + " items: ";
  if (action == Action::Abort)
    return "aborted: the table " + now.new_table + " was deleted, " + now.old_table + " is unchanged";
  if (action == Action::Verify && is_same) return compared + "both tables are the same";
  if (action == Action::Finish && is_same) {
    return compared + "both tables are the same\nfinished: use " + now.new_table + " from now on. " +
           now.old_table + " is unchanged; " + how_to_delete(options, now.old_table);
  }
  if ((action == Action::Verify || action == Action::Finish) && !now.copying)
    return compared + std::to_string(now.differences) + " differ";
  return state_of(now);
}

std::string as_text(const MigrateOptions& options, Action action, const MigrateTableResponse& now) {
  std::string text = now.old_table + " (revision " + now.from + ") → " + now.new_table + " (revision " +
                     now.to + ")\n" + result_text(options, action, now) + "\n";
  for (const MigrationDifference& one : now.samples) text += "  " + one.key + ": " + one.why + "\n";
  return text;
}

}  // namespace

Output run(const MigrateOptions& options) {
  const Result<MigrateTableRequest> request = request_of(options);
  if (!request) return failed(request.error());
  const Result<MigrateTableResponse> now = done(options, *request);
  if (!now) return failed(now.error());
  const bool ends = request->action == Action::Verify || request->action == Action::Finish;
  const bool is_bad = now->differences > 0 || (ends && now->copying);
  return {.out = options.format == "json" ? server::to_json(*now) + "\n"
                                          : as_text(options, request->action, *now),
          .exit_code = is_bad && request->action != Action::Abort ? kFailed : 0};
}

}  // namespace tavola::cli

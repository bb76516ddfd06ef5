#include "cli/copy_command.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/joined.h"
#include "cli/command/checked_table.h"
#include "cli/design_arguments.h"
#include "cli/output/command_output.h"
#include "cli/output/progress_bar.h"
#include "database/as_is_database.h"
#include "drift/import_mark.h"
#include "remote/remote_database.h"
#include "transfer/copy/compare.h"
#include "transfer/copy/table_copy.h"

namespace tavola::cli {
namespace {

using transfer::Side;

// Returns where a side is, if it is a server.
std::optional<remote::Target> target_of(const std::string& word) {
  if (!remote::is_address(word)) return std::nullopt;
  return remote::from_environment(word);
}

// Selects what happens if the directory is missing.
enum class Missing : std::uint8_t { Refuse, Create, Imagine };

Result<Side> open_side(const std::string& word, Missing missing) {
  if (std::optional<remote::Target> target = target_of(word)) {
    target->mark = remote::Mark::AsIs;
    return Side{.name = word, .connect = [target = *target]() -> Result<std::shared_ptr<Database>> {
                  TAVOLA_TRY(std::unique_ptr<Database> database, remote::connect(target));
                  return std::shared_ptr<Database>(std::move(database));
                }};
  }
  constexpr const char* kSides =
      "; a side of a copy is a data directory, a URL like http://127.0.0.1:8000, or aws:REGION";
  if (word.contains("://")) return fail(bad_parameter(word, word + " is not the URL of a server" + kSides));
  std::error_code ignored;  // tavola::open reports it
  const bool exists = std::filesystem::exists(word, ignored);
  if (!exists && missing == Missing::Refuse) {
    return fail(Error(ErrorCode::Io, "there is no data in " + word + kSides));
  }
  std::shared_ptr<Database> opened;
  if (!exists && missing == Missing::Imagine) {
    opened = open_in_memory();
  } else {
    TAVOLA_TRY(std::unique_ptr<Database> database, tavola::open(word));
    opened = std::move(database);
  }
  const auto marked = std::make_shared<drift::MarkedImports>(*opened, Clock::system());
  const auto as_is = std::make_shared<AsIsDatabase>(*marked);
  return Side{.name = word, .connect = [opened, marked, as_is]() -> Result<std::shared_ptr<Database>> {
                return std::shared_ptr<Database>(opened, as_is.get());
              }};
}

Result<std::vector<std::string>> tables_of(Database& database, const CopyOptions& options) {
  if (!options.all) return options.tables;
  std::vector<std::string> names;
  ListTablesRequest request;
  do {
    TAVOLA_TRY(const ListTablesResponse page, database.list_tables(request));
    names.insert(names.end(), page.table_names.begin(), page.table_names.end());
    request.exclusive_start_table_name = page.last_evaluated_table_name;
  } while (!request.exclusive_start_table_name.empty());
  return names;
}

std::string items(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " item" : " items"); }

// One `tavola copy`, table after table.
class Copy {
 public:
  Copy(const CopyOptions& options, Side from, Side to)
      : options_(options), from_(std::move(from)), to_(std::move(to)) {}

  Output run() {
    const Result<void> done = all();
    if (!done) {
      Output output = failed(done.error());
      output.out = std::move(text_);
      if (state_ && began_ && std::filesystem::exists(state_->file())) {
        output.err += "Run the same command again to resume; " + state_->file().string() +
                      " records the position (delete it to start over).\n";
      }
      return output;
    }
    return {.out = std::move(text_), .exit_code = refused_ > 0 ? kRefused : differ_ ? kFailed : 0};
  }

 private:
  Result<void> all() {
    TAVOLA_TRY(const std::shared_ptr<Database> from, from_.connect());
    TAVOLA_TRY(const std::shared_ptr<Database> to, to_.connect());
    TAVOLA_TRY(const std::vector<std::string> tables, tables_of(*from, options_));
    if (tables.empty()) text_ += "there are no tables in " + from_.name + "\n";
    if (!options_.dry_run && !options_.verify_only) {
      TAVOLA_TRY(state_, transfer::CopyState::open(state_file(), options_.from, options_.to));
    }
    // All tables are examined before the first is copied, so that problems with the last one show now.
    std::vector<transfer::TablePlan> plans;
    for (const std::string& table : tables) {
      TAVOLA_TRY(transfer::TablePlan plan, transfer::plan_table(*from, *to, table, {from_.name, to_.name}));
      plans.push_back(std::move(plan));
    }
    for (const transfer::TablePlan& plan : plans) TAVOLA_CHECK(one(plan));
    if (state_ && refused_ == 0) TAVOLA_CHECK(state_->forget(tables));
    return {};
  }

  Result<void> one(const transfer::TablePlan& plan) {
    if (options_.dry_run) {
      print_plan(plan);
      return {};
    }
    if (!options_.verify_only) TAVOLA_CHECK(copy(plan));
    if (options_.verify || options_.verify_only) TAVOLA_CHECK(compare(plan));
    return {};
  }

  transfer::CopyOptions how(ProgressBar& bar, const std::string& doing) const {
    return {.workers = options_.parallel,
            .consistent_reads = !options_.eventual_reads,
            .overwrite = options_.overwrite,
            .pause = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
            .progress = [&bar, doing](std::uint64_t done,
                                      std::uint64_t expected) { bar.show(doing, done, expected); }};
  }

  Result<void> copy(const transfer::TablePlan& plan) {
    const std::string& table = plan.from.table_name;
    began_ = true;
    ProgressBar bar;
    const Result<transfer::CopyReport> copied =
        copy_table(from_, to_, plan, *state_, how(bar, "copying " + table));
    const Result<std::string> checked = check(table);  // a copy that failed may have put items, too
    if (!copied) return fail(copied.error());
    const transfer::CopyReport& report = *copied;
    text_ += table + ": " + (report.was_created ? "created, " : "") + items(report.items) + " copied" +
             (report.went_on ? ", including those of the interrupted copy" : "") + "\n";
    print_notes(plan);
    if (!checked) return fail(checked.error());
    text_ += *checked;
    if (report.refused == 0) return {};
    refused_ += report.refused;
    text_ += "  " + items(report.refused) + " refused by " + to_.name + ":\n";
    for (const transfer::RefusedItem& item : report.samples)
      text_ += "    " + item.key + ": " + item.why + "\n";
    text_ +=
        "  Correct these items in the source, or turn off the enforcement of the design during the copy\n"
        "  (`tavola design status FILE --enforce off`); then run the same command again.\n";
    return {};
  }

  // Has the copy checked against the design of its table, if it has one. Returns the report.
  Result<std::string> check(const std::string& table) {
    TAVOLA_TRY(const std::shared_ptr<Database> to, to_.connect());
    const std::optional<remote::Target> target = target_of(options_.to);
    TAVOLA_TRY(
        const std::optional<CheckedTable> checked,
        check_imported({.database = *to, .endpoint = target ? target->url : std::string(), .table = table}));
    if (!checked) return std::string();
    differ_ = differ_ || !checked->is_complete;
    return checked->text;
  }

  Result<void> compare(const transfer::TablePlan& plan) {
    const std::string& table = plan.from.table_name;
    if (!plan.to && options_.verify_only) {
      differ_ = true;
      text_ += table + ": there is no such table in " + to_.name + "\n";
      return {};
    }
    ProgressBar bar;
    TAVOLA_TRY(const transfer::Comparison found,
               compare_tables(from_, to_, plan.from, how(bar, "comparing " + table)));
    text_ += table + ": compared, " + items(found.same) + " the same";
    if (found.is_same()) {
      text_ += " and none different\n";
      return {};
    }
    differ_ = true;
    text_ += ", " + std::to_string(found.differ) + " different, " + std::to_string(found.only_in_from) +
             " only in " + from_.name + ", " + std::to_string(found.only_in_to) + " only in " + to_.name +
             "\n";
    for (const transfer::Difference& one : found.samples) text_ += "    " + as_text(one) + "\n";
    return {};
  }

  std::string as_text(const transfer::Difference& difference) const {
    switch (difference.kind) {
      case transfer::Difference::Kind::OnlyInFrom:
        return difference.key + ": only in " + from_.name;
      case transfer::Difference::Kind::OnlyInTo:
        return difference.key + ": only in " + to_.name;
      case transfer::Difference::Kind::Differs:
        break;
    }
    return difference.key + ": different in " + joined(difference.attributes);
  }

  void print_plan(const transfer::TablePlan& plan) {
    const std::string there = !plan.to                ? "would be created"
                              : plan.target_has_items ? "exists with items, and needs --overwrite"
                                                      : "exists without items";
    text_ += plan.from.table_name + ": " + there + "; about " +
             items(static_cast<std::uint64_t>(std::max<std::int64_t>(0, plan.from.item_count))) + " (" +
             std::to_string(plan.from.size_bytes) + " bytes) would be copied\n";
    print_notes(plan);
  }

  void print_notes(const transfer::TablePlan& plan) {
    for (const std::string& note : plan.notes) text_ += "  " + note + "\n";
  }

  std::filesystem::path state_file() const {
    if (!options_.state.empty()) return options_.state;
    constexpr std::size_t kDigits = 12;
    const std::string name = to_hex(sha256({options_.from, "\n", options_.to})).substr(0, kDigits);
    return "tavola-copy-" + name + ".json";
  }

  const CopyOptions& options_;
  const Side from_;
  const Side to_;
  std::unique_ptr<transfer::CopyState> state_;
  std::string text_;
  std::uint64_t refused_ = 0;
  bool differ_ = false;
  bool began_ = false;
};

Result<void> check(const CopyOptions& options) {
  if (options.tables.empty() != options.all) {
    return fail(bad_parameter("tables", "name the tables to copy: --tables music,orders or --all"));
  }
  if (options.from == options.to) {
    return fail(bad_parameter("to", "FROM and TO are the same: " + options.from));
  }
  return {};
}

}  // namespace

Output run(const CopyOptions& options) {
  if (const Result<void> checked = check(options); !checked) return failed(checked.error());
  Result<Side> from = open_side(options.from, Missing::Refuse);
  if (!from) return failed(from.error());
  const Missing missing = options.dry_run       ? Missing::Imagine
                          : options.verify_only ? Missing::Refuse
                                                : Missing::Create;
  Result<Side> to = open_side(options.to, missing);
  if (!to) return failed(to.error());
  return Copy(options, *std::move(from), *std::move(to)).run();
}

}  // namespace tavola::cli

#include "server/console/design_drafts.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "cases/report.h"
#include "cases/run_cases.h"
#include "design/load.h"
#include "json/writer.h"
#include "server/admin/migration_page.h"
#include "workshop/exchange/infer.h"

namespace tavola::server {
namespace {

using design::Design;
using lens::Question;

constexpr std::size_t kInferredItemsMax = 20'000;
constexpr std::size_t kInferredBytesMax = std::size_t{16} << 20U;
constexpr std::chrono::seconds kInferredMax{3};
constexpr std::string_view kDraftFile = "design.yaml";

Result<std::string> file_of(const Question& question) {
  TAVOLA_TRY(std::string file, question.text("file"));
  return file.empty() ? std::string(kDraftFile) : file;
}

Result<design::Loaded> loaded_of(const Question& question) {
  TAVOLA_TRY(const std::string text, question.needed_text("text"));
  TAVOLA_TRY(std::string file, file_of(question));
  return design::load(text, std::move(file));
}

Result<Design> without_errors(design::Loaded loaded) {
  if (loaded.design) return *std::move(loaded.design);
  const auto error =
      std::ranges::find(loaded.diagnostics, design::Severity::Error, &design::Diagnostic::severity);
  const std::string first = error == loaded.diagnostics.end()
                                ? ""
                                : " Line " + std::to_string(error->span.begin.line) + ": " + error->message;
  return fail(Error::validation("the design has errors." + first));
}

// Says how the items of a table with other keys move to one with the design's.
Error needs_migration(const Error& why, const Design& design) {
  return Error::validation(
      why.message() +
      ". Its items have to move to a new table: give the design a new `revision`, describe "
      "under `revisions` how it changes, and run `tavola migrate " +
      design.file + " --from REVISION --endpoint URL` (docs/MIGRATE.md)");
}

void write_text_or_null(json::Writer& json, std::string_view name, std::string_view text) {
  json.name(name);
  if (text.empty()) {
    json.raw() += "null";
  } else {
    json.text(text);
  }
}

// Returns the items of the first pages of a table.
Result<std::vector<Item>> some_items(Database& database, const std::string& table) {
  const auto until = std::chrono::steady_clock::now() + kInferredMax;
  std::vector<Item> items;
  std::size_t bytes = 0;
  ScanRequest request{.table_name = table};
  do {
    TAVOLA_TRY(ScanResponse page, database.scan(request));
    for (const PackedItem& item : page.items) {
      bytes += item.bytes().size();
      items.push_back(item.unpack());
    }
    request.exclusive_start_key = std::move(page.last_evaluated_key);
  } while (request.exclusive_start_key && items.size() < kInferredItemsMax && bytes < kInferredBytesMax &&
           std::chrono::steady_clock::now() < until);
  return items;
}

}  // namespace

void DesignDrafts::name_table(const Question& question, Design& design) const {
  const Result<std::string> of = question.text("of");
  if (!of || of->empty()) return;
  const DesignList served = parts_.served.designs();
  const auto older = std::ranges::find(*served, *of, &Design::name);
  if (older == served->end()) return;
  // The table may have got its name from the environment.
  const design::Loaded before = design::load(older->text, older->file);
  if (before.design && before.design->table.name == design.table.name) design.table.name = older->table.name;
}

Result<Design> DesignDrafts::design_of(const Question& question) const {
  TAVOLA_TRY(design::Loaded loaded, loaded_of(question));
  TAVOLA_TRY(Design design, without_errors(std::move(loaded)));
  name_table(question, design);
  return design;
}

Result<std::string> DesignDrafts::check(const Question& question) const {
  TAVOLA_TRY(design::Loaded loaded, loaded_of(question));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (loaded.design) {
    name_table(question, *loaded.design);
    json.name("name").text(loaded.design->name);
    json.name("table").text(loaded.design->table.name);
  }
  json.name("findings").raw() += design::to_json(loaded.diagnostics);
  json.end_object();
  return out;
}

Result<std::string> DesignDrafts::plan(const Question& question) const {
  TAVOLA_TRY(const Design design, design_of(question));
  const auto described = parts_.database.describe_table({.table_name = design.table.name});
  if (!described && described.error().code() != ErrorCode::ResourceNotFound) return fail(described.error());
  if (!described) {
    return with_items(
        question, design,
        {.file = design.file, .design = design.name, .table = design.table.name, .creates_table = true});
  }
  const auto& governed = described->table.governed_by;
  const auto governing = parts_.database.governing_design(design.table.name);
  TAVOLA_TRY(const DesignChanges::State state, parts_.changes.state_of(design.table.name));
  Result<ApplyPlan> planned =
      plan_of(design, {.description = described->table,
                       .stored = governing ? governing->get() : nullptr,
                       .is_unreadable = governed && (!governing || *governing == nullptr),
                       .is_adopting = governed && governed->adopting,
                       .served_from = state.served_from});
  if (!planned) return fail(needs_migration(planned.error(), design));
  return with_items(question, design, *std::move(planned));
}

// Adds what a check of all items finds, unless nothing is to be done.
Result<std::string> DesignDrafts::with_items(const Question& question, const Design& design,
                                             ApplyPlan plan) const {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!plan.is_empty() && !plan.creates_table) {
    TAVOLA_TRY(std::string page, question.text("page"));
    if (page.empty()) {
      TAVOLA_TRY(page, parts_.looks.begin({.design = std::make_shared<const Design>(design)}));
    }
    TAVOLA_TRY(DriftLooks::State state, parts_.looks.wait_for(page));
    if (!state.report) {
      json.name("doing").text(state.doing);
      json.name("items").integer(static_cast<std::int64_t>(state.items));
      json.name("expected").integer(static_cast<std::int64_t>(state.expected));
      json.name("page").text(page);
      json.end_object();
      return out;
    }
    plan.read = *std::move(state.report);
  }
  json.name("plan").raw() += to_json(plan);
  write_text_or_null(json, "servedFrom", plan.served_from);
  json.end_object();
  return out;
}

Result<std::string> DesignDrafts::apply(const Question& question) const {
  TAVOLA_TRY(const Design design, design_of(question));
  TAVOLA_TRY(const bool delete_indexes, question.is_set("deleteIndexes"));
  TAVOLA_CHECK(parts_.changes.start(design, {.delete_indexes = delete_indexes}));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("name").text(design.name);
  json.name("table").text(design.table.name);
  json.end_object();
  return out;
}

Result<std::string> DesignDrafts::progress(const Question& question) const {
  TAVOLA_TRY(const std::string table, question.needed_text("table"));
  TAVOLA_TRY(const DesignChanges::State state, parts_.changes.state_of(table));
  const DesignList served = parts_.served.designs();
  const auto of_table =
      std::ranges::find_if(*served, [&](const Design& design) { return design.table.name == table; });
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("exists").boolean(state.table_exists);
  json.name("adopting").boolean(state.is_adopting);
  write_text_or_null(json, "governedBy", state.design ? state.design->name : "");
  write_text_or_null(json, "served", of_table == served->end() ? "" : of_table->name);
  json.name("adoption").raw() += state.adoption ? to_json(*state.adoption) : "null";
  json.name("migration").raw() += migration_json(table, parts_.database);
  json.end_object();
  return out;
}

Result<std::string> DesignDrafts::run_cases(const Question& question) {
  TAVOLA_TRY(design::Loaded loaded, loaded_of(question));
  TAVOLA_TRY(const Design design, without_errors(std::move(loaded)));
  TAVOLA_TRY(const std::string text, question.needed_text("cases"));
  std::string file = design.file.substr(0, design.file.rfind(".yaml")) + ".cases.yaml";
  TAVOLA_TRY(const cases::CaseFile read, cases::read_case_file(text, file, [&design](const std::string&) {
               return Result<Design>(design);
             }));
  const std::vector<cases::CaseFile> files{read};
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  return cases::to_json(cases::run_cases(files, {.open = cases::in_memory(), .threads = threads}));
}

Result<std::string> DesignDrafts::infer(const Question& question, Database& database) {
  TAVOLA_TRY(const std::string table, question.needed_text("table"));
  TAVOLA_TRY(const DescribeTableResponse described, database.describe_table({.table_name = table}));
  TAVOLA_TRY(const std::vector<Item> items, some_items(database, table));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("text").text(workshop::infer(described.table, items));
  json.name("items").integer(std::ssize(items));
  json.end_object();
  return out;
}

std::string migration_json(std::string_view table, Database& database) {
  const auto described = database.migrate_table({.table_name = std::string(table)});
  return described ? to_json(*described) : "null";
}

}  // namespace tavola::server

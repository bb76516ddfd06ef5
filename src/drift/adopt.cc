#include "drift/adopt.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "database/as_is_database.h"
#include "design/items/table_schema.h"
#include "design/revisions/same_items.h"
#include "drift/import_mark.h"
#include "json/writer.h"

namespace tavola::drift {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
// Writes of others that broke the design while its items were checked make another round necessary. More rounds than this mean that
// somebody writes such items all the time.
constexpr int kRoundsMax = 5;

std::string joined_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

Error stopped() { return {ErrorCode::Io, "the adoption was stopped; it continues when it is started again"}; }

// Returns the type of a key attribute; nullopt if it is not defined.
std::optional<Type> type_of(const std::vector<AttributeDefinition>& definitions, std::string_view name) {
  const auto found = std::ranges::find(definitions, name, &AttributeDefinition::name);
  return found == definitions.end() ? std::nullopt : std::optional(found->type);
}

// Returns whether keys have the same names and types in the design and in the table.
bool same_keys(const CreateTableRequest& wanted, const TableDescription& found,
               const std::vector<KeySchemaElement>& in_design,
               const std::vector<KeySchemaElement>& in_table) {
  return in_design == in_table && std::ranges::all_of(in_design, [&](const KeySchemaElement& key) {
           return type_of(wanted.attribute_definitions, key.name) ==
                  type_of(found.attribute_definitions, key.name);
         });
}

Error cannot_take_over(const CreateTableRequest& wanted, const TableDescription& found,
                       std::string_view what) {
  return Error::validation("the design cannot take over the table " + found.table_name + ": " +
                           joined_lines(design::differences(wanted, found)) + ". " + std::string(what));
}

Result<IndexChanges> checked_changes(const design::Design& design, const TableDescription& table,
                                     const AdoptOptions& options) {
  TAVOLA_TRY(IndexChanges changes, index_changes(design, table));
  const CreateTableRequest wanted = design::table_schema(design);
  const auto has_other_keys = [&](const GlobalIndex& index) {
    const auto same = std::ranges::find(table.global_indexes, index.name, &GlobalIndex::name);
    return !same_keys(wanted, table, index.key_schema, same->key_schema);
  };
  // Another projection is reported, and is not in the way.
  if (options.delete_indexes || std::ranges::none_of(changes.replaced, has_other_keys)) return changes;
  return fail(cannot_take_over(wanted, table,
                               "`tavola design apply --delete-indexes` deletes indexes that differ and "
                               "creates them as the design says"));
}

enum class Repair : bool { No, Yes };

DriftOptions drift_options(const AdoptOptions& options, Repair repair) {
  return {.repair = repair == Repair::Yes,
          .samples_max = options.samples_max,
          .checks_use = false,
          .progress = options.progress,
          .stopping = options.stopping,
          .clock = options.clock};
}

class Adoption {
 public:
  Adoption(const design::Design& design, Database& database, const AdoptOptions& options)
      : design_(design), wanted_(design::table_schema(design)), database_(database), options_(options) {}

  Result<Adopted> run() {
    TAVOLA_TRY(const TableDescription table, describe());
    TAVOLA_TRY(const IndexChanges changes, checked_changes(design_, table, options_));
    for (const GlobalIndex& index : changes.missing) adopted_.created_indexes.push_back(index.name);
    if (options_.dry_run) {
      TAVOLA_TRY(adopted_.found, search(Repair::No));
      return std::move(adopted_);
    }
    TAVOLA_TRY(const bool leaves_items, leaves_all_items(table, changes));
    if (leaves_items) return take_over_at_once(table);
    for (const GlobalIndex& index : changes.missing) TAVOLA_CHECK(create(index));
    TAVOLA_CHECK(wait_for_indexes());
    TAVOLA_CHECK(expire_by_design(table));
    std::optional<ImportMark> mark;
    for (int round = 1; round <= kRoundsMax; ++round) {
      TAVOLA_CHECK(govern(GovernTableRequest::Adoption::Begin));
      if (round == 1) {
        TAVOLA_TRY(mark, begin_check(design_, database_));
      }
      if (round == 1) TAVOLA_CHECK(replace(changes.replaced));
      TAVOLA_TRY(DriftReport found, search(Repair::Yes));
      const std::uint64_t left_by_repair = left_in(found);
      if (round == 1) adopted_.found = std::move(found);
      TAVOLA_CHECK(govern(GovernTableRequest::Adoption::End));
      if (round == 1) TAVOLA_CHECK(remove(changes.unused));
      // From here on the design is enforced. Violations that came in before are found now.
      TAVOLA_TRY(adopted_.left, search(Repair::No));
      if (left_in(adopted_.left) <= left_by_repair) break;
    }
    if (mark) TAVOLA_CHECK(end_check(design_, database_, *mark));
    adopted_.is_enforced = true;
    return std::move(adopted_);
  }

 private:
  bool stopping() const { return options_.stopping && options_.stopping(); }

  // Returns how many differences are not repaired.
  static std::uint64_t left_in(const DriftReport& report) {
    std::uint64_t count = 0;
    for (const DriftFinding& one : report.findings)
      count += is_about_use(one.rule) ? 0 : one.count - one.mended;
    return count;
  }

  // Returns whether the table follows a design that says the same about items and indexes.
  Result<bool> leaves_all_items(const TableDescription& table, const IndexChanges& changes) const {
    const std::optional<GovernedBy>& governed = table.governed_by;
    if (!governed || governed->adopting || !table.awaits_design.empty() || table.index_build) return false;
    const bool changes_indexes =
        !changes.missing.empty() ||
        (options_.delete_indexes && (!changes.replaced.empty() || !changes.unused.empty()));
    if (changes_indexes) return false;
    TAVOLA_TRY(const std::shared_ptr<const design::Design> stored,
               database_.governing_design(design_.table.name));
    if (stored == nullptr || stored->text == design_.text) return false;
    return design::have_same_items(*stored, design_);
  }

  // Enforces the design without a time in which violations are counted, because no item is to be checked.
  Result<Adopted> take_over_at_once(const TableDescription& table) {
    TAVOLA_CHECK(expire_by_design(table));
    TAVOLA_CHECK(govern(GovernTableRequest::Adoption::None));
    for (DriftReport* const report : {&adopted_.found, &adopted_.left}) {
      report->design = design_.name;
      report->table = wanted_.table_name;
    }
    adopted_.is_enforced = true;
    return std::move(adopted_);
  }

  Result<void> govern(GovernTableRequest::Adoption adoption) {
    TAVOLA_CHECK(database_.govern_table({.table_name = design_.table.name,
                                         .design = design_.text,
                                         .file_name = design_.file,
                                         .adoption = adoption}));
    return {};
  }

  Result<DriftReport> search(Repair repair) {
    return find_drift(design_, database_, drift_options(options_, repair));
  }

  // Describes the table, which is created if it is missing and may be created.
  Result<TableDescription> describe() {
    Result<DescribeTableResponse> found = database_.describe_table({.table_name = wanted_.table_name});
    const bool is_missing = !found && found.error().code() == ErrorCode::ResourceNotFound;
    if (is_missing && options_.create_table && !options_.dry_run) {
      TAVOLA_CHECK(database_.create_table(wanted_));
      adopted_.created_table = true;
      found = database_.describe_table({.table_name = wanted_.table_name});
    }
    if (!found) return fail(found.error());
    return std::move(found->table);
  }

  // ---- Indexes ----

  // The table has the design already: one that had an index keeps it from being deleted.
  Result<void> replace(const std::vector<GlobalIndex>& indexes) {
    if (!options_.delete_indexes) return {};
    for (const GlobalIndex& index : indexes) TAVOLA_CHECK(remove({index.name}));
    for (const GlobalIndex& index : indexes) {
      TAVOLA_CHECK(create(index));
      adopted_.created_indexes.push_back(index.name);
    }
    return wait_for_indexes();
  }

  Result<void> remove(const std::vector<std::string>& indexes) {
    if (!options_.delete_indexes) return {};
    for (const std::string& index : indexes) {
      TAVOLA_CHECK(wait_for_indexes());
      TAVOLA_CHECK(database_.update_table({.table_name = wanted_.table_name, .deleted_indexes = {index}}));
      adopted_.deleted_indexes.push_back(index);
    }
    return {};
  }

  Result<void> expire_by_design(const TableDescription& found) {
    const std::string& ttl = design_.table.ttl;
    if (ttl.empty() || found.time_to_live_attribute) return {};
    TAVOLA_CHECK(database_.update_time_to_live(
        {.table_name = found.table_name, .attribute_name = ttl, .enabled = true}));
    return {};
  }

  Result<void> create(const GlobalIndex& index) {
    UpdateTableRequest request{.table_name = wanted_.table_name, .created_indexes = {index}};
    for (const KeySchemaElement& key : index.key_schema) {
      const auto type = type_of(wanted_.attribute_definitions, key.name);
      if (type) request.attribute_definitions.push_back({key.name, *type});
    }
    TAVOLA_CHECK(wait_for_indexes());  // DynamoDB builds one index at a time
    TAVOLA_CHECK(database_.update_table(request));
    return {};
  }

  Result<void> wait_for_indexes() {
    for (;;) {
      TAVOLA_TRY(const DescribeTableResponse now,
                 database_.describe_table({.table_name = design_.table.name}));
      if (!now.table.index_build) return {};
      if (stopping()) return fail(stopped());
      if (options_.progress) options_.progress({.doing = "building indexes"});
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  const design::Design& design_;
  const CreateTableRequest wanted_;
  Database& database_;
  const AdoptOptions& options_;
  Adopted adopted_;
};

}  // namespace

Result<IndexChanges> index_changes(const design::Design& design, const TableDescription& table) {
  const CreateTableRequest wanted = design::table_schema(design);
  const auto same_local = [&](const LocalIndex& index) {
    const auto same = std::ranges::find(table.local_indexes, index.name, &LocalIndex::name);
    return same != table.local_indexes.end() && same_keys(wanted, table, index.key_schema, same->key_schema);
  };
  if (!same_keys(wanted, table, wanted.key_schema, table.key_schema) ||
      !std::ranges::all_of(wanted.local_indexes, same_local)) {
    return fail(cannot_take_over(wanted, table,
                                 "The keys and the local indexes of a table cannot change: the items must "
                                 "move to another table, which `tavola migrate` does (docs/MIGRATE.md)"));
  }
  IndexChanges changes;
  for (GlobalIndex index : wanted.global_indexes) {
    // The table may be billed otherwise than the design says.
    const bool is_provisioned = table.billing_mode == BillingMode::Provisioned;
    index.throughput = is_provisioned ? std::optional(design::kFirstThroughput) : std::nullopt;
    const auto same = std::ranges::find(table.global_indexes, index.name, &GlobalIndex::name);
    if (same == table.global_indexes.end()) {
      changes.missing.push_back(index);
    } else if (!same_keys(wanted, table, index.key_schema, same->key_schema) ||
               same->projection != index.projection) {
      changes.replaced.push_back(index);
    }
  }
  for (const GlobalIndex& index : table.global_indexes) {
    if (std::ranges::find(wanted.global_indexes, index.name, &GlobalIndex::name) ==
        wanted.global_indexes.end()) {
      changes.unused.push_back(index.name);
    }
  }
  return changes;
}

bool Adopted::is_complete() const {
  const DriftReport& last = is_enforced ? left : found;
  return std::ranges::all_of(last.findings, [](const DriftFinding& finding) {
    return finding.rule == DriftRule::Table || is_about_use(finding.rule) || finding.mended == finding.count;
  });
}

Result<bool> needs_adoption(const design::Design& design, Database& database) {
  TAVOLA_TRY(const DescribeTableResponse found, database.describe_table({.table_name = design.table.name}));
  const std::optional<GovernedBy>& governed = found.table.governed_by;
  if (!governed || governed->adopting) return true;
  if (!found.table.awaits_design.empty()) return true;  // restored, or still being restored
  TAVOLA_TRY(const std::shared_ptr<const design::Design> stored,
             database.governing_design(design.table.name));
  if (stored == nullptr || stored->text != design.text) return true;
  const Result<IndexChanges> changes = index_changes(design, found.table);
  return !changes || !changes->missing.empty();
}

Result<void> check_can_adopt(const design::Design& design, Database& database, const AdoptOptions& options) {
  TAVOLA_TRY(const DescribeTableResponse found, database.describe_table({.table_name = design.table.name}));
  TAVOLA_CHECK(checked_changes(design, found.table, options));
  return {};
}

Result<Adopted> adopt_table(const design::Design& design, Database& database, const AdoptOptions& options) {
  return Adoption(design, database, options).run();
}

Result<Adopted> check_imported(const design::Design& design, Database& database,
                               const AdoptOptions& options) {
  AsIsDatabase as_is(database);  // sees internal records, and repairs what a governed write cannot change
  Adopted checked{.is_enforced = true};
  TAVOLA_TRY(const std::optional<ImportMark> mark, begin_check(design, database));
  TAVOLA_TRY(checked.found, find_drift(design, as_is, drift_options(options, Repair::Yes)));
  if (checked.found.findings.empty()) {
    checked.left = checked.found;
  } else {
    TAVOLA_TRY(checked.left, find_drift(design, as_is, drift_options(options, Repair::No)));
  }
  if (mark) TAVOLA_CHECK(end_check(design, database, *mark));
  return checked;
}

std::string import_text(const Adopted& checked) {
  std::uint64_t repaired = 0;
  for (const DriftFinding& finding : checked.found.findings) repaired += finding.mended;
  std::string text = "Checked " + std::to_string(checked.found.items) + " items of " + checked.found.table +
                     " against the design " + checked.found.design + ": " +
                     (repaired == 0 ? "nothing had to be repaired.\n"
                                    : std::to_string(repaired) + " differences were repaired.\n");
  if (checked.left.has_drift())
    text += "These items do not follow the design:\n" + findings_text(checked.left);
  return text;
}

std::string to_text(const Adopted& adopted) {
  std::string text;
  DriftReport found = adopted.found;
  for (DriftFinding& finding : found.findings) {
    if (adopted.is_enforced || finding.mended == finding.count)
      finding.samples.clear();  // `left` has the others
  }
  if (adopted.created_table) text += "table " + adopted.found.table + ": created\n";
  for (const std::string& index : adopted.deleted_indexes) text += "index " + index + ": deleted\n";
  for (const std::string& index : adopted.created_indexes) text += "index " + index + ": created\n";
  text += to_text(found);
  if (adopted.is_enforced && adopted.left.has_drift())
    text += "\nThese items cannot follow the design:\n" + findings_text(adopted.left);
  if (adopted.is_enforced) {
    text +=
        "\nThe design " + adopted.found.design + " is enforced on the table " + adopted.found.table + ".\n";
  }
  return text;
}

std::string to_json(const Adopted& adopted) {
  std::string json;
  json::Writer out(json);
  out.begin_object();
  out.name("enforced").boolean(adopted.is_enforced);
  out.name("createdTable").boolean(adopted.created_table);
  const auto list = [&](std::string_view name, const std::vector<std::string>& indexes) {
    out.name(name).begin_list();
    for (const std::string& index : indexes) out.text(index);
    out.end_list();
  };
  list("createdIndexes", adopted.created_indexes);
  list("deletedIndexes", adopted.deleted_indexes);
  out.name("found").raw() += to_json(adopted.found);
  if (adopted.is_enforced) out.name("left").raw() += to_json(adopted.left);
  out.end_object();
  return json;
}

}  // namespace tavola::drift

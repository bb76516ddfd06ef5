#include "drift/adopt.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "database/as_is_database.h"
#include "design/items/table_schema.h"
#include "json/writer.h"

namespace tavola::drift {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};
// Writes of others that broke the design while its items were checked make another round necessary. More rounds than this mean that
// somebody writes such items all the time.
constexpr int kRoundsMax = 5;

Error stopped() { return {ErrorCode::Io, "the adoption was stopped; it continues when it is started again"}; }

// Fails if the table has other keys, or an index that would have to be made anew.
Result<void> check_keys(const CreateTableRequest& wanted, const TableDescription& found) {
  const auto differs = [](const auto& wanted_indexes, const auto& found_indexes, bool may_be_missing) {
    return std::ranges::any_of(wanted_indexes, [&](const auto& index) {
      const auto same = std::ranges::find(found_indexes, index.name, &std::decay_t<decltype(index)>::name);
      if (same == found_indexes.end()) return !may_be_missing;
      return same->key_schema != index.key_schema;
    });
  };
  if (wanted.key_schema == found.key_schema && !differs(wanted.global_indexes, found.global_indexes, true) &&
      !differs(wanted.local_indexes, found.local_indexes, false)) {
    return {};
  }
  std::string lines;
  for (const std::string& line : design::differences(wanted, found))
    lines += (lines.empty() ? "" : "; ") + line;
  return fail(Error::validation(
      "the design cannot take over the table " + found.table_name + ": " + lines +
      ". Delete the indexes that differ, or copy the items to a new table with `tavola copy`"));
}

enum class Repair : bool { No, Yes };

DriftOptions drift_options(const AdoptOptions& options, Repair repair) {
  return {.repair = repair == Repair::Yes,
          .samples_max = options.samples_max,
          .progress = options.progress,
          .stopping = options.stopping,
          .clock = options.clock};
}

class Adoption {
 public:
  Adoption(const design::Design& design, Database& database, const AdoptOptions& options)
      : design_(design), database_(database), options_(options) {}

  Result<Adopted> run() {
    TAVOLA_CHECK(create_indexes());
    if (options_.dry_run) {
      TAVOLA_TRY(adopted_.found, search(Repair::No));
      return std::move(adopted_);
    }
    for (int round = 1; round <= kRoundsMax; ++round) {
      TAVOLA_CHECK(govern(GovernTableRequest::Adoption::Begin));
      TAVOLA_TRY(DriftReport found, search(Repair::Yes));
      const std::uint64_t left_by_repair = left_in(found);
      if (round == 1) adopted_.found = std::move(found);
      TAVOLA_CHECK(govern(GovernTableRequest::Adoption::End));
      // From here on the design is enforced. Violations that came in before are found now.
      TAVOLA_TRY(adopted_.left, search(Repair::No));
      if (left_in(adopted_.left) <= left_by_repair) break;
    }
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

  // ---- Indexes ----

  Result<void> create_indexes() {
    const CreateTableRequest wanted = design::table_schema(design_);
    TAVOLA_TRY(const DescribeTableResponse found,
               database_.describe_table({.table_name = wanted.table_name}));
    TAVOLA_CHECK(check_keys(wanted, found.table));
    for (const GlobalIndex& index : wanted.global_indexes) {
      if (std::ranges::find(found.table.global_indexes, index.name, &GlobalIndex::name) !=
          found.table.global_indexes.end()) {
        continue;
      }
      adopted_.created_indexes.push_back(index.name);
      if (!options_.dry_run) TAVOLA_CHECK(create(wanted, index));
    }
    if (options_.dry_run) return {};
    TAVOLA_CHECK(wait_for_indexes());
    return expire_by_design(found.table);
  }

  Result<void> expire_by_design(const TableDescription& found) {
    const std::string& ttl = design_.table.ttl;
    if (ttl.empty() || found.time_to_live_attribute) return {};
    TAVOLA_CHECK(database_.update_time_to_live(
        {.table_name = found.table_name, .attribute_name = ttl, .enabled = true}));
    return {};
  }

  Result<void> create(const CreateTableRequest& wanted, const GlobalIndex& index) {
    UpdateTableRequest request{.table_name = wanted.table_name, .created_indexes = {index}};
    for (const KeySchemaElement& key : index.key_schema) {
      const auto definition =
          std::ranges::find(wanted.attribute_definitions, key.name, &AttributeDefinition::name);
      if (definition != wanted.attribute_definitions.end())
        request.attribute_definitions.push_back(*definition);
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
  Database& database_;
  const AdoptOptions& options_;
  Adopted adopted_;
};

}  // namespace

Result<bool> needs_adoption(const design::Design& design, Database& database) {
  TAVOLA_TRY(const DescribeTableResponse found, database.describe_table({.table_name = design.table.name}));
  const std::optional<GovernedBy>& governed = found.table.governed_by;
  if (governed && governed->adopting) return true;
  if (!found.table.awaits_design.empty()) return true;  // restored, or still being restored
  if (found.table.item_count == 0) return false;
  if (!governed) return true;
  TAVOLA_TRY(const std::shared_ptr<const design::Design> stored,
             database.governing_design(design.table.name));
  return stored == nullptr || stored->text != design.text;
}

Result<void> check_can_adopt(const design::Design& design, Database& database) {
  TAVOLA_TRY(const DescribeTableResponse found, database.describe_table({.table_name = design.table.name}));
  return check_keys(design::table_schema(design), found.table);
}

Result<Adopted> adopt_table(const design::Design& design, Database& database, const AdoptOptions& options) {
  return Adoption(design, database, options).run();
}

Result<Adopted> check_imported(const design::Design& design, Database& database,
                               const AdoptOptions& options) {
  AsIsDatabase as_is(database);  // sees internal records, and repairs what a governed write cannot change
  Adopted checked{.is_enforced = true};
  TAVOLA_TRY(checked.found, find_drift(design, as_is, drift_options(options, Repair::Yes)));
  if (checked.found.findings.empty()) {
    checked.left = checked.found;
    return checked;
  }
  TAVOLA_TRY(checked.left, find_drift(design, as_is, drift_options(options, Repair::No)));
  return checked;
}

std::string import_text(const Adopted& checked) {
  std::uint64_t repaired = 0;
  for (const DriftFinding& finding : checked.found.findings) repaired += finding.mended;
  std::string text = "Checked " + std::to_string(checked.found.items) + " items of " + checked.found.table +
                     " against the design " + checked.found.design + ": " +
                     (repaired == 0 ? "nothing had to be repaired.\n"
                                    : std::to_string(repaired) + " differences were repaired.\n");
  if (checked.left.has_drift()) text += "These items do not follow the design:\n" + to_text(checked.left);
  return text;
}

std::string to_text(const Adopted& adopted) {
  std::string text;
  for (const std::string& index : adopted.created_indexes) text += "index " + index + ": created\n";
  text += to_text(adopted.found);
  if (adopted.is_enforced && adopted.left.has_drift())
    text += "\nThese items cannot follow the design:\n" + to_text(adopted.left);
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
  out.name("createdIndexes").begin_list();
  for (const std::string& index : adopted.created_indexes) out.text(index);
  out.end_list();
  out.name("found").raw() += to_json(adopted.found);
  if (adopted.is_enforced) out.name("left").raw() += to_json(adopted.left);
  out.end_object();
  return json;
}

}  // namespace tavola::drift

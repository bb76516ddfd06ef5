#include "engine/governed/governor.h"

#include <algorithm>

#include "base/assert.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "design/items/table_schema.h"
#include "design/load.h"
#include "design/requests/pattern_request.h"
#include "engine/catalog/catalog.h"
#include "engine/checks/compiled_request.h"
#include "engine/governed/paired_table.h"
#include "engine/read/read.h"
#include "engine/records/job.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

Enforcement enforcement_of(const design::Design& design) {
  switch (design.enforce) {
    case design::Enforce::Strict:
      return Enforcement::Strict;
    case design::Enforce::Warn:
      return Enforcement::Warn;
    case design::Enforce::Off:
      return Enforcement::Off;
  }
  return Enforcement::Strict;
}

Result<void> check_keys(const design::Design& design, const TableDescription& table) {
  const CreateTableRequest wanted = design::table_schema(design);
  if (wanted.key_schema == table.key_schema) return {};
  return fail(Error::validation("the design " + design.name + " has other keys than the table " +
                                table.table_name + ": it cannot govern it"));
}

// Of a table that is known to have a design.
const GovernedBy& governed_by_of(const TableDescription& table) {
  TAVOLA_ASSERT(table.governed_by.has_value());
  return *table.governed_by;
}

// What may be said twice: "Tavola: Product.unitPrice must be ≥ 0 (was -1) [shop.yaml:41]" is broken at shop.yaml:41.
std::string place_of(const std::string& message) {
  const std::size_t at = message.rfind('[');
  return at == std::string::npos ? message : message.substr(at);
}

Error index_stays(const std::string& design, const std::string& table, const std::string& index) {
  return Error::validation("the design " + design + " of the table " + table + " has the index " + index +
                           ": it cannot be deleted. Give the table a design without it first.");
}

// For a table of this name. Fails with Validation and the first error.
Result<design::Design> design_of(design::Loaded loaded, const std::string& file,
                                 const std::string& table_name) {
  if (loaded.design) {
    loaded.design->table.name = table_name;
    return *std::move(loaded.design);
  }
  const auto first =
      std::ranges::find(loaded.diagnostics, design::Severity::Error, &design::Diagnostic::severity);
  TAVOLA_ASSERT(first != loaded.diagnostics.end());
  return fail(Error::validation("the design has errors: " + file + ":" +
                                std::to_string(first->span.begin.line) + ": " + first->message +
                                ". `tavola design check` tells all of them."));
}

}  // namespace

Result<std::string> encode_design(const std::string& text, const std::string& file) {
  TAVOLA_TRY(const PackedItem packed, pack({{"file", file}, {"text", text}}));
  return packed.bytes();
}

Result<design::Design> load_design(std::string_view text, const std::string& file,
                                   const std::string& table_name) {
  return design_of(design::load(text, file), file, table_name);
}

void BrokenRules::add(const Error& error, std::string sample_key) {
  constexpr std::size_t kRulesMax = 1000;  // a design has fewer places
  const MutexLock lock(mutex_);
  std::string place = place_of(error.message());
  if (rules_.size() >= kRulesMax && !rules_.contains(place)) return;
  BrokenRule& rule = rules_[std::move(place)];
  if (rule.rule.empty()) rule.rule = error.message();
  ++rule.writes;
  rule.sample_key = std::move(sample_key);
}

std::vector<BrokenRule> BrokenRules::list() const {
  const MutexLock lock(mutex_);
  std::vector<BrokenRule> rules;
  rules.reserve(rules_.size());
  for (const auto& [place, rule] : rules_) rules.push_back(rule);
  return rules;
}

Result<std::shared_ptr<const Governor>> load_governor(const store::Snapshot& snapshot,
                                                      const TableSchema& schema,
                                                      std::shared_ptr<BrokenRules> broken) {
  TAVOLA_TRY(const std::optional<std::string> stored, snapshot.get(design_key(schema.id)));
  const std::string& table = schema.description.table_name;
  if (!stored) {
    return fail(Error::corrupt("The design of table '" + table +
                               "' is missing. Restore the data directory from a backup or checkpoint."));
  }
  TAVOLA_CHECK(check_packed(*stored));
  const ItemView record(*stored);
  const auto text = record.find("text");
  const auto file = record.find("file");
  if (!text || !file || text->type() != Type::String || file->type() != Type::String) {
    return fail(Error::corrupt("The design of table '" + table +
                               "' is damaged. Restore the data directory from a backup or checkpoint."));
  }
  const std::string file_name(file->string());
  TAVOLA_TRY(design::Design design,
             design_of(design::load_stored(text->string(), file_name), file_name, table));
  auto governor = std::make_shared<Governor>(std::move(design));
  governor->enforcement = governed_by_of(schema.description).enforcement;
  governor->broken = std::move(broken);
  return governor;
}

Result<Page> pattern_page(const store::Store& store, const TableSchema& table,
                          const PatternQuestion& question, std::optional<PackedItem> after) {
  Item parameters;
  for (const design::Parameter& parameter : question.pattern.parameters) {
    const auto field = question.fields.find(parameter.name);
    if (field != question.fields.end()) parameters.insert(*field);
  }
  TAVOLA_TRY(design::ReadRequest made, design::read_request(governing(table)->design, question.pattern,
                                                            parameters, {.now = question.now}));
  if (const auto* const get = std::get_if<GetItemRequest>(&made)) {
    TAVOLA_TRY(std::optional<std::string> stored, store.get(item_key(table, get->key.view())));
    Page page;
    if (stored) page.items.emplace_back(*std::move(stored));
    return page;
  }
  QueryRequest request = std::get<QueryRequest>(std::move(made));
  request.limit = static_cast<std::int64_t>(question.limit);
  request.exclusive_start_key = std::move(after);
  TAVOLA_TRY(const ReadParameters compiled, compile_parameters(request));
  return query_table(store, table, request, compiled);
}

Result<std::vector<Item>> ask_pattern(const store::Store& store, const TableSchema& table,
                                      const PatternQuestion& question) {
  std::vector<Item> items;
  std::optional<PackedItem> after;
  do {
    TAVOLA_TRY(Page page, pattern_page(store, table, question, std::move(after)));
    for (const PackedItem& item : page.items) {
      if (items.size() < question.limit) items.push_back(item.unpack());
    }
    after = std::move(page.last_evaluated_key);
  } while (after && items.size() < question.limit);
  return items;
}

Result<GovernedBy> govern_table(Catalog& catalog, const GovernTableRequest& request) {
  std::optional<design::Design> design;
  std::string stored;
  if (!request.design.empty()) {
    TAVOLA_TRY(design, load_design(request.design, request.file_name, request.table_name));
    TAVOLA_TRY(stored, encode_design(request.design, request.file_name));
  }
  const std::string digest = to_hex(sha256({request.design}));
  TAVOLA_TRY(const SchemaPtr known, catalog.find(request.table_name));
  const std::optional<Enforcement> wanted =
      request.enforcement || !design ? request.enforcement : enforcement_of(*design);
  const std::optional<GovernedBy> governed = known ? known->description.governed_by : std::nullopt;
  const bool has_design = governed && (!design || known->design_digest == digest);
  if (has_design && (!wanted || governed->enforcement == *wanted)) return *governed;
  const auto change = [&](TableId id, TableRecord& description,
                          std::vector<store::Write>& also) -> Result<void> {
    if (!design && !description.governed_by) {
      return fail(Error::validation("the table " + description.table_name +
                                    " has no design. Give it one with `tavola serve --design`."));
    }
    if (design && !has_design) {
      TAVOLA_CHECK(check_keys(*design, description));
      description.governed_by = GovernedBy{.design = design->name, .revision = design->revision};
      description.awaits_design.clear();
      also.push_back(store::Write::put(design_key(id), stored));
      // What is watched depends on the design.
      const store::KeyRange watches = all_watches(id);
      also.push_back(store::Write::erase_range(watches.from, watches.to));
      TAVOLA_TRY(std::string job, encode_job(JobKind::Adoption, description.table_name));
      also.push_back(store::Write::put(job_key(id, "adopt"), std::move(job)));
    }
    if (wanted) description.governed_by->enforcement = *wanted;
    return {};
  };
  TAVOLA_TRY(const SchemaPtr schema,
             catalog.update(request.table_name, change, design ? std::optional(digest) : std::nullopt));
  return governed_by_of(schema->description);
}

Result<void> check_index_changes(const Governor& governor, const UpdateTableRequest& request) {
  if (governor.enforcement == Enforcement::Off) return {};
  const std::string& name = governor.design.name;
  const std::vector<GlobalIndex> wanted = design::table_schema(governor.design).global_indexes;
  for (const std::string& index : request.deleted_indexes) {
    if (std::ranges::find(wanted, index, &GlobalIndex::name) == wanted.end()) continue;
    return fail(index_stays(name, request.table_name, index));
  }
  for (const GlobalIndex& index : request.created_indexes) {
    const auto same = std::ranges::find(wanted, index.name, &GlobalIndex::name);
    if (same == wanted.end() ||
        (same->key_schema == index.key_schema && same->projection == index.projection)) {
      continue;
    }
    return fail(Error::validation("the design " + name + " of the table " + request.table_name +
                                  " says another key or projection of the index " + index.name +
                                  ": create it as the design says, or give the table another design first."));
  }
  return {};
}

Result<DescribeGovernanceResponse> describe_governance(const store::Store& store, const TableSchema& schema,
                                                       const DescribeGovernanceRequest& request,
                                                       WallTime now) {
  DescribeGovernanceResponse response{.governed_by = schema.description.governed_by};
  if (!schema.governor) return response;
  response.broken_rules = schema.governor->broken->list();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  const auto snapshot = store.snapshot();
  const auto watches = snapshot->range(watches_until(schema.id, static_cast<std::uint64_t>(milliseconds)),
                                       store::Direction::Forward);
  for (; watches->valid(); watches->next()) {
    ++response.stuck;
    if (response.stuck_items.size() >= request.stuck_items_max) continue;
    TAVOLA_TRY(const Watch watch, decode_watch_key(watches->key()));
    TAVOLA_TRY(std::optional<std::string> item, snapshot->get(watch.item_key));
    const std::chrono::milliseconds since(watch.milliseconds);
    if (item) response.stuck_items.push_back({PackedItem(*std::move(item)), std::chrono::sys_time(since)});
  }
  TAVOLA_CHECK(watches->status());
  const auto jobs = snapshot->range(all_jobs(schema.id), store::Direction::Forward);
  for (; jobs->valid(); jobs->next()) ++response.unfinished;
  TAVOLA_CHECK(jobs->status());
  return response;
}

}  // namespace tavola::engine

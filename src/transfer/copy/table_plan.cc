#include "transfer/copy/table_plan.h"

#include <algorithm>

#include "wire/codec/attribute_values.h"

namespace tavola::transfer {
namespace {

std::optional<Type> type_of(const TableDescription& table, const std::string& attribute) {
  const auto found = std::ranges::find(table.attribute_definitions, attribute, &AttributeDefinition::name);
  return found == table.attribute_definitions.end() ? std::nullopt : std::optional(found->type);
}

bool has_same_key(const TableDescription& a, const TableDescription& b) {
  return a.key_schema == b.key_schema &&
         std::ranges::all_of(a.key_schema, [&](const KeySchemaElement& element) {
           return type_of(a, element.name) == type_of(b, element.name);
         });
}

template <class Index>
bool has_index(const std::vector<Index>& indexes, const Index& index) {
  return std::ranges::any_of(indexes, [&index](const Index& other) {
    return other.name == index.name && other.key_schema == index.key_schema &&
           other.projection == index.projection;
  });
}

template <class Index>
void note_missing(const std::vector<Index>& wanted, const std::vector<Index>& there, const std::string& name,
                  std::vector<std::string>& notes) {
  for (const Index& index : wanted) {
    if (!has_index(there, index))
      notes.push_back(name + " has no index " + index.name + " like the original");
  }
}

void note_differences(TablePlan& plan, const SideNames& names) {
  if (plan.from.stream) plan.notes.emplace_back("its stream is not copied; UpdateTable switches it on");
  if (plan.from.governed_by) {
    plan.notes.push_back("its design " + plan.from.governed_by->design +
                         " is not copied; `tavola serve --design` gives it to the copy");
  }
  if (!plan.to) return;
  note_missing(plan.from.global_indexes, plan.to->global_indexes, names.to, plan.notes);
  note_missing(plan.from.local_indexes, plan.to->local_indexes, names.to, plan.notes);
  if (plan.to->governed_by && plan.to->governed_by->enforcement != Enforcement::Off) {
    plan.notes.push_back("the table keeps the design " + plan.to->governed_by->design + " in " + names.to +
                         ", which every item must pass and which makes what follows from it");
  }
}

CreateTableRequest definition_of(const TablePlan& plan) {
  const TableDescription& from = plan.from;
  CreateTableRequest request{.table_name = from.table_name,
                             .attribute_definitions = from.attribute_definitions,
                             .key_schema = from.key_schema,
                             .global_indexes = from.global_indexes,
                             .local_indexes = from.local_indexes,
                             .billing_mode = from.billing_mode,
                             .deletion_protection = from.deletion_protection,
                             .table_class = from.table_class,
                             .tags = plan.tags};
  const bool is_provisioned = from.billing_mode == BillingMode::Provisioned;
  if (is_provisioned) request.throughput = from.throughput;
  if (!is_provisioned) request.on_demand_limits = from.on_demand_limits;
  for (GlobalIndex& index : request.global_indexes) {
    if (!is_provisioned) index.throughput.reset();
    if (is_provisioned) index.on_demand_limits.reset();
    index.warm_throughput.reset();
  }
  return request;
}

Result<bool> has_items(Database& database, const std::string& table) {
  ScanRequest request{.table_name = table, .select = Select::Count, .limit = 1};
  TAVOLA_TRY(const ScanResponse page, database.scan(request));
  return page.count > 0;
}

// Nothing when there is none.
Result<std::optional<TableDescription>> described(Database& database, const std::string& table) {
  Result<DescribeTableResponse> found = database.describe_table({.table_name = table});
  if (found) return std::optional(std::move(found->table));
  if (found.error().code() == ErrorCode::ResourceNotFound) return std::nullopt;
  return fail(found.error());
}

// Whoever asks may not know it, or the server has no such thing: the items are what matters.
bool may_be_left_out(const Error& error) {
  return error.code() == ErrorCode::AccessDenied || error.code() == ErrorCode::UnknownOperation;
}

// Tags and time to live.
Result<void> read_extras(Database& from, TablePlan& plan) {
  const std::string& table = plan.from.table_name;
  Result<ListTagsOfResourceResponse> tags = from.list_tags_of_resource({.table_name = table});
  if (tags) {
    plan.tags = std::move(tags->tags);
    // Tags that begin so are AWS's own, and nobody else may give them.
    std::erase_if(plan.tags, [](const auto& tag) { return tag.first.starts_with("aws:"); });
  } else if (may_be_left_out(tags.error())) {
    plan.notes.push_back("its tags are not copied: " + tags.error().message());
  } else {
    return fail(tags.error());
  }
  const Result<DescribeTimeToLiveResponse> lives = from.describe_time_to_live({.table_name = table});
  if (lives) {
    plan.time_to_live = lives->time_to_live;
  } else if (may_be_left_out(lives.error())) {
    plan.notes.push_back("its time to live is not copied: " + lives.error().message());
  } else {
    return fail(lives.error());
  }
  return {};
}

}  // namespace

Result<TablePlan> plan_table(Database& from, Database& to, const std::string& table, const SideNames& names) {
  TAVOLA_TRY(std::optional<TableDescription> source, described(from, table));
  if (!source) return fail(Error::resource_not_found("there is no table " + table + " in " + names.from));
  TablePlan plan{.from = *std::move(source)};
  TAVOLA_TRY(plan.to, described(to, table));
  if (plan.to && !has_same_key(plan.from, *plan.to)) {
    return fail(Error::validation("the table " + table + " in " + names.to +
                                  " has another key than the one in " + names.from +
                                  "; delete it, or copy to where there is none of this name"));
  }
  if (plan.to && plan.to->status != TableStatus::Active && plan.to->status != TableStatus::Updating) {
    return fail(Error::resource_in_use("the table " + table + " in " + names.to +
                                       " is being made or deleted; run the command again when that is done"));
  }
  if (plan.to) {
    TAVOLA_TRY(plan.target_has_items, has_items(to, table));
  }
  TAVOLA_CHECK(read_extras(from, plan));
  note_differences(plan, names);
  return plan;
}

Result<TableDescription> prepare_target(Database& to, const TablePlan& plan, const Pause& pause) {
  if (!plan.to) TAVOLA_CHECK(to.create_table(definition_of(plan)));
  constexpr std::chrono::milliseconds kBetween{500};
  constexpr int kTimes = 1200;  // ten minutes
  for (int i = 0; i < kTimes; ++i) {
    TAVOLA_TRY(DescribeTableResponse now, to.describe_table({.table_name = plan.from.table_name}));
    if (now.table.status == TableStatus::Active || now.table.status == TableStatus::Updating) {
      return std::move(now.table);
    }
    pause(kBetween);
  }
  return fail(Error(ErrorCode::Io, "the table " + plan.from.table_name +
                                       " did not become ACTIVE within ten minutes; run the command again"));
}

Result<void> finish_target(Database& to, const TablePlan& plan) {
  if (plan.time_to_live.status != TimeToLiveStatus::Enabled) return {};
  const std::string& table = plan.from.table_name;
  TAVOLA_TRY(const DescribeTimeToLiveResponse there, to.describe_time_to_live({.table_name = table}));
  if (there.time_to_live.status == TimeToLiveStatus::Enabled) return {};
  TAVOLA_CHECK(to.update_time_to_live(
      {.table_name = table, .attribute_name = plan.time_to_live.attribute_name, .enabled = true}));
  return {};
}

PackedItem key_of(const PackedItem& item, const std::vector<KeySchemaElement>& key_schema) {
  std::vector<std::string_view> names;
  names.reserve(key_schema.size());
  for (const KeySchemaElement& element : key_schema) names.emplace_back(element.name);
  std::ranges::sort(names);
  ItemWriter writer;
  for (const std::string_view name : names) {
    const auto value = item.find(name);
    if (!value) continue;
    writer.name(name);
    writer.value(*value);
  }
  return std::move(writer).finish();
}

std::string shown(const PackedItem& item) {
  std::string text;
  wire::append_item(text, item.view());
  return text;
}

}  // namespace tavola::transfer

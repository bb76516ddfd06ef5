#include "transfer/copy/table_plan.h"

#include <algorithm>

#include "transfer/tables/created_table.h"
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
  if (plan.from.stream) plan.notes.emplace_back("its stream is not copied; UpdateTable enables it");
  if (plan.from.governed_by) {
    plan.notes.push_back("its design " + plan.from.governed_by->design +
                         " is not copied; `tavola serve --design` gives it to the copy");
  }
  if (!plan.to) return;
  note_missing(plan.from.global_indexes, plan.to->global_indexes, names.to, plan.notes);
  note_missing(plan.from.local_indexes, plan.to->local_indexes, names.to, plan.notes);
  if (plan.to->governed_by && plan.to->governed_by->enforcement != Enforcement::Off) {
    plan.notes.push_back("the table is governed by the design " + plan.to->governed_by->design + " in " +
                         names.to +
                         ": after the copy it is checked, and what follows from the design is repaired");
  }
}

Result<bool> has_items(Database& database, const std::string& table) {
  ScanRequest request{.table_name = table, .select = Select::Count, .limit = 1};
  TAVOLA_TRY(const ScanResponse page, database.scan(request));
  return page.count > 0;
}

// Returns nullopt if there is none.
Result<std::optional<TableDescription>> described(Database& database, const std::string& table) {
  Result<DescribeTableResponse> found = database.describe_table({.table_name = table});
  if (found) return std::optional(std::move(found->table));
  if (found.error().code() == ErrorCode::ResourceNotFound) return std::nullopt;
  return fail(found.error());
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
                                  "; delete it, or copy to a database without a table of this name"));
  }
  if (plan.to && !is_usable(plan.to->status)) {
    return fail(Error::resource_in_use("the table " + table + " in " + names.to +
                                       " is being created or deleted; run the command again later"));
  }
  if (plan.to) {
    TAVOLA_TRY(plan.target_has_items, has_items(to, table));
  }
  TAVOLA_TRY(plan.definition, definition_of(from, plan.from, plan.notes));
  plan.definition.table.stream.reset();  // its readers would get every copied item as a new one
  note_differences(plan, names);
  return plan;
}

Result<TableDescription> prepare_target(Database& to, const TablePlan& plan, const Pause& pause) {
  if (plan.to) return wait_until_usable(to, plan.from.table_name, pause);
  return create_and_wait(to, plan.definition.table, pause);
}

Result<void> finish_target(Database& to, const TablePlan& plan) {
  if (plan.definition.time_to_live_attribute.empty()) return {};
  return expire_by(to, plan.from.table_name, plan.definition.time_to_live_attribute);
}

std::string shown(const PackedItem& item) {
  std::string text;
  wire::append_item(text, item.view());
  return text;
}

}  // namespace tavola::transfer

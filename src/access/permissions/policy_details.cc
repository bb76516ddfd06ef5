#include "access/permissions/policy_details.h"

#include "access/permissions/write_attributes.h"
#include "base/encoding.h"
#include "database/enum_names.h"
#include "expr/evaluate/compile.h"

namespace tavola::access {
namespace {

using policy::Key;

std::string text_of(const ValueView& value) {
  if (value.type() == Type::String) return std::string(value.string());
  const Value whole = value.unpack();
  return whole.is_number() ? whole.number().to_string() : to_base64(value.ordered_bytes());
}

const std::vector<KeySchemaElement>* key_of(const TableDescription& table, const std::string& index) {
  if (index.empty()) return &table.key_schema;
  for (const GlobalIndex& one : table.global_indexes) {
    if (one.name == index) return &one.key_schema;
  }
  for (const LocalIndex& one : table.local_indexes) {
    if (one.name == index) return &one.key_schema;
  }
  return nullptr;
}

// AWS's default (API reference, Query).
Select select_of(const std::string& index, const std::optional<Select>& asked, bool is_projected) {
  if (asked) return *asked;
  if (is_projected) return Select::SpecificAttributes;
  return index.empty() ? Select::AllAttributes : Select::AllProjectedAttributes;
}

}  // namespace

std::string PolicyDetails::hash_attribute(const std::string& table, const std::string& index) {
  if (index.empty() && table_hash_) return *table_hash_;
  const auto described = database_.describe_table({.table_name = table});
  if (!described) return {};
  const std::vector<KeySchemaElement>* const key = key_of(described->table, index);
  const std::string name = key == nullptr || key->empty() ? std::string() : key->front().name;
  if (index.empty()) table_hash_ = name;
  return name;
}

void PolicyDetails::add_leading_key(const std::string& table, const PackedItem& item) {
  if (!policy_.mentions(Key::LeadingKeys)) return;
  const auto value = item.view().find(hash_attribute(table, ""));
  if (value) leading_keys_.push_back(text_of(*value));
}

void PolicyDetails::add_leading_key(const QueryRequest& request) {
  if (!policy_.mentions(Key::LeadingKeys) && !policy_.mentions(Key::Attributes)) return;
  expr::Compiler compiler(request.names, request.values.view());
  const Result<expr::KeyCondition> condition = request.key_conditions
                                                   ? compiler.key_conditions(*request.key_conditions)
                                                   : compiler.key_condition(request.key_condition_expression);
  if (!condition) return;  // the request is wrong and will be refused
  const std::string hash = hash_attribute(request.table_name, request.index_name);
  for (const expr::KeyTerm& term : condition->terms) {
    if (term.attribute == hash) leading_keys_.push_back(text_of(term.first));
    add_attributes({term.attribute});
  }
}

void PolicyDetails::add_attributes(const std::vector<std::string>& names) {
  attributes_.insert(names.begin(), names.end());
}

void PolicyDetails::add_attributes_of(const PackedItem& item) {
  if (!policy_.mentions(Key::Attributes)) return;
  for (const auto& [name, value] : item.view()) attributes_.emplace(name);
}

template <class Request>
void PolicyDetails::add_projection(const Request& request) {
  if (!policy_.mentions(Key::Attributes)) return;
  if (request.attributes_to_get) add_attributes(*request.attributes_to_get);
  if (request.projection_expression.empty()) return;
  expr::Compiler compiler(request.names, ItemView());
  if (const auto projection = compiler.projection(request.projection_expression)) {
    add_attributes(projection->attributes());
  }
}

template <class Request>
void PolicyDetails::add_condition(const Request& request) {
  if (policy_.mentions(Key::Attributes)) add_attributes(condition_attributes(request));
}

void PolicyDetails::add_update(const UpdateItemRequest& request) {
  if (!policy_.mentions(Key::Attributes)) return;
  for (const AttributeChange& change : attribute_changes(request)) {
    add_attributes({change.attribute});
    add_attributes(change.from);
  }
}

void PolicyDetails::add_capacity(ReturnConsumedCapacity capacity) {
  context_.set(Key::ReturnConsumedCapacity, std::string(enum_name(capacity)));
}

void PolicyDetails::add_return_values(ReturnValues on_success) {
  const ReturnValues values = outcome_ == Outcome::ConditionFailed ? ReturnValues::AllOld : on_success;
  context_.set(Key::ReturnValues, std::string(enum_name(values)));
}

void PolicyDetails::finish() {
  context_.set(Key::LeadingKeys, leading_keys_);
  context_.set(Key::Attributes, std::vector(attributes_.begin(), attributes_.end()));
}

void PolicyDetails::add_enclosing(std::string_view operation) {
  context_.set(Key::EnclosingOperation, std::string(operation));
}

void PolicyDetails::add(const GetItemRequest& request) {
  add_leading_key(request.table_name, request.key);
  add_attributes_of(request.key);
  add_projection(request);
  const bool is_projected = !request.projection_expression.empty() || request.attributes_to_get;
  context_.set(Key::Select, std::string(enum_name(select_of("", std::nullopt, is_projected))));
  context_.set(Key::FullTableScan, "false");
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const PutItemRequest& request) {
  add_leading_key(request.table_name, request.item);
  add_attributes_of(request.item);
  add_condition(request);
  add_return_values(request.return_values);
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const UpdateItemRequest& request) {
  add_leading_key(request.table_name, request.key);
  add_attributes_of(request.key);
  add_update(request);
  add_condition(request);
  add_return_values(request.return_values);
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const DeleteItemRequest& request) {
  add_leading_key(request.table_name, request.key);
  add_attributes_of(request.key);
  add_condition(request);
  add_return_values(request.return_values);
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const ConditionCheck& request) {
  add_leading_key(request.table_name, request.key);
  add_attributes_of(request.key);
  add_condition(request);
  add_return_values(ReturnValues::None);
  finish();
}

void PolicyDetails::add(const QueryRequest& request) {
  add_leading_key(request);
  add_projection(request);
  if (policy_.mentions(Key::Attributes)) {
    expr::Compiler compiler(request.names, request.values.view());
    if (!request.filter_expression.empty()) {
      const auto filter = compiler.condition(request.filter_expression, expr::ConditionRole::Filter);
      if (filter) add_attributes(filter->attributes());
    }
    for (const auto& [name, condition] : request.query_filter.value_or(LegacyConditions()))
      add_attributes({name});
  }
  const bool is_projected = !request.projection_expression.empty() || request.attributes_to_get;
  context_.set(Key::Select,
               std::string(enum_name(select_of(request.index_name, request.select, is_projected))));
  context_.set(Key::FullTableScan, "false");
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const ScanRequest& request) {
  add_projection(request);
  if (policy_.mentions(Key::Attributes)) {
    expr::Compiler compiler(request.names, request.values.view());
    if (!request.filter_expression.empty()) {
      const auto filter = compiler.condition(request.filter_expression, expr::ConditionRole::Filter);
      if (filter) add_attributes(filter->attributes());
    }
    for (const auto& [name, condition] : request.scan_filter.value_or(LegacyConditions()))
      add_attributes({name});
  }
  const bool is_projected = !request.projection_expression.empty() || request.attributes_to_get;
  context_.set(Key::Select,
               std::string(enum_name(select_of(request.index_name, request.select, is_projected))));
  context_.set(Key::FullTableScan, "true");
  add_capacity(request.return_consumed_capacity);
  finish();
}

void PolicyDetails::add(const KeysToGet& keys, ReturnConsumedCapacity capacity) {
  for (const PackedItem& key : keys.keys) {
    add_leading_key(keys.table_name, key);
    add_attributes_of(key);
  }
  add_projection(keys);
  const bool is_projected = !keys.projection_expression.empty() || keys.attributes_to_get;
  context_.set(Key::Select, std::string(enum_name(select_of("", std::nullopt, is_projected))));
  add_capacity(capacity);
  finish();
}

void PolicyDetails::add(const TableWrites& writes, ReturnConsumedCapacity capacity) {
  for (const BatchWrite& write : writes.writes) {
    add_leading_key(writes.table_name, write.item);
    add_attributes_of(write.item);
  }
  add_capacity(capacity);
  finish();
}

}  // namespace tavola::access

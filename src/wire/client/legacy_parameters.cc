#include "wire/client/legacy_parameters.h"

#include "expr/language/enum_names.h"

namespace tavola::wire {
namespace {

void write_operands(json::Writer& json, const std::vector<Value>& operands) {
  json.name("AttributeValueList").begin_list();
  for (const Value& operand : operands) json.raw() += to_json(operand);
  json.end_list();
}

}  // namespace

void write_expected(json::Writer& json, const std::optional<ExpectedAttributes>& expected) {
  if (!expected) return;
  json.name("Expected").begin_object();
  for (const auto& [name, attribute] : *expected) {
    json.name(name).begin_object();
    if (attribute.exists) json.name("Exists").boolean(*attribute.exists);
    if (attribute.value) json.name("Value").raw() += to_json(*attribute.value);
    if (attribute.op) json.name("ComparisonOperator").text(enum_name(*attribute.op));
    if (attribute.operands) write_operands(json, *attribute.operands);
    json.end_object();
  }
  json.end_object();
}

void write_conditions(json::Writer& json, std::string_view name,
                      const std::optional<LegacyConditions>& conditions) {
  if (!conditions) return;
  json.name(name).begin_object();
  for (const auto& [attribute, condition] : *conditions) {
    json.name(attribute).begin_object();
    json.name("ComparisonOperator").text(enum_name(condition.op));
    write_operands(json, condition.operands);
    json.end_object();
  }
  json.end_object();
}

void write_attribute_updates(json::Writer& json, const std::optional<AttributeUpdates>& updates) {
  if (!updates) return;
  json.name("AttributeUpdates").begin_object();
  for (const auto& [name, update] : *updates) {
    json.name(name).begin_object();
    json.name("Action").text(enum_name(update.action));
    if (update.value) json.name("Value").raw() += to_json(*update.value);
    json.end_object();
  }
  json.end_object();
}

void write_conditional_operator(json::Writer& json, const std::optional<ConditionalOperator>& conditional) {
  if (conditional) json.name("ConditionalOperator").text(enum_name(*conditional));
}

void write_attributes_to_get(json::Writer& json, const std::optional<std::vector<std::string>>& attributes) {
  if (!attributes) return;
  json.name("AttributesToGet").begin_list();
  for (const std::string& attribute : *attributes) json.text(attribute);
  json.end_list();
}

}  // namespace tavola::wire

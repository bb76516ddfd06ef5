// Writes the legacy parameters of a request (Expected, KeyConditions, …) as JSON. A parameter that is not given is not written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/expression.h>

#include "json/writer.h"

namespace tavola::wire {

void write_expected(json::Writer& json, const std::optional<ExpectedAttributes>& expected);
// `name`: KeyConditions, QueryFilter or ScanFilter.
void write_conditions(json::Writer& json, std::string_view name,
                      const std::optional<LegacyConditions>& conditions);
void write_attribute_updates(json::Writer& json, const std::optional<AttributeUpdates>& updates);
void write_conditional_operator(json::Writer& json, const std::optional<ConditionalOperator>& conditional);
void write_attributes_to_get(json::Writer& json, const std::optional<std::vector<std::string>>& attributes);

}  // namespace tavola::wire

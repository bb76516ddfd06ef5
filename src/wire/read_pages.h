// What Query and Scan read alike.
#pragma once

#include <array>

#include "wire/attribute_values.h"
#include "wire/shapes.h"

namespace tavola::wire {

inline constexpr std::array<EnumName<Select>, 4> kSelects{{{"SPECIFIC_ATTRIBUTES", Select::SpecificAttributes},
                                                           {"COUNT", Select::Count},
                                                           {"ALL_ATTRIBUTES", Select::AllAttributes},
                                                           {"ALL_PROJECTED_ATTRIBUTES", Select::AllProjectedAttributes}}};

template <class Request>
void read_page_request(const Fields& in, Request& request) {
  request.limit = in.integer("Limit", kInteger, {.least = 1});
  request.exclusive_start_key = read_start_key(in);
  request.return_consumed_capacity = read_capacity_wish(in);
  request.attributes_to_get = read_attributes_to_get(in);
  request.select = in.one_of<Select>("Select", kSelects);
  request.conditional_operator = read_conditional_operator(in);
  request.table_name = in.table_name("TableName");
  request.index_name = in.index_name("IndexName");
  request.consistent_read = in.boolean("ConsistentRead").value_or(false);
  request.filter_expression = in.expression("FilterExpression");
  request.projection_expression = in.expression("ProjectionExpression");
  request.names = read_names(in);
  request.values = read_expression_values(in);
}

}  // namespace tavola::wire

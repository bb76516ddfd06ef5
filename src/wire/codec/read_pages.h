// What Query and Scan read alike.
#pragma once

#include "wire/codec/attribute_values.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

// Members in AWS's order, which is the order its constraints are told in: first those up to the table's name ...
template <class Request>
void begin_page_request(const Fields& in, Request& request) {
  request.select = in.one_of<Select>("Select");
  request.index_name = in.name("IndexName").value_or(std::string());
}

// ... and last those behind what Query and Scan have of their own.
template <class Request>
void finish_page_request(const Fields& in, Request& request) {
  request.attributes_to_get = read_attributes_to_get(in);
  request.limit = in.integer("Limit", kInteger, {.least = 1});
  request.exclusive_start_key = read_start_key(in);
  request.consistent_read = in.boolean("ConsistentRead").value_or(false);
  request.filter_expression = in.expression("FilterExpression");
  request.projection_expression = in.expression("ProjectionExpression");
  request.values = read_expression_values(in);
  request.names = read_names(in);
}

}  // namespace tavola::wire

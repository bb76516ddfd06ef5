// Shared by Query and Scan.
#pragma once

#include "wire/codec/attribute_values.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

// Reads members in AWS's order, in which constraints are reported: first those up to the table's name ...
template <class Request>
void begin_page_request(const Fields& in, Request& request) {
  request.select = in.one_of<Select>("Select");
  request.index_name = in.name("IndexName").value_or(std::string());
}

// ... and last those after the members that only Query or Scan has.
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

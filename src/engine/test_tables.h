// Tables and items that many tests start with. For tests only.
#pragma once

#include <string>
#include <utility>

#include <tavola/requests.h>

#include "engine/test_notation.h"

namespace tavola::engine {

inline PackedItem item(std::string_view notation) { return *pack(*Notation(notation).item()); }

inline KeySchemaElement hash(std::string name) { return {std::move(name), KeyType::Hash}; }
inline KeySchemaElement range(std::string name) { return {std::move(name), KeyType::Range}; }

// A valid table with a key, a global and a local index.
inline CreateTableRequest good_table(std::string name = "Music") {
  return {.table_name = std::move(name),
          .attribute_definitions = {{"pk", Type::String}, {"sk", Type::Number}, {"a", Type::Binary}},
          .key_schema = {hash("pk"), range("sk")},
          .global_indexes = {{"byA", {hash("a"), range("pk")}, {ProjectionType::KeysOnly, {}}, {}}},
          .local_indexes = {{"localA", {hash("pk"), range("a")}, {ProjectionType::Include, {"x"}}}}};
}

inline CreateTableRequest simple_table(std::string name) {
  return {.table_name = std::move(name),
          .attribute_definitions = {{"pk", Type::String}},
          .key_schema = {hash("pk")}};
}

inline CreateTableRequest provisioned_table(std::string name) {
  CreateTableRequest request = good_table(std::move(name));
  request.billing_mode = BillingMode::Provisioned;
  request.throughput = {5, 6};
  request.global_indexes[0].throughput = {7, 8};
  return request;
}

}  // namespace tavola::engine

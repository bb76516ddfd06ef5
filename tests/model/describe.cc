#include <sstream>

#include "tests/model/history.h"

namespace tavola::model {
namespace {

constexpr std::size_t kLongestText = 600;

void add(std::ostringstream& out, const char* name, const std::string& text) {
  if (text.empty()) return;
  out << "\n      " << name << ": " << text.substr(0, kLongestText);
  if (text.size() > kLongestText) out << "… (" << text.size() << " bytes)";
}

void add(std::ostringstream& out, const char* name, const PackedItem& item) {
  if (!item.empty()) add(out, name, to_json(item.unpack()));
}

void add(std::ostringstream& out, const AttributeNames& names) {
  std::string text;
  for (const auto& [placeholder, attribute] : names)
    text.append(placeholder).append("=").append(attribute).append(" ");
  add(out, "names", text);
}

template <class Request>
std::string describe_write(const char* verb, const Request& request, const PackedItem& subject) {
  std::ostringstream out;
  out << verb << " " << request.table_name << " return=" << static_cast<int>(request.return_values)
      << " on_failure=" << static_cast<int>(request.on_condition_failure);
  add(out, "subject", subject);
  if constexpr (requires { request.update_expression; }) add(out, "update", request.update_expression);
  add(out, "condition", request.condition_expression);
  add(out, request.names);
  add(out, "values", request.values);
  return out.str();
}

template <class Request>
std::string describe_read(const char* verb, const Request& request) {
  std::ostringstream out;
  out << verb << " " << request.table_name << " " << request.index_name
      << (request.consistent_read ? " consistent" : "");
  if (request.limit) out << " limit=" << *request.limit;
  if (request.select) out << " select=" << static_cast<int>(*request.select);
  if constexpr (requires { request.scan_index_forward; }) {
    if (!request.scan_index_forward) out << " backward";
    add(out, "key", request.key_condition_expression);
  } else if (request.segment) {
    out << " segment " << *request.segment << "/" << request.total_segments.value_or(0);
  }
  add(out, "filter", request.filter_expression);
  add(out, "projection", request.projection_expression);
  add(out, request.names);
  add(out, "values", request.values);
  if (request.exclusive_start_key) add(out, "start", *request.exclusive_start_key);
  return out.str();
}

void add_index(std::ostringstream& out, const std::string& name, const std::vector<KeySchemaElement>& schema,
               const IndexProjection& projection) {
  out << "\n      " << name << ":";
  for (const auto& [attribute, type] : schema)
    out << " " << attribute << (type == KeyType::Hash ? "/H" : "/R");
  out << (projection.type == ProjectionType::All        ? " ALL"
          : projection.type == ProjectionType::KeysOnly ? " KEYS_ONLY"
                                                        : " INCLUDE");
  for (const std::string& attribute : projection.attributes) out << " " << attribute;
}

}  // namespace

std::string describe(const PutItemRequest& request) {
  return describe_write("PutItem", request, request.item);
}
std::string describe(const UpdateItemRequest& request) {
  return describe_write("UpdateItem", request, request.key);
}
std::string describe(const DeleteItemRequest& request) {
  return describe_write("DeleteItem", request, request.key);
}

std::string describe(const GetItemRequest& request) {
  std::ostringstream out;
  out << "GetItem " << request.table_name << (request.consistent_read ? " consistent" : "");
  add(out, "key", request.key);
  add(out, "projection", request.projection_expression);
  add(out, request.names);
  return out.str();
}

std::string describe(const QueryRequest& request) { return describe_read("Query", request); }
std::string describe(const ScanRequest& request) { return describe_read("Scan", request); }

std::string describe(const CreateTableRequest& request) {
  std::ostringstream out;
  out << "CreateTable " << request.table_name << "\n     ";
  for (const auto& [attribute, type] : request.attribute_definitions) {
    out << " " << attribute << "=" << type_name(type);
  }
  add_index(out, "key", request.key_schema, {});
  for (const LocalIndex& index : request.local_indexes) {
    add_index(out, index.name, index.key_schema, index.projection);
  }
  for (const GlobalIndex& index : request.global_indexes) {
    add_index(out, index.name, index.key_schema, index.projection);
  }
  return out.str();
}

}  // namespace tavola::model

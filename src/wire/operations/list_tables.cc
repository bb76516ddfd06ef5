#include "value/limits.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> list_tables(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ListTablesRequest request;
  request.exclusive_start_table_name = in.name("ExclusiveStartTableName").value_or(std::string());
  constexpr auto kMost = static_cast<std::int64_t>(limits::kListTablesMax);
  const auto limit = in.integer("Limit", kInteger, {.least = 1, .most = kMost});
  TAVOLA_CHECK(problems.check());
  if (limit) request.limit = static_cast<int>(*limit);
  TAVOLA_TRY(const ListTablesResponse response, call.database.list_tables(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  if (!response.last_evaluated_table_name.empty()) {
    json.name("LastEvaluatedTableName").text(response.last_evaluated_table_name);
  }
  json.name("TableNames").begin_list();
  for (const std::string& name : response.table_names) json.text(name);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire

#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

// A table has at most fifty tags: they always fit on one page.
Result<std::string> list_tags_of_resource(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  TAVOLA_TRY(const std::string table, table_of_resource(in));
  const auto response = call.database.list_tags_of_resource({table});
  if (!response) return fail(tagging_error(in, response.error()));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("Tags").begin_list();
  for (const auto& [key, value] : response->tags) {
    json.begin_object();
    json.name("Key").text(key);
    json.name("Value").text(value);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire

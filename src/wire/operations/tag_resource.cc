#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> tag_resource(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  TagResourceRequest request;
  request.tags = read_tags(in, Presence::Required);
  TAVOLA_TRY(request.table_name, table_of_resource(in));
  if (const auto done = call.database.tag_resource(request); !done)
    return fail(tagging_error(in, done.error()));
  return std::string();
}

}  // namespace tavola::wire

#include "wire/codec/operations.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> untag_resource(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UntagResourceRequest request;
  const auto keys = in.texts("TagKeys");
  if (!in.has("TagKeys")) problems.constraints().add_missing("tagKeys");
  TAVOLA_TRY(request.table_name, table_of_resource(in));
  request.tag_keys = keys.value_or(std::vector<std::string>());
  if (const auto done = call.database.untag_resource(request); !done)
    return fail(tagging_error(in, done.error()));
  return std::string();
}

}  // namespace tavola::wire

#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> describe_time_to_live(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  const std::string table = in.table_name();
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const DescribeTimeToLiveResponse response, call.database.describe_time_to_live({table}));
  const bool enabled = response.time_to_live.status == TimeToLiveStatus::Enabled;
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TimeToLiveDescription").begin_object();
  if (enabled) json.name("AttributeName").text(response.time_to_live.attribute_name);
  json.name("TimeToLiveStatus").text(enabled ? "ENABLED" : "DISABLED");
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace tavola::wire

#include "json/writer.h"
#include "wire/codec/operations.h"

namespace tavola::wire {

Result<std::string> describe_endpoints(const Call& call) {
  constexpr std::int64_t kCacheMinutes = 1440;  // as on AWS
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("Endpoints").begin_list();
  json.begin_object();
  json.name("Address").text(call.server.address);
  json.name("CachePeriodInMinutes").integer(kCacheMinutes);
  json.end_object();
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::wire

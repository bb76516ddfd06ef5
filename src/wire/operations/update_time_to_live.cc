#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> update_time_to_live(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  UpdateTimeToLiveRequest request;
  request.table_name = in.table_name();
  if (const auto fields =
          in.structure("TimeToLiveSpecification", "TimeToLiveSpecification", Presence::Required)) {
    request.attribute_name = fields->text("AttributeName", Presence::Required).value_or(std::string());
    request.enabled = fields->boolean("Enabled").value_or(false);
    if (!fields->has("Enabled")) problems.constraints().add_missing(fields->path_of("Enabled"));
  }
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const UpdateTimeToLiveResponse response, call.database.update_time_to_live(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("TimeToLiveSpecification").begin_object();
  json.name("AttributeName").text(response.attribute_name);
  json.name("Enabled").boolean(response.enabled);
  json.end_object();
  json.end_object();
  return out;
}

}  // namespace tavola::wire

#include "json/writer.h"
#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"

namespace tavola::wire {

Result<std::string> list_exports(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ListExportsRequest request;
  request.table_name = read_table_arn(in);
  if (const auto most = in.integer("MaxResults", kInteger, {.least = 1, .most = 25}))
    request.max_results = static_cast<int>(*most);
  request.next_token = in.text("NextToken").value_or(std::string());
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ListExportsResponse response, call.database.list_exports(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ExportSummaries").begin_list();
  for (const ExportDescription& description : response.exports) {
    json.begin_object();
    json.name("ExportArn").text(table_arn(call.server, description.export_name));
    json.name("ExportStatus").text(enum_name(description.status));
    json.name("ExportType").text(enum_name(description.request.type));
    json.end_object();
  }
  json.end_list();
  if (!response.next_token.empty()) json.name("NextToken").text(response.next_token);
  json.end_object();
  return out;
}

}  // namespace tavola::wire

#include "json/writer.h"
#include "wire/codec/export_shapes.h"
#include "wire/codec/operations.h"
#include "wire/codec/shapes.h"
#include "wire/codec/table_shapes.h"

namespace tavola::wire {

Result<std::string> list_imports(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ListImportsRequest request;
  request.table_name = read_table_arn(in);
  if (const auto most = in.integer("PageSize", kInteger, {.least = 1, .most = 25}))
    request.page_size = static_cast<int>(*most);
  request.next_token = in.text("NextToken").value_or(std::string());
  TAVOLA_CHECK(problems.check());
  TAVOLA_TRY(const ListImportsResponse response, call.database.list_imports(request));
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("ImportSummaryList").begin_list();
  for (const ImportDescription& description : response.imports) {
    json.begin_object();
    if (description.ended_at) {
      json.name("EndTime");
      write_time(json, *description.ended_at);
    }
    json.name("ImportArn").text(table_arn(call.server, description.import_name));
    json.name("ImportStatus").text(enum_name(description.status));
    json.name("InputFormat").text(enum_name(description.request.format));
    write_source(json, description.request, call.server);
    json.name("StartTime");
    write_time(json, description.started_at);
    json.name("TableArn").text(table_arn(call.server, description.request.table.table_name));
    json.end_object();
  }
  json.end_list();
  if (!response.next_token.empty()) json.name("NextToken").text(response.next_token);
  json.end_object();
  return out;
}

}  // namespace tavola::wire

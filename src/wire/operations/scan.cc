#include "value/limits.h"
#include "wire/codec/operations.h"
#include "wire/codec/read_pages.h"

namespace tavola::wire {

Result<std::string> scan(const Call& call) {
  Problems problems;
  const Fields in(call.body, problems);
  ScanRequest request;
  begin_page_request(in, request);
  constexpr auto kSegments = static_cast<std::int64_t>(limits::kScanSegmentsMax);
  const auto total = in.integer("TotalSegments", kInteger, {.least = 1, .most = kSegments});
  request.return_consumed_capacity = read_capacity_wish(in);
  request.table_name = in.table_name();
  request.conditional_operator = read_conditional_operator(in);
  request.scan_filter = read_conditions(in, "ScanFilter");
  const auto segment = in.integer("Segment", kInteger, {.least = 0, .most = kSegments - 1});
  finish_page_request(in, request);
  TAVOLA_CHECK(problems.check());
  if (total) request.total_segments = static_cast<int>(*total);
  if (segment) request.segment = static_cast<int>(*segment);
  TAVOLA_TRY(ScanResponse response, call.database.scan(request));
  put_given_table(in, response.consumed_capacity);
  return write_response(response, request.select);
}

}  // namespace tavola::wire

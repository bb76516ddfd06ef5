#include "http/refusals.h"

namespace tavola::http {

std::string too_large_text(std::size_t body_bytes_max) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  const bool in_megabytes = body_bytes_max > 0 && body_bytes_max % kMegabyte == 0;
  return "The request is larger than " +
         (in_megabytes ? std::to_string(body_bytes_max / kMegabyte) + " MB"
                       : std::to_string(body_bytes_max) + " bytes") +
         ".";
}

Response refusal_response(const Refusal& refusal) {
  Response response{.status = refusal.status, .content_type = "application/x-amz-json-1.0", .crc32 = true};
  response.body += R"({"__type":"com.amazon.coral.service#)";
  response.body += refusal.exception;
  response.body += R"(","message":")";
  response.body += refusal.message;  // ours: nothing to escape
  response.body += R"("})";
  return response;
}

}  // namespace tavola::http

// Records one request that was answered.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "http/message.h"
#include "server/requests/read_counts.h"
#include "server/requests/recorder.h"

namespace tavola::server {

// The work of the database for a request.
struct RequestCost {
  std::optional<ReadCounts> reads{};
  double read_units = 0;
  double write_units = 0;
};

struct AnsweredOperation {
  const http::Request& request;
  std::string_view
      operation;  // the name of an operation that is known; empty: the path or the target is recorded
  std::string_view
      console_sender;  // the key of somebody at the console; empty: the request came to the database's own port
  int status = 200;
  std::string_view answer;     // its body
  std::string_view exception;  // empty: a problem under /v1 names its error itself
  std::chrono::steady_clock::time_point started{};
  std::chrono::steady_clock::time_point ended{};
  RequestCost cost{};
};

void record_answer(RequestRecorder& recorder, const AnsweredOperation& answered);

}  // namespace tavola::server

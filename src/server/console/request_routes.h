// The request inspector and the charts, for pages and scripts:
//
//   GET /console/requests?after=ID           the rows after a request, a thousand at most; recording begins, if it has not
//   GET /console/requests/events?after=ID    the same as server-sent events, ten times a second at most; Last-Event-ID goes on after a reconnect
//   GET /console/requests/ID                 one request with its body, without sensitive values unless ?sensitive=shown
//   GET /console/metrics                     the counts since the start of the server (metrics_answer.h)
//
// They show requests of everybody: limited keys are refused.
#pragma once

#include <memory>
#include <vector>

#include "http/metrics.h"
#include "server/console/route.h"
#include "server/requests/asked_for.h"
#include "server/requests/recorder.h"

namespace tavola::server {

struct RequestRouteParts {
  RequestRecorder& recorder;
  AskedReader::Parts asked;
  const http::Metrics& metrics;
};

// Borrows the parts.
std::vector<Route> request_routes(const RequestRouteParts& parts);

}  // namespace tavola::server

// The request log (--log requests): one line per request, without values, keys of items or credentials.
//
//   2026-11-15T09:30:00.125Z info  request operation=PutItem table=orders status=200 ms=0.8 received=122 sent=2 id=4KV…
#pragma once

#include "http/server.h"
#include "server/log/log.h"

namespace tavola::server {

void log_request(Log& log, const http::AnsweredRequest& answered);

}  // namespace tavola::server

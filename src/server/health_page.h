// /health: whether the server does its work, as JSON with status 200 or 503, for load balancers and monitors.
//
//   {"status":"healthy","problems":[],"threads":{"longestStallMilliseconds":0},"indexBuilds":{"count":1,"tables":["orders"]},
//    "log":{"droppedLines":0}}
//
// The store's trouble (a full disk, a failed sync, a lost log, index builds that cannot be read) and a stuck I/O thread are
// problems; the rest is information. All of it is in memory: a disk that hangs delays no answer.
// /health/live answers 200 as long as the process answers at all; supervisors that restart servers use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "http/server.h"
#include "server/log/log.h"
#include "server/store_watch.h"

namespace tavola::server {

// Thread safety: all methods.
class HealthPage {
 public:
  // All must outlive this.
  struct Parts {
    const StoreWatch& watch;
    const http::Server& server;
    const Log& log;
  };
  explicit HealthPage(const Parts& parts) : parts_(parts) {}

  static bool is_ours(std::string_view path) { return path == "/health" || path == "/health/live"; }

  // Hides the paths of files and the names of tables from strangers.
  enum class Audience : std::uint8_t { Owner, Strangers };
  http::Response answer(std::string_view path, Audience audience) const;

 private:
  std::vector<std::string> problems(Audience audience) const;

  const Parts parts_;
};

}  // namespace tavola::server

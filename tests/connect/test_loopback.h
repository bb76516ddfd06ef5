// Servers on loopback for the tests of tavola::connect.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tavola/connect.h>

#include "access/identity/signature.h"
#include "base/locks.h"
#include "http/server.h"

namespace tavola {

// A request as a server got it.
struct Heard {
  std::string method;
  std::string target;  // "/path?query"
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case

  std::string header(const std::string& name) const;
};

// Answers each request with `answer`, on threads of the server, and keeps the requests.
class Loopback {
 public:
  using Answer = std::function<http::Response(const Heard&)>;
  explicit Loopback(Answer answer);

  const std::string& url() const { return server_->urls().front(); }
  std::vector<Heard> heard() const;
  http::Statistics statistics() const { return server_->statistics(); }

 private:
  Answer answer_;
  mutable Mutex mutex_;
  std::vector<Heard> heard_ TAVOLA_GUARDED_BY(mutex_);
  std::unique_ptr<http::Server> server_;
};

}  // namespace tavola

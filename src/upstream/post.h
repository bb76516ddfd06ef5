// One signed request over HTTP.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tavola/error.h>

#include "base/locks.h"
#include "upstream/upstream.h"

namespace tavola::upstream {

// A connection that is kept between requests. Thread safety: post() may be called from any thread; calls take turns.
class Connection {
 public:
  explicit Connection(Endpoint endpoint);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Fails with Io when no answer came.
  Result<HttpAnswer> post(std::string_view operation, const std::string& body);

 private:
  const Endpoint endpoint_;
  Mutex mutex_;
  void* curl_ TAVOLA_GUARDED_BY(mutex_);  // a CURL*, whose header stays in post.cc
};

}  // namespace tavola::upstream

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "tests/connect/test_loopback.h"

namespace tavola {
namespace {

Heard heard_of(const http::Request& request) {
  Heard heard{
      .method = std::string(request.method),
      .target = std::string(request.path) + (request.query.empty() ? "" : "?" + std::string(request.query)),
      .body = std::string(request.body),
      .headers = {}};
  for (const http::Header& header : request.headers)
    heard.headers.emplace_back(lower_case(header.name), std::string(header.value));
  return heard;
}

}  // namespace

std::string Heard::header(const std::string& name) const {
  for (const auto& [known, value] : headers) {
    if (known == name) return value;
  }
  return {};
}

Loopback::Loopback(Answer answer) : answer_(std::move(answer)) {
  http::ServerOptions options;
  options.port = 0;
  auto server = http::Server::start(options, [this](const http::Request& request, http::Reply reply) {
    const Heard heard = heard_of(request);
    {
      const MutexLock lock(mutex_);
      heard_.push_back(heard);
    }
    reply(answer_(heard));
  });
  EXPECT_TRUE(server) << server.error().message();
  server_ = *std::move(server);
}

std::vector<Heard> Loopback::heard() const {
  const MutexLock lock(mutex_);
  return heard_;
}

}  // namespace tavola

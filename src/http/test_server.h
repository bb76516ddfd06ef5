// A server with real sockets and threads, whose handler a test can hold.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "http/server.h"
#include "http/test_client.h"

namespace tavola::http {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.port = 0;
    options_.threads = 2;
    options_.web.allowed_hosts = {"a", "test"};
  }
  void TearDown() override {
    server_.reset();
    held_.clear();
  }

  // Answers with the body; "/hold" waits for release(), "/block" holds its thread until unblock().
  void start() {
    auto server = Server::start(options_, [this](const Request& request, Reply reply) {
      if (request.path == "/block") {
        blocked_.release();
        may_go_on_.acquire();
      }
      if (request.path == "/hold") {
        const std::lock_guard lock(mutex_);
        held_.push_back(std::move(reply));
        changed_.notify_all();
        return;
      }
      Response response{.content_type = "text/plain", .body = std::string(request.body)};
      response.add_header("X-Peer", request.peer);
      reply(std::move(response));
    });
    ASSERT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
  }

  Reply next_held() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !held_.empty(); });
    Reply reply = std::move(held_.front());
    held_.pop_front();
    return reply;
  }

  TestClient connect() { return TestClient::tcp(server_->port()); }

  // Waits for something that the server's threads do on their own.
  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 10'000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  const ScratchDirectory directory_;
  const std::string folder_ = directory_.path();
  ServerOptions options_;
  std::unique_ptr<Server> server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Reply> held_;
  std::counting_semaphore<> blocked_{0};
  std::counting_semaphore<> may_go_on_{0};
};

}  // namespace tavola::http

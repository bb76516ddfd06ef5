// A connection on a transport of the test: no socket, no thread, every step explicit.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/connection.h"
#include "http/sockets/test_transport.h"

namespace tavola::http {

class ConnectionTest : public testing::Test {
 protected:
  void open(ServerOptions options = {}) {
    options.web.allowed_hosts = {"a", "test"};
    shared_ = std::make_shared<Shared>(std::move(options), [this](const Request& request, Reply reply) {
      seen_.push_back(std::string(request.method) + " " + std::string(request.path) + " " +
                      std::string(request.body));
      if (answers_at_once_) return reply(Response{.body = std::string(request.body)});
      replies_.push_back(std::move(reply));
    });
    worker_ = std::make_shared<Worker>(shared_);
    thread_.emplace(*worker_);
    auto connection = std::make_shared<Connection>(worker_, "test");
    connection_ = connection;
    worker_->add(std::move(connection), std::make_unique<FakeTransport>(line_));
  }

  // Delivers the client's bytes, as many at a time as the connection wants.
  void arrive(std::string_view bytes) {
    while (!bytes.empty() && !line_.wants.empty()) {
      const std::span<char> into = std::exchange(line_.wants, {});
      const std::size_t count = std::min(into.size(), bytes.size());
      std::ranges::copy(bytes.substr(0, count), into.begin());
      bytes.remove_prefix(count);
      connection_.lock()->on_read(count);
    }
    unread_ = bytes;
  }
  void hang_up() {
    line_.wants = {};
    connection_.lock()->on_read(0);
  }
  // Lets the client read what was waiting for it.
  void take_waiting() {
    line_.sent += std::exchange(line_.waiting, {});
    line_.is_writing = false;
    connection_.lock()->on_written(true);
  }
  // Ends pending operations after close(), as the operating system does.
  void settle() {
    if (line_.is_closed && !std::exchange(line_.wants, {}).empty()) connection_.lock()->on_read_failed();
    if (line_.is_closed && std::exchange(line_.is_writing, false)) connection_.lock()->on_written(false);
  }
  void pass(std::chrono::milliseconds time) { connection_.lock()->tick(worker_->deadline_after(time)); }

  void TearDown() override {
    replies_.clear();
    if (auto connection = connection_.lock()) connection->close();
    settle();
    EXPECT_TRUE(connection_.expired());
    EXPECT_EQ(shared_->budget.used(), 0U);
    EXPECT_EQ(shared_->connections, 0U);
  }

  std::size_t answers() const {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = line_.sent.find("HTTP/1.1 ", at)) != std::string::npos; ++at) ++count;
    return count;
  }

  Line line_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Worker> worker_;
  std::optional<Worker::OnThisThread> thread_;
  std::weak_ptr<Connection> connection_;
  bool answers_at_once_ = true;
  std::deque<Reply> replies_;
  std::vector<std::string> seen_;
  std::string unread_;
};

}  // namespace tavola::http

#include "http/sockets/event_loop.h"

#include <chrono>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/listening.h"
#include "http/test_client.h"

namespace tavola::http {
namespace {

using namespace std::chrono_literals;

TEST(EventLoop, AcceptsAfterAClientItHadNoMemoryFor) {
  auto sockets = listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(sockets);
  const std::uint16_t port = sockets->front().port;
  EventLoop loop;
  int accepted = 0;
  loop.listen(std::move(sockets->front().descriptor), [&](FileDescriptor) {
    if (++accepted == 1) throw std::bad_alloc();
    loop.stop();
  });
  TestClient first = TestClient::tcp(port);
  TestClient second = TestClient::tcp(port);
  ASSERT_TRUE(first.connected() && second.connected());
  loop.run();
  EXPECT_EQ(accepted, 2);
}

TEST(EventLoop, TicksAfterATickThatFailed) {
  EventLoop loop;
  int ticks = 0;
  loop.every(1ms, [&] {
    if (++ticks == 1) throw std::bad_alloc();
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(ticks, 2);
}

struct Recorder final : TransportEvents {
  explicit Recorder(EventLoop& event_loop) : loop(event_loop) {}
  void on_read(std::size_t) override {}
  void on_read_failed() override {}
  void on_written(bool ok) override {
    written = ok;
    loop.stop();
  }
  EventLoop& loop;
  bool written = false;
};

TEST(EventLoop, GoesOnWithAWriteWhenTheClientReads) {
  int pair[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const FileDescriptor client(pair[1]);
  EventLoop loop;
  Recorder recorder(loop);
  const auto transport = loop.open_plain(FileDescriptor(pair[0]), recorder);
  const std::string text(8 << 20U, 'x');
  const std::vector<std::string_view> pieces = {text};
  ASSERT_EQ(transport->write(pieces), Transport::Written::Later);
  // The client reads some whenever the loop has nothing else to do.
  std::size_t received = 0;
  loop.every(1ms, [&] {
    std::string some(1 << 20U, '\0');
    const ssize_t count = recv(client.number(), some.data(), some.size(), MSG_DONTWAIT);
    if (count > 0) received += static_cast<std::size_t>(count);
  });
  loop.run();
  EXPECT_TRUE(recorder.written);
  EXPECT_GT(received, 0U);
}

}  // namespace
}  // namespace tavola::http

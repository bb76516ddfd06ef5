// The server as clients use it: real sockets, real threads.
#include "http/server.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/bytes/compression.h"
#include "http/test_client.h"
#include "http/test_server.h"

namespace tavola::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

TEST_F(ServerTest, AnswersOnOneConnectionAgainAndAgain) {
  start();
  TestClient client = connect();
  for (int i = 0; i < 100; ++i) {
    const auto answer = client.ask(post(std::to_string(i)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, std::to_string(i));
    EXPECT_THAT(answer->headers.at("x-peer"), StartsWith("127.0.0.1:"));
  }
  const Statistics statistics = server_->statistics();
  EXPECT_EQ(statistics.requests, 100U);
  EXPECT_EQ(statistics.connections, 1U);
  EXPECT_EQ(statistics.connections_open, 1U);
  EXPECT_GT(statistics.received_bytes, 100U);
  EXPECT_GT(statistics.sent_bytes, 100U);
}

TEST_F(ServerTest, AnswersInOrderWhateverTheOrderOfTheAnswers) {
  start();
  TestClient client = connect();
  ASSERT_TRUE(client.send(get("/hold") + post("now") + get("/hold")));
  Reply first = next_held();
  Reply third = next_held();
  std::thread([&] { third(Response{.body = "third"}); }).join();
  std::thread([&] { first(Response{.body = "first"}); }).join();
  EXPECT_EQ(client.receive()->body, "first");
  EXPECT_EQ(client.receive()->body, "now");
  EXPECT_EQ(client.receive()->body, "third");
}

TEST_F(ServerTest, ServesManyClientsWhoseAnswersComeFromOtherThreads) {
  start();
  std::atomic<bool> done = false;
  std::thread answering([&] {
    while (!done) {
      std::deque<Reply> replies;
      {
        const std::lock_guard lock(mutex_);
        replies.swap(held_);
      }
      while (!replies.empty()) {
        replies.back()(Response{.body = "late"});
        replies.pop_back();
      }
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> clients;
  clients.reserve(8);
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      TestClient client = connect();
      for (int j = 0; j < 50; ++j) {
        const std::string body = std::to_string(i) + "/" + std::to_string(j);
        client.send(get("/hold") + post(body) + get("/hold"));
        const bool ok = client.receive()->body == "late" && client.receive()->body == body &&
                        client.receive()->body == "late";
        right += ok ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  done = true;
  answering.join();
  EXPECT_EQ(right, 8 * 50);
}

TEST_F(ServerTest, TakesLargeBodiesAndSendsThemBack) {
  start();
  std::string body;
  for (unsigned i = 0; body.size() < (8U << 20U); ++i) body += std::to_string(i * 7919U);
  TestClient client = connect();
  std::optional<Answer> answer;
  std::thread reading([&] { answer = client.receive(); });
  ASSERT_TRUE(client.send(post(body)));
  reading.join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, body);
  EXPECT_TRUE(eventually([&] { return server_->statistics().request_memory_bytes == 0; }));
}

TEST_F(ServerTest, LetsClientsReadWhyTheirBodyIsTooLarge) {
  options_.limits.body_bytes = 1 << 20U;
  start();
  const std::string body(8 << 20U, 'x');
  TestClient known = connect();
  ASSERT_TRUE(known.send(post(body)));  // all of it, before it reads
  EXPECT_EQ(known.receive()->status, 413);
  EXPECT_TRUE(known.ends());
  TestClient chunked = connect();
  ASSERT_TRUE(chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n" +
                           body + "\r\n0\r\n\r\n"));
  EXPECT_EQ(chunked.receive()->status, 413);
}

TEST_F(ServerTest, CompressesBothWays) {
  start();
  const std::string text(100'000, 'x');
  TestClient client = connect();
  const auto answer =
      client.ask(post(compress(Coding::Gzip, text), "Content-Encoding: gzip\r\nAccept-Encoding: gzip\r\n"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers.at("content-encoding"), "gzip");
  ByteBudget budget(1 << 20U);
  BudgetShare share(budget);
  std::string back;
  EXPECT_EQ(decompress(answer->body, back, 1 << 20U, share), Decompressed::Done);
  EXPECT_EQ(back, text);
}

TEST_F(ServerTest, AnswersHead) {
  start();
  TestClient client = connect();
  ASSERT_TRUE(client.send("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + get("/")));
  EXPECT_EQ(client.receive("HEAD")->headers.at("content-length"), "3");
  EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(ServerTest, SpeaksHttp10) {
  start();
  TestClient client = connect();
  EXPECT_EQ(client.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->headers.at("connection"),
            "keep-alive");
  EXPECT_EQ(client.ask("GET / HTTP/1.0\r\n\r\n")->headers.at("connection"), "close");
  EXPECT_TRUE(client.ends());
}

// ---- Misbehaving clients ----

TEST_F(ServerTest, CutsOffSlowClients) {
  options_.timeouts.head = options_.timeouts.body = options_.timeouts.idle = options_.timeouts.linger = 30ms;
  start();
  TestClient silent = connect();
  EXPECT_TRUE(silent.ends());
  TestClient slow_head = connect();
  slow_head.send("POST / HTTP/1.1\r\nHo");
  EXPECT_EQ(slow_head.receive()->status, 408);
  EXPECT_TRUE(slow_head.ends());
  TestClient slow_body = connect();
  slow_body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(slow_body.receive()->status, 408);
  EXPECT_TRUE(slow_body.ends());
  TestClient idle = connect();
  EXPECT_EQ(idle.ask(post("x"))->status, 200);
  EXPECT_TRUE(idle.ends());
  EXPECT_TRUE(eventually([&] { return server_->statistics().connections_open == 0; }));
}

TEST_F(ServerTest, CutsOffClientsThatDoNotRead) {
  options_.timeouts.write = 50ms;
  options_.timeouts.write_bytes_per_second = std::size_t{1} << 30U;
  options_.limits.unsent_bytes = 1000;
  start();
  TestClient client = connect();
  // More than all buffers on the way hold.
  const std::string body(4 << 20U, 'x');
  std::thread sending([&] {
    for (int i = 0; i < 20 && client.send(post(body)); ++i) {
    }
  });
  EXPECT_TRUE(eventually([&] { return server_->statistics().timed_out == 1; }));
  sending.join();
  EXPECT_TRUE(eventually([&] { return server_->statistics().connections_open == 0; }));
}

// Bytes in the buffers of the operating systems are not taken, so they add no time.
TEST_F(ServerTest, CutsOffClientsThatTakeAByteNowAndThen) {
  options_.timeouts.write = 50ms;
  options_.timeouts.write_bytes_per_second = std::size_t{1} << 30U;
  start();
  TestClient client = connect();
  const std::string body(16 << 20U, 'x');
  ASSERT_TRUE(client.send(post(body)));
  EXPECT_TRUE(eventually([&] {
    char byte = 0;
    recv(client.descriptor(), &byte, 1, MSG_DONTWAIT);
    return server_->statistics().timed_out == 1;
  }));
  EXPECT_TRUE(eventually([&] { return server_->statistics().request_memory_bytes == 0; }));
}

TEST_F(ServerTest, SurvivesClientsThatVanish) {
  start();
  const std::string_view beginnings[] = {
      "",
      "G",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
      "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /hold HTTP/1.1\r\nHost: a\r\n\r\n"};
  for (int round = 0; round < 20; ++round) {
    for (const std::string_view beginning : beginnings) {
      TestClient client = connect();
      client.send(beginning);
      client.vanish();
    }
  }
  EXPECT_TRUE(eventually([&] { return server_->statistics().connections_open == 0; }));
  {
    const std::lock_guard lock(mutex_);
    held_.clear();  // answers that nobody waits for
  }
  EXPECT_TRUE(eventually([&] { return server_->statistics().request_memory_bytes == 0; }));
  TestClient client = connect();
  EXPECT_EQ(client.ask(post("still here"))->body, "still here");
}

// ---- Threads that are stuck ----

TEST_F(ServerTest, ServesNewClientsWhileAThreadIsStuck) {
  options_.timeouts.linger = 20ms;  // which makes ticks short
  start();
  for (int stuck = 0; stuck < 2; ++stuck) {  // whichever of the two threads it is
    std::vector<TestClient> before;
    for (int i = 0; i < stuck; ++i) before.push_back(connect());
    TestClient blocking = connect();
    ASSERT_TRUE(blocking.send(get("/block")));
    blocked_.acquire();
    // The stuck thread has the fewest clients in the end: some of these were given to it and are taken back.
    std::vector<TestClient> clients;
    for (int i = 0; i < 10; ++i) clients.push_back(connect());
    for (TestClient& client : clients) {
      const auto answer = client.ask(post("hello"));
      EXPECT_EQ(answer ? answer->body : "none", "hello");
    }
    may_go_on_.release();
    EXPECT_EQ(blocking.receive()->status, 200);
  }
}

TEST_F(ServerTest, TellsHowLongAThreadIsStuck) {
  options_.timeouts.linger = 20ms;
  start();
  TestClient blocking = connect();
  ASSERT_TRUE(blocking.send(get("/block")));
  blocked_.acquire();
  EXPECT_TRUE(eventually([&] { return server_->longest_stall() > 200ms; }));
  may_go_on_.release();
  EXPECT_EQ(blocking.receive()->status, 200);
  EXPECT_TRUE(eventually([&] { return server_->longest_stall() < 100ms; }));
}

// ---- Requests that take long ----

TEST_F(ServerTest, RequestsThatTakeLongStopNobody) {
  options_.threads = 1;
  options_.long_threads = 1;
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> blocking;
  for (int i = 0; i < 3; ++i) {  // one on the regular thread, and on spare ones
    blocking.push_back(connect());
    ASSERT_TRUE(blocking.back().send(get("/block") + post("next")));
    blocked_.acquire();
  }
  TestClient client = connect();
  EXPECT_EQ(client.ask(post("short"))->body, "short");
  may_go_on_.release(3);
  for (TestClient& blocked : blocking) {
    EXPECT_EQ(blocked.receive()->status, 200);
    EXPECT_EQ(blocked.receive()->body, "next");  // in order
  }
}

TEST_F(ServerTest, OneClientCannotHoldAllThreadsForLongRequests) {
  options_.long_threads = 1;  // and five spare ones
  options_.unix_socket = folder_ + "/socket";
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> greedy;
  for (int i = 0; i < 8; ++i) {
    greedy.push_back(connect());
    ASSERT_TRUE(greedy.back().send(get("/block")));
  }
  for (int i = 0; i < 4; ++i) blocked_.acquire();  // so many run, whatever the others do
  TestClient other = TestClient::unix_socket(options_.unix_socket);
  ASSERT_TRUE(other.send(get("/block")));
  blocked_.acquire();
  may_go_on_.release(9);
  EXPECT_EQ(other.receive()->status, 200);
  for (TestClient& client : greedy) EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(ServerTest, RefusesLongRequestsWhenTooManyWait) {
  options_.long_threads = 1;
  options_.limits.long_requests_waiting = 4;  // of which one client may use three
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(get("/block")));
    blocked_.acquire();
  }
  TestClient client = connect();
  ASSERT_TRUE(client.send(get("/block") + get("/block") + get("/block") + get("/block") + post("next")));
  EXPECT_TRUE(eventually([&] { return server_->statistics().refused_requests == 1; }));
  may_go_on_.release(7);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.receive()->status, 200);
  const auto refused = client.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_THAT(refused->body, HasSubstr("ServiceUnavailableException"));
  EXPECT_EQ(client.receive()->body, "next");
}

TEST_F(ServerTest, TellsHowLongNoThreadBeganALongRequest) {
  options_.long_threads = 1;  // and five spare ones, of which one client holds four in all
  options_.unix_socket = folder_ + "/socket";
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(get("/block")));
  }
  for (int i = 0; i < 4; ++i) blocked_.acquire();
  std::this_thread::sleep_for(1200ms);
  // The fifth waits for its client's own share, while there are threads for others.
  EXPECT_TRUE(eventually([&] { return server_->longest_stall() < 1s; }));
  for (int i = 0; i < 3; ++i) {
    clients.push_back(TestClient::unix_socket(options_.unix_socket));
    ASSERT_TRUE(clients.back().send(get("/block")));
  }
  for (int i = 0; i < 2; ++i) blocked_.acquire();
  EXPECT_TRUE(eventually([&] { return server_->longest_stall() > 1s; }));  // the third has no thread
  may_go_on_.release(8);
  for (TestClient& client : clients) EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(ServerTest, TellsThatLongRequestsDoNotEndWhenItStops) {
  options_.timeouts.stop = 10ms;
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  std::binary_semaphore reported(0);
  options_.on_endless_requests = [&reported] { reported.release(); };
  start();
  TestClient client = connect();
  ASSERT_TRUE(client.send(get("/block")));
  blocked_.acquire();
  std::thread stopping([&] { server_->stop(); });
  reported.acquire();
  may_go_on_.release();
  stopping.join();
}

TEST_F(ServerTest, FinishesLongRequestsWhenItStops) {
  options_.threads = 1;
  options_.long_threads = 1;
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 6; ++i) {  // two of them wait
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(get("/block")));
  }
  for (int i = 0; i < 4; ++i) blocked_.acquire();
  EXPECT_TRUE(eventually([&] { return server_->statistics().requests == 6; }));
  std::thread stopping([&] { server_->stop(); });
  may_go_on_.release(6);
  for (TestClient& client : clients) EXPECT_EQ(client.receive()->status, 200);
  clients.clear();
  stopping.join();
}

TEST_F(ServerTest, DropsLongRequestsThatItsStopDoesNotWaitFor) {
  options_.long_threads = 1;
  options_.timeouts.stop = 10ms;
  options_.may_take_long = [](const Request& request) { return request.path == "/block"; };
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(get("/block")));
  }
  for (int i = 0; i < 4; ++i) blocked_.acquire();
  EXPECT_TRUE(eventually([&] { return server_->statistics().requests == 6; }));
  std::thread stopping([&] { server_->stop(); });
  for (TestClient& client : clients) EXPECT_FALSE(client.receive());
  may_go_on_.release(6);  // those that wait may still begin
  stopping.join();
  EXPECT_EQ(server_->statistics().request_memory_bytes, 0U);
}

// Requests with random damage, on real sockets. A failure repeats from its seed.
TEST_F(ServerTest, SurvivesDamagedRequests) {
  options_.timeouts.linger = 10ms;
  start();
  const std::string whole[] = {
      post("hello", "Expect: 100-continue\r\nAccept-Encoding: gzip\r\nOrigin: x\r\n"),
      get("/a?b", "Connection: close\r\n") + post("x"),
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
      post(compress(Coding::Gzip, std::string(5000, 'x')), "Content-Encoding: gzip\r\n")};
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 2500; ++i) {
    std::string text = whole[random() % std::size(whole)];
    for (unsigned count = random() % 4; count > 0; --count) {
      const std::size_t place = random() % text.size();
      if (random() % 2 == 0) {
        text[place] = static_cast<char>(random());
      } else {
        text.erase(place, random() % 8);
      }
      if (text.empty()) text = "x";
    }
    TestClient client = connect();
    ASSERT_TRUE(client.connected());
    client.send(text);
    if (random() % 2 == 0) client.vanish();
  }
  TestClient client = connect();
  EXPECT_EQ(client.ask(post("still here"))->body, "still here");
  EXPECT_TRUE(eventually([&] { return server_->statistics().connections_open == 1; }));
  EXPECT_EQ(server_->statistics().request_memory_bytes, 0U);
}

TEST_F(ServerTest, AnswersClientsThatCloseTheirHalf) {
  start();
  TestClient client = connect();
  client.send(get("/hold"));
  client.end_sending();
  next_held()(Response{.body = "yours"});
  EXPECT_EQ(client.receive()->body, "yours");
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, RefusesConnectionsBeyondTheLimit) {
  options_.limits.connections = 2;
  start();
  TestClient first = connect();
  TestClient second = connect();
  EXPECT_EQ(first.ask(post("x"))->status, 200);
  EXPECT_EQ(second.ask(post("x"))->status, 200);
  TestClient third = connect();
  EXPECT_EQ(third.receive()->status, 503);
  EXPECT_EQ(server_->statistics().refused_connections, 1U);
  first.vanish();
  ASSERT_TRUE(eventually([&] { return server_->statistics().connections_open == 1; }));
  TestClient fourth = connect();
  EXPECT_EQ(fourth.ask(post("x"))->status, 200);
}

TEST_F(ServerTest, RefusesBodiesBeyondTheMemoryOfAllConnections) {
  options_.limits.memory_bytes = 2000;  // of which one address may hold half
  start();
  TestClient holding = connect();
  holding.send("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + std::string(900, 'x'));
  Reply reply = next_held();
  TestClient refused = connect();
  const auto answer = refused.ask(post(std::string(200, 'x')));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_THAT(answer->body, HasSubstr("ServiceUnavailableException"));
  reply(Response{});
  EXPECT_EQ(holding.receive()->status, 200);
  TestClient again = connect();
  EXPECT_EQ(again.ask(post(std::string(200, 'x')))->status, 200);
}

// ---- Stopping ----

TEST_F(ServerTest, FinishesWhatRunsWhenItStops) {
  start();
  TestClient idle = connect();
  EXPECT_EQ(idle.ask(post("x"))->status, 200);
  TestClient running = connect();
  running.send(get("/hold"));
  Reply reply = next_held();
  std::thread stopping([&] { server_->stop(); });
  EXPECT_TRUE(idle.ends());
  std::thread([&] { reply(Response{.body = "done"}); }).join();
  const auto answer = running.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "done");
  EXPECT_EQ(answer->headers.at("connection"), "close");
  EXPECT_TRUE(running.ends());
  running.end_sending();
  stopping.join();
  EXPECT_FALSE(connect().connected());
}

TEST_F(ServerTest, CutsOffWhatTakesTooLongWhenItStops) {
  options_.timeouts.stop = 20ms;
  start();
  TestClient running = connect();
  running.send(get("/hold"));
  Reply reply = next_held();
  server_->stop();
  EXPECT_TRUE(running.ends());
  server_.reset();
  reply(Response{.body = "too late"});  // hurts nobody
}

TEST_F(ServerTest, StopsOnce) {
  start();
  server_->stop();
  server_->stop();
}

TEST_F(ServerTest, TellsItsMetrics) {
  start();
  EXPECT_EQ(connect().ask(post("x"))->status, 200);
  std::string text;
  server_->append_metrics(text);
  EXPECT_THAT(text, HasSubstr("# TYPE tavola_http_requests_total counter\ntavola_http_requests_total 1\n"));
}

}  // namespace
}  // namespace tavola::http

// A connection on a transport of the test's own: no socket, no thread, every step on purpose.
#include "http/connection.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/compression.h"
#include "http/test_client.h"
#include "http/test_transport.h"

namespace tavola::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ConnectionTest : public testing::Test {
 protected:
  void open(ServerOptions options = {}) {
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

  // The client's bytes arrive, as many at a time as the connection wants.
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
  // The client reads what was waiting for it.
  void take_waiting() {
    line_.sent += std::exchange(line_.waiting, {});
    line_.is_writing = false;
    connection_.lock()->on_written(true);
  }
  // After close() the operating system ends what is under way.
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

TEST_F(ConnectionTest, AnswersARequestWithOneWrite) {
  open();
  arrive(post("hello"));
  EXPECT_EQ(line_.writes, 1U);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_TRUE(line_.sent.ends_with("Content-Length: 5\r\nConnection: keep-alive\r\n\r\nhello"));
  EXPECT_FALSE(line_.wants.empty());
}

TEST_F(ConnectionTest, ReadsRequestsInAnyPieces) {
  open();
  const std::string requests =
      post("one") + get("/two") + post("three") + "\r\n" +
      "POST /4 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n" +
      get("/five");
  for (std::size_t i = 0; i < requests.size(); ++i) arrive(requests.substr(i, 1));
  EXPECT_THAT(seen_,
              testing::ElementsAre("POST / one", "GET /two ", "POST / three", "POST /4 abc", "GET /five "));
  EXPECT_EQ(answers(), 5U);
}

TEST_F(ConnectionTest, AnswersPipelinedRequestsWithOneWrite) {
  open();
  arrive(post("a") + post("b") + post("c"));
  EXPECT_EQ(answers(), 3U);
  EXPECT_EQ(line_.writes, 1U);
}

TEST_F(ConnectionTest, AnswersInTheOrderOfTheRequests) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b") + post("c"));
  ASSERT_EQ(replies_.size(), 3U);
  replies_[2](Response{.body = "third"});
  replies_[1](Response{.body = "second"});
  EXPECT_EQ(line_.sent, "");
  replies_[0](Response{.body = "first"});
  EXPECT_EQ(answers(), 3U);
  EXPECT_LT(line_.sent.find("first"), line_.sent.find("second"));
  EXPECT_LT(line_.sent.find("second"), line_.sent.find("third"));
}

TEST_F(ConnectionTest, ReadsOnlySomeRequestsAhead) {
  ServerOptions options;
  options.limits.pipelined_requests = 2;
  open(options);
  answers_at_once_ = false;
  arrive(post("a") + post("b") + post("c") + post("d"));
  EXPECT_EQ(seen_.size(), 2U);
  EXPECT_TRUE(line_.wants.empty());
  replies_[1](Response{});
  EXPECT_EQ(seen_.size(), 2U);
  replies_[0](Response{});
  EXPECT_EQ(seen_.size(), 4U);
  replies_[2](Response{});
  replies_[3](Response{});
  EXPECT_EQ(answers(), 4U);
  EXPECT_FALSE(line_.wants.empty());
}

TEST_F(ConnectionTest, StopsReadingWhileTheClientDoesNotRead) {
  ServerOptions options;
  options.limits.unsent_bytes = 1000;
  open(options);
  line_.takes_writes = false;
  arrive(post(std::string(2000, 'x')));
  EXPECT_TRUE(line_.is_writing);
  EXPECT_TRUE(line_.wants.empty());
  take_waiting();
  EXPECT_FALSE(line_.wants.empty());
  EXPECT_EQ(answers(), 1U);
}

TEST_F(ConnectionTest, AnswersFromOtherThreads) {
  open();
  answers_at_once_ = false;
  arrive(post("a"));
  std::thread([this] { replies_[0](Response{.body = "from afar"}); }).join();
  EXPECT_EQ(line_.sent, "");  // until the loop runs
  worker_->post([this] { worker_->loop().stop(); });
  worker_->loop().run();
  EXPECT_THAT(line_.sent, HasSubstr("from afar"));
}

TEST_F(ConnectionTest, AnswersDroppedRequestsWith500) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b"));
  replies_.clear();
  EXPECT_EQ(answers(), 2U);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("com.amazon.coral.service#InternalServerError"));
}

TEST_F(ConnectionTest, OutlivesItsClient) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b"));
  connection_.lock()->close();
  settle();
  EXPECT_FALSE(connection_.expired());
  EXPECT_EQ(shared_->connections, 0U);
  EXPECT_GT(shared_->budget.used(), 0U);
  replies_[0](Response{});
  EXPECT_FALSE(connection_.expired());
  replies_[1](Response{});
  EXPECT_TRUE(connection_.expired());
  EXPECT_EQ(line_.sent, "");
}

TEST_F(ConnectionTest, OutlivesItsWorker) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b"));
  thread_.reset();
  std::thread thread([this] { worker_->run(); });
  worker_->post([this] {
    worker_->end();
    settle();
  });
  thread.join();
  EXPECT_FALSE(connection_.expired());
  worker_.reset();
  replies_[0](Response{});
  std::thread([this] { replies_[1](Response{}); }).join();
  EXPECT_TRUE(connection_.expired());
}

// ---- 100-continue ----

TEST_F(ConnectionTest, InvitesTheBody) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(line_.sent, "HTTP/1.1 100 Continue\r\n\r\n");
  arrive("ok");
  EXPECT_EQ(answers(), 2U);
}

TEST_F(ConnectionTest, InvitesNobodyWhoIsThere) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionTest, InvitesInOrder) {
  open();
  answers_at_once_ = false;
  arrive(post("a") +
         "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(line_.sent, "");
  replies_[0](Response{.status = 404});
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 404"));
  EXPECT_TRUE(line_.sent.ends_with("HTTP/1.1 100 Continue\r\n\r\n"));
  arrive("0\r\n\r\n");
  EXPECT_EQ(replies_.size(), 2U);
}

TEST_F(ConnectionTest, RefusesBeforeItInvites) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 413"));
}

// ---- Limits ----

TEST_F(ConnectionTest, RefusesLargeBodies) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  open(options);
  arrive(post("0123456789"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive(post("0123456789a"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 413 Request Entity Too Large\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("RequestEntityTooLargeException"));
  EXPECT_TRUE(line_.has_ended);
  EXPECT_FALSE(line_.is_closed);  // the client may still be sending
  arrive(std::string(100'000, 'x'));
  hang_up();
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, RefusesInTheWordsOfItsOwner) {
  ServerOptions options;
  options.refuse = [](const Refusal& refusal) {
    Response response{.status = refusal.status, .body = std::string(refusal.exception)};
    response.add_header("x-amzn-RequestId", "ABC");
    return response;
  };
  open(options);
  arrive("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(line_.sent, HasSubstr("x-amzn-RequestId: ABC\r\n"));
  EXPECT_TRUE(line_.sent.ends_with("\r\n\r\nMalformedHttpRequestException"));
}

TEST_F(ConnectionTest, RefusesLargeChunkedBodies) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  open(options);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  arrive(head + "a\r\n0123456789\r\n0\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive(head + "a\r\n0123456789\r\n1\r\na\r\n0\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 413"));
}

TEST_F(ConnectionTest, RefusesBombs) {
  ServerOptions options;
  options.limits.body_bytes = 100'000;
  open(options);
  arrive(post(compress(Coding::Gzip, std::string(100'000, 'x')), "Content-Encoding: gzip\r\n"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive(post(compress(Coding::Gzip, std::string(100'001, 'x')), "Content-Encoding: gzip\r\n"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: keep-alive\r\n"));  // the request was read to its end
}

TEST_F(ConnectionTest, RefusesChunkLinesWithoutEnd) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x'));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 400"));
}

TEST_F(ConnectionTest, RefusesBodiesBeyondTheMemoryBeforeItReadsThem) {
  ServerOptions options;
  options.limits.memory_bytes = 1000;
  open(options);
  answers_at_once_ = false;
  arrive(post(std::string(600, 'x')));
  EXPECT_EQ(shared_->budget.used(), 600U);
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600\r\n\r\n");
  EXPECT_EQ(shared_->budget.used(), 600U);
  EXPECT_EQ(line_.sent, "");  // in order
  replies_[0](Response{});
  EXPECT_EQ(shared_->budget.used(), 0U);
  EXPECT_EQ(answers(), 2U);
  EXPECT_THAT(line_.sent, HasSubstr("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("ServiceUnavailableException"));
}

TEST_F(ConnectionTest, RefusesChunksBeyondTheMemory) {
  ServerOptions options;
  options.limits.memory_bytes = 20'000;
  open(options);
  arrive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" +
         std::string(100'000, 'x'));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(shared_->budget.used(), 0U);
}

TEST_F(ConnectionTest, CutsOffWhoNeverStopsSending) {
  open();
  arrive("nonsense\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 400"));
  const std::string flood(1 << 20U, 'x');
  for (int i = 0; i < 100 && !line_.is_closed; ++i) arrive(flood);
  EXPECT_TRUE(line_.is_closed);
}

// ---- Time ----

TEST_F(ConnectionTest, ClosesIdleConnections) {
  open();
  const Timeouts timeouts;
  arrive(get("/"));
  pass(timeouts.idle - timeouts.head);
  EXPECT_FALSE(line_.is_closed);
  pass(timeouts.idle);
  EXPECT_TRUE(line_.is_closed);
  EXPECT_EQ(worker_->tally().timed_out.value(), 0U);
}

TEST_F(ConnectionTest, ClosesConnectionsThatNeverBegin) {
  open();
  pass(Timeouts().head);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, TimesSlowHeadsOut) {
  open();
  arrive("GET / HTTP/1.1\r\n");
  arrive("X-Drip: 1\r\n");  // which wins no time
  pass(Timeouts().head);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_EQ(worker_->tally().timed_out.value(), 1U);
  pass(Timeouts().linger);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, TimesSlowBodiesOut) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc");
  pass(Timeouts().body);
  EXPECT_TRUE(line_.is_closed);
  EXPECT_EQ(worker_->tally().timed_out.value(), 1U);
}

TEST_F(ConnectionTest, TimesSlowChunksOut) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  pass(Timeouts().body);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 408"));
}

TEST_F(ConnectionTest, TimesOutClientsThatDoNotRead) {
  open();
  line_.takes_writes = false;
  arrive(get("/"));
  pass(Timeouts().write);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, WaitsForHandlersAsLongAsTheyTake) {
  open();
  answers_at_once_ = false;
  arrive(get("/"));
  pass(std::chrono::hours(1));
  EXPECT_FALSE(line_.is_closed);
  replies_[0](Response{});
  pass(Timeouts().idle);  // and has a deadline again
  EXPECT_TRUE(line_.is_closed);
}

// ---- The end ----

TEST_F(ConnectionTest, ClosesWhenTheClientSaysSo) {
  open();
  arrive(get("/", "Connection: close\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, AnswersClientsThatHaveSentEverything) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b") + "POST / HTT");
  hang_up();
  EXPECT_FALSE(line_.is_closed);
  replies_[0](Response{});
  replies_[1](Response{});
  EXPECT_EQ(answers(), 2U);
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, ClosesWhenTheClientIsGone) {
  open();
  answers_at_once_ = false;
  arrive(post("a"));
  line_.wants = {};
  connection_.lock()->on_read_failed();
  EXPECT_TRUE(line_.is_closed);
  replies_[0](Response{});
  EXPECT_EQ(line_.sent, "");
}

TEST_F(ConnectionTest, ForgetsHalfABody) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  hang_up();
  replies_[0](Response{});
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_EQ(answers(), 1U);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, ForgetsTheOnlyHalfABody) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  hang_up();
  EXPECT_TRUE(seen_.empty());
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, StopsWhenIdle) {
  open();
  arrive(get("/"));
  shared_->is_stopping = true;
  connection_.lock()->finish();
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, StopsAfterWhatRuns) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + post("b"));
  shared_->is_stopping = true;
  connection_.lock()->finish();
  EXPECT_FALSE(line_.is_closed);
  replies_[0](Response{});
  EXPECT_THAT(line_.sent, Not(HasSubstr("Connection: close")));
  replies_[1](Response{});
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, BeginsNothingWhenItStops) {
  open();
  answers_at_once_ = false;
  arrive(post("a"));
  shared_->is_stopping = true;
  connection_.lock()->finish();
  arrive(post("b"));
  replies_[0](Response{});
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
  EXPECT_TRUE(line_.has_ended);
  pass(Timeouts().linger);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, StopsAfterABodyThatIsUnderWay) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
  shared_->is_stopping = true;
  connection_.lock()->finish();
  arrive("abc");
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
  EXPECT_TRUE(line_.is_closed);
}

// ---- Pages of other origins ----

TEST_F(ConnectionTest, AnswersPreflightsItself) {
  open();
  arrive("OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: http://x\r\nAccess-Control-Request-Headers: a, b\r\n\r\n");
  EXPECT_TRUE(seen_.empty());
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Access-Control-Allow-Origin: *\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Access-Control-Allow-Headers: a, b\r\n"));
  arrive("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(seen_.size(), 1U);
}

TEST_F(ConnectionTest, KeepsPagesOutWhenTold) {
  ServerOptions options;
  options.cors = false;
  open(options);
  arrive("OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: http://x\r\n\r\n");
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_THAT(line_.sent, Not(HasSubstr("Access-Control")));
}

TEST_F(ConnectionTest, TakesTargetsWithAHost) {
  open();
  arrive("GET http://a:8000/p?q HTTP/1.1\r\nHost: a\r\n\r\n");
  arrive("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(seen_, testing::ElementsAre("GET /p ", "GET / "));
}

TEST_F(ConnectionTest, SaysAsDynamoDbWhatItCannotDecompress) {
  open();
  for (const std::string_view coding : {"gzip", "deflate", "garbage"}) {
    line_.sent.clear();
    arrive(post("{}", "Content-Encoding: " + std::string(coding) + "\r\n"));
    EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 500")) << coding;
  }
  EXPECT_TRUE(seen_.empty());
}

TEST_F(ConnectionTest, HandlersThatThrowAnswer500) {
  shared_ = std::make_shared<Shared>(ServerOptions(),
                                     [](const Request&, Reply) -> void { throw std::bad_alloc(); });
  worker_ = std::make_shared<Worker>(shared_);
  thread_.emplace(*worker_);
  auto connection = std::make_shared<Connection>(worker_, "test");
  connection_ = connection;
  worker_->add(std::move(connection), std::make_unique<FakeTransport>(line_));
  arrive(get("/"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 500"));
}

}  // namespace
}  // namespace tavola::http

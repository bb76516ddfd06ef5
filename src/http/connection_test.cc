// A connection on a transport of the test: no socket, no thread, every step explicit.
#include "http/connection.h"

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_client.h"
#include "http/test_connection.h"

namespace tavola::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

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

// ---- The end ----

TEST_F(ConnectionTest, ClosesWhenTheClientSaysSo) {
  open();
  arrive(get("/", "Connection: close\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(line_.has_ended);
  // Closing now would discard the response if more arrived.
  EXPECT_FALSE(line_.is_closed);
  arrive(get("/"));
  EXPECT_EQ(seen_.size(), 1U);
  hang_up();
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, ClosesOnceTheClientHadTimeToSeeTheEnd) {
  open();
  arrive(get("/", "Connection: close\r\n"));
  pass(Timeouts().linger);
  EXPECT_TRUE(line_.is_closed);
  EXPECT_EQ(worker_->tally().timed_out.value(), 0U);
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
  hang_up();
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, StopsAfterWhatRunsAlsoWhenAHeadHasBegun) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + "POST / HTT");
  shared_->is_stopping = true;
  connection_.lock()->finish();
  pass(Timeouts().head);
  EXPECT_FALSE(line_.is_closed);
  replies_[0](Response{});
  EXPECT_EQ(answers(), 1U);
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
  pass(1s);  // a server that stops waits less
  EXPECT_TRUE(line_.is_closed);
}

// ---- Pages of other origins ----

TEST_F(ConnectionTest, AnswersPreflightsItself) {
  open();
  arrive(
      "OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:3000\r\n"
      "Access-Control-Request-Headers: a, b\r\n\r\n");
  EXPECT_TRUE(seen_.empty());
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Access-Control-Allow-Origin: http://localhost:3000\r\n"));
  EXPECT_THAT(line_.sent, HasSubstr("Access-Control-Allow-Headers: a, b\r\n"));
  arrive("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(seen_.size(), 1U);
}

// A page of another origin is refused before its body is read, with and without a preflight.
TEST_F(ConnectionTest, KeepsPagesOut) {
  for (const std::string_view method : {"OPTIONS", "POST", "GET"}) {
    open();
    arrive(std::string(method) + " / HTTP/1.1\r\nHost: a\r\nOrigin: http://x\r\nContent-Length: 5\r\n\r\n");
    EXPECT_TRUE(seen_.empty());
    EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 403 Forbidden\r\n"));
    EXPECT_THAT(line_.sent, HasSubstr("start it with --cors http://x."));
    EXPECT_THAT(line_.sent, Not(HasSubstr("Access-Control")));
    EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
    hang_up();
    settle();
    line_ = {};
  }
}

TEST_F(ConnectionTest, RefusesNamesThatAreNotTheServers) {
  for (const std::string_view head :
       {"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"}) {
    open();
    arrive(head);
    EXPECT_TRUE(seen_.empty()) << head;
    EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 403 Forbidden\r\n")) << head;
    EXPECT_THAT(line_.sent, HasSubstr("start the server with --allowed-host evil.example."));
    hang_up();
    settle();
    line_ = {};
  }
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
  ServerOptions options;
  options.web.allowed_hosts = {"test"};
  shared_ = std::make_shared<Shared>(std::move(options),
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

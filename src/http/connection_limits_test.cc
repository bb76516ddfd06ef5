// Limits on what a client can make a connection hold, and on how long it waits.
#include <memory>
#include <new>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/bytes/compression.h"
#include "http/connection.h"
#include "http/test_client.h"
#include "http/test_connection.h"

namespace tavola::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

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
  EXPECT_THAT(line_.sent, HasSubstr("The request is larger than 10 bytes."));
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
    response.add_header("X-Owner", "ABC");
    return response;
  };
  open(options);
  arrive("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(line_.sent, HasSubstr("X-Owner: ABC\r\n"));
  EXPECT_THAT(line_.sent, testing::ContainsRegex("\r\nx-amzn-RequestId: [A-Z0-9]{52}\r\n"));
  EXPECT_TRUE(line_.sent.ends_with("\r\n\r\nMalformedHttpRequestException"));
}

TEST_F(ConnectionTest, TellsItsOwnerWhatWasAskedFor) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  options.refuse = [](const Refusal& refusal) {
    return Response{.status = refusal.status, .body = "not at " + std::string(refusal.path)};
  };
  open(options);
  arrive("POST /v1/a?b=c HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 413"));
  EXPECT_TRUE(line_.sent.ends_with("\r\n\r\nnot at /v1/a")) << line_.sent;
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
  options.limits.memory_bytes = 2000;  // of which one client may hold half
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

TEST_F(ConnectionTest, HoldsNoMemoryForBodiesThatAreOnlyAnnounced) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16777216\r\n\r\n");
  EXPECT_EQ(shared_->budget.used(), 0U);
  arrive("x");
  EXPECT_LE(shared_->budget.used(), 16U << 10U);
  arrive(std::string((1 << 20U) - 1, 'x'));
  EXPECT_GE(shared_->budget.used(), 1U << 20U);
  EXPECT_LE(shared_->budget.used(), 2U << 20U);
  arrive(std::string(15 << 20U, 'x'));
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_EQ(answers(), 1U);
}

TEST_F(ConnectionTest, TakesSmallBodiesWhenLargeOnesHoldTheMemory) {
  ServerOptions options;
  options.limits.memory_bytes = 8 << 20U;
  open(options);
  BudgetShare others(shared_->budget);
  ASSERT_TRUE(others.grow_to(7 << 20U));
  EXPECT_FALSE(others.grow_to((7 << 20U) + 1));
  arrive(post(std::string(100'000, 'x')));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive(post(std::string(200'000, 'x')));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 503"));
}

TEST_F(ConnectionTest, CountsLargeAnswersUntilTheyAreTaken) {
  open();
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/"));
  replies_[0](Response{.body = std::string(3'000'000, 'x')});
  EXPECT_GE(shared_->budget.used(), 3'000'000U);
  take_waiting();
  EXPECT_EQ(shared_->budget.used(), 0U);
  EXPECT_EQ(answers(), 1U);
}

TEST_F(ConnectionTest, RefusesLargeAnswersBeyondTheMemory) {
  ServerOptions options;
  options.limits.memory_bytes = 4 << 20U;
  open(options);
  answers_at_once_ = false;
  arrive(get("/"));
  replies_[0](Response{.body = std::string(2 << 20U, 'x')});
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: keep-alive\r\n"));
  // A response to a write that may have happened is sent nevertheless.
  BudgetShare others(shared_->budget);
  others.charge_to(4 << 20U);
  line_.sent.clear();
  arrive(get("/"));
  replies_[1](Response{.body = std::string(500'000, 'x')});
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
}

TEST_F(ConnectionTest, ReadsNothingAheadOfAnswersThatNobodyTakesWhenTheMemoryIsUsedUp) {
  ServerOptions options;
  options.limits.memory_bytes = 400'000;  // of which one client may hold half
  open(options);
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/1"));
  replies_[0](Response{.body = std::string(300'000, 'x')});  // maybe of a write, so it is not refused
  std::string many;
  for (int i = 0; i < 10; ++i) many += get("/more");
  arrive(many);
  EXPECT_EQ(seen_.size(), 1U);
  line_.takes_writes = true;
  answers_at_once_ = true;
  take_waiting();
  EXPECT_EQ(seen_.size(), 11U);
  EXPECT_EQ(answers(), 11U);
}

TEST_F(ConnectionTest, ClosesWhoLeavesItsAnswerUntakenWhileTheMemoryIsUsedUp) {
  ServerOptions options;
  options.limits.memory_bytes = 400'000;
  open(options);
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/"));
  replies_[0](Response{.body = std::string(300'000, 'x')});
  pass(Timeouts().give_way - 1s);
  EXPECT_FALSE(line_.is_closed);
  pass(Timeouts().give_way + 1s);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, ReadsAheadAsFarAsTheAnswersToComeAllow) {
  open();
  answers_at_once_ = false;
  std::string many;
  for (int i = 0; i < 40; ++i) many += get("/");
  arrive(many);
  EXPECT_EQ(seen_.size(), 5U);  // which may be of 1 MB each
  for (std::size_t i = 0; i < replies_.size(); ++i) replies_[i](Response{});
  EXPECT_EQ(seen_.size(), 40U);
  arrive(get("/"));
  replies_.back()(Response{.body = std::string(3 << 20U, 'x')});
  arrive(many);
  EXPECT_EQ(seen_.size(), 43U);
  answers_at_once_ = true;
}

// The thread that responds may be one that all writes wait for.
TEST_F(ConnectionTest, LeavesTheWorkOnAnAnswerToItsOwnThread) {
  open();
  answers_at_once_ = false;
  arrive(post("abc", "Accept-Encoding: gzip\r\n"));
  std::thread([this] { replies_[0](Response{.body = std::string(100'000, 'x')}); }).join();
  EXPECT_EQ(shared_->budget.used(), 3U);  // nothing was done yet
  worker_->tick();                        // which takes it also when the loop was not woken
  EXPECT_THAT(line_.sent, HasSubstr("Content-Encoding: gzip"));
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
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 408"));
  EXPECT_EQ(worker_->tally().timed_out.value(), 1U);
  EXPECT_EQ(shared_->budget.used(), 0U);
}

TEST_F(ConnectionTest, WaitsLongerForBodiesThatCome) {
  open();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  arrive(std::string(std::size_t{320} * 1024, 'x'));  // ten seconds' worth
  pass(Timeouts().body + 9s);
  EXPECT_EQ(line_.sent, "");
  pass(Timeouts().body + 11s);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 408"));
}

// An empty line before a request is not a head, but the text after it is.
TEST_F(ConnectionTest, TimesHeadsOutThatBeginBehindAnEmptyLine) {
  open();
  line_.takes_writes = false;
  arrive(get("/"));
  for (const std::string_view byte : {"\r", "\n"}) arrive(byte);
  pass(Timeouts().head);
  EXPECT_EQ(line_.writes, 1U);
  arrive("P");
  line_.takes_writes = true;
  take_waiting();
  line_.sent.clear();
  pass(Timeouts().head);
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 408"));
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

TEST_F(ConnectionTest, WaitsLongerForLargeAnswersToBeTaken) {
  open();
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/"));
  replies_[0](Response{.body = std::string(std::size_t{5} << 20U, 'x')});  // which ten seconds more are for
  pass(Timeouts().write + 9s);
  EXPECT_FALSE(line_.is_closed);
  pass(Timeouts().write + 11s);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(ConnectionTest, ClosesWhoTakesItsAnswerSlowlyWhenOthersNeedTheMemory) {
  ServerOptions options;
  options.limits.memory_bytes = 8 << 20U;
  open(options);
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/"));
  replies_[0](Response{.body = std::string(3 << 20U, 'x')});
  pass(Timeouts().give_way + 1s);
  EXPECT_FALSE(line_.is_closed);  // nobody lacks it
  BudgetShare others(shared_->budget);
  EXPECT_FALSE(others.grow_to(6 << 20U));
  connection_.lock()->tick(std::chrono::steady_clock::now());
  EXPECT_FALSE(line_.is_closed);  // it has just begun
  shared_->budget.note_shortage_at(worker_->deadline_after(Timeouts().give_way));
  pass(Timeouts().give_way);
  EXPECT_TRUE(line_.is_closed);
  EXPECT_EQ(worker_->tally().timed_out.value(), 1U);
}

TEST_F(ConnectionTest, OneClientHoldsHalfOfTheMemoryAtMost) {
  ServerOptions options;
  options.limits.memory_bytes = 8 << 20U;
  open(options);
  answers_at_once_ = false;
  arrive(get("/"));
  const std::shared_ptr<Client> same = shared_->clients.at("test");
  BudgetShare mine(shared_->budget, same->budget);
  ASSERT_TRUE(mine.grow_to(2 << 20U));
  replies_[0](Response{.body = std::string(2 << 20U, 'x')});
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 503"));
  const std::shared_ptr<Client> other = shared_->clients.at("192.0.2.1");
  BudgetShare others(shared_->budget, other->budget);
  EXPECT_TRUE(others.grow_to(3 << 20U));
}

TEST_F(ConnectionTest, AllAddressesOfANetworkOfOneMachineAreOneClient) {
  open();
  Clients& clients = shared_->clients;
  const std::shared_ptr<Client> one = clients.at("[2001:db8::1]");
  EXPECT_EQ(clients.at("[2001:db8::ffff:2]"), one);
  EXPECT_NE(clients.at("[2001:db8:0:1::1]"), one);
  const std::shared_ptr<Client> mapped = clients.at("[::ffff:192.0.2.1]");
  EXPECT_NE(clients.at("[::ffff:192.0.2.2]"), mapped);
  EXPECT_NE(clients.at("192.0.2.2"), clients.at("192.0.2.3"));
}

// ---- Unknown senders ----

TEST_F(ConnectionTest, RefusesStrangersBeforeTheirBodyIsRead) {
  ServerOptions options;
  options.refuse_head = [](const Request& request) -> std::optional<Response> {
    if (request.header("authorization") == "known") return std::nullopt;
    return Response{.status = 401, .body = "who are you?"};
  };
  open(options);
  arrive("POST / HTTP/1.1\r\nHost: a\r\nAuthorization: known\r\nContent-Length: 100000\r\n\r\n");
  arrive(std::string(100'000, 'x'));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive(post("small"));  // and whole: the handler looks at it
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  line_.sent.clear();
  arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(shared_->budget.used(), 0U);
  EXPECT_EQ(seen_.size(), 2U);
}

TEST_F(ConnectionTest, HoldsFewBytesOfSendersThatAreNotVerified) {
  ServerOptions options;
  options.limits.unverified_bytes = 1 << 20U;  // of which one client may hold half
  options.refuse_head = [](const Request&) { return std::nullopt; };
  open(options);
  answers_at_once_ = false;
  arrive(post(std::string(400'000, 'x')));
  EXPECT_EQ(seen_.size(), 1U);
  EXPECT_EQ(shared_->unverified.used(), 0U);  // it is with the handler
  EXPECT_GE(shared_->budget.used(), 400'000U);
  arrive(post(std::string(600'000, 'x')));
  EXPECT_EQ(seen_.size(), 1U);
  replies_[0](Response{});
  EXPECT_THAT(line_.sent, HasSubstr("HTTP/1.1 503"));
}

TEST_F(ConnectionTest, DecompressesNothingOfStrangers) {
  ServerOptions options;
  options.refuse_payload = [](const Request& request) -> std::optional<Response> {
    if (request.header("authorization") == "known") return std::nullopt;
    return Response{.status = 401};
  };
  open(options);
  const std::string no_gzip = "nonsense";
  arrive(post(no_gzip, "Content-Encoding: gzip\r\nAuthorization: known\r\n"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 500"));
  line_.sent.clear();
  arrive(post(no_gzip, "Content-Encoding: gzip\r\n"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 401"));
}

TEST_F(ConnectionTest, DecompressesNoBodyOfAGet) {
  open();
  arrive("GET /health HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnonsense");
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0], "GET /health nonsense");
}

TEST_F(ConnectionTest, FinishesWhatRunsBeforeARefusal) {
  open();
  answers_at_once_ = false;
  arrive(post("a") + "nonsense\r\n\r\n");
  pass(2 * Timeouts().linger);
  EXPECT_FALSE(line_.is_closed);
  replies_[0](Response{});
  EXPECT_EQ(answers(), 2U);
  EXPECT_FALSE(line_.is_closed);
  pass(Timeouts().linger);
  EXPECT_TRUE(line_.is_closed);
}

// ---- No memory ----

TEST_F(ConnectionTest, ClosesWhenItCannotRead) {
  open();
  line_.no_memory = true;
  arrive("GET /");
  EXPECT_TRUE(line_.is_closed);
  EXPECT_TRUE(connection_.expired());
}

TEST_F(ConnectionTest, ClosesWhenItCannotWrite) {
  open();
  answers_at_once_ = false;
  arrive(get("/"));
  line_.no_memory = true;
  replies_[0](Response{});
  settle();
  EXPECT_TRUE(connection_.expired());
}

TEST_F(ConnectionTest, ClosesWhenItCannotSayWhatIsWrong) {
  ServerOptions options;
  options.refuse = [](const Refusal&) -> Response { throw std::bad_alloc(); };
  open(options);
  arrive(post("{}", "Content-Encoding: gzip\r\n"));
  EXPECT_TRUE(line_.is_closed);
  EXPECT_TRUE(connection_.expired());
}

TEST_F(ConnectionTest, ClosesWhenItCannotSayThatAReplyWasDropped) {
  ServerOptions options;
  options.refuse = [](const Refusal&) -> Response { throw std::bad_alloc(); };
  open(options);
  answers_at_once_ = false;
  arrive(post("a") + post("b"));
  replies_.clear();
  settle();
  EXPECT_TRUE(connection_.expired());
}

// ---- Waiting for others ----

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

}  // namespace
}  // namespace tavola::http

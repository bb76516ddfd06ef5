// Bodies that are not held in memory: taken by a BodySink as they arrive, sent from a BodySource.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

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

// Letters in order: "abc…xyzabc…".
class Letters final : public BodySource {
 public:
  explicit Letters(std::uint64_t size, std::uint64_t readable) : size_(size), readable_(readable) {}
  std::uint64_t size_bytes() const override { return size_; }
  bool read(std::span<char> into) override {
    for (char& c : into) c = static_cast<char>('a' + read_++ % 26);
    return read_ <= readable_;
  }

 private:
  std::uint64_t size_;
  std::uint64_t readable_;
  std::uint64_t read_ = 0;
};

class StreamingTest : public ConnectionTest {
 protected:
  struct Taken {
    std::string bytes;
    std::size_t wanted = std::string::npos;  // then the sink wants no more
    unsigned sinks = 0;                      // that live
  };
  class Sink final : public BodySink {
   public:
    explicit Sink(Taken& taken) : taken_(taken) { ++taken_.sinks; }
    ~Sink() override { --taken_.sinks; }
    bool take(std::string_view piece) override {
      taken_.bytes += piece;
      return taken_.bytes.size() < taken_.wanted;
    }

   private:
    Taken& taken_;
  };

  void open_streaming(ServerOptions options = {}) {
    options.receive_body = [this](const Request& request) -> std::unique_ptr<BodySink> {
      if (request.method != "PUT") return nullptr;
      return std::make_unique<Sink>(taken_);
    };
    open(std::move(options));
  }
  static std::string put(std::string_view body, std::string_view more_headers = {}) {
    return "PUT /o HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(more_headers) + "\r\n" + std::string(body);
  }
  void TearDown() override {
    ConnectionTest::TearDown();
    EXPECT_EQ(taken_.sinks, 0U);
  }

  Taken taken_;
};

TEST_F(StreamingTest, ASinkTakesTheBodyInsteadOfTheServer) {
  ServerOptions options;
  options.limits.body_bytes = 4;
  open_streaming(options);
  for (const char c : put("more than four bytes")) arrive(std::string_view(&c, 1));
  EXPECT_EQ(taken_.bytes, "more than four bytes");
  EXPECT_THAT(seen_, testing::ElementsAre("PUT /o "));
  arrive(post("1234") + post("12345"));
  EXPECT_THAT(line_.sent, HasSubstr(" 413 "));
}

TEST_F(StreamingTest, ASinkTakesChunks) {
  open_streaming();
  const std::string chunked =
      "PUT /o HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (const char c : chunked) arrive(std::string_view(&c, 1));
  arrive(chunked + get("/next"));
  EXPECT_EQ(taken_.bytes, "abcdeabcde");
  EXPECT_THAT(seen_, testing::ElementsAre("PUT /o ", "PUT /o ", "GET /next "));
}

TEST_F(StreamingTest, ABodyForASinkIsNotDecompressed) {
  open_streaming();
  arrive(put("not gzip", "Content-Encoding: gzip\r\n"));
  EXPECT_THAT(line_.sent, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(taken_.bytes, "not gzip");
}

TEST_F(StreamingTest, LimitsStreamedBodies) {
  ServerOptions options;
  options.limits.streamed_bytes = 10;
  open_streaming(options);
  arrive(put("0123456789"));
  EXPECT_EQ(answers(), 1U);
  arrive("PUT /o HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n");
  EXPECT_THAT(line_.sent, HasSubstr(" 413 "));
  EXPECT_EQ(seen_.size(), 1U);
}

TEST_F(StreamingTest, ASinkThatWantsNoMoreEndsTheConnectionWithTheAnswer) {
  open_streaming();
  answers_at_once_ = false;
  taken_.wanted = 3;
  arrive("PUT /o HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n0123");
  ASSERT_EQ(replies_.size(), 1U);
  arrive("more");  // is dropped
  EXPECT_EQ(taken_.bytes, "0123");
  replies_.front()(Response{.status = 400});
  EXPECT_THAT(line_.sent, HasSubstr(" 400 "));
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
  EXPECT_TRUE(line_.has_ended);
  arrive(std::string(996, 'x') + get("/next"));
  EXPECT_EQ(seen_.size(), 1U);
  hang_up();
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(StreamingTest, JudgesTheHeadOfEveryRequestBeforeItsBodyIsStored) {
  ServerOptions options;
  options.refuse_head = [](const Request& request) -> std::optional<Response> {
    if (request.path == "/o") return Response{.status = 403};
    return std::nullopt;
  };
  open_streaming(options);
  arrive(put("abc"));
  EXPECT_THAT(line_.sent, HasSubstr(" 403 "));
  EXPECT_EQ(taken_.bytes, "");
  EXPECT_TRUE(seen_.empty());
}

TEST_F(StreamingTest, AClientMayLeaveInTheMiddleOfABody) {
  open_streaming();
  arrive("PUT /o HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n0123");
  EXPECT_EQ(taken_.sinks, 1U);
  hang_up();
  EXPECT_EQ(taken_.sinks, 0U);
  EXPECT_TRUE(seen_.empty());
}

TEST_F(StreamingTest, SendsAnAnswerInPiecesAsTheClientTakesThem) {
  open_streaming();
  answers_at_once_ = false;
  constexpr std::uint64_t kSize = 1'000'000;
  line_.takes_writes = false;
  arrive(get("/") + get("/next"));
  replies_[1](Response{.body = "behind"});
  replies_[0](Response{.source = std::make_shared<Letters>(kSize, kSize)});
  std::size_t most = 0;
  for (std::size_t turns = 0; line_.is_writing && turns < 1000; ++turns) {
    most = std::max(most, line_.waiting.size());
    take_waiting();
  }
  EXPECT_LT(most, kSize / 2);
  EXPECT_THAT(line_.sent, HasSubstr("Content-Length: 1000000\r\n"));
  EXPECT_EQ(answers(), 2U);
  const std::size_t begin = line_.sent.find("\r\n\r\n") + 4;
  const std::string body = line_.sent.substr(begin, kSize);
  for (std::size_t i = 0; i < body.size(); ++i) ASSERT_EQ(body[i], static_cast<char>('a' + i % 26));
  EXPECT_THAT(line_.sent.substr(begin + kSize), StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(line_.sent.ends_with("behind"));
}

TEST_F(StreamingTest, ClosesBehindAStreamedAnswerIfTheClientSaysSo) {
  open_streaming();
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/", "Connection: close\r\n"));
  replies_[0](Response{.source = std::make_shared<Letters>(600'000, 600'000)});
  while (line_.is_writing) {
    EXPECT_FALSE(line_.has_ended);
    take_waiting();
  }
  EXPECT_TRUE(line_.has_ended);
  EXPECT_THAT(line_.sent, HasSubstr("Connection: close"));
}

TEST_F(StreamingTest, EndsTheConnectionIfBytesAreMissing) {
  open_streaming();
  answers_at_once_ = false;
  arrive(get("/"));
  replies_[0](Response{.source = std::make_shared<Letters>(1'000'000, 300'000)});
  EXPECT_TRUE(line_.is_closed);
  EXPECT_LT(line_.sent.size(), 1'000'000U);
}

TEST_F(StreamingTest, ShowsTheSizeOfASourceInAHeadWithoutItsBytes) {
  open_streaming();
  answers_at_once_ = false;
  arrive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  replies_[0](Response{.source = std::make_shared<Letters>(1'000'000, 0)});
  EXPECT_THAT(line_.sent, HasSubstr("Content-Length: 1000000\r\n"));
  EXPECT_TRUE(line_.sent.ends_with("\r\n\r\n"));
  EXPECT_FALSE(line_.is_closed);
}

TEST_F(StreamingTest, CutsAClientThatTakesNoMore) {
  open_streaming();
  answers_at_once_ = false;
  line_.takes_writes = false;
  arrive(get("/"));
  replies_[0](Response{.source = std::make_shared<Letters>(1'000'000, 1'000'000)});
  take_waiting();
  pass(40s);
  EXPECT_TRUE(line_.is_closed);
}

TEST_F(StreamingTest, LargeAnswersLetOthersHaveTheirTurn) {
  open_streaming();
  answers_at_once_ = false;
  arrive(get("/"));
  constexpr std::uint64_t kSize = 50'000'000;
  replies_[0](Response{.source = std::make_shared<Letters>(kSize, kSize)});
  EXPECT_LT(line_.sent.size(), kSize / 4);  // the rest is sent when the loop has turned
  EXPECT_FALSE(line_.is_closed);
}

}  // namespace
}  // namespace tavola::http

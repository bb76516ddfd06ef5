#include "http/message.h"

#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tavola::http {
namespace {

class Recorder : public ReplyTarget {
 public:
  void reply(Response response) override { answers.push_back(std::move(response)); }
  void dropped() override { ++drops; }
  std::vector<Response> answers;
  int drops = 0;
};

TEST(Request, FindsHeadersInAnyCaseAndTakesTheFirst) {
  const Header headers[] = {{"Host", "a"}, {"X-Amz-Target", "first"}, {"x-amz-target", "second"}};
  Request request;
  request.headers = headers;
  EXPECT_EQ(request.header("x-amz-TARGET"), "first");
  EXPECT_EQ(request.header("host"), "a");
  EXPECT_EQ(request.header("hos"), "");
}

TEST(Response, HeadersCannotEndTheirLine) {
  Response response;
  response.add_header("a", "b");
  response.add_header("x", "1\r\nSet-Cookie: 2\x7f");
  EXPECT_EQ(response.headers, "a: b\r\nx: 1  Set-Cookie: 2 \r\n");
}

TEST(Reply, AnswersOnce) {
  Recorder recorder;
  {
    Reply reply(recorder);
    Reply moved(std::move(reply));
    moved(Response{.status = 201});
  }
  ASSERT_EQ(recorder.answers.size(), 1U);
  EXPECT_EQ(recorder.answers.front().status, 201);
  EXPECT_EQ(recorder.drops, 0);
}

TEST(Reply, IsDroppedOnce) {
  Recorder recorder;
  Recorder other;
  {
    Reply reply(recorder);
    reply = Reply(other);
    EXPECT_EQ(recorder.drops, 1);
    EXPECT_EQ(other.drops, 0);
  }
  EXPECT_EQ(recorder.drops, 1);
  EXPECT_EQ(other.drops, 1);
}

}  // namespace
}  // namespace tavola::http

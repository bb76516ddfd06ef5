#include "http/response_head.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/bytes/byte_budget.h"
#include "http/bytes/compression.h"
#include "http/bytes/crc32.h"
#include "http/server.h"

namespace tavola::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Sealed {
  std::string head;
  std::string body;
};

Sealed sealed(Response response, const AnswerForm& form = {}) {
  Sealed result;
  seal(response, form, result.head);
  result.body = std::move(response.body);
  return result;
}

TEST(ResponseHead, SaysWhatDynamoDbSays) {
  Response response{.status = 400, .content_type = "application/x-amz-json-1.0", .body = "{}", .crc32 = true};
  response.add_header("x-amzn-RequestId", "ABC");
  const Sealed text = sealed(std::move(response));
  EXPECT_THAT(text.head, StartsWith("HTTP/1.1 400 Bad Request\r\nDate: "));
  EXPECT_THAT(text.head, HasSubstr("\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n"));
  EXPECT_THAT(text.head, HasSubstr("\r\nx-amz-crc32: 2745614147\r\n"));  // DynamoDB's for {}
  EXPECT_TRUE(text.head.ends_with("\r\nx-amzn-RequestId: ABC\r\n"));
  EXPECT_THAT(text.head, Not(HasSubstr("Access-Control")));
  EXPECT_EQ(text.body, "{}");
}

TEST(ResponseHead, LeavesTheBodyOut) {
  const Sealed head = sealed(Response{.body = "abc"}, {.head_only = true});
  EXPECT_THAT(head.head, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_EQ(head.body, "");
  const Sealed none = sealed(Response{.status = 204, .body = "abc"});
  EXPECT_THAT(none.head, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(none.body, "");
}

TEST(ResponseHead, CompressesWhatIsLargerThan4096BytesWhenAsked) {
  const std::string large(4097, 'x');
  const AnswerForm asked{.accept_encoding = "gzip"};
  EXPECT_EQ(sealed(Response{.body = large}).body, large);
  EXPECT_EQ(sealed(Response{.body = large.substr(1)}, asked).body, large.substr(1));
  EXPECT_THAT(sealed(Response{.body = std::string(3 << 20U, 'x')}, asked).head,
              Not(HasSubstr("Content-Encoding")));  // it would keep others waiting
  const Sealed small = sealed(Response{.body = large, .crc32 = true}, asked);
  EXPECT_THAT(small.head, HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_THAT(small.head, HasSubstr("Content-Length: " + std::to_string(small.body.size()) + "\r\n"));
  // The checksum covers the bytes sent.
  EXPECT_THAT(small.head, HasSubstr("x-amz-crc32: " + std::to_string(crc32(small.body)) + "\r\n"));
  ByteBudget budget(1 << 20U);
  BudgetShare share(budget);
  std::string back;
  EXPECT_EQ(decompress(small.body, back, 1 << 20U, share), Decompressed::Done);
  EXPECT_EQ(back, large);
}

TEST(ResponseHead, DoesNotCompressTwice) {
  Response packed{.body = std::string(10'000, 'x')};
  packed.add_header("content-encoding", "gzip");
  EXPECT_EQ(sealed(std::move(packed), {.accept_encoding = "gzip"}).body.size(), 10'000U);
}

TEST(ResponseHead, LetsPagesReadAnswers) {
  const std::string head = sealed(Response{}, {.allow_origin = "http://x", .depends_on_origin = true}).head;
  EXPECT_THAT(head, HasSubstr("Vary: Origin\r\nAccess-Control-Allow-Origin: http://x\r\n"
                              "Access-Control-Expose-Headers: x-amzn-RequestId,"));
  EXPECT_THAT(head, HasSubstr(",Allow,Idempotency-Replayed,Retry-After\r\n"));
}

TEST(ResponseHead, AllowsWhatAPageAsksFor) {
  const Header headers[] = {{"Access-Control-Request-Headers", "a, b"},
                            {"Access-Control-Request-Method", "POST"}};
  Request request;
  request.headers = headers;
  EXPECT_EQ(preflight_response(request).headers,
            "Access-Control-Allow-Headers: a, b\r\nAccess-Control-Allow-Methods: POST\r\n"
            "Access-Control-Max-Age: 172800\r\n");
}

TEST(ResponseHead, RefusesAsAws) {
  const Response response = refusal_response({413, "RequestEntityTooLargeException", "Too large."});
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body,
            R"({"__type":"com.amazon.coral.service#RequestEntityTooLargeException","message":"Too large."})");
}

TEST(ResponseHead, WritesDates) {
  EXPECT_EQ(http_date().size(), 29U);
  EXPECT_TRUE(http_date().ends_with(" GMT"));
}

}  // namespace
}  // namespace tavola::http

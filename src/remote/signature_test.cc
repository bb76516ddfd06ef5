// Signatures: an example of AWS's own tests for Signature Version 4 ("get-vanilla"), and what is signed.
#include "remote/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/timestamps.h"

namespace tavola::remote {
namespace {

using testing::Contains;
using testing::HasSubstr;

const Credentials kExample{.access_key_id = "AKIDEXAMPLE",
                           .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                           .session_token = {}};

std::vector<std::string> signed_at_noon(const SignedRequest& request, const Credentials& credentials) {
  return Signer("us-east-1").signed_headers(request, credentials, *parse_iso8601("2015-08-30T12:36:00Z"));
}

TEST(Signature, IsThatOfTheExample) {
  EXPECT_THAT(
      signed_at_noon({.method = "GET", .url = "https://example.amazonaws.com/", .service = "service"},
                     kExample),
      Contains(
          "Authorization: AWS4-HMAC-SHA256 "
          "Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, "
          "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"));
}

TEST(Signature, CoversEveryHeader) {
  Credentials temporary = kExample;
  temporary.session_token = "token";
  const auto headers = signed_at_noon({.method = "POST",
                                       .url = "http://127.0.0.1:8000",
                                       .service = "dynamodb",
                                       .headers = {"X-Amz-Target: DynamoDB_20120810.GetItem"},
                                       .body = "{}"},
                                      temporary);
  EXPECT_THAT(headers, Contains("X-Amz-Security-Token: token"));
  EXPECT_THAT(headers, Contains("Host: 127.0.0.1:8000"));
  EXPECT_THAT(headers,
              Contains(HasSubstr("SignedHeaders=host;x-amz-date;x-amz-security-token;x-amz-target,")));
}

TEST(Signature, ChangesWithTheSecretOfTheSameKey) {
  Signer signer("us-east-1");
  const SignedRequest request{.method = "GET", .url = "http://127.0.0.1/", .service = "dynamodb"};
  const WallTime now = *parse_iso8601("2015-08-30T12:36:00Z");
  Credentials other = kExample;
  other.secret_access_key = "other";
  const auto first = signer.signed_headers(request, kExample, now);
  EXPECT_NE(signer.signed_headers(request, other, now), first);
  EXPECT_EQ(signer.signed_headers(request, kExample, now), first);
}

// The example of "Authenticating Requests: Using Query Parameters" in the Amazon S3 API Reference.
TEST(Signature, OfAUrlIsThatOfTheExample) {
  const Credentials example{.access_key_id = "AKIAIOSFODNN7EXAMPLE",
                            .secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                            .session_token = {}};
  EXPECT_EQ(
      Signer("us-east-1")
          .presigned_url(
              {.method = "GET", .url = "https://examplebucket.s3.amazonaws.com/test.txt", .service = "s3"},
              example, *parse_iso8601("2013-05-24T00:00:00Z"), std::chrono::seconds(86400)),
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Signature, OfAUrlNamesTheHeadersThatItCovers) {
  Credentials temporary = kExample;
  temporary.session_token = "a/b";
  const std::string url = Signer("local").presigned_url({.method = "PUT",
                                                         .url = "http://127.0.0.1:8002/texts/a%20b?x=1",
                                                         .service = "s3",
                                                         .headers = {"Content-Length: 7"}},
                                                        temporary, *parse_iso8601("2015-08-30T12:36:00Z"),
                                                        std::chrono::seconds(300));
  EXPECT_THAT(url, testing::StartsWith("http://127.0.0.1:8002/texts/a%20b?X-Amz-Algorithm="));
  EXPECT_THAT(url, HasSubstr("&X-Amz-Security-Token=a%2Fb&X-Amz-SignedHeaders=content-length%3Bhost&x=1&"));
}

}  // namespace
}  // namespace tavola::remote

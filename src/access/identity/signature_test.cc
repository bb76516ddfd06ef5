#include "access/identity/signature.h"

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <sys/wait.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access/identity/canonical_request.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/encoding.h"
#include "http/request_parser.h"

namespace tavola::access {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A request written as HTTP; the text must stay where it is.
class TextRequest {
 public:
  explicit TextRequest(std::string text) : text_(std::move(text)) {
    http::RequestParser parser(limits_);
    EXPECT_EQ(parser.parse_head(text_), http::Parsed::Done) << text_;
    const http::RequestHead& head = parser.head();
    for (const auto& field : head.fields) headers_.push_back({field.name.of(text_), field.value.of(text_)});
    const std::string_view target = head.target.of(text_);
    const std::size_t question = target.find('?');
    request_.method = head.method.of(text_);
    request_.path = target.substr(0, question);
    if (question != std::string_view::npos) request_.query = target.substr(question + 1);
    request_.headers = headers_;
    request_.payload = request_.body = std::string_view(text_).substr(head.size_bytes);
  }
  TextRequest(const TextRequest&) = delete;
  TextRequest& operator=(const TextRequest&) = delete;

  const http::Request& get() const { return request_; }

 private:
  http::Limits limits_;
  std::string text_;
  std::vector<http::Header> headers_;
  http::Request request_;
};

WallTime at(int year, unsigned month, unsigned day, int hour, int minute) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)) +
         std::chrono::hours(hour) + std::chrono::minutes(minute);
}

Credentials example_keys() {
  return *Credentials::parse(
      "AKIDEXAMPLE wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY\n"
      "AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY read-only\n",
      "keys");
}

std::string outcome(const Result<Sender>& result) {
  if (result) return "ok " + result->access_key + " " + result->region;
  return std::string(exception_name(result.error().code())) + ": " + result.error().message();
}

// ---- AWS's published examples ----

std::string verify_example(std::string_view service, std::string text) {
  SignatureVerifier verifier(example_keys(), std::string(service));
  const TextRequest request(std::move(text));
  return outcome(verifier.verify(request.get(), at(2015, 8, 30, 12, 36)));
}

std::string authorization(std::string_view service, std::string_view signed_headers,
                          std::string_view signature) {
  return "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + std::string(service) +
         "/aws4_request, SignedHeaders=" + std::string(signed_headers) +
         ", Signature=" + std::string(signature) + "\r\n\r\n";
}

// From the Signature Version 4 test suite.
TEST(Signature, AgreesWithAwsTestSuite) {
  const std::string end = "\r\nHost:example.amazonaws.com\r\nX-Amz-Date:20150830T123600Z\r\n";
  const std::array<std::array<std::string, 3>, 6> cases = {{
      {"GET / HTTP/1.1" + end, "host;x-amz-date",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
      {"POST / HTTP/1.1" + end, "host;x-amz-date",
       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
      {"GET /?Param2=value2&Param1=value1 HTTP/1.1" + end, "host;x-amz-date",
       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
      {"GET / HTTP/1.1" + end + "My-Header1: value1\r\nMy-Header2: \"a   b   c\"\r\n",
       "host;my-header1;my-header2;x-amz-date",
       "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
      {"GET / HTTP/1.1" + end + "My-Header1:value2\r\nMy-Header1:value2\r\nMy-Header1:value1\r\n",
       "host;my-header1;x-amz-date", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
      {"GET /example/.. HTTP/1.1" + end, "host;x-amz-date",
       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
  }};
  for (const auto& [head, signed_headers, signature] : cases) {
    EXPECT_EQ(verify_example("service", head + authorization("service", signed_headers, signature)),
              "ok AKIDEXAMPLE us-east-1")
        << head;
  }
}

// "Examples of the complete Signature Version 4 signing process", IAM ListUsers.
TEST(Signature, AgreesWithAwsDocumentation) {
  const std::string head =
      "GET /?Action=ListUsers&Version=2010-05-08 HTTP/1.1\r\nHost: iam.amazonaws.com\r\n"
      "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\nX-Amz-Date: 20150830T123600Z\r\n";
  EXPECT_EQ(
      verify_example(
          "iam", head + authorization("iam", "content-type;host;x-amz-date",
                                      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")),
      "ok AKIDEXAMPLE us-east-1");
}

// A presigned URL as in Amazon S3's documentation.
std::string presigned_with(std::string_view signature) {
  return "GET /test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
         "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders="
         "host&X-Amz-Signature=" +
         std::string(signature) + " HTTP/1.1\r\nHost: examplebucket.s3.amazonaws.com\r\n\r\n";
}

// The signature in the example of AWS's page "Authenticating Requests: Using Query Parameters".
std::string presigned() {
  return presigned_with("aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(Signature, TakesPresignedUrlsUntilTheyExpire) {
  SignatureVerifier verifier(example_keys(), "s3");
  const TextRequest request(presigned());
  const auto verify = [&](WallTime now) { return outcome(verifier.verify(request.get(), now)); };
  EXPECT_EQ(verify(at(2013, 5, 24, 0, 0)), "ok AKIAIOSFODNN7EXAMPLE us-east-1");
  EXPECT_EQ(verify(at(2013, 5, 25, 0, 0)), "ok AKIAIOSFODNN7EXAMPLE us-east-1");
  EXPECT_EQ(verify(at(2013, 5, 23, 23, 45)), "ok AKIAIOSFODNN7EXAMPLE us-east-1");
  EXPECT_THAT(verify(at(2013, 5, 25, 0, 1)), StartsWith("InvalidSignatureException: Signature expired: "));
  EXPECT_THAT(verify(at(2013, 5, 23, 23, 44)),
              StartsWith("InvalidSignatureException: Signature not yet current: "));
}

TEST(Signature, RefusesPresignedUrlsWithOddLifetimes) {
  SignatureVerifier verifier(example_keys(), "s3");
  for (const std::string lifetime : {"0", "-1", "604801", "x", "99999999999999999999"}) {
    std::string text = presigned();
    text.replace(text.find("86400"), 5, lifetime);
    const TextRequest request(text);
    EXPECT_THAT(outcome(verifier.verify(request.get(), at(2013, 5, 24, 0, 0))),
                StartsWith("IncompleteSignatureException: X-Amz-Expires"))
        << lifetime;
  }
}

TEST(Signature, OfS3CoversItsHeadersAndNamesItsLifetime) {
  SignatureVerifier verifier(example_keys(), "s3");
  const auto verify = [&](const std::string& text) {
    const TextRequest request(text);
    return outcome(verifier.verify(request.get(), at(2013, 5, 24, 0, 0)));
  };
  std::string text = presigned();
  text.insert(text.size() - 2, "x-amz-meta-owner: eve\r\n");
  EXPECT_THAT(verify(text), testing::HasSubstr("not signed: x-amz-meta-owner"));
  text = presigned();
  text.erase(text.find("X-Amz-Expires=86400&"), std::string_view("X-Amz-Expires=86400&").size());
  EXPECT_THAT(verify(text), testing::HasSubstr("X-Amz-Expires"));
}

// The example of AWS's page "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks".
TEST(Signature, OfS3CoversThePiecesOfABody) {
  SignatureVerifier verifier(example_keys(), "s3");
  const TextRequest request(
      "PUT /examplebucket/chunkObject.txt HTTP/1.1\r\nHost: s3.amazonaws.com\r\nx-amz-date: "
      "20130524T000000Z\r\n"
      "x-amz-storage-class: REDUCED_REDUNDANCY\r\nContent-Encoding: aws-chunked\r\nContent-Length: 66824\r\n"
      "x-amz-decoded-content-length: 66560\r\n"
      "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n"
      "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
      "SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;"
      "x-amz-decoded-content-length;x-amz-storage-class,"
      "Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9\r\n\r\n");
  EXPECT_EQ(outcome(verifier.verify(request.get(), at(2013, 5, 24, 0, 0))),
            "ok AKIAIOSFODNN7EXAMPLE us-east-1");
  auto pieces = verifier.pieces_of(request.get());
  ASSERT_TRUE(pieces);
  EXPECT_TRUE(pieces->matches_piece(sha256({std::string(65536, 'a')}),
                                    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"));
  EXPECT_TRUE(pieces->matches_piece(sha256({std::string(1024, 'a')}),
                                    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"));
  EXPECT_FALSE(pieces->matches_piece(sha256({std::string("b")}),
                                     "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"));
  auto again = verifier.pieces_of(request.get());
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->matches_piece(sha256({std::string(1024, 'a')}),  // the second piece first
                                    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"));
}

// ---- AWS's own signer ----

// Returns the output of the script; empty if it cannot run.
std::string run_script(int& status) {
  FILE* const pipe =
      popen("/usr/bin/python3 -B " TAVOLA_SOURCE_DIR "/src/access/identity/sign_with_botocore.py", "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), count);
  status = WEXITSTATUS(pclose(pipe));
  return text;
}

TEST(Signature, VerifiesWhatBotocoreSigns) {
  int status = 0;
  const std::string output = run_script(status);
  if (status == 77 || status == 127) GTEST_SKIP() << "no botocore here (python3-botocore)";
  ASSERT_EQ(status, 0);
  SignatureVerifier verifier(example_keys());
  std::string_view rest = output;
  int count = 0;
  while (!rest.empty()) {
    const std::size_t line = rest.find('\n');
    const std::size_t size = std::stoul(std::string(rest.substr(0, line)));
    const std::string text(rest.substr(line + 1, size));
    rest.remove_prefix(line + 1 + size);
    ++count;
    const TextRequest request(text);
    EXPECT_EQ(outcome(verifier.verify(request.get(), Clock::system().now())), "ok AKIDEXAMPLE eu-central-1")
        << text;
    EXPECT_EQ(outcome(well_formed(request.get())), "ok AKIDEXAMPLE eu-central-1") << text;
    // The signed parts must not change.
    std::string changed = text;
    changed[0] = changed[0] == 'G' ? 'P' : 'G';
    const TextRequest other(changed);
    EXPECT_THAT(outcome(verifier.verify(other.get(), Clock::system().now())),
                StartsWith("InvalidSignatureException: The request signature we calculated does not match"));
  }
  EXPECT_EQ(count, 10);
}

// ---- Errors, in AWS's words ----

// A correctly signed request for DynamoDB, except for what a test changes.
struct Signing {
  std::string date = "20130609T100759Z";
  std::string credential = "AKIDEXAMPLE/20130609/us-east-1/dynamodb/aws4_request";
  std::string signed_headers = "content-type;host;x-amz-date;x-amz-target";
  std::string algorithm = "AWS4-HMAC-SHA256";
  std::string secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  std::string body = "{}";
  std::string more = {};          // header lines
  std::string payload_hash = {};  // empty: that of the body

  std::string head() const {
    return "POST / HTTP/1.1\r\nHost: dynamodb.us-east-1.amazonaws.com\r\nContent-Type: "
           "application/x-amz-json-1.0\r\n"
           "X-Amz-Date: " +
           date + "\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n" + more;
  }

  std::string text() const {
    const TextRequest unsigned_request(head() + "\r\n" + body);
    const std::string canonical = canonical_request(
        unsigned_request.get(), signed_headers, payload_hash.empty() ? to_hex(sha256({body})) : payload_hash);
    std::string key = hmac_sha256("AWS4" + secret, date.substr(0, 8));
    for (const std::string_view part : {"us-east-1", "dynamodb", "aws4_request"})
      key = hmac_sha256(key, part);
    const std::string to_sign = "AWS4-HMAC-SHA256\n" + date + "\n" + date.substr(0, 8) +
                                "/us-east-1/dynamodb/aws4_request\n" + to_hex(sha256({canonical}));
    return head() + "Authorization: " + algorithm + " Credential=" + credential +
           ", SignedHeaders=" + signed_headers + ", Signature=" + to_hex(hmac_sha256(key, to_sign)) +
           "\r\n\r\n" + body;
  }
};

std::string verify(const std::string& text) {
  static SignatureVerifier verifier(example_keys());
  const TextRequest request(text);
  return outcome(verifier.verify(request.get(), at(2013, 6, 9, 10, 0)));
}

TEST(Signature, TakesWhatIsRight) {
  EXPECT_EQ(verify(Signing().text()), "ok AKIDEXAMPLE us-east-1");
  EXPECT_EQ(verify(Signing{.credential = Signing().credential + "///"}.text()), "ok AKIDEXAMPLE us-east-1");
  EXPECT_EQ(verify(Signing{.more = "X-Amz-Security-Token: any\r\n"}.text()), "ok AKIDEXAMPLE us-east-1");
  // Commas alone also separate.
  std::string tight = Signing().text();
  for (std::size_t at = 0; (at = tight.find(", S")) != std::string::npos;) tight.erase(at + 1, 1);
  EXPECT_EQ(verify(tight), "ok AKIDEXAMPLE us-east-1");
}

TEST(Signature, TakesTheDateHeader) {
  const Signing signing;
  std::string text = signing.text();
  const std::string line = "X-Amz-Date: 20130609T100759Z";
  text.replace(text.find(line), line.size(), "Date: Sun, 09 Jun 2013 10:07:59 GMT");
  // It was not signed with this header, but its time is parsed.
  EXPECT_THAT(verify(text),
              StartsWith("InvalidSignatureException: The request signature we calculated does not match"));
  text.replace(text.find("2013 10:07"), 10, "2013 10:99");
  EXPECT_THAT(verify(text),
              StartsWith("IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got "
                         "'Sun, 09 Jun 2013 10:99:59 GMT'"));
}

TEST(Signature, SaysWhatIsMissing) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(verify(head + "\r\n"),
            "MissingAuthenticationTokenException: Request is missing Authentication Token");
  EXPECT_EQ(verify(head + "Authorization: AWS4\r\n\r\n"),
            "MissingAuthenticationTokenException: Request is missing Authentication Token");
  EXPECT_EQ(
      verify("POST /?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d HTTP/1.1\r\n"
             "Host: a\r\n\r\n"),
      "MissingAuthenticationTokenException: Request is missing Authentication Token");
  EXPECT_EQ(verify(head + "Authorization: AWS4-\r\n\r\n"),
            "IncompleteSignatureException: Authorization header requires 'Credential' parameter. "
            "Authorization header "
            "requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. "
            "Authorization "
            "header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-");
  for (const std::string separator : {" ", ",", ", "}) {
    std::string value = "AWS4- Signature=b";
    value.append(separator).append("Credential=a");
    EXPECT_EQ(verify(std::string(head).append("Date: a\r\nAuthorization: ").append(value).append("\r\n\r\n")),
              "IncompleteSignatureException: Authorization header requires 'SignedHeaders' parameter. "
              "Authorization=" +
                  value);
  }
  EXPECT_EQ(verify(head + "Authorization: AWS4-HMAC-SHA256 Signature=b, Credential\r\n\r\n"),
            "IncompleteSignatureException: 'Credential' not a valid key=value pair (missing equal-sign) in "
            "Authorization header: 'AWS4-HMAC-SHA256 Signature=b, Credential'.");
  EXPECT_EQ(
      verify("POST /?X-Amz-Algorithm HTTP/1.1\r\nHost: a\r\n\r\n"),
      "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Algorithm'. AWS "
      "query-string "
      "parameters must include 'X-Amz-Credential'. AWS query-string parameters must include "
      "'X-Amz-Signature'. AWS "
      "query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include "
      "'X-Amz-Date'. Re-examine the query-string parameters.");
  EXPECT_EQ(verify("POST /?X-Amz-Algorithm HTTP/1.1\r\nHost: a\r\nAuthorization: X\r\n\r\n"),
            "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and "
            "'Authorization' as HTTP "
            "header.");
}

TEST(Signature, SaysWhatIsOutOfTime) {
  EXPECT_EQ(verify(Signing{.date = "20130609T094500Z"}.text()), "ok AKIDEXAMPLE us-east-1");
  EXPECT_EQ(verify(Signing{.date = "20130609T101500Z"}.text()), "ok AKIDEXAMPLE us-east-1");
  EXPECT_EQ(
      verify(Signing{.date = "20130301T000000Z"}.text()),
      "InvalidSignatureException: Signature expired: 20130301T000000Z is now earlier than 20130609T094500Z "
      "(20130609T100000Z - 15 min.)");
  EXPECT_EQ(verify(Signing{.date = "20130609T101501Z"}.text()),
            "InvalidSignatureException: Signature not yet current: 20130609T101501Z is still later than "
            "20130609T101500Z (20130609T100000Z + 15 min.)");
  for (const std::string date :
       {"201", "20130609T100759", "20130609t100759Z", "20131309T100759Z", "20130631T100759Z",
        "20130609T250759Z", "20130609T10+759Z", "20130609T10 759Z"}) {
    EXPECT_EQ(verify(Signing{.date = date}.text()),
              "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '" + date +
                  "'. See http://en.wikipedia.org/wiki/ISO_8601");
  }
}

TEST(Signature, SaysWhatIsWrongWithTheScope) {
  EXPECT_EQ(
      verify(Signing{.signed_headers = "x-amz-date;x-amz-target"}.text()),
      "InvalidSignatureException: 'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  EXPECT_EQ(verify(Signing{.signed_headers = "host;x-amz-date"}.text()),
            "InvalidSignatureException: 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization.");
  EXPECT_EQ(verify(Signing{.algorithm = "AWS4-HMAC-SHA25"}.text()),
            "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only "
            "AWS4-HMAC-SHA256 for "
            "now). ");
  EXPECT_EQ(verify(Signing{.credential = "a/b/c/d"}.text()),
            "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. "
            "keyid/date/region/service/term, got 'a/b/c/d'");
  EXPECT_EQ(verify(Signing{.credential = "AKIDEXAMPLE/b//d/e"}.text()),
            "InvalidSignatureException: Credential should be scoped to a valid region, not ''. Credential "
            "should be "
            "scoped to correct service: 'dynamodb'. Credential should be scoped with a valid terminator: "
            "'aws4_request', not 'e'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version "
            "of date "
            "from HTTP: 'b' != '20130609', from '20130609T100759Z'.");
  const std::string region(65, 'r');
  EXPECT_EQ(
      verify(Signing{.credential = "AKIDEXAMPLE/20130609/" + region + "/dynamodb/aws4_request"}.text()),
      "InvalidSignatureException: Credential should be scoped to a valid region, not '" + region + "'.");
}

TEST(Signature, SaysWhoIsUnknownAndWhatDoesNotMatch) {
  EXPECT_EQ(verify(Signing{.credential = "AKIDOTHER/20130609/us-east-1/dynamodb/aws4_request"}.text()),
            "UnrecognizedClientException: The security token included in the request is invalid.");
  const std::string wrong = verify(Signing{.secret = "wrong"}.text());
  EXPECT_THAT(
      wrong,
      StartsWith("InvalidSignatureException: The request signature we calculated does not match the "
                 "signature you provided. Check your AWS Secret Access Key and signing method. Consult "
                 "the service documentation for details.\n\nThe Canonical String for this request should "
                 "have been\n'POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:"));
  EXPECT_THAT(wrong,
              HasSubstr("'\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20130609T100759Z\n"
                        "20130609/us-east-1/dynamodb/aws4_request\n"));
  std::string body = Signing().text();
  body.replace(body.size() - 2, 2, "{ ");
  EXPECT_THAT(verify(body), StartsWith("InvalidSignatureException: The request signature"));
  std::string cut = Signing().text();
  cut.erase(cut.find("\r\n\r\n") - 1, 1);
  EXPECT_THAT(verify(cut), StartsWith("InvalidSignatureException: The request signature"));
  EXPECT_THAT(verify(Signing{.more = "X-Amz-Content-Sha256: " + std::string(64, 'a') + "\r\n"}.text()),
              StartsWith("InvalidSignatureException: The value of 'X-Amz-Content-SHA256' does not match"));
}

// All errors but the last are visible before the body was read.
TEST(Signature, ChecksTheHeadBeforeTheBody) {
  const SignatureVerifier verifier(example_keys());
  const auto check = [&verifier](const std::string& text) {
    const TextRequest request(text);
    const auto checked = verifier.check_head(request.get(), at(2013, 6, 9, 10, 0));
    return checked ? std::string("ok") : std::string(exception_name(checked.error().code()));
  };
  EXPECT_EQ(check(Signing().text()), "ok");
  EXPECT_EQ(check("POST / HTTP/1.1\r\nHost: a\r\n\r\n"), "MissingAuthenticationTokenException");
  EXPECT_EQ(check(Signing{.credential = "AKIDOTHER/20130609/us-east-1/dynamodb/aws4_request"}.text()),
            "UnrecognizedClientException");
  EXPECT_EQ(check(Signing{.date = "20130609T103000Z"}.text()), "InvalidSignatureException");
  EXPECT_EQ(check(Signing{.signed_headers = "x-amz-date"}.text()), "InvalidSignatureException");
  EXPECT_EQ(check(Signing{.secret = "wrong"}.text()), "ok");
}

// The signature is correct, but does not cover the body.
TEST(Signature, RefusesBodiesThatAreNotSigned) {
  EXPECT_THAT(
      verify(Signing{.more = "X-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\n", .payload_hash = "UNSIGNED-PAYLOAD"}
                 .text()),
      StartsWith("InvalidSignatureException: The value of 'X-Amz-Content-SHA256' does not match"));
}

// A caller who knows an access key but not its secret can neither fill the memory nor evict the keys of others.
TEST(Signature, RemembersKeysOfRightSignaturesOnly) {
  SignatureVerifier verifier(example_keys());
  for (int i = 0; i < 3000; ++i) {
    const TextRequest request(
        Signing{.credential = "AKIDEXAMPLE/20130609/r" + std::to_string(i) + "/dynamodb/aws4_request"}
            .text());
    EXPECT_FALSE(verifier.verify(request.get(), at(2013, 6, 9, 10, 0)));
  }
  EXPECT_EQ(verifier.remembered_keys(), 0U);
  const TextRequest right(Signing().text());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(verifier.verify(right.get(), at(2013, 6, 9, 10, 0)));
  EXPECT_EQ(verifier.remembered_keys(), 1U);
}

TEST(Signature, WellFormedIsEnoughWithoutCredentials) {
  const TextRequest any(
      "POST / HTTP/1.1\r\nHost: a\r\nDate: now\r\nAuthorization: AWS4-HMAC-SHA256 "
      "Credential=me/1/here/dynamodb/aws4_request, SignedHeaders=host, Signature=x\r\n\r\n");
  const auto caller = well_formed(any.get());
  EXPECT_EQ(outcome(caller), "ok me here");
  EXPECT_TRUE(caller->may_write());
  EXPECT_TRUE(caller->may_use("anything"));
  const TextRequest none("POST / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(outcome(well_formed(none.get())),
            "MissingAuthenticationTokenException: Request is missing Authentication Token");
}

TEST(Signature, TellsWhatACallerMay) {
  const Credentials keys = *Credentials::parse("reader s read-only tables=Music", "keys");
  const Sender caller{.access_key = "reader", .region = "us-east-1", .key = keys.find("reader")};
  EXPECT_FALSE(caller.may_write());
  EXPECT_TRUE(caller.may_use("Music"));
  EXPECT_FALSE(caller.may_use("Other"));
}

TEST(Digest, HashesAsPublished) {
  EXPECT_EQ(to_hex(sha256({"a", "bc"})), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  // RFC 4231, cases 2 and 6.
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
}

}  // namespace
}  // namespace tavola::access

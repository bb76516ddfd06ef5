// The HTTP client: certificates, kept connections, and every way in which an answer can end.
#include "remote/http_client.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <openssl/ssl.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"
#include "http/server.h"
#include "tests/connect/test_raw_server.h"

namespace tavola::remote {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A server with a certificate for "localhost" alone.
class HttpsTest : public testing::Test {
 protected:
  void SetUp() override {
    make_certificate("server");
    make_certificate("other");
    http::ServerOptions options;
    options.port = 0;
    options.tls_certificate = file("server.crt");
    options.tls_key = file("server.key");
    auto server = http::Server::start(options, [](const http::Request& request, http::Reply reply) {
      reply({.content_type = "text/plain", .body = std::string(request.body)});
    });
    ASSERT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
  }

  std::string file(const std::string& name) const { return folder_.path() / name; }
  std::string url(const std::string& host) const {
    return "https://" + host + ":" + std::to_string(server_->port()) + "/";
  }
  Result<HttpAnswer> ask(const std::string& host, const std::string& bundle) const {
    return HttpClient({.ca_bundle = bundle}).send({.method = "POST", .url = url(host), .body = "hello"});
  }

  std::unique_ptr<http::Server> server_;

 private:
  void make_certificate(const std::string& name) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout " +
        file(name + ".key") + " -out " + file(name + ".crt") + " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  ScratchDirectory folder_;
};

TEST_F(HttpsTest, ATrustedServerIsAskedOnOneConnection) {
  HttpClient client({.ca_bundle = file("server.crt")});
  for (const std::size_t size : {5U, 100'000U, 3'000'000U}) {
    const std::string body(size, 'x');
    const auto answer = client.send({.method = "POST", .url = url("localhost"), .body = body});
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, body);
    EXPECT_EQ(answer->header("content-TYPE"), "text/plain");
  }
  EXPECT_EQ(server_->statistics().connections, 1U);
}

TEST_F(HttpsTest, ACertificateOfSomebodyElseIsRefused) {
  const auto answer = ask("localhost", file("other.crt"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), AllOf(HasSubstr("cannot reach "), HasSubstr("certificate")));
  EXPECT_NE(answer.error().detail<NeverSent>(), nullptr);
}

TEST_F(HttpsTest, ACertificateForAnotherHostIsRefused) {
  const auto answer = ask("127.0.0.1", file("server.crt"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), HasSubstr("IP address mismatch"));
}

TEST_F(HttpsTest, AMissingBundleIsNamed) {
  const auto answer = ask("localhost", file("missing.crt"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), HasSubstr(file("missing.crt")));
}

TEST_F(HttpsTest, TheBundleOfTheEnvironmentIsUsed) {
  setenv("SSL_CERT_FILE", file("server.crt").c_str(), 1);
  const auto trusted = ask("localhost", "");
  setenv("SSL_CERT_FILE", file("other.crt").c_str(), 1);
  const auto refused = ask("localhost", "");
  unsetenv("SSL_CERT_FILE");
  EXPECT_TRUE(trusted) << trusted.error().message();
  EXPECT_FALSE(refused);
}

// A server that ends a connection after it has read a request, and says no goodbye.
TEST_F(HttpsTest, AnEndWithoutAGoodbyeIsNamed) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  SSL_CTX_free);
  ASSERT_EQ(SSL_CTX_use_certificate_file(context.get(), file("server.crt").c_str(), SSL_FILETYPE_PEM), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), file("server.key").c_str(), SSL_FILETYPE_PEM), 1);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> listener(BIO_new_accept("127.0.0.1:0"), BIO_free_all);
  ASSERT_EQ(BIO_do_accept(listener.get()), 1);
  const std::string port = BIO_get_accept_port(listener.get());
  std::jthread server([&] {
    BIO_do_accept(listener.get());
    const std::unique_ptr<SSL, decltype(&SSL_free)> connection(SSL_new(context.get()), SSL_free);
    BIO* const socket = BIO_pop(listener.get());
    SSL_set_bio(connection.get(), socket, socket);
    SSL_accept(connection.get());
    std::array<char, 1024> request{};
    SSL_read(connection.get(), request.data(), static_cast<int>(request.size()));
  });
  const auto answer =
      HttpClient({.ca_bundle = file("server.crt")}).send({.url = "https://localhost:" + port + "/"});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message(), HasSubstr("the server closed the connection"));
}

// ---- The forms of answers ----

// Answers a request with these bytes, and the next one with "{}".
struct Asked {
  explicit Asked(std::string bytes)
      : server([bytes](int request) { return request == 1 ? bytes : http_answer("200 OK", "", "{}"); }) {}

  Result<HttpAnswer> get(std::string_view method = "GET") {
    return client.send({.method = method, .url = server.url() + "/a?b=c"});
  }

  RawServer server;
  HttpClient client{{.answer_timeout = std::chrono::seconds(20), .answer_bytes_max = 1'000}};
};

TEST(Answers, ChunksAreJoined) {
  Asked asked("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
  const auto answer = asked.get();
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "abcde");
}

TEST(Answers, OnesBeforeTheLastAreSkipped) {
  Asked asked("HTTP/1.1 100 Continue\r\nA: b\r\n\r\n" + http_answer("404 Not Found", "C: d\r\n", "no"));
  const auto answer = asked.get();
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->headers, "C: d\nContent-Length: 2\n");
  EXPECT_EQ(answer->body, "no");
}

TEST(Answers, AHeadHasNoBody) {
  Asked asked("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  const auto answer = asked.get("HEAD");
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "");
  EXPECT_EQ(asked.get()->body, "{}");  // on the same connection
}

TEST(Answers, WhatCannotBeReadIsRefused) {
  EXPECT_THAT(Asked("SSH-2.0-OpenSSH_9.2\r\n\r\n").get().error().message(), HasSubstr("not valid HTTP"));
  EXPECT_THAT(Asked(http_answer("200 OK", "", std::string(1'001, 'x'))).get().error().message(),
              HasSubstr("more than 1000 bytes"));
  EXPECT_THAT(Asked("").get().error().message(), HasSubstr("without an answer"));
}

TEST(Answers, OneThatEndsTooEarlyIsRefused) {
  RawServer server([](int) { return std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"); });
  HttpClient client({.answer_timeout = std::chrono::milliseconds(100)});
  const auto waited = client.send({.url = server.url()});
  ASSERT_FALSE(waited);
  EXPECT_THAT(waited.error().message(), AllOf(HasSubstr("no answer from"), HasSubstr("timed out")));
  EXPECT_EQ(waited.error().detail<NeverSent>(), nullptr);
}

TEST(Answers, AKeptConnectionThatHasEndedIsReplaced) {
  RawServer server([](int request) {
    return request == 2 ? std::string() : http_answer("200 OK", "", std::to_string(request));
  });
  HttpClient client({});
  EXPECT_EQ(client.send({.url = server.url()})->body, "1");
  EXPECT_EQ(client.send({.url = server.url()})->body, "3");  // the second one was read, and not answered
}

TEST(Addresses, OnesThatCannotBeAreRefused) {
  HttpClient client({});
  for (const std::string& url :
       std::vector<std::string>{"ftp://localhost/", "localhost:80", "http://", "http://a b/", "http://a:b/",
                                "http://a/\r\nX: y", "http://[::1/"}) {
    const auto answer = client.send({.url = url});
    ASSERT_FALSE(answer) << url;
    EXPECT_NE(answer.error().detail<NeverSent>(), nullptr) << url;
    EXPECT_THAT(answer.error().message(), HasSubstr("cannot reach ")) << url;
  }
}

TEST(Requests, AHeaderWithALineBreakIsNotSent) {
  RawServer server([](int) { return http_answer("200 OK", "", "{}"); });
  HttpClient client({});
  for (const char* token : {"t\n", "t\r\nX: y", "t\r\n\r\nGET / HTTP/1.1"}) {
    const auto answer = client.send({.url = server.url(), .headers = {std::string("Token: ") + token}});
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().detail<NeverSent>(), nullptr);
    EXPECT_THAT(answer.error().message(), HasSubstr("the header Token contains a line break"));
  }
  EXPECT_EQ(server.requests(), 0);
}

TEST(Times, AreReadInTheFormOfHttp) {
  EXPECT_EQ(http_time("Sun, 09 Jun 2013 10:07:59 GMT"), 1'370'772'479);
  EXPECT_EQ(http_time("Fri, 01 Jan 2100 00:00:00 GMT"), 4'102'444'800);
  for (const char* text : {"", "Sun, 09 Jun 2013 10:07:59 CET", "Sun, 31 Jun 2013 10:07:59 GMT",
                           "Sun, 09 unJ 2013 10:07:59 GMT", "2013-06-09T10:07:59Z"})
    EXPECT_EQ(http_time(text), -1) << text;
}

}  // namespace
}  // namespace tavola::remote

// Where a server listens, and TLS: real sockets, real certificates.
#include "http/listening.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <openssl/ssl.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"

namespace tavola::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

class ListeningTest : public ServerTest {
 protected:
  // Writes a key and a self-signed certificate to the folder.
  void make_certificate(const std::string& name) {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -keyout " +
        folder_ + "/" + name + ".key -out " + folder_ + "/" + name + ".crt 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
};

TEST_F(ListeningTest, ListensOnBothAddressesOfLocalhost) {
  options_.host = "localhost";
  start();
  TestClient four = TestClient::tcp(server_->port());
  EXPECT_EQ(four.ask(post("4"))->body, "4");
  const std::string port = std::to_string(server_->port());
  if (server_->urls().size() == 1) GTEST_SKIP() << "no IPv6 here";
  EXPECT_THAT(server_->urls(), ElementsAre("http://127.0.0.1:" + port, "http://[::1]:" + port));
  TestClient six = TestClient::tcp6(server_->port());
  const auto answer = six.ask(post("6"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "6");
  EXPECT_THAT(answer->headers.at("x-peer"), StartsWith("[::1]:"));
}

TEST_F(ListeningTest, SaysWhyItCannotListen) {
  start();
  const auto message = [](const std::string& host, std::uint16_t port) {
    ServerOptions options;
    options.host = host;
    options.port = port;
    const auto server = Server::start(options, [](const Request&, Reply) {});
    return server ? std::string("listens") : server.error().message();
  };
  EXPECT_EQ(message("127.0.0.1", server_->port()),
            "cannot listen on 127.0.0.1:" + std::to_string(server_->port()) +
                ": the port is in use; stop the program that uses it, or choose another port");
  EXPECT_EQ(message("192.0.2.1", 0), "cannot listen on 192.0.2.1:0: this machine does not have that address");
  EXPECT_THAT(message("no such host", 0), StartsWith("cannot listen on no such host: "));
  options_.port = 0;
  options_.reach = Reach::ThisMachine;
  for (const std::string host : {"0.0.0.0", "::", "192.0.2.1"}) {
    options_.host = host;
    const auto server = Server::start(options_, [](const Request&, Reply) {});
    ASSERT_FALSE(server) << host;
    EXPECT_THAT(server.error().message(), HasSubstr("other machines can reach"));
  }
  options_.host = "localhost";
  start();
}

TEST_F(ListeningTest, KnowsLoopback) {
  EXPECT_TRUE(*is_loopback("127.0.0.1"));
  EXPECT_TRUE(*is_loopback("127.8.8.8"));
  EXPECT_TRUE(*is_loopback("localhost"));
  EXPECT_TRUE(*is_loopback("::1"));
  EXPECT_TRUE(*is_loopback("[::1]"));
  EXPECT_FALSE(*is_loopback("0.0.0.0"));
  EXPECT_FALSE(*is_loopback("::"));
  EXPECT_FALSE(is_loopback("no such host"));
}

TEST_F(ListeningTest, ListensOnAUnixSocket) {
  options_.host = "";
  options_.unix_socket = folder_ + "/socket";
  start();
  EXPECT_EQ(server_->port(), 0);
  EXPECT_THAT(server_->urls(), ElementsAre("unix:" + options_.unix_socket));
  TestClient client = TestClient::unix_socket(options_.unix_socket);
  const auto answer = client.ask(post("hello"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(answer->headers.at("x-peer"), "unix");
  server_->stop();
  EXPECT_FALSE(std::filesystem::exists(options_.unix_socket));
}

TEST_F(ListeningTest, ReplacesOnlySocketsOfTheDead) {
  options_.unix_socket = folder_ + "/socket";
  start();
  auto server = Server::start(options_, [](const Request&, Reply) {});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message(), HasSubstr("another server listens there"));
  // A crash leaves the file.
  server_->stop();
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, options_.unix_socket.c_str(), options_.unix_socket.size() + 1);
    const FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(bind(dead.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  start();
  EXPECT_EQ(TestClient::unix_socket(options_.unix_socket).ask(post("x"))->body, "x");
  server_->stop();
  std::ofstream(options_.unix_socket) << "not a socket";
  server = Server::start(options_, [](const Request&, Reply) {});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message(), HasSubstr("the file exists and is not a socket"));
  EXPECT_TRUE(std::filesystem::exists(options_.unix_socket));
  // A socket that cannot be probed may belong to anybody.
  std::filesystem::remove(options_.unix_socket);
  const FileDescriptor other(::socket(AF_UNIX, SOCK_DGRAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, options_.unix_socket.c_str(), options_.unix_socket.size() + 1);
  ASSERT_EQ(bind(other.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT(Server::start(options_, [](const Request&, Reply) {}).error().message(),
              HasSubstr("cannot see whether another server listens on"));
  options_.unix_socket = folder_ + "/" + std::string(200, 'x');
  EXPECT_THAT(Server::start(options_, [](const Request&, Reply) {}).error().message(),
              HasSubstr("at most 107 bytes"));
}

// ---- TLS ----

// Sends one request over TLS of at most `version`; returns the response's text, or why there is none.
std::string ask_tls(TestClient& client, const std::string& request, int version) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  SSL_CTX_set_max_proto_version(context.get(), version);
  SSL_CTX_set_security_level(context.get(), 0);
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context.get()), SSL_free);
  SSL_set_fd(session.get(), client.descriptor());
  if (SSL_connect(session.get()) != 1) return "no handshake";
  std::string_view rest = request;
  while (!rest.empty()) {
    const int sent =
        SSL_write(session.get(), rest.data(), static_cast<int>(std::min<std::size_t>(rest.size(), 1 << 20U)));
    if (sent <= 0) return "not sent";
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  std::string answer;
  char buffer[16384];
  for (int count = 0; (count = SSL_read(session.get(), buffer, sizeof(buffer))) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(count));
  }
  return answer;
}

TEST_F(ListeningTest, SpeaksTls) {
  make_certificate("a");
  options_.tls_certificate = folder_ + "/a.crt";
  options_.tls_key = folder_ + "/a.key";
  start();
  EXPECT_THAT(server_->urls().front(), StartsWith("https://127.0.0.1:"));
  const std::string body(300'000, 'x');
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    TestClient client = connect();
    const std::string answer = ask_tls(client, post("a") + post(body, "Connection: close\r\n"), version);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_TRUE(answer.ends_with("\r\n\r\n" + body));
  }
  TestClient old = connect();
  EXPECT_EQ(ask_tls(old, post("a"), TLS1_1_VERSION), "no handshake");
  TestClient plain = connect();
  plain.send(post("a"));
  EXPECT_EQ(plain.receive(), std::nullopt);
}

TEST_F(ListeningTest, SaysWhatIsWrongWithACertificate) {
  make_certificate("a");
  make_certificate("b");
  std::ofstream(folder_ + "/text") << "hello";
  const auto message = [this](const std::string& certificate, const std::string& key) {
    options_.tls_certificate = certificate.empty() ? "" : folder_ + "/" + certificate;
    options_.tls_key = key.empty() ? "" : folder_ + "/" + key;
    const auto server = Server::start(options_, [](const Request&, Reply) {});
    return server ? std::string("starts") : server.error().message();
  };
  EXPECT_EQ(message("a.crt", "a.key"), "starts");
  EXPECT_EQ(message("a.crt", ""), "TLS needs both a certificate and its key");
  EXPECT_EQ(message("none", "a.key"), "cannot read the TLS certificate " + folder_ + "/none");
  EXPECT_EQ(message("a.crt", "none"), "cannot read the TLS key " + folder_ + "/none");
  EXPECT_THAT(message("text", "a.key"), HasSubstr("is not a PEM certificate"));
  EXPECT_THAT(message("a.crt", "text"), HasSubstr("is not a PEM key without passphrase"));
  EXPECT_EQ(message("a.crt", "b.key"),
            "the TLS key " + folder_ + "/b.key does not belong to the certificate " + folder_ + "/a.crt");
}

TEST_F(ListeningTest, CutsOffUnfinishedHandshakes) {
  make_certificate("a");
  options_.tls_certificate = folder_ + "/a.crt";
  options_.tls_key = folder_ + "/a.key";
  options_.timeouts.head = 30ms;
  start();
  TestClient client = connect();
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace tavola::http

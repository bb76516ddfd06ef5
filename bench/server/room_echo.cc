// The echo of server_echo on our own server: the cost of http/ itself.
//
//   server_room_echo PORT THREADS     prints the port (0: one that is free) and serves until SIGTERM or SIGINT
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "http/server.h"

int main(int argc, char** argv) {
  using namespace tavola::http;
  if (argc != 3) {
    std::fprintf(stderr, "usage: server_room_echo PORT THREADS\n");
    return 2;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);

  ServerOptions options;
  options.port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  options.threads = static_cast<unsigned>(std::atoi(argv[2]));
  auto server = Server::start(options, [](const Request& request, Reply reply) {
    reply(Response{.content_type = "application/x-amz-json-1.0", .body = std::string(request.body)});
  });
  if (!server) {
    std::fprintf(stderr, "server_room_echo: %s\n", server.error().message().c_str());
    return 1;
  }
  std::printf("%d\n", (*server)->port());
  std::fflush(stdout);
  int received = 0;
  sigwait(&signals, &received);
  (*server)->stop();
}

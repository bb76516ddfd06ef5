// A connection that receives any bytes, in any pieces: it ends, frees its memory, and the handler sees the same
// requests whether the bytes came at once or one by one.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "http/connection.h"
#include "http/sockets/test_transport.h"

namespace {

using namespace tavola::http;

// The life of one client. `step`: bytes at a time; `late`: responses come after everything was read, last one
// first.
std::vector<std::string> serve(std::string_view bytes, std::size_t step, bool late) {
  std::vector<std::string> seen;
  std::vector<Reply> replies;
  ServerOptions options;
  options.web = {.allowed_hosts = {"a"}, .own_pages_only = "/p"};
  options.limits = {.body_bytes = 4096, .head_bytes = 1024, .head_fields = 16, .memory_bytes = 16384};
  const auto shared = std::make_shared<Shared>(options, [&](const Request& request, Reply reply) {
    seen.push_back(std::string(request.method) + " " + std::string(request.path) + "?" +
                   std::string(request.query) + " " + std::string(request.body));
    for (const Header& header : request.headers) seen.back().append(header.name).append(header.value);
    if (late) {
      replies.push_back(std::move(reply));
    } else {
      reply(Response{.body = std::string(request.body)});
    }
  });
  // A response admits further requests, so there may be new Replies after each.
  const auto answer_all = [&] {
    while (!replies.empty()) {
      Reply reply = std::move(replies.back());
      replies.pop_back();
      reply(Response{});
    }
  };
  const auto worker = std::make_shared<Worker>(shared);
  const Worker::OnThisThread mine(*worker);
  Line line;
  {
    auto connection = std::make_shared<Connection>(worker, "fuzz");
    Connection& client = *connection;
    worker->add(std::move(connection), std::make_unique<FakeTransport>(line));
    while (!bytes.empty() && !line.wants.empty()) {
      const std::span<char> into = std::exchange(line.wants, {});
      const std::size_t count = std::min({into.size(), bytes.size(), step});
      std::ranges::copy(bytes.substr(0, count), into.begin());
      bytes.remove_prefix(count);
      client.on_read(count);
      if (line.wants.empty()) answer_all();
    }
    answer_all();
    if (shared->connections != 0) {
      client.close();
      if (shared->connections != 0 && !line.wants.empty()) client.on_read_failed();
    }
  }
  TAVOLA_ASSERT(shared->connections == 0);
  TAVOLA_ASSERT(shared->budget.used() == 0);
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = data[0] % 64 + 1;
  const bool late = data[0] >= 128;
  const auto whole = serve(bytes, bytes.size(), late);
  const auto in_pieces = serve(bytes, step, late);
  TAVOLA_ASSERT(whole == in_pieces);
  return 0;
}

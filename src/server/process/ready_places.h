// `--ready-fd` and `--ready-file` report when the server answers requests, and where, as a line of JSON:
//
//   {"endpoint":"http://127.0.0.1:43117","port":43117,"console":"http://127.0.0.1:8001","region":"local","pid":4711,
//    "data":"/home/anna/tavola-data"}
//
// Without TCP `endpoint` is the Unix socket and `port` is missing; `console`, `buckets`, `data` and `upstream` are missing where there are none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tavola/error.h>

namespace tavola::server {

struct ReadyPlaces {
  std::optional<int> descriptor{};
  std::string file{};  // empty: none
};

struct ReadyServer {
  std::string endpoint{};
  std::uint16_t port = 0;  // 0: it does not listen on TCP
  std::string console{};
  std::string buckets{};
  std::string region{};
  std::string data{};
  std::string upstream{};
};
// Returns the line without its end.
std::string ready_line(const ReadyServer& server);

// Fails if the descriptor is not open. Removes the file, which an earlier server may have left.
Result<void> prepare(const ReadyPlaces& places);

// Writes the line to both places. The descriptor is closed then, unless it is one of the standard ones; the file appears complete.
Result<void> tell_ready(const ReadyPlaces& places, const ReadyServer& server);

// Removes the file: nobody answers any more.
void forget_ready(const ReadyPlaces& places);

}  // namespace tavola::server

// `tavola console`: the web console of a database that is elsewhere, Tavola's or Amazon's. It stores nothing and serves nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "http/pages/assets.h"
#include "server/log/log.h"

namespace tavola::server {

struct RemoteConsoleOptions {
  std::string endpoint{};                        // a URL, or aws:REGION
  std::optional<std::uint16_t> port{};           // console_server.h; nothing: the usual one, or a free one
  bool read_only = false;                        // it changes nothing
  std::span<const http::Asset> console_pages{};  // in the program; empty: it was built without them
  LogFormat log_format = LogFormat::Text;
  bool colored_log = false;
  bool quiet = false;  // no banner
};

// Serves on this machine alone: everybody who opens the console uses the credentials of its user. Returns the program's exit code: 0 after
// a signal to stop, 1 when it could not start.
int serve_console(const RemoteConsoleOptions& options);

}  // namespace tavola::server

// `tavola health` and `tavola env`: what tests, containers and shells ask about a server.
#pragma once

#include <string>

#include "cli/design_commands.h"

namespace tavola::cli {

// The server that clients of AWS are pointed to by their variables, or the usual one.
std::string default_endpoint();

struct HealthOptions {
  std::string endpoint{};  // empty: default_endpoint()
};
// The exit code is 0 if the server is healthy, otherwise 1.
Output run(const HealthOptions& options);

struct EnvOptions {
  std::string shell{};  // "sh", "fish" or "powershell"; empty: that of $SHELL
  std::string endpoint{};
  std::string region = "local";
  std::string access_key = "local";
};
Output run(const EnvOptions& options);

}  // namespace tavola::cli

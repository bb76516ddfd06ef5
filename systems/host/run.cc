#include "systems/host/run.h"

#include <algorithm>
#include <cstdio>

namespace tavola::systems {

bool tell_about(const Program& program, std::span<const std::string> arguments,
                std::span<const Option> options) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(arguments, word) != arguments.end();
  };
  if (has("--help") || has("-h")) {
    std::printf(
        "%s\n%s  --help, -h            This text\n  --version             The version of the program\n",
        std::string(program.usage).c_str(), option_lines(options).c_str());
    return true;
  }
  if (!has("--version")) return false;
  std::printf("%s " TAVOLA_VERSION "\n", std::string(program.name).c_str());
  return true;
}

int refuse_command_line(const Program& program, const Error& error) {
  const std::string name(program.name);
  std::fprintf(stderr, "%s: %s\n`%s --help` lists commands and options.\n", name.c_str(),
               error.message().c_str(), name.c_str());
  constexpr int kMisused = 2;
  return kMisused;
}

int serve_until_stopped(Application& application, const HostOptions& options, const std::string& title,
                        server::StopSignals& signals, server::Log& log) {
  if (const Result<void> started = application.start(options); !started) {
    std::fprintf(stderr, "%s\n", started.error().message().c_str());
    return 1;
  }
  for (const std::string& url : application.urls()) {
    log.info("listening", {{"url", url}});
    std::printf("\n%s\n\n  open        %s\n", title.c_str(), url.c_str());
  }
  if (options.dev_login)
    std::printf("  login       --dev-login: anybody may be anybody, on this machine only\n");
  if (!options.oidc.issuer.empty()) std::printf("  login       %s\n", options.oidc.issuer.c_str());
  std::printf("\nStop with Ctrl-C.\n\n");
  std::fflush(stdout);
  signals.wait();
  log.info("stopping");
  application.stop();
  return 0;
}

}  // namespace tavola::systems

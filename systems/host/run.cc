#include "systems/host/run.h"

#include <cstdio>

namespace tavola::systems {

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

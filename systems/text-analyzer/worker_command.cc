#include "systems/text-analyzer/worker_command.h"

#include <charconv>
#include <cstdio>
#include <memory>

#include "http/server.h"
#include "systems/host/system_design.h"

namespace tavola::text_analyzer {
namespace {

int cannot_work(const Error& error) {
  std::fprintf(stderr, "tavola-text-analyzer: %s\n", error.message().c_str());
  return 1;
}

Result<http::ServerOptions> metrics_address(const std::string& text) {
  http::ServerOptions server;
  server.threads = 1;
  const std::size_t colon = text.rfind(':');
  const std::string port = text.substr(colon == std::string::npos ? text.size() : colon + 1);
  const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), server.port);
  if (problem != std::errc() || end != port.data() + port.size() || colon == 0)
    return fail(Error::validation("--metrics is an address like 127.0.0.1:9100 (was " + text + ")"));
  server.host = text.substr(0, colon);
  return server;
}

http::Response answer(const http::Request& request, const http::Metrics& metrics) {
  if (request.path == "/metrics")
    return {.content_type = "text/plain; version=0.0.4", .body = metrics.text()};
  if (request.path == "/health") return {.content_type = "text/plain", .body = "ok\n"};
  return {.status = 404, .content_type = "text/plain", .body = "There are /metrics and /health.\n"};
}

// Returns null if the options name no address.
Result<std::unique_ptr<http::Server>> serve_metrics(const std::string& address, const http::Metrics& metrics,
                                                    server::Log& log) {
  if (address.empty()) return nullptr;
  TAVOLA_TRY(http::ServerOptions options, metrics_address(address));
  TAVOLA_TRY(auto server, http::Server::start(std::move(options),
                                              [&metrics](const http::Request& request, http::Reply reply) {
                                                reply(answer(request, metrics));
                                              }));
  log.info("metrics", {{"url", server->urls().front() + "/metrics"}});
  return server;
}

}  // namespace

int work(const AnalyzerOptions& options, server::Log& log, server::StopSignals& signals) {
  const auto design = systems::SystemDesign::open(
      {.text = Files::text(), .file = "text-analyzer-history.yaml", .options = options.host, .log = log});
  if (!design) return cannot_work(design.error());
  const auto files = Files::open((*design)->database());
  if (!files) return cannot_work(files.error());
  const auto bucket = S3Bucket::open(options.s3);
  if (!bucket) return cannot_work(bucket.error());
  http::Metrics metrics;
  WorkMetrics work_metrics(metrics);
  const auto server = serve_metrics(options.metrics, metrics, log);
  if (!server) return cannot_work(server.error());
  Announcements announcements(
      {.files = *files, .bucket = **bucket, .keep = options.keep_announced, .log = log});
  {
    const Worker worker({.files = *files,
                         .bucket = **bucket,
                         .announcements = announcements,
                         .options = options.work,
                         .log = log,
                         .metrics = work_metrics});
    log.info("working", {{"database", (*design)->where()}, {"uploads", options.s3.url}});
    signals.wait();
    log.info("stopping");
  }
  if (*server) (*server)->stop();
  return 0;
}

}  // namespace tavola::text_analyzer

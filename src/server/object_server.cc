#include "server/object_server.h"

#include <utility>

#include "base/clock.h"

namespace tavola::server {

Result<void> check_object_options(const ServeOptions& options) {
  if (!options.s3_port) return {};
  if (options.buckets.empty())
    return fail(Error::validation("--s3-port needs --buckets DIR, whose folders are the buckets"));
  if (options.host.empty()) {
    return fail(Error::validation("--s3-port needs a --host: S3's clients do not use Unix sockets"));
  }
  return {};
}

Result<std::unique_ptr<ObjectServer>> ObjectServer::start(const ServeOptions& options,
                                                          http::ServerOptions like, Log& log) {
  if (!options.s3_port) return nullptr;
  std::unique_ptr<ObjectServer> started(new ObjectServer());
  if (!options.credentials.empty()) {
    TAVOLA_TRY(access::Credentials keys, access::Credentials::load(options.credentials));
    started->verifier_ = std::make_unique<access::SignatureVerifier>(std::move(keys), "s3");
  }
  TAVOLA_TRY(started->store_, objects::ObjectStore::open(options.buckets, Clock::system()));
  started->service_ = std::make_unique<objects::ObjectService>(
      objects::ObjectService::Parts{.store = *started->store_,
                                    .clock = Clock::system(),
                                    .verifier = started->verifier_.get(),
                                    .region = options.region,
                                    .on_failure = [&log](std::string_view path, std::string_view why) {
                                      log.error("object request failed", {{"path", path}, {"why", why}});
                                    }});
  like.port = *options.s3_port;
  like.unix_socket.clear();
  like.web.own_pages_only.clear();
  started->service_->configure(like);
  objects::ObjectService& service = *started->service_;
  TAVOLA_TRY(started->server_, http::Server::start(std::move(like), [&service](const http::Request& request,
                                                                               http::Reply reply) {
               service.handle(request, std::move(reply));
             }));
  log.info("serving buckets", {{"url", started->url()}, {"buckets", options.buckets}});
  return started;
}

}  // namespace tavola::server

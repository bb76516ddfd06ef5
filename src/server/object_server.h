// `--s3-port`: the folders of --buckets over S3's protocol, on a port of their own. It does not depend on the database.
#pragma once

#include <memory>
#include <string>

#include <tavola/error.h>

#include "access/identity/signature.h"
#include "http/server.h"
#include "objects/object_service.h"
#include "objects/storage/object_store.h"
#include "server/log/log.h"
#include "server/serve.h"

namespace tavola::server {

// Thread safety: none, but it serves on threads of its own.
class ObjectServer {
 public:
  // Listens when it returns, as `like` does, but on --s3-port. Null without --s3-port.
  static Result<std::unique_ptr<ObjectServer>> start(const ServeOptions& options, http::ServerOptions like,
                                                     Log& log);

  std::string url() const { return server_->urls().front(); }
  // Finishes running requests.
  void stop() { server_->stop(); }

 private:
  ObjectServer() = default;
  std::unique_ptr<access::SignatureVerifier> verifier_;
  std::unique_ptr<objects::ObjectStore> store_;
  std::unique_ptr<objects::ObjectService> service_;
  std::unique_ptr<http::Server> server_;  // ends first
};

// Fails if the options of buckets do not fit each other.
Result<void> check_object_options(const ServeOptions& options);

}  // namespace tavola::server

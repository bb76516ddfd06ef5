// The certificates that servers are verified with.
#pragma once

#include <memory>
#include <string>

#include <tavola/error.h>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace tavola::remote {

// The settings of a client for TLS with any server. Thread safety: all methods.
class TrustedCertificates {
 public:
  // Loads a file of certificates in PEM. An empty path: the file SSL_CERT_FILE or the folder SSL_CERT_DIR, otherwise the machine's, which
  // distributions keep in different places. Fails with Io in words that name the file.
  static Result<TrustedCertificates> load(const std::string& bundle);

  ssl_ctx_st* native() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// Returns OpenSSL's reason for its last failure on this thread; clears all of them.
std::string openssl_reason();

}  // namespace tavola::remote

// A certificate and its key, for TLS handshakes.
#pragma once

#include <memory>
#include <string>

#include <tavola/error.h>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace tavola::http {

// Thread safety: const methods from any thread.
class TlsContext {
 public:
  // Loads PEM files; the certificate's file also contains its chain. TLS 1.2 and newer, with forward secrecy: a key
  // stolen later does not reveal earlier traffic. Fails with Io and a message that names the file: unreadable, not PEM,
  // a key with a passphrase, a key of another certificate.
  static Result<TlsContext> load(const std::string& certificate_path, const std::string& key_path);

  // Returns whether the certificate is for this name or address.
  bool is_for(const std::string& host) const;

  ssl_ctx_st* native() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace tavola::http

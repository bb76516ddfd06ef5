// A certificate and its key, ready to greet clients with.
#pragma once

#include <memory>
#include <string>

#include <tavola/error.h>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace tavola::http {

// Thread safety: const methods from any thread.
class TlsContext {
 public:
  // PEM files; the certificate's file holds its chain too. TLS 1.2 and newer, with forward secrecy: whoever
  // steals the key later cannot read what was sent before. Fails with Io and a message that names
  // the file: unreadable, not PEM, a key with a passphrase, a key of another certificate.
  static Result<TlsContext> load(const std::string& certificate_path, const std::string& key_path);

  // Whether the certificate is for this name or address.
  bool is_for(const std::string& host) const;

  ssl_ctx_st* native() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace tavola::http

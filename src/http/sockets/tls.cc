#include "http/sockets/tls.h"

#include <fstream>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string_view>
#include <utility>

namespace tavola::http {
namespace {

// Returns OpenSSL's reason for its last failure on this thread; clears all of them.
std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "unknown reason" : text;
}

Error tls_error(std::string message) { return {ErrorCode::Io, std::move(message)}; }

Result<void> check_readable(const std::string& path, std::string_view what) {
  std::ifstream file(path);
  // A directory opens, but has no first byte.
  if (file.peek() != std::ifstream::traits_type::eof()) return {};
  return fail(tls_error("cannot read the TLS " + std::string(what) + " " + path));
}

int refuse_passphrase(char*, int, int, void*) { return -1; }

// Selects HTTP/1.1; the handshake refuses a client that offers only others.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned int offered_size, void*) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, size, kHttp11, sizeof(kHttp11), offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<TlsContext> TlsContext::load(const std::string& certificate_path, const std::string& key_path) {
  TAVOLA_CHECK(check_readable(certificate_path, "certificate"));
  TAVOLA_CHECK(check_readable(key_path, "key"));
  TlsContext tls;
  tls.context_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = tls.context_.get();
  if (context == nullptr) return fail(tls_error("cannot start TLS: " + openssl_reason()));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // These are the suites of TLS 1.2; all of TLS 1.3 have forward secrecy.
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
    return fail(tls_error("TLS has no cipher suite with forward secrecy: " + openssl_reason()));
  }
  SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, refuse_passphrase);  // OpenSSL would ask on the terminal
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate_path.c_str()) != 1) {
    return fail(tls_error("the TLS certificate " + certificate_path +
                          " is not a PEM certificate: " + openssl_reason()));
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_path.c_str(), SSL_FILETYPE_PEM) != 1) {
    const unsigned long code = ERR_peek_last_error();
    if (ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH) {
      ERR_clear_error();
      return fail(
          tls_error("the TLS key " + key_path + " does not belong to the certificate " + certificate_path));
    }
    return fail(
        tls_error("the TLS key " + key_path + " is not a PEM key without passphrase: " + openssl_reason()));
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    ERR_clear_error();
    return fail(
        tls_error("the TLS key " + key_path + " does not belong to the certificate " + certificate_path));
  }
  return tls;
}

bool TlsContext::is_for(const std::string& host) const {
  X509* const certificate = SSL_CTX_get0_certificate(context_.get());
  return X509_check_host(certificate, host.data(), host.size(), 0, nullptr) == 1 ||
         X509_check_ip_asc(certificate, host.c_str(), 0) == 1;
}

}  // namespace tavola::http

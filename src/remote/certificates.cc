#include "remote/certificates.h"

#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include "remote/profile_files.h"

namespace tavola::remote {
namespace {

constexpr std::array kBundles{"/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
                              "/etc/pki/tls/certs/ca-bundle.crt",    // Fedora, Red Hat, Amazon Linux
                              "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Red Hat
                              "/etc/ssl/ca-bundle.pem",                             // SUSE
                              "/etc/ssl/cert.pem"};                                 // Alpine, OpenBSD

bool is_readable(const char* path) { return access(path, R_OK) == 0; }

Result<void> load_file(SSL_CTX* context, const std::string& path) {
  if (SSL_CTX_load_verify_file(context, path.c_str()) == 1) return {};
  return fail(
      Error(ErrorCode::Io, "cannot load the trusted certificates in " + path + ": " + openssl_reason()));
}

Result<void> load_machines(SSL_CTX* context) {
  if (const std::string file = system_variable("SSL_CERT_FILE"); !file.empty())
    return load_file(context, file);
  if (const std::string folder = system_variable("SSL_CERT_DIR"); !folder.empty()) {
    if (SSL_CTX_load_verify_dir(context, folder.c_str()) == 1) return {};
    return fail(Error(ErrorCode::Io, "cannot load the trusted certificates in the folder " + folder + ": " +
                                         openssl_reason()));
  }
  for (const char* path : kBundles) {
    if (is_readable(path)) return load_file(context, path);
  }
  return fail(
      Error(ErrorCode::Io, "this machine has no file of trusted certificates at the usual places, such as " +
                               std::string(kBundles.front()) +
                               "; install the package ca-certificates, or name a file in SSL_CERT_FILE"));
}

}  // namespace

std::string openssl_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "unknown reason" : text;
}

void TrustedCertificates::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<TrustedCertificates> TrustedCertificates::load(const std::string& bundle) {
  TrustedCertificates trusted;
  trusted.context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = trusted.context_.get();
  if (context == nullptr) return fail(Error(ErrorCode::Io, "cannot start TLS: " + openssl_reason()));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  TAVOLA_CHECK(bundle.empty() ? load_machines(context) : load_file(context, bundle));
  return trusted;
}

}  // namespace tavola::remote

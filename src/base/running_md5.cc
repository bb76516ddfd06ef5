#include "base/running_md5.h"

#include <openssl/evp.h>

#include "base/assert.h"

namespace tavola {

struct RunningMd5::Context {
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(state); }
  EVP_MD_CTX* const state = EVP_MD_CTX_new();
};

RunningMd5::RunningMd5() : context_(std::make_unique<Context>()) {
  const bool ok = context_->state != nullptr && EVP_DigestInit_ex2(context_->state, EVP_md5(), nullptr) == 1;
  TAVOLA_ASSERT(ok);
}

RunningMd5::~RunningMd5() = default;

void RunningMd5::add(std::string_view piece) {
  const bool ok = EVP_DigestUpdate(context_->state, piece.data(), piece.size()) == 1;
  TAVOLA_ASSERT(ok);
}

std::string RunningMd5::finish() {
  constexpr std::size_t kBytes = 16;
  std::string digest(kBytes, '\0');
  const bool ok =
      EVP_DigestFinal_ex(context_->state, reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  TAVOLA_ASSERT(ok);
  return digest;
}

}  // namespace tavola

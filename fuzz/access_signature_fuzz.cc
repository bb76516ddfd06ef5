// Any request is verified, any text is read as credentials, any bytes are decompressed: with a result or a refusal.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "access/identity/credentials.h"
#include "access/identity/signature.h"
#include "base/assert.h"
#include "http/bytes/compression.h"
#include "http/request_parser.h"

namespace {

using namespace tavola;
using namespace tavola::access;
using namespace tavola::http;

void verify(std::string_view bytes) {
  static const Limits limits;
  RequestParser parser(limits);
  if (parser.parse_head(bytes) != Parsed::Done) return;
  std::vector<Header> headers;
  for (const auto& field : parser.head().fields)
    headers.push_back({field.name.of(bytes), field.value.of(bytes)});
  Request request;
  const std::string_view target = parser.head().target.of(bytes);
  request.method = parser.head().method.of(bytes);
  request.path = target.substr(0, target.find('?'));
  if (target.size() > request.path.size()) request.query = target.substr(request.path.size() + 1);
  request.headers = headers;
  request.payload = request.body = bytes.substr(parser.head().size_bytes);
  static SignatureVerifier verifier(*Credentials::parse("AKIDEXAMPLE secret", "keys"));
  const WallTime now = std::chrono::sys_days(std::chrono::year(2013) / 6 / 9) + std::chrono::hours(10);
  // A signature cannot be guessed; if one is found here, the comparison is broken.
  TAVOLA_ASSERT(!verifier.verify(request, now));
  if (const auto caller = well_formed(request)) TAVOLA_ASSERT(caller->key == nullptr);
}

void read_credentials(std::string_view text) {
  const auto keys = Credentials::parse(text, "keys");
  TAVOLA_ASSERT(keys ? keys->size() > 0 : keys.error().message().starts_with("keys:"));
}

void inflate(std::string_view bytes) {
  constexpr std::size_t kLimit = 100'000;
  ByteBudget budget(kLimit * 2);
  BudgetShare share(budget);
  std::string out;
  if (decompress(bytes, out, kLimit, share) == Decompressed::Done) TAVOLA_ASSERT(out.size() <= kLimit);
  preferred_coding(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  verify(bytes);
  read_credentials(bytes);
  inflate(bytes);
  return 0;
}

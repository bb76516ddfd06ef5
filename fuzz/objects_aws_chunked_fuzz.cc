// The chunks of an upload: the same data, however the bytes are divided.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "objects/codec/aws_chunked.h"

namespace {

using namespace tavola;
using namespace tavola::objects;

class Recorded final : public ChunkEvents {
 public:
  Result<void> on_data(std::string_view piece) override {
    data += piece;
    return {};
  }
  Result<void> on_chunk_end(std::string_view signature) override {
    events.append("|").append(signature).append("@").append(std::to_string(data.size()));
    return {};
  }
  Result<void> on_trailer(std::string_view name, std::string_view value) override {
    events.append("~").append(name).append("=").append(value);
    return {};
  }
  std::string data;
  std::string events;
};

std::string read(std::string_view bytes, std::size_t step) {
  AwsChunkedReader reader;
  Recorded recorded;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    if (!reader.take(piece, recorded)) return "refused " + recorded.data;
  }
  return std::to_string(static_cast<int>(reader.is_complete())) + recorded.events + " " + recorded.data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  TAVOLA_ASSERT(read(bytes, bytes.size()) == read(bytes, data[0] % 16U + 1));
  return 0;
}

// Any bytes are a change record, or are refused; any text is a position in a shard that is written identically, or
// none.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "engine/streams/shard_iterator.h"
#include "engine/write/change_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  using namespace tavola::engine;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto change = decode_change(bytes)) static_cast<void>(change->item().unpack());
  if (const auto iterator = parse_shard_iterator(bytes))
    TAVOLA_ASSERT(parse_shard_iterator(to_text(*iterator)) == iterator);
  if (const auto number = parse_sequence_number(bytes)) TAVOLA_ASSERT(sequence_number(*number) == bytes);
  return 0;
}

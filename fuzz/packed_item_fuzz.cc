// check_packed: any bytes are refused, or equal the output of pack() for their item.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tavola/packed.h>

#include "base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!check_packed(bytes)) return 0;
  const ItemView view(bytes);
  const Item item = view.unpack();
  const Result<PackedItem> packed = pack(item);
  TAVOLA_ASSERT(packed.has_value() && packed->bytes() == bytes);
  TAVOLA_ASSERT(item_size(view) >= item.size());  // every name has at least one byte
  for (const auto& [name, value] : item) TAVOLA_ASSERT(view.find(name).has_value());
  (void)to_json(item);
  return 0;
}

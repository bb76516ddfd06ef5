// Key parts: the first byte chooses the type, the rest is read as parts of that type. A part encodes to the
// bytes it was read from.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "value/key_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  if (size == 0) return 0;
  constexpr Type kKeyTypes[] = {Type::String, Type::Number, Type::Binary};
  const Type type = kKeyTypes[data[0] % 3];
  std::string_view in(reinterpret_cast<const char*>(data + 1), size - 1);
  while (!in.empty()) {
    const std::string_view before = in;
    ItemWriter writer;
    writer.name("v");
    if (!read_key_part(in, type, writer)) return 0;
    const PackedItem item = std::move(writer).finish();
    std::string again;
    const auto part = item.find("v");
    TAVOLA_ASSERT(part.has_value());
    append_key_part(again, *part);
    TAVOLA_ASSERT(again == before.substr(0, before.size() - in.size()));
    std::string_view skipped = before;
    TAVOLA_ASSERT(skip_key_part(skipped, type).has_value() && skipped == in);
  }
  return 0;
}

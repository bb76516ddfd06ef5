// Number::parse: any text is refused with an error or becomes a number whose canonical text and ordered bytes
// read back as the same number.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tavola/number.h>

#include "base/assert.h"
#include "value/key_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tavola;
  const Result<Number> number = Number::parse({reinterpret_cast<const char*>(data), size});
  if (!number) return 0;
  const Result<Number> again = Number::parse(number->to_string());
  TAVOLA_ASSERT(again.has_value() && *again == *number);
  std::string bytes;
  append_ordered_number(bytes, *number);
  std::string_view in = bytes;
  const Result<Number> decoded = read_ordered_number(in);
  TAVOLA_ASSERT(decoded.has_value() && *decoded == *number && in.empty());
  if (const Result<Number> twice = *number + *number) {
    const Result<Number> back = *twice - *number;
    TAVOLA_ASSERT(back.has_value() && *back == *number);
  }
  return 0;
}

// Any bytes are a file of lines or of CSV: items, each on its line, or reported mistakes; and written items are read
// back. The first byte chooses the format and the compression.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "transfer/formats/byte_stream.h"
#include "transfer/formats/item_reader.h"
#include "transfer/formats/item_text.h"

using namespace tavola;
using namespace tavola::transfer;

namespace {

void check_comes_back(const PackedItem& item) {
  std::string line;
  append_line(line, item.view());
  const Result<PackedItem> again = item_of_line(line);
  TAVOLA_ASSERT(again && *again == item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr Compression kCompressions[] = {Compression::None, Compression::None, Compression::Gzip,
                                           Compression::Zstd};
  constexpr std::string_view kDelimiters = ",;:|\t ";
  const unsigned choice = data[0];
  const transfer::ReadOptions options{.format = choice % 2 == 0 ? Format::Lines : Format::Csv,
                                      .csv = {.delimiter = std::string(1, kDelimiters[choice / 8 % 6])},
                                      .definitions = {{"n", Type::Number}, {"b", Type::Binary}}};
  auto reader = read_items(source_of(bytes, kCompressions[choice / 2 % 4]), options);
  if (!reader) {
    TAVOLA_ASSERT(!reader.error().message().empty());
    return 0;
  }
  for (std::uint64_t line = 0;;) {
    const auto next = (*reader)->next();
    if (!next) return 0;
    const auto& record = *next;
    if (!record) return 0;
    TAVOLA_ASSERT(record->line > line);
    line = record->line;
    if (record->item) {
      check_comes_back(*record->item);
    } else {
      TAVOLA_ASSERT(!record->item.error().message().empty());
    }
  }
}

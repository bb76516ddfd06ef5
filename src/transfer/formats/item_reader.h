// Items from a file, one at a time.
//
//   TAVOLA_TRY(auto source, open_source("orders.csv.gz", Compression::Gzip));
//   TAVOLA_TRY(auto reader, read_items(std::move(source), {.format = Format::Csv, .definitions = …}));
//   for (;;) {
//     TAVOLA_TRY(auto record, reader->next());
//     if (!record) break;
//     ...record->item, or what is wrong with it, and its line
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/exports.h>
#include <tavola/packed.h>

#include "transfer/formats/byte_stream.h"
#include "transfer/formats/file_kind.h"
#include "transfer/formats/text_buffer.h"

namespace tavola::transfer {

// One item of a file. A wrong record does not affect the next.
struct Record {
  std::uint64_t line = 0;  // its first line, counted from 1
  Result<PackedItem> item;
  bool is_readable = true;  // it has the form of the file, whatever its values
};

// Thread safety: none; one thread at a time.
class ItemReader {
 public:
  virtual ~ItemReader() = default;
  // Returns nullopt at the end. Fails as the source does: then nothing more can be read.
  virtual Result<std::optional<Record>> next() = 0;
  // Skips that many, or to the end.
  virtual Result<void> skip(std::uint64_t records) = 0;
  virtual std::uint64_t text_bytes() const = 0;  // read so far, after decompression
  virtual std::uint64_t file_bytes() const = 0;  // of the file itself
};

// Whether an item must be a member "Item" of its line, as AWS demands, or may be the line itself.
enum class Wrapping : std::uint8_t { Optional, Needed };

// Makes the item of a JSON object.
using ItemOfObject = std::function<Result<PackedItem>(std::string_view object)>;

struct ReadOptions {
  Format format = Format::Lines;
  CsvOptions csv{};
  std::vector<AttributeDefinition> definitions{};  // key types, for the columns in CSV
  std::vector<KeySchemaElement> keys{};            // columns that a CSV must have
  std::string table_name{};                        // Workbench: the table of the sample data
  Wrapping wrapping = Wrapping::Optional;          // for lines
  ItemOfObject
      to_item{};  // for lines that are not DynamoDB JSON, and for the elements of a JSON array; empty: neither is read
};

// The maximum size of a record; any item is far smaller.
inline constexpr std::size_t kRecordBytesMax = std::size_t{8} * 1024 * 1024;

// Fails with Validation if the beginning of the source, or a model as a whole, is invalid.
Result<std::unique_ptr<ItemReader>> read_items(std::unique_ptr<ByteSource> source,
                                               const ReadOptions& options);

// line_reader.cc, array_reader.cc and csv_reader.cc; the last fails with Validation if the header is none.
std::unique_ptr<ItemReader> new_line_reader(TextBuffer text, const ReadOptions& options);
std::unique_ptr<ItemReader> new_array_reader(TextBuffer text, ItemOfObject to_item);
Result<std::unique_ptr<ItemReader>> new_csv_reader(std::unique_ptr<ByteSource> source,
                                                   const ReadOptions& options);

// One item in DynamoDB JSON: {"Item": {…}}, or the bare item.
Result<PackedItem> item_of_line(std::string_view line, Wrapping wrapping = Wrapping::Optional);

}  // namespace tavola::transfer

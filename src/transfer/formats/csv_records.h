// CSV: fields between delimiters, records between ends of lines. A field in double quotes may hold delimiters, ends of lines and,
// written twice, double quotes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tavola/error.h>

#include "transfer/formats/byte_stream.h"
#include "transfer/formats/text_buffer.h"

namespace tavola::transfer {

// Maximum fields per record. A line with more is a run of delimiters, not data.
inline constexpr std::size_t kCsvFieldsMax = 10'000;

struct CsvField {
  std::string text{};
  bool is_quoted = false;
  friend bool operator==(const CsvField&, const CsvField&) = default;
};

struct CsvRecord {
  std::uint64_t line = 0;
  std::vector<CsvField> fields{};
  std::string wrong{};  // not empty: the record is invalid; the next line begins another
};

class CsvRecords {
 public:
  CsvRecords(std::unique_ptr<ByteSource> source, char delimiter)
      : text_(std::move(source)), delimiter_(delimiter) {}

  // Returns the next record that is not a blank line; nullopt at the end.
  Result<std::optional<CsvRecord>> next();

  std::uint64_t taken_bytes() const { return text_.taken_bytes(); }
  std::uint64_t file_bytes() const { return text_.file_bytes(); }

 private:
  Result<std::optional<CsvRecord>> any_record();
  // Takes the next character; returns nullopt at the end.
  Result<std::optional<char>> take();
  Result<std::optional<char>> peek();
  // Reads one field and takes the character after it, which is returned: the delimiter, '\n', or nullopt at
  // the end.
  Result<std::optional<char>> read_field(CsvRecord& record);
  Result<void> read_quoted(CsvRecord& record, CsvField& field);
  Result<void> pass_line();

  TextBuffer text_;
  const char delimiter_;
  std::uint64_t line_ = 1;
  std::size_t bytes_ = 0;  // of the record so far
};

// Appends a field, in quotes if necessary; an empty text is "", to differ from a missing field.
void append_csv_field(std::string& out, std::string_view text, char delimiter);

}  // namespace tavola::transfer

#include "transfer/formats/csv_records.h"

#include <algorithm>

#include "transfer/formats/item_reader.h"

namespace tavola::transfer {

Result<std::optional<char>> CsvRecords::peek() {
  while (text_.text().empty()) {
    TAVOLA_TRY(const bool is_more, text_.more());
    if (!is_more && text_.text().empty()) return std::optional<char>();
  }
  return std::optional(text_.text().front());
}

Result<std::optional<char>> CsvRecords::take() {
  TAVOLA_TRY(std::optional<char> next, peek());
  if (!next) return next;
  text_.take(1);
  ++bytes_;
  if (*next == '\n') ++line_;
  return next;
}

Result<void> CsvRecords::pass_line() {
  for (;;) {
    TAVOLA_TRY(const auto next, take());
    if (!next || *next == '\n') return {};
  }
}

// Reads from after the first quote to after the last.
Result<void> CsvRecords::read_quoted(CsvRecord& record, CsvField& field) {
  for (;;) {
    if (bytes_ > kRecordBytesMax) {
      record.wrong = "the record is longer than any item; perhaps a double quote is not closed";
      return {};
    }
    TAVOLA_TRY(const auto next, take());
    if (!next) {
      record.wrong = "a double quote is not closed before the end of the file";
      return {};
    }
    if (*next != '"') {
      field.text += *next;
      continue;
    }
    TAVOLA_TRY(const auto after, peek());
    if (after != '"') return {};
    TAVOLA_CHECK(take());
    field.text += '"';
  }
}

Result<std::optional<char>> CsvRecords::read_field(CsvRecord& record) {
  CsvField& field = record.fields.emplace_back();
  TAVOLA_TRY(const auto first, peek());
  if (first == '"') {
    TAVOLA_CHECK(take());
    field.is_quoted = true;
    TAVOLA_CHECK(read_quoted(record, field));
    if (!record.wrong.empty()) return std::optional<char>();
  }
  for (;;) {
    TAVOLA_TRY(auto next, take());
    if (next == '\r') {  // the end of a line may be written as "\r\n"
      TAVOLA_TRY(const auto after, peek());
      if (after == '\n') {
        TAVOLA_TRY(next, take());
      }
    }
    if (!next || *next == '\n' || *next == delimiter_) return next;
    if (field.is_quoted || *next == '"') {
      record.wrong =
          "a field contains a double quote; write it twice, and the field in double quotes: \"a "
          "\"\"b\"\"\"";
      TAVOLA_CHECK(pass_line());
      return std::optional<char>();
    }
    if (bytes_ > kRecordBytesMax) {
      record.wrong = "the record is longer than any item; each line must be one item";
      TAVOLA_CHECK(pass_line());
      return std::optional<char>();
    }
    field.text += *next;
  }
}

Result<std::optional<CsvRecord>> CsvRecords::any_record() {
  bytes_ = 0;
  TAVOLA_TRY(const auto first, peek());
  if (!first) return std::optional<CsvRecord>();
  CsvRecord record{.line = line_};
  std::optional<char> behind;
  do {
    if (record.fields.size() == kCsvFieldsMax) {
      record.wrong = "the record has more than 10,000 fields; check the delimiter";
      TAVOLA_CHECK(pass_line());
      break;
    }
    TAVOLA_TRY(behind, read_field(record));
  } while (behind && *behind == delimiter_ && record.wrong.empty());
  return std::optional(std::move(record));
}

Result<std::optional<CsvRecord>> CsvRecords::next() {
  for (;;) {
    TAVOLA_TRY(auto record, any_record());
    if (!record || !record->wrong.empty() || record->fields.size() > 1) return record;
    const CsvField& only = record->fields.front();
    if (only.is_quoted || only.text.find_first_not_of(" \t\r") != std::string::npos) return record;
  }
}

void append_csv_field(std::string& out, std::string_view text, char delimiter) {
  const bool is_plain = !text.empty() && text.find_first_of("\"\r\n") == std::string_view::npos &&
                        text.find(delimiter) == std::string_view::npos && text.front() != ' ' &&
                        text.front() != '\t';
  if (is_plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace tavola::transfer

// Lines of DynamoDB JSON. Lines of blanks are skipped, as on AWS.
#include <algorithm>

#include "transfer/formats/item_reader.h"
#include "transfer/formats/text_buffer.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/json.h"

namespace tavola::transfer {
namespace {

using wire::JsonType;
using wire::JsonValue;

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// {"Item": {…}} contains an item. The bare item {"Item": {"S": "x"}} has an attribute of that name, whose members are
// not objects: the only attribute of an item is its key, which is not a map.
JsonValue inside(JsonValue root) {
  const auto item = root.size() == 1 ? root.find("Item") : std::nullopt;
  if (!item || item->type() != JsonType::Object) return root;
  const bool is_wrapped = std::ranges::all_of(
      item->members(), [](const auto& member) { return member.second.type() == JsonType::Object; });
  return is_wrapped ? *item : root;
}

class LineReader final : public ItemReader {
 public:
  LineReader(TextBuffer text, const ReadOptions& options)
      : text_(std::move(text)), wrapping_(options.wrapping), to_item_(options.to_item) {}

  Result<std::optional<Record>> next() override {
    TAVOLA_TRY(const auto line, next_line());
    if (!line) return std::optional<Record>();
    if (is_too_long_) {
      return std::optional(Record{
          .line = number_,
          .item = fail(Error::validation("the line is longer than any item; each line must be one item")),
          .is_readable = false});
    }
    Record record{.line = number_, .item = item_of_line(*line, wrapping_)};
    if (to_item_ && !record.item && record.item.error().code() == ErrorCode::Serialization)
      record.item = to_item_(*line);
    record.is_readable = record.item || record.item.error().code() != ErrorCode::Serialization;
    return std::optional(std::move(record));
  }

  Result<void> skip(std::uint64_t records) override {
    for (; records > 0; --records) {
      TAVOLA_TRY(const auto line, next_line());
      if (!line) break;
    }
    return {};
  }

  std::uint64_t text_bytes() const override { return text_.taken_bytes() + taken_soon_; }
  std::uint64_t file_bytes() const override { return text_.file_bytes(); }

 private:
  // Returns the next line that is not blank.
  Result<std::optional<std::string_view>> next_line() {
    for (;;) {
      TAVOLA_TRY(const auto line, any_line());
      if (!line || is_too_long_ || !is_blank(*line)) return line;
    }
  }

  // Valid until the next call. For a line that is too long only its position is known.
  Result<std::optional<std::string_view>> any_line() {
    text_.take(std::exchange(taken_soon_, 0));
    is_too_long_ = false;
    for (std::size_t looked_at = 0;;) {
      const std::string_view text = text_.text();
      const std::size_t end = text.find('\n', looked_at);
      if (end != std::string_view::npos) {
        ++number_;
        taken_soon_ = end + 1;
        return std::optional(text.substr(0, end));
      }
      looked_at = text.size();
      if (text.size() > kRecordBytesMax) {
        is_too_long_ = true;
        text_.take(text.size());
        looked_at = 0;
      }
      TAVOLA_TRY(const bool is_more, text_.more());
      if (is_more) continue;
      if (text_.text().empty() && !is_too_long_) return std::optional<std::string_view>();
      ++number_;
      taken_soon_ = text_.text().size();
      return std::optional(text_.text());
    }
  }

  TextBuffer text_;
  const Wrapping wrapping_;
  const ItemOfObject to_item_;
  std::size_t taken_soon_ = 0;  // the line returned last
  std::uint64_t number_ = 0;
  bool is_too_long_ = false;
};

}  // namespace

Result<PackedItem> item_of_line(std::string_view line, Wrapping wrapping) {
  const auto document = wire::JsonDocument::parse(line);
  if (!document || document->root().type() != JsonType::Object) {
    return fail(Error(ErrorCode::Serialization,
                      "the line is not an item in DynamoDB JSON, like {\"Item\": {\"PK\": {\"S\": \"x\"}}}"));
  }
  std::optional<JsonValue> found = inside(document->root());
  if (wrapping == Wrapping::Needed) found = document->root().find("Item");
  if (!found || found->type() != JsonType::Object) {
    return fail(Error(
        ErrorCode::Serialization,
        "the line has no member Item; an import accepts {\"Item\": {\"PK\": {\"S\": \"x\"}}} only, as on "
        "AWS (`tavola load` accepts bare items, too)"));
  }
  wire::Problems problems;
  PackedItem item = wire::read_item(*found, problems);
  if (const Result<void> good = problems.check(); !good) {
    // An error about the JSON type of a member does not help the author of a file.
    if (good.error().code() != ErrorCode::Serialization) return fail(good.error());
    return fail(Error(
        ErrorCode::Serialization,
        "a value is not in DynamoDB JSON, like {\"S\": \"x\"} or {\"N\": \"1\"}: " + good.error().message()));
  }
  return item;
}

std::unique_ptr<ItemReader> new_line_reader(TextBuffer text, const ReadOptions& options) {
  return std::make_unique<LineReader>(std::move(text), options);
}

}  // namespace tavola::transfer

// A JSON array of objects, on one line or many.
#include "transfer/formats/item_reader.h"
#include "transfer/formats/text_buffer.h"

namespace tavola::transfer {
namespace {

class ArrayReader final : public ItemReader {
 public:
  ArrayReader(TextBuffer text, ItemOfObject to_item) : text_(std::move(text)), to_item_(std::move(to_item)) {}

  Result<std::optional<Record>> next() override {
    TAVOLA_TRY(const bool is_there, find_object());
    if (!is_there) return std::optional<Record>();
    if (!wrong_.empty()) {
      return std::optional(
          Record{.line = line_, .item = fail(Error::validation(wrong_)), .is_readable = false});
    }
    return std::optional(Record{.line = line_, .item = to_item_(text_.text().substr(0, size_))});
  }

  Result<void> skip(std::uint64_t records) override {
    for (; records > 0; --records) {
      TAVOLA_TRY(const bool is_there, find_object());
      if (!is_there) break;
    }
    return {};
  }

  std::uint64_t text_bytes() const override { return text_.taken_bytes() + size_; }
  std::uint64_t file_bytes() const override { return text_.file_bytes(); }

 private:
  // Finds the next object: it is the first `size_` bytes of the text. Returns false at the end. If there is something else, `wrong_`
  // says so, and nothing follows.
  Result<bool> find_object() {
    take(size_);
    size_ = 0;
    if (!wrong_.empty()) return false;
    for (;;) {
      TAVOLA_TRY(const bool is_more, has_byte(0));
      if (!is_more) return false;
      const char c = text_.text().front();
      if (c == '{') return measure_object();
      constexpr std::string_view kBetween = " \t\r\n,]";
      const bool begins = c == '[' && !is_begun_;
      if (!begins && !kBetween.contains(c)) return is_wrong("expected an object like {\"name\": \"value\"}");
      is_begun_ = is_begun_ || begins;
      take(1);
    }
  }

  // Looks for the brace that closes the object. What is between them is checked when it is parsed.
  Result<bool> measure_object() {
    int depth = 0;
    bool in_text = false;
    for (std::size_t at = 0;; ++at) {
      if (at > kRecordBytesMax) return is_wrong("the object is larger than any item");
      TAVOLA_TRY(const bool is_more, has_byte(at));
      if (!is_more) return is_wrong("the object does not end");
      const char c = text_.text()[at];
      if (in_text && c == '\\') {
        ++at;
      } else if (c == '"') {
        in_text = !in_text;
      } else if (!in_text && c == '{') {
        ++depth;
      } else if (!in_text && c == '}' && --depth == 0) {
        size_ = at + 1;
        return true;
      }
    }
  }

  Result<bool> has_byte(std::size_t at) {
    while (text_.text().size() <= at) {
      TAVOLA_TRY(const bool is_more, text_.more());
      if (!is_more) return false;
    }
    return true;
  }

  bool is_wrong(std::string what) {
    wrong_ = std::move(what);
    return true;
  }

  void take(std::size_t bytes) {
    for (const char c : text_.text().substr(0, bytes)) line_ += c == '\n' ? 1 : 0;
    text_.take(bytes);
  }

  TextBuffer text_;
  const ItemOfObject to_item_;
  std::size_t size_ = 0;  // of the object that was returned last
  std::uint64_t line_ = 1;
  bool is_begun_ = false;
  std::string wrong_;
};

}  // namespace

std::unique_ptr<ItemReader> new_array_reader(TextBuffer text, ItemOfObject to_item) {
  return std::make_unique<ArrayReader>(std::move(text), std::move(to_item));
}

}  // namespace tavola::transfer

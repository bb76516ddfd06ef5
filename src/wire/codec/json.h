// A read-only view of a parsed JSON document. A thread reuses its parser (simdjson), so only its first
// document allocates.
//
//   TAVOLA_TRY(const JsonDocument document, JsonDocument::parse(body));
//   for (const auto& [name, value] : document.root().members()) ...
//
// Views of a document end with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/error.h>

namespace tavola::wire {

enum class JsonType : std::uint8_t { Null, Bool, Integer, Decimal, String, List, Object };

class JsonValue {
 public:
  JsonType type() const;
  bool is_null() const { return type() == JsonType::Null; }

  // Each requires its own type.
  bool boolean() const;
  std::string_view text() const;
  std::size_t size() const;  // for a list or an object
  std::vector<JsonValue> elements() const;
  // In the order of the text. The last of several members with the same name counts: find() returns it, and
  // distinct_members() omits the others.
  std::vector<std::pair<std::string_view, JsonValue>> members() const;
  std::vector<std::pair<std::string_view, JsonValue>> distinct_members() const;
  std::optional<JsonValue> find(std::string_view name) const;

  // For Integer and Decimal: truncated towards zero and clamped to the range.
  std::int64_t integer() const;

  std::string to_text() const;  // any type, as JSON without blanks

 private:
  friend class JsonDocument;
  friend struct JsonAccess;
  std::array<std::byte, 16> handle_;  // a simdjson element, whose header stays in json.cc
};

class JsonDocument {
 public:
  // Fails with Serialization if the text is not one JSON value in UTF-8, with Internal if there is not enough memory.
  static Result<JsonDocument> parse(std::string_view text);

  JsonDocument(JsonDocument&& other) noexcept
      : root_(other.root_), parser_(std::exchange(other.parser_, nullptr)) {}
  JsonDocument& operator=(JsonDocument&&) = delete;
  ~JsonDocument();

  JsonValue root() const { return root_; }

 private:
  JsonDocument(JsonValue root, void* parser) : root_(root), parser_(parser) {}
  JsonValue root_;
  void* parser_;  // owned: a simdjson parser, which holds what root_ refers to
};

}  // namespace tavola::wire

// The question that a lens is asked: a JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/error.h>
#include <tavola/value.h>

#include "json/reader.h"

namespace tavola::lens {

// Errors are Validation and name the member.
class Question {
 public:
  // An empty text asks as {} does. Fails if the text is not an object, or has a member that is not in `members`, a list of names with blanks
  // between them.
  static Result<Question> parse(std::string_view text, std::string_view members);

  bool has(std::string_view name) const;  // a null counts as missing
  // Returns a text; empty if it is missing.
  Result<std::string> text(std::string_view name) const;
  Result<std::string> needed_text(std::string_view name) const;
  // Returns an integer from 1 to `most`; `otherwise` if it is missing.
  Result<std::int64_t> count(std::string_view name, std::int64_t otherwise, std::int64_t most) const;
  Result<bool> is_set(std::string_view name) const;  // false if it is missing

  // A value, an item or a key, and a list of items, in DynamoDB JSON.
  Result<Value> needed_value(std::string_view name) const;
  Result<std::optional<Item>> item(std::string_view name) const;
  Result<Item> needed_item(std::string_view name) const;
  Result<std::vector<Item>> items(std::string_view name, std::size_t most) const;

  // Returns an object of plain JSON, as parameters are given under /v1; empty if it is missing.
  Result<Item> parameters(std::string_view name) const;

 private:
  Question(std::string text, json::Node root) : text_(std::move(text)), root_(std::move(root)) {}
  const json::Node* find(std::string_view name) const;
  std::string_view text_of(const json::Node& node) const;

  std::string text_;
  json::Node root_;
};

}  // namespace tavola::lens

#include "lens/question.h"

#include <ranges>

#include <tavola/packed.h>

#include "design/model/plain_json.h"
#include "wire/codec/attribute_values.h"
#include "wire/codec/json.h"

namespace tavola::lens {
namespace {

Error wrong(std::string_view name, std::string_view what) {
  return Error::validation(std::string(name) + " " + std::string(what));
}

constexpr std::string_view kNoItem = "must be an item in DynamoDB JSON, like {\"PK\": {\"S\": \"x\"}}";

Result<Item> read_item(std::string_view name, std::string_view text) {
  const auto document = wire::JsonDocument::parse(text);
  if (!document || document->root().type() != wire::JsonType::Object) return fail(wrong(name, kNoItem));
  wire::Problems problems;
  const PackedItem item = wire::read_item(document->root(), problems);
  if (const Result<void> good = problems.check(); !good) {
    return fail(wrong(name, std::string(kNoItem) + ": " + good.error().message()));
  }
  return item.unpack();
}

bool has_word(std::string_view words, std::string_view word) {
  return std::ranges::any_of(words | std::views::split(' '),
                             [&](auto&& one) { return std::string_view(one.begin(), one.end()) == word; });
}

}  // namespace

Result<Question> Question::parse(std::string_view text, std::string_view members) {
  std::string whole(text.empty() ? "{}" : text);
  auto root = json::parse(whole);
  if (!root) {
    return fail(Error::validation("the question is not JSON " + json::position_of(whole, root.error().at) +
                                  ": " + root.error().what));
  }
  if (!root->is_object()) return fail(Error::validation("the question must be a JSON object"));
  for (const auto& [name, value] : root->members) {
    if (has_word(members, name)) continue;
    return fail(
        Error::validation("the question has no member `" + name + "`; it may have: " + std::string(members)));
  }
  return Question(std::move(whole), *std::move(root));
}

const json::Node* Question::find(std::string_view name) const {
  const json::Node* const node = root_.find(name);
  return node == nullptr || node->kind == json::Node::Kind::Null ? nullptr : node;
}

std::string_view Question::text_of(const json::Node& node) const {
  return std::string_view(text_).substr(node.begin, node.end - node.begin);
}

bool Question::has(std::string_view name) const { return find(name) != nullptr; }

Result<std::string> Question::text(std::string_view name) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return std::string();
  if (!node->is_text()) return fail(wrong(name, "must be a text"));
  return node->text;
}

Result<std::string> Question::needed_text(std::string_view name) const {
  TAVOLA_TRY(std::string found, text(name));
  if (found.empty()) return fail(wrong(name, "is required"));
  return found;
}

Result<std::int64_t> Question::count(std::string_view name, std::int64_t otherwise, std::int64_t most) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return otherwise;
  const auto number =
      node->kind == json::Node::Kind::Number ? Number::parse(node->text) : fail(Error::validation(""));
  const auto integer = number ? number->to_int64() : std::nullopt;
  if (!integer || *integer < 1 || *integer > most)
    return fail(wrong(name, "must be an integer from 1 to " + std::to_string(most)));
  return *integer;
}

Result<bool> Question::is_set(std::string_view name) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return false;
  if (node->kind != json::Node::Kind::Boolean) return fail(wrong(name, "must be true or false"));
  return node->text == "true";
}

Result<Value> Question::needed_value(std::string_view name) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return fail(wrong(name, "is required"));
  TAVOLA_TRY(Item item, read_item(name, "{\"value\":" + std::string(text_of(*node)) + "}"));
  return std::move(item.at("value"));
}

Result<std::optional<Item>> Question::item(std::string_view name) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return std::nullopt;
  TAVOLA_TRY(Item found, read_item(name, text_of(*node)));
  return std::optional(std::move(found));
}

Result<Item> Question::needed_item(std::string_view name) const {
  TAVOLA_TRY(std::optional<Item> found, item(name));
  if (!found) return fail(wrong(name, "is required"));
  return *std::move(found);
}

Result<std::vector<Item>> Question::items(std::string_view name, std::size_t most) const {
  std::vector<Item> all;
  const json::Node* const node = find(name);
  if (node == nullptr) return fail(wrong(name, "is required"));
  if (!node->is_list()) return fail(wrong(name, "must be a list of items"));
  if (node->elements.size() > most)
    return fail(wrong(name, "may have at most " + std::to_string(most) + " items"));
  for (const json::Node& one : node->elements) {
    TAVOLA_TRY(Item read, read_item(name, text_of(one)));
    all.push_back(std::move(read));
  }
  return all;
}

Result<Item> Question::parameters(std::string_view name) const {
  const json::Node* const node = find(name);
  if (node == nullptr) return Item();
  if (!node->is_object()) return fail(wrong(name, "must be an object"));
  TAVOLA_TRY(Value value, design::parse_plain_json(text_of(*node)));
  return std::move(value.map());
}

}  // namespace tavola::lens

#include "design/rules/request_images.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace tavola::design {

const RequestImage& RequestImages::of_write(std::size_t write) const {
  const auto found = std::ranges::find(images_, std::optional(write), &RequestImage::write);
  TAVOLA_ASSERT(found != images_.end());
  return *found;
}

void RequestImages::add(RequestImage image) {
  by_key_.emplace(image.key.bytes(), images_.size());
  images_.push_back(std::move(image));
}

void RequestImages::look_up(const PackedItem& key, std::size_t cause) {
  if (contains(key)) return;
  const std::optional<Item>* const found = stored(key);
  if (found != nullptr) add({.key = key, .before = *found, .now = *found, .cause = cause});
}

const std::optional<Item>* RequestImages::stored(const PackedItem& key) {
  const std::optional<Item>* const found = table_.find(key);
  if (found == nullptr) wait();
  return found;
}

bool RequestImages::exists(const PackedItem& key) {
  if (contains(key)) return at(key).now.has_value();
  const std::optional<Item>* const found = stored(key);
  return found != nullptr && found->has_value();
}

const std::optional<Item>* RequestImages::find(const PackedItem& key) const {
  const auto found = by_key_.find(key.bytes());
  if (found == by_key_.end()) return table_.find(key);
  const RequestImage& image = images_[found->second];
  return image.before ? &image.before : &image.wanted;
}

}  // namespace tavola::design

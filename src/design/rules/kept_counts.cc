#include "design/rules/kept_counts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tavola::design {
namespace {

std::vector<std::string> counters_of(const Design& design, const Entity& entity) {
  std::vector<std::string> names;
  for (const Copy& copy : design.copies) {
    // An item that its counters create is not deleted by clients.
    if (copy.kind != Copy::Kind::Counter || copy.to.text != entity.name || copy.creates) continue;
    if (!copy.count.empty()) names.push_back(copy.count);
    for (const Assignment& sum : copy.sum) names.push_back(sum.field);
  }
  return names;
}

bool is_other_than_zero(const Value& value) { return value.is_number() && !value.number().is_zero(); }

}  // namespace

PackedItem kept_counts_key(const Table& table, const PackedItem& key) {
  return packed_key(counts_key(table, key.unpack()));
}

std::optional<DependentWrite> KeptCounts::keep(const RequestImage& image) {
  const Entity* const entity = image.governed.entity;
  if (entity == nullptr || image.before.has_value() == image.now.has_value()) return std::nullopt;
  const std::vector<std::string> names = counters_of(design_, *entity);
  if (names.empty()) return std::nullopt;
  if (image.now) {
    returning_.push_back({image.key, kept_counts_key(design_.table, image.key)});
    return std::nullopt;
  }
  DependentWrite counts{.kind = DependentWrite::Kind::Add,
                        .key = counts_key(design_.table, image.key.unpack()),
                        .dispensable = true};
  for (const std::string& name : names) {
    const auto value = image.before->find(name);
    if (value != image.before->end() && is_other_than_zero(value->second))
      counts.numbers[name] = value->second.number();
  }
  return counts.numbers.empty() ? std::nullopt : std::optional(std::move(counts));
}

void KeptCounts::look_up_records() {
  for (const Returning& one : returning_) images_.look_up(one.record_key, images_.at(one.key).cause);
}

void KeptCounts::restore() {
  for (const Returning& one : returning_) {
    RequestImage& record = images_.at(one.record_key);
    RequestImage& image = images_.at(one.key);
    if (!record.now || !image.now) continue;
    for (const auto& [name, value] : *record.now) {
      if (!record.key.find(name)) (*image.now)[name] = value;
    }
    record.now.reset();
  }
}

void KeptCounts::drop_empty(RequestImage& image) const {
  if (!image.now || image.write || !is_counts_key(design_.table, image.key.view())) return;
  const bool counts = std::ranges::any_of(*image.now, is_other_than_zero, &Item::value_type::second);
  if (!counts) image.now.reset();
}

}  // namespace tavola::design

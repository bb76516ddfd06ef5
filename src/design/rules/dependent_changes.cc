#include "design/rules/dependent_changes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "design/items/entity_item.h"
#include "design/model/refusal.h"
#include "design/rules/kept_counts.h"

namespace tavola::design {

void DependentChanges::add(DependentWrite write, std::size_t cause) {
  PackedItem key = packed_key(std::exchange(write.key, {}));
  pending_.push_back({std::move(key), std::move(write), cause});
}

// ---- Looking up ----

void DependentChanges::look_up_items() {
  postpone_excess();
  for (const Pending& one : pending_) images_.look_up(one.key, one.cause);
  for (const Pending& one : pending_) {
    const bool may_be_gone =
        one.write.kind == DependentWrite::Kind::Add && one.write.dispensable && !one.write.creates;
    if (may_be_gone) look_up_record(one);
  }
}

void DependentChanges::postpone_excess() {
  std::size_t copies = 0;
  const std::size_t copies_max = images_.room().copies;
  std::erase_if(pending_, [&](const Pending& one) {
    const bool is_copy =
        one.write.kind == DependentWrite::Kind::Put || one.write.kind == DependentWrite::Kind::Delete;
    if (!is_copy || is_record(design_.table, one.key.view()) || images_.contains(one.key)) return false;
    if (++copies <= copies_max) return false;
    postpone(one);
    return true;
  });
}

void DependentChanges::postpone(const Pending& one) {
  const PackedItem& source = images_.of_write(one.cause).key;
  std::vector<RuledWrites::Remainder>& remainders = result_.remainders;
  if (remainders.empty() || remainders.back().gone != nullptr || remainders.back().source != source) {
    remainders.push_back({.source = source, .copies = {}, .gone = nullptr, .fields = {}});
  }
  remainders.back().copies.push_back(one.key);
}

void DependentChanges::look_up_record(const Pending& one) {
  if (!images_.contains(one.key) || images_.at(one.key).now) return;
  if (is_record(design_.table, one.key.view())) return;
  images_.look_up(kept_counts_key(design_.table, one.key), one.cause);
}

// ---- Applying ----

void DependentChanges::apply(DependentWrite::Kind kind) {
  for (const Pending& one : pending_) {
    if (one.write.kind != kind) continue;
    RequestImage& image = images_.at(one.key);
    switch (kind) {
      case DependentWrite::Kind::Put:
        put(one, image);
        break;
      case DependentWrite::Kind::Delete:
        remove(one, image);
        break;
      case DependentWrite::Kind::Add:
        add_numbers(one, image);
        break;
      case DependentWrite::Kind::Claim:
        claim(one, image);
        break;
    }
  }
}

void DependentChanges::put(const Pending& one, RequestImage& image) {
  if (image.now && is_of_another(one.write, *image.now))
    violate(one, one.write.of + " already has a copy with the same key, of another item");
  image.now = one.write.item;
}

void DependentChanges::remove(const Pending& one, RequestImage& image) {
  if (!image.now || !is_held_by_another(one.write, *image.now)) {
    image.now.reset();
  } else if (image.is_written && !image.wanted) {
    image.wanted = image.now;  // a client that knows nothing of the other
  }
}

void DependentChanges::add_numbers(const Pending& one, RequestImage& image) {
  if (!image.now && one.write.creates) {
    if (one.write.dispensable) return;
    image.now = one.write.item;
  }
  if (!image.now && !one.write.dispensable) return violate_missing(one);
  const bool goes_to_record = !image.now && !is_record(design_.table, one.key.view());
  RequestImage& target = goes_to_record ? images_.at(kept_counts_key(design_.table, one.key)) : image;
  if (!target.now) target.now = target.key.unpack();
  for (const auto& [name, number] : one.write.numbers) {
    Value& value = (*target.now)[name];
    const Result<Number> sum = value.is_number() ? value.number() + number : number;
    if (!sum) return violate(one, name + " would be too large");
    value = *sum;
  }
}

void DependentChanges::claim(const Pending& one, RequestImage& image) {
  if (image.now) return violate(one, one.write.reason, ErrorCode::ConditionalCheckFailed);
  image.now = one.write.item;
}

void DependentChanges::violate(const Pending& one, const std::string& message, ErrorCode code) {
  result_.violate(one.cause, refusal(design_, message, one.write.at, code));
}

void DependentChanges::violate_missing(const Pending& one) {
  const DependentWrite& write = one.write;
  const Error error = refusal(design_, write.reason, write.at);
  result_.violate(one.cause, write.field.empty() ? error
                                                 : with_detail(error, std::make_shared<Violation>(
                                                                          write.refusal, write.field)));
}

bool DependentChanges::is_held_by_another(const DependentWrite& write, const Item& guard) {
  const auto own = write.item.find("of");
  const auto held = guard.find("of");
  if (own == write.item.end() || held == guard.end() || held->second.type() != Type::Map) return false;
  const Item& other = held->second.map();
  const bool is_key = other.contains(design_.table.hash.name) &&
                      (!design_.table.range || other.contains(design_.table.range->name));
  return is_key && other != own->second.map() && images_.exists(packed_key(other));
}

bool DependentChanges::is_of_another(const DependentWrite& write, const Item& stored) {
  const auto copy = std::ranges::find(design_.copies, write.of, &Copy::name);
  if (copy == design_.copies.end()) return false;
  const Entity& from = *design_.find_entity(copy->from.text);
  const Result<Item> own = key_of(design_, from, decode(design_, write.item).fields);
  const Result<Item> other = key_of(design_, from, decode(design_, stored).fields);
  return own && other && *own != *other && images_.exists(packed_key(*other));
}

}  // namespace tavola::design

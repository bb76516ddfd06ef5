#include "drift/drift_counters.h"

#include <algorithm>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "drift/drift_item.h"
#include "drift/shown_value.h"

namespace tavola::drift {
namespace {

using design::DependentWrite;

constexpr int kCounterTriesMax = 5;

std::uint64_t hash_of(const std::string& packed) {
  // FNV-1a: all it must do is give equal hashes at every reading.
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : packed) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  // The last bytes hardly affect the upper bits, which decide the share of a key.
  hash ^= hash >> 32U;
  return hash * 0x9E3779B97F4A7C15U;
}

}  // namespace

Result<void> DriftCounters::run() {
  for (std::uint64_t begin = 0;;) {
    Share share{.begin = begin};
    TAVOLA_TRY(const Totals totals, count(share, nullptr));
    std::map<std::string, Numbers> suspects;
    std::unordered_set<std::string> keys;
    for (const auto& [packed, total] : totals) {
      TAVOLA_TRY(Numbers wrong, differences(total));
      if (wrong.empty()) continue;
      suspects.emplace(packed, std::move(wrong));
      keys.insert(packed);
    }
    if (!keys.empty()) {
      // A write during the scan may have been seen at one end only. A difference that occurs a second time is real.
      Share again = share;
      TAVOLA_TRY(const Totals confirmed, count(again, &keys));
      for (const auto& [packed, wrong] : suspects) {
        const auto total = confirmed.find(packed);
        if (total == confirmed.end()) continue;
        TAVOLA_TRY(const Numbers still, differences(total->second));
        if (still == wrong) TAVOLA_CHECK(judge(total->second, wrong));
      }
    }
    if (share.end == 0) return {};
    begin = share.end;
  }
}

Result<DriftCounters::Totals> DriftCounters::count(Share& share,
                                                   const std::unordered_set<std::string>* only) {
  Totals totals;
  const auto total_of = [&](const Item& key) -> Total* {
    const Result<PackedItem> packed = pack(key);
    if (!packed || !share.has(hash_of(packed->bytes()))) return nullptr;
    if (only != nullptr && !only->contains(packed->bytes())) return nullptr;
    const auto known = totals.find(packed->bytes());
    if (known != totals.end()) return &known->second;
    if (totals.size() >= parts_.totals_max) {
      put_off_half(totals, share);
      if (!share.has(hash_of(packed->bytes()))) return nullptr;
    }
    Total& total = totals[packed->bytes()];
    total.key = key;
    return &total;
  };
  TAVOLA_CHECK(parts_.each_item([&](const Item& item) { return add(item, total_of); }));
  return totals;
}

void DriftCounters::put_off_half(Totals& totals, Share& share) const {
  while (totals.size() >= parts_.totals_max) {
    const std::uint64_t length =
        share.end - share.begin;  // for all: 0, which wraps around to half of all below
    const std::uint64_t half = length == 0 ? std::uint64_t{1} << 63U : length / 2;
    if (half == 0) return;
    share.end = share.begin + half;
    std::erase_if(totals, [&](const auto& total) { return !share.has(hash_of(total.first)); });
  }
}

Result<void> DriftCounters::add(const Item& item, const std::function<Total*(const Item&)>& total_of) {
  if (design::is_record(parts_.design.said().table, item)) return {};
  const Inspection inspection = inspect(parts_.design, item);
  if (inspection.entity == nullptr) return {};
  const auto counted_fields = parts_.design.counted_fields(*inspection.entity);
  if (!counted_fields.empty()) {
    if (Total* const total = total_of(parts_.writes.key_of(item))) {
      total->entity = inspection.entity;
      for (const std::string& field : counted_fields) {
        const auto value = item.find(field);
        if (value != item.end()) total->stored.insert_or_assign(field, value->second);
      }
    }
  }
  const auto dependent_writes = parts_.design.counted_with(*inspection.entity, inspection.fields);
  if (!dependent_writes) {
    can_count_all_ = false;
    return {};
  }
  for (const DependentWrite& dependent : *dependent_writes) {
    Total* const total = total_of(dependent.key);
    if (total == nullptr) continue;
    if (total->source.empty()) total->source = parts_.writes.key_of(item);
    if (dependent.creates) total->created = dependent.item;
    for (const auto& [field, number] : dependent.numbers) {
      TAVOLA_TRY(total->counted[field], total->counted[field] + number);
    }
  }
  return {};
}

Result<DriftCounters::Numbers> DriftCounters::differences(const Total& total) const {
  Numbers wrong;
  if (total.entity == nullptr) return total.counted;
  for (const std::string& field : parts_.design.counted_fields(*total.entity)) {
    const auto counted = total.counted.find(field);
    const auto stored = total.stored.find(field);
    const Number right = counted == total.counted.end() ? Number(0) : counted->second;
    if (stored != total.stored.end() && !stored->second.is_number())
      continue;  // a wrong type, which is reported
    const Number is = stored == total.stored.end() ? Number(0) : stored->second.number();
    if (is == right) continue;
    TAVOLA_TRY(wrong[field], is - right);
  }
  return wrong;
}

Result<void> DriftCounters::judge(const Total& total, const Numbers& wrong) {
  if (total.entity == nullptr) return judge_missing(total);
  for (const auto& [field, too_much] : wrong) {
    const auto stored = total.stored.find(field);
    const auto counted = total.counted.find(field);
    const Value right(counted == total.counted.end() ? Number(0) : counted->second);
    Occurrence one{
        .rule = DriftRule::Counter,
        .about = total.entity->name + "." + field,
        .sample = {total.key, field + " is " +
                                  shown_value(total.entity->find_field(field),
                                              stored == total.stored.end() ? nullptr : &stored->second) +
                                  ", counted " + shown_value(total.entity->find_field(field), &right)},
        .can_be_computed = true};
    if (parts_.repair) {
      TAVOLA_TRY(const Mending mending, mend(total, field, too_much));
      one.settle(mending);
    }
    parts_.ledger.add(std::move(one));
  }
  return {};
}

Result<void> DriftCounters::judge_missing(const Total& total) {
  if (total.created.empty()) {
    TAVOLA_TRY(const bool remembered, is_remembered(total));
    if (remembered) return {};
    parts_.ledger.add(
        {.rule = DriftRule::Reference,
         .about = "counters",
         .sample = {total.source, "the item with its counter is missing: " + to_json(total.key)},
         .why_left = parts_.repair ? "the missing item cannot be computed" : ""});
    return {};
  }
  Item item = total.created;
  std::string counted;
  for (const auto& [field, number] : total.counted) {
    item[field] = number;
    counted += (counted.empty() ? "" : ", ") + field + " " + number.to_string();
  }
  const design::Entity* const entity = design::decode(parts_.design.said(), item).entity;
  Occurrence one{.rule = DriftRule::Counter,
                 .about = entity == nullptr ? "counters" : entity->name,
                 .sample = {total.key, "the item is missing, counted " + counted},
                 .can_be_computed = can_count_all_};
  if (parts_.repair) {
    Mending mending{Mending::Outcome::Refused, "not all sources can be counted"};
    if (can_count_all_) {
      TAVOLA_TRY(std::optional<Item> source, parts_.writes.read(total.source));
      TAVOLA_TRY(mending, parts_.writes.put(item, {.key = total.key}, {total.source, std::move(source)}));
    }
    one.settle(mending);
  }
  parts_.ledger.add(std::move(one));
  return {};
}

// A governed table keeps counting for a deleted item in an internal record.
Result<bool> DriftCounters::is_remembered(const Total& total) const {
  TAVOLA_TRY(const std::optional<Item> record,
             parts_.writes.read(design::counts_key(parts_.design.said().table, total.key)));
  if (!record) return false;
  return std::ranges::all_of(total.counted, [&](const auto& counted) {
    const auto stored = record->find(counted.first);
    return stored == record->end() ? counted.second.is_zero() : stored->second == Value(counted.second);
  });
}

// Applies the correction as a delta, so concurrent increments are kept.
Result<Mending> DriftCounters::mend(const Total& total, const std::string& field,
                                    const Number& too_much) const {
  if (!can_count_all_) return Mending{Mending::Outcome::Refused, "not all sources can be counted"};
  Mending mending;
  for (int tries = 0; tries < kCounterTriesMax; ++tries) {
    TAVOLA_TRY(const std::optional<Item> now, parts_.writes.read(total.key));
    if (!now) return Mending{Mending::Outcome::Done, ""};  // deleted, with its counters
    const auto value = now->find(field);
    if (value != now->end() && !value->second.is_number()) {
      return Mending{Mending::Outcome::Refused, field + " is not a number"};
    }
    const Number is = value == now->end() ? Number(0) : value->second.number();
    TAVOLA_TRY(const Number right, is - too_much);
    TAVOLA_TRY(mending, parts_.writes.correct(*now, {{field, Value(right)}}));
    if (mending.outcome != Mending::Outcome::Changed) break;
  }
  return mending;
}

}  // namespace tavola::drift

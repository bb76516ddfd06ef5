#include "governed/companion_audit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "design/items/dependent_writes.h"
#include "drift/drift_neighbours.h"

namespace tavola::governed {
namespace {

using design::DependentWrite;

constexpr std::chrono::seconds kApart{2};
// A busy table has more than one front can read: then some changes are left out, and counted.
constexpr std::size_t kPendingMax = 2'000;
constexpr std::size_t kBalancesMax = 100'000;
constexpr std::string_view kGuard = "$unique#";

std::string packed_key(const Item& key) {
  const Result<PackedItem> packed = pack(key);
  return packed ? packed->bytes() : to_json(key);
}

Number number_in(const Item* item, const std::string& name) {
  if (item == nullptr) return Number(0);
  const auto found = item->find(name);
  return found != item->end() && found->second.is_number() ? found->second.number() : Number(0);
}

bool has_companions(const design::Design& design) {
  return !design.copies.empty() || std::ranges::any_of(design.entities, [](const design::Entity& entity) {
    return std::ranges::any_of(entity.fields, [](const design::Attribute& field) {
      return field.unique.has_value() || !field.ref.empty();
    });
  });
}

bool has(const std::vector<DependentWrite>& all, const DependentWrite& one) {
  return std::ranges::any_of(all, [&](const DependentWrite& other) {
    return other.kind == one.kind && other.key == one.key && other.item == one.item;
  });
}

}  // namespace

CompanionAudit::CompanionAudit(Database& remote, std::shared_ptr<const DesignFacts> facts,
                               WallTime counts_from)
    : facts_(std::move(facts)),
      has_companions_(has_companions(facts_->design())),
      counts_from_(counts_from),
      design_(facts_->design()),
      writes_(remote, facts_->design()) {}

void CompanionAudit::expect(const Item& key, When when) {
  if (pending_.size() >= kPendingMax) {
    ++skipped_;
    return;
  }
  pending_.insert_or_assign(packed_key(key), Pending{key, when});
}

std::vector<DependentWrite> CompanionAudit::companions_of(const Image* image) const {
  if (image == nullptr || image->inspection.entity == nullptr) return {};
  return design_.expected_with(*image->inspection.entity, image->inspection.fields)
      .value_or(std::vector<DependentWrite>());
}

bool CompanionAudit::refers_elsewhere(const Image* before, const Image& after) {
  const design::Entity* const entity = after.inspection.entity;
  return entity != nullptr && std::ranges::any_of(entity->fields, [&](const design::Attribute& field) {
           const auto now = after.inspection.fields.find(field.name);
           if (field.ref.empty() || now == after.inspection.fields.end()) return false;
           if (before == nullptr) return true;
           const auto old = before->inspection.fields.find(field.name);
           return old == before->inspection.fields.end() || old->second != now->second;
         });
}

// The copy is looked at for its source, and the source for what is in the copy.
void CompanionAudit::note_copy(const Image& image, bool is_there, const Item& key, When when) {
  if (is_there) expect(key, when);
  for (const design::Copy* copy : design_.copies_to(*image.inspection.entity)) {
    if (const std::optional<Item> source = design_.source_key(*copy, image.inspection.fields))
      expect(*source, when);
  }
}

// A unique value that is gone is missed by the item that had it.
void CompanionAudit::note_record(const StreamRecord& record, When when) {
  const auto hash = record.keys.find(facts_->design().table.hash.name);
  if (!hash || hash->type() != Type::String || !hash->string().starts_with(kGuard)) return;
  if (record.new_image) return expect(record.keys.unpack(), when);
  const std::optional<ValueView> holder = record.old_image ? record.old_image->find("of") : std::nullopt;
  if (holder && holder->type() == Type::Map) expect(holder->unpack().map(), when);
}

void CompanionAudit::note_companions(const Image* before, const Image* after, const Item& key, When when) {
  const Image* const any = after != nullptr ? after : before;
  if (any->inspection.entity == nullptr) return;
  if (design_.is_copy(*any->inspection.entity)) return note_copy(*any, after != nullptr, key, when);
  const std::vector<DependentWrite> old = companions_of(before);
  const std::vector<DependentWrite> now = companions_of(after);
  const bool is_new = std::ranges::any_of(now, [&](const auto& one) { return !has(old, one); });
  if (after != nullptr && (is_new || refers_elsewhere(before, *after))) expect(key, when);
  for (const DependentWrite& one : old) {
    const auto same_key = [&](const DependentWrite& other) { return other.key == one.key; };
    if (std::ranges::none_of(now, same_key)) expect(one.key, when);  // it should be gone
  }
}

void CompanionAudit::add(const Item& key, const std::string& field, const Number& number, When when) {
  const std::string packed = packed_key(key);
  const auto found = balances_.find(packed);
  if (found == balances_.end() && balances_.size() >= kBalancesMax) {
    ++skipped_;
    return;
  }
  Balance& balance =
      found == balances_.end() ? balances_.emplace(packed, Balance{.key = key}).first->second : found->second;
  Number& too_much = balance.too_much[field];
  too_much = (too_much + number).value_or(too_much);
  if (too_much == Number(0)) balance.too_much.erase(field);
  balance.when = when;
  if (balance.too_much.empty()) balances_.erase(packed);
}

// The counters should change by as much as the items that they count.
void CompanionAudit::note_counted(const Image* image, bool is_before, When when) {
  if (image == nullptr || image->inspection.entity == nullptr) return;
  const auto counted = design_.counted_with(*image->inspection.entity, image->inspection.fields);
  if (!counted) return;
  for (const DependentWrite& one : *counted) {
    for (const auto& [field, number] : one.numbers)
      add(one.key, field, is_before ? number : (Number(0) - number).value_or(number), when);
  }
}

void CompanionAudit::note_counters(const Image* before, const Image* after, const Item& key, When when) {
  const Image* const any = after != nullptr ? after : before;
  if (any->inspection.entity == nullptr) return;
  for (const std::string& field : design_.counted_fields(*any->inspection.entity)) {
    const Number old = number_in(before == nullptr ? nullptr : &before->item, field);
    const Number now = number_in(after == nullptr ? nullptr : &after->item, field);
    if (old != now) add(key, field, (now - old).value_or(Number(0)), when);
  }
}

void CompanionAudit::note(const StreamRecord& record, Moment now) {
  if (!has_companions_) return;
  const When when{.changed = record.created_at, .due = now + kApart};
  if (facts_->is_record(record.keys.view())) return note_record(record, when);
  const Item old = record.old_image ? record.old_image->unpack() : Item();
  const Item now_is = record.new_image ? record.new_image->unpack() : Item();
  std::optional<Image> before;
  std::optional<Image> after;
  if (record.old_image) before.emplace(old, drift::inspect(design_, old));
  if (record.new_image) after.emplace(now_is, drift::inspect(design_, now_is));
  const Image* const one = before ? &*before : nullptr;
  const Image* const other = after ? &*after : nullptr;
  if (one == nullptr && other == nullptr) return;
  note_companions(one, other, record.keys.unpack(), when);
  if (!design_.has_counters() || record.created_at < counts_from_) return;
  note_counted(one, true, when);
  note_counted(other, false, when);
  note_counters(one, other, record.keys.unpack(), when);
}

Result<std::vector<AuditFinding>> CompanionAudit::look_at(const Pending& pending) {
  TAVOLA_TRY(const std::optional<Item> item, writes_.read(pending.key));
  if (!item) return std::vector<AuditFinding>();
  // It remembers what exists, which is right at one moment only.
  drift::DriftNeighbours neighbours({.design = design_, .writes = writes_});
  drift::DriftNeighbours::Found found;
  if (design::is_record(facts_->design().table, *item)) {
    TAVOLA_TRY(found, neighbours.of_record(*item));
  } else {
    const drift::Inspection inspection = drift::inspect(design_, *item);
    if (inspection.entity == nullptr) return std::vector<AuditFinding>();
    TAVOLA_TRY(found, neighbours.of_entity(*item, inspection));
  }
  std::vector<AuditFinding> findings;
  if (found.changed) return findings;  // the next change is noted, too
  for (const drift::Occurrence& one : found.occurrences)
    findings.push_back(
        {.key = to_json(pending.key), .why = one.about + ": " + one.sample.text, .at = pending.when.changed});
  return findings;
}

bool CompanionAudit::is_due(Moment now) const {
  const auto due = [&](const auto& one) { return one.second.when.due <= now; };
  return std::ranges::any_of(pending_, due) ||
         std::ranges::any_of(balances_, [&](const auto& one) { return due(one) && !one.second.is_told; });
}

Result<std::vector<AuditFinding>> CompanionAudit::look(Moment now) {
  std::vector<AuditFinding> findings;
  for (auto one = pending_.begin(); one != pending_.end();) {
    if (one->second.when.due > now) {
      ++one;
      continue;
    }
    TAVOLA_TRY(std::vector<AuditFinding> found, look_at(one->second));
    std::ranges::move(found, std::back_inserter(findings));
    one = pending_.erase(one);
  }
  for (auto one = balances_.begin(); one != balances_.end();) {
    Balance& balance = one->second;
    if (balance.when.due > now || balance.is_told) {
      ++one;
      continue;
    }
    TAVOLA_TRY(const std::optional<Item> item, writes_.read(balance.key));
    if (!item) {  // those that it counted go after it, or are kept for when it is back
      ++one;
      continue;
    }
    for (const auto& [field, number] : balance.too_much)
      findings.push_back(
          {.key = to_json(balance.key),
           .why = field + " changed by " + number.to_string() + " more than the items that it counts",
           .at = balance.when.changed});
    balance.is_told = true;
    ++one;
  }
  return findings;
}

}  // namespace tavola::governed

#include "design/requests/consequences.h"

#include <algorithm>
#include <deque>

#include "design/items/dependent_writes.h"
#include "design/items/entailed_items.h"
#include "design/model/dependencies.h"
#include "design/requests/unchanged.h"

namespace tavola::design {
namespace {

Result<void> claim(const Table& table, const DependentWrite& dependent, PendingWrites& writes) {
  const PendingWrite* const pending = writes.find(dependent.key);
  if (pending != nullptr && pending->kind == PendingWrite::Kind::Put)
    return fail(refused(dependent.refusal, dependent.reason));
  const bool is_freed = pending != nullptr;  // by another step: its holder is deleted, or has another value
  TAVOLA_TRY(PendingWrite* const write, writes.on(PendingWrite::Kind::Put, dependent.key));
  write->item = dependent.item;
  if (is_freed) return {};
  write->causes.push_back({.kind = Cause::Kind::Refusal,
                           .name = dependent.refusal,
                           .reason = dependent.reason,
                           .condition = absent_condition(table, write->parts)});
  return {};
}

Result<void> add_numbers(const Call& call, const DependentWrite& dependent, PendingWrites& writes) {
  if (call.without.contains(dependent.of)) return {};
  if (dependent.creates && !dependent.dispensable)
    return writes.add_created(dependent.key, dependent.item, dependent.numbers);
  const Cause if_missing{.kind = dependent.dispensable ? Cause::Kind::Gone : Cause::Kind::Refusal,
                         .name = dependent.dispensable ? dependent.of : dependent.refusal,
                         .reason = dependent.reason,
                         .condition = {},
                         .is_missing = true,
                         .field = dependent.field};
  for (const auto& [attribute, number] : dependent.numbers) {
    TAVOLA_CHECK(writes.add_number(dependent.key, attribute, number, if_missing));
  }
  return {};
}

// Returns the fields of an item that consequences of the entity read by a name.
FieldNames fields_used_of(const Design& design, const Entity& changed, const Entity& related) {
  FieldNames fields;
  for (const Consequence& consequence : design.consequences) {
    if (!is_of(consequence, changed)) continue;
    const auto look = [&](const Rule& rule) {
      for (const std::vector<std::string>& path : rule.paths()) {
        const auto read = std::ranges::find(consequence.reads, path.front(), &ReadFirst::name);
        if (read != consequence.reads.end() && read->entity.text == related.name && path.size() > 1)
          fields.insert(path[1]);
      }
    };
    if (consequence.when) look(*consequence.when);
    for (const Assignment& one : consequence.set) look(one.value);
  }
  return fields;
}

// The consequences of one change.
class EntailedWrites {
 public:
  EntailedWrites(const Call& call, const FieldChange& change, PendingWrites& writes)
      : call_(call), change_(change), writes_(writes) {}

  Result<void> add() {
    const FindRelated find = [this](const Entity& entity, const Item& key) { return related(entity, key); };
    TAVOLA_TRY(const EntailedItems entailed, entailed_by(*call_.design, change_, call_.ambient, find));
    if (entailed.is_waiting) return {};
    for (const EntailedItem& one : entailed.items) TAVOLA_CHECK(put(one));
    return guard();
  }

 private:
  struct Used {
    const Entity* entity;
    Item key;
    std::optional<Item> stored;
  };

  // Returns the stored item, or the one that an earlier step puts.
  const std::optional<Item>* related(const Entity& entity, const Item& key) {
    Result<PackedItem> packed = pack(key);
    if (!packed) return &nothing_;
    const auto known = call_.related.find(packed->bytes());
    if (known == call_.related.end()) {
      writes_.want({.request = GetItemRequest{.table_name = call_.design->table.name,
                                              .key = *std::move(packed),
                                              .consistent_read = true},
                    .entity = &entity});
      return nullptr;
    }
    const PendingWrite* const pending = writes_.find(key);
    if (!known->second && pending != nullptr && pending->kind == PendingWrite::Kind::Put)
      return &made_.emplace_back(pending->item);
    used_.push_back({&entity, key, known->second});
    return &known->second;
  }

  Result<void> put(const EntailedItem& entailed) {
    const Design& design = *call_.design;
    DependentWrite item{.kind = DependentWrite::Kind::Claim,
                        .of = entailed.consequence->name,
                        .refusal = "ALREADY_EXISTS",
                        .at = entailed.consequence->at};
    TAVOLA_TRY(item.key, key_of(design, *entailed.entity, entailed.fields));
    TAVOLA_TRY(item.item, to_item(design, *entailed.entity, entailed.fields));
    item.reason = "there is already the " + entailed.entity->name + " " + to_json(item.key) +
                  " that the consequence " + item.of + " would write";
    TAVOLA_CHECK(claim(design.table, item, writes_));
    return add_consequences(call_, *entailed.entity, nullptr, &entailed.fields, writes_);
  }

  // The items that were read must be unchanged.
  Result<void> guard() {
    for (const Used& used : used_) {
      TAVOLA_TRY(PendingWrite* const write, writes_.on(PendingWrite::Kind::Check, used.key));
      add_unchanged(*call_.design, *used.entity, fields_used_of(*call_.design, change_.entity, *used.entity),
                    used.stored, *write);
    }
    return {};
  }

  const Call& call_;
  const FieldChange& change_;
  PendingWrites& writes_;
  std::vector<Used> used_;
  std::deque<std::optional<Item>> made_;
  const std::optional<Item> nothing_;
};

}  // namespace

Result<void> add_consequences(const Call& call, const Entity& entity, const Item* before, const Item* after,
                              PendingWrites& writes) {
  TAVOLA_TRY(const std::vector<DependentWrite> dependent_writes,
             dependent_writes_of(*call.design, entity, before, after, call.ambient));
  for (const DependentWrite& dependent : dependent_writes) {
    switch (dependent.kind) {
      case DependentWrite::Kind::Put:
        TAVOLA_CHECK(writes.put_copy(dependent.key, dependent.item));
        break;
      case DependentWrite::Kind::Delete:
        TAVOLA_CHECK(writes.delete_copy(dependent.key));
        break;
      case DependentWrite::Kind::Add:
        TAVOLA_CHECK(add_numbers(call, dependent, writes));
        break;
      case DependentWrite::Kind::Claim:
        TAVOLA_CHECK(claim(call.design->table, dependent, writes));
        break;
    }
  }
  return EntailedWrites(call, {entity, before, after}, writes).add();
}

}  // namespace tavola::design

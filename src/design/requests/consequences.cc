#include "design/requests/consequences.h"

#include "design/items/dependent_writes.h"

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
                         .condition = {}};
  for (const auto& [attribute, number] : dependent.numbers) {
    TAVOLA_CHECK(writes.add_number(dependent.key, attribute, number, if_missing));
  }
  return {};
}

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
  return {};
}

}  // namespace tavola::design

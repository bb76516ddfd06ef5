#include "design/requests/consequences.h"

#include "design/items/dependent_writes.h"

namespace tavola::design {
namespace {

Result<void> claim(const Table& table, const Companion& companion, PendingWrites& writes) {
  const PendingWrite* const pending = writes.find(companion.key);
  if (pending != nullptr && pending->kind == PendingWrite::Kind::Put)
    return fail(refused(companion.refusal, companion.reason));
  const bool is_freed = pending != nullptr;  // by another step: its holder is deleted, or has another value
  TAVOLA_TRY(PendingWrite* const write, writes.on(PendingWrite::Kind::Put, companion.key));
  write->item = companion.item;
  if (is_freed) return {};
  write->causes.push_back({.kind = Cause::Kind::Refusal,
                           .name = companion.refusal,
                           .reason = companion.reason,
                           .condition = absent_condition(table, write->parts)});
  return {};
}

Result<void> add_numbers(const Call& call, const Companion& companion, PendingWrites& writes) {
  if (call.without.contains(companion.of)) return {};
  const Cause if_missing{.kind = companion.dispensable ? Cause::Kind::Gone : Cause::Kind::Refusal,
                         .name = companion.dispensable ? companion.of : companion.refusal,
                         .reason = companion.reason,
                         .condition = {}};
  for (const auto& [attribute, number] : companion.numbers) {
    TAVOLA_CHECK(writes.add_number(companion.key, attribute, number, if_missing));
  }
  return {};
}

}  // namespace

Result<void> add_consequences(const Call& call, const Entity& entity, const Item* before, const Item* after,
                              PendingWrites& writes) {
  TAVOLA_TRY(const std::vector<Companion> companions,
             companions_of(*call.design, entity, before, after, call.moment));
  for (const Companion& companion : companions) {
    switch (companion.kind) {
      case Companion::Kind::Put:
        TAVOLA_CHECK(writes.put_copy(companion.key, companion.item));
        break;
      case Companion::Kind::Delete:
        TAVOLA_CHECK(writes.delete_copy(companion.key));
        break;
      case Companion::Kind::Add:
        TAVOLA_CHECK(add_numbers(call, companion, writes));
        break;
      case Companion::Kind::Claim:
        TAVOLA_CHECK(claim(call.design->table, companion, writes));
        break;
    }
  }
  return {};
}

}  // namespace tavola::design

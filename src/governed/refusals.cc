#include "governed/refusals.h"

#include <algorithm>
#include <string>

#include "design/model/refusal.h"

namespace tavola::governed {
namespace {

using design::Attribute;
using design::Copy;
using design::Design;
using design::Entity;

Error refused(const Design& design, const design::Span& at, const std::string& what) {
  return design::refusal(design, "a server with --upstream cannot keep this design: " + what, at);
}

bool has_unique(const Entity& entity) {
  return std::ranges::any_of(entity.fields, [](const Attribute& field) { return field.unique.has_value(); });
}

const Copy* copy_of(const Design& design, const Entity& entity) {
  const auto found = std::ranges::find_if(design.copies, [&](const Copy& copy) {
    return copy.kind != Copy::Kind::Snapshot && copy.mode != Copy::Mode::Async &&
           (copy.from.text == entity.name || copy.to.text == entity.name);
  });
  return found == design.copies.end() ? nullptr : &*found;
}

// Unfinished work is a list of records of the table.
bool has_jobs_list(const Design& design) {
  return design.table.range && design.table.range->type == Type::String;
}

Result<void> check_deletion(const Design& design, const Entity& entity) {
  for (const design::Cascade& cascade : entity.on_delete) {
    if (cascade.action == design::Cascade::Action::Restrict)
      return fail(refused(design, cascade.entity.at,
                          "on_delete of " + entity.name + " restricts the deletion while a " +
                              cascade.entity.text +
                              " names it, and one could be added between the look and the deletion"));
    if (!has_jobs_list(design))
      return fail(
          refused(design, cascade.entity.at,
                  "on_delete of " + entity.name +
                      " is finished after the deletion, and that can only be noted in a table whose sort key "
                      "is a string"));
  }
  return {};
}

// DynamoDB deletes expired items by itself, and nothing else with them.
Result<void> check_expiry(const Design& design, const Entity& entity, const std::string& ttl) {
  const Attribute* const expires = ttl.empty() ? nullptr : entity.find_field(ttl);
  if (expires == nullptr) return {};
  if (!entity.on_delete.empty())
    return fail(refused(design, expires->at,
                        entity.name + " expires by " + ttl + ", and nothing would follow by its on_delete"));
  if (has_unique(entity))
    return fail(refused(
        design, expires->at,
        entity.name + " expires by " + ttl + ", and has a unique field whose value would stay taken"));
  if (const Copy* const copy = copy_of(design, entity))
    return fail(refused(design, expires->at,
                        entity.name + " expires by " + ttl + ", and " + copy->name + " would not notice"));
  return {};
}

}  // namespace

Result<void> check_can_keep(const Design& design) {
  if (design.table.hash.type != Type::String)
    return fail(refused(design, design.table.hash.at,
                        "the partition key " + design.table.hash.name +
                            " must be a string, because internal records have keys that begin with $"));
  for (const Entity& entity : design.entities) {
    TAVOLA_CHECK(check_deletion(design, entity));
  }
  TAVOLA_CHECK(check_can_expire(design, design.table.ttl));
  if (has_jobs_list(design)) return {};
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Fanout || copy.mode != Copy::Mode::Transaction) continue;
    return fail(
        refused(design, copy.at,
                "the fanout " + copy.name +
                    " may be more copies than DynamoDB writes in one transaction, and the rest can only be "
                    "noted in a table whose sort key is a string"));
  }
  return {};
}

Result<void> check_can_expire(const Design& design, const std::string& ttl) {
  for (const Entity& entity : design.entities) TAVOLA_CHECK(check_expiry(design, entity, ttl));
  return {};
}

bool needs_transactions(const Design& design) {
  return !design.copies.empty() || !design.consequences.empty() ||
         std::ranges::any_of(design.entities, [](const Entity& entity) {
           return has_unique(entity) || std::ranges::any_of(entity.fields, [](const Attribute& field) {
                    return !field.ref.empty();
                  });
         });
}

Error has_no_transactions(const Design& design, const Error& why) {
  return Error::validation("Tavola: the design " + design.name +
                           " has copies, counters, unique fields, references or consequences, which need "
                           "TransactWriteItems; the server at --upstream does not have it: " +
                           why.message());
}

}  // namespace tavola::governed

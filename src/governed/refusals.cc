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

// DynamoDB deletes expired items by itself, and nothing else with them.
Result<void> check_expiry(const Design& design, const Entity& entity) {
  const Attribute* const expires = design.table.ttl.empty() ? nullptr : entity.find_field(design.table.ttl);
  if (expires == nullptr) return {};
  if (has_unique(entity))
    return fail(refused(design, expires->at,
                        entity.name + " expires by " + design.table.ttl +
                            ", and has a unique field whose value would stay taken"));
  if (const Copy* const copy = copy_of(design, entity))
    return fail(refused(
        design, expires->at,
        entity.name + " expires by " + design.table.ttl + ", and " + copy->name + " would not notice"));
  return {};
}

}  // namespace

Result<void> check_can_keep(const Design& design) {
  if (design.table.hash.type != Type::String)
    return fail(refused(design, design.table.hash.at,
                        "the hash key " + design.table.hash.name +
                            " must be a string, because internal records have keys that begin with $"));
  for (const Entity& entity : design.entities) {
    if (!entity.on_delete.empty())
      return fail(refused(design, entity.on_delete.front().entity.at,
                          "on_delete of " + entity.name +
                              " needs to find all items that name a deleted one, while none is added"));
    TAVOLA_CHECK(check_expiry(design, entity));
  }
  for (const Copy& copy : design.copies) {
    if (copy.kind != Copy::Kind::Fanout || copy.mode != Copy::Mode::Transaction) continue;
    return fail(refused(design, copy.at,
                        "the fanout " + copy.name +
                            " may be more copies than DynamoDB writes in one transaction; `mode: "
                            "async` writes them afterwards"));
  }
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

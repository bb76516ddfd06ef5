#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "design/language/validate.h"
#include "design/language/validate_references.h"

namespace tavola::design {
namespace {

constexpr std::ptrdiff_t kGlobalIndexesMax = 20;
constexpr std::ptrdiff_t kLocalIndexesMax = 5;

// The policy limits global indexes. A local index is a part of its table: it adds neither keys nor a table beside the table.
void check_policy(const Design& design, std::ptrdiff_t global, Problems& problems) {
  const std::optional<std::uint64_t>& max = design.policy.indexes_max;
  if (!max || std::cmp_less_equal(global, *max)) return;
  std::uint64_t allowed = *max;
  const auto is_beyond = [&allowed](const Index& index) { return !index.local && allowed-- == 0; };
  const auto first = std::ranges::find_if(design.indexes, is_beyond);
  problems.error("policy", first->at,
                 "the policy allows " + std::to_string(*max) + " global indexes, and there are " +
                     std::to_string(global),
                 design.policy.indexes_unless.empty()
                     ? "Remove the index, or change the policy."
                     : "Remove the index, or raise `max`: " + design.policy.indexes_unless + ".");
}

void check_counts(const Design& design, Problems& problems) {
  const std::ptrdiff_t local = std::ranges::count(design.indexes, true, &Index::local);
  const std::ptrdiff_t global = std::ssize(design.indexes) - local;
  if (global > kGlobalIndexesMax || local > kLocalIndexesMax) {
    problems.error(
        "too-many-indexes", design.indexes.back().at,
        "the table has " + std::to_string(global) + " global and " + std::to_string(local) + " local indexes",
        "Let entities share indexes.");
  }
  check_policy(design, global, problems);
}

void check_local(const Design& design, const Index& index, Problems& problems) {
  if (!index.local) return;
  if (index.hash.name != design.table.hash.name) {
    problems.error("local-index", index.hash.at,
                   "a local index has the table's partition key, `" + design.table.hash.name + "`",
                   "Write `hash: " + design.table.hash.name + "`, or leave out `local`.");
  }
  if (!index.range || !design.table.range) {
    problems.error("local-index", index.at, "a local index and its table need a sort key",
                   "Add `range`, or leave out `local`.");
  }
}

// Collects the positions of index keys by attribute, except those that local indexes must share.
void check_dedicated(const Design& design, Problems& problems) {
  std::map<std::string_view, std::string_view> users;
  const auto check = [&](const Index& index, const KeyAttribute& key) {
    const auto [user, first] = users.emplace(key.name, index.name);
    if (!first) {
      problems.error("dedicated-keys", key.at,
                     "`" + key.name + "` is a key of `" + std::string(user->second) + "`, too",
                     "Give the index a key attribute of its own, or write `index_keys: shared`.");
    }
    for (const Entity& entity : design.entities) {
      const Attribute* field = entity.find_field(key.name);
      if (field == nullptr || !field->stored) continue;
      problems.error("dedicated-keys", key.at,
                     "`" + key.name + "` is an attribute of `" + entity.name + "`, too",
                     "Give the index a key attribute of its own, or write `index_keys: shared`.");
      break;
    }
  };
  for (const Index& index : design.indexes) {
    if (!index.local) check(index, index.hash);
    if (index.range) check(index, *index.range);
  }
}

void check_ttl(const Design& design, Problems& problems) {
  const std::string& ttl = design.table.ttl;
  if (ttl.empty()) return;
  const bool known = std::ranges::any_of(design.entities, [&](const Entity& entity) {
    const Attribute* field = entity.find_field(ttl);
    return field != nullptr && field->stored;
  });
  if (!known) {
    problems.error("unknown-field", design.table.at, "no entity has the attribute `" + ttl + "` of `ttl`",
                   "Add it to the entities that expire.");
  }
}

}  // namespace

void validate_table(const Design& design, Problems& problems) {
  check_counts(design, problems);
  check_ttl(design, problems);
  if (design.table.range && design.table.range->name == design.table.hash.name) {
    problems.error("duplicate-name", design.table.range->at, "hash and range are the same attribute",
                   "Give each an attribute of its own.");
  }
  for (const Index& index : design.indexes) {
    check_local(design, index, problems);
    if (index.range && index.range->name == index.hash.name) {
      problems.error("duplicate-name", index.range->at, "hash and range are the same attribute",
                     "Give each an attribute of its own.");
    }
  }
  if (design.table.index_keys == Table::IndexKeys::Dedicated) check_dedicated(design, problems);
}

}  // namespace tavola::design

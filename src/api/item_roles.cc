#include "api/item_roles.h"

#include <algorithm>
#include <optional>

#include "api/service.h"
#include "design/entity_item.h"
#include "design/key_templates.h"
#include "expr/compile.h"
#include "runner/groups.h"

namespace tavola::api {
namespace {

using design::Design;
using design::Entity;
using design::ItemAct;
using design::Template;

Error denied(std::string why) { return {ErrorCode::AccessDenied, std::move(why)}; }

// The key alone: attributes beside it do not tell whose the item is that lies there already.
Item key_in(const Design& design, const PackedItem& item) {
  Item all = item.unpack();
  Item key;
  for (const design::KeyAttribute* part :
       {&design.table.hash, design.table.range ? &*design.table.range : nullptr}) {
    if (part == nullptr) continue;
    if (auto found = all.extract(part->name)) key.insert(std::move(found));
  }
  return key;
}

// What a query looks for in a table or an index.
struct KeyQuestion {
  Value hash;
  std::optional<expr::KeyOperator> range;
  Value first;  // of the range
};

struct KeyNames {
  std::string hash;
  std::string range;
};

KeyNames keys_of(const Design& design, const std::string& index_name) {
  const auto names = [](const auto& keyed) {
    return KeyNames{keyed.hash.name, keyed.range ? keyed.range->name : std::string()};
  };
  const design::Index* const index = design.find_index(index_name);
  return index == nullptr ? names(design.table) : names(*index);
}

// Nothing when the design does not tell what would be found, or when the request is wrong.
std::optional<KeyQuestion> read_question(const Design& design, const QueryRequest& request) {
  if (!request.index_name.empty() && design.find_index(request.index_name) == nullptr) return std::nullopt;
  expr::Compiler compiler(request.names, request.values.view());
  const Result<expr::KeyCondition> condition = request.key_conditions
                                                   ? compiler.key_conditions(*request.key_conditions)
                                                   : compiler.key_condition(request.key_condition_expression);
  if (!condition) return std::nullopt;
  const KeyNames keys = keys_of(design, request.index_name);
  KeyQuestion question;
  bool has_hash = false;
  for (const expr::KeyTerm& term : condition->terms) {
    if (term.attribute == keys.hash && term.op == expr::KeyOperator::Eq) {
      question.hash = term.first.unpack();
      has_hash = true;
    } else if (term.attribute == keys.range) {
      question.range = term.op;
      question.first = term.first.unpack();
    } else {
      return std::nullopt;
    }
  }
  return has_hash ? std::optional(std::move(question)) : std::nullopt;
}

// Whether a key of this template may be what is looked for. In doubt it may.
bool may_find(const Entity& entity, const Template& range, const KeyQuestion& question) {
  if (question.range == expr::KeyOperator::Eq) {
    return range.read(question.first, entity.forms()).has_value();
  }
  if (question.range != expr::KeyOperator::BeginsWith || !question.first.is_string()) return true;
  const std::string_view wanted = question.first.string();
  return wanted.starts_with(range.prefix()) || range.prefix().starts_with(wanted);
}

// The fields in the hash, for each way in which the entity may be found.
std::vector<Item> finds(const Design& design, const Entity& entity, const std::string& index,
                        const KeyQuestion& question) {
  const design::KeyTemplates keys = design::keys_in(design, entity, index.empty() ? "table" : index);
  const bool fits = keys.range.empty() || std::ranges::any_of(keys.range, [&](const Template& range) {
                      return may_find(entity, range, question);
                    });
  std::vector<Item> found;
  if (!fits) return found;
  for (const Template& hash : keys.hash) {
    if (auto fields = hash.read(question.hash, entity.forms())) found.push_back(*std::move(fields));
  }
  return found;
}

}  // namespace

const Design* ItemRoles::find_design(std::string_view table) const {
  const auto found = std::ranges::find_if(service_.designs(), [&](const Design& design) {
    return design.table.name == table && !design.roles.empty();
  });
  return found == service_.designs().end() ? nullptr : &*found;
}

Result<void> ItemRoles::may_use(const Design& design, ItemAct act, const Entity& entity,
                                const Item& fields) const {
  return runner::may_use(service_.runner(design, database_), who_, act, entity, fields);
}

Result<void> ItemRoles::may_use(std::string_view table, const PackedItem& item, ItemAct act) const {
  const Design* const design = find_design(table);
  if (design == nullptr) return {};
  const Item key = key_in(*design, item);
  const design::Decoded decoded = design::decode(*design, key);
  if (decoded.entity == nullptr) return fail(denied(decoded.why_none));
  return may_use(*design, act, *decoded.entity, decoded.fields);
}

Result<void> ItemRoles::may_read(std::string_view table, const PackedItem& item) const {
  return may_use(table, item, ItemAct::Read);
}

Result<void> ItemRoles::may_write(std::string_view table, const PackedItem& item) const {
  return may_use(table, item, ItemAct::Write);
}

Result<void> ItemRoles::may_change_table(std::string_view table) const {
  if (find_design(table) == nullptr) return {};
  return fail(denied("roles are about items, and its key stands for somebody with roles"));
}

Result<void> ItemRoles::may_query(const QueryRequest& request) const {
  const Design* const design = find_design(request.table_name);
  if (design == nullptr) return {};
  const std::optional<KeyQuestion> question = read_question(*design, request);
  if (!question) return fail(denied("the design does not tell what such a key condition finds"));
  bool is_known = false;
  for (const Entity& entity : design->entities) {
    for (const Item& fields : finds(*design, entity, request.index_name, *question)) {
      is_known = true;
      TAVOLA_CHECK(may_use(*design, ItemAct::Read, entity, fields));
    }
  }
  if (!is_known) return fail(denied("no entity has such a key"));
  return {};
}

Result<void> ItemRoles::may_scan(const ScanRequest& request) const {
  const Design* const design = find_design(request.table_name);
  if (design == nullptr) return {};
  if (!request.index_name.empty() && design->find_index(request.index_name) == nullptr) {
    return fail(denied("the design has no index " + request.index_name));
  }
  for (const Entity& entity : design->entities) {
    const bool is_there = request.index_name.empty() || entity.find_index(request.index_name) != nullptr;
    if (is_there) TAVOLA_CHECK(may_use(*design, ItemAct::Read, entity, {}));
  }
  return {};
}

}  // namespace tavola::api

#include "access/permissions/item_roles.h"

#include <algorithm>
#include <optional>

#include "database/item_key.h"
#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "design/items/table_schema.h"
#include "design/model/key_templates.h"
#include "expr/evaluate/compile.h"
#include "runner/groups.h"
#include "runner/runner.h"

namespace tavola::access {
namespace {

using design::Design;
using design::Entity;
using design::ItemAct;
using design::Template;

Error denied(std::string why) { return {ErrorCode::AccessDenied, std::move(why)}; }

// Returns the design that the database keeps with the table; null if it has no roles. Fails with AccessDenied if it
// cannot be applied.
Result<std::shared_ptr<const Design>> design_with_roles(Database& database, std::string_view table) {
  Result<std::shared_ptr<const Design>> governing = database.governing_design(table);
  if (!governing) {
    return fail(denied("the roles of its design cannot be applied: " + governing.error().message()));
  }
  if (!*governing || (*governing)->roles.empty()) return nullptr;
  return governing;
}

// Returns the key alone: other attributes do not identify the owner of the item that is stored.
Item key_in(const Design& design, const ItemView& item) {
  return key_of_item(design::key_schema_of(design), item).unpack();
}

// The key condition of a query in a table or an index.
struct KeyQuestion {
  Value hash = {};
  std::optional<expr::KeyOperator> range = {};
  Value first = {};  // of the sort key condition
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

// Returns nullopt if the design does not determine the items to be found, or if the request is wrong.
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

// Returns the condition for the one item with this key; nullopt if the key is incomplete.
std::optional<KeyQuestion> exactly(const Design& design, const Item& key) {
  const auto hash = key.find(design.table.hash.name);
  if (hash == key.end()) return std::nullopt;
  KeyQuestion question{.hash = hash->second};
  if (!design.table.range) return question;
  const auto range = key.find(design.table.range->name);
  if (range == key.end()) return std::nullopt;
  question.range = expr::KeyOperator::Eq;
  question.first = range->second;
  return question;
}

// Returns whether a key of this template may match. In doubt, it may.
bool may_find(const Entity& entity, const Template& range, const KeyQuestion& question) {
  if (question.range == expr::KeyOperator::Eq) {
    return range.read(question.first, entity.forms()).has_value();
  }
  if (question.range != expr::KeyOperator::BeginsWith || !question.first.is_string()) return true;
  const std::string_view wanted = question.first.string();
  return wanted.starts_with(range.prefix()) || range.prefix().starts_with(wanted);
}

// Returns the fields in the partition key, for each way in which the entity may be found.
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

// Returns the fields in the key of an entity's item.
Item fields_in_key(const Entity& entity, const KeyQuestion& key) {
  Item fields = entity.hash.read(key.hash, entity.forms()).value_or(Item());
  if (entity.range && key.range) {
    if (auto more = entity.range->read(key.first, entity.forms())) fields.merge(*more);
  }
  return fields;
}

// Returns whether an item that may belong to several entities is permitted for each of them, and there is at least one.
Result<bool> is_each(const Design& design, const Item& key, const auto& is_permitted) {
  const std::optional<KeyQuestion> question = exactly(design, key);
  if (!question) return false;
  bool is_known = false;
  for (const Entity& entity : design.entities) {
    if (finds(design, entity, "", *question).empty()) continue;
    TAVOLA_TRY(const bool is_one, is_permitted(entity, fields_in_key(entity, *question)));
    if (!is_one) return false;
    is_known = true;
  }
  return is_known;
}

// Returns the owner that an item names outside of its key: in the attribute, or in index keys if only keys hold the
// field. `known` is the key of the item.
std::optional<Value> owner_outside_key(const Design& design, const design::Attribute& own,
                                       const ItemView& item, Item known) {
  if (own.stored) {
    const auto attribute = item.find(own.name);
    return attribute ? std::optional(attribute->unpack()) : std::nullopt;
  }
  for (const design::Index& index : design.indexes) {
    for (const design::KeyAttribute* part : {&index.hash, index.range ? &*index.range : nullptr}) {
      if (part == nullptr) continue;
      if (const auto value = item.find(part->name)) known.try_emplace(part->name, value->unpack());
    }
  }
  const design::Decoded decoded = design::decode(design, known);
  const auto field = decoded.fields.find(own.name);
  return field == decoded.fields.end() ? std::nullopt : std::optional(field->second);
}

// Returns whether entries of the index (empty: the table) hold an attribute of their items.
bool is_projected(const Design& design, const std::string& index_name, const std::string& attribute) {
  const design::Index* const index = design.find_index(index_name);
  return index == nullptr || index->projection.type == ProjectionType::All ||
         std::ranges::find(index->projection.attributes, attribute) != index->projection.attributes.end();
}

}  // namespace

Result<void> check_governed(Database& database, std::string_view table) {
  TAVOLA_TRY(const std::shared_ptr<const Design> governing, database.governing_design(table));
  if (governing && !governing->roles.empty()) return {};
  TAVOLA_CHECK(database.describe_table({.table_name = std::string(table)}));  // fails if the table is missing
  return fail(denied(
      "the table " + std::string(table) +
      " is not governed by its design, so nobody with a role may write to it: it was created or restored "
      "after the server started. Restart the server with --design"));
}

Result<void> check_decides(Database& database, const Design& served) {
  TAVOLA_TRY(const std::shared_ptr<const Design> governing, design_with_roles(database, served.table.name));
  if (!governing || governing->text == served.text) return {};
  const std::string which = governing->name == served.name ? "another version of the design " : "the design ";
  return fail(denied("the permissions of the table " + served.table.name + " come from " + which +
                     governing->name + ", which governs it and has roles; " + served.name +
                     " as it is served here does not. Start the server with the design that governs the "
                     "table, or use a key that stands for no person"));
}

Result<ItemRoles::Ruled> ItemRoles::find_design(std::string_view table) const {
  TAVOLA_TRY(std::shared_ptr<const Design> governing, design_with_roles(parts_.database, table));
  if (governing) return Ruled{.design = std::move(governing)};
  const auto served = std::ranges::find_if(parts_.served, [&](const Design& design) {
    return design.table.name == table && !design.roles.empty();
  });
  if (served == parts_.served.end()) return Ruled();
  return Ruled{.design = std::shared_ptr<const Design>(std::shared_ptr<void>(), &*served),
               .is_by_name = true};
}

Result<ItemRoles::Ruled*> ItemRoles::find(std::string_view table) const {
  auto known = tables_.find(table);
  if (known == tables_.end()) {
    TAVOLA_TRY(Ruled ruled, find_design(table));
    known = tables_.emplace(table, std::move(ruled)).first;
  }
  return known->second.design ? &known->second : nullptr;
}

Result<void> ItemRoles::may_use(Ruled& ruled, ItemAct act, const Entity& entity, const Item& fields) const {
  // Reads the groups from the table only if the person would be refused without them.
  if (!ruled.person && design::may_use(*ruled.design, parts_.who, act, entity, fields)) return {};
  const Result<design::Identity>& person = person_of(ruled);
  if (!person) return fail(person.error());
  return design::may_use(*ruled.design, *person, act, entity, fields);
}

const Result<design::Identity>& ItemRoles::person_of(Ruled& ruled) const {
  if (!ruled.person) {
    const runner::Runner runner(
        {.database = parts_.database, .design = *ruled.design, .clock = parts_.clock});
    ruled.person = runner::with_groups(runner, parts_.who);
  }
  return *ruled.person;
}

bool ItemRoles::may_import(std::string_view table) const {
  const Result<Ruled*> ruled = find(table);
  if (!ruled || *ruled == nullptr || !design::has_importers(*(*ruled)->design)) return false;
  const Result<design::Identity>& person = person_of(**ruled);
  return person && design::may_import(*(*ruled)->design, *person);
}

Result<bool> ItemRoles::may_see(Ruled& ruled, const Entity& entity, const Item& fields) const {
  const Result<void> answer = may_use(ruled, ItemAct::Read, entity, fields);
  if (answer) return true;
  if (answer.error().detail<design::Forbidden>() != nullptr) return false;
  return fail(answer.error());
}

bool ItemRoles::may_see_all(const Ruled& ruled, const Entity& entity) const {
  const design::Identity& who = ruled.person && *ruled.person ? **ruled.person : parts_.who;
  return design::may_use(*ruled.design, who, ItemAct::Read, entity, {}).has_value();
}

Result<void> ItemRoles::may_use(Ruled& ruled, const Item& key, ItemAct act) const {
  const design::Decoded decoded = design::decode(*ruled.design, key);
  if (decoded.entity == nullptr) return fail(denied(decoded.why_none));
  return may_use(ruled, act, *decoded.entity, decoded.fields);
}

Result<void> ItemRoles::may_use(std::string_view table, const PackedItem& item, ItemAct act) const {
  TAVOLA_TRY(Ruled* const ruled, find(table));
  if (ruled == nullptr) return {};
  return may_use(*ruled, key_in(*ruled->design, item.view()), act);
}

Result<void> ItemRoles::may_read(std::string_view table, const PackedItem& item) const {
  return may_use(table, item, ItemAct::Read);
}

Result<bool> ItemRoles::may_see(std::string_view table, const PackedItem& item) const {
  TAVOLA_TRY(Ruled* const ruled, find(table));
  if (ruled == nullptr) return true;
  const design::Decoded decoded = design::decode(*ruled->design, key_in(*ruled->design, item.view()));
  return decoded.entity == nullptr ? Result<bool>(false) : may_see(*ruled, *decoded.entity, decoded.fields);
}

Result<void> ItemRoles::may_write(std::string_view table, const PackedItem& item) const {
  TAVOLA_TRY(const Ruled* const ruled, find(table));
  // Internal records belong to no entity; they are part of a table that is brought in.
  const bool is_record = ruled != nullptr && design::is_record(ruled->design->table, item.view());
  if (!is_record || !may_import(table)) TAVOLA_CHECK(may_use(table, item, ItemAct::Write));
  return ruled != nullptr && ruled->is_by_name ? check_governed(parts_.database, table) : Result<void>();
}

// A writer learns in any case whether an item exists.
Result<void> ItemRoles::may_test(std::string_view table, const PackedItem& item,
                                 const std::vector<std::string>& attributes) const {
  TAVOLA_TRY(Ruled* const ruled, find(table));
  if (ruled == nullptr) return {};
  const design::Table& keys = ruled->design->table;
  const bool asks_for_more = std::ranges::any_of(attributes, [&](const std::string& name) {
    return name != keys.hash.name && (!keys.range || name != keys.range->name);
  });
  return asks_for_more ? may_read(table, item) : Result<void>();
}

Result<void> ItemRoles::may_change_table(std::string_view table) const {
  TAVOLA_TRY(Ruled* const ruled, find(table));
  if (ruled == nullptr) return {};
  return fail(denied("roles apply to items only, and its key stands for a person with roles"));
}

Result<Item> ItemRoles::with_owner(const Ruled& ruled, const Found& found) const {
  const Design& design = *ruled.design;
  const Entity& entity = *found.decoded.entity;
  Item fields = found.decoded.fields;
  for (const design::Role& role : design.roles) {
    const design::Attribute* const own = role.own.empty() ? nullptr : entity.find_field(role.own);
    if (own == nullptr || fields.contains(role.own)) continue;
    std::optional<Value> owner = owner_outside_key(design, *own, found.entry, key_in(design, found.entry));
    if (!owner && own->stored && !is_projected(design, found.index, role.own)) {
      const PackedItem key = key_of_item(design::key_schema_of(design), found.entry);
      TAVOLA_TRY(const GetItemResponse stored,
                 parts_.database.get_item({.table_name = design.table.name, .key = key}));
      if (stored.item) owner = owner_outside_key(design, *own, stored.item->view(), {});
    }
    if (owner) fields.emplace(role.own, *std::move(owner));
  }
  return fields;
}

ItemTest ItemRoles::test_for(Ruled& ruled, std::vector<const Entity*> wholly,
                             const std::string& index) const {
  const auto is_whole = [wholly = std::move(wholly)](const Entity& entity) {
    return std::ranges::find(wholly, &entity) != wholly.end();
  };
  return [this, &ruled, is_whole, index](const ItemView& entry) -> Result<bool> {
    const Design& design = *ruled.design;
    Item known = key_in(design, entry);
    if (const auto mark = entry.find(design.table.entity_attribute))
      known.try_emplace(design.table.entity_attribute, mark->unpack());
    const design::Decoded decoded = design::decode(design, known);
    if (decoded.entity == nullptr) {
      return is_each(design, known, [&](const Entity& entity, const Item& fields) {
        return is_whole(entity) ? Result<bool>(true) : may_see(ruled, entity, fields);
      });
    }
    if (is_whole(*decoded.entity)) return true;
    TAVOLA_TRY(const Item fields, with_owner(ruled, {decoded, entry, index}));
    return may_see(ruled, *decoded.entity, fields);
  };
}

Result<ItemTest> ItemRoles::may_query(const QueryRequest& request) const {
  TAVOLA_TRY(Ruled* const ruled, find(request.table_name));
  if (ruled == nullptr) return ItemTest();
  const Design& design = *ruled->design;
  const std::optional<KeyQuestion> question = read_question(design, request);
  if (!question) return fail(denied("the design does not determine the items of such a key condition"));
  bool is_known = false;
  std::vector<const Entity*> wholly;
  for (const Entity& entity : design.entities) {
    const std::vector<Item> found = finds(design, entity, request.index_name, *question);
    for (const Item& fields : found) TAVOLA_CHECK(may_use(*ruled, ItemAct::Read, entity, fields));
    is_known = is_known || !found.empty();
    if (!found.empty() && may_see_all(*ruled, entity)) wholly.push_back(&entity);
  }
  if (!is_known) return fail(denied("no entity has such a key"));
  return test_for(*ruled, std::move(wholly), request.index_name);
}

Result<ItemTest> ItemRoles::may_scan(const ScanRequest& request) const {
  TAVOLA_TRY(Ruled* const ruled, find(request.table_name));
  if (ruled == nullptr) return ItemTest();
  const Design& design = *ruled->design;
  if (!request.index_name.empty() && design.find_index(request.index_name) == nullptr) {
    return fail(denied("the design has no index " + request.index_name));
  }
  std::vector<const Entity*> wholly;
  for (const Entity& entity : design.entities) {
    const bool is_there = request.index_name.empty() || entity.find_index(request.index_name) != nullptr;
    if (!is_there) continue;
    TAVOLA_CHECK(may_use(*ruled, ItemAct::Read, entity, {}));
    wholly.push_back(&entity);
  }
  return test_for(*ruled, std::move(wholly), request.index_name);
}

// A stream outlives its table for a day, and then the owners of its items are not known any more.
Result<void> ItemRoles::may_read_stream(const std::string& stream) const {
  const Result<DescribeStreamResponse> described =
      parts_.database.describe_stream({.stream = stream, .limit = 1});
  if (!described) return fail(described.error());
  const std::string& name = described->stream.table_name;
  const Result<DescribeTableResponse> table = parts_.database.describe_table({.table_name = name});
  if (!table || table->table.created_at > described->stream.created_at) {
    return fail(denied("the stream's table was deleted, and with it the roles that decide who may read it"));
  }
  TAVOLA_CHECK(may_scan({.table_name = name}));
  return {};
}

Result<void> ItemRoles::may_use_backup(const std::string& backup) const {
  const Result<DescribeBackupResponse> described = parts_.database.describe_backup({.backup = backup});
  if (!described) return fail(described.error());
  const TableDescription& saved = described->backup.table;
  TAVOLA_CHECK(may_change_table(saved.table_name));
  const Result<DescribeTableResponse> table =
      parts_.database.describe_table({.table_name = saved.table_name});
  const bool is_same = table && table->table.table_id == saved.table_id;
  if (is_same || (!saved.governed_by && saved.awaits_design.empty())) return {};
  return fail(
      denied("the backup's table had a design and was deleted, and with it the roles that decide "
             "who may read it"));
}

}  // namespace tavola::access

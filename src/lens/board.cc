// The board: a column for each state.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "design/items/entity_item.h"
#include "design/model/field_value.h"
#include "design/model/plain_json.h"
#include "json/writer.h"
#include "lens/key_readers.h"
#include "lens/lifecycles.h"
#include "lens/named_parts.h"
#include "lens/reading.h"
#include "lens/shown_item.h"
#include "lens/states.h"

namespace tavola::lens {
namespace {

using design::Attribute;
using design::Decoded;
using design::Design;
using design::Entity;
using design::IndexEntry;
using design::KeySource;
using design::Lifecycle;
using design::State;
using design::Template;

constexpr std::int64_t kCardsMax = 200;
constexpr std::int64_t kCards = 50;
constexpr std::int64_t kScannedMax = 5'000;
constexpr std::int64_t kChoiceItemsMax = 2'000;
constexpr std::size_t kChoicesMax = 50;

bool names_field(const Template& key, const std::string& field) {
  const std::vector<std::string> fields = key.fields();
  return std::ranges::find(fields, field) != fields.end();
}

// Returns whether the sort key of the entry begins with the state, perhaps behind constants.
bool begins_with_state(const IndexEntry& entry, const Lifecycle& lifecycle) {
  if (!entry.range) return false;
  if (!entry.range->from) return entry.range->lifecycle == lifecycle.name;
  const std::vector<std::string> fields = entry.range->from->fields();
  return !fields.empty() && fields.front() == lifecycle.field();
}

// Returns the entry of the index in which the items of one state lie together; null if there is none.
const IndexEntry* entry_with_states(const Entity& entity, const Lifecycle& lifecycle) {
  for (const IndexEntry& entry : entity.indexes) {
    if (!entry.hash.from) continue;
    const bool is_own = lifecycle.attribute.empty() ? entry.index == lifecycle.index : true;
    if (is_own && (begins_with_state(entry, lifecycle) || names_field(*entry.hash.from, lifecycle.field())))
      return &entry;
  }
  return nullptr;
}

struct Column {
  const State* state = nullptr;
  std::vector<std::pair<Decoded, Item>> items{};
  std::optional<PackedItem> next{};
};

struct Asked {
  const Entity& entity;
  const Lifecycle& lifecycle;
  const IndexEntry* entry;  // null: a scan
  Item fields;              // of the partition
  std::vector<std::string> needs;
  std::int64_t limit = 0;
  std::string state;  // empty: all
  std::optional<Item> page;

  bool is_complete() const {
    return std::ranges::all_of(needs, [&](const std::string& name) { return fields.contains(name); });
  }
};

Result<const Lifecycle*> lifecycle_of_question(const Entity& entity, const Question& question) {
  TAVOLA_TRY(const std::string name, question.text("lifecycle"));
  if (name.empty() && !entity.lifecycles.empty()) return &entity.lifecycles.front();
  const Lifecycle* const lifecycle = entity.find_lifecycle(name);
  if (lifecycle == nullptr)
    return fail(Error(ErrorCode::ResourceNotFound, entity.name + " has no lifecycle " + name));
  return lifecycle;
}

Result<Asked> read_question(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Entity* const entity, entity_of_question(subject.design, question));
  TAVOLA_TRY(const Lifecycle* const lifecycle, lifecycle_of_question(*entity, question));
  Asked asked{.entity = *entity,
              .lifecycle = *lifecycle,
              .entry = entry_with_states(*entity, *lifecycle),
              .fields = {},
              .needs = {},
              .state = {},
              .page = {}};
  TAVOLA_TRY(asked.limit, question.count("limit", kCards, kCardsMax));
  TAVOLA_TRY(asked.state, question.text("state"));
  TAVOLA_TRY(asked.page, question.item("page"));
  if (!asked.state.empty() && lifecycle->find_state(asked.state) == nullptr)
    return fail(Error::validation(lifecycle->name + " has no state " + asked.state));
  TAVOLA_TRY(const Item given, question.parameters("parameters"));
  for (const auto& [name, value] : given) {
    const Attribute* const field = entity->find_field(name);
    if (field == nullptr) return fail(Error::validation(entity->name + " has no field " + name));
    TAVOLA_TRY(asked.fields[name], design::from_plain(*field, value));
  }
  if (asked.entry == nullptr || !asked.entry->hash.from) return asked;
  for (const std::string& field : asked.entry->hash.from->fields()) {
    if (field != lifecycle->field()) asked.needs.push_back(field);
  }
  return asked;
}

// ---- Reading ----

bool is_in(const Asked& asked, const State& state, const Decoded& decoded) {
  return decoded.entity == &asked.entity && state_of(asked.lifecycle, decoded.fields) == &state;
}

// Returns the beginning of the sort keys of a state; nullopt: all of the partition.
Result<std::optional<Value>> beginning_of(const Asked& asked, const State& state, Type type) {
  const auto& range = asked.entry->range;
  if (!begins_with_state(*asked.entry, asked.lifecycle) || type != Type::String) return std::nullopt;
  if (state.key) return std::optional<Value>(std::string(state.key->prefix()));
  if (!range || !range->from) return std::nullopt;
  return std::optional<Value>(std::string(range->from->prefix()) + state.name);
}

Result<void> query_column(const Subject& subject, const Asked& asked, Column& column) {
  const std::string& index = asked.entry->index;
  const std::optional<Template>& partition = asked.entry->hash.from;
  if (!partition) return {};
  Item fields = asked.fields;
  fields.insert_or_assign(asked.lifecycle.field(), column.state->name);
  TAVOLA_TRY(const auto hash,
             partition->render(fields, asked.entity.forms(), hash_of(subject.design, index).type));
  if (!hash) return {};
  const design::KeyAttribute* const range = range_of(subject.design, index);
  TAVOLA_TRY(const auto beginning,
             beginning_of(asked, *column.state, range == nullptr ? Type::Null : range->type));
  TAVOLA_TRY(QueryRequest request, query_of(subject.design, index, *hash, beginning ? &*beginning : nullptr));
  if (asked.page) {
    TAVOLA_TRY(request.exclusive_start_key, pack(*asked.page));
  }
  TAVOLA_TRY(Reading reading, read_pages(subject, std::move(request), asked.limit, [&](const Item& item) {
               Decoded decoded = design::decode(subject.design, item);
               if (is_in(asked, *column.state, decoded)) column.items.emplace_back(std::move(decoded), item);
               return Result<void>();
             }));
  column.next = std::move(reading.next);
  return {};
}

// Reads until a column is full: its next page begins behind what was read, so that everything that was read is shown.
Result<void> scan_columns(const Subject& subject, const Asked& asked, std::vector<Column>& columns) {
  ScanRequest request{.table_name = subject.design.table.name};
  if (asked.page) {
    TAVOLA_TRY(request.exclusive_start_key, pack(*asked.page));
  }
  const auto put_into_column = [&](const Item& item) {
    Decoded decoded = design::decode(subject.design, item);
    const auto column =
        std::ranges::find_if(columns, [&](const Column& one) { return is_in(asked, *one.state, decoded); });
    if (column != columns.end()) column->items.emplace_back(std::move(decoded), item);
    return Result<void>();
  };
  const auto is_full = [&](const Column& one) { return std::ssize(one.items) >= asked.limit; };
  const WallTime end = subject.clock.now() + kReadingMax;
  std::int64_t scanned = 0;
  do {
    TAVOLA_TRY(Reading reading, read_pages(subject, request, asked.limit, put_into_column));
    scanned += reading.items;
    request.exclusive_start_key = std::move(reading.next);
  } while (request.exclusive_start_key && scanned < kScannedMax && subject.clock.now() < end &&
           std::ranges::none_of(columns, is_full));
  for (Column& column : columns) column.next = request.exclusive_start_key;
  return {};
}

Result<std::vector<Column>> read_columns(const Subject& subject, const Asked& asked) {
  std::vector<Column> columns;
  for (const State& state : asked.lifecycle.states) {
    if (asked.state.empty() || asked.state == state.name) columns.push_back({.state = &state});
  }
  if (asked.entry == nullptr) {
    TAVOLA_CHECK(scan_columns(subject, asked, columns));
  } else if (asked.is_complete()) {
    for (Column& column : columns) TAVOLA_CHECK(query_column(subject, asked, column));
  }
  return columns;
}

// ---- Writing ----

// Writes the partitions of the index that were found, as the fields that name them.
Result<void> write_choices(json::Writer& json, const Subject& subject, const Asked& asked) {
  std::map<std::string, std::int64_t> choices;
  ScanRequest request{.table_name = subject.design.table.name, .index_name = asked.entry->index};
  TAVOLA_TRY(const Reading reading,
             read_pages(subject, std::move(request), kChoiceItemsMax, [&](const Item& item) {
               const Decoded decoded = design::decode(subject.design, item);
               if (decoded.entity != &asked.entity) return Result<void>();
               Item fields;
               for (const std::string& name : asked.needs) {
                 const auto value = decoded.fields.find(name);
                 if (value != decoded.fields.end()) fields.insert(*value);
               }
               if (fields.size() == asked.needs.size()) ++choices[design::to_plain_json(fields)];
               return Result<void>();
             }));
  std::vector<std::pair<std::string, std::int64_t>> sorted(choices.begin(), choices.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (sorted.size() > kChoicesMax) sorted.resize(kChoicesMax);
  json.begin_list();
  for (const auto& [fields, items] : sorted) {
    json.begin_object();
    json.name("fields").raw() += fields;
    json.name("items").integer(items);
    json.end_object();
  }
  json.end_list();
  return {};
}

void write_column(json::Writer& json, const Subject& subject, const Asked& asked, const Column& column) {
  const State& state = *column.state;
  json.begin_object();
  json.name("state").text(state.name);
  json.name("title").text(state.notes.title);
  json.name("doc").text(state.notes.doc);
  json.name("initial").boolean(&state == &asked.lifecycle.initial());
  json.name("terminal").boolean(state.terminal);
  json.name("stuckAfter");
  if (state.stuck_after) {
    json.integer(state.stuck_after->count());
  } else {
    json.raw() += "null";
  }
  json.name("next").raw() += next_json(column.next);
  json.name("items").begin_list();
  for (const auto& [decoded, item] : column.items) {
    json.begin_object();
    write_item_members(json, subject, decoded, item);
    write_stay(json, stay_in(asked.entity, state, decoded.fields, subject.clock.now()));
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

}  // namespace

Result<std::string> board(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Asked asked, read_question(subject, question));
  TAVOLA_TRY(const std::vector<Column> columns, read_columns(subject, asked));
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("by").text(asked.entry == nullptr ? "scan" : "index");
  if (asked.entry != nullptr) json.name("index").text(asked.entry->index);
  json.name("needs").begin_list();
  for (const std::string& name : asked.needs) json.text(name);
  json.end_list();
  if (!asked.is_complete()) {
    json.name("choices");
    TAVOLA_CHECK(write_choices(json, subject, asked));
  }
  json.name("columns").begin_list();
  for (const Column& column : columns) write_column(json, subject, asked, column);
  json.end_list();
  json.name("transitions");
  TAVOLA_CHECK(write_transitions(json, subject.design, asked.entity, asked.lifecycle));
  json.end_object();
  return answer;
}

}  // namespace tavola::lens

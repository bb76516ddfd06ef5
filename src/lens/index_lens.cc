#include "lens/index_lens.h"

#include <algorithm>
#include <utility>

#include "base/joined.h"
#include "design/model/plain_json.h"
#include "design/model/secrets.h"
#include "json/writer.h"
#include "lens/key_readers.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

using design::Decoded;
using design::Design;
using design::Entity;
using design::Index;
using design::IndexEntry;

constexpr std::int64_t kEntriesMax = 2'000;  // with equal index keys, before the item's own

std::string missing_in(const Entity& entity, const design::KeySource& source, const Item& fields) {
  if (!source.from) {
    const design::Lifecycle* const lifecycle = entity.find_lifecycle(source.lifecycle);
    return lifecycle != nullptr && !fields.contains(lifecycle->field())
               ? "it has no state of " + lifecycle->name
               : "";
  }
  for (const std::string& field : source.from->fields()) {
    if (!fields.contains(field)) return field + " has no value";
  }
  return "";
}

// Returns the keys of one index among those that the design computes.
Item keys_of_index(const Index& index, const Item& computed, const Item& table_key) {
  Item keys;
  for (const Item* from : {&computed, &table_key}) {
    for (const design::KeyAttribute* key : {&index.hash, index.range ? &*index.range : nullptr}) {
      const auto found = key == nullptr ? from->end() : from->find(key->name);
      if (found != from->end()) keys.insert(*found);
    }
  }
  return keys;
}

Result<std::optional<Item>> entry_of(const Subject& subject, const Index& index, const Item& item) {
  const auto hash = item.find(index.hash.name);
  const auto range = index.range ? item.find(index.range->name) : item.end();
  if (hash == item.end() || (index.range && range == item.end())) return std::nullopt;
  TAVOLA_TRY(QueryRequest request, query_of(subject.design, index.name, hash->second, nullptr));
  if (index.range) {
    request.key_condition_expression += " AND #range = :range";
    request.names.emplace("#range", index.range->name);
    TAVOLA_TRY(request.values, pack({{":hash", hash->second}, {":range", range->second}}));
  }
  const Item key = key_of_item(subject.design, item);
  std::optional<Item> entry;
  TAVOLA_TRY(const Reading reading,
             read_pages(subject, std::move(request), kEntriesMax, [&](const Item& one) {
               if (key_of_item(subject.design, one) == key) entry = one;
               return Result<void>();
             }));
  return entry;
}

// Returns what is wrong with the keys that an item has for an index; empty if nothing is.
std::string why_stored_differs(const Index& index, const Item& keys, const Item& item) {
  for (const design::KeyAttribute* key : {&index.hash, index.range ? &*index.range : nullptr}) {
    if (key == nullptr) continue;
    const auto is = item.find(key->name);
    const auto should = keys.find(key->name);
    const auto shown = [](const auto& found, const auto& end) {
      return found == end ? std::string("absent") : design::to_plain_json(found->second);
    };
    if ((is == item.end()) == (should == keys.end()) && (is == item.end() || is->second == should->second))
      continue;
    return key->name + " is " + shown(is, item.end()) + ", should be " + shown(should, keys.end());
  }
  return "";
}

struct Entry {
  const Index& index;
  const Decoded& decoded;
  const Item& item;
};

Result<void> write_index(json::Writer& json, const Subject& subject, const Entry& one) {
  const Entity& entity = *one.decoded.entity;
  const Item& fields = one.decoded.fields;
  const design::Template* const hash = hash_template(entity, one.index.name, fields);
  const design::Template* const range = range_template(entity, one.index.name, fields);
  json.name("hash").text(hash == nullptr ? std::string_view() : hash->text());
  json.name("range").text(range == nullptr ? std::string_view() : range->text());
  TAVOLA_TRY(const Item computed, design::index_keys_of(subject.design, entity, fields));
  const Item keys = keys_of_index(one.index, computed, key_of_item(subject.design, one.item));
  TAVOLA_TRY(const std::optional<Item> entry, entry_of(subject, one.index, one.item));
  std::string why = why_not_indexed(entity, one.index, fields);
  if (why.empty()) {
    why = why_stored_differs(one.index, keys, one.item);
    if (why.empty() && !entry) why = "the entry is not there yet: an index follows its table";
  } else if (entry) {
    why = "it should have no entry: " + why;
  }
  json.name("keys").raw() += to_json(keys);
  json.name("entry");
  if (entry) {
    json.begin_object();
    write_item_members(json, subject, one.decoded, *entry, one.index.name);
    json.end_object();
  } else {
    json.raw() += "null";
  }
  json.name("why").text(why);
  json.name("unprojected").begin_list();
  for (const auto& [name, value] : one.item) {
    if (entry && !entry->contains(name)) json.text(name);
  }
  json.end_list();
  json.name("patterns").begin_list();
  for (const design::Pattern* pattern : readers_of(subject.design, entity, one.index.name))
    json.text(pattern->name);
  json.end_list();
  return {};
}

}  // namespace

std::string values_in_words(const Entity& entity, const std::vector<std::vector<std::string>>& paths,
                            const Item& fields) {
  return joined(paths, [&](const std::vector<std::string>& path) {
    const std::string& name = path.front();
    const design::Attribute* const field = entity.find_field(name);
    const auto value = fields.find(name);
    if (value == fields.end()) return name + " has no value";
    if (field != nullptr && design::holds_secret(*field)) return name + " has another value";
    return name + " is " + design::to_plain_json(value->second);
  });
}

std::string why_not_indexed(const Entity& entity, const Index& index, const Item& fields) {
  const IndexEntry* const entry = entity.find_index(index.name);
  if (entry == nullptr) return entity.name + " has no key in " + index.name;
  std::string missing = missing_in(entity, entry->hash, fields);
  if (missing.empty() && entry->range) missing = missing_in(entity, *entry->range, fields);
  if (!missing.empty()) return missing;
  if (!entry->when) return "";
  const Result<bool> holds = entry->when->holds({.fields = &fields});
  if (holds && *holds) return "";
  return entry->when->text() + " does not hold: " + values_in_words(entity, entry->when->paths(), fields);
}

Result<std::string> indexes(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  TAVOLA_TRY(const Item item, read_needed_item(subject, key));
  const Decoded decoded = design::decode(subject.design, item);
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("item").begin_object();
  write_item_members(json, subject, decoded, item);
  json.end_object();
  json.name("indexes").begin_list();
  for (const Index& index : subject.design.indexes) {
    json.begin_object();
    json.name("index").text(index.name);
    json.name("title").text(index.notes.title);
    json.name("local").boolean(index.local);
    if (decoded.entity != nullptr) {
      TAVOLA_CHECK(write_index(json, subject, {index, decoded, item}));
    } else {
      json.name("why").text("the design does not know the item: " + decoded.why_none);
    }
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return answer;
}

}  // namespace tavola::lens

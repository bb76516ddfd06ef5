#include "lens/partition.h"

#include <map>
#include <utility>
#include <vector>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "json/writer.h"
#include "lens/key_readers.h"
#include "lens/reading.h"
#include "lens/shown_item.h"

namespace tavola::lens {
namespace {

constexpr std::int64_t kPartitionItems = 200;
constexpr std::int64_t kPartitionItemsMax = 1'000;

struct LaneItem {
  design::Decoded decoded;
  Item item;
};

void write_items(json::Writer& json, const Subject& subject, const std::vector<LaneItem>& items,
                 std::string_view index) {
  json.begin_list();
  for (const LaneItem& one : items) {
    json.begin_object();
    write_item_members(json, subject, one.decoded, one.item, index);
    json.end_object();
  }
  json.end_list();
}

void write_lane(json::Writer& json, const Subject& subject, const std::vector<LaneItem>& items,
                std::string_view index) {
  const design::Entity& entity = *items.front().decoded.entity;
  const design::Template* const range = range_template(entity, index, items.front().decoded.fields);
  json.begin_object();
  json.name("entity").text(entity.name);
  json.name("title").text(entity.notes.title);
  json.name("range").text(range == nullptr ? std::string_view() : range->text());
  json.name("patterns").begin_list();
  for (const design::Pattern* pattern : readers_of(subject.design, entity, index)) json.text(pattern->name);
  json.end_list();
  json.name("items");
  write_items(json, subject, items, index);
  json.end_object();
}

}  // namespace

Result<std::string> partition(const Subject& subject, const Question& question) {
  const design::Design& design = subject.design;
  TAVOLA_TRY(const std::string index, index_of_question(design, question));
  TAVOLA_TRY(const Value hash, question.needed_value("hash"));
  TAVOLA_TRY(const std::int64_t limit, question.count("limit", kPartitionItems, kPartitionItemsMax));
  TAVOLA_TRY(const std::optional<Item> start, question.item("page"));
  TAVOLA_TRY(QueryRequest request, query_of(design, index, hash, nullptr));
  request.limit = limit;
  if (start) {
    TAVOLA_TRY(request.exclusive_start_key, pack(*start));
  }
  TAVOLA_TRY(const Page page, subject.database.query(request));

  std::map<const design::Entity*, std::vector<LaneItem>> lanes;
  for (const PackedItem& packed : page.items) {
    Item item = packed.unpack();
    if (design::is_record(design.table, item)) continue;
    design::Decoded decoded = design::decode(design, item);
    const design::Entity* const entity = decoded.entity;
    lanes[entity].push_back({std::move(decoded), std::move(item)});
  }
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("hash").begin_object();
  json.name("attribute").text(hash_of(design, index).name);
  json.name("value").raw() += to_json(hash);
  json.end_object();
  json.name("count").integer(page.count);
  json.name("next").raw() += next_json(page.last_evaluated_key);
  json.name("lanes").begin_list();
  for (const design::Entity& entity : design.entities) {
    if (lanes.contains(&entity)) write_lane(json, subject, lanes[&entity], index);
  }
  json.end_list();
  json.name("unknown");
  write_items(json, subject, lanes[nullptr], index);
  json.end_object();
  return answer;
}

}  // namespace tavola::lens

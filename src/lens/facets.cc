#include "lens/facets.h"

#include <cstdint>
#include <map>

#include "design/items/dependent_writes.h"
#include "design/items/entity_item.h"
#include "design/model/secrets.h"
#include "json/writer.h"

namespace tavola::lens {
namespace {

constexpr std::size_t kFacetItemsMax = 1'000;

}  // namespace

Result<std::string> facets(const Subject& subject, const Question& question) {
  const design::Design& design = subject.design;
  TAVOLA_TRY(const std::vector<Item> items, question.items("items", kFacetItemsMax));
  std::map<const design::Entity*, std::int64_t> counts;
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("items").begin_list();
  for (const Item& item : items) {
    json.begin_object();
    if (design::is_record(design.table, item)) {
      json.name("record").boolean(true);
    } else {
      const design::Decoded decoded = design::decode(design, item);
      ++counts[decoded.entity];
      if (decoded.entity == nullptr) {
        json.name("why").text(decoded.why_none);
      } else {
        json.name("entity").text(decoded.entity->name);
      }
    }
    json.end_object();
  }
  json.end_list();
  json.name("entities").begin_list();
  for (const design::Entity& entity : design.entities) {
    json.begin_object();
    json.name("entity").text(entity.name);
    json.name("title").text(entity.notes.title);
    json.name("count").integer(counts[&entity]);
    json.name("sensitive").begin_list();
    for (const design::Attribute& field : entity.fields) {
      if (design::holds_secret(field)) json.text(field.name);
    }
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.name("unknown").integer(counts[nullptr]);
  json.end_object();
  return answer;
}

}  // namespace tavola::lens

#include "server/v1/entity_json.h"

#include "design/model/plain_json.h"
#include "json/writer.h"

namespace tavola::server {

std::string page_json(const runner::Found& found) {
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("items").begin_list();
  for (const runner::Found::One& one : found.entities) design::write_plain(json, Value(one.fields));
  json.end_list();
  json.name("next");
  if (found.next.empty()) {
    json.raw() += "null";
  } else {
    json.text(found.next);
  }
  if (found.items_read) json.name("itemsRead").integer(static_cast<std::int64_t>(*found.items_read));
  if (found.missing > 0) json.name("missing").integer(static_cast<std::int64_t>(found.missing));
  json.end_object();
  return body;
}

}  // namespace tavola::server

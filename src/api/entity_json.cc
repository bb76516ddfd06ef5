#include "api/entity_json.h"

#include "base/json_writer.h"
#include "design/model/plain_json.h"

namespace tavola::api {

std::string page_json(const runner::Found& found) {
  std::string body;
  JsonWriter json(body);
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
  json.end_object();
  return body;
}

}  // namespace tavola::api

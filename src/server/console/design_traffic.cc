#include "server/console/design_traffic.h"

#include "base/timestamps.h"
#include "json/writer.h"

namespace tavola::server {
namespace {

std::string what_of(const drift::RequestCounts::Unexplained& one) {
  return one.operation + (one.index.empty() ? "" : " " + one.index) +
         (one.example.empty() ? "" : ": " + one.example);
}

void write_unserved(json::Writer& json, std::string_view what, std::uint64_t requests) {
  json.begin_object();
  json.name("what").text(what);
  json.name("requests").integer(static_cast<std::int64_t>(requests));
  json.end_object();
}

}  // namespace

std::string traffic_json(const drift::RequestCounts& counts) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("since").text(iso8601(counts.since));
  json.name("patterns").begin_list();
  for (const auto& [name, cost] : counts.costs) {
    json.begin_object();
    json.name("name").text(name);
    json.name("requests").integer(static_cast<std::int64_t>(cost.requests));
    json.name("scanned").integer(static_cast<std::int64_t>(cost.scanned));
    json.name("returned").integer(static_cast<std::int64_t>(cost.returned));
    json.name("readUnits").decimal(cost.read_units);
    json.end_object();
  }
  json.end_list();
  json.name("unserved").begin_list();
  for (const drift::RequestCounts::Unexplained& one : counts.unexplained) {
    write_unserved(json, what_of(one), one.count);
  }
  if (counts.further_unexplained > 0) write_unserved(json, "other forms", counts.further_unexplained);
  json.end_list();
  json.end_object();
  return out;
}

}  // namespace tavola::server

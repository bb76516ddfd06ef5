// Request counts as JSON and back.
#include <algorithm>

#include "design/model/plain_json.h"
#include "design/requests/pattern_request.h"
#include "drift/requests_seen.h"

namespace tavola::drift {
namespace {

Error no_counts() {
  return Error::validation("this is not the JSON of request counts that a server with --design returns");
}

const Value* member(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

Result<std::uint64_t> read_count(const Value* value) {
  if (value == nullptr || !value->is_number()) return fail(no_counts());
  const std::string text = value->number().to_string();
  std::uint64_t count = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || count > UINT64_MAX / 10 - 1) return fail(no_counts());
    count = count * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return count;
}

Result<std::string> read_text(const Map& map, std::string_view name) {
  const Value* const value = member(map, name);
  if (value == nullptr || !value->is_string()) return fail(no_counts());
  return value->string();
}

Result<RequestCounts::Unexplained> read_unexplained(const Value& value) {
  if (value.type() != Type::Map) return fail(no_counts());
  RequestCounts::Unexplained one;
  TAVOLA_TRY(one.operation, read_text(value.map(), "operation"));
  TAVOLA_TRY(one.index, read_text(value.map(), "index"));
  TAVOLA_TRY(one.example, read_text(value.map(), "example"));
  TAVOLA_TRY(one.count, read_count(member(value.map(), "count")));
  return one;
}

}  // namespace

bool RequestCounts::is_used(const design::Design& design, const design::Pattern& pattern) const {
  const std::vector<const design::Pattern*> parts = design::parts_of(design, pattern);
  bool is_request = false;
  for (const design::Pattern* part : parts) {
    const auto count = patterns.find(part->name);
    if (count == patterns.end()) continue;
    is_request = true;
    if (count->second > 0) return true;
  }
  return !is_request;
}

std::string to_json(const RequestCounts& counts) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.name("patterns").begin_object();
  for (const auto& [name, count] : counts.patterns) {
    json.name(name).integer(static_cast<std::int64_t>(count));
  }
  json.end_object();
  json.name("unexplained").begin_list();
  for (const RequestCounts::Unexplained& one : counts.unexplained) {
    json.begin_object();
    json.name("operation").text(one.operation);
    json.name("index").text(one.index);
    json.name("example").text(one.example);
    json.name("count").integer(static_cast<std::int64_t>(one.count));
    json.end_object();
  }
  json.end_list();
  json.name("furtherUnexplained").integer(static_cast<std::int64_t>(counts.further_unexplained));
  json.end_object();
  return out;
}

Result<RequestCounts> parse_request_counts(std::string_view json) {
  TAVOLA_TRY(const Value whole, design::parse_plain_json(json));
  if (whole.type() != Type::Map) return fail(no_counts());
  const Value* const patterns = member(whole.map(), "patterns");
  const Value* const unexplained = member(whole.map(), "unexplained");
  if (patterns == nullptr || patterns->type() != Type::Map || unexplained == nullptr ||
      unexplained->type() != Type::List) {
    return fail(no_counts());
  }
  RequestCounts counts;
  for (const auto& [name, count] : patterns->map()) {
    TAVOLA_TRY(counts.patterns[name], read_count(&count));
  }
  for (const Value& value : unexplained->list()) {
    TAVOLA_TRY(RequestCounts::Unexplained one, read_unexplained(value));
    counts.unexplained.push_back(std::move(one));
  }
  TAVOLA_TRY(counts.further_unexplained, read_count(member(whole.map(), "furtherUnexplained")));
  return counts;
}

}  // namespace tavola::drift

#include "governed/hidden_records.h"

#include <algorithm>

#include "governed/item_places.h"
#include "value/limits.h"

namespace tavola::governed {
namespace {

// Placeholders that no client is likely to use.
constexpr std::string_view kHashName = "#tavolaHash";
constexpr std::string_view kPrefixValue = ":tavolaRecord";

void leave_out_by_filter(const std::string& hash, ScanRequest& request) {
  const std::string own =
      "NOT begins_with(" + std::string(kHashName) + ", " + std::string(kPrefixValue) + ")";
  request.filter_expression =
      request.filter_expression.empty() ? own : "(" + request.filter_expression + ") AND " + own;
  request.names.emplace(kHashName, hash);
  Item values = request.values.unpack();
  values.emplace(kPrefixValue, Value("$"));
  if (Result<PackedItem> packed = pack(values)) request.values = *std::move(packed);
}

PackedItem without(const PackedItem& item, const std::string& name) {
  Item rest = item.unpack();
  rest.erase(name);
  return pack(rest).value_or(item);
}

}  // namespace

RecordFilter::RecordFilter(const DesignFacts& facts, ScanRequest& request) : facts_(facts) {
  const bool is_legacy = request.attributes_to_get || request.scan_filter || request.conditional_operator;
  const bool shows_hash = request.projection_expression.empty() && request.select != Select::Count;
  if (!is_legacy && (!shows_hash || !request.filter_expression.empty())) {
    leave_out_by_filter(facts.design().table.hash.name, request);
    is_by_server_ = true;
  } else if (request.attributes_to_get) {
    const std::string& hash = facts.design().table.hash.name;
    std::vector<std::string>& names = *request.attributes_to_get;
    strips_hash_ = !names.empty() && std::ranges::find(names, hash) == names.end();
    if (strips_hash_) names.push_back(hash);
  }
}

void RecordFilter::apply(ScanResponse& page) const {
  if (is_by_server_) return;
  const auto hidden = static_cast<std::int64_t>(
      std::erase_if(page.items, [this](const PackedItem& item) { return facts_.is_record(item.view()); }));
  page.count -= hidden;
  page.scanned_count -= hidden;
  if (!strips_hash_) return;
  for (PackedItem& item : page.items) item = without(item, facts_.design().table.hash.name);
}

void hide_records(const GovernedTables& tables, GetRecordsResponse& response) {
  const auto all = tables.all();
  std::erase_if(response.records, [&](const auto& record) {
    return std::ranges::any_of(all, [&](const auto& facts) { return facts->is_record(record.keys.view()); });
  });
}

Error reserved_key() {
  return Error::validation(
      "Tavola: keys that begin with $token#, $job#, $lease#, $design# or $front# are those of internal "
      "records of the "
      "server; choose another key");
}

}  // namespace tavola::governed

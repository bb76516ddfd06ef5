#include "engine/governed/pattern_reads.h"

#include "design/requests/pattern_request.h"
#include "engine/checks/compiled_request.h"
#include "engine/read/page.h"
#include "engine/read/read.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

Result<design::ReadRequest> request_of(const PatternQuestion& question) {
  Item parameters;
  for (const design::Parameter& parameter : question.pattern.parameters) {
    const auto field = question.fields.find(parameter.name);
    if (field != question.fields.end()) parameters.insert(*field);
  }
  return design::read_request(question.design, question.pattern, parameters, {.now = question.now});
}

// The rest of a range, behind an entry of it.
store::KeyRange behind(const std::string& key, store::KeyRange range, store::Direction direction) {
  if (direction == store::Direction::Forward) {
    range.from = key + '\0';
  } else {
    range.to = key;
  }
  return range;
}

}  // namespace

Result<std::optional<std::vector<Item>>> find_by_pattern(const TableSchema& table,
                                                         const PatternQuestion& question, RuleReads& reads) {
  TAVOLA_TRY(const design::ReadRequest made, request_of(question));
  std::vector<Item> items;
  if (const auto* const get = std::get_if<GetItemRequest>(&made)) {
    const auto stored = reads.find(item_key(table, get->key.view()));
    if (!stored) return std::nullopt;
    if (*stored) items.push_back(ItemView(**stored).unpack());
    return items;
  }
  const QueryRequest& request = std::get<QueryRequest>(made);
  TAVOLA_TRY(const ReadParameters parameters, compile_parameters(request));
  TAVOLA_TRY(const PageScan scan, scan_of_query(table, request, parameters));
  store::RangeRead read{.range = scan.range, .direction = scan.direction, .entries_max = question.limit};
  for (;;) {
    const store::RangeEntries* const entries = reads.find(read);
    if (entries == nullptr) return std::nullopt;
    for (const store::RangeEntry& entry : *entries) {
      const ItemView item(entry.value);
      if (scan.filter.holds(item)) items.push_back(item.unpack());
      if (items.size() == question.limit) return items;
    }
    if (entries->size() < question.limit) return items;
    read.range = behind(entries->back().key, std::move(read.range), read.direction);
  }
}

Result<Page> pattern_page(const store::Store& store, const TableSchema& table,
                          const PatternQuestion& question, std::optional<PackedItem> after) {
  TAVOLA_TRY(design::ReadRequest made, request_of(question));
  if (const auto* const get = std::get_if<GetItemRequest>(&made)) {
    TAVOLA_TRY(std::optional<std::string> stored, store.get(item_key(table, get->key.view())));
    Page page;
    if (stored) page.items.emplace_back(*std::move(stored));
    return page;
  }
  QueryRequest request = std::get<QueryRequest>(std::move(made));
  request.limit = static_cast<std::int64_t>(question.limit);
  request.exclusive_start_key = std::move(after);
  TAVOLA_TRY(const ReadParameters compiled, compile_parameters(request));
  return query_table(store, table, request, compiled);
}

}  // namespace tavola::engine

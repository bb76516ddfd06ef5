#include "engine/governed/pattern_reads.h"

#include <algorithm>

#include "design/requests/pattern_request.h"
#include "engine/checks/compiled_request.h"
#include "engine/read/page.h"
#include "engine/read/read.h"
#include "engine/records/keys.h"

namespace tavola::engine {
namespace {

// The entries are in memory together. A hundred of the largest items, which one deletion may delete with it, fit.
constexpr std::size_t kRuleBytesMax = std::size_t{64} * 1024 * 1024;

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

// Most patterns find what they want in the first portion. Every call of the rule reads all portions again, so each is twice as large as
// the one before.
Result<std::optional<design::FoundItems>> find_by_pattern(const TableSchema& table,
                                                          const PatternQuestion& question,
                                                          store::RuleReads& reads) {
  TAVOLA_TRY(const design::ReadRequest made, request_of(question));
  design::FoundItems found;
  if (const auto* const get = std::get_if<GetItemRequest>(&made)) {
    const auto stored = reads.find(item_key(table, get->key.view()));
    if (!stored) return std::nullopt;
    if (*stored) found.items.push_back(ItemView(**stored).unpack());
    return found;
  }
  const QueryRequest& request = std::get<QueryRequest>(made);
  TAVOLA_TRY(const ReadParameters parameters, compile_parameters(request));
  TAVOLA_TRY(const PageScan scan, scan_of_query(table, request, parameters));
  std::size_t entries_left = kRuleEntriesMax + 1;  // one more shows that the limit was exceeded
  std::size_t bytes = 0;
  store::RangeRead read{.range = scan.range,
                        .direction = scan.direction,
                        .entries_max = question.limit + 1,
                        .bytes_max = kRuleBytesMax};
  for (;;) {
    read.entries_max = std::min(read.entries_max, entries_left);
    const store::RangeEntries* const entries = reads.find(read);
    if (entries == nullptr) return std::nullopt;
    for (const store::RangeEntry& entry : *entries) {
      bytes += entry.value.size();
      const ItemView item(entry.value);
      if (!scan.filter.holds(item)) continue;
      if (found.items.size() == question.limit) {
        found.is_all = false;
        return found;
      }
      found.items.push_back(item.unpack());
    }
    if (entries->size() < read.entries_max && bytes < kRuleBytesMax) return found;
    entries_left -= entries->size();
    if (entries_left == 0 || bytes >= kRuleBytesMax) {
      found.is_all = false;
      return found;
    }
    read.range = behind(entries->back().key, std::move(read.range), read.direction);
    read.entries_max *= 2;
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

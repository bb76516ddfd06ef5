// Queries and scans of a history: page by page, against the entries the model computes.
#include <algorithm>
#include <map>
#include <set>

#include "tests/model/history.h"

namespace tavola::model {
namespace {

constexpr int kMostPages = 5000;  // more means that paging does not end

std::string render_range_term(const RangeTerm& term, Renderer& renderer) {
  static const std::vector<std::string> operators{"=", "<", "<=", ">", ">="};
  const std::string name = renderer.name(term.attribute);
  const std::string first = renderer.value(term.values[0]);
  if (term.kind == RangeTerm::Kind::Between) {
    return name + " BETWEEN " + first + " AND " + renderer.value(term.values[1]);
  }
  if (term.kind == RangeTerm::Kind::BeginsWith) return "begins_with(" + name + ", " + first + ")";
  return name + " " + operators[static_cast<std::size_t>(term.kind)] + " " + first;
}

std::string render_key_condition(const ModelTable& table, const QueryPlan& plan, Renderer& renderer,
                                 Random& random) {
  std::vector<std::string> terms;
  const std::vector<std::string> hash = table.hash_attributes(plan.index);
  terms.reserve(hash.size() + plan.range.size());
  for (std::size_t i = 0; i < hash.size(); ++i) {
    terms.push_back(render_range_term({.attribute = hash[i], .values = {plan.hash[i]}}, renderer));
  }
  for (const RangeTerm& term : plan.range) terms.push_back(render_range_term(term, renderer));
  random.shuffle(terms);
  std::string text;
  for (const std::string& term : terms) text += (text.empty() ? "" : " AND ") + term;
  return text;
}

// Returns the entries that a query of this plan reads from `start` on.
std::vector<Entry> entries_of(const ModelTable& table, const QueryPlan& plan,
                              const std::optional<Item>& start) {
  std::vector<Entry> entries = table.partition(plan.index, plan.hash);
  std::erase_if(entries, [&](const Entry& entry) {
    return !std::ranges::all_of(plan.range,
                                [&](const RangeTerm& term) { return matches(term, *entry.item); });
  });
  if (!plan.forward) std::ranges::reverse(entries);
  if (start) {
    // The item of the start key may be deleted or changed: only its position counts.
    const std::optional<Entry> at_start = table.entry(plan.index, *start);
    const Key place = at_start ? at_start->position : Key();
    std::erase_if(entries, [&](const Entry& entry) {
      const auto order = order_of_keys(entry.position, place);
      return plan.forward ? order <= 0 : order >= 0;
    });
  }
  return entries;
}

template <class Request>
void fill_read(Request& request, const ModelTable& table, const IndexShape* index, const ReadTerms& terms,
               Renderer& renderer) {
  request.table_name = table.name();
  if (index != nullptr) request.index_name = index->name;
  if (terms.filter) request.filter_expression = renderer.condition(*terms.filter);
  if (!terms.projection.empty()) request.projection_expression = renderer.projection(terms.projection);
  request.select = terms.select;
  request.consistent_read = terms.consistent;
  request.names = renderer.names();
}

std::optional<std::int64_t> any_limit(Random& random) {
  if (random.chance(35)) return std::nullopt;
  return random.chance(70) ? random.between(1, 4) : random.between(5, 40);
}

// Checks the order that every scan keeps: partitions whole and adjacent, each in ascending order.
Verdict check_scan_order(const std::vector<Entry>& order) {
  std::set<Key, KeyLess> ended;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i].hash == order[i - 1].hash) {
      if (order_of_keys(order[i - 1].position, order[i].position) >= 0) {
        return "a scan returns a partition out of order";
      }
    } else {
      ended.insert(order[i - 1].hash);
      if (ended.contains(order[i].hash)) return "a scan returns a partition in two pieces";
    }
  }
  return std::nullopt;
}

}  // namespace

void History::count_page(const Page& page, const std::optional<std::int64_t>& limit) {
  ++report_.pages;
  if (page.last_evaluated_key && (!limit || page.scanned_count < *limit)) ++report_.full_pages;
}

Verdict History::query(ModelTable& table) {
  const QueryPlan plan = generator_.query(table);
  Renderer renderer(random_);
  QueryRequest request{.key_condition_expression = render_key_condition(table, plan, renderer, random_),
                       .limit = any_limit(random_),
                       .scan_index_forward = plan.forward,
                       .return_consumed_capacity = any_capacity()};
  fill_read(request, table, plan.index, plan.terms, renderer);
  request.values = packed(renderer.values());
  const PageCheck check{.table = table,
                        .index = plan.index,
                        .terms = plan.terms,
                        .limit = request.limit,
                        .capacity = request.return_consumed_capacity};
  std::optional<Item> start;
  if (random_.chance(15)) start = generator_.start_key(table, plan);
  if (start) request.exclusive_start_key = packed(*start);
  for (int page_count = 0; page_count < kMostPages; ++page_count) {
    note([request] { return describe(request); });
    const auto page = database_->query(request);
    if (!page) return check_refusal({}, page.error());
    count_page(*page, request.limit);
    if (auto wrong = check_page(check, entries_of(table, plan, start), *page)) return wrong;
    request.exclusive_start_key = page->last_evaluated_key;
    if (!request.exclusive_start_key) return std::nullopt;
    start = request.exclusive_start_key->unpack();
    if (random_.chance(15)) {  // the next page must continue from the same position in the new state
      const auto step = std::vector{Step::PutItem, Step::UpdateItem, Step::DeleteItem}[random_.below(3)];
      if (auto wrong = do_step(step, table)) return wrong;
    }
  }
  return "paging does not end";
}

Verdict History::scan_all(const ModelTable& table, const IndexShape* index, std::vector<Entry>& order) {
  std::map<Key, Entry, KeyLess> expected;
  for (Entry& entry : table.entries(index)) expected.emplace(table.key_of(*entry.item), std::move(entry));
  order.clear();
  ScanRequest request{.table_name = table.name(), .index_name = index == nullptr ? "" : index->name};
  do {
    note([request] { return describe(request); });
    const auto page = database_->scan(request);
    if (!page) return check_refusal({}, page.error());
    count_page(*page, request.limit);
    if (page->count != page->scanned_count || page->items.size() != static_cast<std::size_t>(page->count)) {
      return "a scan without a filter counts otherwise than it returns";
    }
    for (const PackedItem& item : page->items) {
      const auto found = expected.find(table.key_of(item.unpack()));
      if (found == expected.end()) {
        return "a scan returns what is not there, or twice: " + to_json(item.unpack());
      }
      if (auto wrong = check_item("a scanned item", found->second.image, item)) return wrong;
      order.push_back(std::move(found->second));
      expected.erase(found);
    }
    request.exclusive_start_key = page->last_evaluated_key;
  } while (request.exclusive_start_key);
  if (!expected.empty()) return "a scan misses " + to_json(expected.begin()->second.image);
  return check_scan_order(order);
}

Verdict History::scan_pages(const ModelTable& table, const ScanPlan& plan, const std::vector<Entry>& order) {
  Renderer renderer(random_);
  ScanRequest request{.limit = any_limit(random_), .return_consumed_capacity = any_capacity()};
  fill_read(request, table, plan.index, plan.terms, renderer);
  request.values = packed(renderer.values());
  const PageCheck check{.table = table,
                        .index = plan.index,
                        .terms = plan.terms,
                        .limit = request.limit,
                        .capacity = request.return_consumed_capacity};
  std::vector<Entry> remaining = order;
  for (int page_count = 0; page_count < kMostPages; ++page_count) {
    note([request] { return describe(request); });
    const auto page = database_->scan(request);
    if (!page) return check_refusal({}, page.error());
    count_page(*page, request.limit);
    if (auto wrong = check_page(check, remaining, *page)) return wrong;
    if (!page->last_evaluated_key) return std::nullopt;
    remaining.erase(remaining.begin(), remaining.begin() + page->scanned_count);
    request.exclusive_start_key = page->last_evaluated_key;
  }
  return "paging does not end";
}

Verdict History::scan_segments(const ModelTable& table, const IndexShape* index,
                               const std::vector<Entry>& order) {
  std::map<Key, std::size_t, KeyLess> places;
  for (std::size_t i = 0; i < order.size(); ++i) places[table.key_of(*order[i].item)] = i;
  std::map<Key, int, KeyLess> segment_of;  // by partition
  std::set<std::size_t> seen;
  const int total = random_.between(1, 7);
  for (int segment = 0; segment < total; ++segment) {
    ScanRequest request{.table_name = table.name(),
                        .index_name = index == nullptr ? "" : index->name,
                        .limit = any_limit(random_),
                        .segment = segment,
                        .total_segments = total};
    std::optional<std::size_t> previous;
    do {
      note([request] { return describe(request); });
      const auto page = database_->scan(request);
      if (!page) return check_refusal({}, page.error());
      count_page(*page, request.limit);
      for (const PackedItem& item : page->items) {
        const auto place = places.find(table.key_of(item.unpack()));
        if (place == places.end()) return "a segment returns what is not there";
        if (!seen.insert(place->second).second) return "two segments return " + to_json(item.unpack());
        if (previous && *previous >= place->second) return "a segment has another order than the whole scan";
        previous = place->second;
        const auto [owner, is_new] = segment_of.emplace(order[place->second].hash, segment);
        if (owner->second != segment) return "a partition is divided between segments";
      }
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
  }
  if (seen.size() != order.size()) return "the segments together miss items";
  return std::nullopt;
}

Verdict History::scan(const ModelTable& table) {
  const ScanPlan plan = generator_.scan(table);
  std::vector<Entry> order;
  if (auto wrong = scan_all(table, plan.index, order)) return wrong;
  if (auto wrong = scan_pages(table, plan, order)) return wrong;
  return random_.chance(50) ? scan_segments(table, plan.index, order) : std::nullopt;
}

}  // namespace tavola::model

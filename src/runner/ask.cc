// Patterns: one page of entities at a time, or the rows of an aggregate.
#include <algorithm>
#include <iterator>
#include <span>

#include "base/overloaded.h"
#include "design/model/arguments.h"
#include "design/requests/aggregate.h"
#include "design/requests/pattern_request.h"
#include "runner/follow.h"
#include "runner/groups.h"
#include "runner/page_token.h"
#include "runner/runner.h"

namespace tavola::runner {
namespace {

// A filter may leave nothing of a page of the database; this many pages are read before an empty one is returned.
constexpr std::int64_t kFollowedMax = 100;  // on a page
constexpr int kRequestsMax = 16;

// One response of the database, from any of the operations.
struct RawPage {
  std::vector<PackedItem> items;
  std::optional<PackedItem> after;
  double units = 0;
};

double units_of(const std::optional<ConsumedCapacity>& capacity) { return capacity ? capacity->units : 0; }

Result<RawPage> fetch(Database& database, GetItemRequest request) {
  request.return_consumed_capacity = ReturnConsumedCapacity::Total;
  TAVOLA_TRY(GetItemResponse response, database.get_item(request));
  RawPage page{.items = {}, .after = {}, .units = units_of(response.consumed_capacity)};
  if (response.item) page.items.push_back(*std::move(response.item));
  return page;
}

RawPage raw_page(Page page) {
  const double units = units_of(page.consumed_capacity);
  return {std::move(page.items), std::move(page.last_evaluated_key), units};
}

Result<RawPage> fetch(Database& database, design::ReadRequest request, const PagePlace& place,
                      std::optional<std::int64_t> limit) {
  const auto fill = [&](auto& one) {
    one.exclusive_start_key = place.after;
    one.limit = limit;
    one.return_consumed_capacity = ReturnConsumedCapacity::Total;
  };
  return std::visit(Overloaded{[&](GetItemRequest& get) { return fetch(database, std::move(get)); },
                               [&](QueryRequest& query) -> Result<RawPage> {
                                 fill(query);
                                 TAVOLA_TRY(Page page, database.query(query));
                                 return raw_page(std::move(page));
                               },
                               [&](ScanRequest& scan) -> Result<RawPage> {
                                 fill(scan);
                                 TAVOLA_TRY(Page page, database.scan(scan));
                                 return raw_page(std::move(page));
                               }},
                    request);
}

// The question, which a page token belongs to: the token of another question is refused.
Result<std::string> context_of(const design::Design& design, const design::Pattern& pattern,
                               const Item& parameters) {
  TAVOLA_TRY(const PackedItem packed, pack(parameters));
  return design.name + '\0' + pattern.name + '\0' + packed.bytes();
}

Error bad_question(const std::string& parameter, std::string message) {
  return {ErrorCode::Validation, std::move(message), std::make_shared<design::BadParameter>(parameter)};
}

}  // namespace

// The requests of a pattern.
struct Runner::Reading {
  std::vector<const design::Pattern*> parts;
  const Item& parameters;
  const design::Ambient& ambient;
  std::optional<std::int64_t> limit;  // items, or the rows of an aggregate
};

Result<void> Runner::add_entities(const design::Pattern& part, const std::vector<PackedItem>& items,
                                  Found& found) const {
  std::vector<Found::One> entities;
  for (const PackedItem& item : items) {
    design::Decoded decoded = design::decode(parts_.design, item.unpack());
    // Entities of other kinds under the same keys were not asked for.
    if (decoded.entity == nullptr || decoded.entity->name != part.entity.text) continue;
    entities.push_back({decoded.entity, std::move(decoded.fields)});
  }
  if (part.follow.empty()) {
    std::ranges::move(entities, std::back_inserter(found.entities));
    return {};
  }
  const std::size_t before = found.entities.size();
  TAVOLA_CHECK(follow(parts_, part, entities, found));
  if (parts_.caller == nullptr) return {};
  return may_read(as(nullptr), identity(), std::span(found.entities).subspan(before));
}

Result<void> Runner::read_page(const Reading& reading, PagePlace& place, Found& found) const {
  const design::Design& design = parts_.design;
  for (int requests = 0; place.part < reading.parts.size() && requests < kRequestsMax; ++requests) {
    const design::Pattern& part = *reading.parts[place.part];
    const auto have = static_cast<std::int64_t>(found.entities.size());
    if (reading.limit ? have >= *reading.limit : have > 0) break;
    TAVOLA_CHECK(design::check_range(design, part, reading.parameters));
    TAVOLA_TRY(design::ReadRequest request,
               design::read_request(design, part, reading.parameters, reading.ambient));
    std::optional<std::int64_t> rest = reading.limit ? std::optional(*reading.limit - have) : std::nullopt;
    // Many small items may refer to large ones: a page has few of these.
    if (!part.follow.empty()) rest = std::min(rest.value_or(kFollowedMax), kFollowedMax);
    // A key gives one item: a limit would only make the database report a next page.
    const bool is_get = part.form == design::Pattern::Form::Get;
    TAVOLA_TRY(RawPage page, fetch(parts_.database, std::move(request), place, is_get ? std::nullopt : rest));
    found.read_units += page.units;
    TAVOLA_CHECK(add_entities(part, page.items, found));
    place = page.after ? PagePlace{place.part, std::move(page.after)} : PagePlace{place.part + 1, {}};
  }
  return {};
}

Result<Found> Runner::aggregate(const design::Pattern& pattern, const Reading& reading) const {
  design::Aggregation aggregation(pattern, reading.parameters, reading.ambient);
  const Reading all{reading.parts, reading.parameters, reading.ambient, {}};  // the limit is for the rows
  Found found;
  for (PagePlace place; place.part < reading.parts.size();) {
    TAVOLA_CHECK(read_page(all, place, found));
    for (const Found::One& one : found.entities) TAVOLA_CHECK(aggregation.add(one.fields));
    found.entities.clear();
  }
  found.items_read = aggregation.items();
  TAVOLA_TRY(std::vector<Item> rows, std::move(aggregation).rows(reading.limit));
  for (Item& row : rows) found.entities.push_back({pattern.row.get(), std::move(row)});
  return found;
}

Result<Found> Runner::ask(const design::Pattern& pattern, const Question& question) const {
  const design::Design& design = parts_.design;
  const design::Ambient ambient{parts_.clock.now(), &parts_.random, parts_.caller.get()};
  if (question.limit && *question.limit < 1) return fail(bad_question("limit", "limit must be at least 1"));
  TAVOLA_TRY(const Item given, permitted(pattern.name, question.parameters));
  TAVOLA_TRY(const std::string context, context_of(design, pattern, given));
  const bool is_aggregate = pattern.form == design::Pattern::Form::Aggregate;
  PagePlace place;
  if (is_aggregate && !question.page.empty())
    return fail(bad_question("page", "the rows of an aggregate have no pages; use limit"));
  if (!question.page.empty()) {
    TAVOLA_TRY(place, from_token(question.page, parts_.secret, context));
  }
  TAVOLA_TRY(const Item parameters, design::check_parameters(pattern.parameters, given, ambient));
  const Reading reading{design::parts_of(design, pattern), parameters, ambient,
                        question.limit ? question.limit : pattern.limit};
  if (is_aggregate) return aggregate(pattern, reading);
  Found found;
  TAVOLA_CHECK(read_page(reading, place, found));
  if (place.part < reading.parts.size()) found.next = to_token(place, parts_.secret, context);
  return found;
}

}  // namespace tavola::runner

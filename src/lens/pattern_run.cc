#include "lens/pattern_run.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "design/items/entity_item.h"
#include "design/model/plain_json.h"
#include "design/requests/operation_plan.h"
#include "json/writer.h"
#include "lens/counted_reads.h"
#include "lens/named_parts.h"
#include "lens/shown_item.h"
#include "runner/perform.h"
#include "runner/runner.h"
#include "workshop/cost/explain.h"

namespace tavola::lens {
namespace {

constexpr std::int64_t kRunItems = 25;
constexpr std::int64_t kRunItemsMax = 1'000;
constexpr std::size_t kRequestsShownMax = 20;

// ---- Operations ----

void write_reads(json::Writer& json, const std::vector<workshop::Sent>& reads,
                 const design::ReadItems& found) {
  json.name("reads").begin_list();
  for (std::size_t i = 0; i < reads.size(); ++i) {
    json.begin_object();
    json.name("operation").text(reads[i].operation);
    json.name("request").raw() += reads[i].request;
    if (i < found.size()) json.name("found").integer(static_cast<std::int64_t>(found[i].size()));
    json.end_object();
  }
  json.end_list();
}

// Writes the refusal of an error. Fails with the error itself if it is none.
Result<void> write_refusal_of(json::Writer& json, const Error& error) {
  const auto* const refusal = error.detail<design::Refusal>();
  if (refusal == nullptr) return fail(error);
  write_refusal(json, refusal->name, refusal->reason);
  return {};
}

// Reads what the plan depends on besides its reads, and adds it to `found`.
Result<void> read_related(Database& database, const design::Call& given, design::ReadItems& found) {
  design::Call call = given;
  const design::ReadItems reads = found;
  std::optional<Error> failed;
  const auto planned = design::plan(call, reads, [&](const design::Read& one) -> Result<std::vector<Item>> {
    std::vector<Item> items;
    if (const auto* const get = std::get_if<GetItemRequest>(&one.request)) {
      auto response = database.get_item(*get);
      if (!response) {
        failed = response.error();
        return fail(response.error());
      }
      if (response->item) items.push_back(response->item->unpack());
    }
    found.push_back(items);
    return items;
  });
  if (failed) return fail(*failed);
  return {};  // a refusal is reported by the explanation
}

// An operation, planned from what it would read now.
struct Planned {
  std::vector<workshop::Sent> reads;
  design::ReadItems found;
  Result<workshop::ExplainedWrites> writes;
};

Result<Planned> plan_now(const Subject& subject, const design::Operation& operation, const Item& given) {
  RecordedRandom random(subject.random);  // every pass draws the same ids
  const design::Ambient ambient{subject.clock.now(), &random, subject.caller.get()};
  TAVOLA_TRY(std::vector<workshop::Sent> reads,
             workshop::explain_reads(subject.design, operation, given, ambient));
  random.rewind();
  TAVOLA_TRY(const design::Call call, design::begin(subject.design, operation, given, ambient));
  TAVOLA_TRY(design::ReadItems found, runner::read_all(subject.database, call));
  random.rewind();
  TAVOLA_CHECK(read_related(subject.database, call, found));
  random.rewind();
  auto writes = workshop::explain_writes(subject.design, operation, given, ambient, found);
  return Planned{std::move(reads), std::move(found), std::move(writes)};
}

Result<std::string> explain_operation(const Subject& subject, const design::Operation& operation,
                                      const Item& given) {
  TAVOLA_TRY(const Planned planned, plan_now(subject, operation, given));
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  write_reads(json, planned.reads, planned.found);
  if (planned.writes) {
    json.name("writes").raw() += workshop::to_json(*planned.writes);
  } else {
    TAVOLA_CHECK(write_refusal_of(json, planned.writes.error()));
  }
  json.end_object();
  return answer;
}

// ---- Patterns ----

void write_entity(json::Writer& json, const Subject& subject, const runner::Found::One& one) {
  json.begin_object();
  json.name("entity").text(one.entity->name);
  const bool is_row = subject.design.find_entity(one.entity->name) != one.entity;
  const Result<Item> key =
      is_row ? Result<Item>(Item()) : design::key_of(subject.design, *one.entity, one.fields);
  json.name("key").raw() += key && !key->empty() ? to_json(*key) : "null";
  write_fields(json, subject, *one.entity, one.fields);
  json.end_object();
}

void write_requests(json::Writer& json, const std::vector<CountedReads::Sent>& sent) {
  std::int64_t scanned = 0;
  for (const CountedReads::Sent& one : sent) scanned += one.scanned;
  json.name("scanned").integer(scanned);
  json.name("requests").begin_list();
  for (std::size_t i = 0; i < std::min(sent.size(), kRequestsShownMax); ++i) {
    json.begin_object();
    json.name("operation").text(sent[i].operation);
    json.name("scanned").integer(sent[i].scanned);
    json.name("returned").integer(sent[i].returned);
    json.end_object();
  }
  json.end_list();
}

}  // namespace

Result<std::string> explain(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const Item given, question.parameters("parameters"));
  if (question.has("operation")) {
    TAVOLA_TRY(const design::Operation* const operation, operation_of_question(subject.design, question));
    return explain_operation(subject, *operation, given);
  }
  TAVOLA_TRY(const design::Pattern* const pattern, pattern_of_question(subject.design, question));
  TAVOLA_TRY(const workshop::Explanation explanation,
             workshop::explain(subject.design, *pattern, given, subject.clock.now()));
  return workshop::to_json(explanation);
}

void write_refusal(json::Writer& json, std::string_view name, std::string_view reason) {
  json.name("refused").begin_object();
  json.name("name").text(name);
  json.name("reason").text(reason);
  json.end_object();
}

Result<std::string> planned_request(const Subject& subject, const design::Operation& operation,
                                    const Item& given) {
  TAVOLA_TRY(const Planned planned, plan_now(subject, operation, given));
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  if (!planned.writes) {
    TAVOLA_CHECK(write_refusal_of(json, planned.writes.error()));
  } else if (const auto& sent = planned.writes->sent) {
    json.name("operation").text(sent->operation);
    json.name("request").raw() += sent->request;
  }
  json.end_object();
  return answer;
}

Result<std::string> run(const Subject& subject, const Question& question) {
  TAVOLA_TRY(const design::Pattern* const pattern, pattern_of_question(subject.design, question));
  TAVOLA_TRY(Item given, question.parameters("parameters"));
  TAVOLA_TRY(const std::int64_t limit, question.count("limit", kRunItems, kRunItemsMax));
  TAVOLA_TRY(std::string page, question.text("page"));
  CountedReads counted(subject.database);
  const runner::Runner runner({.database = counted,
                               .design = subject.design,
                               .clock = subject.clock,
                               .random = subject.random,
                               .secret = subject.page_secret,
                               .caller = subject.caller});
  const auto begin = std::chrono::steady_clock::now();
  TAVOLA_TRY(const runner::Found found,
             runner.ask(*pattern, {.parameters = std::move(given), .limit = limit, .page = std::move(page)}));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  std::string answer;
  json::Writer json(answer);
  json.begin_object();
  json.name("entities").begin_list();
  for (const runner::Found::One& one : found.entities) write_entity(json, subject, one);
  json.end_list();
  json.name("next");
  if (found.next.empty()) {
    json.raw() += "null";
  } else {
    json.text(found.next);
  }
  json.name("returned").integer(static_cast<std::int64_t>(found.entities.size()));
  json.name("missing").integer(static_cast<std::int64_t>(found.missing));
  json.name("readUnits").decimal(found.read_units);
  json.name("milliseconds").decimal(taken.count());
  write_requests(json, counted.sent());
  json.end_object();
  return answer;
}

}  // namespace tavola::lens

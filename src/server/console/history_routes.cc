#include "server/console/history_routes.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/timestamps.h"
#include "design/items/entity_item.h"
#include "json/writer.h"
#include "lens/question.h"
#include "lens/shown_item.h"
#include "server/v1/problem.h"

namespace tavola::server {
namespace {

constexpr std::string_view kPath = "/console/history";
constexpr std::string_view kAsOf = "/as-of";
constexpr unsigned kDigits = 3;  // of a second

std::string_view kind_name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Insert:
      return "insert";
    case ChangeKind::Modify:
      return "modify";
    case ChangeKind::Remove:
      break;
  }
  return "remove";
}

std::string_view name_of(ChangedBy by) {
  switch (by) {
    case ChangedBy::Client:
      return "client";
    case ChangedBy::TimeToLive:
      return "time-to-live";
    case ChangedBy::Database:
      break;
  }
  return "database";
}

// The items of one answer, as its sender may see them.
class ShownItems {
 public:
  static Result<ShownItems> of(const Visit& visit, std::string_view table) {
    ShownItems items(visit);
    TAVOLA_TRY(items.design_, visit.database.governing_design(table));
    return items;
  }

  // null, or {"item": …}; in a governed table with the members of lens/shown_item.h.
  void write(json::Writer& json, const std::optional<PackedItem>& packed) const {
    if (!packed) {
      json.raw() += "null";
      return;
    }
    const Item item = packed->unpack();
    json.begin_object();
    if (design_ == nullptr) {
      json.name("item").raw() += to_json(item);
    } else {
      const lens::Subject subject{.design = *design_, .database = visit_.database, .sensitive = sensitive_};
      lens::write_item_members(json, subject, design::decode(*design_, item), item);
    }
    json.end_object();
  }

 private:
  explicit ShownItems(const Visit& visit)
      : visit_(visit),
        sensitive_(asks_for_sensitive(visit.request) ? lens::Sensitive::Shown : lens::Sensitive::Masked) {}
  const Visit& visit_;
  lens::Sensitive sensitive_;
  std::shared_ptr<const design::Design> design_;  // null: none governs the table
};

Result<std::optional<std::uint64_t>> number_in(const lens::Question& question, std::string_view name) {
  TAVOLA_TRY(const std::string text, question.text(name));
  if (text.empty()) return std::optional<std::uint64_t>();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return std::optional(number);
  return fail(Error::validation(std::string(name) + " must be the `next` of an earlier answer"));
}

Result<PackedItem> key_in(const lens::Question& question) {
  TAVOLA_TRY(const Item key, question.needed_item("key"));
  return pack(key);
}

void write_next(json::Writer& json, const std::optional<std::uint64_t>& next) {
  json.name("next");
  next ? json.text(std::to_string(*next)) : static_cast<void>(json.raw() += "null");
}

Result<std::string> history_of(const Visit& visit, const std::string& table) {
  constexpr std::int64_t kChangesMax = 100;
  TAVOLA_TRY(const lens::Question question, lens::Question::parse(visit.request.body, "key before limit"));
  ItemHistoryRequest request{.table_name = table};
  TAVOLA_TRY(request.key, key_in(question));
  TAVOLA_TRY(request.before, number_in(question, "before"));
  TAVOLA_TRY(const std::int64_t limit, question.count("limit", 25, kChangesMax));
  request.limit = static_cast<int>(limit);
  TAVOLA_TRY(const ItemHistoryResponse history, visit.database.item_history(request));
  TAVOLA_TRY(const ShownItems items, ShownItems::of(visit, table));
  std::string body;
  json::Writer json(body);
  json.begin_object();
  if (!request.before) {
    json.name("item");
    items.write(json, history.item);
  }
  json.name("changes").begin_list();
  for (const PastChange& change : history.changes) {
    json.begin_object();
    json.name("number").text(std::to_string(change.number));
    json.name("at").text(iso8601(change.at, kDigits));
    json.name("kind").text(kind_name(change.kind));
    json.name("by").text(name_of(change.by));
    json.name("before");
    items.write(json, change.before);
    json.end_object();
  }
  json.end_list();
  json.name("reached").text(iso8601(history.reached, kDigits));
  json.name("earliest").text(iso8601(history.earliest, kDigits));
  write_next(json, history.next);
  json.end_object();
  return body;
}

Result<std::string> as_of(const Visit& visit, const std::string& table) {
  TAVOLA_TRY(const lens::Question question, lens::Question::parse(visit.request.body, "key at after"));
  ItemAsOfRequest request{.table_name = table};
  TAVOLA_TRY(request.key, key_in(question));
  TAVOLA_TRY(request.after, number_in(question, "after"));
  TAVOLA_TRY(const std::string at, question.needed_text("at"));
  const auto moment = parse_any_iso8601(at);
  if (!moment) return fail(Error::validation("at must be a time, like 2026-01-31T12:00:00.250Z"));
  request.moment = *moment;
  TAVOLA_TRY(const ItemAsOfResponse found, visit.database.item_as_of(request));
  TAVOLA_TRY(const ShownItems items, ShownItems::of(visit, table));
  std::string body;
  json::Writer json(body);
  json.begin_object();
  json.name("item");
  items.write(json, found.item);
  json.name("until");
  found.until ? json.text(iso8601(*found.until, kDigits)) : static_cast<void>(json.raw() += "null");
  write_next(json, found.next);
  json.end_object();
  return body;
}

http::Response refusal(const Error& error) {
  switch (error.code()) {
    case ErrorCode::PointInTimeRecoveryUnavailable:
      return problem_answer(409, error.message());
    case ErrorCode::InvalidRestoreTime:
      return problem_answer(422, error.message());
    case ErrorCode::ResourceNotFound:
      return problem_answer(404, error.message());
    default:
      return to_response(problem_of(error));
  }
}

http::Response answer(const Visit& visit) {
  if (visit.request.method != "POST") return wrong_method("POST", "Ask for the history of an item with POST");
  std::string_view table = visit.request.path.substr(kPath.size());
  if (table.starts_with('/')) table.remove_prefix(1);
  const bool is_as_of = table.ends_with(kAsOf);
  if (is_as_of) table.remove_suffix(kAsOf.size());
  if (table.empty() || table.contains('/')) return unknown_path(visit.request.path);
  const std::string name(table);
  Result<std::string> body = is_as_of ? as_of(visit, name) : history_of(visit, name);
  if (!body) return refusal(body.error());
  return {.status = 200, .content_type = "application/json", .body = *std::move(body)};
}

}  // namespace

std::vector<Route> history_routes() {
  return {
      {.path = std::string(kPath), .effect = always_reads, .answer = at_once(answer), .feature = "history"}};
}

}  // namespace tavola::server

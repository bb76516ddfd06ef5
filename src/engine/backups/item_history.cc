#include "engine/backups/item_history.h"

#include <algorithm>
#include <memory>

#include "base/timestamps.h"
#include "database/constraints.h"
#include "engine/backups/recovery.h"
#include "engine/checks/key_checks.h"
#include "engine/records/change_number.h"
#include "engine/records/keys.h"
#include "engine/write/change_log.h"
#include "value/limits.h"

namespace tavola::engine {
namespace {

constexpr int kChangesMax = 100;
constexpr int kChangesByDefault = 25;

Error history_is_off(const TableSchema& table) {
  const std::string& name = table.description.table_name;
  return {ErrorCode::PointInTimeRecoveryUnavailable,
          "The table '" + name +
              "' keeps no history: it is a part of point-in-time recovery, which is off. Switch it on "
              "(UpdateContinuousBackups): the history begins then."};
}

Error outside_of_history(const TableSchema& table, WallTime moment, const ContinuousBackups& backups) {
  return {ErrorCode::InvalidRestoreTime, "The history of the table '" + table.description.table_name +
                                             "' reaches from " + iso8601(backups.earliest, 3) + " to " +
                                             iso8601(backups.latest, 3) + ", and " + iso8601(moment, 3) +
                                             " is not in it."};
}

Error previous_value_is_missing(const TableSchema& table) {
  return Error::corrupt("The change log of the table '" + table.description.table_name +
                        "' lacks the previous value of a change. Restore the data directory from a backup.");
}

Result<ContinuousBackups> period_of(const HistoryContext& context) {
  const ContinuousBackups backups = continuous_backups(context.table.description, context.now);
  if (!backups.recovery) return fail(history_is_off(context.table));
  return backups;
}

ChangedBy changed_by(const LoggedChange& change) {
  if (change.is_ours) return ChangedBy::Database;
  return change.by_time_to_live ? ChangedBy::TimeToLive : ChangedBy::Client;
}

// The log of the shard of one item, as of one moment.
class ItemLog {
 public:
  static Result<ItemLog> open(const HistoryContext& context, const ItemView& key) {
    ItemLog log(context, key);
    // Determined first: the snapshot contains every change below it.
    TAVOLA_TRY(log.settled_, context.store.settled(changes_prefix(context.table.id, log.shard_)));
    log.snapshot_ = context.store.snapshot();
    return log;
  }

  // The changes with numbers in [from, to); no `to`: all later ones.
  std::unique_ptr<store::Cursor> changes(std::uint64_t from, std::optional<std::uint64_t> to,
                                         store::Direction direction) const {
    const TableId table = context_.table.id;
    const auto end = to ? change_key(table, shard_, std::max(from, *to))
                        : changes_prefix(table, static_cast<std::uint8_t>(shard_ + 1));
    return snapshot_->range({change_key(table, shard_, from), end}, direction);
  }

  Result<std::optional<PackedItem>> item_now() const {
    TAVOLA_TRY(std::optional<std::string> stored, snapshot_->get(item_key_));
    return stored ? std::optional(PackedItem(*std::move(stored))) : std::nullopt;
  }

  // Returns nullopt if it is a change of another item.
  Result<std::optional<PastChange>> change_at(const store::Cursor& cursor) {
    ++records_read_;
    bytes_read_ += cursor.value().size();
    TAVOLA_TRY(const LoggedChange change, decode_change(cursor.value()));
    if (change.is_record || !is_of_item(change.item())) return std::optional<PastChange>();
    if (!change.before && change.kind != ChangeKind::Insert) {
      return fail(previous_value_is_missing(context_.table));
    }
    const std::uint64_t number = store::appended_number(cursor.key());
    PastChange made{.number = number, .at = moment_of(number), .kind = change.kind, .by = changed_by(change)};
    if (change.before) made.before.emplace(*change.before);
    return std::optional(std::move(made));
  }

  bool is_page_read() const {
    return records_read_ >= context_.page.records_max || bytes_read_ >= context_.page.bytes_max;
  }
  std::uint64_t settled() const { return settled_; }

 private:
  ItemLog(const HistoryContext& context, const ItemView& key)
      : context_(context),
        key_(key),
        item_key_(item_key(context.table, key)),
        shard_(change_shard(item_key_)) {}

  bool is_of_item(const ItemView& item) const {
    return std::ranges::all_of(key_, [&](const MapView::Entry& attribute) {
      const auto value = item.find(attribute.first);
      return value && *value == attribute.second;
    });
  }

  const HistoryContext& context_;
  ItemView key_;
  std::string item_key_;
  std::uint8_t shard_;
  std::uint64_t settled_ = 0;
  std::unique_ptr<store::Snapshot> snapshot_;
  std::size_t records_read_ = 0;
  std::size_t bytes_read_ = 0;
};

Result<void> check_limit(std::optional<int> limit) {
  Constraints constraints;
  constraints.check_at_least(1, limit, "limit");
  constraints.check_at_most(kChangesMax, limit, "limit");
  return constraints.check();
}

}  // namespace

Result<ItemHistoryResponse> item_history(const HistoryContext& context, const ItemHistoryRequest& request) {
  TAVOLA_CHECK(check_limit(request.limit));
  TAVOLA_CHECK(check_key(context.table.key, request.key.view()));
  TAVOLA_TRY(const ContinuousBackups period, period_of(context));
  TAVOLA_TRY(ItemLog log, ItemLog::open(context, request.key.view()));
  ItemHistoryResponse history{.reached = period.earliest, .earliest = period.earliest};
  if (!request.before) {
    TAVOLA_TRY(history.item, log.item_now());
  }
  const auto limit = static_cast<std::size_t>(request.limit.value_or(kChangesByDefault));
  std::size_t bytes = 0;
  const auto cursor = log.changes(first_number(period.earliest), request.before, store::Direction::Backward);
  for (; cursor->valid(); cursor->next()) {
    const std::uint64_t number = store::appended_number(cursor->key());
    const bool is_full = history.changes.size() >= limit || bytes >= limits::kPageBytesMax;
    if (number < log.settled() && (is_full || log.is_page_read())) {
      history.next = number + 1;
      history.reached = moment_of(number) + std::chrono::milliseconds(1);
      break;
    }
    TAVOLA_TRY(std::optional<PastChange> change, log.change_at(*cursor));
    if (!change) continue;
    if (change->before) bytes += change->before->bytes().size();
    history.changes.push_back(*std::move(change));
  }
  TAVOLA_CHECK(cursor->status());
  return history;
}

Result<ItemAsOfResponse> item_as_of(const HistoryContext& context, const ItemAsOfRequest& request) {
  TAVOLA_CHECK(check_key(context.table.key, request.key.view()));
  TAVOLA_TRY(const ContinuousBackups period, period_of(context));
  if (request.moment < period.earliest || request.moment > period.latest) {
    return fail(outside_of_history(context.table, request.moment, period));
  }
  TAVOLA_TRY(ItemLog log, ItemLog::open(context, request.key.view()));
  const std::uint64_t first = first_number(request.moment + std::chrono::milliseconds(1));
  const std::uint64_t from = std::max(first, request.after.value_or(first));
  ItemAsOfResponse found;
  const auto cursor = log.changes(from, std::nullopt, store::Direction::Forward);
  for (; cursor->valid(); cursor->next()) {
    if (log.is_page_read()) {
      found.next = std::min(store::appended_number(cursor->key()), std::max(from, log.settled()));
      return found;
    }
    TAVOLA_TRY(std::optional<PastChange> change, log.change_at(*cursor));
    if (!change) continue;
    found.item = std::move(change->before);
    found.until = change->at;
    return found;
  }
  TAVOLA_CHECK(cursor->status());
  TAVOLA_TRY(found.item, log.item_now());
  return found;
}

}  // namespace tavola::engine

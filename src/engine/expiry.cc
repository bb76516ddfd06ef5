#include "engine/expiry.h"

#include <array>
#include <chrono>

#include "engine/keys.h"
#include "engine/messages.h"
#include "engine/transactions.h"
#include "engine/write.h"

namespace tavola::engine {
namespace {

constexpr std::chrono::seconds kPeriod{5};
constexpr std::size_t kItemsPerTransaction = 100;

std::uint64_t seconds_of(WallTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

// AWS leaves items alone whose time lies more than five years back: likely it was never meant as a time.
std::uint64_t oldest_due(std::uint64_t now) {
  constexpr std::uint64_t kFiveYears = std::uint64_t{5} * 365 * 24 * 60 * 60;
  return now > kFiveYears ? now - kFiveYears : 0;
}

// Nothing when the item never expires: the attribute is missing or no whole number of seconds.
std::optional<std::uint64_t> expiry_of(const std::string& attribute, const std::optional<ItemView>& item) {
  const auto value = item ? item->find(attribute) : std::nullopt;
  if (!value || value->type() != Type::Number) return std::nullopt;
  const std::optional<std::int64_t> seconds = value->number().to_int64();
  if (!seconds || *seconds < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*seconds);
}

// The first entries of a range, decoded.
Result<std::vector<Expiry>> first_expiries(const store::Store& store, const store::KeyRange& range) {
  std::vector<Expiry> found;
  const auto snapshot = store.snapshot();
  const auto cursor = snapshot->range(range, store::Direction::Forward);
  for (; cursor->valid() && found.size() < kItemsPerTransaction; cursor->next()) {
    TAVOLA_TRY(Expiry expiry, decode_expiry_key(cursor->key()));
    found.push_back(std::move(expiry));
  }
  TAVOLA_CHECK(cursor->status());
  return found;
}

// Deletes the items whose entries are given, unless they were changed meanwhile.
Result<void> expire(store::Store& store, const TableSchema& table, const std::vector<Expiry>& due) {
  std::vector<std::string> keys;
  for (const Expiry& expiry : due) keys.push_back(expiry.item_key);
  const std::string& attribute = *table.description.time_to_live_attribute;
  const expr::Condition no_condition;
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    for (std::size_t i = 0; i < due.size(); ++i) {
      std::optional<ItemView> item;
      if (view[i]) item.emplace(*view[i]);
      if (expiry_of(attribute, item) != due[i].seconds) {
        decision.writes.push_back(store::Write::erase(expiry_key(due[i].seconds, keys[i])));
        continue;
      }
      const auto remove = [](const std::optional<ItemView>&) -> Result<std::optional<PackedItem>> {
        return std::nullopt;
      };
      const ItemWrite write{
          table, keys[i], no_condition, ReturnValuesOnConditionCheckFailure::None, KeepBefore::No, remove};
      TAVOLA_CHECK(plan(write, view[i], decision.writes));
    }
    return decision;
  };
  const std::string catalog = catalog_key(table.description.table_name);
  const std::array guards{store::Guard{catalog, table.record}};
  return store.transact(keys, guards, rule);
}

// Writes the entries of these items, as they are now.
Result<void> collect_items(store::Store& store, const TableSchema& table, const std::vector<std::string>& keys) {
  const auto rule = [&](const store::View& view) -> Result<store::Decision> {
    store::Decision decision;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::optional<ItemView> item;
      if (view[i]) item.emplace(*view[i]);
      change_expiry(table, keys[i], std::nullopt, item, decision.writes);
    }
    return decision;
  };
  const std::string catalog = catalog_key(table.description.table_name);
  const std::array guards{store::Guard{catalog, table.record}};
  return store.transact(keys, guards, rule);
}

// A pass that met a table which changed meanwhile is not wrong: the next one goes on.
Result<void> unless_stale(Result<void> result) {
  if (!result && result.error().code() == ErrorCode::Stale) return {};
  return result;
}

}  // namespace

void change_expiry(const TableSchema& table, std::string_view item_key, const std::optional<ItemView>& before,
                   const std::optional<ItemView>& after, std::vector<store::Write>& writes) {
  const std::string& attribute = *table.description.time_to_live_attribute;
  const auto old_expiry = expiry_of(attribute, before);
  const auto new_expiry = expiry_of(attribute, after);
  if (old_expiry == new_expiry) return;
  if (old_expiry) writes.push_back(store::Write::erase(expiry_key(*old_expiry, item_key)));
  if (new_expiry) writes.push_back(store::Write::put(expiry_key(*new_expiry, item_key), ""));
}

Catalog::Change time_to_live_change(const UpdateTimeToLiveRequest& request) {
  return [&request](TableId id, TableDescription& description,
                    std::vector<store::Write>& also) -> Result<void> {
    std::optional<std::string>& attribute = description.time_to_live_attribute;
    if (request.enabled) {
      if (attribute) return fail(Error::validation("TimeToLive is already enabled"));
      attribute = request.attribute_name;
      also.push_back(store::Write::put(collecting_key(id), description.table_name));
      return {};
    }
    if (!attribute) return fail(Error::validation("TimeToLive is already disabled"));
    if (*attribute != request.attribute_name) {
      return fail(Error::validation("TimeToLive is active on a different AttributeName: current AttributeName is " +
                                    *attribute));
    }
    attribute.reset();
    const store::KeyRange expiries = all_expiries(id);
    also.push_back(store::Write::erase_range(expiries.from, expiries.to));
    also.push_back(store::Write::erase(collecting_key(id)));
    return {};
  };
}

Sweeper::~Sweeper() { stop_.request_stop(); }

void Sweeper::start() {
  thread_ = std::jthread([this] {
    const std::stop_token stop = stop_.get_token();
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        woken_.wait_for(lock, stop, kPeriod, [] { return false; });
      }
      if (stop.stop_requested()) return;
      // A failing disk is told to whoever writes; a sweep has nobody to tell and tries again.
      static_cast<void>(sweep());
    }
  });
}

Result<void> Sweeper::sweep() {
  const std::lock_guard lock(sweeping_);
  std::vector<std::pair<std::string, TableId>> collecting;
  {
    const auto snapshot = store_.snapshot();
    const auto cursor = snapshot->range(all_collecting(), store::Direction::Forward);
    for (; cursor->valid(); cursor->next()) {
      TAVOLA_TRY(const TableId id, table_of_collecting_key(cursor->key()));
      collecting.emplace_back(cursor->value(), id);
    }
    TAVOLA_CHECK(cursor->status());
  }
  for (const auto& [name, id] : collecting) TAVOLA_CHECK(unless_stale(collect(name, id)));
  TAVOLA_TRY(const std::vector<std::string> names, catalog_.names("", std::numeric_limits<std::size_t>::max()));
  for (const std::string& name : names) {
    TAVOLA_TRY(const SchemaPtr table, catalog_.find(name));
    if (table && table->description.time_to_live_attribute) TAVOLA_CHECK(unless_stale(sweep_table(*table)));
  }
  return forget_tokens();
}

Result<void> Sweeper::collect(std::string_view table_name, TableId id) {
  TAVOLA_TRY(const SchemaPtr table, catalog_.find(table_name));
  if (!table || table->id != id || !table->description.time_to_live_attribute) return {};
  const std::string& attribute = *table->description.time_to_live_attribute;
  const auto snapshot = store_.snapshot();
  const auto cursor = snapshot->range(entry_range(id, kTableItself, 0, 0x10000), store::Direction::Forward);
  std::vector<std::string> keys;
  for (; cursor->valid() && !stopping(); cursor->next()) {
    if (expiry_of(attribute, ItemView(cursor->value()))) keys.emplace_back(cursor->key());
    if (keys.size() < kItemsPerTransaction) continue;
    TAVOLA_CHECK(collect_items(store_, *table, keys));
    keys.clear();
  }
  TAVOLA_CHECK(cursor->status());
  if (stopping()) return {};
  if (!keys.empty()) TAVOLA_CHECK(collect_items(store_, *table, keys));
  const std::string done[] = {collecting_key(id)};
  const std::string catalog = catalog_key(table_name);
  const std::array guards{store::Guard{catalog, table->record}};
  return store_.transact(done, guards, [&](const store::View&) -> Result<store::Decision> {
    return store::Decision{{store::Write::erase(done[0])}, {}};
  });
}

Result<void> Sweeper::sweep_table(const TableSchema& table) {
  const std::uint64_t now = seconds_of(clock_.now());
  store::KeyRange due = expiries_until(table.id, now);
  due.from = expiries_until(table.id, oldest_due(now)).to;
  while (!stopping()) {
    TAVOLA_TRY(const std::vector<Expiry> expiries, first_expiries(store_, due));
    if (expiries.empty()) break;
    TAVOLA_CHECK(expire(store_, table, expiries));
  }
  return {};
}

Result<void> Sweeper::forget_tokens() {
  const WallTime now = clock_.now();
  if (now - tokens_forgotten_ < kTokenLifetime) return {};
  tokens_forgotten_ = now;
  return forget_old_tokens(store_, now);
}

}  // namespace tavola::engine

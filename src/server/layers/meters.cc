#include "server/layers/meters.h"

#include <numeric>

namespace tavola::server {
namespace {

// A table may change without a request that is visible here: restored, imported, migrated.
constexpr std::chrono::seconds kLookAgain{1};

void set_rate(std::optional<Bucket>& bucket, std::optional<std::int64_t> rate, WallTime now) {
  if (!rate || *rate <= 0) {
    bucket.reset();
    return;
  }
  const auto units = static_cast<double>(*rate);
  if (!bucket) {
    bucket.emplace(units, now);
  } else if (bucket->rate() != units) {
    bucket->change_rate(units, now);
  }
}

// The rates of a table or a global index.
struct Rates {
  std::optional<std::int64_t> read{};
  std::optional<std::int64_t> write{};
};

template <class Part>
Rates rates_of(const Part& part, BillingMode billing) {
  if (billing == BillingMode::Provisioned) {
    return part.throughput ? Rates{part.throughput->read_units, part.throughput->write_units} : Rates{};
  }
  return part.on_demand_limits ? Rates{part.on_demand_limits->read_units, part.on_demand_limits->write_units}
                               : Rates{};
}

double sum(const std::map<std::string, double, std::less<>>& units) {
  return std::accumulate(units.begin(), units.end(), 0.0,
                         [](double total, const auto& one) { return total + one.second; });
}

}  // namespace

bool Meters::should_look(std::string_view table) const {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end()) return true;
  const auto age = clock_.now() - found->second.looked_at;
  return age >= kLookAgain || age < WallTime::duration::zero();
}

void Meters::learn(const TableDescription& table) {
  const MutexLock lock(mutex_);
  const WallTime now = clock_.now();
  TableMeters& meters = tables_[table.table_name];
  if (meters.id != table.table_id) meters = {.id = table.table_id};
  meters.looked_at = now;
  meters.is_on_demand = table.billing_mode == BillingMode::PayPerRequest;
  const auto set = [now](Pair& pair, const Rates& rates) {
    set_rate(pair.read, rates.read, now);
    set_rate(pair.write, rates.write, now);
  };
  set(meters.own, rates_of(table, table.billing_mode));
  std::map<std::string, Pair, std::less<>> global;
  for (const GlobalIndex& index : table.global_indexes) {
    Pair& pair = global[index.name];
    if (const auto before = meters.global.find(index.name); before != meters.global.end())
      pair = before->second;
    set(pair, rates_of(index, table.billing_mode));
  }
  meters.global = std::move(global);
}

void Meters::forget(std::string_view table) {
  const MutexLock lock(mutex_);
  if (const auto found = tables_.find(table); found != tables_.end()) tables_.erase(found);
}

bool Meters::is_metered(std::string_view table) const {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end()) return false;
  if (found->second.own.has_any()) return true;
  for (const auto& [name, pair] : found->second.global) {
    if (pair.has_any()) return true;
  }
  return false;
}

Bucket* Meters::read_from(TableMeters& table, const Need& need) {
  const auto global = table.global.find(need.index);
  std::optional<Bucket>& bucket = (global == table.global.end() ? table.own : global->second).read;
  return bucket ? &*bucket : nullptr;
}

Bucket* Meters::first_of(TableMeters& table, const Need& need) {
  if (need.kind == UnitKind::Read) return read_from(table, need);
  return table.own.write ? &*table.own.write : nullptr;
}

std::optional<Throttled> Meters::admit(const Need& need) {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(need.table);
  if (found == tables_.end()) return std::nullopt;
  TableMeters& table = found->second;
  const WallTime now = clock_.now();
  Throttled throttled{
      .table = std::string(need.table), .kind = need.kind, .is_on_demand = table.is_on_demand};
  Bucket* const first = first_of(table, need);
  if (first != nullptr && !first->has_units(now)) {
    if (need.kind == UnitKind::Read && table.global.contains(need.index)) throttled.index = need.index;
    return throttled;
  }
  if (need.kind == UnitKind::Write) {
    for (auto& [name, pair] : table.global) {
      if (!pair.write || pair.write->has_units(now)) continue;
      throttled.index = name;
      return throttled;
    }
  }
  if (first != nullptr) first->take(need.units, now);
  return std::nullopt;
}

void Meters::settle(const Need& need, const ConsumedCapacity& used) {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(need.table);
  if (found == tables_.end()) return;
  TableMeters& table = found->second;
  const WallTime now = clock_.now();
  if (Bucket* const first = first_of(table, need)) first->take(-need.units, now);
  if (auto& own = table.own.of(need.kind)) {
    own->take(used.table_units.value_or(0) + sum(used.local_index_units), now);
  }
  for (const auto& [name, units] : used.global_index_units) {
    const auto index = table.global.find(name);
    if (index == table.global.end()) continue;
    if (auto& bucket = index->second.of(need.kind)) bucket->take(units, now);
  }
}

void Meters::give_back(const Need& need) { settle(need, {}); }

}  // namespace tavola::server

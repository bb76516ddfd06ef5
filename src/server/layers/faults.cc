#include "server/layers/faults.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tavola::server {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"): one step scatters any number.
std::uint64_t scattered(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

}  // namespace

void Faults::replace(FaultPlan plan) {
  const MutexLock one_at_a_time(replacing_);
  if (on_change_) on_change_(plan);  // creates views of the past before they are needed
  const MutexLock lock(mutex_);
  plan_ = std::move(plan);
  drawn_.assign(plan_.rules.size(), 0);
  has_index_lag_.store(!index_lags(plan_).empty(), std::memory_order_release);
  quiet_.store(plan_.rules.empty(), std::memory_order_release);
}

void Faults::on_change(std::function<void(const FaultPlan& plan)> call) {
  on_change_ = std::move(call);
  on_change_(plan());
}

std::chrono::milliseconds Faults::index_lag(ItemOperation operation, std::string_view table) const {
  if (!has_index_lag()) return {};
  const MutexLock lock(mutex_);
  const std::optional<std::size_t> rule = rule_for(FaultKind::IndexLag, {operation, {table}}, std::nullopt);
  return rule ? plan_.rules[*rule].delay : std::chrono::milliseconds(0);
}

FaultPlan Faults::plan() const {
  const MutexLock lock(mutex_);
  return plan_;
}

Fate Faults::decide(const Asked& asked) {
  Fate fate;
  if (is_quiet()) return fate;
  const MutexLock lock(mutex_);
  delay(asked, fate);
  for (const FaultKind kind : {FaultKind::Error500, FaultKind::Throttle, FaultKind::Conflict}) {
    if (!happens(kind, asked, fate)) continue;
    fate.failure = kind;
    count(kind);
    return fate;
  }
  hold_back(asked, fate);
  fate.is_lost = happens(FaultKind::Lost, asked, fate);
  if (fate.is_lost) count(FaultKind::Lost);
  return fate;
}

std::optional<std::size_t> Faults::rule_for(FaultKind kind, const Asked& asked,
                                            std::optional<std::size_t> item) const {
  if (!can_meet(kind, asked.operation)) return std::nullopt;
  for (std::size_t i = plan_.rules.size(); i-- > 0;) {
    const FaultRule& rule = plan_.rules[i];
    if (rule.kind != kind || (rule.operation && *rule.operation != asked.operation)) continue;
    const bool concerned =
        rule.table.empty() || (item ? asked.tables[*item] == rule.table
                                    : std::ranges::find(asked.tables, rule.table) != asked.tables.end());
    if (concerned) return i;
  }
  return std::nullopt;
}

double Faults::draw(std::size_t rule) {
  // Includes the rule's position, so that two rules of equal probability do not coincide.
  const std::uint64_t number = scattered(scattered(plan_.seed) + rule) + drawn_[rule]++;
  constexpr unsigned kBitsDropped = 11;  // a double holds 53
  return std::ldexp(static_cast<double>(scattered(number) >> kBitsDropped), -53);
}

bool Faults::happens(FaultKind kind, const Asked& asked, Fate& fate) {
  const std::optional<std::size_t> rule = rule_for(kind, asked, std::nullopt);
  if (!rule) return false;
  const double chance = draw(*rule);
  const double probability = plan_.rules[*rule].probability;
  if (chance >= probability) return false;
  // Below the probability the random number is still uniform: it also selects the rule's failing item.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < asked.tables.size(); ++i) {
    const std::string& table = plan_.rules[*rule].table;
    if (table.empty() || asked.tables[i] == table) places.push_back(i);
  }
  const auto which = static_cast<std::size_t>(chance / probability * static_cast<double>(places.size()));
  fate.position = places[std::min(which, places.size() - 1)];
  return true;
}

void Faults::hold_back(const Asked& asked, Fate& fate) {
  if (!can_meet(FaultKind::Unprocessed, asked.operation)) return;
  std::vector<bool> held(asked.tables.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    const std::optional<std::size_t> rule = rule_for(FaultKind::Unprocessed, asked, i);
    held[i] = rule && draw(*rule) < plan_.rules[*rule].probability;
  }
  // AWS throttles a batch of which it can process nothing; here each batch makes progress, however slow.
  if (std::ranges::find(held, false) == held.end()) held[0] = false;
  const auto left = static_cast<std::uint64_t>(std::ranges::count(held, true));
  if (left == 0) return;
  count(FaultKind::Unprocessed, left);
  fate.unprocessed = std::move(held);
}

void Faults::delay(const Asked& asked, Fate& fate) {
  const std::optional<std::size_t> index = rule_for(FaultKind::Latency, asked, std::nullopt);
  if (!index) return;
  const FaultRule& rule = plan_.rules[*index];
  fate.delay = rule.delay;
  if (rule.percentile) {
    // Exponentially distributed, so that the percentile is exact: most responses are hardly late.
    const double fraction = std::log1p(-draw(*index)) / std::log1p(-*rule.percentile / 100);
    const double late =
        std::min(fraction * static_cast<double>(rule.delay.count()), static_cast<double>(kDelayMax.count()));
    fate.delay = std::chrono::milliseconds(static_cast<std::int64_t>(late));
  }
  if (fate.delay.count() > 0) count(FaultKind::Latency);
}

void Faults::append_metrics(std::string& out) const {
  out +=
      "# HELP tavola_faults_total Injected faults (--fault), by kind.\n"
      "# TYPE tavola_faults_total counter\n";
  for (const auto& [name, kind] : EnumNames<FaultKind>::kAll) {
    out += "tavola_faults_total{kind=\"" + std::string(name) + "\"} " + std::to_string(injected(kind)) + "\n";
  }
}

}  // namespace tavola::server

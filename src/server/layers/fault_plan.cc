#include "server/layers/fault_plan.h"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "design/model/nearest.h"

namespace tavola::server {
namespace {

constexpr std::string_view kSeed = "seed";

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string shown(double number) {
  constexpr std::size_t kDigitsMax = 32;
  char digits[kDigitsMax];
  return {digits, std::to_chars(digits, digits + kDigitsMax, number).ptr};
}

Error wrong(std::string_view part, const std::string& why) {
  return Error::validation("the fault \"" + std::string(part) + "\": " + why);
}

template <class E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& [name, value] : EnumNames<E>::kAll) names.emplace_back(name);
  return names;
}

template <class E>
std::string unknown(std::string_view word, const std::string& what) {
  const std::vector<std::string> names = names_of<E>();
  const std::string near = design::nearest(word, names);
  if (!near.empty()) return "there is no " + what + " " + std::string(word) + "; did you mean " + near + "?";
  return "there is no " + what + " " + std::string(word) + "; there are " + joined(names);
}

// "80ms", "2s"
Result<std::chrono::milliseconds> parse_delay(std::string_view part, std::string_view text,
                                              const std::string& hint) {
  const bool in_ms = text.ends_with("ms");
  const bool in_s = !in_ms && text.ends_with("s");
  const auto number = number_of<std::uint32_t>(text.substr(0, text.size() - (in_ms ? 2 : in_s ? 1 : 0)));
  if (!number || (!in_ms && !in_s)) {
    return fail(wrong(part, hint));
  }
  const std::chrono::milliseconds delay =
      in_ms ? std::chrono::milliseconds(*number) : std::chrono::milliseconds(std::chrono::seconds(*number));
  if (delay > kDelayMax) {
    return fail(wrong(part, "the maximum time is " + std::to_string(kDelayMax.count()) + "ms"));
  }
  return delay;
}

Result<void> parse_latency(std::string_view part, std::string_view text, FaultRule& rule) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view word = text.substr(0, colon);
    rule.percentile = word.starts_with('p') ? number_of<double>(word.substr(1)) : std::nullopt;
    if (!rule.percentile || !(*rule.percentile > 0 && *rule.percentile < 100)) {
      return fail(wrong(part, "before the colon, write a percentile, like p99 or p99.9"));
    }
    text.remove_prefix(colon + 1);
  }
  TAVOLA_TRY(rule.delay,
             parse_delay(part, text, "the time must be like 80ms or 2s, or with a percentile like p99:80ms"));
  return {};
}

// "@orders/PutItem"
Result<void> parse_scope(std::string_view part, std::string_view scope, FaultRule& rule) {
  const std::size_t slash = scope.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view word = scope.substr(slash + 1);
    rule.operation = find_enum<ItemOperation>(word);
    if (!rule.operation) return fail(wrong(part, unknown<ItemOperation>(word, "operation on items")));
    if (!can_meet(rule.kind, *rule.operation)) {
      return fail(wrong(part, std::string(word) + " never fails with " + std::string(enum_name(rule.kind)) +
                                  "; leave out the operation, or name another"));
    }
    scope = scope.substr(0, slash);
  }
  if (scope.empty()) return {};
  rule.table = scope.substr(1);
  constexpr std::size_t kNameMin = 3;
  constexpr std::size_t kNameMax = 255;
  const bool is_name = rule.table.size() >= kNameMin && rule.table.size() <= kNameMax &&
                       rule.table.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                           "0123456789_.-") == std::string::npos;
  if (!is_name) {
    return fail(wrong(part, "after the @, write the name of a table: 3 to 255 of a-z A-Z 0-9 _ . -"));
  }
  return {};
}

Result<FaultRule> parse_rule(std::string_view part, std::string_view left, std::string_view value) {
  const std::size_t end = left.find_first_of("@/");
  const std::string_view word = left.substr(0, end);
  const std::optional<FaultKind> kind = find_enum<FaultKind>(word);
  if (!kind) return fail(wrong(part, unknown<FaultKind>(word, "fault")));
  FaultRule rule{.kind = *kind};
  if (end != std::string_view::npos) TAVOLA_CHECK(parse_scope(part, left.substr(end), rule));
  if (*kind == FaultKind::Latency) {
    TAVOLA_CHECK(parse_latency(part, value, rule));
    return rule;
  }
  if (*kind == FaultKind::IndexLag) {
    TAVOLA_TRY(rule.delay, parse_delay(part, value, "the time must be like 200ms or 2s"));
    return rule;
  }
  const std::optional<double> probability = number_of<double>(value);
  if (!probability || !(*probability >= 0 && *probability <= 1)) {
    return fail(wrong(part, "after the =, write a probability from 0 to 1, like 0.05"));
  }
  rule.probability = *probability;
  return rule;
}

std::string to_text(const FaultRule& rule) {
  std::string text(enum_name(rule.kind));
  if (!rule.table.empty()) text += "@" + rule.table;
  if (rule.operation) text += "/" + std::string(enum_name(*rule.operation));
  text += "=";
  if (rule.kind != FaultKind::Latency && rule.kind != FaultKind::IndexLag)
    return text + shown(rule.probability);
  if (rule.percentile) text += "p" + shown(*rule.percentile) + ":";
  return text + std::to_string(rule.delay.count()) + "ms";
}

}  // namespace

bool can_meet(FaultKind kind, ItemOperation operation) {
  const bool is_batch =
      operation == ItemOperation::BatchGetItem || operation == ItemOperation::BatchWriteItem;
  if (kind == FaultKind::Unprocessed) return is_batch;
  if (kind == FaultKind::IndexLag)
    return operation == ItemOperation::Query || operation == ItemOperation::Scan;
  if (kind == FaultKind::Lost)
    return operation == ItemOperation::PutItem || operation == ItemOperation::UpdateItem ||
           operation == ItemOperation::DeleteItem || operation == ItemOperation::BatchWriteItem ||
           operation == ItemOperation::TransactWriteItems;
  if (kind != FaultKind::Conflict) return true;
  // Reads of single items see what was there before a transaction (DeveloperGuide, "Transaction conflict handling").
  return !is_batch && operation != ItemOperation::GetItem && operation != ItemOperation::Query &&
         operation != ItemOperation::Scan;
}

std::vector<std::chrono::milliseconds> index_lags(const FaultPlan& plan) {
  std::vector<std::chrono::milliseconds> lags;
  for (const FaultRule& rule : plan.rules) {
    if (rule.kind != FaultKind::IndexLag || rule.delay.count() == 0) continue;
    if (std::ranges::find(lags, rule.delay) == lags.end()) lags.push_back(rule.delay);
  }
  return lags;
}

Result<FaultPlan> parse_fault_plan(std::string_view text) {
  FaultPlan plan;
  if (text.empty()) return plan;
  for (const auto piece : text | std::views::split(',')) {
    const std::string_view part(piece.begin(), piece.end());
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return fail(wrong(part, "a fault is written like throttle=0.05 or conflict@orders/PutItem=0.5"));
    }
    const std::string_view left = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (left == kSeed) {
      const auto seed = number_of<std::uint64_t>(value);
      if (!seed) return fail(wrong(part, "the seed must be a whole number, like 7"));
      plan.seed = *seed;
      continue;
    }
    if (plan.rules.size() == kRulesMax) {
      return fail(wrong(part, "there are more than " + std::to_string(kRulesMax) + " faults"));
    }
    TAVOLA_TRY(FaultRule rule, parse_rule(part, left, value));
    plan.rules.push_back(std::move(rule));
    if (index_lags(plan).size() > kIndexLagsMax) {
      return fail(wrong(part, "there are more than " + std::to_string(kIndexLagsMax) + " different lags"));
    }
  }
  return plan;
}

std::string to_text(const FaultPlan& plan) {
  std::string text;
  for (const FaultRule& rule : plan.rules) text += to_text(rule) + ",";
  return text + "seed=" + std::to_string(plan.seed);
}

}  // namespace tavola::server

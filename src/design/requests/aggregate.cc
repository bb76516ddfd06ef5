#include "design/requests/aggregate.h"

#include <algorithm>

#include <tavola/packed.h>

#include "design/model/plain_json.h"

namespace tavola::design {
namespace {

using MeasureFunction = Measure::Function;

Error of_measure(const Measure& measure, const std::string& problem) {
  return Error::validation(measure.name + ": " + problem);
}

Result<Number> number_in(const Measure& measure, const Value& value) {
  if (value.is_number()) return value.number();
  return fail(of_measure(measure, std::string(measure_name(measure.function)) + " needs numbers"));
}

bool is_ordered(const Value& value) { return value.is_number() || value.is_string(); }

// Orders numbers before texts, and these before everything else.
bool is_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number();
  if (a.is_string() && b.is_string()) return a.string() < b.string();
  const auto rank = [](const Value& one) { return one.is_number() ? 0 : one.is_string() ? 1 : 2; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return to_plain_json(a) < to_plain_json(b);
}

Result<std::optional<Value>> result_of(const Measure& measure, std::size_t count, const Number& sum,
                                       const Number& divisor) {
  switch (measure.function) {
    case MeasureFunction::Count:
      return Value(Number(count));
    case MeasureFunction::Sum:
      return Value(measure.digits ? sum.rounded(*measure.digits) : sum);
    default:
      break;
  }
  if (divisor.is_zero()) return std::optional<Value>();
  const Result<Number> quotient = sum / divisor;
  if (!quotient) return fail(of_measure(measure, quotient.error().message()));
  return Value(quotient->rounded(measure.digits.value_or(kAverageDigits)));
}

}  // namespace

std::string_view measure_name(MeasureFunction function) {
  switch (function) {
    case MeasureFunction::Count:
      return "count";
    case MeasureFunction::Sum:
      return "sum";
    case MeasureFunction::Min:
      return "min";
    case MeasureFunction::Max:
      return "max";
    case MeasureFunction::Average:
      break;
  }
  return "avg";
}

std::string measure_text(const Measure& measure) {
  std::string text = std::string(measure_name(measure.function)) + "(" +
                     (measure.of ? measure.of->text() : "") +
                     (measure.per ? ", " + measure.per->text() : "") + ")";
  return measure.digits ? "round(" + text + ", " + std::to_string(*measure.digits) + ")" : text;
}

Aggregation::Aggregation(const Pattern& pattern, const Item& parameters, const Ambient& ambient)
    : pattern_(pattern), parameters_(parameters), ambient_(ambient) {
  if (pattern_.by.empty()) groups_[""].partials.resize(pattern_.measures.size());
}

Result<std::optional<Value>> Aggregation::value_of(const Rule& rule, const Item& fields) const {
  return rule.value(ambient_.with({.fields = &fields, .parameters = &parameters_}));
}

Result<Aggregation::Group*> Aggregation::group_of(const Item& fields) {
  if (pattern_.by.empty()) return &groups_.begin()->second;
  Item values;
  for (const Assignment& group : pattern_.by) {
    TAVOLA_TRY(std::optional<Value> value, value_of(group.value, fields));
    if (value) values[group.field] = *std::move(value);
  }
  TAVOLA_TRY(const PackedItem packed, pack(values));
  const auto known = groups_.find(packed.bytes());
  if (known != groups_.end()) return &known->second;
  if (groups_.size() == kGroupsMax) {
    return fail(
        Error::validation(pattern_.name + " has more than " + std::to_string(kGroupsMax) +
                          " groups; ask for fewer items, or group them by something with fewer values"));
  }
  bytes_ += packed.bytes().size();
  Group& added = groups_[packed.bytes()];
  added.values = std::move(values);
  added.partials.resize(pattern_.measures.size());
  return &added;
}

void Aggregation::keep_extreme(Partial& partial, const Value& value) {
  const auto bytes = [](const Value& one) { return one.is_string() ? one.string().size() : 0; };
  if (partial.extreme) bytes_ -= bytes(*partial.extreme);
  bytes_ += bytes(value);
  partial.extreme = value;
}

Result<void> Aggregation::add(const Measure& measure, const Item& fields, Partial& partial) {
  if (!measure.of) {
    ++partial.count;
    return {};
  }
  TAVOLA_TRY(const std::optional<Value> value, value_of(*measure.of, fields));
  std::optional<Value> per(Number(1));
  if (measure.per) {
    TAVOLA_TRY(per, value_of(*measure.per, fields));
  }
  if (!value || value->is_null() || !per || per->is_null()) return {};
  ++partial.count;
  if (measure.function == MeasureFunction::Count) return {};
  if (measure.function == MeasureFunction::Min || measure.function == MeasureFunction::Max) {
    const bool fits = is_ordered(*value) && (!partial.extreme || partial.extreme->type() == value->type());
    if (!fits) {
      return fail(of_measure(
          measure, std::string(measure_name(measure.function)) + " needs numbers, or texts, and not both"));
    }
    const bool is_min = measure.function == MeasureFunction::Min;
    const bool is_better =
        !partial.extreme || (is_min ? is_less(*value, *partial.extreme) : is_less(*partial.extreme, *value));
    if (is_better) keep_extreme(partial, *value);
    return {};
  }
  TAVOLA_TRY(const Number number, number_in(measure, *value));
  TAVOLA_TRY(const Number divisor, number_in(measure, *per));
  const Result<Number> sum = partial.sum + number;
  if (!sum) return fail(of_measure(measure, sum.error().message()));
  TAVOLA_TRY(partial.per, partial.per + divisor);
  partial.sum = *sum;
  return {};
}

Result<void> Aggregation::add(const Item& fields) {
  if (items_ == kItemsMax) {
    return fail(Error::validation(pattern_.name + " reads more than " + std::to_string(kItemsMax) +
                                  " items; ask for fewer of them, or let a counter with `create: true` keep "
                                  "the result"));
  }
  TAVOLA_TRY(Group* const group, group_of(fields));
  for (std::size_t i = 0; i < pattern_.measures.size(); ++i)
    TAVOLA_CHECK(add(pattern_.measures[i], fields, group->partials[i]));
  if (bytes_ > kBytesMax) {
    return fail(Error::validation(pattern_.name + " has groups of more than " +
                                  std::to_string(kBytesMax / (1024 * 1024)) +
                                  " MB; ask for fewer items, or group them by something shorter"));
  }
  ++items_;
  return {};
}

// Compares by the field of the order, then by the groups. A missing value comes first.
bool Aggregation::comes_before(const Item& a, const Item& b) const {
  const auto compared = [&](const std::string& name, bool backwards) {
    const auto left = a.find(name);
    const auto right = b.find(name);
    int order = 0;
    if (left == a.end() || right == b.end()) {
      order = static_cast<int>(left != a.end()) - static_cast<int>(right != b.end());
    } else if (is_less(left->second, right->second)) {
      order = -1;
    } else {
      order = is_less(right->second, left->second) ? 1 : 0;
    }
    return backwards ? -order : order;
  };
  const bool by_groups = pattern_.order_by.empty();
  if (!by_groups) {
    if (const int order = compared(pattern_.order_by.text, pattern_.backwards); order != 0) return order < 0;
  }
  for (const Assignment& group : pattern_.by) {
    if (const int order = compared(group.field, by_groups && pattern_.backwards); order != 0)
      return order < 0;
  }
  return false;
}

Result<std::vector<Item>> Aggregation::rows(std::optional<std::int64_t> limit) && {
  std::vector<Item> rows;
  rows.reserve(groups_.size());
  for (auto& [key, group] : groups_) {
    Item& row = rows.emplace_back(std::move(group.values));
    for (std::size_t i = 0; i < pattern_.measures.size(); ++i) {
      const Measure& measure = pattern_.measures[i];
      const Partial& partial = group.partials[i];
      std::optional<Value> value = partial.extreme;
      if (measure.function != MeasureFunction::Min && measure.function != MeasureFunction::Max) {
        TAVOLA_TRY(value, result_of(measure, partial.count, partial.sum, partial.per));
      } else if (value && value->is_number() && measure.digits) {
        value = Value(value->number().rounded(*measure.digits));
      }
      if (value) row[measure.name] = *std::move(value);
    }
  }
  std::ranges::sort(rows, [&](const Item& a, const Item& b) { return comes_before(a, b); });
  if (limit && rows.size() > static_cast<std::size_t>(*limit)) rows.resize(static_cast<std::size_t>(*limit));
  return rows;
}

}  // namespace tavola::design

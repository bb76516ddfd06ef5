#include "runner/deletions.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <type_traits>

#include "runner/perform.h"

namespace tavola::runner {
namespace {

using design::Cascade;
using design::Step;

// Each item may be written with several others.
constexpr std::int64_t kPortion = 25;

bool is_own_deletion(const Step& step) { return step.kind == Step::Kind::Delete && !step.implied; }

bool has(const std::vector<Cascade>& cascades, const Cascade& wanted) {
  return std::ranges::any_of(cascades, [&](const Cascade& one) {
    return one.entity.text == wanted.entity.text && one.pattern.text == wanted.pattern.text &&
           one.action == wanted.action;
  });
}

Error not_followed(const design::Operation& operation, const Cascade& cascade, const std::string& why) {
  return Error::validation(
      operation.name + " deletes what every " + cascade.entity.text + " of " + cascade.pattern.text +
      " names, and this database does not follow `on_delete`: " + why +
      ". Perform it on a table that the design governs, or delete each " + cascade.entity.text + " first.");
}

// Returns whether an expression uses a name or a value (#0, :1).
bool uses(std::string_view expression, std::string_view token) {
  const auto goes_on = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = expression.find(token); at != std::string_view::npos;
       at = expression.find(token, at + 1)) {
    const std::size_t end = at + token.size();
    if (end == expression.size() || !goes_on(expression[end])) return true;
  }
  return false;
}

// Returns the condition of a write alone; nullopt if it has none.
std::optional<ConditionCheck> check_of(const design::Table& table, const TransactWrite& write) {
  return std::visit(
      [&](const auto& one) -> std::optional<ConditionCheck> {
        if (one.condition_expression.empty()) return std::nullopt;
        ConditionCheck check{.table_name = one.table_name,
                             .condition_expression = one.condition_expression,
                             .names = one.names,
                             .on_condition_failure = one.on_condition_failure};
        const std::string& condition = one.condition_expression;
        std::erase_if(check.names, [&](const auto& name) { return !uses(condition, name.first); });
        Item values = one.values.unpack();
        std::erase_if(values, [&](const auto& value) { return !uses(condition, value.first); });
        check.values = pack(values).value_or(PackedItem());
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, PutItemRequest>) {
          Item key = one.item.unpack();
          std::erase_if(key, [&](const auto& attribute) {
            return attribute.first != table.hash.name &&
                   (!table.range || attribute.first != table.range->name);
          });
          check.key = pack(key).value_or(PackedItem());
        } else {
          check.key = one.key;
        }
        return check;
      },
      write);
}

}  // namespace

bool is_too_many(const Error& refusal) {
  const auto* const detail = refusal.detail<design::Refusal>();
  return detail != nullptr && detail->name == design::kTooMany;
}

Result<bool> Deletions::are_followed() const {
  const auto deletes = [&](const Step& step) {
    return is_own_deletion(step) && !call_.design->find_entity(step.entity.text)->on_delete.empty();
  };
  if (!std::ranges::any_of(call_.operation->steps, deletes)) return false;
  if (is_governed()) return true;
  TAVOLA_CHECK(check_steps());
  return false;
}

// The table may be governed by another revision of the design, and its rules may be switched off.
bool Deletions::is_governed() const {
  const std::string& table = call_.design->table.name;
  const auto governing = database_.governing_design(table);
  if (!governing || *governing == nullptr) return false;
  for (const Step& step : call_.operation->steps) {
    if (!is_own_deletion(step)) continue;
    const design::Entity* const there = (*governing)->find_entity(step.entity.text);
    for (const Cascade& cascade : call_.design->find_entity(step.entity.text)->on_delete) {
      if (there == nullptr || !has(there->on_delete, cascade)) return false;
    }
  }
  const Result<DescribeTableResponse> described = database_.describe_table({.table_name = table});
  if (!described || !described->table.governed_by) return true;
  return described->table.governed_by->enforcement != Enforcement::Off;
}

// Steps follow from a deletion directly, and its pattern must be asked by the key alone.
Result<void> Deletions::check_steps() const {
  for (const Step& step : call_.operation->steps) {
    if (!is_own_deletion(step)) continue;
    for (const Cascade& cascade : call_.design->find_entity(step.entity.text)->on_delete) {
      const auto follows = [&](const Step& other) {
        return other.entity.text == cascade.entity.text && !other.each.empty();
      };
      if (std::ranges::none_of(call_.operation->steps, follows)) {
        return fail(not_followed(*call_.operation, cascade,
                                 step.each.empty() ? "the pattern needs more than the key of the deleted item"
                                                   : "the operation deletes several items"));
      }
      const bool goes_on = cascade.action == Cascade::Action::Delete &&
                           !call_.design->find_entity(cascade.entity.text)->on_delete.empty();
      if (goes_on)
        return fail(
            not_followed(*call_.operation, cascade, "other items name a " + cascade.entity.text + ", too"));
    }
  }
  return {};
}

Result<void> Deletions::follow() const {
  TAVOLA_CHECK(check_conditions());
  for (const Step& step : call_.operation->steps) {
    if (step.implied && step.kind != Step::Kind::Check) TAVOLA_CHECK(follow_step(step));
  }
  return {};
}

// An operation that is refused may not delete anything.
Result<void> Deletions::check_conditions() const {
  design::Call own = call_;
  own.governed = true;  // without the implied steps
  TAVOLA_TRY(const design::ReadItems found, read_all(database_, own));
  TAVOLA_TRY(design::Plan plan, design::plan(own, found));
  design::Plan checks;
  for (design::Action& action : plan.actions) {
    if (std::optional<ConditionCheck> check = check_of(call_.design->table, action.write))
      checks.actions.push_back({*std::move(check), std::move(action.causes)});
  }
  TAVOLA_TRY(const Written checked, write(database_, checks, nullptr));
  if (checked.cause && checked.cause->kind == design::Cause::Kind::Refusal)
    return fail(design::refused(checked.cause->name, checked.cause->reason));
  return {};
}

Result<void> Deletions::follow_step(const Step& step) const {
  design::Operation part;
  part.name = call_.operation->name;
  part.parameters = call_.operation->parameters;
  part.steps.push_back(step);
  design::Call call = call_;
  call.operation = &part;
  TAVOLA_TRY(const std::vector<design::Read> reads, design::reads(call));
  const auto* const asked = std::get_if<QueryRequest>(&reads.front().request);
  if (asked == nullptr) return {};
  QueryRequest query = *asked;
  query.limit = kPortion;
  do {
    TAVOLA_TRY(const Page page, database_.query(query));
    std::vector<Item> found;
    for (const PackedItem& item : page.items) found.push_back(item.unpack());
    TAVOLA_CHECK(perform(call, found));
    query.exclusive_start_key = page.last_evaluated_key;
  } while (query.exclusive_start_key);
  return {};
}

// An item that changed since it was read is left for the next attempt of the operation.
Result<void> Deletions::perform(design::Call& call, const std::vector<Item>& found) const {
  if (found.empty()) return {};
  const Result<design::Plan> plan = design::plan(call, {found});
  if (!plan && !(is_too_many(plan.error()) && found.size() > 1)) return fail(plan.error());
  if (plan) {
    TAVOLA_TRY(const Written written, write(database_, *plan, nullptr));
    if (!written.cause) return {};
    if (written.cause->kind == design::Cause::Kind::Refusal)
      return fail(design::refused(written.cause->name, written.cause->reason));
    if (written.cause->kind == design::Cause::Kind::Gone) {
      call.without.insert(written.cause->name);
      return perform(call, found);
    }
    if (found.size() == 1) return {};
  }
  const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
  TAVOLA_CHECK(perform(call, {found.begin(), middle}));
  return perform(call, {middle, found.end()});
}

}  // namespace tavola::runner

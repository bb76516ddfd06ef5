#include <algorithm>
#include <compare>
#include <optional>

#include "tests/model/expressions.h"

namespace tavola::model {
namespace {

bool compares(Comparison comparison, const Value* a, const Value* b) {
  // A missing attribute equals nothing, so it is "not equal" to everything.
  if (comparison == Comparison::NotEqual) return a == nullptr || b == nullptr || !(*a == *b);
  if (a == nullptr || b == nullptr) return false;
  if (comparison == Comparison::Equal) return *a == *b;
  const std::partial_ordering order = order_of(*a, *b);
  switch (comparison) {
    case Comparison::Less:
      return order < 0;
    case Comparison::LessOrEqual:
      return order <= 0;
    case Comparison::Greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

std::optional<Value> length_of(const Value& value) {
  switch (value.type()) {
    case Type::String:
      return Value(value.string().size());
    case Type::Binary:
      return Value(value.binary().bytes.size());
    case Type::List:
      return Value(value.list().size());
    case Type::Map:
      return Value(value.map().size());
    case Type::StringSet:
      return Value(value.string_set().size());
    case Type::NumberSet:
      return Value(value.number_set().size());
    case Type::BinarySet:
      return Value(value.binary_set().size());
    default:
      return std::nullopt;
  }
}

template <class T>
bool has_element(const Set<T>& set, const T& wanted) {
  return std::find(set.begin(), set.end(), wanted) != set.end();
}

bool contains(const Value& whole, const Value& part) {
  switch (whole.type()) {
    case Type::String:
      return part.is_string() && whole.string().find(part.string()) != std::string::npos;
    case Type::StringSet:
      return part.is_string() && has_element(whole.string_set(), part.string());
    case Type::NumberSet:
      return part.is_number() && has_element(whole.number_set(), part.number());
    case Type::BinarySet:
      return part.type() == Type::Binary && has_element(whole.binary_set(), part.binary());
    case Type::List:
      return std::ranges::find(whole.list(), part) != whole.list().end();
    default:
      return false;
  }
}

bool begins_with(const Value& whole, const Value& prefix) {
  if (whole.type() != prefix.type()) return false;
  if (whole.is_string()) return whole.string().rfind(prefix.string(), 0) == 0;
  if (whole.type() == Type::Binary) return whole.binary().bytes.rfind(prefix.binary().bytes, 0) == 0;
  return false;
}

// ---- Updates ----

using Faults = std::vector<UpdateFault>;

std::optional<Value> value_of(const Operand& operand, const Item& item) {
  if (operand.kind == Operand::Kind::Literal) return operand.value;
  const Value* found = find(item, operand.path);
  if (found != nullptr) return *found;
  if (operand.kind == Operand::Kind::IfNotExists) return operand.value;
  return std::nullopt;
}

template <class T>
Value union_of(const Set<T>& a, const Set<T>& b) {
  std::vector<T> elements = a.elements();
  for (const T& element : b) {
    if (!has_element(a, element)) elements.push_back(element);
  }
  return Value(*Set<T>::of(std::move(elements)));
}

// Returns nullopt if no element is left: a set is never empty.
template <class T>
std::optional<Value> difference_of(const Set<T>& a, const Set<T>& b) {
  std::vector<T> elements;
  for (const T& element : a) {
    if (!has_element(b, element)) elements.push_back(element);
  }
  if (elements.empty()) return std::nullopt;
  return Value(*Set<T>::of(std::move(elements)));
}

Value added(const Value& stored, const Value& more) {
  switch (stored.type()) {
    case Type::Number:
      return exact_sum(stored.number(), more.number());
    case Type::StringSet:
      return union_of(stored.string_set(), more.string_set());
    case Type::NumberSet:
      return union_of(stored.number_set(), more.number_set());
    default:
      return union_of(stored.binary_set(), more.binary_set());
  }
}

std::optional<Value> without(const Value& stored, const Value& fewer) {
  switch (stored.type()) {
    case Type::StringSet:
      return difference_of(stored.string_set(), fewer.string_set());
    case Type::NumberSet:
      return difference_of(stored.number_set(), fewer.number_set());
    default:
      return difference_of(stored.binary_set(), fewer.binary_set());
  }
}

// The effect of an action at its path: a value, or a removal.
struct Written {
  std::optional<Value> value{};
  std::optional<UpdateFault> fault{};
};

Written set_from_two(const Action& action, const Item& before) {
  const std::optional<Value> left = value_of(action.left, before);
  const std::optional<Value> right = value_of(action.right, before);
  if (!left || !right) return {.fault = UpdateFault::MissingAttribute};
  const Type needed = action.kind == Action::Kind::SetAppend ? Type::List : Type::Number;
  if (left->type() != needed || right->type() != needed) return {.fault = UpdateFault::WrongType};
  if (action.kind == Action::Kind::SetAppend) {
    List joined = left->list();
    for (const Value& element : right->list()) joined.push_back(element);
    return {.value = Value(std::move(joined))};
  }
  const bool minus = action.kind == Action::Kind::SetMinus;
  return {.value = exact_sum(left->number(), minus ? negated(right->number()) : right->number())};
}

Written outcome_of(const Action& action, const Item& before) {
  const Value* stored = find(before, action.path);
  switch (action.kind) {
    case Action::Kind::Set: {
      std::optional<Value> value = value_of(action.left, before);
      if (!value) return {.fault = UpdateFault::MissingAttribute};
      return {.value = std::move(value)};
    }
    case Action::Kind::SetSum:
    case Action::Kind::SetMinus:
    case Action::Kind::SetAppend:
      return set_from_two(action, before);
    case Action::Kind::Add:
      if (stored == nullptr) return {.value = action.left.value};
      if (stored->type() != action.left.value.type()) return {.fault = UpdateFault::WrongType};
      return {.value = added(*stored, action.left.value)};
    case Action::Kind::DeleteFrom:
      if (stored == nullptr) return {};
      if (stored->type() != action.left.value.type()) return {.fault = UpdateFault::WrongType};
      return {.value = without(*stored, action.left.value)};
    default:
      return {};
  }
}

// Orders actions so that list indexes keep their meaning during the update: first writes, lower indexes
// before higher ones (beyond the end, elements are appended in that order), then removals, higher indexes
// first.
bool applies_before(const std::pair<Path, Written>& a, const std::pair<Path, Written>& b) {
  const bool a_writes = a.second.value.has_value();
  const bool b_writes = b.second.value.has_value();
  if (a_writes != b_writes) return a_writes;
  return a_writes ? a.first.steps < b.first.steps : b.first.steps < a.first.steps;
}

void write_at(Item& item, const Path& path, const std::optional<Value>& value) {
  if (path.steps.empty()) {
    if (value) {
      item.insert_or_assign(path.head, *value);
    } else {
      item.erase(path.head);
    }
    return;
  }
  Value& parent = *find_parent(item, path);
  if (const auto* name = std::get_if<std::string>(&path.steps.back())) {
    if (value) {
      parent.map().insert_or_assign(*name, *value);
    } else {
      parent.map().erase(*name);
    }
    return;
  }
  const std::size_t index = std::get<std::size_t>(path.steps.back());
  List& list = parent.list();
  if (!value) {
    if (index < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  } else if (index < list.size()) {
    list[index] = *value;
  } else {
    list.push_back(*value);
  }
}

}  // namespace

bool holds(const Condition& condition, const Item& item) {
  using Kind = Condition::Kind;
  const auto holds_here = [&](const Condition& inner) { return holds(inner, item); };
  const Value* value = find(item, condition.path);
  switch (condition.kind) {
    case Kind::And:
      return std::ranges::all_of(condition.operands, holds_here);
    case Kind::Or:
      return std::ranges::any_of(condition.operands, holds_here);
    case Kind::Not:
      return !holds_here(condition.operands.front());
    case Kind::Compare:
      return compares(condition.comparison, value, &condition.values[0]);
    case Kind::ComparePaths:
      return compares(condition.comparison, value, find(item, condition.other));
    case Kind::CompareSize: {
      const std::optional<Value> length = value == nullptr ? std::nullopt : length_of(*value);
      return length && compares(condition.comparison, &*length, &condition.values[0]);
    }
    case Kind::Between:
      return compares(Comparison::GreaterOrEqual, value, &condition.values[0]) &&
             compares(Comparison::LessOrEqual, value, &condition.values[1]);
    case Kind::In:
      return value != nullptr && std::ranges::find(condition.values, *value) != condition.values.end();
    case Kind::Exists:
      return value != nullptr;
    case Kind::NotExists:
      return value == nullptr;
    case Kind::TypeIs:
      return value != nullptr && type_name(value->type()) == condition.values[0].string();
    case Kind::BeginsWith:
      return value != nullptr && begins_with(*value, condition.values[0]);
    case Kind::Contains:
      return value != nullptr && contains(*value, condition.values[0]);
  }
  return false;
}

std::string message_of(UpdateFault fault) {
  switch (fault) {
    case UpdateFault::MissingAttribute:
      return "The provided expression refers to an attribute that does not exist in the item";
    case UpdateFault::WrongType:
      return "An operand in the update expression has an incorrect data type";
    default:
      return "The document path provided in the update expression is invalid for update";
  }
}

std::expected<Item, Faults> updated(const Update& update, const Item& before) {
  Faults faults;
  std::vector<std::pair<Path, Written>> writes;
  for (const Action& action : update) {
    // Removing or deleting below a missing parent is refused like writing there.
    if (!action.path.steps.empty() && find_parent(before, action.path) == nullptr) {
      faults.push_back(UpdateFault::InvalidPath);
    }
    Written written = outcome_of(action, before);
    if (written.fault) faults.push_back(*written.fault);
    // A missing element is not removed, even if the update appends one in its place.
    if (written.value || find(before, action.path) != nullptr)
      writes.emplace_back(action.path, std::move(written));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  std::ranges::sort(writes, applies_before);
  Item after = before;
  for (const auto& [path, written] : writes) write_at(after, path, written.value);
  return after;
}

}  // namespace tavola::model

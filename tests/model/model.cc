#include "tests/model/model.h"

#include <algorithm>
#include <utility>

namespace tavola::model {
namespace {

constexpr std::size_t kItemBytes = std::size_t{400} * 1024;

double rounded_up(std::size_t bytes, std::size_t unit) {
  return static_cast<double>(std::max<std::size_t>(1, (bytes + unit - 1) / unit));
}

std::vector<std::string> attributes_of(const std::vector<KeySchemaElement>& schema, KeyType type) {
  std::vector<std::string> names;
  for (const KeySchemaElement& element : schema) {
    if (element.type == type) names.push_back(element.name);
  }
  return names;
}

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

std::optional<Key> values_of(const Item& item, const std::vector<std::string>& names) {
  Key values;
  for (const std::string& name : names) {
    const auto found = item.find(name);
    if (found == item.end()) return std::nullopt;
    values.push_back(found->second);
  }
  return values;
}

bool is_empty(const Value& value) {
  return (value.is_string() && value.string().empty()) ||
         (value.type() == Type::Binary && value.binary().bytes.empty());
}

std::string empty_words(const Value& value) {
  return std::string("The AttributeValue for a key attribute cannot contain an empty ") +
         (value.is_string() ? "string" : "binary") + " value.";
}

std::string mismatch_words(const std::string& index, const std::string& name, Type expected, Type actual) {
  return "One or more parameter values were invalid: Type mismatch for Index Key " + name +
         " Expected: " + std::string(type_name(expected)) + " Actual: " + std::string(type_name(actual)) +
         " IndexName: " + index;
}

// Returns the type an action writes, if that does not depend on the stored item.
std::optional<Type> type_without_item(const Action& action) {
  switch (action.kind) {
    case Action::Kind::Set:
      if (action.left.kind != Operand::Kind::Literal) return std::nullopt;
      return action.left.value.type();
    case Action::Kind::SetSum:
    case Action::Kind::SetMinus:
      return Type::Number;
    case Action::Kind::SetAppend:
      return Type::List;
    case Action::Kind::Remove:
      return std::nullopt;
    default:
      return action.left.value.type();
  }
}

std::optional<Item> unless_empty(Item item) {
  return item.empty() ? std::nullopt : std::optional<Item>(std::move(item));
}

// Returns the attributes that UpdateItem returns of the item before and after.
std::optional<Item> returned(ReturnValues wanted, const Update& update, const Item* before,
                             const Item& after) {
  std::vector<Path> touched;
  for (const Action& action : update) touched.push_back(action.path);
  switch (wanted) {
    case ReturnValues::AllOld:
      return before == nullptr ? std::nullopt : std::optional(*before);
    case ReturnValues::UpdatedOld:
      return before == nullptr ? std::nullopt : unless_empty(project(*before, touched));
    case ReturnValues::AllNew:
      return after;
    case ReturnValues::UpdatedNew:
      return unless_empty(project(after, touched));
    default:
      return std::nullopt;
  }
}

}  // namespace

double Units::total() const {
  double sum = table;
  for (const auto& [name, units] : indexes) sum += units;
  return sum;
}

double read_units(std::size_t bytes, bool consistent) {
  return rounded_up(bytes, 4096) * (consistent ? 1.0 : 0.5);
}

double write_units(std::size_t bytes) { return rounded_up(bytes, 1024); }

ModelTable::ModelTable(CreateTableRequest shape) : shape_(std::move(shape)) {
  key_ = attributes_of(shape_.key_schema, KeyType::Hash);
  append_new(key_, attributes_of(shape_.key_schema, KeyType::Range));
  for (const LocalIndex& local : shape_.local_indexes) {
    indexes_.push_back({local.name, false, attributes_of(local.key_schema, KeyType::Hash),
                        attributes_of(local.key_schema, KeyType::Range), local.projection});
  }
  for (const GlobalIndex& global : shape_.global_indexes) {
    indexes_.push_back({global.name, true, attributes_of(global.key_schema, KeyType::Hash),
                        attributes_of(global.key_schema, KeyType::Range), global.projection});
  }
}

const IndexShape* ModelTable::index(const std::string& name) const {
  const auto found = std::ranges::find(indexes_, name, &IndexShape::name);
  return found == indexes_.end() ? nullptr : &*found;
}

Type ModelTable::type_of(const std::string& key_attribute) const {
  return std::ranges::find(shape_.attribute_definitions, key_attribute, &AttributeDefinition::name)->type;
}

Key ModelTable::key_of(const Item& image) const { return values_of(image, key_).value_or(Key()); }

Item ModelTable::key_item(const Key& key) const {
  Item item;
  for (std::size_t i = 0; i < key_.size(); ++i) item[key_[i]] = key[i];
  return item;
}

const Item* ModelTable::find(const Key& key) const {
  const auto found = items_.find(key);
  return found == items_.end() ? nullptr : &found->second;
}

std::vector<std::string> ModelTable::hash_attributes(const IndexShape* index) const {
  return index == nullptr ? std::vector<std::string>{key_.front()} : index->hash;
}

std::vector<std::string> ModelTable::schema(const IndexShape* index) const {
  if (index == nullptr) return key_;
  std::vector<std::string> names = index->hash;
  names.insert(names.end(), index->range.begin(), index->range.end());
  return names;
}

std::vector<std::string> ModelTable::start_key_attributes(const IndexShape* index) const {
  std::vector<std::string> names = key_;
  append_new(names, schema(index));
  return names;
}

std::optional<std::vector<std::string>> ModelTable::projected(const IndexShape* index) const {
  if (index == nullptr || index->projection.type == ProjectionType::All) return std::nullopt;
  std::vector<std::string> names = start_key_attributes(index);
  if (index->projection.type == ProjectionType::Include) append_new(names, index->projection.attributes);
  return names;
}

std::optional<Entry> ModelTable::entry(const IndexShape* index, const Item& item) const {
  std::optional<Key> hash = values_of(item, hash_attributes(index));
  if (!hash) return std::nullopt;
  Entry entry{.image = {}, .hash = *std::move(hash), .position = {}, .item = &item};
  if (index != nullptr) {
    std::optional<Key> range = values_of(item, index->range);
    if (!range) return std::nullopt;
    entry.position = *std::move(range);
  }
  for (const Value& part : key_of(item)) entry.position.push_back(part);
  const auto names = projected(index);
  entry.image = names ? keep(item, *names) : item;
  return entry;
}

std::vector<Entry> ModelTable::entries(const IndexShape* index) const {
  std::vector<Entry> found;
  for (const auto& [key, item] : items_) {
    if (auto one = entry(index, item)) found.push_back(*std::move(one));
  }
  std::ranges::sort(found, [](const Entry& a, const Entry& b) {
    const auto order = order_of_keys(a.hash, b.hash);
    return order != 0 ? order < 0 : order_of_keys(a.position, b.position) < 0;
  });
  return found;
}

std::vector<Entry> ModelTable::partition(const IndexShape* index, const Key& hash) const {
  std::vector<Entry> found;
  for (const auto& [key, item] : items_) {
    if (values_of(item, hash_attributes(index)) != hash) continue;
    if (auto one = entry(index, item)) found.push_back(*std::move(one));
  }
  std::ranges::sort(found,
                    [](const Entry& a, const Entry& b) { return order_of_keys(a.position, b.position) < 0; });
  return found;
}

// ---- Writes ----

// "Constraints", Items: an item shares its limit with its entries in local indexes.
std::size_t ModelTable::size_with_entries(const Item& item) const {
  std::size_t bytes = size_of(item);
  for (const IndexShape& shape : indexes_) {
    const std::optional<Entry> one = shape.global ? std::nullopt : entry(&shape, item);
    if (one) bytes += size_of(one->image);
  }
  return bytes;
}

std::vector<Refusal> ModelTable::refusals_of_item(const Item& item) const {
  std::vector<Refusal> refusals;
  for (const IndexShape& shape : indexes_) {
    for (const std::string& name : schema(&shape)) {
      const auto found = item.find(name);
      if (found == item.end()) continue;
      if (const Type expected = type_of(name); found->second.type() != expected) {
        refusals.push_back({.message = mismatch_words(shape.name, name, expected, found->second.type())});
      } else if (is_empty(found->second)) {
        refusals.push_back({.message = "One or more parameter values are not valid. A value specified for a "
                                       "secondary index key is not supported. " +
                                       empty_words(found->second) + " IndexName: " + shape.name +
                                       ", IndexKey: " + name});
      }
    }
  }
  const bool is_large = size_of(item) > kItemBytes;
  if (is_large || (refusals.empty() && size_with_entries(item) > kItemBytes)) {
    refusals.push_back(
        {.message = "Item size has exceeded the maximum allowed size", .with_entries = !is_large});
  }
  return refusals;
}

// An update that would give an index key another type in any case is refused before any item is read.
std::vector<Refusal> ModelTable::refusals_of_update(const Update& update) const {
  std::vector<Refusal> refusals;
  for (const Action& action : update) {
    const std::optional<Type> type = type_without_item(action);
    if (!type || !action.path.steps.empty()) continue;
    for (const IndexShape& shape : indexes_) {
      const std::vector<std::string> key = schema(&shape);
      if (std::ranges::find(key, action.path.head) == key.end()) continue;
      if (const Type expected = type_of(action.path.head); expected != *type) {
        refusals.push_back({.message = mismatch_words(shape.name, action.path.head, expected, *type)});
      }
    }
  }
  return refusals;
}

// UpdateItem has its own messages for items that PutItem refuses by name.
std::vector<Refusal> ModelTable::refusals_of_updated(const Item& item) const {
  std::vector<Refusal> refusals;
  for (const IndexShape& shape : indexes_) {
    for (const std::string& name : schema(&shape)) {
      const auto found = item.find(name);
      if (found == item.end()) continue;
      if (found->second.type() != type_of(name)) {
        refusals.push_back(
            {.message =
                 "The update expression attempted to update the secondary index key to unsupported type"});
      } else if (is_empty(found->second)) {
        refusals.push_back({.message = "One or more parameter values are not valid. The update expression "
                                       "attempted to update a secondary index key to a value that is not "
                                       "supported. " +
                                       empty_words(found->second)});
      }
    }
  }
  if (size_of(item) > kItemBytes || (refusals.empty() && size_with_entries(item) > kItemBytes)) {
    refusals.push_back({.message = "Item size to update has exceeded the maximum allowed size"});
  }
  return refusals;
}

bool ModelTable::admits(const WriteTerms& terms, const Item* before, WriteOutcome& outcome) {
  if (!terms.condition || holds(*terms.condition, before == nullptr ? Item{} : *before)) return true;
  outcome.refusals.push_back({ErrorCode::ConditionalCheckFailed, "The conditional request failed"});
  if (before != nullptr && terms.on_failure == ReturnValuesOnConditionCheckFailure::AllOld) {
    outcome.failed_on = *before;
  }
  return false;
}

// Developer Guide, "Provisioned throughput considerations for global secondary indexes": an entry that
// appears, disappears or changes costs a write, one that moves costs two, an unchanged one costs nothing.
Units ModelTable::units_of(const Item* before, const Item* after) const {
  Units units;
  units.table =
      write_units(std::max(before == nullptr ? 0 : size_of(*before), after == nullptr ? 0 : size_of(*after)));
  for (const IndexShape& shape : indexes_) {
    const auto old_entry = before == nullptr ? std::nullopt : entry(&shape, *before);
    const auto new_entry = after == nullptr ? std::nullopt : entry(&shape, *after);
    double cost = 0;
    if (old_entry && new_entry && old_entry->hash == new_entry->hash &&
        old_entry->position == new_entry->position) {
      if (old_entry->image != new_entry->image) {
        cost = write_units(std::max(size_of(old_entry->image), size_of(new_entry->image)));
      }
    } else {
      if (old_entry) cost += write_units(size_of(old_entry->image));
      if (new_entry) cost += write_units(size_of(new_entry->image));
    }
    if (cost != 0) units.indexes[shape.name] = cost;
  }
  return units;
}

WriteOutcome ModelTable::put(const Item& item, const WriteTerms& terms) {
  WriteOutcome outcome{.refusals = refusals_of_item(item)};
  if (!outcome.refusals.empty()) return outcome;
  const Item* before = find(key_of(item));
  if (!admits(terms, before, outcome)) return outcome;
  if (terms.return_values == ReturnValues::AllOld && before != nullptr) outcome.attributes = *before;
  outcome.units = units_of(before, &item);
  items_.insert_or_assign(key_of(item), item);
  return outcome;
}

WriteOutcome ModelTable::remove(const Item& key, const WriteTerms& terms) {
  WriteOutcome outcome;
  const Item* before = find(key_of(key));
  if (!admits(terms, before, outcome)) return outcome;
  if (terms.return_values == ReturnValues::AllOld && before != nullptr) outcome.attributes = *before;
  outcome.units = units_of(before, nullptr);
  items_.erase(key_of(key));
  return outcome;
}

WriteOutcome ModelTable::check(const Item& key, const WriteTerms& terms) const {
  WriteOutcome outcome;
  const Item* stored = find(key_of(key));
  if (admits(terms, stored, outcome)) outcome.units = units_of(stored, stored);
  return outcome;
}

WriteOutcome ModelTable::update(const Item& key, const Update& update, const WriteTerms& terms) {
  WriteOutcome outcome{.refusals = refusals_of_update(update)};
  if (!outcome.refusals.empty()) return outcome;
  const Item* before = find(key_of(key));
  if (!admits(terms, before, outcome)) return outcome;
  const bool only_takes_away = !update.empty() && std::ranges::all_of(update, [](const Action& action) {
    return action.kind == Action::Kind::Remove || action.kind == Action::Kind::DeleteFrom;
  });
  if (before == nullptr && only_takes_away) {  // does not create the item, and no path is too deep for it
    outcome.units = units_of(nullptr, nullptr);
    return outcome;
  }
  auto after = updated(update, before == nullptr ? key : *before);
  if (!after) {
    for (const UpdateFault fault : after.error()) outcome.refusals.push_back({.message = message_of(fault)});
    return outcome;
  }
  outcome.refusals = refusals_of_updated(*after);
  if (!outcome.refusals.empty()) return outcome;

  outcome.attributes = returned(terms.return_values, update, before, *after);
  outcome.units = units_of(before, &*after);
  items_.insert_or_assign(key_of(key), *std::move(after));
  return outcome;
}

IndexStatistics ModelTable::statistics(const IndexShape* index) const {
  IndexStatistics statistics;
  for (const Entry& one : entries(index)) {
    ++statistics.item_count;
    statistics.size_bytes += static_cast<std::int64_t>(size_of(one.image));
  }
  return statistics;
}

}  // namespace tavola::model

// ModelTable: a DynamoDB table in its simplest form. Items are trees in one sorted map; an index is not
// stored but computed from the items on every read. Slow and obvious on purpose.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "tests/model/expressions.h"
#include "tests/model/values.h"

namespace tavola::model {

// One way in which AWS refuses a request. If several apply, AWS may return any of them.
struct Refusal {
  ErrorCode code = ErrorCode::Validation;
  std::string message{};
  bool with_entries = false;  // the item is too large only with its entries in local indexes
};

struct IndexShape {
  std::string name{};
  bool global = true;
  std::vector<std::string> hash{};
  std::vector<std::string> range{};
  IndexProjection projection{};
};

// Capacity units; those of the indexes by name, unless zero.
struct Units {
  double table = 0;
  std::map<std::string, double, std::less<>> indexes{};
  double total() const;
};
double read_units(std::size_t bytes, bool consistent);
double write_units(std::size_t bytes);

// The parameters of a write besides the change itself.
struct WriteTerms {
  std::optional<Condition> condition{};
  ReturnValues return_values = ReturnValues::None;
  ReturnValuesOnConditionCheckFailure on_failure = ReturnValuesOnConditionCheckFailure::None;
};

struct WriteOutcome {
  std::vector<Refusal> refusals{};   // none: it succeeds
  std::optional<Item> failed_on{};   // the item a failed condition returns
  std::optional<Item> attributes{};  // the result of ReturnValues
  Units units{};
};

// One entry of the table or of an index.
struct Entry {
  Item image{};                // the part of the item in the index
  Key hash{};                  // values of the partition key attributes
  Key position{};              // order within the partition: sort key attributes, then the table's key
  const Item* item = nullptr;  // the whole item, in the model
};

class ModelTable {
 public:
  explicit ModelTable(CreateTableRequest shape);

  const CreateTableRequest& shape() const { return shape_; }
  const std::string& name() const { return shape_.table_name; }
  const std::vector<IndexShape>& indexes() const { return indexes_; }
  const IndexShape* index(const std::string& name) const;
  const std::vector<std::string>& key_attributes() const { return key_; }
  bool has_range() const { return key_.size() == 2; }
  Type type_of(const std::string& key_attribute) const;
  const std::map<Key, Item, KeyLess>& items() const { return items_; }

  // `image` must have the key's attributes.
  Key key_of(const Item& image) const;
  Item key_item(const Key& key) const;
  const Item* find(const Key& key) const;

  // Returns the key attributes of the table (null) or an index, partition key first; and the partition key
  // attributes alone.
  std::vector<std::string> schema(const IndexShape* index) const;
  std::vector<std::string> hash_attributes(const IndexShape* index) const;
  // Returns the attributes of ExclusiveStartKey and LastEvaluatedKey: the table's key and the index's.
  std::vector<std::string> start_key_attributes(const IndexShape* index) const;
  // Returns the attributes an index holds; nullopt means all of them.
  std::optional<std::vector<std::string>> projected(const IndexShape* index) const;

  // Returns the item's entry in the table (null) or in an index; nullopt if the item lacks a key attribute.
  std::optional<Entry> entry(const IndexShape* index, const Item& item) const;
  // Returns all entries, partition by partition.
  std::vector<Entry> entries(const IndexShape* index) const;
  // Returns the entries of one partition in ascending order.
  std::vector<Entry> partition(const IndexShape* index, const Key& hash) const;

  WriteOutcome put(const Item& item, const WriteTerms& terms);
  WriteOutcome update(const Item& key, const Update& update, const WriteTerms& terms);
  WriteOutcome remove(const Item& key, const WriteTerms& terms);
  // Checks a condition alone, as a transaction does: it costs as much as writing the item.
  WriteOutcome check(const Item& key, const WriteTerms& terms) const;

  IndexStatistics statistics(const IndexShape* index) const;

 private:
  std::size_t size_with_entries(const Item& item) const;
  std::vector<Refusal> refusals_of_item(const Item& item) const;
  std::vector<Refusal> refusals_of_update(const Update& update) const;
  std::vector<Refusal> refusals_of_updated(const Item& item) const;
  // Returns false if the condition does not hold; fills the outcome accordingly.
  static bool admits(const WriteTerms& terms, const Item* before, WriteOutcome& outcome);
  Units units_of(const Item* before, const Item* after) const;

  CreateTableRequest shape_;
  std::vector<std::string> key_;
  std::vector<IndexShape> indexes_;
  std::map<Key, Item, KeyLess> items_;
};

}  // namespace tavola::model

// Makes random tables, items, conditions, updates and queries, biased towards stored data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tavola/requests.h>

#include "tests/model/expressions.h"
#include "tests/model/model.h"
#include "tests/model/random.h"

namespace tavola::model {

// One comparison of a key condition, on a sort key attribute.
struct RangeTerm {
  enum class Kind : std::uint8_t { Equal, Less, LessOrEqual, Greater, GreaterOrEqual, Between, BeginsWith };
  std::string attribute{};
  Kind kind = Kind::Equal;
  std::vector<Value> values{};  // two for Between
};
bool matches(const RangeTerm& term, const Item& item);

// The requested part of each item of a query or scan.
struct ReadTerms {
  std::optional<Condition> filter{};
  std::vector<Path> projection{};  // empty: by `select`
  std::optional<Select> select{};
  bool consistent = false;
};

struct QueryPlan {
  const IndexShape* index = nullptr;  // of the table's model; null for the table itself
  Key hash{};
  std::vector<RangeTerm> range{};
  bool forward = true;
  ReadTerms terms{};
};

struct ScanPlan {
  const IndexShape* index = nullptr;
  ReadTerms terms{};
};

class Generator {
 public:
  struct Options {
    std::size_t hash_keys = 5;      // distinct partitions
    std::size_t range_keys = 12;    // distinct sort keys of each
    std::size_t blob_bytes = 6000;  // of a long text
    int long_texts = 15;            // percent
  };
  Generator(Random& random, Options options) : random_(random), options_(options) {}

  CreateTableRequest table(const std::string& name);

  Item key(const ModelTable& table);   // stored or not
  Item item(const ModelTable& table);  // with a key, mostly well formed
  Condition condition(const ModelTable& table, const Item* stored);
  Update update(const ModelTable& table, const Item* stored);
  WriteTerms terms(const ModelTable& table, const Item* stored, const std::vector<ReturnValues>& choices);
  std::vector<Path> projection(const std::vector<std::string>& heads);
  QueryPlan query(const ModelTable& table);
  // Returns a position in the queried partition to start from, which need not be an item's.
  std::optional<Item> start_key(const ModelTable& table, const QueryPlan& plan);
  ScanPlan scan(const ModelTable& table);

  Value key_value(Type type, bool is_range);
  Value value_for(const ModelTable* table, const std::string& attribute);
  Value scalar();

 private:
  Condition leaf(const std::vector<std::string>& heads, const Item* stored);
  Condition condition_on(const std::vector<std::string>& heads, const Item* stored, int depth);
  Path path_below(const std::string& head);
  void add_actions(Update& update, const ModelTable& table, const std::string& head);
  void add_map_actions(Update& update, const std::string& head);
  void add_list_actions(Update& update, const std::string& head);
  Action set_action(Path path, Value literal);
  Operand number_operand();
  enum class FilterOn : std::uint8_t { AnyAttribute, OtherAttributes };  // a query's filter spares its key
  ReadTerms read_terms(const ModelTable& table, const IndexShape* index, FilterOn filter_on);
  std::vector<RangeTerm> range_terms(const ModelTable& table, const IndexShape* index, const Entry* near);
  RangeTerm range_term(std::string attribute, Type type, const Value* near);
  IndexProjection index_projection();
  Value value_of_type(Type type);
  Number small_number();
  Value set_of(Type set_type);

  Random& random_;
  Options options_;
};

// Returns the attributes that are not keys (some may be an index's key).
const std::vector<std::string>& data_attributes();

}  // namespace tavola::model

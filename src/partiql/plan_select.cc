#include <algorithm>

#include "base/joined.h"
#include "partiql/messages.h"
#include "partiql/plan.h"

namespace tavola::partiql {
namespace {

using ast::Node;

template <class Index>
const Index* find_index(const std::vector<Index>& indexes, std::string_view name) {
  const auto found = std::ranges::find(indexes, name, &Index::name);
  return name.empty() || found == indexes.end() ? nullptr : &*found;
}

// Returns the attributes of an index that does not project all, ordered.
template <class Index>
std::vector<std::string> projected(const TableDescription& table, const Index& index) {
  std::vector<std::string> names = index.projection.attributes;
  for (const auto* schema : {&table.key_schema, &index.key_schema}) {
    std::ranges::transform(*schema, std::back_inserter(names), &KeySchemaElement::name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

template <class Index>
bool projects(const TableDescription& table, const Index& index, const std::string& attribute) {
  return index.projection.type == ProjectionType::All ||
         std::ranges::binary_search(projected(table, index), attribute);
}

// Returns the attributes in some conditions, each once.
std::vector<std::string> attributes_of(const std::vector<Node>& terms, const Slots& slots) {
  std::vector<std::string> attributes;
  for (const Node& term : terms) {
    for (const std::string& name : partiql::attributes_of(term, slots)) {
      if (std::ranges::find(attributes, name) == attributes.end()) attributes.push_back(name);
    }
  }
  return attributes;
}

// Returns the conditions that a read applies to items: its filter, and those after it.
std::vector<Node> looked_at(const KeyRead& read) {
  std::vector<Node> terms = read.filter;
  std::ranges::copy(read.remaining, std::back_inserter(terms));
  return terms;
}

// An index cannot test attributes that it does not project. AWS refuses such reads by key; a scan of the index finds
// nothing.
template <class Index>
Result<void> check_projected(const TableDescription& table, const Index& index, const KeyRead& read,
                             const Slots& slots) {
  std::vector<std::string> missing;
  for (const std::string& attribute : attributes_of(looked_at(read), slots)) {
    if (!projects(table, index, attribute)) missing.push_back(attribute);
  }
  if (missing.empty()) return {};
  return fail(messages::refused("One or more parameter values were invalid: Secondary index " + index.name +
                                " does not project one or more filter attributes: " + bracketed(missing)));
}

// Query and Scan refuse the same, but AWS reports it in the order of the statement.
Result<void> check_columns(const TableDescription& table, const GlobalIndex& index,
                           const std::vector<std::string>& attributes) {
  std::vector<std::string> missing;
  std::ranges::copy_if(attributes, std::back_inserter(missing),
                       [&](const std::string& attribute) { return !projects(table, index, attribute); });
  if (missing.empty()) return {};
  return fail(messages::refused("One or more parameter values were invalid: Global secondary index " +
                                index.name + " does not project " + bracketed(missing)));
}

struct Order {
  std::optional<bool> hash_descending{};  // nullopt: unordered
  bool range_descending = false;
};

Result<Order> order_of(const std::vector<OrderKey>& keys, const Key& key, const std::vector<KeyRead>& reads,
                       const Slots& slots) {
  Order order;
  bool has_range = false;
  for (const OrderKey& one : keys) {
    if (one.attribute == key.hash) {
      order.hash_descending = one.descending;
    } else {
      order.range_descending = one.descending;
      has_range = true;
    }
  }
  // As on AWS: if the order names only the partition key, each partition is read from its end.
  if (order.hash_descending && !has_range) order.range_descending = true;
  const auto value = [&](const KeyRead& read) -> const Value& {
    return slots.value_at(std::get<ast::ValueSlot>(read.hash.form).slot);
  };
  const bool several =
      std::ranges::any_of(reads, [&](const KeyRead& read) { return value(read) != value(reads.front()); });
  if (!keys.empty() && several && !order.hash_descending) {
    return fail(
        messages::refused("Must have hash key in ORDER BY clause when more than one hash key condition "
                          "specified in WHERE clause."));
  }
  return order;
}

void sort(std::vector<KeyRead>& reads, const Order& order, const Slots& slots) {
  const auto hash = [&](const KeyRead& read) {
    return ordered_bytes(slots.value_at(std::get<ast::ValueSlot>(read.hash.form).slot));
  };
  // r = 3 comes before r > 3.
  const auto low = [](const KeyRead& read) {
    const std::optional<Interval::End>& end = read.interval.low;
    return end ? std::pair(end->bytes, end->open) : std::pair(std::string(), false);
  };
  std::ranges::sort(reads, [&](const KeyRead& a, const KeyRead& b) {
    if (order.hash_descending) {
      const std::string one = hash(a);
      const std::string other = hash(b);
      if (one != other) return *order.hash_descending ? one > other : one < other;
    }
    return order.range_descending ? low(a) > low(b) : low(a) < low(b);
  });
}

Result<void> check_order(const Select& select, const Key& key) {
  if (select.order.empty()) return {};
  if (!select.where) {
    return fail(messages::refused("Must have WHERE clause in the statement when using ORDER BY clause."));
  }
  for (const OrderKey& one : select.order) {
    if (key.has(one.attribute)) continue;
    return fail(messages::refused("Attribute " + one.attribute +
                                  " in ORDER BY clause must be part of the primary key"));
  }
  return {};
}

class SelectPlanner {
 public:
  SelectPlanner(Prepared& prepared, const ReadOptions& options) : prepared_(prepared), options_(options) {}

  Result<ReadPlan> query(const KeyRead& read, const Key& key, const Order& order) {
    RequestTexts texts(prepared_.slots);
    std::vector<Node> keys;
    keys.push_back(
        {ast::Comparison{ast::Comparator::Equal, ast::Operand{prepared_.slots.path(key.hash)}, read.hash}});
    if (read.range) keys.push_back(range_node(*read.range, key, prepared_.slots));
    QueryRequest made;
    made.key_condition_expression = texts.condition(all_of(std::move(keys)));
    if (!read.filter.empty()) made.filter_expression = texts.condition(all_of(read.filter));
    made.scan_index_forward = !order.range_descending;
    TAVOLA_TRY(ReadPlan plan, finish(std::move(made), texts, read.remaining));
    if (read.remaining.empty()) return plan;
    RequestTexts more(prepared_.slots);
    plan.remaining.text = more.condition(all_of(read.remaining));
    plan.remaining.names = more.names();
    TAVOLA_TRY(plan.remaining.values, more.values());
    return plan;
  }

  Result<ReadPlan> scan() {
    RequestTexts texts(prepared_.slots);
    ScanRequest made;
    if (prepared_.where) made.filter_expression = texts.condition(*prepared_.where);
    return finish(std::move(made), texts, {});
  }

 private:
  // Returns the attributes needed for columns and for the conditions on items found; empty: all.
  std::vector<std::string> wanted(const std::vector<Node>& remaining) const {
    std::vector<std::string> attributes = prepared_.attributes;
    if (attributes.empty()) return attributes;
    for (std::string& name : attributes_of(remaining, prepared_.slots)) {
      if (std::ranges::find(attributes, name) == attributes.end()) attributes.push_back(std::move(name));
    }
    return attributes;
  }

  template <class Request>
  Result<ReadPlan> finish(Request request, RequestTexts& texts, const std::vector<Node>& remaining) const {
    request.table_name = prepared_.table;
    request.index_name = prepared_.index;
    request.projection_expression = texts.projection(wanted(remaining));
    request.names = texts.names();
    TAVOLA_TRY(request.values, texts.values());
    request.consistent_read = options_.consistent;
    request.return_consumed_capacity = options_.capacity;
    ReadPlan plan{std::move(request)};
    plan.columns = prepared_.columns;
    return plan;
  }

  Prepared& prepared_;
  const ReadOptions& options_;
};

}  // namespace

Result<Key> key_of(const TableDescription& table, std::string_view index) {
  const std::vector<KeySchemaElement>* schema = index.empty() ? &table.key_schema : nullptr;
  for (const GlobalIndex& one : table.global_indexes) {
    if (!index.empty() && one.name == index) schema = &one.key_schema;
  }
  for (const LocalIndex& one : table.local_indexes) {
    if (!index.empty() && one.name == index) schema = &one.key_schema;
  }
  if (schema == nullptr) {
    return fail(messages::refused("The table does not have the specified index: " + std::string(index)));
  }
  Key key;
  for (const KeySchemaElement& element : *schema) {
    std::string& name = element.type == KeyType::Hash ? key.hash : key.range;
    if (!name.empty()) return fail(messages::multi_attribute_index());
    name = element.name;
    const auto defined =
        std::ranges::find(table.attribute_definitions, element.name, &AttributeDefinition::name);
    if (defined == table.attribute_definitions.end()) continue;
    (element.type == KeyType::Hash ? key.hash_type : key.range_type) = defined->type;
  }
  return key;
}

Result<SelectPlan> plan_select(Prepared& prepared, const TableDescription& table,
                               const ReadOptions& options) {
  const Select& select = std::get<Select>(prepared.statement);
  TAVOLA_TRY(const Key key, key_of(table, prepared.index));
  const GlobalIndex* const index = find_index(table.global_indexes, prepared.index);
  const LocalIndex* const local = find_index(table.local_indexes, prepared.index);
  if (index != nullptr && options.consistent) return fail(messages::consistent_global_index());
  if (index != nullptr) TAVOLA_CHECK(check_columns(table, *index, prepared.attributes));
  TAVOLA_CHECK(check_order(select, key));
  std::optional<std::vector<KeyRead>> reads;
  if (prepared.where) {
    TAVOLA_TRY(reads, key_reads(*prepared.where, key, prepared.slots));
  }
  SelectPlanner planner(prepared, options);
  SelectPlan plan;
  if (!reads) {
    if (!select.order.empty()) {
      return fail(
          messages::refused("Must have at least one non-optional hash key condition in WHERE clause when "
                            "using ORDER BY clause."));
    }
    TAVOLA_TRY(ReadPlan scan, planner.scan());
    plan.reads.push_back(std::move(scan));
    return plan;
  }
  TAVOLA_TRY(const Order order, order_of(select.order, key, *reads, prepared.slots));
  if (!select.order.empty()) sort(*reads, order, prepared.slots);
  for (const KeyRead& read : *reads) {
    if (index != nullptr) TAVOLA_CHECK(check_projected(table, *index, read, prepared.slots));
    if (local != nullptr) TAVOLA_CHECK(check_projected(table, *local, read, prepared.slots));
    TAVOLA_TRY(ReadPlan query, planner.query(read, key, order));
    plan.reads.push_back(std::move(query));
  }
  return plan;
}

}  // namespace tavola::partiql

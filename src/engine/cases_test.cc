// Runs every case of testdata/*.cases on a store in memory and on RocksDB. After a step that fails, the whole store
// must be unchanged, byte for byte; after every case the indexes and counts must agree with the items.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/enum_names.h"
#include "engine/test_case_file.h"
#include "engine/test_database.h"
#include "engine/test_notation.h"

namespace tavola::engine {
namespace {

// The response of any operation.
struct Answer {
  std::optional<PackedItem> item{};  // of a get, or the attributes of a write
  std::optional<ConsumedCapacity> capacity{};
  std::optional<ItemCollectionMetrics> collection{};
  std::optional<Page> page{};
};

// ---- From text to requests ----

// Throws if a word is not a name of the enum: a mistake in the case.
template <class E>
E named(std::string_view name) {
  return find_enum<E>(name).value();
}

// The parameters of a step, taken one by one; a remaining one is a mistake.
class Parameters {
 public:
  explicit Parameters(const CaseStep& step) : left_(step.parameters) {}

  bool has(const std::string& name) const { return left_.contains(name); }
  std::string text(const std::string& name) {
    const auto node = left_.extract(name);
    return node ? node.mapped() : "";
  }
  std::optional<std::string> maybe(const std::string& name) {
    return has(name) ? std::optional(text(name)) : std::nullopt;
  }
  template <class E>
  void word(const std::string& name, E& target) {
    if (has(name)) target = named<E>(text(name));
  }
  template <class E>
  void word(const std::string& name, std::optional<E>& target) {
    if (has(name)) target.emplace(named<E>(text(name)));
  }
  Result<Item> tree(const std::string& name) {
    return has(name) ? Notation(text(name)).item() : Result<Item>(Item());
  }
  Result<PackedItem> item(const std::string& name) {
    TAVOLA_TRY(const Item parsed, tree(name));
    return pack(parsed);
  }
  const std::map<std::string, std::string>& left() const { return left_; }

 private:
  std::map<std::string, std::string> left_;
};

Result<PackedItem> parse_item(const std::string& text) {
  TAVOLA_TRY(const Item item, Notation(text).item());
  return pack(item);
}

AttributeNames names_of(const Item& item) {
  AttributeNames names;
  for (const auto& [placeholder, name] : item) names.emplace(placeholder, name.string());
  return names;
}

LegacyConditions conditions_of(const Item& item) {
  LegacyConditions conditions;
  for (const auto& [attribute, spec] : item) {
    conditions[attribute] = {named<ComparisonOperator>(spec.map().at("op").string()),
                             spec.map().contains("list") ? spec.map().at("list").list() : List()};
  }
  return conditions;
}

ExpectedAttributes expected_of(const Item& item) {
  ExpectedAttributes expected;
  for (const auto& [attribute, spec] : item) {
    ExpectedAttribute& entry = expected[attribute];
    for (const auto& [name, value] : spec.map()) {
      if (name == "exists") entry.exists = value.boolean();
      if (name == "value") entry.value = value;
      if (name == "op") entry.op = named<ComparisonOperator>(value.string());
      if (name == "list") entry.operands = value.list();
    }
  }
  return expected;
}

AttributeUpdates updates_of(const Item& item) {
  AttributeUpdates updates;
  for (const auto& [attribute, spec] : item) {
    AttributeUpdate& entry = updates[attribute];
    if (spec.map().contains("action")) entry.action = named<UpdateAction>(spec.map().at("action").string());
    if (spec.map().contains("value")) entry.value = spec.map().at("value");
  }
  return updates;
}

std::vector<std::string> attributes_of(const std::string& text) {
  std::vector<std::string> names;
  const Result<Value> list = Notation(text).value();
  for (const Value& name : list->list()) names.push_back(name.string());
  return names;
}

// Parameters of all requests on items.
template <class Request>
Result<void> fill_common(Parameters& from, const std::string& table, Request& request) {
  request.table_name = from.has("in") ? from.text("in") : table;
  TAVOLA_TRY(const Item names, from.tree("names"));
  request.names = names_of(names);
  from.word("capacity", request.return_consumed_capacity);
  return {};
}

template <class Request>
Result<void> fill_write(Parameters& from, const std::string& table, Request& request) {
  TAVOLA_CHECK(fill_common(from, table, request));
  TAVOLA_TRY(request.values, from.item("values"));
  request.condition_expression = from.text("if");
  from.word("return", request.return_values);
  if (from.maybe("on-failure") == "ALL_OLD")
    request.on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld;
  if (from.maybe("metrics") == "SIZE")
    request.return_item_collection_metrics = ReturnItemCollectionMetrics::Size;
  if (from.has("expected")) {
    TAVOLA_TRY(const Item expected, from.tree("expected"));
    request.expected = expected_of(expected);
  }
  from.word("operator", request.conditional_operator);
  return {};
}

template <class Request>
Result<void> fill_read(Parameters& from, const std::string& table, Request& request) {
  TAVOLA_CHECK(fill_common(from, table, request));
  TAVOLA_TRY(request.values, from.item("values"));
  request.index_name = from.text("index");
  request.filter_expression = from.text("filter");
  request.projection_expression = from.text("project");
  from.word("select", request.select);
  if (from.has("limit")) request.limit = std::stoll(from.text("limit"));
  request.consistent_read = from.maybe("consistent").has_value();
  if (from.has("start")) {
    TAVOLA_TRY(request.exclusive_start_key, from.item("start"));
  }
  from.word("operator", request.conditional_operator);
  if (from.has("attributes")) request.attributes_to_get = attributes_of(from.text("attributes"));
  return {};
}

// ---- The verbs ----

Result<Answer> answered(const Result<WriteItemResponse>& response) {
  if (!response) return fail(response.error());
  return Answer{response->attributes, response->consumed_capacity, response->item_collection_metrics};
}
Result<Answer> answered(const Result<GetItemResponse>& response) {
  if (!response) return fail(response.error());
  return Answer{response->item, response->consumed_capacity};
}
Result<Answer> answered(const Result<Page>& response) {
  if (!response) return fail(response.error());
  return Answer{.capacity = response->consumed_capacity, .page = *response};
}

Result<Answer> put_given(Engine& engine, Parameters& from, const std::string& table,
                         const std::string& argument) {
  PutItemRequest request;
  TAVOLA_CHECK(fill_write(from, table, request));
  TAVOLA_TRY(request.item, parse_item(argument));
  return answered(engine.put_item(request));
}

Result<Answer> remove(Engine& engine, Parameters& from, const std::string& table,
                      const std::string& argument) {
  DeleteItemRequest request;
  TAVOLA_CHECK(fill_write(from, table, request));
  TAVOLA_TRY(request.key, parse_item(argument));
  return answered(engine.delete_item(request));
}

Result<Answer> update(Engine& engine, Parameters& from, const std::string& table,
                      const std::string& argument) {
  UpdateItemRequest request;
  TAVOLA_CHECK(fill_write(from, table, request));
  TAVOLA_TRY(request.key, parse_item(argument));
  request.update_expression = from.text("do");
  if (from.has("updates")) {
    TAVOLA_TRY(const Item updates, from.tree("updates"));
    request.attribute_updates = updates_of(updates);
  }
  return answered(engine.update_item(request));
}

Result<Answer> get(Engine& engine, Parameters& from, const std::string& table, const std::string& argument) {
  GetItemRequest request;
  TAVOLA_CHECK(fill_common(from, table, request));
  TAVOLA_TRY(request.key, parse_item(argument));
  request.projection_expression = from.text("project");
  request.consistent_read = from.maybe("consistent").has_value();
  if (from.has("attributes")) request.attributes_to_get = attributes_of(from.text("attributes"));
  return answered(engine.get_item(request));
}

Result<Answer> query(Engine& engine, Parameters& from, const std::string& table,
                     const std::string& argument) {
  QueryRequest request;
  TAVOLA_CHECK(fill_read(from, table, request));
  request.key_condition_expression = argument;
  request.scan_index_forward = !from.maybe("backward").has_value();
  if (from.has("key-conditions")) {
    TAVOLA_TRY(const Item conditions, from.tree("key-conditions"));
    request.key_conditions = conditions_of(conditions);
  }
  if (from.has("query-filter")) {
    TAVOLA_TRY(const Item conditions, from.tree("query-filter"));
    request.query_filter = conditions_of(conditions);
  }
  return answered(engine.query(request));
}

Result<Answer> scan(Engine& engine, Parameters& from, const std::string& table, const std::string&) {
  ScanRequest request;
  TAVOLA_CHECK(fill_read(from, table, request));
  if (from.has("segment")) request.segment = std::stoi(from.text("segment"));
  if (from.has("segments")) request.total_segments = std::stoi(from.text("segments"));
  if (from.has("scan-filter")) {
    TAVOLA_TRY(const Item conditions, from.tree("scan-filter"));
    request.scan_filter = conditions_of(conditions);
  }
  return answered(engine.scan(request));
}

using Verb = Result<Answer> (*)(Engine&, Parameters&, const std::string&, const std::string&);
const std::map<std::string, Verb> kVerbs{{"put", put_given}, {"delete", remove}, {"update", update},
                                         {"get", get},       {"query", query},   {"scan", scan}};

// ---- Expectations ----

std::string json(const std::optional<PackedItem>& item) { return item ? to_json(item->unpack()) : "nothing"; }

std::string units_text(double units) {
  std::string text = std::to_string(units);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

// "3" for TOTAL; "3 = table 1 + gsi byYear 2" for INDEXES.
std::string capacity_text(const std::optional<ConsumedCapacity>& capacity) {
  if (!capacity) return "none";
  std::string text = units_text(capacity->units);
  if (!capacity->table_units) return text;
  text += " = table " + units_text(*capacity->table_units);
  for (const auto& [name, units] : capacity->local_index_units)
    text += " + lsi " + name + " " + units_text(units);
  for (const auto& [name, units] : capacity->global_index_units)
    text += " + gsi " + name + " " + units_text(units);
  return text;
}

// "{...} {...}" → the items as JSON, one by one.
std::vector<std::string> items_text(const std::string& text) {
  if (text == "none") return {};
  std::vector<std::string> items;
  for (Notation notation(text); !notation.done();) {
    const Result<Item> item = notation.item();
    if (!item) {
      ADD_FAILURE() << item.error().message();
      break;
    }
    items.push_back(to_json(*item));
  }
  return items;
}

std::string item_text(const std::string& text) { return items_text(text).at(0); }

void expect_page(const Page& page, const std::string& what, const std::string& value) {
  if (what == "items" || what == "any-order") {
    std::vector<std::string> items;
    std::ranges::transform(page.items, std::back_inserter(items),
                           [](const PackedItem& item) { return json(item); });
    if (what == "items") {
      EXPECT_THAT(items, testing::ElementsAreArray(items_text(value)));
    } else {
      EXPECT_THAT(items, testing::UnorderedElementsAreArray(items_text(value)));
    }
  } else if (what == "count") {
    EXPECT_EQ(std::to_string(page.count) + " of " + std::to_string(page.scanned_count), value);
  } else if (what == "last") {
    EXPECT_EQ(json(page.last_evaluated_key), item_text(value));
  } else if (what == "end") {
    EXPECT_EQ(json(page.last_evaluated_key), "nothing");
  } else {
    ADD_FAILURE() << "not understood: -> " << what;
  }
}

void expect_answer(const Answer& answer, const std::string& expectation) {
  const std::size_t space = expectation.find(' ');
  const std::string what = expectation.substr(0, space);
  const std::string value = space == std::string::npos ? "" : expectation.substr(space + 1);
  if (what == "nothing") {
    EXPECT_EQ(json(answer.item), "nothing");
  } else if (what == "item") {
    EXPECT_EQ(json(answer.item), item_text(value));
  } else if (what == "units") {
    EXPECT_EQ(capacity_text(answer.capacity), value);
  } else if (what == "collection") {
    EXPECT_EQ(answer.collection ? json(answer.collection->item_collection_key) : "nothing",
              value == "none" ? "nothing" : item_text(value));
    if (answer.collection) {
      EXPECT_EQ(answer.collection->size_estimate_range_gb, (std::array{0.0, 1.0}));
    }
  } else if (answer.page) {
    expect_page(*answer.page, what, value);
  } else {
    ADD_FAILURE() << "not understood: -> " << expectation;
  }
}

void expect_error(const Error& error, const std::string& expectation) {
  if (expectation.starts_with("error ")) {
    EXPECT_EQ(std::string(exception_name(error.code())) + ": " + error.message(), expectation.substr(6));
  } else if (expectation.starts_with("had ")) {
    const auto* failure = error.detail<ConditionFailure>();
    const std::string had = failure != nullptr ? json(failure->item) : "nothing";
    EXPECT_EQ(had, expectation == "had nothing" ? "nothing" : item_text(expectation.substr(4)));
  } else {
    ADD_FAILURE() << "-> " << expectation << "\n  but it failed: " << error.message();
  }
}

// ---- Running ----

void run_step(TestDatabase& database, const std::string& table, const CaseStep& step) {
  Parameters parameters(step);
  const bool given = step.verb == "given";
  const Dump before = database.dump();
  const Result<Answer> answer =
      kVerbs.at(given ? "put" : step.verb)(*database, parameters, table, step.argument);
  EXPECT_TRUE(answer || answer.error().code() != ErrorCode::Internal) << answer.error().message();
  if (answer) {
    EXPECT_THAT(parameters.left(), testing::IsEmpty()) << "parameters not understood";
  }
  EXPECT_TRUE(given || !step.expectations.empty()) << "a step without an expectation proves nothing";
  if (given) {
    EXPECT_TRUE(answer) << answer.error().message();
  }
  for (const std::string& expectation : step.expectations) {
    if (answer && !expectation.starts_with("error ") && !expectation.starts_with("had ")) {
      expect_answer(*answer, expectation);
    } else if (answer) {
      ADD_FAILURE() << "-> " << expectation << "\n  but it succeeded with " << json(answer->item);
    } else {
      expect_error(answer.error(), expectation);
    }
  }
  if (!answer) {
    EXPECT_TRUE(database.dump() == before) << "a failed request changed the store";
  }
}

class Cases : public testing::TestWithParam<std::tuple<StoreKind, TestCase>> {
 protected:
  // One database per store for all cases: each case has its own table, deleted at its end.
  static TestDatabase& database(StoreKind kind) {
    std::unique_ptr<TestDatabase>& slot = databases()[kind];
    if (!slot) slot = std::make_unique<TestDatabase>(kind);
    return *slot;
  }
  static void TearDownTestSuite() { databases().clear(); }

 private:
  static std::map<StoreKind, std::unique_ptr<TestDatabase>>& databases() {
    static std::map<StoreKind, std::unique_ptr<TestDatabase>> by_kind;
    return by_kind;
  }
};

TEST_P(Cases, Run) {
  const auto& [kind, test] = GetParam();
  TestDatabase& db = database(kind);
  const auto created = db->create_table(test.table);
  ASSERT_TRUE(created) << created.error().message();
  for (const CaseStep& step : test.steps) {
    const testing::ScopedTrace trace("", 0,
                                     test.file + ".cases:" + std::to_string(step.line) + ": " + step.verb +
                                         " " + step.argument.substr(0, 200));
    run_step(db, test.table.table_name, step);
  }
  db.expect_consistent(test.table.table_name);
  ASSERT_TRUE(db->delete_table({test.table.table_name}));
  EXPECT_THAT(db.data(), testing::IsEmpty()) << "a deleted table left something behind";
}

std::vector<TestCase> all_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TAVOLA_SOURCE_DIR "/src/engine/testdata"))
    if (entry.path().extension() == ".cases") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<TestCase> cases;
  for (const auto& file : files) std::ranges::move(CaseFile::read(file), std::back_inserter(cases));
  return cases;
}

std::string case_name(const testing::TestParamInfo<Cases::ParamType>& info) {
  const auto& [kind, test] = info.param;
  std::string name = to_string(kind) + "_" + test.file + "_" + test.title;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Engine, Cases,
                         testing::Combine(testing::ValuesIn(kStoreKinds), testing::ValuesIn(all_cases())),
                         case_name);

}  // namespace
}  // namespace tavola::engine

// The writes of one request by examples: testdata/govern_writes/*.yaml. A case has the items that are `stored`, the `writes` of
// the request (`put` an item, `set` attributes of a stored one, `remove` some, `delete` it), and what the table holds `then`:
// the items whose keys are named, with the attributes that are named, and nobody else's.
#include "design/rules/govern_writes.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/plain_json.h"
#include "design/model/timestamps.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

using Stored = std::map<std::string, std::optional<Item>, std::less<>>;

Item key_of_item(const Table& table, const Item& item) {
  Item key{{table.hash.name, item.at(table.hash.name)}};
  if (table.range) key[table.range->name] = item.at(table.range->name);
  return key;
}

// A table in memory. What was not asked for is not known, as in a transaction.
class SmallTable final : public Surroundings {
 public:
  SmallTable(const Design& design, const yaml::Node* items) : design_(design) {
    if (items == nullptr) return;
    for (const yaml::Node& node : items->items) put(plain_value(node).map());
  }

  void put(const Item& item) { stored_[to_json(key_of_item(design_.table, item))] = item; }
  void apply(const GovernedWrites& governed) {
    for (const auto& change : governed.changes) stored_[to_json(change.key)] = change.after;
  }
  std::optional<Item> stored(const Item& key) const {
    const auto found = stored_.find(to_json(key));
    return found == stored_.end() ? std::nullopt : found->second;
  }
  void learn(const Item& key) { known_[to_json(key)] = stored(key); }
  const Stored& all() const { return stored_; }

  const std::optional<Item>* find(const Item& key) const override {
    const auto found = known_.find(to_json(key));
    return found == known_.end() ? nullptr : &found->second;
  }
  Result<std::vector<Item>> ask(const Pattern& pattern, const Item& fields,
                                std::size_t limit) const override {
    std::vector<Item> found;
    for (const auto& [key, item] : stored_) {
      if (!item || found.size() == limit) continue;
      const Decoded decoded = decode(design_, *item);
      const bool fits = decoded.entity != nullptr && decoded.entity->name == pattern.entity.text &&
                        std::ranges::all_of(pattern.parameters, [&](const Parameter& parameter) {
                          const auto value = fields.find(parameter.name);
                          const auto own = std::ranges::find_if(decoded.fields, [&](const auto& field) {
                            return value != fields.end() && field.second == value->second;
                          });
                          return value == fields.end() || own != decoded.fields.end();
                        });
      if (fits) found.push_back(*item);
    }
    return found;
  }

 private:
  const Design& design_;
  Stored stored_;
  Stored known_;
};

WantedChange wanted_change(const SmallTable& table, const Design& design, const yaml::Node& write) {
  const yaml::Entry& first = write.entries.front();
  const Item said = plain_value(first.value).map();
  const std::optional<Item> before = table.stored(key_of_item(design.table, said));
  WantedChange change{.before = before, .after = std::nullopt};
  if (first.key.text == "put") change.after = said;
  if (first.key.text == "set" || first.key.text == "remove") {
    change.after = before.value_or(Item());
    for (const auto& [name, value] : said) {
      if (value.is_null()) {
        change.after->erase(name);
      } else {
        change.after->insert_or_assign(name, value);
      }
    }
  }
  return change;
}

// As the engine does it: what is unknown is looked up, and the rule asked again.
GovernedWrites govern_all(SmallTable& table, const Design& design, const std::vector<WantedChange>& writes,
                          const Moment& moment) {
  for (int calls = 0; calls < 10; ++calls) {
    Result<GovernedWrites> governed = govern_writes(design, writes, moment, table);
    if (!governed) ADD_FAILURE() << governed.error().message();
    if (!governed || governed->unknown.empty()) return governed ? *std::move(governed) : GovernedWrites();
    for (const Item& key : governed->unknown) table.learn(key);
  }
  ADD_FAILURE() << "the rule asks in circles";
  return {};
}

void expect_items(const Design& design, const SmallTable& table, const yaml::Node& then) {
  Stored left = table.all();
  for (const yaml::Node& node : then.items) {
    const Item expected = plain_value(node).map();
    const std::string key = to_json(key_of_item(design.table, expected));
    const auto found = left.find(key);
    if (found == left.end() || !found->second) {
      ADD_FAILURE() << "there is no " << key;
      continue;
    }
    for (const auto& [name, value] : expected) {
      const auto attribute = found->second->find(name);
      const bool absent = attribute == found->second->end();
      EXPECT_EQ(absent ? Value() : attribute->second, value) << name << " of " << key;
    }
    left.erase(found);
  }
  for (const auto& [key, item] : left) EXPECT_FALSE(item) << "there is also " << key;
}

void run_case(const Design& design, const yaml::Node& one, const Moment& moment) {
  SmallTable table(design, one.find("stored"));
  std::vector<WantedChange> writes;
  for (const yaml::Node& write : one.find("writes")->items)
    writes.push_back(wanted_change(table, design, write));
  const GovernedWrites governed = govern_all(table, design, writes, moment);
  if (const yaml::Node* refused = one.find("refused")) {
    ASSERT_FALSE(governed.violations.empty()) << "it was accepted";
    const std::string& message = governed.violations.front().error.message();
    EXPECT_NE(message.find(refused->text), std::string::npos) << message;
    return;
  }
  for (const auto& violation : governed.violations) ADD_FAILURE() << violation.error.message();
  table.apply(governed);
  expect_items(design, table, *one.find("then"));
}

TEST(GovernWritesTest, Examples) {
  const std::filesystem::path source = TAVOLA_SOURCE_DIR;
  int cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(source / "src/design/testdata/govern_writes")) {
    SCOPED_TRACE(file.path().filename());
    const yaml::Document document = yaml::parse(text_of_file(file.path()));
    ASSERT_TRUE(document.problems.empty()) << document.problems.front().message;
    const std::string name = document.root.find("design")->text;
    const Loaded loaded = load(text_of_file(source / "designs" / name), name);
    ASSERT_TRUE(loaded.design);
    const Moment moment{.now = parse_iso8601(document.root.find("now")->text).value(),
                        .random = &Random::system()};
    for (const yaml::Node& one : document.root.find("cases")->items) {
      SCOPED_TRACE(one.find("name")->text);
      run_case(*loaded.design, one, moment);
      ++cases;
    }
  }
  EXPECT_GT(cases, 20);
}

}  // namespace
}  // namespace tavola::design

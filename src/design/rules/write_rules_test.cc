// The writes of one request by examples: testdata/govern_writes/*.yaml. A case has the items that are `stored`, the `writes` of
// the request (`put` an item, `set` attributes of a stored one, `remove` some, `delete` it), and what the table holds `then`:
// the items whose keys are named, with the attributes that are named, and nobody else's.
#include "design/rules/write_rules.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/test_files.h"
#include "database/item_key.h"
#include "design/items/table_schema.h"
#include "design/language/reading.h"
#include "design/load.h"
#include "design/model/plain_json.h"
#include "design/model/timestamps.h"
#include "design/rules/govern_writes.h"
#include "design/rules/test_asked_update.h"
#include "value/optional_item.h"
#include "yaml/parse.h"

namespace tavola::design {
namespace {

using Stored = std::map<std::string, std::optional<Item>, std::less<>>;

// A table in memory. What was not asked for is not known, as in a transaction.
class SmallTable final : public StoredItems {
 public:
  SmallTable(const Design& design, const yaml::Node* items) : design_(design) {
    if (items == nullptr) return;
    for (const yaml::Node& node : items->items) put(plain_value(node).map());
  }

  void put(const Item& item) { stored_[id_of(item)] = item; }
  void apply(const RuledWrites& ruled, const std::vector<UnpackedWrite>& writes) {
    for (const auto& change : ruled.changes) {
      const auto id = [&] {
        const UnpackedWrite& write = writes[change.cause];
        return change.write ? id_of(write.after ? *write.after : *write.before) : change.key.bytes();
      };
      stored_[id()] = change.after ? std::optional(change.after->unpack()) : std::nullopt;
    }
  }
  std::optional<Item> stored(const std::string& id) const {
    const auto found = stored_.find(id);
    return found == stored_.end() ? std::nullopt : found->second;
  }
  std::string id_of(const Item& item) const {
    return key_of_item(key_schema_of(design_), pack(item).value().view()).bytes();
  }
  void learn() {
    for (const std::string& id : asked_) known_[id] = stored(id);
    knows_patterns_ = knows_patterns_ || asked_pattern_;
    asked_.clear();
  }
  const Stored& all() const { return stored_; }

  const std::optional<Item>* find(const PackedItem& key) const override {
    const auto found = known_.find(key.bytes());
    if (found == known_.end()) asked_.insert(key.bytes());
    return found == known_.end() ? nullptr : &found->second;
  }
  std::optional<std::optional<ItemView>> find_packed(const PackedItem& key) const override {
    const std::optional<Item>* const found = find(key);
    if (found == nullptr) return std::nullopt;
    if (!*found) return std::optional<ItemView>();
    return packed_.emplace(key.bytes(), pack(**found).value()).first->second.view();
  }
  Result<std::optional<FoundItems>> ask(const Pattern& pattern, const Item& fields,
                                        std::size_t limit) const override {
    asked_pattern_ = true;
    if (!knows_patterns_) return std::nullopt;
    FoundItems found;
    for (const auto& [key, item] : stored_) {
      if (!item) continue;
      const Decoded decoded = decode(design_, *item);
      const bool fits = decoded.entity != nullptr && decoded.entity->name == pattern.entity.text &&
                        std::ranges::all_of(pattern.parameters, [&](const Parameter& parameter) {
                          const auto value = fields.find(parameter.name);
                          const auto own = std::ranges::find_if(decoded.fields, [&](const auto& field) {
                            return value != fields.end() && field.second == value->second;
                          });
                          return value == fields.end() || own != decoded.fields.end();
                        });
      if (!fits) continue;
      found.is_all = found.items.size() < limit;
      if (found.is_all) found.items.push_back(*item);
    }
    return found;
  }

 private:
  const Design& design_;
  Stored stored_;
  Stored known_;
  bool knows_patterns_ = false;
  mutable std::set<std::string> asked_;
  mutable std::map<std::string, PackedItem> packed_;  // of known_, as far as they were asked for
  mutable bool asked_pattern_ = false;
};

UnpackedWrite wanted_change(const SmallTable& table, const yaml::Node& write) {
  const yaml::Entry& first = write.entries.front();
  const Item said = plain_value(first.value).map();
  const std::optional<Item> before = table.stored(table.id_of(said));
  UnpackedWrite change{.before = before, .after = std::nullopt, .expires = first.key.text == "expire"};
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

// Makes ids that examples can name.
class Zeros final : public Random {
 public:
  std::uint64_t next() override { return 0; }
};

// Returns the update that a write of a case is: it assigns what it sets. A condition is that of `if`.
std::optional<DescribedUpdate> update_of(const yaml::Node& write) {
  const yaml::Entry& first = write.entries.front();
  if (first.key.text != "set") return std::nullopt;
  std::set<std::string, std::less<>> names;
  for (const auto& [name, value] : first.value.entries) names.insert(name.text);
  const yaml::Node* const demanded = write.find("if");
  return DescribedUpdate(std::move(names), demanded == nullptr ? Item() : plain_value(*demanded).map());
}

// As the engine does it: what is unknown is read, and the rules are asked again.
RuledWrites decide_all(SmallTable& table, const Design& design, const std::vector<UnpackedWrite>& writes,
                       const Ambient& ambient) {
  std::vector<std::optional<PackedItem>> images;
  for (const UnpackedWrite& write : writes) {
    for (const std::optional<Item>& item : {write.before, write.after})
      images.push_back(item ? std::optional(pack(*item).value()) : std::nullopt);
  }
  std::vector<WantedWrite> wanted;
  for (std::size_t i = 0; i < writes.size(); ++i)
    wanted.push_back(
        {view_of(images[2 * i]), view_of(images[2 * i + 1]), writes[i].expires, writes[i].asked});
  const WriteRules rules(design);
  RecordedRandom random(*ambient.random);
  const Ambient repeated{.now = ambient.now, .random = &random, .caller = ambient.caller};
  for (int calls = 0; calls < 10; ++calls) {
    random.rewind();
    Result<RuledWrites> ruled = rules.decide(wanted, repeated, table);
    if (!ruled) ADD_FAILURE() << ruled.error().message();
    if (!ruled || !ruled->is_waiting) return ruled ? *std::move(ruled) : RuledWrites();
    table.learn();
  }
  ADD_FAILURE() << "the rule asks in circles";
  return {};
}

void expect_items(const SmallTable& table, const yaml::Node& then) {
  Stored left = table.all();
  for (const yaml::Node& node : then.items) {
    const Item expected = plain_value(node).map();
    const std::string key = table.id_of(expected);
    const auto found = left.find(key);
    if (found == left.end() || !found->second) {
      ADD_FAILURE() << "there is no " << to_json(expected);
      continue;
    }
    for (const auto& [name, value] : expected) {
      const auto attribute = found->second->find(name);
      const bool absent = attribute == found->second->end();
      EXPECT_EQ(absent ? Value() : attribute->second, value) << name << " of " << to_json(expected);
    }
    left.erase(found);
  }
  for (const auto& [key, item] : left)
    EXPECT_FALSE(item) << "there is also " << to_json(item.value_or(Item()));
}

void run_case(const Design& design, const yaml::Node& one, const Ambient& ambient) {
  SmallTable table(design, one.find("stored"));
  std::vector<UnpackedWrite> writes;
  std::deque<DescribedUpdate> updates;
  for (const yaml::Node& write : one.find("writes")->items) {
    writes.push_back(wanted_change(table, write));
    if (std::optional<DescribedUpdate> update = update_of(write))
      writes.back().asked = &updates.emplace_back(*std::move(update));
  }
  const RuledWrites ruled = decide_all(table, design, writes, ambient);
  if (const yaml::Node* refused = one.find("refused")) {
    ASSERT_FALSE(ruled.violations.empty()) << "it was accepted";
    const std::string& message = ruled.violations.front().error.message();
    EXPECT_NE(message.find(refused->text), std::string::npos) << message;
    return;
  }
  for (const auto& violation : ruled.violations) ADD_FAILURE() << violation.error.message();
  table.apply(ruled, writes);
  expect_items(table, *one.find("then"));
}

TEST(WriteRulesTest, Examples) {
  const std::filesystem::path source = TAVOLA_SOURCE_DIR;
  int cases = 0;
  for (const auto& file : std::filesystem::directory_iterator(source / "src/design/testdata/govern_writes")) {
    SCOPED_TRACE(file.path().filename());
    const yaml::Document document = yaml::parse(text_of_file(file.path()));
    ASSERT_TRUE(document.problems.empty()) << document.problems.front().message;
    const std::string name = document.root.find("design")->text;
    const std::filesystem::path path = source / (name.contains('/') ? name : "designs/" + name);
    const Loaded loaded = load(text_of_file(path), path.filename().string());
    ASSERT_TRUE(loaded.design);
    const yaml::Node* const said = document.root.find("caller");
    const Caller caller{.sub = said == nullptr ? "" : said->text};
    Zeros zeros;
    const Ambient ambient{.now = parse_iso8601(document.root.find("now")->text).value(),
                          .random = &zeros,
                          .caller = said == nullptr ? nullptr : &caller};
    for (const yaml::Node& one : document.root.find("cases")->items) {
      SCOPED_TRACE(one.find("name")->text);
      run_case(*loaded.design, one, ambient);
      ++cases;
    }
  }
  EXPECT_GT(cases, 20);
}

}  // namespace
}  // namespace tavola::design

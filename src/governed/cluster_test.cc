// Eight fronts on one database, each with clients of its own, on few items. Afterwards the items, the counters and the guards fit, and so
// does every change on the way: what a later write made right must have been right before. Planted flaws must be found.
#include <array>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/items/table_schema.h"
#include "governed/audit.h"
#include "governed/test_flawed_database.h"
#include "governed/test_fronts.h"

namespace tavola::governed {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr std::size_t kFronts = 8;
constexpr std::size_t kCallsEach = 150;

// Fronts look often enough for a short test; a thread may be kept from its write for some time on a busy machine.
constexpr WatchTimes kTimes{.between = std::chrono::milliseconds(50),
                            .valid = std::chrono::milliseconds(400),
                            .between_in_change = std::chrono::milliseconds(20),
                            .valid_in_change = std::chrono::milliseconds(400),
                            .announced = std::chrono::milliseconds(450),
                            .settles = std::chrono::milliseconds(1'500)};

std::string number(std::size_t value) { return std::to_string(value); }

class Cluster {
 public:
  Cluster(Flaw flaw, std::size_t items) : items_(items), engine_(store::open_memory()), design_(load()) {
    CreateTableRequest table = design::table_schema(design_);
    table.stream = StreamView::NewAndOldImages;
    EXPECT_TRUE(engine_.create_table(table));
    for (std::size_t i = 0; i < kFronts; ++i) {
      const bool changes_it = flaw == Flaw::OldDesign && i == 0;  // the one that brings the new design
      flawed_[i] = std::make_unique<FlawedDatabase>(engine_, changes_it ? Flaw::None : flaw);
      auto front =
          GovernedDatabase::open(*flawed_[i], std::array{design_}, Clock::system(), {.watch_times = kTimes});
      EXPECT_TRUE(front) << front.error().message();
      fronts_[i] = *std::move(front);
    }
    for (std::size_t shop = 0; shop < 4; ++shop)
      EXPECT_TRUE(
          fronts_[0]->put_item(put(R"({PK: "SHOP#)" + number(shop) + R"(", SK: "META", name: "s"})")));
  }

  void run() {
    std::vector<std::jthread> clients;
    for (std::size_t i = 0; i < kFronts; ++i) {
      clients.emplace_back([this, i] {
        std::minstd_rand chance(static_cast<unsigned>(i + 1));
        for (std::size_t call = 0; call < kCallsEach; ++call)
          call_one(*fronts_[i], chance, number(i) + "-" + number(call));
      });
    }
  }

  // Gives the notes another index key while clients write them. Returns what is wrong: after the first write of a note with the new key there
  // may be none with the old one.
  std::vector<std::string> change_design() {
    std::atomic<bool> is_over = false;
    std::vector<std::jthread> clients;
    for (std::size_t i = 1; i < kFronts; ++i) {
      clients.emplace_back([this, i, &is_over] {
        for (std::size_t call = 0; !is_over; ++call) {
          const std::string tag = number(i) + "-" + number(call);
          check(
              fronts_[i]->put_item(put(R"({PK: "NOTE#)" + number(call % items_) +
                                       R"(", SK: "META", text: "a", topic: "t", grade: ")" + tag + R"("})")));
          std::this_thread::sleep_for(
              std::chrono::milliseconds(5));  // the change takes its time, not the writes
        }
      });
    }
    std::string changed = kShop;
    changed.replace(changed.find("TOPIC#<topic>"), 13, "THEME#<topic>");
    const auto done =
        fronts_[0]->govern_table({.table_name = "shop", .design = changed, .file_name = "shop.yaml"});
    EXPECT_TRUE(done) << done.error().message();
    for (std::size_t call = 0; call < 50; ++call)
      check(fronts_[0]->put_item(put(R"({PK: "NOTE#)" + number(call % items_) +
                                     R"(", SK: "META", text: "a", topic: "t", grade: "z"})")));
    std::this_thread::sleep_for(kTimes.settles);
    is_over = true;
    clients.clear();
    std::vector<std::string> found = std::move(errors_);
    std::set<std::string> changed_notes;
    for (const StreamRecord& record : all_changes()) {
      const Item after = record.new_image ? record.new_image->unpack() : Item();
      if (!after.contains("byTopic")) continue;
      const std::string& note = after.at("PK").string();
      const bool is_new = after.at("byTopic").string().starts_with("THEME#");
      if (is_new) changed_notes.insert(note);
      if (!is_new && changed_notes.contains(note)) found.push_back(note + " has its old key again");
    }
    EXPECT_FALSE(changed_notes.empty());
    return found;
  }

  // Returns what is wrong, a line for each.
  std::vector<std::string> problems() {
    std::vector<std::string> found = std::move(errors_);
    std::map<std::string, std::int64_t> products;
    std::map<std::string, std::int64_t> counts;
    std::set<std::string> skus;
    std::set<std::string> guards;
    for (const PackedItem& packed : all_items()) {
      const Item one = packed.unpack();
      const std::string& hash = one.at("PK").string();
      const std::string& range = one.at("SK").string();
      if (hash.starts_with("$unique#")) guards.insert(hash.substr(hash.rfind('#') + 1));
      if (range.starts_with("PRODUCT#")) {
        ++products[hash];
        if (!skus.insert(one.at("sku").string()).second)
          found.push_back("two products have the sku " + one.at("sku").string());
      }
      if (hash.starts_with("SHOP#") && range == "META")
        counts[hash] = static_cast<std::int64_t>(*one.at("products").number().to_int64());
    }
    for (const auto& [shop, count] : counts) {
      if (products[shop] != count) found.push_back(shop + " counts " + std::to_string(count));
    }
    if (guards != skus) found.emplace_back("the guards are not those of the products");
    for (const StreamRecord& record : all_changes()) {
      if (const auto finding = audit(design_, record)) found.push_back(finding->key + ": " + finding->why);
    }
    return found;
  }

  std::uint64_t lost_races() const {
    std::uint64_t sum = 0;
    for (const auto& front : fronts_) sum += front->counts().lost_races;
    return sum;
  }

 private:
  static design::Design load() {
    design::Loaded loaded = design::load(kShop, "shop.yaml");
    EXPECT_TRUE(loaded.design);
    return *std::move(loaded.design);
  }

  void call_one(GovernedDatabase& front, std::minstd_rand& chance, const std::string& tag) {
    const std::string item_number = number(chance() % items_);
    const std::string note = R"({PK: "NOTE#)" + item_number + R"(", SK: "META")";
    const std::string product =
        R"({PK: "SHOP#)" + number(chance() % 4) + R"(", SK: "PRODUCT#)" + item_number + "\"";
    const std::string sku = R"(, sku: ")" + number(chance() % (2 * items_)) + R"("})";
    switch (chance() % 7) {
      case 0:
        return check(front.put_item(put(note + R"(, text: ")" + tag + R"("})")));
      case 1:
        return check(front.update_item(
            update(note + "}", "SET topic = :v, #t = if_not_exists(#t, :v)", R"({":v": ")" + tag + R"("})")));
      case 2:
        return check(front.update_item(
            update(note + "}", "SET grade = :v, #t = if_not_exists(#t, :v)", R"({":v": ")" + tag + R"("})")));
      case 3:
        return check(
            front.update_item(update(note + "}", "REMOVE topic SET #t = :v", R"({":v": ")" + tag + R"("})")));
      case 4:
        return check(front.put_item(put(product + sku)));
      case 5:
        return check(front.delete_item({.table_name = "shop", .key = item(product + "}")}));
      default: {
        const TransactWriteItemsRequest request{
            .actions = {put(product + sku), put(note + R"(, text: ")" + tag + R"("})")},
            .client_request_token = tag};
        const auto done = front.transact_write_items(request);
        if (done)
          check(fronts_[chance() % kFronts]->transact_write_items(request));  // it lost its answer, say
        return check(done);
      }
    }
  }

  template <class Response>
  void check(const Result<Response>& response) {
    if (response) return;
    const ErrorCode code = response.error().code();
    const bool is_refusal = code == ErrorCode::ConditionalCheckFailed ||
                            code == ErrorCode::TransactionCanceled ||
                            code == ErrorCode::TransactionConflict || code == ErrorCode::Throttling;
    if (is_refusal) return;  // a sku that another product has; or the design changes
    const MutexLock lock(mutex_);
    errors_.push_back(response.error().message());
  }

  std::vector<PackedItem> all_items() {
    std::vector<PackedItem> items;
    ScanRequest request{.table_name = "shop"};
    do {
      auto page = engine_.scan(request);
      EXPECT_TRUE(page);
      std::ranges::move(page->items, std::back_inserter(items));
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return items;
  }

  std::vector<StreamRecord> all_changes() {
    std::vector<StreamRecord> changes;
    const std::string stream = engine_.list_streams({.table_name = "shop"})->streams.front().stream;
    for (const Shard& shard : engine_.describe_stream({.stream = stream})->stream.shards) {
      std::string at =
          engine_.get_shard_iterator({.stream = stream, .shard_id = shard.shard_id})->shard_iterator;
      for (bool more = true; more;) {
        auto page = engine_.get_records({.shard_iterator = at});
        EXPECT_TRUE(page);
        more = !page->records.empty();
        at = page->next_shard_iterator;
        std::ranges::move(page->records, std::back_inserter(changes));
      }
    }
    return changes;
  }

  const std::size_t items_;
  engine::Engine engine_;
  const design::Design design_;
  std::array<std::unique_ptr<FlawedDatabase>, kFronts> flawed_;
  std::array<std::unique_ptr<GovernedDatabase>, kFronts> fronts_;
  Mutex mutex_;
  std::vector<std::string> errors_;
};

TEST(ClusterOfFronts, KeepsTheDesignOnFourItems) {
  Cluster cluster(Flaw::None, 4);
  cluster.run();
  EXPECT_THAT(cluster.problems(), IsEmpty());
  EXPECT_GT(cluster.lost_races(), 0U);
}

TEST(ClusterOfFronts, KeepsTheDesignOnFortyItems) {
  Cluster cluster(Flaw::None, 40);
  cluster.run();
  EXPECT_THAT(cluster.problems(), IsEmpty());
}

TEST(ClusterOfFronts, ChangesTheDesign) {
  Cluster cluster(Flaw::None, 4);
  EXPECT_THAT(cluster.change_design(), IsEmpty());
}

TEST(ClusterOfFronts, AnOldDesignAfterTheChangeIsFound) {
  Cluster cluster(Flaw::OldDesign, 4);
  EXPECT_THAT(cluster.change_design(), Not(IsEmpty()));
}

class Flawed : public testing::TestWithParam<Flaw> {};

// Whether threads meet is chance: a flaw must show in one of some rounds.
TEST_P(Flawed, IsFound) {
  for (int round = 0; round < 20; ++round) {
    Cluster cluster(GetParam(), 4);
    cluster.run();
    if (!cluster.problems().empty()) return;
  }
  FAIL() << "no problem was found";
}

INSTANTIATE_TEST_SUITE_P(ClusterOfFronts, Flawed,
                         testing::Values(Flaw::NoAbsentFields, Flaw::GuardOutside, Flaw::CounterBySet,
                                         Flaw::ClientsToken));

}  // namespace
}  // namespace tavola::governed

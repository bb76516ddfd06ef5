#include "tests/model/contention.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "tests/model/check.h"
#include "tests/model/random.h"

namespace tavola::model {
namespace {

constexpr const char* kTable = "contended";
constexpr const char* kByOwner = "by-owner";      // global: owner, version
constexpr const char* kByCounter = "by-counter";  // local: left
constexpr std::int64_t kOwners = 2;

std::string owner_of(std::int64_t version) { return "owner" + std::to_string(version % kOwners); }

Item key_of(int item) { return {{"pk", "p"}, {"sk", "item" + std::to_string(item)}}; }

std::int64_t integer(const Item& item, const char* attribute) {
  const auto found = item.find(attribute);
  if (found == item.end() || !found->second.is_number()) return -1;
  return found->second.number().to_int64().value_or(-1);
}

CreateTableRequest table_request() {
  return {.table_name = kTable,
          .attribute_definitions = {{"left", Type::Number},
                                    {"owner", Type::String},
                                    {"pk", Type::String},
                                    {"sk", Type::String},
                                    {"version", Type::Number}},
          .key_schema = {{"pk", KeyType::Hash}, {"sk", KeyType::Range}},
          .global_indexes = {{.name = kByOwner,
                              .key_schema = {{"owner", KeyType::Hash}, {"version", KeyType::Range}}}},
          .local_indexes = {{.name = kByCounter,
                             .key_schema = {{"pk", KeyType::Hash}, {"left", KeyType::Range}},
                             .projection = {.type = ProjectionType::Include, .attributes = {"right"}}}}};
}

// The acknowledged changes of one writer.
struct Acknowledged {
  std::map<int, std::int64_t> added{};                  // increments of an item's counters
  std::map<int, std::vector<std::int64_t>> versions{};  // versions of an item
  std::map<int, std::int64_t> present{};                // puts minus deletes of short-lived items
  std::int64_t writes = 0;
  std::int64_t refused = 0;
};

// Thread safety: all methods but the constructor and judge(), which run alone.
class Contention {
 public:
  Contention(Database& database, const ContentionOptions& options) : database_(database), options_(options) {}

  ContentionReport run();

 private:
  void problem(std::string text) {
    const std::lock_guard lock(mutex_);
    if (problems_.size() < 20) problems_.push_back(std::move(text));
  }

  bool prepare();
  void write(int writer, Acknowledged& acknowledged);
  void add(Random& random, Acknowledged& acknowledged);
  void bring_forward(Random& random, Acknowledged& acknowledged);
  void come_and_go(Random& random, Acknowledged& acknowledged);
  void read(int reader);
  void watch(const Page& page, const char* where, bool whole);
  void check_state(const Item& item, const char* where);
  void judge(const std::vector<Acknowledged>& writers);
  void judge_indexes();
  std::vector<Item> scan_all(const char* index);

  Database& database_;
  const ContentionOptions options_;
  std::atomic<bool> writing_ = true;
  std::atomic<std::int64_t> pages_read_ = 0;
  std::mutex mutex_;
  std::vector<std::string> problems_;
};

bool Contention::prepare() {
  if (auto created = database_.create_table(table_request()); !created) {
    problem("CreateTable: " + describe(created.error()));
    return false;
  }
  for (int item = 0; item < options_.items; ++item) {
    Item fresh = key_of(item);
    fresh["left"] = 0;
    fresh["right"] = 0;
    fresh["version"] = 0;
    fresh["owner"] = owner_of(0);
    if (auto put = database_.put_item({.table_name = kTable, .item = *pack(fresh)}); !put) {
      problem("PutItem: " + describe(put.error()));
      return false;
    }
  }
  return true;
}

// ---- Writers ----

void Contention::add(Random& random, Acknowledged& acknowledged) {
  const int item = random.between(0, options_.items - 1);
  const int amount = random.between(1, 9);
  const auto response = database_.update_item({.table_name = kTable,
                                               .key = *pack(key_of(item)),
                                               .update_expression = "ADD #left :n, #right :n",
                                               .names = {{"#left", "left"}, {"#right", "right"}},
                                               .values = *pack({{":n", amount}}),
                                               .return_values = ReturnValues::UpdatedNew});
  if (!response) return problem("ADD: " + describe(response.error()));
  ++acknowledged.writes;
  acknowledged.added[item] += amount;
  const std::optional<PackedItem>& attributes = response->attributes;
  const Item updated = attributes ? attributes->unpack() : Item{};
  if (updated.size() != 2 || updated.at("left") != updated.at("right")) {
    problem("UPDATED_NEW of ADD: " + to_json(updated));
  }
}

// Optimistic locking: reads the version, and writes the next one on condition that it is unchanged.
void Contention::bring_forward(Random& random, Acknowledged& acknowledged) {
  const int item = random.between(0, options_.items - 1);
  const PackedItem key = *pack(key_of(item));
  const auto read = database_.get_item({.table_name = kTable, .key = key, .consistent_read = true});
  const std::optional<PackedItem> found = read ? read->item : std::nullopt;
  if (!found) return problem("GetItem found nothing");
  const std::int64_t seen = integer(found->unpack(), "version");
  const auto response = database_.update_item(
      {.table_name = kTable,
       .key = key,
       .update_expression = "SET version = :next, #owner = :owner",
       .condition_expression = "version = :seen",
       .names = {{"#owner", "owner"}},
       .values = *pack({{":seen", seen}, {":next", seen + 1}, {":owner", owner_of(seen + 1)}})});
  if (response) {
    ++acknowledged.writes;
    acknowledged.versions[item].push_back(seen + 1);
  } else if (response.error().code() == ErrorCode::ConditionalCheckFailed) {
    ++acknowledged.refused;
  } else {
    problem("SET version: " + describe(response.error()));
  }
}

// Creates and deletes items shared with other writers, each only on condition.
void Contention::come_and_go(Random& random, Acknowledged& acknowledged) {
  const int item = 1000 + random.between(0, 3);
  const bool come = random.chance(50);
  Result<WriteItemResponse> response;
  if (come) {
    Item fresh = key_of(item);
    const int value = random.between(0, 99);
    fresh["left"] = value;
    fresh["right"] = value;
    fresh["version"] = value;
    fresh["owner"] = owner_of(value);
    response = database_.put_item(
        {.table_name = kTable, .item = *pack(fresh), .condition_expression = "attribute_not_exists(pk)"});
  } else {
    response = database_.delete_item(
        {.table_name = kTable, .key = *pack(key_of(item)), .condition_expression = "attribute_exists(pk)"});
  }
  if (response) {
    ++acknowledged.writes;
    acknowledged.present[item] += come ? 1 : -1;
  } else if (response.error().code() == ErrorCode::ConditionalCheckFailed) {
    ++acknowledged.refused;
  } else {
    problem("come and go: " + describe(response.error()));
  }
}

void Contention::write(int writer, Acknowledged& acknowledged) {
  Random random(options_.seed * 1000 + static_cast<std::uint64_t>(writer));
  for (int i = 0; i < options_.writes_each; ++i) {
    switch (random.weighted({5, 4, 2})) {
      case 0:
        add(random, acknowledged);
        break;
      case 1:
        bring_forward(random, acknowledged);
        break;
      default:
        come_and_go(random, acknowledged);
        break;
    }
  }
}

// ---- Readers ----

void Contention::check_state(const Item& item, const char* where) {
  if (item.contains("left") && item.contains("right") && item.at("left") != item.at("right")) {
    problem(std::string(where) + ": half an update: " + to_json(item));
  }
  if (item.contains("owner") && item.at("owner") != Value(owner_of(integer(item, "version")))) {
    problem(std::string(where) + ": a state that never was: " + to_json(item));
  }
}

// A page is one snapshot: no item appears twice in it, though items move in the indexes; and a complete page
// has every lasting item.
void Contention::watch(const Page& page, const char* where, bool whole) {
  ++pages_read_;
  std::set<std::string> seen;
  int lasting = 0;
  for (const PackedItem& packed : page.items) {
    const Item item = packed.unpack();
    check_state(item, where);
    const std::string& name = item.at("sk").string();
    if (!seen.insert(name).second) problem(std::string(where) + ": an item twice in one page: " + name);
    if (name.size() < 8) ++lasting;  // "item0" to "item999"
  }
  if (whole && lasting != options_.items) {
    problem(std::string(where) + ": a page of everything has " + std::to_string(lasting) + " of " +
            std::to_string(options_.items) + " lasting items");
  }
}

void Contention::read(int reader) {
  Random random(options_.seed * 1000 + 500 + static_cast<std::uint64_t>(reader));
  for (int round = 0; writing_ || round < 20; ++round) {
    const bool forward = random.chance(50);
    Result<Page> page;
    const char* where = "";
    bool whole = true;
    switch (random.below(4)) {
      case 0:
        where = "scan";
        page = database_.scan({.table_name = kTable});
        break;
      case 1:
        where = "scan by owner";
        page = database_.scan({.table_name = kTable, .index_name = kByOwner});
        break;
      case 2:
        where = "query by owner";
        whole = false;
        page = database_.query({.table_name = kTable,
                                .index_name = kByOwner,
                                .key_condition_expression = "#owner = :o",
                                .names = {{"#owner", "owner"}},
                                .values = *pack({{":o", owner_of(random.between(0, 1))}}),
                                .scan_index_forward = forward});
        break;
      default:
        where = "query by counter";
        page = database_.query({.table_name = kTable,
                                .index_name = kByCounter,
                                .key_condition_expression = "pk = :p",
                                .values = *pack({{":p", "p"}}),
                                .scan_index_forward = forward});
        break;
    }
    if (!page) return problem(std::string(where) + ": " + describe(page.error()));
    watch(*page, where, whole);
  }
}

// ---- Afterwards ----

std::vector<Item> Contention::scan_all(const char* index) {
  std::vector<Item> items;
  ScanRequest request{.table_name = kTable, .index_name = index, .limit = 3};
  do {
    const auto page = database_.scan(request);
    if (!page) {
      problem("final scan: " + describe(page.error()));
      return items;
    }
    for (const PackedItem& item : page->items) items.push_back(item.unpack());
    request.exclusive_start_key = page->last_evaluated_key;
  } while (request.exclusive_start_key);
  return items;
}

void Contention::judge_indexes() {
  std::map<std::string, Item> items;
  std::size_t count = 0;
  for (Item& item : scan_all("")) items[item.at("sk").string()] = std::move(item);
  for (const char* index : {kByOwner, kByCounter}) {
    count = 0;
    for (const Item& entry : scan_all(index)) {
      ++count;
      const auto found = items.find(entry.at("sk").string());
      if (found == items.end()) {
        problem(std::string(index) + " has an entry without an item: " + to_json(entry));
        continue;
      }
      for (const auto& [name, value] : entry) {
        if (!found->second.contains(name) || found->second.at(name) != value) {
          problem(std::string(index) + " has " + to_json(entry) + " for " + to_json(found->second));
        }
      }
    }
    if (count != items.size()) problem(std::string(index) + " has " + std::to_string(count) + " entries");
  }
  const auto described = database_.describe_table({.table_name = kTable});
  if (!described || described->table.item_count != static_cast<std::int64_t>(items.size())) {
    problem("DescribeTable counts otherwise than a scan");
  }
}

void Contention::judge(const std::vector<Acknowledged>& writers) {
  for (int item = 0; item < options_.items; ++item) {
    std::int64_t added = 0;
    std::set<std::int64_t> versions;
    for (const Acknowledged& writer : writers) {
      if (const auto own = writer.added.find(item); own != writer.added.end()) added += own->second;
      if (const auto own = writer.versions.find(item); own != writer.versions.end()) {
        for (const std::int64_t version : own->second) {
          if (!versions.insert(version).second)
            problem("two writers were given version " + std::to_string(version));
        }
      }
    }
    const auto read =
        database_.get_item({.table_name = kTable, .key = *pack(key_of(item)), .consistent_read = true});
    const std::optional<PackedItem> found = read ? read->item : std::nullopt;
    const Item stored = found ? found->unpack() : Item{};
    check_state(stored, "at the end");
    if (integer(stored, "left") != added) {
      problem("lost update: " + std::to_string(added) + " was added, stored is " + to_json(stored));
    }
    const std::int64_t last = versions.empty() ? 0 : *versions.rbegin();
    if (integer(stored, "version") != last || static_cast<std::int64_t>(versions.size()) != last) {
      problem("a gap in the versions: " + std::to_string(versions.size()) + " acknowledged up to " +
              std::to_string(last) + ", stored is " + to_json(stored));
    }
  }
  for (int item = 1000; item < 1004; ++item) {
    std::int64_t present = 0;
    for (const Acknowledged& writer : writers) {
      if (const auto found = writer.present.find(item); found != writer.present.end())
        present += found->second;
    }
    const auto read =
        database_.get_item({.table_name = kTable, .key = *pack(key_of(item)), .consistent_read = true});
    if (!read || read->item.has_value() != (present == 1) || present < 0 || present > 1) {
      problem("item" + std::to_string(item) + " came and went " + std::to_string(present) + " times more");
    }
  }
  judge_indexes();
}

ContentionReport Contention::run() {
  if (!prepare()) return {.problems = problems_};
  std::vector<Acknowledged> acknowledged(static_cast<std::size_t>(options_.writers));
  {
    std::vector<std::jthread> readers;
    readers.reserve(static_cast<std::size_t>(options_.readers));
    for (int i = 0; i < options_.readers; ++i) readers.emplace_back([this, i] { read(i); });
    {
      std::vector<std::jthread> writers;
      writers.reserve(acknowledged.size());
      for (int i = 0; i < options_.writers; ++i) {
        writers.emplace_back(
            [this, i, &acknowledged] { write(i, acknowledged[static_cast<std::size_t>(i)]); });
      }
    }
    writing_ = false;
  }
  judge(acknowledged);
  ContentionReport report{.problems = problems_, .pages_read = pages_read_};
  for (const Acknowledged& writer : acknowledged) {
    report.acknowledged += writer.writes;
    report.refused += writer.refused;
  }
  return report;
}

}  // namespace

ContentionReport run_contention(Database& database, const ContentionOptions& options) {
  return Contention(database, options).run();
}

}  // namespace tavola::model

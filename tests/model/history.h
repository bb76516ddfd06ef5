// History: a long random sequence of operations, each performed by the database and by the model and
// compared.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <tavola/database.h>

#include "tests/model/check.h"
#include "tests/model/generator.h"
#include "tests/model/model.h"
#include "tests/model/random.h"
#include "tests/model/render.h"

namespace tavola::model {

struct HistoryOptions {
  std::uint64_t seed = 1;
  std::size_t steps = 1000;
  Generator::Options generator{};
  std::size_t tables = 2;
  // Opens the database under test; called again when the history closes and reopens it.
  std::function<std::unique_ptr<Database>()> open{};
  bool survives_reopening = false;
};

enum class Step : std::uint8_t {
  PutItem,
  UpdateItem,
  DeleteItem,
  GetItem,
  Query,
  Scan,
  Describe,
  Refused,
  Reopen,
  Replace,
  TransactWrite,
  TransactGet,
  BatchWrite,
  BatchGet
};
inline constexpr std::size_t kSteps = 14;

struct HistoryReport {
  Verdict wrong{};  // with the seed and the last operations
  std::array<std::size_t, kSteps> done{};
  std::size_t pages = 0;
  std::size_t full_pages = 0;  // ended by 1 MB
  std::size_t refusals = 0;
};

class History {
 public:
  explicit History(HistoryOptions options);
  HistoryReport run();

 private:
  using Description = std::function<std::string()>;

  Verdict run_step();
  Verdict do_step(Step step, ModelTable& table);

  Verdict put(ModelTable& table);
  Verdict update(ModelTable& table);
  Verdict remove(ModelTable& table);
  Verdict get(const ModelTable& table);
  Verdict describe_table(const ModelTable& table);
  Verdict reopen();
  Verdict create(const std::string& name);
  Verdict replace(ModelTable& table);
  Verdict check_everything();
  template <class Request>
  void fill_terms(Request& request, const ModelTable& table, const WriteTerms& terms, Renderer& renderer);
  template <class Response>
  Verdict compare_write(const ModelTable& table, const WriteOutcome& expected, ReturnConsumedCapacity asked,
                        const Response& response);

  // several.cc
  using Tables = std::map<std::string, ModelTable>;
  Verdict transact_write();
  Verdict replay(const TransactWriteItemsRequest& request);
  Verdict transact_get();
  Verdict batch_write();
  Verdict batch_get();
  ModelTable* choose_target(Tables& tables, std::set<std::string>& taken, Item& key);
  WriteOutcome add_action(TransactWriteItemsRequest& request, ModelTable& table, const Item& key);
  template <class Action>
  void fill_action(Action& action, const ModelTable& table, const WriteTerms& terms, Renderer& renderer);

  // reads.cc
  Verdict query(ModelTable& table);
  Verdict scan(const ModelTable& table);
  // Reads everything in plain pages and compares it with the model: the order that scans must keep.
  Verdict scan_all(const ModelTable& table, const IndexShape* index, std::vector<Entry>& order);
  Verdict scan_segments(const ModelTable& table, const IndexShape* index, const std::vector<Entry>& order);
  Verdict scan_pages(const ModelTable& table, const ScanPlan& plan, const std::vector<Entry>& order);

  // refusals.cc
  Verdict refused(const ModelTable& table);
  Verdict refused_writes(const ModelTable& table);
  Verdict refused_reads(const ModelTable& table);

  void count_page(const Page& page, const std::optional<std::int64_t>& limit);
  PackedItem packed(const Item& item);
  ReturnConsumedCapacity any_capacity();
  void note(Description description);

  HistoryOptions options_;
  Random random_;
  Generator generator_;
  std::unique_ptr<Database> database_;
  Tables tables_;
  std::deque<Description> last_;
  HistoryReport report_;
};

// Return requests as readable text.
std::string describe(const PutItemRequest& request);
std::string describe(const UpdateItemRequest& request);
std::string describe(const DeleteItemRequest& request);
std::string describe(const GetItemRequest& request);
std::string describe(const QueryRequest& request);
std::string describe(const ScanRequest& request);
std::string describe(const CreateTableRequest& request);

}  // namespace tavola::model

#include "tests/model/history.h"

#include <iterator>
#include <sstream>

namespace tavola::model {
namespace {

constexpr std::size_t kShownOperations = 10;

}  // namespace

History::History(HistoryOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      generator_(random_, options_.generator),
      database_(options_.open()) {}

void History::note(Description description) {
  last_.push_back(std::move(description));
  if (last_.size() > kShownOperations) last_.pop_front();
}

PackedItem History::packed(const Item& item) {
  auto result = pack(item);
  if (result) return *std::move(result);
  // The generator makes only valid items; the empty item then fails the next comparison.
  note([message = result.error().message()] { return "pack refused an item: " + message; });
  return {};
}

ReturnConsumedCapacity History::any_capacity() {
  return static_cast<ReturnConsumedCapacity>(random_.below(3));
}

HistoryReport History::run() {
  Verdict wrong;
  if (database_ == nullptr) wrong = "the database did not open";
  std::size_t step = 0;
  for (; !wrong && step < options_.steps; ++step) wrong = run_step();
  if (!wrong) wrong = check_everything();
  if (!wrong) return report_;

  std::ostringstream out;
  out << *wrong << "\n  in step " << step << " of seed " << options_.seed << "; the last operations:";
  for (const Description& description : last_) out << "\n    " << description();
  report_.wrong = out.str();
  return report_;
}

Verdict History::run_step() {
  if (tables_.size() < options_.tables) return create("table" + std::to_string(tables_.size()));
  static const std::vector<int> all_weights{260, 300, 80, 60, 130, 25, 8, 40, 2, 1, 60, 15, 30, 10};
  const auto step = static_cast<Step>(random_.weighted(all_weights));
  auto table = tables_.begin();
  std::advance(table, static_cast<std::ptrdiff_t>(random_.below(tables_.size())));
  ++report_.done[static_cast<std::size_t>(step)];
  return do_step(step, table->second);
}

Verdict History::do_step(Step step, ModelTable& table) {
  switch (step) {
    case Step::PutItem:
      return put(table);
    case Step::UpdateItem:
      return update(table);
    case Step::DeleteItem:
      return remove(table);
    case Step::GetItem:
      return get(table);
    case Step::Query:
      return query(table);
    case Step::Scan:
      return scan(table);
    case Step::Describe:
      return describe_table(table);
    case Step::Refused:
      return refused(table);
    case Step::Reopen:
      return reopen();
    case Step::Replace:
      return replace(table);
    case Step::TransactWrite:
      return transact_write();
    case Step::TransactGet:
      return transact_get();
    case Step::BatchWrite:
      return batch_write();
    case Step::BatchGet:
      return batch_get();
  }
  return std::nullopt;
}

// ---- Writes ----

template <class Request>
void History::fill_terms(Request& request, const ModelTable& table, const WriteTerms& terms,
                         Renderer& renderer) {
  request.table_name = table.name();
  if (terms.condition) request.condition_expression = renderer.condition(*terms.condition);
  request.names = renderer.names();
  request.values = packed(renderer.values());
  request.return_values = terms.return_values;
  request.on_condition_failure = terms.on_failure;
  request.return_consumed_capacity = any_capacity();
  if (random_.chance(10)) request.return_item_collection_metrics = ReturnItemCollectionMetrics::Size;
  note([request] { return describe(request); });
}

template <class Response>
Verdict History::compare_write(const ModelTable& table, const WriteOutcome& expected,
                               ReturnConsumedCapacity asked, const Response& response) {
  if (!response) ++report_.refusals;
  return check_write(table, expected, asked, response);
}

namespace {

Verdict check_metrics(const ModelTable& table, const Item& key, ReturnItemCollectionMetrics asked,
                      const Result<WriteItemResponse>& response) {
  if (!response) return std::nullopt;
  std::optional<Item> expected;
  if (asked == ReturnItemCollectionMetrics::Size && !table.shape().local_indexes.empty()) {
    expected = keep(key, {table.key_attributes().front()});
  }
  const auto& metrics = response->item_collection_metrics;
  return check_item("ItemCollectionMetrics", expected,
                    metrics ? std::optional(metrics->item_collection_key) : std::nullopt);
}

}  // namespace

Verdict History::put(ModelTable& table) {
  const Item item = generator_.item(table);
  const WriteTerms terms =
      generator_.terms(table, table.find(table.key_of(item)), {ReturnValues::None, ReturnValues::AllOld});
  Renderer renderer(random_);
  PutItemRequest request{.item = packed(item)};
  fill_terms(request, table, terms, renderer);
  const auto response = database_->put_item(request);
  const WriteOutcome expected = table.put(item, terms);
  if (auto wrong = check_metrics(table, item, request.return_item_collection_metrics, response)) return wrong;
  return compare_write(table, expected, request.return_consumed_capacity, response);
}

Verdict History::update(ModelTable& table) {
  const Item key = generator_.key(table);
  const Item* stored = table.find(table.key_of(key));
  const Update update = generator_.update(table, stored);
  const WriteTerms terms =
      generator_.terms(table, stored,
                       {ReturnValues::None, ReturnValues::AllOld, ReturnValues::UpdatedOld,
                        ReturnValues::AllNew, ReturnValues::UpdatedNew});
  Renderer renderer(random_);
  UpdateItemRequest request{.key = packed(key), .update_expression = renderer.update(update)};
  fill_terms(request, table, terms, renderer);
  const auto response = database_->update_item(request);
  const WriteOutcome expected = table.update(key, update, terms);
  if (auto wrong = check_metrics(table, key, request.return_item_collection_metrics, response)) return wrong;
  return compare_write(table, expected, request.return_consumed_capacity, response);
}

Verdict History::remove(ModelTable& table) {
  const Item key = generator_.key(table);
  const WriteTerms terms =
      generator_.terms(table, table.find(table.key_of(key)), {ReturnValues::None, ReturnValues::AllOld});
  Renderer renderer(random_);
  DeleteItemRequest request{.key = packed(key)};
  fill_terms(request, table, terms, renderer);
  const auto response = database_->delete_item(request);
  const WriteOutcome expected = table.remove(key, terms);
  if (auto wrong = check_metrics(table, key, request.return_item_collection_metrics, response)) return wrong;
  return compare_write(table, expected, request.return_consumed_capacity, response);
}

// ---- Reads of one item, tables ----

Verdict History::get(const ModelTable& table) {
  const Item key = generator_.key(table);
  Renderer renderer(random_);
  std::vector<Path> projection;
  GetItemRequest request{.table_name = table.name(),
                         .key = packed(key),
                         .consistent_read = random_.chance(50),
                         .return_consumed_capacity = any_capacity()};
  if (random_.chance(50)) {
    projection = generator_.projection(data_attributes());
    request.projection_expression = renderer.projection(projection);
    request.names = renderer.names();
  }
  note([request] { return describe(request); });
  const auto response = database_->get_item(request);
  if (!response) return check_refusal({}, response.error());
  const Item* stored = table.find(table.key_of(key));
  std::optional<Item> expected;
  if (stored != nullptr) expected = projection.empty() ? *stored : project(*stored, projection);
  if (auto wrong = check_item("Item", expected, response->item)) return wrong;
  const Units units{.table = read_units(stored == nullptr ? 0 : size_of(*stored), request.consistent_read)};
  return check_units(table, units, request.return_consumed_capacity, response->consumed_capacity);
}

Verdict History::describe_table(const ModelTable& table) {
  note([name = table.name()] { return "DescribeTable " + name; });
  const auto response = database_->describe_table({.table_name = table.name()});
  if (!response) return check_refusal({}, response.error());
  return check_description(table, response->table);
}

Verdict History::create(const std::string& name) {
  const CreateTableRequest request = generator_.table(name);
  note([request] { return describe(request); });
  const auto response = database_->create_table(request);
  if (!response) return check_refusal({}, response.error());
  const auto [created, is_new] = tables_.insert_or_assign(name, ModelTable(request));
  if (auto wrong = check_description(created->second, response->table)) return wrong;
  return describe_table(created->second);
}

// Deletes a table and creates another of the same name: no item of the old one may be visible.
Verdict History::replace(ModelTable& table) {
  std::string name = table.name();  // a copy: the table is about to be replaced
  note([name] { return "DeleteTable " + name; });
  const auto response = database_->delete_table({.table_name = name});
  if (!response) return check_refusal({}, response.error());
  const auto gone = database_->describe_table({.table_name = name});
  const Refusal expected{ErrorCode::ResourceNotFound,
                         "Requested resource not found: Table: " + name + " not found"};
  if (gone) return "a deleted table is still described";
  if (auto wrong = check_refusal({expected}, gone.error())) return wrong;
  return create(name);
}

Verdict History::reopen() {
  if (!options_.survives_reopening) return std::nullopt;
  note([] { return "close and open again"; });
  database_.reset();
  database_ = options_.open();
  if (database_ == nullptr) return "the database did not open again";
  return check_everything();
}

Verdict History::check_everything() {
  note([] { return "check everything"; });
  const auto names = database_->list_tables({});
  if (!names) return check_refusal({}, names.error());
  std::vector<std::string> expected;
  expected.reserve(tables_.size());
  for (const auto& [name, table] : tables_) expected.push_back(name);
  if (names->table_names != expected) return "ListTables names other tables";
  for (const auto& [name, table] : tables_) {
    if (auto wrong = describe_table(table)) return wrong;
    std::vector<Entry> order;
    if (auto wrong = scan_all(table, nullptr, order)) return wrong;
    for (const IndexShape& index : table.indexes()) {
      if (auto wrong = scan_all(table, &index, order)) return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace tavola::model

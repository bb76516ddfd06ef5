#include <tavola/partiql.h>

#include "base/digest.h"
#include "database/constraints.h"
#include "database/enum_names.h"
#include "expr/evaluate/compile.h"
#include "partiql/messages.h"
#include "partiql/page_token.h"
#include "partiql/perform.h"
#include "value/limits.h"

namespace tavola::partiql {
namespace {

Result<void> check(const ExecuteStatementRequest& request) {
  TAVOLA_CHECK(check_statement_size(request.statement, "statement"));
  Constraints constraints;
  constraints.check_at_least(1, request.limit, "limit");
  constraints.check_enum(request.return_consumed_capacity, "returnConsumedCapacity");
  return constraints.check();
}

// Identifies the statement and its parameters: a token is refused with any other.
Result<std::string> fingerprint(const ExecuteStatementRequest& request) {
  TAVOLA_TRY(const PackedItem parameters, pack({{"p", List(request.parameters)}}));
  return sha256({std::to_string(request.statement.size()), ":", request.statement, parameters.bytes()});
}

void add(std::optional<ConsumedCapacity>& sum, const std::optional<ConsumedCapacity>& more) {
  if (!more) return;
  if (!sum) {
    sum = more;
    return;
  }
  sum->units += more->units;
  if (more->table_units) sum->table_units = sum->table_units.value_or(0) + *more->table_units;
  for (const auto& [index, units] : more->local_index_units) sum->local_index_units[index] += units;
  for (const auto& [index, units] : more->global_index_units) sum->global_index_units[index] += units;
}

// Reads one part after the other until the page is full: by items evaluated (Limit) or by bytes.
class PageReader {
 public:
  PageReader(Database& database, const Prepared& prepared, std::optional<std::int64_t> limit)
      : database_(database), prepared_(prepared), left_(limit) {}

  Result<ExecuteStatementResponse> run(const SelectPlan& plan, const PagePlace& place,
                                       std::string_view fingerprint) {
    if (place.read >= plan.reads.size() && place.read != 0) return fail(messages::invalid_token());
    for (std::size_t i = place.read; i < plan.reads.size(); ++i) {
      TAVOLA_TRY(Page page, read(plan.reads[i], i == place.read ? place.after : std::nullopt));
      TAVOLA_CHECK(take(std::move(page.items), plan.reads[i]));
      add(response_.consumed_capacity, page.consumed_capacity);
      if (left_) *left_ -= page.scanned_count;
      if (page.last_evaluated_key) {
        response_.next_token = to_token({i, page.last_evaluated_key}, fingerprint);
        response_.last_evaluated_key = std::move(page.last_evaluated_key);
        break;
      }
      const bool is_full = (left_ && *left_ <= 0) || bytes_ >= limits::kPageBytesMax;
      if (is_full && i + 1 < plan.reads.size()) {
        response_.next_token = to_token({i + 1, std::nullopt}, fingerprint);
        break;
      }
    }
    return std::move(response_);
  }

 private:
  Result<Page> read(const ReadPlan& plan, const std::optional<PackedItem>& after) {
    const auto paged = [&](auto request) {
      request.limit = left_;
      request.exclusive_start_key = after;
      return request;
    };
    const auto* query = std::get_if<QueryRequest>(&plan.request);
    Result<Page> page = query != nullptr ? database_.query(paged(*query))
                                         : database_.scan(paged(std::get<ScanRequest>(plan.request)));
    if (!page) return fail(error_of_statement(page.error(), prepared_.statement));
    return page;
  }

  // An item counts whether or not `remaining` holds. Items that a filter skipped are not reported, so they do not
  // count.
  Result<void> take(std::vector<PackedItem> items, const ReadPlan& plan) {
    const ConditionText& remaining = plan.remaining;
    expr::Compiler compiler(remaining.names, remaining.values.view());
    expr::Condition condition;
    if (!remaining.text.empty()) {
      TAVOLA_TRY(condition, compiler.condition(remaining.text, expr::ConditionRole::Filter));
    }
    for (PackedItem& item : items) {
      bytes_ += item_size(item.view());
      if (!condition.holds(item.view())) continue;
      response_.items.push_back(as_columns(std::move(item), plan.columns));
    }
    return {};
  }

  Database& database_;
  const Prepared& prepared_;
  std::optional<std::int64_t> left_;
  std::size_t bytes_ = 0;
  ExecuteStatementResponse response_;
};

Result<ExecuteStatementResponse> write(Database& database, const ExecuteStatementRequest& request,
                                       Prepared& prepared, const TableDescription& table) {
  TAVOLA_TRY(const TransactWrite write,
             plan_write(prepared, table, {request.on_condition_failure, request.return_consumed_capacity}));
  Result<WriteItemResponse> written = perform(database, write);
  if (!written) return fail(error_of_statement(written.error(), prepared.statement));
  ExecuteStatementResponse response;
  if (std::optional<PackedItem>& item = written->attributes; item && !item->empty()) {
    response.items.push_back(*std::move(item));
  }
  response.consumed_capacity = std::move(written->consumed_capacity);
  return response;
}

}  // namespace
}  // namespace tavola::partiql

namespace tavola {

Result<ExecuteStatementResponse> execute_statement(Database& database,
                                                   const ExecuteStatementRequest& request) {
  using namespace partiql;  // NOLINT(google-build-using-namespace)
  TAVOLA_CHECK(check(request));
  TAVOLA_TRY(Prepared prepared, prepare(request.statement, request.parameters));
  if (std::holds_alternative<Exists>(prepared.statement)) return fail(messages::exists_outside_transaction());
  TAVOLA_TRY(const std::string print, fingerprint(request));
  PagePlace place;
  if (!request.next_token.empty()) {
    TAVOLA_TRY(place, from_token(request.next_token, print));
  }
  TAVOLA_TRY(const TableDescription table, describe(database, prepared));
  if (!is_read(prepared.statement)) return write(database, request, prepared, table);
  TAVOLA_TRY(const SelectPlan plan,
             plan_select(prepared, table, {request.consistent_read, request.return_consumed_capacity}));
  return PageReader(database, prepared, request.limit).run(plan, place, print);
}

}  // namespace tavola

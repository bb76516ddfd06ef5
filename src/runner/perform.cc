#include "runner/perform.h"

#include <algorithm>
#include <thread>

#include "base/overloaded.h"
#include "design/model/refusal.h"
#include "runner/deletions.h"
#include "runner/groups.h"
#include "runner/runner.h"
#include "value/optional_item.h"

namespace tavola::runner {
namespace {

// After so many lost attempts, another is unlikely to win soon.
constexpr int kTriesMax = 100;

// Returns whether the items of a read are enough of its entity.
bool is_enough(const design::Design& design, const design::Read& read, const std::vector<Item>& items) {
  if (items.size() < read.enough) return false;
  const auto of_entity = std::ranges::count_if(
      items, [&](const Item& item) { return design::decode(design, item).entity == read.entity; });
  return static_cast<std::size_t>(of_entity) >= read.enough;
}

Result<std::vector<Item>> read(Database& database, const design::Design& design, const design::Read& read) {
  const design::ReadRequest& request = read.request;
  std::vector<Item> items;
  if (const auto* get = std::get_if<GetItemRequest>(&request)) {
    TAVOLA_TRY(const GetItemResponse response, database.get_item(*get));
    if (response.item) items.push_back(response.item->unpack());
    return items;
  }
  const auto take = [&items](const Page& page) {
    for (const PackedItem& item : page.items) items.push_back(item.unpack());
    return page.last_evaluated_key;
  };
  if (const auto* asked = std::get_if<QueryRequest>(&request)) {
    QueryRequest query = *asked;
    do {
      TAVOLA_TRY(const Page page, database.query(query));
      query.exclusive_start_key = take(page);
    } while (query.exclusive_start_key && !is_enough(design, read, items));
    return items;
  }
  ScanRequest scan = std::get<ScanRequest>(request);
  do {
    TAVOLA_TRY(const Page page, database.scan(scan));
    scan.exclusive_start_key = take(page);
  } while (scan.exclusive_start_key);
  return items;
}

}  // namespace

Result<design::ReadItems> read_all(Database& database, const design::Call& call) {
  TAVOLA_TRY(const std::vector<design::Read> reads, design::reads(call));
  design::ReadItems found(reads.size());
  // The first read is the record of an earlier identical call (idempotent_by), if there is one. It is performed last: a
  // call whose effects were read must also show its record.
  for (std::size_t i = reads.size(); i-- > 0;) {
    TAVOLA_TRY(found[i], read(database, *call.design, reads[i]));
  }
  return found;
}

namespace {

Result<design::Plan> planned(Database& database, design::Call& call) {
  TAVOLA_TRY(const design::ReadItems found, read_all(database, call));
  return design::plan(call, found,
                      [&](const design::Read& one) { return read(database, *call.design, one); });
}

// Returns the refusal of a governed table, which is none of the plan's conditions.
std::optional<design::Cause> refused_by_design(const std::string& message) {
  std::optional<design::NamedRefusal> refusal = design::named_refusal(message);
  if (!refusal) return std::nullopt;
  return design::Cause{
      design::Cause::Kind::Refusal, std::move(refusal->name), std::move(refusal->reason), {}};
}

// Interprets a cancelled transaction. An item that changed since it was read outweighs a refusal: the plan is outdated
// (the same call may have been performed concurrently, idempotent_by), and reading again decides.
design::Cause cause_of(const design::Plan& plan, const TransactionCancellation& cancellation) {
  design::Cause changed{design::Cause::Kind::Changed, {}, conflict().message(), {}};
  std::optional<design::Cause> found;
  for (std::size_t i = 0; i < cancellation.reasons.size() && i < plan.actions.size(); ++i) {
    const CancellationReason& reason = cancellation.reasons[i];
    if (reason.code == "None") continue;
    if (reason.code != "ConditionalCheckFailed") return changed;
    if (std::optional<design::Cause> by_design = refused_by_design(reason.message))
      return *std::move(by_design);
    const design::Cause& cause = design::meaning(plan.actions[i], unpacked(reason.item));
    if (cause.kind == design::Cause::Kind::Changed) return cause;
    if (!found || found->kind == design::Cause::Kind::Gone) found = cause;
  }
  return found.value_or(changed);
}

// Returns the refusal of the rules of a governed table; nothing if a condition of the operation failed.
std::optional<Error> ruled_out(const Error& error) {
  if (error.detail<design::Violation>() != nullptr) return error;
  if (const auto* failure = error.detail<ConditionFailure>(); failure != nullptr && failure->cause != nullptr)
    return design::with_detail(error, failure->cause);
  const auto* cancellation = error.detail<TransactionCancellation>();
  if (cancellation == nullptr) return std::nullopt;
  for (const CancellationReason& reason : cancellation->reasons) {
    if (dynamic_cast<const design::Violation*>(reason.detail.get()) == nullptr) continue;
    const bool is_condition = reason.code == "ConditionalCheckFailed";
    return Error(is_condition ? ErrorCode::ConditionalCheckFailed : ErrorCode::Validation, reason.message,
                 reason.detail);
  }
  return std::nullopt;
}

Result<Written> not_written(const design::Plan& plan, const Error& error) {
  if (std::optional<Error> refusal = ruled_out(error)) return fail(*std::move(refusal));
  if (error.code() == ErrorCode::ConditionalCheckFailed) {
    if (std::optional<design::Cause> cause = refused_by_design(error.message()))
      return Written{.cause = *std::move(cause)};
  }
  if (const auto* failure = error.detail<ConditionFailure>()) {
    return Written{.cause = design::meaning(plan.actions.front(), failure->item.unpack())};
  }
  if (error.code() == ErrorCode::ConditionalCheckFailed) {
    return Written{.cause = design::meaning(plan.actions.front(), std::nullopt)};
  }
  if (const auto* cancellation = error.detail<TransactionCancellation>()) {
    for (const CancellationReason& reason : cancellation->reasons) {
      if (reason.code == "ValidationError") return fail(Error::validation(reason.message));
      if (reason.code == "ItemCollectionSizeLimitExceeded") {
        return fail(Error(ErrorCode::ItemCollectionSizeLimitExceeded, reason.message));
      }
    }
    return Written{.cause = cause_of(plan, *cancellation)};
  }
  if (error.code() == ErrorCode::TransactionConflict || error.code() == ErrorCode::TransactionInProgress) {
    return Written{.cause = design::Cause{design::Cause::Kind::Changed, {}, error.message(), {}}};
  }
  return fail(error);
}

double written_units(const std::optional<ConsumedCapacity>& capacity) {
  return capacity ? capacity->units : 0;
}

// Sends a single write without a transaction, which would cost twice as much.
Result<Written> write_one(Database& database, const TransactWrite& write,
                          const std::shared_ptr<const Caller>& caller) {
  const auto send = [&caller](auto request, const auto& operation) -> Result<Written> {
    request.return_consumed_capacity = ReturnConsumedCapacity::Total;
    request.caller = caller;
    TAVOLA_TRY(const WriteItemResponse response, operation(request));
    return Written{.units = written_units(response.consumed_capacity), .unfinished = response.unfinished};
  };
  return std::visit(
      Overloaded{
          [&](const PutItemRequest& put) {
            return send(put, [&](const auto& one) { return database.put_item(one); });
          },
          [&](const DeleteItemRequest& del) {
            return send(del, [&](const auto& one) { return database.delete_item(one); });
          },
          [&](const UpdateItemRequest& update) {
            return send(update, [&](const auto& one) { return database.update_item(one); });
          },
          [](const ConditionCheck&) -> Result<Written> { return fail(Error::internal("a check alone")); }},
      write);
}

Result<Written> write_all(Database& database, const design::Plan& plan,
                          const std::shared_ptr<const Caller>& caller) {
  if (plan.actions.size() == 1 && !std::holds_alternative<ConditionCheck>(plan.actions.front().write)) {
    return write_one(database, plan.actions.front().write, caller);
  }
  TransactWriteItemsRequest request{.return_consumed_capacity = ReturnConsumedCapacity::Total,
                                    .caller = caller};
  for (const design::Action& action : plan.actions) request.actions.push_back(action.write);
  TAVOLA_TRY(const TransactWriteItemsResponse response, database.transact_write_items(request));
  Written written{.unfinished = response.unfinished};
  for (const ConsumedCapacity& capacity : response.consumed_capacity) written.units += capacity.units;
  return written;
}

bool has_implied_steps(const design::Operation& operation) {
  return std::ranges::any_of(operation.steps, &design::Step::implied);
}

}  // namespace

Result<Written> write(Database& database, const design::Plan& plan,
                      const std::shared_ptr<const Caller>& caller) {
  if (plan.actions.empty()) return Written();
  Result<Written> written = write_all(database, plan, caller);
  return written ? written : not_written(plan, written.error());
}

Error conflict() {
  return {ErrorCode::TransactionConflict, "too many concurrent writes to the same items; try again"};
}

Runner Runner::as(std::shared_ptr<const Caller> caller) const {
  Parts parts = parts_;
  parts.caller = std::move(caller);
  return Runner(std::move(parts));
}

Result<Item> Runner::permitted(std::string_view name, const Item& parameters) const {
  if (parts_.caller == nullptr) return parameters;
  return may_run(as(nullptr), identity(), name, parameters);
}

design::Identity Runner::identity() const {
  return {.sub = parts_.caller->sub, .groups = parts_.caller->groups};
}

Result<Done> Runner::perform(const design::Operation& operation, const Item& given) const {
  TAVOLA_TRY(const Item permitted_parameters, permitted(operation.name, given));
  const design::Ambient ambient{parts_.clock.now(), &parts_.random, parts_.caller.get()};
  TAVOLA_TRY(design::Call call, design::begin(parts_.design, operation, permitted_parameters, ambient));
  const Deletions deletions(parts_.database, call);
  TAVOLA_TRY(call.governed, deletions.are_followed());
  for (int tries = 1; tries <= kTriesMax; ++tries) {
    Result<design::Plan> plan = planned(parts_.database, call);
    if (!plan && is_too_many(plan.error()) && !call.governed && has_implied_steps(operation)) {
      TAVOLA_CHECK(deletions.follow());
      continue;
    }
    if (!plan) return fail(plan.error());
    TAVOLA_TRY(const Written written, write(parts_.database, *plan, parts_.caller));
    if (!written.cause) return done(*plan, written);
    if (written.cause->kind == design::Cause::Kind::Refusal) {
      return fail(design::refused(*written.cause));
    }
    if (written.cause->kind == design::Cause::Kind::Gone) {
      call.without.insert(written.cause->name);
    } else {
      std::this_thread::sleep_for(delay_after(tries, kDelays, parts_.random));
    }
  }
  return fail(conflict());
}

Result<Done> Runner::done(design::Plan& plan, const Written& written) const {
  Done done{.entity = plan.returns,
            .fields = std::move(plan.result),
            .repeated = plan.repeated,
            .write_units = written.units,
            .unfinished = written.unfinished};
  if (!plan.read_back) return done;
  GetItemRequest request{.table_name = parts_.design.table.name, .consistent_read = true};
  TAVOLA_TRY(request.key, pack(*plan.read_back));
  TAVOLA_TRY(const GetItemResponse response, parts_.database.get_item(request));
  if (response.item) done.fields = design::decode(parts_.design, response.item->unpack()).fields;
  return done;
}

}  // namespace tavola::runner

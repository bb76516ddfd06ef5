#include "governed/remote_transaction.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "base/overloaded.h"
#include "base/random.h"
#include "base/retry.h"
#include "database/messages.h"
#include "engine/records/keys.h"
#include "governed/conditional_writes.h"
#include "governed/seen_ranges.h"
#include "value/limits.h"

namespace tavola::governed {
namespace {

using std::chrono::microseconds;

constexpr RetryDelays kPauses{.first = microseconds(2'000), .longest = microseconds(64'000)};
// A transaction whose answer is lost is sent again with its token, which the other server knows.
constexpr int kSameTokenMax = 8;

Error keeps_changing() { return {ErrorCode::TransactionConflict, kTransactionOngoing}; }

// Returns whether the error leaves open if the write took effect. A transaction in progress is the same one: its first answer was lost.
bool is_unknown(const Error& error) {
  return error.code() == ErrorCode::Io || error.code() == ErrorCode::Internal ||
         error.code() == ErrorCode::TransactionInProgress;
}

// After TransactionInProgress clients send the write again, which is right only if nothing was written.
Error remains_unknown(const Error& error) {
  if (error.code() != ErrorCode::TransactionInProgress) return error;
  return Error::internal("it is not known whether the write took effect: " + error.message());
}

bool is_lost(const Error& error) {
  return error.code() == ErrorCode::ConditionalCheckFailed || error.code() == ErrorCode::TransactionConflict;
}

ErrorCode code_of(const CancellationReason& reason) {
  if (reason.code == "ItemCollectionSizeLimitExceeded") return ErrorCode::ItemCollectionSizeLimitExceeded;
  const bool is_throttled =
      reason.code == "ThrottlingError" || reason.code == "ProvisionedThroughputExceeded";
  return is_throttled ? ErrorCode::Throttling : ErrorCode::Validation;
}

std::optional<PackedItem> shown_item(const Error& error) {
  const auto* const failure = error.detail<ConditionFailure>();
  return failure == nullptr ? std::nullopt : std::optional(failure->item);
}

Error too_many_actions(std::size_t count) {
  return Error::validation(
      "Tavola: the request writes and checks " + std::to_string(count) +
      " items together with those that follow from it by the design; DynamoDB takes at most " +
      std::to_string(limits::kTransactionActionsMax) + " in one transaction");
}

}  // namespace

RemoteTransaction::RemoteTransaction(const Parts& parts, const Asked& asked)
    : parts_(parts), asked_(asked), seen_(parts.remote) {
  const RequestHints* const hints = RequestHints::current();
  guesses_ = hints != nullptr && hints->creates && !hints->changes;
}

Result<void> RemoteTransaction::run() {
  TAVOLA_TRY(tables_, TransactionTables::of(asked_.guards, parts_.schemas, parts_.governed));
  const bool begins_with_token = asked_.keys.size() == 1 && engine::token_in(asked_.keys.front());
  TAVOLA_CHECK(add_keys(asked_.keys, true));
  keys_are_of_client_ = begins_with_token;
  int lost_races = 0;
  for (int tries = 0; tries < kTriesMax; ++tries) {
    TAVOLA_CHECK(check_guards());
    ++parts_.counts.attempts;
    TAVOLA_TRY(const Step step, attempt());
    if (step == Step::Done) return {};
    entries_.clear();
    if (step == Step::Again) continue;
    ++parts_.counts.lost_races;
    std::this_thread::sleep_for(delay_after(++lost_races, kPauses, Random::system()));
  }
  return fail(keeps_changing());
}

// The design may have changed since the request looked it up; then the request begins again.
Result<void> RemoteTransaction::check_guards() const {
  for (const store::Guard& guard : asked_.guards) {
    TAVOLA_TRY(const std::optional<std::string> now, parts_.local.get(guard.key));
    if (now.value_or(std::string()) != guard.expected)
      return fail(Error(ErrorCode::Stale, "a table changed while a request was decided"));
  }
  return {};
}

// An attempt may be long after the request began: the design may have been replaced on the other server.
Result<void> RemoteTransaction::check_designs(const Actions& actions) const {
  for (const std::size_t at : actions.positions) {
    const ItemPlace& place = seen_[at].place;
    if (place.facts != nullptr) TAVOLA_CHECK(parts_.watch.check(place.table_name()));
  }
  return {};
}

Result<void> RemoteTransaction::add_keys(std::span<const std::string> keys, bool are_of_client) {
  const RequestHints* const hints = RequestHints::current();
  std::size_t of_client = !are_of_client ? 0 : hints == nullptr ? keys.size() : hints->items;
  for (const std::string& key : keys) {
    // A token is before the items.
    const bool is_of_client = of_client > 0 && !engine::token_in(key);
    if (is_of_client) --of_client;
    TAVOLA_TRY(const std::size_t at, seen_.add(tables_, key, is_of_client));
    view_.push_back(at);
    if (seen_[at].source == SeenItem::Source::None && may_be_missing(seen_[at])) seen_.guess_missing(at);
  }
  return {};
}

// A token is new unless its request was sent before. Of a request that creates items, so are they and their unique values.
bool RemoteTransaction::may_be_missing(const SeenItem& seen) const {
  if (seen.place.holds_bytes) return RequestHints::current() != nullptr;
  if (!guesses_) return false;
  return seen.is_of_client || engine::is_record_key(seen.store_key);
}

Result<RemoteTransaction::Step> RemoteTransaction::attempt() {
  TAVOLA_TRY(const Verdict verdict, decide());
  Actions actions;
  if (!verdict.refusal) {
    TAVOLA_TRY(actions, actions_of(verdict));
  }
  if (actions.changes) {
    TAVOLA_CHECK(check_designs(actions));
    // In this order: a front that follows another design changes its tables first. So the rule was that of the design.
    TAVOLA_CHECK(check_guards());
    return write(actions);
  }
  TAVOLA_TRY(const bool are_as_seen, seen_.are_as_seen(verdict.looked_at));
  if (!are_as_seen) return Step::Again;
  if (verdict.refusal) return fail(*verdict.refusal);
  return Step::Done;
}

Result<RemoteTransaction::Verdict> RemoteTransaction::decide() {
  for (;;) {
    TAVOLA_CHECK(seen_.read_missing());
    while (entries_.size() < ranges_.size()) {
      TAVOLA_TRY(store::RangeEntries entries, read_range(parts_.remote, tables_, ranges_[entries_.size()]));
      entries_.push_back(std::move(entries));
    }
    std::vector<std::optional<std::string>> values;
    for (const std::size_t at : view_) {
      std::optional<std::string>& value = values.emplace_back();
      if (!seen_[at].item) continue;
      TAVOLA_TRY(value, seen_[at].place.value_of(*seen_[at].item));
    }
    const SeenView view(std::move(values), entries_);
    Result<store::Decision> decision = asked_.rule(view);
    Verdict verdict;
    for (std::size_t i = 0; i < view_.size(); ++i) {
      if (view.was_looked_at(i)) verdict.looked_at.push_back(view_[i]);
    }
    if (!decision) {
      verdict.refusal = decision.error();
      return verdict;
    }
    if (!decision->is_incomplete()) {
      verdict.writes = std::move(decision->writes);
      return verdict;
    }
    TAVOLA_CHECK(add_keys(decision->further_keys, std::exchange(keys_are_of_client_, false)));
    std::ranges::move(decision->further_ranges, std::back_inserter(ranges_));
  }
}

Result<RemoteTransaction::Actions> RemoteTransaction::actions_of(const Verdict& verdict) {
  Actions actions;
  std::set<std::size_t> pending(verdict.looked_at.begin(), verdict.looked_at.end());
  for (const store::Write& write : verdict.writes) {
    const bool is_of_item = write.kind == store::Write::Kind::Put || write.kind == store::Write::Kind::Erase;
    if (!is_of_item) continue;
    std::optional<std::size_t> at = seen_.find(write.key);
    if (!at) {
      TAVOLA_TRY(const std::optional<ItemPlace> place, tables_.place_of(write.key));
      if (!place) continue;  // an index entry or the like, which the other server makes itself
      TAVOLA_TRY(at, seen_.add(tables_, write.key, false));  // a job, under an id that is new
      seen_.guess_missing(*at);
    }
    std::optional<PackedItem>& after = actions.after.emplace_back();
    if (write.kind == store::Write::Kind::Put) {
      TAVOLA_TRY(after, seen_[*at].place.item_of(write.value));
    }
    actions.positions.push_back(*at);
    pending.erase(*at);
  }
  actions.changes = !actions.positions.empty();
  if (!actions.changes) return actions;
  for (const std::size_t at : pending) {
    actions.positions.push_back(at);
    actions.after.push_back(seen_[at].item);
  }
  if (actions.positions.size() > limits::kTransactionActionsMax)
    return fail(too_many_actions(actions.positions.size()));
  const RequestHints* const hints = RequestHints::current();
  for (std::size_t i = 0; i < actions.positions.size(); ++i) {
    const SeenItem& seen = seen_[actions.positions[i]];
    const SeenChange change{.table_name = seen.place.table_name(),
                            .hash = seen.place.hash(),
                            .key = seen.place.key,
                            .before = seen.item,
                            .after = actions.after[i],
                            .look = seen.is_of_client ? Look::OfClient : Look::OfRule,
                            .is_alone = actions.positions.size() == 1};
    Comparison comparison{.facts = seen.place.facts.get()};
    if (hints != nullptr && seen.is_of_client) comparison.mentioned = hints->mentioned;
    TAVOLA_TRY(TransactWrite action, conditional_write(change, comparison));
    actions.actions.push_back(std::move(action));
  }
  return actions;
}

Result<RemoteTransaction::Step> RemoteTransaction::write(const Actions& actions) {
  return actions.actions.size() == 1 ? write_one(actions) : write_together(actions);
}

Result<void> RemoteTransaction::send_one(const TransactWrite& action) {
  const auto done = [](const auto& response) -> Result<void> {
    if (!response) return fail(response.error());
    return {};
  };
  return std::visit(
      Overloaded{
          [&](const PutItemRequest& put) { return done(parts_.remote.put_item(put)); },
          [&](const DeleteItemRequest& gone) { return done(parts_.remote.delete_item(gone)); },
          [&](const UpdateItemRequest& update) { return done(parts_.remote.update_item(update)); },
          [&](const ConditionCheck&) -> Result<void> { return fail(Error::internal("a check alone")); }},
      action);
}

Result<RemoteTransaction::Step> RemoteTransaction::write_one(const Actions& actions) {
  const Result<void> done = send_one(actions.actions.front());
  if (done) return Step::Done;
  const Error& error = done.error();
  if (is_lost(error)) return lost(actions.positions.front(), shown_item(error));
  if (is_unknown(error)) return resolve_by_item(actions, error);
  return fail(error);
}

// After a wrong guess, which nobody else caused, the next attempt is made at once.
RemoteTransaction::Step RemoteTransaction::lost(std::size_t position,
                                                const std::optional<PackedItem>& shown) {
  const bool was_guess = seen_[position].source == SeenItem::Source::Guess;
  if (shown) {
    seen_.learn(position, shown);
  } else {
    seen_.forget(position);
  }
  if (!was_guess) return Step::Lost;
  ++parts_.counts.wrong_guesses;
  guesses_ = false;
  seen_.forget_guesses();
  return Step::Again;
}

Result<RemoteTransaction::Step> RemoteTransaction::write_together(const Actions& actions) {
  TransactWriteItemsRequest request{.actions = actions.actions,
                                    .client_request_token = make_uuid(Random::system())};
  std::optional<Error> unknown;  // of an earlier one, which may have taken effect
  for (int sent = 0;; ++sent) {
    const Result<TransactWriteItemsResponse> done = parts_.remote.transact_write_items(request);
    if (done) return Step::Done;
    const Error& error = done.error();
    if (unknown ? settles_transaction(error) : !is_unknown(error)) return lost_together(error, actions);
    if (is_unknown(error)) {
      ++parts_.counts.unknown_answers;
      unknown = error;
    }
    if (sent == kSameTokenMax) return fail(remains_unknown(*unknown));
    std::this_thread::sleep_for(delay_after(sent + 1, kPauses, Random::system()));
  }
}

Result<RemoteTransaction::Step> RemoteTransaction::lost_together(const Error& error, const Actions& actions) {
  const auto* const cancellation = error.detail<TransactionCancellation>();
  if (cancellation == nullptr || cancellation->reasons.size() != actions.positions.size()) {
    if (!is_lost(error)) return fail(error);
    for (const std::size_t at : actions.positions) seen_.forget(at);
    return Step::Lost;
  }
  Step step = Step::Again;
  for (std::size_t i = 0; i < cancellation->reasons.size(); ++i) {
    const CancellationReason& reason = cancellation->reasons[i];
    if (reason.code == "None") continue;
    if (reason.code == "ConditionalCheckFailed") {
      if (lost(actions.positions[i], reason.item) == Step::Lost) step = Step::Lost;
    } else if (reason.code == "TransactionConflict") {
      seen_.forget(actions.positions[i]);  // somebody is changing it
      step = Step::Lost;
    } else {
      return fail(Error(code_of(reason), reason.message));
    }
  }
  return step;
}

// A single write has no token. It is sent once more as it was: that cannot do harm, because its condition fails if it took effect. If that
// does not settle it, the client must not get an error after which nothing was written, such as Throttling.
Result<RemoteTransaction::Step> RemoteTransaction::resolve_by_item(const Actions& actions,
                                                                   const Error& error) {
  ++parts_.counts.unknown_answers;
  if (send_one(actions.actions.front())) return Step::Done;
  const std::size_t at = actions.positions.front();
  seen_.forget(at);
  if (!seen_.read_missing() || seen_[at].item != actions.after.front()) return fail(error);
  // The item is as it should be, by this write or by an equal one. If another one would change nothing, it does not matter by which.
  const Result<Verdict> verdict = decide();
  if (!verdict || verdict->refusal) return fail(error);
  const Result<Actions> none = actions_of(*verdict);
  if (!none || none->changes) return fail(error);
  return Step::Done;
}

}  // namespace tavola::governed

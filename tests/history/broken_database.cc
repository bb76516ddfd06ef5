#include "tests/history/broken_database.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/locks.h"
#include "database/forwarding_database.h"

namespace tavola::history {
namespace {

constexpr std::array kFlaws{NamedFlaw{"none", Flaw::None},
                            NamedFlaw{"lost-update", Flaw::LostUpdate},
                            NamedFlaw{"half-visible", Flaw::HalfVisible},
                            NamedFlaw{"fractured-read", Flaw::FracturedRead},
                            NamedFlaw{"unchecked-skew", Flaw::UncheckedSkew},
                            NamedFlaw{"stale-read", Flaw::StaleRead},
                            NamedFlaw{"dropped-write", Flaw::DroppedWrite},
                            NamedFlaw{"refused-write", Flaw::RefusedWrite},
                            NamedFlaw{"applied-twice", Flaw::AppliedTwice},
                            NamedFlaw{"token-ignored", Flaw::TokenIgnored}};

// Long enough for another client to interfere, short enough for many repetitions.
void let_others_in() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// Returns the request with a condition that holds and uses the same values.
template <class Request>
Request unconditional(Request request) {
  request.condition_expression =
      "(" + request.condition_expression + ") OR NOT (" + request.condition_expression + ")";
  return request;
}

PackedItem target(const UpdateItemRequest& request) { return request.key; }
PackedItem target(const DeleteItemRequest& request) { return request.key; }
PackedItem target(const PutItemRequest& request) {  // a key is named pk and sk in all histories
  Item key = request.item.unpack();
  std::erase_if(key,
                [](const auto& attribute) { return attribute.first != "pk" && attribute.first != "sk"; });
  return *pack(key);
}

bool is_check(const TransactWrite& action) { return std::holds_alternative<ConditionCheck>(action); }
bool is_plain_update(const TransactWrite& action) {
  const auto* update = std::get_if<UpdateItemRequest>(&action);
  return update != nullptr && update->condition_expression.empty();
}

class BrokenDatabase final : public ForwardingDatabase {
 public:
  BrokenDatabase(Database& sound, Flaw flaw) : ForwardingDatabase(sound), sound_(sound), flaw_(flaw) {}

  Result<PutItemResponse> put_item(const PutItemRequest& request) override {
    return write(request, [this](const PutItemRequest& r) { return sound_.put_item(r); });
  }
  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    return write(request, [this](const UpdateItemRequest& r) { return sound_.update_item(r); });
  }
  Result<DeleteItemResponse> delete_item(const DeleteItemRequest& request) override {
    return write(request, [this](const DeleteItemRequest& r) { return sound_.delete_item(r); });
  }

  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    auto response = sound_.get_item(request);
    if (flaw_ != Flaw::StaleRead || !response) return response;
    const std::string key = request.table_name + std::string(request.key.bytes());
    const MutexLock lock(mutex_);
    std::optional<PackedItem>& earlier = seen_[key];
    if (earlier && strikes(20)) {
      response->item = earlier;
    } else {
      earlier = response->item;
    }
    return response;
  }

  Result<TransactGetItemsResponse> transact_get_items(const TransactGetItemsRequest& request) override {
    if (flaw_ != Flaw::FracturedRead) return sound_.transact_get_items(request);
    TransactGetItemsResponse response;
    for (GetItemRequest get : request.gets) {
      get.consistent_read = true;
      TAVOLA_TRY(GetItemResponse got, sound_.get_item(get));
      response.items.push_back(std::move(got.item));
      let_others_in();
    }
    return response;
  }

  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    TransactWriteItemsRequest changed = request;
    if (flaw_ == Flaw::TokenIgnored) changed.client_request_token.clear();
    if (!request.client_request_token.empty()) return sound_.transact_write_items(changed);
    if (flaw_ == Flaw::HalfVisible && std::ranges::all_of(request.actions, is_plain_update)) {
      return write_in_two(request);
    }
    if (flaw_ == Flaw::UncheckedSkew && std::ranges::any_of(request.actions, is_check)) {
      return check_then_write(request);
    }
    return sound_.transact_write_items(changed);
  }

 private:
  // Returns whether the flaw is due.
  bool strikes(std::size_t every) { return ++chances_ % every == 0; }

  template <class Request, class Write>
  Result<WriteItemResponse> write(const Request& request, const Write& sound_write) {
    if (!request.condition_expression.empty()) {
      if (flaw_ == Flaw::LostUpdate && condition_holds(request)) {
        let_others_in();
        return sound_write(unconditional(request));
      }
      auto response = sound_write(request);
      if (!response && flaw_ == Flaw::RefusedWrite && strikes(20)) {
        // The error stays unchanged, whatever the result of the write.
        static_cast<void>(sound_write(unconditional(request)).has_value());
      }
      return response;
    }
    if (flaw_ == Flaw::DroppedWrite && request.return_values == ReturnValues::None && strikes(20)) {
      return WriteItemResponse{};
    }
    if (flaw_ == Flaw::AppliedTwice && strikes(20)) TAVOLA_CHECK(sound_write(request));
    return sound_write(request);
  }

  template <class Request>
  bool condition_holds(const Request& request) {
    const ConditionCheck check{.table_name = request.table_name,
                               .key = target(request),
                               .condition_expression = request.condition_expression,
                               .names = request.names,
                               .values = condition_values(request)};
    return sound_.transact_write_items({.actions = {check}}).has_value();
  }
  // Keeps the values of an update's condition only; the check refuses unused values.
  template <class Request>
  static PackedItem condition_values(const Request& request) {
    Item values = request.values.unpack();
    std::erase_if(values, [&request](const auto& value) {
      return request.condition_expression.find(value.first) == std::string::npos;
    });
    return *pack(values);
  }

  Result<TransactWriteItemsResponse> write_in_two(const TransactWriteItemsRequest& request) {
    const auto rest = request.actions.begin() + 1;
    TAVOLA_CHECK(sound_.transact_write_items({.actions = {request.actions.begin(), rest}}));
    while (true) {
      let_others_in();
      auto response = sound_.transact_write_items({.actions = {rest, request.actions.end()}});
      if (response) return response;  // else another one had an item: the second half must follow
    }
  }

  Result<TransactWriteItemsResponse> check_then_write(const TransactWriteItemsRequest& request) {
    TransactWriteItemsRequest checks;
    TransactWriteItemsRequest writes;
    for (const TransactWrite& action : request.actions) {
      (is_check(action) ? checks : writes).actions.push_back(action);
    }
    if (!sound_.transact_write_items(checks)) return sound_.transact_write_items(request);
    let_others_in();
    auto response = sound_.transact_write_items(writes);
    return response ? std::move(response) : sound_.transact_write_items(request);  // reasons for every action
  }

  Database& sound_;
  Flaw flaw_;
  std::atomic<std::size_t> chances_ = 0;
  Mutex mutex_;
  std::map<std::string, std::optional<PackedItem>> seen_ TAVOLA_GUARDED_BY(mutex_);  // by table and key
};

}  // namespace

std::span<const NamedFlaw> all_flaws() { return kFlaws; }

std::optional<Flaw> flaw_of(std::string_view name) {
  const auto* const found = std::ranges::find(kFlaws, name, &NamedFlaw::name);
  if (found == kFlaws.end()) return std::nullopt;
  return found->flaw;
}

std::unique_ptr<Database> with_flaw(Database& sound, Flaw flaw) {
  return std::make_unique<BrokenDatabase>(sound, flaw);
}

}  // namespace tavola::history

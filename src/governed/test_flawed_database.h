// The other server as a front with a mistake would use it: each flaw changes requests as if the front had written them so. Tests must
// find every one. For tests only.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "database/forwarding_database.h"

namespace tavola::governed {

enum class Flaw : std::uint8_t {
  None,
  NoAbsentFields,  // what was absent is not compared
  GuardOutside,    // a unique guard is written before the transaction
  CounterBySet,    // a counter is set to a number that was read
  ClientsToken,    // the client's request token is sent on, and not recorded
  OldDesign,       // the front does not see that the table got another design
};

class FlawedDatabase final : public ForwardingDatabase {
 public:
  FlawedDatabase(Database& database, Flaw flaw) : ForwardingDatabase(database), flaw_(flaw) {}

  Result<GetItemResponse> get_item(const GetItemRequest& request) override {
    const bool is_design = flaw_ == Flaw::OldDesign && request.key.find("PK")->string() == "$design#current";
    if (!is_design) return database().get_item(request);
    const std::scoped_lock lock(mutex_);
    if (!old_design_ || !old_design_->item) {
      TAVOLA_TRY(old_design_, database().get_item(request));
    }
    return *old_design_;
  }

  Result<UpdateItemResponse> update_item(const UpdateItemRequest& request) override {
    UpdateItemRequest flawed = request;
    if (flaw_ == Flaw::NoAbsentFields) compare_less(flawed);
    return database().update_item(flawed);
  }

  Result<TransactWriteItemsResponse> transact_write_items(const TransactWriteItemsRequest& request) override {
    TransactWriteItemsRequest flawed = request;
    for (TransactWrite& action : flawed.actions) {
      if (auto* const update = std::get_if<UpdateItemRequest>(&action)) {
        if (flaw_ == Flaw::NoAbsentFields) compare_less(*update);
        if (flaw_ == Flaw::CounterBySet) TAVOLA_CHECK(set_counters(*update));
      }
    }
    if (flaw_ == Flaw::ClientsToken) send_token(flawed);
    if (flaw_ == Flaw::GuardOutside) TAVOLA_CHECK(put_guards(flawed));
    return database().transact_write_items(flawed);
  }

 private:
  static std::string hash_of(const PutItemRequest& put) { return std::string(put.item.find("PK")->string()); }

  static void compare_less(UpdateItemRequest& request) {
    std::string& condition = request.condition_expression;
    const std::string absent = " AND attribute_not_exists(";
    for (std::size_t at = condition.find(absent); at != std::string::npos; at = condition.find(absent))
      condition.erase(at, condition.find(')', at) + 1 - at);
    const std::string text = condition + " " + request.update_expression + " ";
    std::erase_if(request.names, [&](const auto& name) {
      return !text.contains(name.first + " ") && !text.contains(name.first + ")") &&
             !text.contains(name.first + ",");
    });
  }

  // Takes the place of an action, so that the others keep theirs.
  static ConditionCheck nothing(const TransactWrite& action, std::string key) {
    ConditionCheck check{.table_name = std::get<PutItemRequest>(action).table_name};
    check.key = *pack({{"PK", std::move(key)}, {"SK", "none"}});
    check.condition_expression = "attribute_not_exists(PK)";
    return check;
  }

  static void send_token(TransactWriteItemsRequest& request) {
    for (TransactWrite& action : request.actions) {
      const auto* const put = std::get_if<PutItemRequest>(&action);
      if (put == nullptr || !hash_of(*put).starts_with("$token#")) continue;
      request.client_request_token = hash_of(*put).substr(7);
      action = nothing(action, "$none");
    }
  }

  Result<void> put_guards(TransactWriteItemsRequest& request) {
    for (TransactWrite& action : request.actions) {
      const auto* const put = std::get_if<PutItemRequest>(&action);
      if (put == nullptr || !hash_of(*put).starts_with("$unique#")) continue;
      static_cast<void>(database().put_item(*put));
      action = nothing(action, "$none" + hash_of(*put));
    }
    return {};
  }

  // "ADD #n0 :v0" becomes a SET to what is there now and the number.
  Result<void> set_counters(UpdateItemRequest& request) {
    if (!request.update_expression.starts_with("ADD ")) return {};
    TAVOLA_TRY(const GetItemResponse found,
               database().get_item({.table_name = request.table_name, .key = request.key}));
    std::this_thread::sleep_for(std::chrono::microseconds(200));  // others write now
    const std::string name = request.update_expression.substr(4, request.update_expression.find(' ', 4) - 4);
    const std::string value = request.update_expression.substr(request.update_expression.find(':'));
    Item values = request.values.unpack();
    const std::optional<ValueView> now = found.item ? found.item->find(request.names.at(name)) : std::nullopt;
    if (now) {
      TAVOLA_TRY(values[value], now->number() + values[value].number());
    }
    request.update_expression = "SET " + name + " = " + value;
    TAVOLA_TRY(request.values, pack(values));
    return {};
  }

  const Flaw flaw_;
  std::mutex mutex_;
  std::optional<GetItemResponse> old_design_;
};

}  // namespace tavola::governed

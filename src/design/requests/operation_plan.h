// Operations as requests: what to read first, and then one transaction. Pure; runner/ sends them.
//
//   call ─▶ reads ─▶ (somebody reads) ─▶ plan ─▶ (somebody writes) ─▶ done, or meaning of the failure ─▶ a refusal, or again
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tavola/error.h>
#include <tavola/requests.h>

#include "design/items/entity_item.h"
#include "design/model/model.h"
#include "design/requests/pattern_request.h"

namespace tavola::design {

// One call of an operation, with checked parameters.
struct Call {
  const Design* design = nullptr;
  const Operation* operation = nullptr;
  Item given{};       // as the caller said it: what makes two calls the same
  Item parameters{};  // checked and completed
  Moment moment{};
  std::set<std::string, std::less<>> without{};  // counters whose target is gone: nothing is left to count
};
Result<Call> begin(const Design& design, const Operation& operation, const Item& given, const Moment& moment);

// What must be read before the write can be planned; often nothing. A Query is read to its end.
struct Read {
  ReadRequest request;
  const Entity* entity = nullptr;
};
Result<std::vector<Read>> reads(const Call& call);
// What was found, by read: the items of a query, or none or one.
using ReadItems = std::vector<std::vector<Item>>;

// The detail of a refusal: a ConditionalCheckFailed error by name.
struct Refusal : ErrorDetail {
  Refusal(std::string refusal, std::string why) : name(std::move(refusal)), reason(std::move(why)) {}
  std::string name;    // "INSUFFICIENT_STOCK"
  std::string reason;  // "currentStock >= :quantity does not hold"
};
Error refused(std::string name, std::string reason);

// Why the condition of an action may fail, most telling first.
struct Cause {
  enum class Kind : std::uint8_t {
    Refusal,  // the operation is refused as `name`
    Changed,  // something is not as it was read: read again
    Gone,     // the target of the counter `name` does not exist: do it without
  };
  Kind kind = Kind::Refusal;
  std::string name;
  std::string reason;
  std::string condition;  // a part of the action's condition, with its names and values
};

struct Action {
  TransactWrite write;
  std::vector<Cause> causes;
};

struct Plan {
  std::vector<Action> actions{};  // may be empty: nothing to do
  const Entity* returns = nullptr;
  Item result{};                    // the fields of what the operation returns
  std::optional<Item> read_back{};  // the key of what it returns, when only the database knows all of it
  bool repeated = false;            // it was done before (idempotent_by); this is what came of it then
};
// Fails with a refusal where what was read already tells.
Result<Plan> plan(const Call& call, const ReadItems& found);

// What the failed condition of an action means, when the item was `stored` (nothing: there was none).
const Cause& meaning(const Action& action, const std::optional<Item>& stored);

// The condition, names and values of an action, whichever kind it is.
std::string_view condition_of(const TransactWrite& write);

}  // namespace tavola::design

// Operations as requests: first reads, then one transaction. Pure; runner/ sends them.
//
//   call ─▶ reads ─▶ (somebody reads) ─▶ plan ─▶ (somebody writes) ─▶ done, or meaning of the failure ─▶ a refusal, or again
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
  Item given{};       // as the caller gave them: equal ones make two calls the same
  Item parameters{};  // checked and completed
  Ambient ambient{};
  std::set<std::string, std::less<>> without{};  // counters whose target is deleted
  std::map<std::string, std::optional<Item>, std::less<>>
      related{};          // what Plan::unread asked for, by the bytes of the key
  bool governed = false;  // the database follows `on_delete` itself: no implied steps

  bool leaves_out(const Step& step) const { return step.implied && governed; }
};
Result<Call> begin(const Design& design, const Operation& operation, const Item& given,
                   const Ambient& ambient);

// A read that is needed before the write can be planned; often there is none. A Query is read to its end.
struct Read {
  ReadRequest request;
  const Entity* entity = nullptr;
  // So many items of the entity decide, and the others need not be read.
  std::size_t enough = std::numeric_limits<std::size_t>::max();
};
Result<std::vector<Read>> reads(const Call& call);
// The items found, by read: those of a query, or at most one.
using ReadItems = std::vector<std::vector<Item>>;

// The detail of a refusal: a ConditionalCheckFailed error by name.
struct Refusal : ErrorDetail {
  Refusal(std::string refusal, std::string why) : name(std::move(refusal)), reason(std::move(why)) {}
  std::string name;         // "INSUFFICIENT_STOCK"
  std::string reason;       // "currentStock >= :quantity does not hold"
  bool is_missing = false;  // because an item that must exist does not
};
Error refused(std::string name, std::string reason);
// Returns the refusal because an item that must exist does not.
Error missing(std::string name, std::string reason);
// The refusal of an operation that needs more writes than one transaction has.
inline constexpr std::string_view kTooMany = "TOO_MANY";

// Why the condition of an action may fail, most informative first.
struct Cause {
  enum class Kind : std::uint8_t {
    Refusal,  // the operation is refused as `name`
    Changed,  // an item changed since it was read: read again
    Gone,     // the target of the counter `name` does not exist: skip it
  };
  Kind kind = Kind::Refusal;
  std::string name;
  std::string reason;
  std::string condition;    // a part of the action's condition, with its names and values
  bool is_missing = false;  // Refusal: the item does not exist
  std::string field{};      // Refusal: the reference that names the missing item
};
// Returns the error of a Cause::Kind::Refusal.
Error refused(const Cause& cause);

struct Action {
  TransactWrite write;
  std::vector<Cause> causes;
};

struct Plan {
  std::vector<Action> actions{};  // may be empty if there is nothing to do
  const Entity* returns = nullptr;
  Item result{};                    // the fields of the returned entity
  std::optional<Item> read_back{};  // the key of the returned item, if only the database knows all of it
  std::vector<Read>
      unread{};  // gets; if there are some, `related` of the call needs them before it is planned again
  // Done before (idempotent_by), and `result` is that of the first call; or the item that it would put exists (if_exists).
  bool repeated = false;
};
// Fails with a refusal if the items read already imply it.
Result<Plan> plan(const Call& call, const ReadItems& found);

// Reads an item that Plan::unread names: at most one.
using ReadRelated = std::function<Result<std::vector<Item>>(const Read& read)>;
// Plans, and reads what the plan asks for, until there is a whole plan.
Result<Plan> plan(Call& call, const ReadItems& found, const ReadRelated& read);

// Returns the meaning of the failed condition of an action, if the item was `stored` (nullopt: there was
// none).
const Cause& meaning(const Action& action, const std::optional<Item>& stored);

// Return the condition, names and values of an action of any kind.
std::string_view condition_of(const TransactWrite& write);

}  // namespace tavola::design

// A design running on a database: patterns return entities, page by page; operations happen or are refused by name.
//
//   Runner runner({.database = *db, .design = design});
//   TAVOLA_TRY(const Found page, runner.ask(*design.find_pattern("listProducts"), {.parameters = {{"shopId", "s1"}}}));
//   TAVOLA_TRY(const Done done, runner.perform(*design.find_operation("recordSale"), {{"shopId", "s1"}, …}));
//
// Thread safety: all methods.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tavola/database.h>

#include "base/clock.h"
#include "base/random.h"
#include "design/model/model.h"
#include "design/requests/operation_plan.h"
#include "design/roles/access.h"

namespace tavola::runner {

struct PagePlace;  // page_token.h

struct Question {
  Item parameters;  // values as in JSON
  std::optional<std::int64_t> limit;
  std::string page;  // Found::next of the previous page
};

struct Found {
  struct One {
    const design::Entity* entity = nullptr;
    Item fields;
  };
  std::vector<One> entities;
  std::string next;  // the token of the next page; empty at the end
  double read_units = 0;
  std::optional<std::size_t> items_read{};  // an aggregate: the items that it was computed from
  std::size_t missing = 0;                  // with `follow`: references whose item does not exist
};

struct Done {
  const design::Entity* entity = nullptr;  // null: the operation returns nothing
  Item fields;
  bool repeated = false;  // already performed (idempotent_by), or the item exists (if_exists)
  double write_units = 0;
  bool unfinished = false;  // a background job of the database deletes or changes the rest (`on_delete`)
};

struct Written;  // perform.h

class Runner {
 public:
  struct Parts {
    Database& database;
    const design::Design& design;
    const Clock& clock = Clock::system();
    Random& random = Random::system();
    std::string secret = {};  // seals page tokens; tokens of another secret are refused
    // The person for whom patterns and operations run: roles limit them, and caller() is their `sub`. Null for the
    // program itself.
    std::shared_ptr<const Caller> caller = {};
  };
  explicit Runner(Parts parts) : parts_(std::move(parts)) {}

  Runner as(std::shared_ptr<const Caller> caller) const;

  const design::Design& design() const { return parts_.design; }

  // Returns one page. Fails with AccessDenied and design::Forbidden if the caller may not ask, or may not read an item that a reference
  // led to, with Validation and
  // BadParameter (design/model/arguments.h; "page" for an invalid token), or as the database does.
  Result<Found> ask(const design::Pattern& pattern, const Question& question) const;
  // Fails with AccessDenied as ask() does, with Validation and BadParameter, with ConditionalCheckFailed and Refusal,
  // with TransactionConflict after many attempts, or as the database does.
  Result<Done> perform(const design::Operation& operation, const Item& given) const;

  // Creates the table if it is missing; otherwise returns how it differs from the design, one difference per string.
  // From then on the table is governed, if its database stores designs.
  Result<std::vector<std::string>> prepare_table() const;

 private:
  // Returns the parameters with which the caller may run this.
  Result<Item> permitted(std::string_view name, const Item& parameters) const;
  design::Identity identity() const;  // of the caller, who must be known
  struct Reading;
  // Adds a page to `found` and moves `place` behind it.
  Result<void> read_page(const Reading& reading, PagePlace& place, Found& found) const;
  Result<Found> aggregate(const design::Pattern& pattern, const Reading& reading) const;
  // Adds the entities of a part's items, or those that they refer to if it follows a reference.
  Result<void> add_entities(const design::Pattern& part, const std::vector<PackedItem>& items,
                            Found& found) const;
  Result<void> govern() const;
  Result<Done> done(design::Plan& plan, const Written& written) const;

  Parts parts_;
};

}  // namespace tavola::runner

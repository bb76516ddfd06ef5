// RunningDesign: a design (docs/DESIGN-LANGUAGE.md) at work on a database, called from C++. Its patterns answer with
// entities, its operations happen whole or are refused by name.
//
//   TAVOLA_TRY(auto inventory, RunningDesign::open(*db, text_of_the_design));
//   TAVOLA_CHECK(inventory.prepare_table());
//   auto sale = inventory.perform("recordSale", {{"shopId", "s1"}, {"productId", "p1"}, {"saleId", "a"}, {"quantity", 2}});
//   if (!sale && refusal_of(sale.error()) != nullptr) ...   // "INSUFFICIENT_STOCK"
//   TAVOLA_TRY(const EntityPage page, inventory.ask("listProducts", {{"shopId", "s1"}}));
//
// `tavola gen cpp` writes a header with types for one design, which calls what is here. Thread safety: all methods. A
// RunningDesign is cheap to copy; copies share the design.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tavola/database.h>
#include <tavola/error.h>
#include <tavola/value.h>

namespace tavola {

struct RunningDesignOptions {
  std::string table_name{};         // instead of the one that the design says
  std::string secret{};             // seals page tokens: with the same secret they outlive the program
  std::string file_name{"design"};  // for messages
};

// One entity: the name of its kind, and its fields.
struct NamedEntity {
  std::string entity;
  Item fields;
};

struct PageOptions {
  std::optional<std::int64_t> limit{};  // items to look at; a filter may leave fewer
  std::string page{};                   // EntityPage::next of the page before
};

struct EntityPage {
  std::vector<NamedEntity> entities;
  std::string next;  // empty at the end
  double read_units = 0;
};

struct PerformedOperation {
  std::optional<NamedEntity> returned;  // nothing: the operation returns nothing
  bool repeated = false;  // it had been done before, with the same parameters; nothing happened now
  double write_units = 0;
};

class RunningDesign {
 public:
  // Borrows the database, which must outlive the design. Nothing is read or written yet. Fails with Validation and
  // everything that is wrong with the design, one line each.
  static Result<RunningDesign> open(Database& database, std::string_view design,
                                    const RunningDesignOptions& options = {});

  // Creates the table when it is missing, and returns nothing. Otherwise leaves it as it is and returns what differs from
  // the design, one line each.
  Result<std::vector<std::string>> prepare_table();

  // Returns the design for one person: its roles limit what they ask for and perform (AccessDenied), and caller() is their
  // `sub`. Without it the program asks for itself: roles do not limit it, and caller() has no value.
  RunningDesign as(Caller caller) const;

  // One page of what a pattern finds. That a Get finds nothing is an empty page, not an error. Parameters are values as
  // JSON has them: a list will do for a set. Fails with Validation (bad_parameter_of tells which one), or as the
  // database does.
  Result<EntityPage> ask(std::string_view pattern, const Item& parameters,
                         const PageOptions& options = {}) const;

  // Does all of an operation or nothing. Fails with ConditionalCheckFailed when it is refused (refusal_of tells the
  // name), with Validation as ask() does, with TransactionConflict when others were always faster, or as the database does.
  Result<PerformedOperation> perform(std::string_view operation, const Item& parameters) const;

 private:
  struct Parts;
  explicit RunningDesign(std::shared_ptr<const Parts> parts, std::shared_ptr<const Caller> caller = {})
      : parts_(std::move(parts)), caller_(std::move(caller)) {}
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const Caller> caller_;  // null: the program itself
};

// The name of a refusal, "INSUFFICIENT_STOCK"; null when the error is none. Lives as long as the error.
const std::string* refusal_of(const Error& error);
// The parameter that a Validation error is about; null when it is about none. Lives as long as the error.
const std::string* bad_parameter_of(const Error& error);

}  // namespace tavola

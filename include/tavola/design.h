// RunningDesign: a design (docs/DESIGN-LANGUAGE.md) running on a database, called from C++. Its patterns return
// entities; its operations are atomic, and a refusal has a name.
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

#include <cstddef>
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
  std::string table_name{};         // instead of the design's
  std::string secret{};             // seals page tokens: with the same secret they outlive the program
  std::string file_name{"design"};  // for messages
};

// An entity: its name in the design, and its fields.
struct NamedEntity {
  std::string entity;
  Item fields;
};

struct PageOptions {
  std::optional<std::int64_t> limit{};  // items evaluated; a filter may leave fewer
  std::string page{};                   // EntityPage::next of the previous page
};

struct EntityPage {
  std::vector<NamedEntity> entities;
  std::string next;  // empty at the end
  double read_units = 0;
  std::size_t items_read = 0;  // an aggregate: the items that it was computed from
  std::size_t missing = 0;     // a pattern with `follow`: references whose item does not exist
};

struct PerformedOperation {
  std::optional<NamedEntity> returned;  // nullopt: the operation returns nothing
  // This call changed nothing: it was performed before, or the item that it would create exists (`if_exists: return`).
  bool repeated = false;
  double write_units = 0;
  // Items that change with a deleted one are still being deleted or changed in the background, because they are too many for one
  // transaction. describe_governance() shows whether that is done.
  bool unfinished = false;
};

class RunningDesign {
 public:
  // Borrows the database, which must outlive the design. Reads and writes nothing yet. Fails with Validation and every
  // problem of the design, one per line.
  static Result<RunningDesign> open(Database& database, std::string_view design,
                                    const RunningDesignOptions& options = {});

  // Creates the table if it is missing, and returns an empty list. Otherwise leaves the table as it is and returns how
  // it differs from the design, one difference per string.
  Result<std::vector<std::string>> prepare_table();

  // Returns the design for one person: its roles limit what they may ask for and perform (AccessDenied), and caller()
  // is their `sub`. Without it the program acts for itself: roles do not limit it, and caller() has no value.
  RunningDesign as(Caller caller) const;

  // Returns one page of what a pattern finds; for an aggregate, all rows, each named after the pattern (SalesReportRow). A Get that finds nothing returns an
  // empty page, not an error. Parameters
  // are values as in JSON: a list is accepted for a set. Fails with Validation (bad_parameter_of names the parameter),
  // or as the database does.
  Result<EntityPage> ask(std::string_view pattern, const Item& parameters,
                         const PageOptions& options = {}) const;

  // Performs an operation completely or not at all. Fails with ConditionalCheckFailed if it is refused (refusal_of
  // returns the name), with Validation as ask() does, with TransactionConflict if concurrent writes won every attempt,
  // or as the database does.
  Result<PerformedOperation> perform(std::string_view operation, const Item& parameters) const;

 private:
  struct Parts;
  explicit RunningDesign(std::shared_ptr<const Parts> parts, std::shared_ptr<const Caller> caller = {})
      : parts_(std::move(parts)), caller_(std::move(caller)) {}
  std::shared_ptr<const Parts> parts_;
  std::shared_ptr<const Caller> caller_;  // null: the program itself
};

// Returns the name of a refusal, "INSUFFICIENT_STOCK"; null if the error is not one. Lives as long as the error.
const std::string* refusal_of(const Error& error);
// Returns the parameter that a Validation error is about; null if none. Lives as long as the error.
const std::string* bad_parameter_of(const Error& error);

}  // namespace tavola

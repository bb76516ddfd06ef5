// Follows deletions (`on_delete`) on a database that does not do it itself: AWS's, or one with a table that is not governed.
// Few items are part of the operation's own transaction, as implied steps. Of many, most are deleted or changed before, in portions; the
// item that they name is deleted at last, so that the operation can be repeated if it is interrupted.
#pragma once

#include <vector>

#include <tavola/database.h>

#include "design/requests/operation_plan.h"

namespace tavola::runner {

// Returns whether an operation needs more writes than one transaction has.
bool is_too_many(const Error& refusal);

// Borrows everything.
class Deletions {
 public:
  Deletions(Database& database, const design::Call& call) : database_(database), call_(call) {}

  // Returns whether the database follows the deletions of the operation. Fails with Validation if neither it nor implied steps can.
  Result<bool> are_followed() const;
  // Deletes or changes the items of the implied steps, in portions, if the operation could happen otherwise. Fails with the operation's refusal
  // if it could not.
  Result<void> follow() const;

 private:
  bool is_governed() const;
  Result<void> check_steps() const;
  Result<void> check_conditions() const;
  Result<void> follow_step(const design::Step& step) const;
  // Performs a step on the items of a page, in smaller portions if they are too many.
  Result<void> perform(design::Call& call, const std::vector<Item>& found) const;

  Database& database_;
  const design::Call& call_;
};

}  // namespace tavola::runner

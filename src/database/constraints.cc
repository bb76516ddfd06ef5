#include "database/constraints.h"

namespace tavola {
namespace {

constexpr std::size_t kToldAtMost = 10;  // AWS stops there: dynalite's tests of CreateTable

}  // namespace

void Constraints::add_broken(std::string_view value, std::string_view member, std::string_view rule) {
  add("'" + std::string(value) + "'", member, "Member must ", rule);
}

void Constraints::add_broken_map(std::string_view value, std::string_view member, std::string_view rule) {
  add("'" + std::string(value) + "'", member, "Map ", rule);
}

void Constraints::add_missing(std::string_view member) { add("null", member, "Member must ", "not be null"); }

void Constraints::add(std::string_view value, std::string_view member, std::string_view whose,
                      std::string_view rule) {
  if (count_ == kToldAtMost) return;
  broken_.append(count_ == 0 ? "Value " : "; Value ").append(value).append(" at '").append(member);
  broken_.append("' failed to satisfy constraint: ").append(whose).append(rule);
  ++count_;
}

void Constraints::check_at_least(std::int64_t least, std::optional<std::int64_t> value,
                                 std::string_view member) {
  if (!value || *value >= least) return;
  add_broken(std::to_string(*value), member, "have value greater than or equal to " + std::to_string(least));
}

void Constraints::check_at_most(std::int64_t most, std::optional<std::int64_t> value,
                                std::string_view member) {
  if (!value || *value <= most) return;
  add_broken(std::to_string(*value), member, "have value less than or equal to " + std::to_string(most));
}

Result<void> Constraints::check() const {
  if (count_ == 0) return {};
  return fail(Error::validation(std::to_string(count_) + " validation error" + (count_ == 1 ? "" : "s") +
                                " detected: " + broken_));
}

Error broken_constraint(std::string_view value, std::string_view member, std::string_view rule) {
  Constraints constraints;
  constraints.add_broken(value, member, rule);
  return std::move(constraints.check()).error();
}

}  // namespace tavola

#include "database/constraints.h"

namespace tavola {
namespace {

constexpr std::size_t kToldAtMost = 10;  // AWS stops there: dynalite's tests of CreateTable
constexpr std::size_t kEchoBytesMax = 4096;

std::string echo(std::string_view text) { return shortened(text, kEchoBytesMax); }

}  // namespace

std::string shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

void Constraints::add_broken(std::string_view value, std::string_view member, std::string_view rule) {
  add(" '" + echo(value) + "'", member, "Member must ", rule);
}

void Constraints::add_broken(std::string_view value, std::string_view member, std::string_view rule,
                             std::string_view otherwise) {
  if (broken_.size() == kToldAtMost) return;
  add_broken(value, member, rule);
  broken_.back().otherwise = otherwise;
}

void Constraints::add_broken_map(std::string_view value, std::string_view member, std::string_view rule) {
  add(" '" + echo(value) + "'", member, "Map ", rule);
}

void Constraints::add_broken_arn(std::string_view value, std::string_view member) {
  add(" '" + echo(value) + "'", member, "",
      "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', "
      "where "
      "Resource name must have length less than or equal to 255, Resource name must have length greater than "
      "or "
      "equal to 3, Resource name must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
}

void Constraints::add_missing(std::string_view member) {
  has_missing_ = true;
  add(" null", member, "Member must ", "not be null");
}

void Constraints::add_broken(std::string_view member, std::string_view rule) {
  add("", member, "Member must ", rule);
}

void Constraints::add(std::string_view value, std::string_view member, std::string_view whose,
                      std::string_view rule) {
  if (broken_.size() == kToldAtMost) return;
  std::string words = "Value";
  words.append(value).append(" at '").append(echo(member));
  words.append("' failed to satisfy constraint: ").append(whose).append(rule);
  broken_.push_back({std::move(words), {}});
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
  if (broken_.empty()) return {};
  std::string all;
  for (const Broken& one : broken_) {
    if (!all.empty()) all.append("; ");
    all.append(has_missing_ || one.otherwise.empty() ? one.words : one.otherwise);
  }
  return fail(Error::validation(std::to_string(broken_.size()) + " validation error" +
                                (broken_.size() == 1 ? "" : "s") + " detected: " + all));
}

Error broken_constraint(std::string_view value, std::string_view member, std::string_view rule) {
  Constraints constraints;
  constraints.add_broken(value, member, rule);
  return std::move(constraints.check()).error();
}

Error broken_constraint(std::string_view member, std::string_view rule) {
  Constraints constraints;
  constraints.add_broken(member, rule);
  return std::move(constraints.check()).error();
}

}  // namespace tavola

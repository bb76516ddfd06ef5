#include "database/names.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "value/limits.h"

namespace tavola {
namespace {

bool has_name_characters(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
}

}  // namespace

bool is_name(std::string_view text) {
  return has_name_characters(text) && text.size() >= limits::kTableNameCharsMin &&
         text.size() <= limits::kTableNameCharsMax;
}

void check_name(Constraints& constraints, std::string_view name, std::string_view member) {
  if (!has_name_characters(name)) {
    constraints.add_broken(name, member, "satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
  }
  if (name.size() < limits::kTableNameCharsMin) {
    constraints.add_broken(
        name, member, "have length greater than or equal to " + std::to_string(limits::kTableNameCharsMin));
  }
  if (name.size() > limits::kTableNameCharsMax) {
    constraints.add_broken(name, member,
                           "have length less than or equal to " + std::to_string(limits::kTableNameCharsMax));
  }
}

Error empty_table_name() { return broken_constraint("TableName", "have length greater than or equal to 1"); }

}  // namespace tavola

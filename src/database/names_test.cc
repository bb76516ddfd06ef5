#include "database/names.h"

#include <gtest/gtest.h>

namespace tavola {
namespace {

std::string complaint(std::string_view name) {
  Constraints constraints;
  check_name(constraints, name, "tableName");
  const auto checked = constraints.check();
  return checked ? std::string() : checked.error().message();
}

TEST(Names, OfTablesAndIndexes) {
  for (const std::string& name : {std::string("abc"), std::string("A.b_c-9"), std::string(255, 'x')}) {
    EXPECT_TRUE(is_name(name));
    EXPECT_EQ(complaint(name), "");
  }
  for (const std::string& name :
       {std::string(), std::string("ab"), std::string("abc;"), std::string(256, 'x')}) {
    EXPECT_FALSE(is_name(name));
    EXPECT_NE(complaint(name), "");
  }
  EXPECT_EQ(
      complaint("a;"),
      "2 validation errors detected: Value 'a;' at 'tableName' failed to satisfy constraint: Member must "
      "satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a;' at 'tableName' failed to satisfy "
      "constraint: Member must have length greater than or equal to 3");
}

TEST(Names, AnEmptyOneOnItems) {
  EXPECT_EQ(
      empty_table_name().message(),
      "1 validation error detected: Value at 'TableName' failed to satisfy constraint: Member must have "
      "length greater than or equal to 1");
}

}  // namespace
}  // namespace tavola

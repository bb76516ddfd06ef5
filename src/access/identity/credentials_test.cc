#include "access/identity/credentials.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scratch_directory.h"

namespace tavola::access {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(Credentials, ReadsLines) {
  const auto keys = Credentials::parse(
      "# who may do what\r\n"
      "\r\n"
      "ADMIN  8fK1/+=#x   # the secret has a '#' in it\r\n"
      "\treports x72b read-only\n"
      "orders Qs0e tables=Orders,Archive-* read-only\n"
      "last l",
      "keys.txt");
  ASSERT_TRUE(keys) << keys.error().message();
  EXPECT_EQ(keys->size(), 4U);
  const AccessKey* admin = keys->find("ADMIN");
  ASSERT_NE(admin, nullptr);
  EXPECT_EQ(admin->secret, "8fK1/+=#x");
  EXPECT_FALSE(admin->read_only);
  EXPECT_TRUE(admin->may_use("anything"));
  EXPECT_TRUE(keys->find("reports")->read_only);
  const AccessKey* orders = keys->find("orders");
  EXPECT_THAT(orders->tables, ElementsAre("Orders", "Archive-*"));
  EXPECT_TRUE(orders->read_only);
  EXPECT_TRUE(orders->may_use("Orders"));
  EXPECT_TRUE(orders->may_use("Archive-"));
  EXPECT_TRUE(orders->may_use("Archive-2024"));
  EXPECT_FALSE(orders->may_use("Archive"));
  EXPECT_FALSE(orders->may_use("Orders2"));
  EXPECT_EQ(keys->find("admin"), nullptr);
}

TEST(Credentials, MayStandForSomebody) {
  const auto keys =
      Credentials::parse("a b sub=anna groups=manager,editors\nc d groups=admin\ne f\n", "keys.txt");
  ASSERT_TRUE(keys) << keys.error().message();
  EXPECT_EQ(keys->find("a")->sub, "anna");
  EXPECT_THAT(keys->find("a")->groups, ElementsAre("manager", "editors"));
  EXPECT_EQ(keys->find("c")->sub, "c");
  EXPECT_FALSE(keys->find("e")->stands_for_somebody());
}

TEST(Credentials, SaysWhatIsWrongAndWhere) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "keys.txt: it has no access key; a line is \"ID SECRET\""},
      {"# nothing\n", "keys.txt: it has no access key; a line is \"ID SECRET\""},
      {"a b\nlonely\n", "keys.txt:2: a line is an access key and its secret, separated by spaces"},
      {"a b\n\na c", "keys.txt:3: the access key a is already defined on an earlier line"},
      {"a/b c", "keys.txt:1: an access key has letters, digits, '-', '_' and '.' only"},
      {"a b readonly",
       "keys.txt:1: only these may follow the secret: read-only, tables=NAME,..., sub=PERSON and "
       "groups=NAME,..., "
       "not \"readonly\""},
      {"a b tables=", "keys.txt:1: tables= needs names separated by commas"},
      {"a b tables=x,,y", "keys.txt:1: tables= needs names separated by commas"},
      {"a b sub=", "keys.txt:1: sub= needs the name of a person"},
      {"a b groups=x,", "keys.txt:1: groups= needs names separated by commas"},
      {"a b tables=x*y", "keys.txt:1: a '*' may only end a table's name: x*y"},
  };
  for (const auto& [text, message] : cases) {
    const auto keys = Credentials::parse(text, "keys.txt");
    ASSERT_FALSE(keys) << text;
    EXPECT_EQ(keys.error().message(), message);
  }
}

TEST(Credentials, ReadsFiles) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.path().string();
  const std::string path = folder + "/keys";
  std::ofstream(path) << "a b\n";
  const auto keys = Credentials::load(path);
  ASSERT_TRUE(keys) << keys.error().message();
  EXPECT_NE(keys->find("a"), nullptr);
  std::ofstream(path) << "broken\n";
  EXPECT_THAT(Credentials::load(path).error().message(), StartsWith(path + ":1: "));
  EXPECT_EQ(Credentials::load(folder + "/none").error().message(),
            "cannot read the credentials in " + folder + "/none: No such file or directory");
  EXPECT_EQ(Credentials::load(folder).error().message(),
            "cannot read the credentials in " + folder + ": Is a directory");
}

}  // namespace
}  // namespace tavola::access

// The page of a migration: its requests and responses. engine/governed/migration_test.cc tests the migration.
#include "server/admin/migration_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tavola::server {
namespace {

using testing::HasSubstr;
using Action = MigrateTableRequest::Action;

TEST(MigrationPage, WhatIsWrittenIsRead) {
  const MigrateTableRequest request{.action = Action::Start,
                                    .table_name = "music",
                                    .new_table_name = "music-2",
                                    .from = "1",
                                    .design = "design: 1\nname: \"x\"\t# ü / \\ \n",
                                    .file_name = "music.yaml",
                                    .old_design = "design: 1\n",
                                    .old_file_name = "old.yaml",
                                    .after = "AAA"};
  const auto read = parse_migration_request("music", to_json(request));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(to_json(*read), to_json(request));
  EXPECT_EQ(read->design, request.design);
  EXPECT_EQ(read->table_name, "music");

  const MigrateTableResponse response{.old_table = "music",
                                      .new_table = "music-2",
                                      .from = "1",
                                      .to = "2",
                                      .copying = true,
                                      .items_copied = 5,
                                      .stopped = true,
                                      .items_checked = 6,
                                      .items = 7,
                                      .new_items = 8,
                                      .differences = 1,
                                      .samples = {{R"({"PK":"a"})", "it is \"gone\""}},
                                      .next = "BBB"};
  const auto answer = parse_migration_response(to_json(response));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(to_json(*answer), to_json(response));
  EXPECT_EQ(answer->samples[0].key, response.samples[0].key);
  EXPECT_FALSE(parse_migration_response("healthy"));
}

TEST(MigrationPage, BadRequestsAreTold) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "must be a JSON object"},
      {"[1]", "must be a JSON object"},
      {"action: verify", "must be a JSON object"},  // YAML
      {"{action: verify}", "a name in quotes is expected here (1,2)"},
      {"{\"action\": \"begin\"}", "action must be"},
      {"{}", "action must be"},
      {"{\"action\": \"start\", \"from\": 1}", "from must be a text"},
      {"{\"action\": \"start\", \"form\": \"1\"}", "there is no parameter form"},
  };
  for (const auto& [body, reported] : cases) {
    const auto read = parse_migration_request("t", body);
    ASSERT_FALSE(read) << body;
    EXPECT_THAT(read.error().message(), HasSubstr(reported));
  }
}

TEST(MigrationPage, ItsPathNamesTheTable) {
  EXPECT_EQ(table_of_migration_path(migration_path("a.b-c")), "a.b-c");
  EXPECT_EQ(table_of_migration_path("/admin/designs/x"), "");
}

}  // namespace
}  // namespace tavola::server

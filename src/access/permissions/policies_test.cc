// Resource policies, as restricted callers experience them.
#include <gtest/gtest.h>

#include <tavola/database.h>
#include <tavola/partiql.h>

#include "access/permissions/restricted_database.h"

namespace tavola::access {
namespace {

constexpr std::string_view kArn = "arn:aws:dynamodb:local:000000000000:table/Music";

class PolicyAccess : public ::testing::Test {
 protected:
  PolicyAccess() : database_(open_in_memory()) {
    const auto made = database_->create_table(
        {.table_name = "Music",
         .attribute_definitions = {{"artist"}, {"song"}, {"year", Type::Number}},
         .key_schema = {{"artist"}, {"song", KeyType::Range}},
         .global_indexes = {{.name = "byYear", .key_schema = {{"year"}, {"song", KeyType::Range}}}},
         .stream = StreamView::KeysOnly});
    EXPECT_TRUE(made);
    stream_ = database_->list_streams({})->streams.front().stream;
    for (const char* artist : {"ANNA", "BERT"}) {
      EXPECT_TRUE(database_->put_item({.table_name = "Music", .item = song(artist)}));
    }
  }

  static PackedItem song(const std::string& artist, Item more = {}) {
    Item item{{"artist", artist}, {"song", "1"}, {"year", 1965}, {"secret", "s"}};
    item.merge(std::move(more));
    return pack(item).value();
  }
  static PackedItem key(const std::string& artist) {
    return pack({{"artist", artist}, {"song", "1"}}).value();
  }

  // One statement: `rest` is its principal, action and resource.
  static std::string statement(std::string_view effect, std::string_view rest) {
    return R"({"Effect":")" + std::string(effect) + "\"," + std::string(rest) + "}";
  }
  void policy(const std::string& statements, const std::string& resource = "Music") {
    const auto put = database_->put_resource_policy(
        {.resource = resource, .policy = R"({"Version":"2012-10-17","Statement":[)" + statements + "]}"});
    ASSERT_TRUE(put) << put.error().message();
  }

  // A caller with a key that has the rights of `may_write` and `tables`.
  struct Caller {
    Caller(Database& database, std::string name, bool may_write, std::string table)
        : visit{.user_name = name,
                .address = "10.0.0.7",
                .knows_user = [](std::string_view user) { return user.size() == 4; }},
          permissions{.user = "arn:aws:iam::000000000000:user/" + name,
                      .may_write = may_write,
                      .may_use = [table](std::string_view wanted) { return table == "*" || wanted == table; },
                      .visit = &visit,
                      .policies = &parsed},
          restricted(database, permissions, server) {}
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    Database* operator->() { return &restricted; }

    Visit visit;
    ParsedPolicies parsed;
    Permissions permissions;
    ServerIdentity server;
    RestrictedDatabase restricted;
  };
  Caller nobody(std::string name = "ANNA") { return {*database_, std::move(name), true, "Other"}; }
  Caller admin() { return {*database_, "ROOT", true, "*"}; }

  template <class T>
  static std::string said(const Result<T>& result) {
    return result ? "done" : result.error().message();
  }
  static std::string refusal(std::string_view action, std::string_view why, std::string_view user = "ANNA",
                             std::string_view behind = "") {
    return "User: arn:aws:iam::000000000000:user/" + std::string(user) +
           " is not authorized to perform: dynamodb:" + std::string(action) +
           " on resource: " + std::string(kArn) + std::string(behind) + std::string(why);
  }

  std::unique_ptr<Database> database_;
  std::string stream_;
};

constexpr std::string_view kExplicit = " with an explicit deny in a resource-based policy";
std::string implicit(const std::string& action) {
  return " because no resource-based policy allows the dynamodb:" + action + " action";
}

TEST_F(PolicyAccess, WithoutAPolicyTheKeyDecides) {
  EXPECT_EQ(said(nobody()->get_item({.table_name = "Music", .key = key("ANNA")})), refusal("GetItem", ""));
  EXPECT_EQ(said(admin()->get_item({.table_name = "Music", .key = key("ANNA")})), "done");
  Caller reader(*database_, "ANNA", false, "*");
  EXPECT_EQ(said(reader->put_item({.table_name = "Music", .item = song("ANNA")})),
            refusal("PutItem", " with a read-only key"));
}

TEST_F(PolicyAccess, WhoeverMayGetAnItemMayReadItsHistory) {
  ASSERT_TRUE(database_->update_continuous_backups({.table_name = "Music", .enabled = true}));
  const ItemHistoryRequest history{.table_name = "Music", .key = key("ANNA")};
  const ItemAsOfRequest as_of{.table_name = "Music",
                              .key = key("ANNA"),
                              .moment = database_->describe_continuous_backups({"Music"})->backups.earliest};
  EXPECT_EQ(said(admin()->item_history(history)), "done");
  EXPECT_EQ(said(admin()->item_as_of(as_of)), "done");
  EXPECT_EQ(said(nobody()->item_history(history)), refusal("GetItem", ""));
  EXPECT_EQ(said(nobody()->item_as_of(as_of)), refusal("GetItem", ""));
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":"dynamodb:GetItem","Resource":"*","Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["ANNA"]}})"));
  EXPECT_EQ(said(nobody()->item_history(history)), "done");
  EXPECT_EQ(said(nobody()->item_as_of(as_of)), "done");
  EXPECT_EQ(said(nobody()->item_history({.table_name = "Music", .key = key("BERT")})),
            refusal("GetItem", implicit("GetItem")));
}

TEST_F(PolicyAccess, AnAllowGivesAKeyMore) {
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":["dynamodb:GetItem","dynamodb:PutItem"],"Resource":"*")"));
  EXPECT_EQ(said(nobody()->get_item({.table_name = "Music", .key = key("ANNA")})), "done");
  EXPECT_EQ(said(nobody()->delete_item({.table_name = "Music", .key = key("ANNA")})),
            refusal("DeleteItem", implicit("DeleteItem")));
  EXPECT_EQ(said(nobody("BERT")->get_item({.table_name = "Music", .key = key("ANNA")})),
            refusal("GetItem", implicit("GetItem"), "BERT"));
  Caller reader(*database_, "ANNA", false, "*");
  EXPECT_EQ(said(reader->put_item({.table_name = "Music", .item = song("ANNA")})), "done");
  EXPECT_EQ(said(reader->delete_item({.table_name = "Music", .key = key("ANNA")})),
            refusal("DeleteItem", implicit("DeleteItem")));
}

TEST_F(PolicyAccess, ADenyIsForEverybody) {
  policy(statement(
      "Deny",
      R"("Principal":"*","Action":["dynamodb:DeleteTable","dynamodb:Scan","dynamodb:UpdateTimeToLive"],"Resource":"*")"));
  EXPECT_EQ(said(admin()->delete_table({.table_name = "Music"})), refusal("DeleteTable", kExplicit, "ROOT"));
  EXPECT_EQ(said(admin()->scan({.table_name = "Music"})), refusal("Scan", kExplicit, "ROOT"));
  EXPECT_EQ(
      said(admin()->update_time_to_live({.table_name = "Music", .attribute_name = "t", .enabled = true})),
      refusal("UpdateTimeToLive", kExplicit, "ROOT"));
  EXPECT_EQ(said(admin()->describe_table({.table_name = "Music"})), "done");
}

TEST_F(PolicyAccess, IndexesAreResources) {
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":"dynamodb:Query","Resource":")" +
          std::string(kArn) + R"(/index/byYear")"));
  const QueryRequest of_index{.table_name = "Music",
                              .index_name = "byYear",
                              .key_condition_expression = "#y = :y",
                              .names = {{"#y", "year"}},
                              .values = pack({{":y", 1965}}).value()};
  EXPECT_EQ(nobody()->query(of_index)->count, 2);
  EXPECT_EQ(said(nobody()->scan({.table_name = "Music", .index_name = "byYear"})),
            refusal("Scan", implicit("Scan"), "ANNA", "/index/byYear"));
  EXPECT_EQ(said(nobody()->query({.table_name = "Music",
                                  .key_condition_expression = "artist = :a",
                                  .values = pack({{":a", "ANNA"}}).value()})),
            refusal("Query", implicit("Query")));
}

TEST_F(PolicyAccess, OnlyOnesOwnItems) {
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":["arn:aws:iam::000000000000:user/ANNA"]},"Action":"dynamodb:*","Resource":"*",
      "Condition":{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":"${aws:username}"},"Null":{"dynamodb:LeadingKeys":"false"}})"));
  for (const std::string artist : {"ANNA", "BERT"}) {
    const bool own = artist == "ANNA";
    const auto expected = [&](const std::string& action) {
      return own ? "done" : refusal(action, implicit(action));
    };
    EXPECT_EQ(said(nobody()->get_item({.table_name = "Music", .key = key(artist)})), expected("GetItem"));
    EXPECT_EQ(said(nobody()->put_item({.table_name = "Music", .item = song(artist)})), expected("PutItem"));
    EXPECT_EQ(said(nobody()->update_item(
                  {.table_name = "Music", .key = key(artist), .update_expression = "REMOVE x"})),
              expected("UpdateItem"));
    EXPECT_EQ(said(nobody()->query({.table_name = "Music",
                                    .key_condition_expression = "#a = :a AND song > :s",
                                    .names = {{"#a", "artist"}},
                                    .values = pack({{":a", artist}, {":s", "0"}}).value()})),
              expected("Query"));
    EXPECT_EQ(said(nobody()->batch_get_item(
                  {.tables = {{.table_name = "Music", .keys = {key("ANNA"), key(artist)}}}})),
              own ? "Provided list of item keys contains duplicates"
                  : refusal("BatchGetItem", implicit("BatchGetItem")));
    EXPECT_EQ(said(nobody()->batch_write_item(
                  {.tables = {{.table_name = "Music", .writes = {{BatchWrite::Kind::Put, song(artist)}}}}})),
              expected("BatchWriteItem"));
    EXPECT_EQ(said(nobody()->transact_get_items({.gets = {{.table_name = "Music", .key = key(artist)}}})),
              expected("GetItem"));
    EXPECT_EQ(said(nobody()->transact_write_items(
                  {.actions = {PutItemRequest{.table_name = "Music", .item = song(artist)}}})),
              expected("PutItem"));
    EXPECT_EQ(said(nobody()->transact_write_items(
                  {.actions = {ConditionCheck{.table_name = "Music",
                                              .key = key(artist),
                                              .condition_expression = "attribute_exists(artist)"}}})),
              expected("ConditionCheckItem"));
    EXPECT_EQ(said(nobody()->delete_item({.table_name = "Music", .key = key(artist)})),
              expected("DeleteItem"));
  }
  EXPECT_EQ(said(nobody()->scan({.table_name = "Music"})), refusal("Scan", implicit("Scan")));
}

TEST_F(PolicyAccess, OnlySomeAttributes) {
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":"dynamodb:*","Resource":"*",
      "Condition":{"ForAllValues:StringEquals":{"dynamodb:Attributes":["artist","song","title"]},
      "StringEqualsIfExists":{"dynamodb:Select":"SPECIFIC_ATTRIBUTES","dynamodb:ReturnValues":["NONE","UPDATED_NEW"]}})"));
  const auto get = [&](std::string projection, AttributeNames names = {}) {
    return said(nobody()->get_item({.table_name = "Music",
                                    .key = key("ANNA"),
                                    .projection_expression = std::move(projection),
                                    .names = std::move(names)}));
  };
  EXPECT_EQ(get("title"), "done");
  EXPECT_EQ(get("#t.a[1], artist", {{"#t", "title"}}), "done");
  EXPECT_EQ(get(""), refusal("GetItem", implicit("GetItem")));
  EXPECT_EQ(get("#t", {{"#t", "secret"}}), refusal("GetItem", implicit("GetItem")));
  const auto update = [&](std::string expression, ReturnValues values, std::string condition = "") {
    return said(nobody()->update_item({.table_name = "Music",
                                       .key = key("ANNA"),
                                       .update_expression = std::move(expression),
                                       .condition_expression = std::move(condition),
                                       .return_values = values}));
  };
  EXPECT_EQ(update("SET title = song", ReturnValues::UpdatedNew), "done");
  EXPECT_EQ(update("SET title = secret", ReturnValues::UpdatedNew),
            refusal("UpdateItem", implicit("UpdateItem")));
  EXPECT_EQ(update("SET title = if_not_exists(secret, song)", ReturnValues::None),
            refusal("UpdateItem", implicit("UpdateItem")));
  EXPECT_EQ(update("SET title = song", ReturnValues::AllNew), refusal("UpdateItem", implicit("UpdateItem")));
  EXPECT_EQ(update("SET title = song", ReturnValues::None, "attribute_exists(secret)"),
            refusal("UpdateItem", implicit("UpdateItem")));
  // The item of a failed condition shows everything.
  EXPECT_EQ(
      said(nobody()->delete_item({.table_name = "Music",
                                  .key = key("ANNA"),
                                  .condition_expression = "attribute_exists(title)",
                                  .on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld})),
      refusal("DeleteItem", implicit("DeleteItem")));
  EXPECT_EQ(
      said(nobody()->update_item({.table_name = "Music",
                                  .key = key("ANNA"),
                                  .update_expression = "SET title = song",
                                  .condition_expression = "attribute_not_exists(title)",
                                  .return_values = ReturnValues::UpdatedNew,
                                  .on_condition_failure = ReturnValuesOnConditionCheckFailure::AllOld})),
      refusal("UpdateItem", implicit("UpdateItem")));
  EXPECT_EQ(said(nobody()->put_item({.table_name = "Music", .item = song("ANNA")})),
            refusal("PutItem", implicit("PutItem")));
  EXPECT_EQ(
      said(nobody()->scan(
          {.table_name = "Music", .filter_expression = "secret = artist", .projection_expression = "title"})),
      refusal("Scan", implicit("Scan")));
}

TEST_F(PolicyAccess, Transactions) {
  policy(statement("Deny", R"("Principal":"*","Action":"dynamodb:PutItem","Resource":"*",
      "Condition":{"StringNotEquals":{"dynamodb:EnclosingOperation":"TransactWriteItems"}})"));
  EXPECT_EQ(said(admin()->put_item({.table_name = "Music", .item = song("ANNA")})),
            refusal("PutItem", kExplicit, "ROOT"));
  EXPECT_EQ(said(admin()->transact_write_items(
                {.actions = {PutItemRequest{.table_name = "Music", .item = song("ANNA")}}})),
            "done");
}

TEST_F(PolicyAccess, StatementsHaveActionsOfTheirOwn) {
  policy(
      statement(
          "Allow",
          R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":["dynamodb:PartiQLSelect","dynamodb:PartiQLInsert"],"Resource":"*")") +
      "," +
      statement(
          "Deny",
          R"("Principal":"*","Action":"dynamodb:PartiQLSelect","Resource":"*","Condition":{"Bool":{"dynamodb:FullTableScan":"true"}})") +
      "," +
      statement(
          "Deny",
          R"("Principal":"*","Action":["dynamodb:DescribeTable","dynamodb:Query","dynamodb:PutItem"],"Resource":"*")"));
  Caller anna = nobody();
  anna.visit.is_statement = true;
  const auto run = [&](const std::string& text) {
    return said(execute_statement(anna.restricted, {.statement = text}));
  };
  EXPECT_EQ(run("SELECT * FROM Music WHERE artist = 'ANNA'"), "done");
  EXPECT_EQ(run("INSERT INTO Music VALUE {'artist': 'CARL', 'song': '1'}"), "done");
  EXPECT_EQ(run("SELECT * FROM Music"), refusal("PartiQLSelect", kExplicit));
  EXPECT_EQ(run("DELETE FROM Music WHERE artist = 'ANNA' AND song = '1'"),
            refusal("PartiQLDelete", implicit("PartiQLDelete")));
  EXPECT_EQ(
      run("SELECT * FROM Elsewhere").find("User: arn:aws:iam::000000000000:user/ANNA is not authorized"), 0U);
}

TEST_F(PolicyAccess, StreamsHaveTheirOwn) {
  EXPECT_EQ(said(nobody()->describe_stream({.stream = stream_})),
            refusal("DescribeStream", "", "ANNA", stream_.substr(5)));
  policy(statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":"dynamodb:*","Resource":"*")"));
  EXPECT_NE(said(nobody()->describe_stream({.stream = stream_})), "done");
  policy(
      statement(
          "Allow",
          R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":["dynamodb:DescribeStream","dynamodb:Get*"],"Resource":"*")"),
      stream_);
  const auto described = nobody()->describe_stream({.stream = stream_});
  ASSERT_TRUE(described) << described.error().message();
  const auto iterator = nobody()->get_shard_iterator({.stream = stream_,
                                                      .shard_id = described->stream.shards[0].shard_id,
                                                      .type = ShardIteratorType::TrimHorizon});
  ASSERT_TRUE(iterator) << iterator.error().message();
  EXPECT_EQ(said(nobody()->get_records({.shard_iterator = iterator->shard_iterator})), "done");
  EXPECT_EQ(said(nobody("BERT")->get_records({.shard_iterator = iterator->shard_iterator})),
            refusal("GetRecords", implicit("GetRecords"), "BERT", stream_.substr(5)));
}

TEST_F(PolicyAccess, AddressAndTransport) {
  policy(statement(
      "Deny",
      R"("Principal":"*","Action":"*","Resource":"*","Condition":{"NotIpAddress":{"aws:SourceIp":"10.0.0.0/24"}})"));
  Caller caller = admin();
  EXPECT_EQ(said(caller->scan({.table_name = "Music"})), "done");
  caller.visit.address = "10.0.1.7";
  EXPECT_EQ(said(caller->scan({.table_name = "Music"})), refusal("Scan", kExplicit, "ROOT"));
}

TEST_F(PolicyAccess, WhoeverPutsAPolicyMustBeAbleToPutAnother) {
  const auto put = [&](Caller& caller, const std::string& statements, bool may_lock_out = false) {
    return said(
        caller->put_resource_policy({.resource = "Music",
                                     .policy = R"({"Version":"2012-10-17","Statement":[)" + statements + "]}",
                                     .may_lock_out = may_lock_out}));
  };
  const std::string lock_out =
      "The new resource policy will not allow you to update the resource policy in the future.";
  Caller root = admin();
  const std::string deny_put =
      statement("Deny", R"("Principal":"*","Action":"dynamodb:PutResourcePolicy","Resource":"*")");
  EXPECT_EQ(put(root, deny_put), lock_out);
  EXPECT_EQ(
      put(root,
          statement(
              "Deny",
              R"("Principal":"*","Action":"*","Resource":"*","Condition":{"ArnEquals":{"aws:PrincipalArn":"arn:aws:iam::000000000000:user/ROOT"}})")),
      lock_out);
  EXPECT_EQ(
      put(root,
          statement("Deny", R"("Principal":"*","Action":"dynamodb:DeleteResourcePolicy","Resource":"*")")),
      "done");
  EXPECT_EQ(said(root->delete_resource_policy({.resource = "Music"})),
            refusal("DeleteResourcePolicy", kExplicit, "ROOT"));
  EXPECT_EQ(said(root->get_resource_policy({.resource = "Music"})), "done");
  // A caller who may put policies only because of a policy must keep that right.
  const std::string allow_put = statement(
      "Allow",
      R"("Principal":{"AWS":"arn:aws:iam::000000000000:user/ANNA"},"Action":"dynamodb:*ResourcePolicy","Resource":"*")");
  EXPECT_EQ(put(root, allow_put), "done");
  Caller anna = nobody();
  EXPECT_EQ(put(anna, statement("Deny", R"("Principal":"*","Action":"dynamodb:Scan","Resource":"*")")),
            lock_out);
  EXPECT_EQ(put(anna, allow_put + "," +
                          statement("Deny", R"("Principal":"*","Action":"dynamodb:Scan","Resource":"*")")),
            "done");
  EXPECT_EQ(put(root, deny_put, true), "done");
  EXPECT_EQ(put(root, allow_put, true), refusal("PutResourcePolicy", kExplicit, "ROOT"));
}

TEST_F(PolicyAccess, PrincipalsMustBeThere) {
  const auto put = [&](const std::string& who) {
    return said(admin()->put_resource_policy(
        {.resource = "Music",
         .policy = R"({"Statement":)" +
                   statement("Deny", R"("Principal":{"AWS":")" + who +
                                         R"("},"Action":"dynamodb:Scan","Resource":"*")") +
                   "}"}));
  };
  const std::string unknown =
      "One or more parameter values were invalid: Invalid principal in policy document. There is no ";
  EXPECT_EQ(put("000000000000"), "done");
  EXPECT_EQ(put("arn:aws:iam::000000000000:user/ANNA"), "done");
  EXPECT_EQ(put("arn:aws:iam::000000000000:user/NOBODY"), unknown + "arn:aws:iam::000000000000:user/NOBODY");
  EXPECT_EQ(put("111122223333"), unknown + "arn:aws:iam::111122223333:root");
}

}  // namespace
}  // namespace tavola::access
